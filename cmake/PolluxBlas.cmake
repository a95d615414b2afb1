# SPDX-License-Identifier: BSD-3-Clause
# The BLAS and LAPACK that POLLUX_BLAS names, as the target BLAS::BLAS, and the folders of its libraries, which come
# into the executables' run path, as POLLUX_BLAS_DIRECTORIES.
set(POLLUX_BLAS openblas CACHE STRING "BLAS and LAPACK: openblas, blis, mkl or armpl")
set_property(CACHE POLLUX_BLAS PROPERTY STRINGS openblas blis mkl armpl)
set(_packages_openblas OpenBLAS)
set(_packages_blis BLIS)
set(_packages_mkl MKL MKLROOT) # and the variables that its own scripts set
set(_packages_armpl ArmPL ARMPL_DIR)
if(NOT _packages_${POLLUX_BLAS})
  message(FATAL_ERROR "POLLUX_BLAS is ${POLLUX_BLAS}; it must be openblas, blis, mkl or armpl")
endif()
list(GET _packages_${POLLUX_BLAS} 0 _package)
# pollux_blas_headers(FOLDER NAME…): where a library calls its headers otherwise, <cblas.h> and <lapacke.h> are files
# that include these, in order.
function(pollux_blas_headers folder)
  set(lines "")
  foreach(name IN LISTS ARGN)
    string(APPEND lines "#include <${name}>\n")
  endforeach()
  foreach(name cblas.h lapacke.h)
    file(CONFIGURE OUTPUT ${folder}/${name} CONTENT "${lines}")
  endforeach()
endfunction()

pollux_require(${_packages_${POLLUX_BLAS}})

add_library(BLAS::BLAS INTERFACE IMPORTED)
target_link_libraries(BLAS::BLAS INTERFACE ${_package}::${_package})
target_compile_definitions(BLAS::BLAS INTERFACE POLLUX_BLAS="${POLLUX_BLAS}")
if(POLLUX_BLAS STREQUAL "openblas")
  target_compile_definitions(BLAS::BLAS INTERFACE POLLUX_BLAS_IS_OPENBLAS)
endif()
set(POLLUX_BLAS_DIRECTORIES ${${_package}_DIRECTORIES})
