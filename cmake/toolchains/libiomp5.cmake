# SPDX-License-Identifier: BSD-3-Clause
# Intel's libiomp5 with the newest clang. Intel's oneAPI folders are searched, too.
set(POLLUX_RUNTIME libiomp5 CACHE STRING "OpenMP runtime")
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

set(_folders /opt/intel/oneapi/compiler/latest/lib)
if(NOT "$ENV{ONEAPI_ROOT}" STREQUAL "")
  list(PREPEND _folders "$ENV{ONEAPI_ROOT}/compiler/latest/lib")
endif()
if(NOT "$ENV{CMPLR_ROOT}" STREQUAL "")
  list(PREPEND _folders "$ENV{CMPLR_ROOT}/lib")
endif()
pollux_find_runtime(NAMES libiomp5.so HINTS ${_folders})
pollux_find_clang()
set(POLLUX_RUNTIME_COMPILE_OPTIONS -fopenmp=libiomp5)
