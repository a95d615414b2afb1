# SPDX-License-Identifier: BSD-3-Clause
# Compile and link options, as two targets: Pollux::base_options are those of all the project's code,
# Pollux::options adds the runtime of the toolchain file. Libraries that link only the first bring no
# OpenMP runtime into a program.
add_library(pollux_base_options INTERFACE)
add_library(Pollux::base_options ALIAS pollux_base_options)
add_library(pollux_options INTERFACE)
add_library(Pollux::options ALIAS pollux_options)
target_link_libraries(pollux_options INTERFACE Pollux::base_options)

target_include_directories(pollux_base_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(pollux_base_options INTERFACE _GNU_SOURCE)
target_compile_options(pollux_base_options INTERFACE
  # A compiler that joins products and sums would change digests: factors are bitwise identical in builds by
  # all compilers. Kernels state explicitly where they use a fused operation.
  -ffp-contract=off
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  # clang reports conversions of signs in the code that it makes for taskloops; gcc reports those of ours.
  $<$<OR:$<COMPILE_LANGUAGE:CXX>,$<COMPILE_LANG_AND_ID:C,Clang>>:-Wno-sign-conversion>
  # gcc does not count a variable in a depend clause as used.
  $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-parameter>)

option(POLLUX_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
if(POLLUX_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release")
  message(FATAL_ERROR "POLLUX_SANITIZE is for another build type than Release, the one that campaigns measure: "
    "-D CMAKE_BUILD_TYPE=RelWithDebInfo")
endif()
if(POLLUX_SANITIZE)
  # More optimization finds no more errors, and takes ten times as long to compile; reports need functions and lines, not
  # where each variable is. C++ is the language of tests: what they hand to C code is on the heap, where overrunning it is
  # caught all the same.
  target_compile_options(pollux_base_options INTERFACE
    "$<$<COMPILE_LANGUAGE:C>:-O1;-g1;-fsanitize=address,undefined;-fno-sanitize-recover=undefined;-fno-omit-frame-pointer>")
  target_link_options(pollux_base_options INTERFACE -fsanitize=address,undefined)
endif()

# The race check is a program of its own (tests/race): executables of this build are not for measurements.
option(POLLUX_RACE "ThreadSanitizer, for the race check alone" OFF)
if(POLLUX_RACE)
  # ThreadSanitizer does not watch accesses of more than 16 bytes, which vectorized loops would make. More optimization
  # finds no more races.
  target_compile_options(pollux_base_options INTERFACE
    -O1 -g1 -fsanitize=thread -fno-omit-frame-pointer -fno-vectorize -fno-slp-vectorize)
  target_link_options(pollux_base_options INTERFACE -fsanitize=thread)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endif()

include(PolluxRuntime)
