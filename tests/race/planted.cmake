# SPDX-License-Identifier: BSD-3-Clause
# Planted errors: copies of the task graphs, each with one piece of text replaced that occurs exactly once.
#
# planted_error(NAME BENCHMARK VARIANT FUNCTION FILE file FROM text [TO text]
#   [CALLS function CALLER file] [NEEDS feature of cmake/PolluxFeatures.cmake])
# Files are those of the folder whose planted.cmake calls this: each benchmark names its own errors.
# FUNCTION is the variant's entry, renamed in the copy. Where FILE does not define the entry but a
# function that it calls, that is named by CALLS, and CALLER is the file of the entry; these are run on
# high panels. The graph check (tests/graph/) finds all of these errors too.
set(planted_rows "")
set(planted_declarations "")
set(planted_objects "")

# Writes the copy, if it has changed.
function(plant_error name file from to)
  set(source ${CMAKE_CURRENT_LIST_DIR}/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  string(FIND "${text}" "${from}" first)
  string(FIND "${text}" "${from}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR
      "race: the planted error ${name} needs this text exactly once in ${file}:\n${from}")
  endif()
  string(REPLACE "${from}" "${to}" text "${text}")
  file(CONFIGURE OUTPUT planted/${name}.c CONTENT "${text}" @ONLY)
endfunction()

function(planted_error name benchmark variant entry)
  cmake_parse_arguments(PARSE_ARGV 4 error "" "FILE;FROM;TO;CALLS;CALLER;NEEDS" "")
  if(error_NEEDS AND NOT POLLUX_HAVE_${error_NEEDS})
    return()
  endif()
  plant_error(${name} "${error_FILE}" "${error_FROM}" "${error_TO}")
  set(sources ${CMAKE_CURRENT_BINARY_DIR}/planted/${name}.c)
  set(high_panels false)
  if(error_CALLER)
    set(high_panels true)
    list(APPEND sources ${CMAKE_CURRENT_LIST_DIR}/${error_CALLER})
  endif()
  add_library(planted_${name} OBJECT ${sources})
  target_link_libraries(planted_${name} PRIVATE Pollux::options)
  # What the missing clause named may now be unused. A source's options come after the target's.
  set_source_files_properties(${sources} PROPERTIES 
    COMPILE_OPTIONS "-Wno-unused-variable;-Wno-unused-but-set-variable")
  foreach(function ${entry} ${error_CALLS})
    target_compile_definitions(planted_${name} PRIVATE ${function}=${function}_${name})
  endforeach()

  set(planted_declarations
    "${planted_declarations}void ${entry}_${name}(struct problem *p);\n" PARENT_SCOPE)
  set(planted_rows
    "${planted_rows}    {\"${name}\", \"${benchmark}\", \"${variant}\", ${entry}_${name}, ${high_panels}},\n"
    PARENT_SCOPE)
  set(planted_objects ${planted_objects} $<TARGET_OBJECTS:planted_${name}> PARENT_SCOPE)
endfunction()

# Not CONFIGURE_DEPENDS, with which no dry run of a build would say that there is nothing to do
# (tests/cli/test_output.py): a benchmark's first planted.cmake is found when CMake configures next.
file(GLOB of_benchmarks
  ${PROJECT_SOURCE_DIR}/*/planted.cmake ${PROJECT_SOURCE_DIR}/benchmarks/*/planted.cmake)
foreach(file IN LISTS of_benchmarks)
  include(${file})
endforeach()

configure_file(${CMAKE_CURRENT_LIST_DIR}/planted.c.in planted/planted.c @ONLY)
add_library(pollux_planted STATIC ${CMAKE_CURRENT_BINARY_DIR}/planted/planted.c ${planted_objects})
target_link_libraries(pollux_planted PUBLIC Pollux::benchmarks)
