# SPDX-License-Identifier: BSD-3-Clause
# Compile and link options of the whole project, as the target Pollux::options.
add_library(pollux_options INTERFACE)
add_library(Pollux::options ALIAS pollux_options)

target_include_directories(pollux_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(pollux_options INTERFACE _GNU_SOURCE)
target_compile_options(pollux_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  # gcc does not count a variable in a depend clause as used.
  $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wno-unused-variable -Wno-unused-parameter>)

# The runtime of the toolchain file, for every source that holds a pragma or asks for threads.
target_compile_options(pollux_options INTERFACE ${POLLUX_RUNTIME_COMPILE_OPTIONS})
target_link_options(pollux_options INTERFACE ${POLLUX_RUNTIME_LINK_OPTIONS})
target_include_directories(pollux_options SYSTEM INTERFACE ${POLLUX_RUNTIME_INCLUDE_DIRS})

option(POLLUX_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
if(POLLUX_SANITIZE)
  target_compile_options(pollux_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(pollux_options INTERFACE -fsanitize=address,undefined)
endif()

# Executables find OpenBLAS and the runtime by their run path, after LD_LIBRARY_PATH.
set(CMAKE_BUILD_RPATH ${OpenBLAS_DIRECTORY} ${POLLUX_RUNTIME_LIBRARY_DIRS})
set(CMAKE_INSTALL_RPATH ${CMAKE_BUILD_RPATH})
add_link_options(-Wl,--enable-new-dtags)
