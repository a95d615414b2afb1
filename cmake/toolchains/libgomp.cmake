# SPDX-License-Identifier: BSD-3-Clause
# GCC's libgomp, as the gcc on PATH provides it. POLLUX_RUNTIME_ROOT may name another GCC installation.
set(POLLUX_RUNTIME libgomp CACHE STRING "OpenMP runtime")
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

pollux_find_compiler(C gcc)
pollux_find_compiler(CXX g++)
if(POLLUX_RUNTIME_ROOT)
  pollux_find_runtime(NAMES libgomp.so.1)
  unset(POLLUX_RUNTIME_LINK_LIBRARY) # gcc's own specification file names it
endif()
set(POLLUX_RUNTIME_COMPILE_OPTIONS -fopenmp)
set(POLLUX_RUNTIME_LINK_OPTIONS -fopenmp)
