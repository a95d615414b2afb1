# SPDX-License-Identifier: BSD-3-Clause
# LLVM's libomp, as the newest clang that has it provides it. POLLUX_RUNTIME_ROOT may name another LLVM installation
# or one of libomp alone.
set(POLLUX_RUNTIME libomp CACHE STRING "OpenMP runtime")
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

set(POLLUX_RUNTIME_COMPILE_OPTIONS -fopenmp=libomp)
if(POLLUX_RUNTIME_ROOT)
  pollux_find_runtime(NAMES libomp.so libomp.so.5)
else()
  set(POLLUX_RUNTIME_LINK_OPTIONS -fopenmp=libomp)
endif()
pollux_find_clang()
