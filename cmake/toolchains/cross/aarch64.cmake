# SPDX-License-Identifier: BSD-3-Clause
# Programs for aarch64 with GCC's libgomp, made on another processor by Debian's cross compiler: what runs at build
# time and in tests is emulated. Libraries are those of the architecture arm64 beside the machine's own.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
find_program(POLLUX_EMULATOR qemu-aarch64 REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${POLLUX_EMULATOR})
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
include(${CMAKE_CURRENT_LIST_DIR}/../libgomp.cmake)
