# SPDX-License-Identifier: BSD-3-Clause
# What the machine must have. Where something is missing, scripts/build ends with one line that says what.

# pollux_require(PACKAGE [VARIABLE…]): finds it by its module; PACKAGE_NEEDED is that line. Those of this folder set it
# themselves. PACKAGE_ROOT, and the VARIABLEs of the environment, name the only prefixes to look in; what was found elsewhere
# before is looked for again, by modules that name their library PACKAGE_LIBRARY in the cache, as those of this folder do
# that are found by it, or the folder of its configuration PACKAGE_DIR.
macro(pollux_require package)
  pollux_prefixes(${package} ${package}_ROOT ${ARGN})
  pollux_is_elsewhere(${package} _is_elsewhere)
  if(_is_elsewhere)
    pollux_forget(${package})
  endif()
  find_package(${package} MODULE)
  if(NOT ${package}_FOUND)
    pollux_missing("${${package}_NEEDED}")
  endif()
  pollux_is_elsewhere(${package} _is_elsewhere)
  if(_is_elsewhere)
    list(JOIN ${package}_ROOT ":" _prefixes)
    pollux_missing("${package}_ROOT is ${_prefixes}, where there is no library of ${package}; ${_is_elsewhere} is elsewhere")
  endif()
endmacro()

# pollux_prefixes(PACKAGE RESULT [VARIABLE…]): those that CMake's variable and those of the environment name, as absolute paths.
function(pollux_prefixes package result)
  set(named ${${package}_ROOT})
  foreach(variable ${package}_ROOT ${ARGN})
    string(REPLACE ":" ";" prefixes "$ENV{${variable}}")
    list(APPEND named ${prefixes})
  endforeach()
  list(REMOVE_ITEM named "")
  set(prefixes "")
  foreach(prefix IN LISTS named)
    cmake_path(ABSOLUTE_PATH prefix NORMALIZE)
    list(APPEND prefixes "${prefix}")
  endforeach()
  set(${result} ${prefixes} PARENT_SCOPE)
endfunction()

# pollux_is_elsewhere(PACKAGE RESULT): the library that was found, or its configuration, if prefixes are named and it is in
# none of them.
function(pollux_is_elsewhere package result)
  set(is_elsewhere "")
  set(found "${${package}_LIBRARY}")
  if(NOT found)
    set(found "${${package}_DIR}")
  endif()
  if(found)
    foreach(prefix IN LISTS ${package}_ROOT)
      cmake_path(IS_PREFIX prefix "${found}" NORMALIZE is_there)
      if(is_there)
        set(is_elsewhere "")
        break()
      endif()
      set(is_elsewhere "${found}")
    endforeach()
  endif()
  set(${result} "${is_elsewhere}" PARENT_SCOPE)
endfunction()

# pollux_forget(PACKAGE): drops from the cache what was found of it.
function(pollux_forget package)
  get_cmake_property(entries CACHE_VARIABLES)
  list(FILTER entries INCLUDE REGEX "^${package}_")
  list(REMOVE_ITEM entries ${package}_ROOT)
  foreach(entry IN LISTS entries)
    unset(${entry} CACHE)
  endforeach()
endfunction()

# pollux_require_module(MODULE DEBIAN): a module of pkg-config, and Debian's package of it.
macro(pollux_require_module module debian)
  pkg_check_modules(${module} IMPORTED_TARGET ${module})
  if(NOT ${module}_FOUND)
    pollux_missing("pkg-config finds no ${module}, which is needed (Debian: ${debian})")
  endif()
endmacro()
