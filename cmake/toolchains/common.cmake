# SPDX-License-Identifier: BSD-3-Clause
# What the toolchain files share: how a compiler and a runtime outside the system's paths are found.
#
# A toolchain file sets POLLUX_RUNTIME, includes this file, calls pollux_find_runtime where the compiler
# does not bring the runtime along, and finds its compilers. It leaves
#   POLLUX_RUNTIME_COMPILE_OPTIONS, POLLUX_RUNTIME_LINK_OPTIONS   for every source and executable,
#   POLLUX_RUNTIME_INCLUDE_DIRS    the folder of an omp.h of the runtime's own, if it has one,
#   POLLUX_RUNTIME_LINK_LIBRARY    the library to link, unless the compiler links its own,
#   POLLUX_RUNTIME_LIBRARY         its real path (else cmake/PolluxRuntime.cmake asks the compiler),
#   POLLUX_RUNTIME_LIBRARY_DIRS    the folders that come first in the executables' run path,
#   POLLUX_TASK_COMPILER, POLLUX_TASK_COMPILER_VERSION, POLLUX_TASK_COMPILE_OPTIONS   the compiler of
#                                  the sources with task graphs, where it is not the C compiler.
#
# What the user may set, in the environment or by -D; both are kept in the build tree:
#   POLLUX_RUNTIME_ROOT   the prefix of the runtime,
#   POLLUX_RUNTIMES       the folder with prefixes called NAME or NAME-VERSION, else runtimes/.
macro(pollux_setting name help)
  set(_given "$ENV{${name}}")
  if(_given)
    get_filename_component(_given "${_given}" ABSOLUTE BASE_DIR "$ENV{PWD}")
  endif()
  if(NOT ${name} AND _given)
    set(${name} "${_given}" CACHE PATH "${help}" FORCE)
  elseif(${name})
    set(${name} "${${name}}" CACHE PATH "${help}")
    pollux_tell_of_other(${name} "${_given}")
  endif()
endmacro()

# pollux_tell_of_other(NAME GIVEN): once, that the tree's value comes before another in the environment.
function(pollux_tell_of_other name given)
  file(REAL_PATH "${${name}}" kept)
  file(REAL_PATH "${given}" other)
  get_property(told GLOBAL PROPERTY ${name}_TOLD)
  if(given AND NOT other STREQUAL kept AND NOT told)
    message(NOTICE "${POLLUX_RUNTIME}: ${name} of the environment, ${given}, is not used: this build tree has "
      "${${name}}; -D ${name}=DIR changes it")
    set_property(GLOBAL PROPERTY ${name}_TOLD TRUE)
  endif()
endfunction()
pollux_setting(POLLUX_RUNTIME_ROOT "Prefix of the OpenMP runtime")
pollux_setting(POLLUX_RUNTIMES "Folder with prefixes of OpenMP runtimes")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES POLLUX_RUNTIME POLLUX_RUNTIME_ROOT POLLUX_RUNTIMES
  POLLUX_C_COMPILER POLLUX_CXX_COMPILER)

# Ends with one line, which is also written to missing.txt for scripts/build.
set(POLLUX_MISSING ${CMAKE_BINARY_DIR}/missing.txt)
file(REMOVE ${POLLUX_MISSING})
function(pollux_missing line)
  file(WRITE ${POLLUX_MISSING} "${POLLUX_RUNTIME}: ${line}\n")
  message(NOTICE "${POLLUX_RUNTIME}: ${line}")
  message(FATAL_ERROR "not configured, for the reason above")
endfunction()

# Sets POLLUX_RUNTIME_PREFIXES to the prefixes to look in: the one given, else those of the folder
# of runtimes, NAME before NAME-VERSION, the newest version first.
function(pollux_runtime_prefixes)
  if(POLLUX_RUNTIME_ROOT)
    set(prefixes "${POLLUX_RUNTIME_ROOT}")
  else()
    set(folder "${POLLUX_RUNTIMES}")
    if(NOT folder)
      get_filename_component(folder "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../runtimes" ABSOLUTE)
    endif()
    file(GLOB prefixes LIST_DIRECTORIES TRUE "${folder}/${POLLUX_RUNTIME}-[0-9]*")
    list(SORT prefixes COMPARE NATURAL ORDER DESCENDING)
    list(PREPEND prefixes "${folder}/${POLLUX_RUNTIME}")
  endif()
  set(POLLUX_RUNTIME_PREFIXES "${prefixes}" PARENT_SCOPE)
endfunction()

# Sets CMAKE_<language>_COMPILER to the first of the names that is found, in the prefix first, and that
# the validator of find_program in POLLUX_VALIDATOR accepts, if there is one.
macro(pollux_find_compiler language)
  if(NOT CMAKE_${language}_COMPILER)
    pollux_runtime_prefixes()
    list(TRANSFORM POLLUX_RUNTIME_PREFIXES APPEND /bin OUTPUT_VARIABLE _folders)
    set_property(GLOBAL PROPERTY POLLUX_REFUSED "")
    find_program(POLLUX_${language}_COMPILER NAMES ${ARGN} HINTS ${_folders} NAMES_PER_DIR ${POLLUX_VALIDATOR})
    if(NOT POLLUX_${language}_COMPILER)
      get_property(_refused GLOBAL PROPERTY POLLUX_REFUSED)
      if(_refused)
        pollux_missing("${_refused}")
      endif()
      set(_names ${ARGN}) # a macro's ARGN is no variable
      list(JOIN _names ", " _names)
      pollux_missing("no compiler found, looked for ${_names}")
    endif()
    pollux_refuse_other_compiler(${language} ${ARGN})
    set(CMAKE_${language}_COMPILER ${POLLUX_${language}_COMPILER})
  endif()
endmacro()

# pollux_refuse_other_compiler(LANGUAGE NAME…): a tree keeps its compilers, so that the prefix may only become one whose
# compiler is the same. One that is refused is not kept.
function(pollux_refuse_other_compiler language)
  set(compiler ${POLLUX_${language}_COMPILER})
  if(DEFINED CACHE{POLLUX_${language}_ROOT} AND NOT POLLUX_${language}_ROOT STREQUAL "${POLLUX_RUNTIME_ROOT}")
    find_program(other NAMES ${ARGN} HINTS ${_folders} NAMES_PER_DIR NO_CACHE ${POLLUX_VALIDATOR})
    if(NOT other STREQUAL compiler)
      set(given "${POLLUX_RUNTIME_ROOT}")
      set(POLLUX_RUNTIME_ROOT "${POLLUX_${language}_ROOT}" CACHE PATH "Prefix of the OpenMP runtime" FORCE)
      pollux_missing("POLLUX_RUNTIME_ROOT=${given} needs ${other}, and this build tree is one of ${compiler}; configure another folder")
    endif()
  endif()
  set(POLLUX_${language}_ROOT "${POLLUX_RUNTIME_ROOT}" CACHE INTERNAL "The prefix that the compiler was found for")
endfunction()

# Why a clang does not serve, as RESULT; empty if it does. It has to be new enough, unless it is in the runtime's prefix,
# and have an omp.h: that of its libomp, or the runtime's own that pollux_find_runtime has found.
set(POLLUX_OLDEST_CLANG 16) # as in scripts/setup
function(pollux_flaw_of_clang result clang)
  set(${result} "" PARENT_SCOPE)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS} $ENV{CFLAGS}")
  list(TRANSFORM POLLUX_RUNTIME_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE folders)
  execute_process(COMMAND "${clang}" ${flags} ${folders} -fopenmp=libomp -fsyntax-only -include omp.h -x c /dev/null
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(${result} "${clang} has no omp.h; install its libomp (Debian: libomp-N-dev for clang-N, Fedora: libomp-devel)"
      PARENT_SCOPE)
  endif()
  foreach(prefix IN LISTS POLLUX_RUNTIME_PREFIXES)
    cmake_path(IS_PREFIX prefix "${clang}" NORMALIZE comes_with_it)
    if(comes_with_it)
      return()
    endif()
  endforeach()
  execute_process(COMMAND "${clang}" -dumpversion OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(version AND version VERSION_LESS POLLUX_OLDEST_CLANG)
    set(${result} "${clang} is clang ${version}; clang ${POLLUX_OLDEST_CLANG} or newer is needed" PARENT_SCOPE)
  endif()
endfunction()

# A validator of find_program: whether a clang serves. The first one's flaw is told where none does.
function(pollux_accept_clang result clang)
  pollux_flaw_of_clang(flaw "${clang}")
  if(flaw)
    get_property(before GLOBAL PROPERTY POLLUX_REFUSED)
    if(NOT before)
      set_property(GLOBAL PROPERTY POLLUX_REFUSED "${flaw}")
    endif()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# The compilers of the runtimes that have LLVM's entry points: the newest clang that serves.
macro(pollux_find_clang)
  foreach(_major RANGE 40 14 -1) # older ones are refused, with a line
    list(APPEND _clang clang-${_major})
    list(APPEND _clangxx clang++-${_major})
  endforeach()
  set(POLLUX_VALIDATOR VALIDATOR pollux_accept_clang)
  pollux_find_compiler(C ${_clang} clang)
  pollux_find_compiler(CXX ${_clangxx} clang++)
  unset(POLLUX_VALIDATOR)
endmacro()

# Whether a file is a shared library for this machine: class and processor are those of CMake itself.
function(pollux_is_library path result)
  foreach(file "${path}" "${CMAKE_COMMAND}")
    file(READ "${file}" start LIMIT 20 HEX)
    string(REGEX REPLACE "^(7f454c46..).*(....)$" "\\1\\2" kind "${start}")
    list(APPEND kinds "${kind}")
  endforeach()
  list(REMOVE_DUPLICATES kinds)
  list(LENGTH kinds different)
  set(${result} FALSE PARENT_SCOPE)
  if(different EQUAL 1)
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# pollux_find_runtime(NAMES name… [FOLDERS folder…] [HINTS folder…]): finds the runtime's library under
# one of its names in the FOLDERS of the prefixes, by default those usual for libraries, else in the
# folders of HINTS, and sets the variables named above.
function(pollux_find_runtime)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "NAMES;FOLDERS;HINTS")
  pollux_runtime_prefixes()
  foreach(prefix IN LISTS POLLUX_RUNTIME_PREFIXES)
    if(arg_FOLDERS)
      list(TRANSFORM arg_FOLDERS PREPEND "${prefix}/" OUTPUT_VARIABLE given)
      list(APPEND folders ${given})
    else()
      # LLVM's own builds have a folder for each target below lib.
      file(GLOB targets LIST_DIRECTORIES TRUE "${prefix}/lib/*-linux-*")
      list(APPEND folders "${prefix}/lib" "${prefix}/lib64" ${targets} "${prefix}")
    endif()
  endforeach()
  if(NOT POLLUX_RUNTIME_ROOT)
    list(APPEND folders ${arg_HINTS})
  endif()
  foreach(folder IN LISTS folders)
    foreach(name IN LISTS arg_NAMES)
      if(NOT library AND EXISTS "${folder}/${name}")
        pollux_is_library("${folder}/${name}" fits)
        if(fits)
          set(library "${folder}/${name}")
        else()
          set(foreign "${folder}/${name}")
        endif()
      endif()
    endforeach()
  endforeach()
  if(NOT library)
    list(JOIN arg_NAMES " or " names)
    if(foreign)
      pollux_missing("${foreign} is not a shared library for this machine")
    elseif(POLLUX_RUNTIME_ROOT)
      pollux_missing("no ${names} in POLLUX_RUNTIME_ROOT=${POLLUX_RUNTIME_ROOT} or its lib")
    endif()
    pollux_missing("no ${names} found; set POLLUX_RUNTIME_ROOT to its prefix (docs/runtimes/${POLLUX_RUNTIME}.md)")
  endif()

  get_filename_component(folder "${library}" DIRECTORY)
  get_filename_component(real "${library}" REALPATH)
  string(REGEX REPLACE "/lib(64|/[^/]*)?$" "" prefix "${folder}")
  if(EXISTS "${prefix}/include/omp.h")
    set(POLLUX_RUNTIME_INCLUDE_DIRS "${prefix}/include" PARENT_SCOPE)
  endif()
  set(POLLUX_RUNTIME_LINK_LIBRARY "${library}" PARENT_SCOPE)
  set(POLLUX_RUNTIME_LIBRARY "${real}" PARENT_SCOPE)
  set(POLLUX_RUNTIME_LIBRARY_DIRS "${folder}" PARENT_SCOPE)
endfunction()
