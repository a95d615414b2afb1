# SPDX-License-Identifier: BSD-3-Clause
# What the machine must have. Where something is missing, scripts/build ends with one line that says what.

# pollux_require(PACKAGE): finds it by its module; PACKAGE_NEEDED is that line. Those of this folder set it themselves.
macro(pollux_require package)
  find_package(${package} MODULE)
  if(NOT ${package}_FOUND)
    pollux_missing("${${package}_NEEDED}")
  endif()
  pollux_refuse_another(${package} "${${package}_ROOT}" "$ENV{${package}_ROOT}")
endmacro()

# pollux_refuse_another(PACKAGE PREFIX…): stops where the library is in none of the prefixes that were named, and looks
# for it again when CMake configures next.
function(pollux_refuse_another package)
  list(REMOVE_ITEM ARGN "")
  set(library "${${package}_LIBRARY}")
  if(NOT ARGN OR NOT library)
    return()
  endif()
  foreach(prefix IN LISTS ARGN)
    cmake_path(IS_PREFIX prefix "${library}" NORMALIZE is_there)
    if(is_there)
      return()
    endif()
  endforeach()
  get_cmake_property(entries CACHE_VARIABLES)
  list(FILTER entries INCLUDE REGEX "^${package}_")
  list(REMOVE_ITEM entries ${package}_ROOT)
  foreach(entry IN LISTS entries)
    unset(${entry} CACHE)
  endforeach()
  pollux_missing("${package}_ROOT is ${ARGN}, where there is no library of ${package}; ${library} is elsewhere")
endfunction()

# pollux_require_module(MODULE DEBIAN): a module of pkg-config, and Debian's package of it.
macro(pollux_require_module module debian)
  pkg_check_modules(${module} IMPORTED_TARGET ${module})
  if(NOT ${module}_FOUND)
    pollux_missing("pkg-config finds no ${module}, which is needed (Debian: ${debian})")
  endif()
endmacro()
