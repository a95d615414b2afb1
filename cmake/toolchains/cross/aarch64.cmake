# SPDX-License-Identifier: BSD-3-Clause
# Programs for aarch64 with GCC's libgomp, made on another processor by Debian's cross compiler: what runs at build
# time and in tests is emulated. Libraries are those of the architecture arm64 beside the machine's own, or those of
# an unpacked system that CMAKE_SYSROOT names (tests/systems/aarch64).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
find_program(POLLUX_EMULATOR NAMES qemu-aarch64 qemu-aarch64-static REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${POLLUX_EMULATOR})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
if(CMAKE_SYSROOT)
  set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
  foreach(_kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${_kind} ONLY)
  endforeach()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/../libgomp.cmake)
