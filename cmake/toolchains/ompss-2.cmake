# SPDX-License-Identifier: BSD-3-Clause
# OpenMP-V, the OpenMP runtime of OmpSs-2 on the tasking library nOS-V, with OmpSs-2's own clang.
#
# Written from its documentation alone, never run. POLLUX_RUNTIME_ROOT is the prefix of that clang.
set(POLLUX_RUNTIME ompss-2 CACHE STRING "OpenMP runtime")
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

pollux_find_runtime(NAMES libompv.so)
unset(POLLUX_RUNTIME_LINK_LIBRARY) # its clang names it
pollux_find_compiler(C clang)
pollux_find_compiler(CXX clang++)
set(POLLUX_RUNTIME_COMPILE_OPTIONS -fopenmp=libompv)
set(POLLUX_RUNTIME_LINK_OPTIONS -fopenmp=libompv)
