# SPDX-License-Identifier: BSD-3-Clause
# Finds Intel's MKL, with 32-bit integers and without threads, as the target MKL::MKL. MKL_ROOT, or MKLROOT in the
# environment, names its installation. Its layers with threads bring an OpenMP runtime or TBB of their own.
set(_where PATHS /opt/intel/oneapi/mkl/latest)
foreach(_layer intel_lp64 sequential core)
  find_library(MKL_${_layer}_LIBRARY NAMES mkl_${_layer} libmkl_${_layer}.so.3 libmkl_${_layer}.so.2 NAMES_PER_DIR
    ${_where} PATH_SUFFIXES lib lib/intel64)
  list(APPEND _libraries MKL_${_layer}_LIBRARY)
endforeach()
set(MKL_LIBRARY "${MKL_core_LIBRARY}" CACHE INTERNAL "The library that pollux_require looks at")
find_path(MKL_INCLUDE_DIR mkl_lapacke.h ${_where} PATH_SUFFIXES include mkl)

set(MKL_NEEDED
  "MKL and its headers are needed. MKL_ROOT names an installation.")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MKL
  REQUIRED_VARS ${_libraries} MKL_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "${MKL_NEEDED}")

if(MKL_FOUND AND NOT TARGET MKL::MKL)
  get_filename_component(MKL_DIRECTORIES ${MKL_core_LIBRARY} DIRECTORY)
  pollux_blas_headers(${PROJECT_BINARY_DIR}/blas/mkl mkl_cblas.h mkl_lapacke.h)
  add_library(MKL::MKL INTERFACE IMPORTED)
  target_include_directories(MKL::MKL INTERFACE ${PROJECT_BINARY_DIR}/blas/mkl ${MKL_INCLUDE_DIR})
  target_link_libraries(MKL::MKL INTERFACE -Wl,--push-state,--no-as-needed
    ${MKL_intel_lp64_LIBRARY} ${MKL_sequential_LIBRARY} ${MKL_core_LIBRARY} -Wl,--pop-state)
endif()
