# SPDX-License-Identifier: BSD-3-Clause
# What the machine must have. Where something is missing, scripts/build ends with one line that says what.

# pollux_require(PACKAGE): finds it by its module; PACKAGE_NEEDED is that line. Those of this folder set it themselves.
macro(pollux_require package)
  find_package(${package} MODULE)
  if(NOT ${package}_FOUND)
    pollux_missing("${${package}_NEEDED}")
  endif()
endmacro()

# pollux_require_module(MODULE DEBIAN): a module of pkg-config, and Debian's package of it.
macro(pollux_require_module module debian)
  pkg_check_modules(${module} IMPORTED_TARGET ${module})
  if(NOT ${module}_FOUND)
    pollux_missing("pkg-config finds no ${module}, which is needed (Debian: ${debian})")
  endif()
endmacro()
