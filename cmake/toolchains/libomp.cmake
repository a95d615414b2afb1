# SPDX-License-Identifier: BSD-3-Clause
# LLVM's libomp with the newest clang found. POLLUX_RUNTIME_ROOT may name an LLVM installation.
set(POLLUX_RUNTIME libomp CACHE STRING "OpenMP runtime")
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

set(_clang clang)
set(_clangxx clang++)
foreach(_major RANGE 40 14 -1)
  list(APPEND _numbered clang-${_major})
  list(APPEND _numberedxx clang++-${_major})
endforeach()
pollux_find_compiler(C ${_numbered} ${_clang})
pollux_find_compiler(CXX ${_numberedxx} ${_clangxx})
set(POLLUX_RUNTIME_COMPILE_OPTIONS -fopenmp=libomp)
set(POLLUX_RUNTIME_LINK_OPTIONS -fopenmp=libomp)
