# SPDX-License-Identifier: BSD-3-Clause
# GCC's libgomp. POLLUX_RUNTIME_ROOT may name another GCC installation.
set(POLLUX_RUNTIME libgomp CACHE STRING "OpenMP runtime")
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

pollux_find_compiler(C gcc)
pollux_find_compiler(CXX g++)
set(POLLUX_RUNTIME_COMPILE_OPTIONS -fopenmp)
set(POLLUX_RUNTIME_LINK_OPTIONS -fopenmp)
