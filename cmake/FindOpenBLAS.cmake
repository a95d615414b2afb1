# SPDX-License-Identifier: BSD-3-Clause
# Finds the pthread build of OpenBLAS and LAPACKE, as the target OpenBLAS::OpenBLAS.
#
# OpenBLAS_ROOT names another installation. Distributions install several builds of OpenBLAS side
# by side and switch between them by a link; the folder of the pthread build is named here, and
# put into the executables' run path, so that the link does not matter. OpenBLAS comes before
# LAPACKE when linking: LAPACK's routines are then taken from OpenBLAS, whatever LAPACK library
# LAPACKE itself was linked against.
set(_suffixes openblas-pthread lib lib64)
find_library(OpenBLAS_LIBRARY
  NAMES openblasp openblas NAMES_PER_DIR # so that a prefix comes before the system; Fedora: openblasp is the pthread build, openblas the serial one
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64 /usr/lib
  PATH_SUFFIXES ${_suffixes})
find_path(OpenBLAS_INCLUDE_DIR cblas.h
  PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} /usr/include
  PATH_SUFFIXES openblas-pthread openblas include)
find_path(OpenBLAS_LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES openblas include)
find_library(OpenBLAS_LAPACKE_LIBRARY NAMES lapacke)

include(PolluxLibraryHas)
if(OpenBLAS_LIBRARY)
  pollux_library_has(OpenBLAS_HAS_LAPACKE ${OpenBLAS_LIBRARY} LAPACKE_dpotrf_work)
endif()
set(_lapacke OpenBLAS_LAPACKE_LIBRARY)
if(OpenBLAS_HAS_LAPACKE)
  unset(_lapacke)
endif()

set(OpenBLAS_NEEDED
  "The pthread build of OpenBLAS and LAPACKE are needed (Debian: libopenblas-pthread-dev liblapacke-dev). OpenBLAS_ROOT names another installation.")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBLAS
  REQUIRED_VARS OpenBLAS_LIBRARY OpenBLAS_INCLUDE_DIR OpenBLAS_LAPACKE_INCLUDE_DIR ${_lapacke}
  REASON_FAILURE_MESSAGE "${OpenBLAS_NEEDED}")

if(OpenBLAS_FOUND AND NOT TARGET OpenBLAS::OpenBLAS)
  get_filename_component(OpenBLAS_DIRECTORIES ${OpenBLAS_LIBRARY} DIRECTORY)
  add_library(OpenBLAS::OpenBLAS INTERFACE IMPORTED)
  target_include_directories(OpenBLAS::OpenBLAS INTERFACE
    ${OpenBLAS_INCLUDE_DIR} ${OpenBLAS_LAPACKE_INCLUDE_DIR})
  target_link_libraries(OpenBLAS::OpenBLAS INTERFACE ${OpenBLAS_LIBRARY})
  if(NOT OpenBLAS_HAS_LAPACKE)
    target_link_libraries(OpenBLAS::OpenBLAS INTERFACE ${OpenBLAS_LAPACKE_LIBRARY})
  endif()
endif()
