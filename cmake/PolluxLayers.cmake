# SPDX-License-Identifier: BSD-3-Clause
# Writes layers.json: the project's targets, their folders and sources, and what they link, for tests/layers/.

# pollux_linked(RESULT TARGET PROPERTY): the targets named by PROPERTY, aliases by their own names. What is
# only linked, and not seen by those who include the headers, is left out.
function(pollux_linked result target property)
  get_target_property(items ${target} ${property})
  set(linked "")
  foreach(item IN LISTS items)
    if(TARGET "${item}")
      get_target_property(own ${item} ALIASED_TARGET)
      if(own)
        set(item ${own})
      endif()
      list(APPEND linked ${item})
    endif()
  endforeach()
  set(${result} "${linked}" PARENT_SCOPE)
endfunction()

# pollux_target_line(RESULT TARGET FOLDER): the object that describes a target.
function(pollux_target_line result target folder)
  get_target_property(kind ${target} TYPE)
  get_target_property(sources ${target} SOURCES)
  if(NOT sources)
    set(sources "")
  endif()
  pollux_linked(uses ${target} LINK_LIBRARIES)
  pollux_linked(shows ${target} INTERFACE_LINK_LIBRARIES)
  pollux_json_strings(sources ${sources})
  pollux_json_strings(uses ${uses})
  pollux_json_strings(shows ${shows})
  set(${result} "{\"target\": \"${target}\", \"kind\": \"${kind}\", \"folder\": \"${folder}\",
  \"sources\": ${sources},
  \"uses\": ${uses}, \"shows\": ${shows}}" PARENT_SCOPE)
endfunction()

# pollux_target_lines(RESULT FOLDER): those of a folder and of all below it.
function(pollux_target_lines result folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${folder})
  set(lines "")
  foreach(target IN LISTS targets)
    pollux_target_line(line ${target} "${name}")
    list(APPEND lines "${line}")
  endforeach()
  foreach(sub IN LISTS below)
    pollux_target_lines(more ${sub})
    list(APPEND lines ${more})
  endforeach()
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

pollux_target_lines(lines ${PROJECT_SOURCE_DIR})
list(JOIN lines ",\n" lines)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/layers.json CONTENT "[\n@lines@\n]\n" @ONLY)
