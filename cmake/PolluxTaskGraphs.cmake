# SPDX-License-Identifier: BSD-3-Clause
# Sources with task graphs are built by the compiler whose OpenMP is under test.

# pollux_task_object(TARGET SOURCE): compiles a source as one of the target, by POLLUX_TASK_COMPILER.
# Each has a folder of its own, because Mercurium writes temporary files next to the object.
function(pollux_task_object target source)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.tasks/${source})
  set(object ${folder}/task.o)
  file(MAKE_DIRECTORY ${folder})
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS_${build_type}}")
  set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  set(folders $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  add_custom_command(OUTPUT ${object}
    COMMAND ${POLLUX_TASK_COMPILER} ${POLLUX_TASK_COMPILE_OPTIONS} ${flags}
      "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
      "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>"
      --output-dir=${folder} -MD -MF ${object}.d -MT ${object}
      -c -o ${object} ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    DEPENDS ${source} ${POLLUX_TASK_COMPILER}
    DEPFILE ${object}.d
    COMMENT "Building ${target}'s ${source} by ${POLLUX_TASK_COMPILER}"
    COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(${target} PRIVATE ${object})
endfunction()

# pollux_task_graphs(TARGET SOURCE…): adds sources with task pragmas to a library or an executable.
function(pollux_task_graphs target)
  if(NOT POLLUX_TASK_COMPILER)
    target_sources(${target} PRIVATE ${ARGN})
    return()
  endif()
  foreach(source IN LISTS ARGN)
    pollux_task_object(${target} ${source})
  endforeach()
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C) # it may have no other source
endfunction()
