# SPDX-License-Identifier: BSD-3-Clause
# Tests that another build tree has compiled. Runtimes, their compilers and sanitizers are for C code: the C++ of the tests
# is the same with all of them, apart from the few files that contain pragmas of OpenMP, and g++ and clang++ compile for
# the same libraries. The tree that POLLUX_COMPILED_TESTS names is brought up to date first. Where it has no tests, or
# another compiler, or was copied here from another checkout, this one compiles its own.
set(POLLUX_TESTS_COMPILER ${CMAKE_CXX_COMPILER_ID} CACHE STRING "The compiler of this tree's tests" FORCE)
set(POLLUX_COMPILED_TESTS "" CACHE PATH "A build tree whose compiled C++ tests are linked")
set(pollux_tests_of "")
if(EXISTS "${POLLUX_COMPILED_TESTS}/CMakeCache.txt")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${POLLUX_COMPILED_TESTS}/CMakeCache.txt)
  load_cache(${POLLUX_COMPILED_TESTS} READ_WITH_PREFIX other_
    POLLUX_BUILD_TESTS POLLUX_TESTS_COMPILER CMAKE_HOME_DIRECTORY CMAKE_CACHEFILE_DIR)
  set(known "^(GNU|Clang)$")
  file(REAL_PATH "${other_CMAKE_HOME_DIRECTORY}" source)
  file(REAL_PATH "${other_CMAKE_CACHEFILE_DIR}" tree)
  file(REAL_PATH "${PROJECT_SOURCE_DIR}" own_source)
  file(REAL_PATH "${POLLUX_COMPILED_TESTS}" named_tree)
  if(other_POLLUX_BUILD_TESTS AND other_POLLUX_TESTS_COMPILER MATCHES "${known}" AND CMAKE_CXX_COMPILER_ID MATCHES "${known}"
      AND source STREQUAL own_source AND tree STREQUAL named_tree)
    set(pollux_tests_of ${POLLUX_COMPILED_TESTS})
  endif()
endif()

# pollux_unit(RESULT TARGET SOURCE…): a source that includes these, most of which take less time to compile than the
# headers that they share.
function(pollux_unit result target)
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \"${CMAKE_CURRENT_SOURCE_DIR}/\\1\"\n" OUTPUT_VARIABLE lines)
  list(JOIN lines "" lines)
  file(CONFIGURE OUTPUT ${unit} CONTENT "${lines}" @ONLY)
  set(${result} ${unit} PARENT_SCOPE)
endfunction()

# pollux_compiled(RESULT TARGET SOURCE…): what the target of a test is made of: the sources of this folder in one unit, or
# what another tree makes of it. Those that have options of their own, or pragmas of OpenMP, are apart.
function(pollux_compiled result target)
  set(included "")
  set(optimized "")
  set(own "")
  foreach(source IN LISTS ARGN)
    file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${source} openmp REGEX "^#pragma omp" LIMIT_COUNT 1)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(openmp)
      list(APPEND own ${source})
    elseif(options)
      list(APPEND optimized ${source})
    else()
      list(APPEND included ${source})
    endif()
  endforeach()
  if(NOT pollux_tests_of)
    pollux_unit(unit ${target} ${included})
    set(${result} ${unit} ${optimized} ${own} PARENT_SCOPE)
    return()
  endif()
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(names ${target}.cpp ${optimized})
  list(TRANSFORM names PREPEND "${folder}/CMakeFiles/${target}.dir/")
  list(TRANSFORM names APPEND .o)
  list(TRANSFORM names PREPEND "${pollux_tests_of}/" OUTPUT_VARIABLE objects)
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON)
  set_source_files_properties(${own} PROPERTIES SKIP_PRECOMPILE_HEADERS ON) # there are few
  set_property(GLOBAL APPEND PROPERTY POLLUX_COMPILED_OBJECTS ${objects})
  set_property(GLOBAL APPEND PROPERTY POLLUX_COMPILED_NAMES ${names})
  set_property(GLOBAL APPEND PROPERTY POLLUX_COMPILED_TARGETS ${target})
  set(${result} ${objects} ${own} PARENT_SCOPE)
endfunction()

# pollux_locked(RESULT TREE): the words before a command that no build of the tree by scripts/build runs beside.
function(pollux_locked result tree)
  set(${result} "" PARENT_SCOPE)
  cmake_path(GET tree PARENT_PATH folder)
  cmake_path(GET tree FILENAME name)
  if(folder STREQUAL "${PROJECT_SOURCE_DIR}/build" AND NOT tree STREQUAL PROJECT_BINARY_DIR)
    set(${result} bash -c ". \"$0\" && lock \"$1\" \"$2\" && \"\${@:3}\" 9>&-" ${PROJECT_SOURCE_DIR}/scripts/lock.bash
      ${folder}/.${name}.lock "${name}: waiting for another build of it" PARENT_SCOPE)
  endif()
endfunction()

# pollux_compile_tests(): the target that compiles them. Call it after the last test.
function(pollux_compile_tests)
  get_property(objects GLOBAL PROPERTY POLLUX_COMPILED_OBJECTS)
  get_property(names GLOBAL PROPERTY POLLUX_COMPILED_NAMES)
  get_property(targets GLOBAL PROPERTY POLLUX_COMPILED_TARGETS)
  if(objects)
    pollux_locked(locked ${pollux_tests_of})
    add_custom_target(compiled_tests
      COMMAND ${locked} ${CMAKE_COMMAND} --build ${pollux_tests_of} --target ${names}
      BYPRODUCTS ${objects} COMMENT "Compiling the tests in ${pollux_tests_of}" VERBATIM)
    foreach(target IN LISTS targets)
      add_dependencies(${target} compiled_tests)
      set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    endforeach()
  endif()
endfunction()
