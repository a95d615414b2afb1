# SPDX-License-Identifier: BSD-3-Clause
# XKOMP, the OpenMP runtime on top of XKaapi's XKRT, with the newest clang.
set(POLLUX_RUNTIME xkaapi CACHE STRING "OpenMP runtime")
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

pollux_find_runtime(NAMES libxkomp.so)
unset(POLLUX_RUNTIME_INCLUDE_DIRS) # its omp.h declares only part of OpenMP: clang's is used
pollux_find_clang()
set(POLLUX_RUNTIME_COMPILE_OPTIONS -fopenmp=libomp)
