# SPDX-License-Identifier: BSD-3-Clause
# BOLT, LLVM's runtime on the user-level threads of Argobots, with the newest clang.
set(POLLUX_RUNTIME bolt CACHE STRING "OpenMP runtime")
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

pollux_find_runtime(NAMES libbolt.so)
pollux_find_clang()
set(POLLUX_RUNTIME_COMPILE_OPTIONS -fopenmp=libomp)
