# SPDX-License-Identifier: BSD-3-Clause
# libKOMP, the runtime on top of LLVM's, with its own clang if the prefix contains one, else the newest.
#
# Written from its documentation and tested with LLVM's library in its place, never with the real one.
set(POLLUX_RUNTIME libkomp CACHE STRING "OpenMP runtime")
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

pollux_find_runtime(NAMES libkomp.so libomp.so libiomp5.so)
pollux_find_clang()
set(POLLUX_RUNTIME_COMPILE_OPTIONS -fopenmp=libomp)
