# SPDX-License-Identifier: BSD-3-Clause
# Intel's libiomp5 with the newest clang. Intel's oneAPI folders are searched, too.
set(POLLUX_RUNTIME libiomp5 CACHE STRING "OpenMP runtime")
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

pollux_find_runtime(NAMES libiomp5.so
  HINTS "$ENV{CMPLR_ROOT}/lib" "$ENV{ONEAPI_ROOT}/compiler/latest/lib"
        /opt/intel/oneapi/compiler/latest/lib)
pollux_find_clang()
set(POLLUX_RUNTIME_COMPILE_OPTIONS -fopenmp=libiomp5)
