# SPDX-License-Identifier: BSD-3-Clause
# OmpSs: Mercurium compiles the task graphs for Nanos++, and gcc all the rest, without OpenMP.
#
# POLLUX_OMPSS_MODE is Mercurium's programming model, ompss or openmp. Each has its library of Nanos++.
set(POLLUX_RUNTIME ompss CACHE STRING "OpenMP runtime")
set(POLLUX_OMPSS_MODE ompss CACHE STRING "Mercurium's programming model, ompss or openmp")
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES POLLUX_OMPSS_MODE)

if(POLLUX_OMPSS_MODE STREQUAL "ompss")
  set(_library nanox-ompss)
  set(_model --ompss --no-copy-deps) # no copies of data for devices
elseif(POLLUX_OMPSS_MODE STREQUAL "openmp")
  set(_library nanox-omp)
  set(_model --openmp)
else()
  message(FATAL_ERROR "POLLUX_OMPSS_MODE is ${POLLUX_OMPSS_MODE}; it must be ompss or openmp")
endif()

pollux_find_compiler(C gcc)
pollux_find_compiler(CXX g++)
pollux_find_runtime(NAMES lib${_library}.so FOLDERS lib/performance lib)
unset(POLLUX_RUNTIME_LINK_LIBRARY) # it comes with two others, which nothing here names
# Loops with `parallel for` outside the task graphs run on one thread.
set(POLLUX_RUNTIME_COMPILE_OPTIONS -Wno-unknown-pragmas)
set(POLLUX_RUNTIME_LINK_OPTIONS
  -L${POLLUX_RUNTIME_LIBRARY_DIRS} -Wl,--push-state,--no-as-needed
  -l${_library} -lnanox-c -lnanox -Wl,--pop-state)

pollux_find_compiler(MERCURIUM mcc)
set(POLLUX_TASK_COMPILER ${CMAKE_MERCURIUM_COMPILER})
execute_process(COMMAND ${POLLUX_TASK_COMPILER} --version OUTPUT_VARIABLE _output ERROR_QUIET)
string(REGEX MATCH "[0-9]+\\.[0-9.]+" POLLUX_TASK_COMPILER_VERSION "${_output}")
# It fails on what the C library's headers provide for newer versions of gcc. Warnings are errors,
# because it drops clauses that it does not know.
set(POLLUX_TASK_COMPILE_OPTIONS ${_model} -std=gnu11 -U__GNUC__ -D__GNUC__=10 -Werror)
