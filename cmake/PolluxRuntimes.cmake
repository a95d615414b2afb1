# SPDX-License-Identifier: BSD-3-Clause
# Writes runtimes.c, the tables of common/identity/runtimes.h, from common/identity/runtimes.json.

# pollux_json(RESULT JSON DEFAULT KEY…): a value; the default where there is none, or null.
function(pollux_json result json default)
  string(JSON kind ERROR_VARIABLE missing TYPE "${json}" ${ARGN})
  if(missing OR kind STREQUAL "NULL")
    set(value "${default}")
  else()
    string(JSON value GET "${json}" ${ARGN})
  endif()
  set(${result} "${value}" PARENT_SCOPE)
endfunction()

# pollux_c_string(RESULT TEXT): a literal of C; NULL for an empty text.
function(pollux_c_string result text)
  if(text STREQUAL "")
    set(${result} NULL PARENT_SCOPE)
  else()
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    set(${result} "\"${text}\"" PARENT_SCOPE)
  endif()
endfunction()

# pollux_c_strings(RESULT JSON KEY…): literals of some values, with commas.
function(pollux_c_strings result json)
  set(literals "")
  foreach(key IN LISTS ARGN)
    string(REPLACE "/" ";" path "${key}")
    pollux_json(value "${json}" "" ${path})
    pollux_c_string(literal "${value}")
    string(APPEND literals "${literal}, ")
  endforeach()
  set(${result} "${literals}" PARENT_SCOPE)
endfunction()

# pollux_last(RESULT JSON KEY): the last place of an array; -1 where there is none.
function(pollux_last result json key)
  string(JSON length ERROR_VARIABLE missing LENGTH "${json}" ${key})
  if(missing)
    set(length 0)
  endif()
  math(EXPR last "${length} - 1")
  set(${result} ${last} PARENT_SCOPE)
endfunction()

# pollux_rows(RESULT RUNTIME KEY): a row of C for each entry of an array of a runtime.
function(pollux_rows result runtime key)
  set(rows "")
  string(JSON name GET "${runtime}" runtime)
  pollux_last(last "${runtime}" ${key})
  foreach(place RANGE ${last})
    if(last LESS 0)
      break()
    endif()
    string(JSON entry GET "${runtime}" ${key} ${place})
    if(key STREQUAL "variables")
      pollux_c_strings(row "${entry}" name value)
    else()
      pollux_json(least "${entry}" 0 versions 0)
      pollux_json(most "${entry}" INT_MAX versions 1)
      pollux_capabilities(set "${entry}")
      pollux_c_strings(texts "${entry}" abi evidence)
      set(row "${least}, ${most}, ${set}, ${texts}")
    endif()
    string(APPEND rows "    {\"${name}\", ${row}},\n")
  endforeach()
  set(${result} "${rows}" PARENT_SCOPE)
endfunction()

function(pollux_capabilities result entry)
  set(set 0)
  pollux_last(last "${entry}" capabilities)
  foreach(place RANGE ${last})
    if(last LESS 0)
      break()
    endif()
    string(JSON capability GET "${entry}" capabilities ${place})
    string(APPEND set " | CAPABILITY_${capability}")
  endforeach()
  set(${result} "${set}" PARENT_SCOPE)
endfunction()

# pollux_write_runtimes(FILE): writes it, if it has changed.
function(pollux_write_runtimes file)
  set(source ${PROJECT_SOURCE_DIR}/common/identity/runtimes.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} table)
  string(JSON length LENGTH "${table}" runtimes)
  math(EXPR last "${length} - 1")
  set(names "")
  set(variables "")
  set(lacks "")
  set(ignores_priorities "")
  foreach(place RANGE ${last})
    string(JSON runtime GET "${table}" runtimes ${place})
    pollux_c_strings(texts "${runtime}" runtime recognised_by/defines recognised_by/file recognised_by/symbol
      recognised_by/text)
    pollux_json(binds "${runtime}" ON binds_threads)
    string(REPLACE ON true binds ${binds})
    string(REPLACE OFF false binds ${binds})
    string(APPEND names "    {${texts}${binds}},\n")
    foreach(key variables lacks ignores_priorities)
      pollux_rows(rows "${runtime}" ${key})
      string(APPEND ${key} "${rows}")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT [=[
/* Made from common/identity/runtimes.json. */
#include <limits.h>
#include <stddef.h>

#include "common/identity/capabilities.h"
#include "common/identity/runtimes.h"

const struct runtime_entry runtime_entries[] = {
@names@    {NULL, NULL, NULL, NULL, NULL, false}};

const struct runtime_variable runtime_variables[] = {
@variables@    {NULL, NULL, NULL}};

const struct runtime_lack runtime_lacks[] = {
@lacks@    {NULL, 0, 0, 0, NULL, NULL}};

const struct runtime_lack runtime_ignored_priorities[] = {
@ignores_priorities@    {NULL, 0, 0, 0, NULL, NULL}};
]=])
endfunction()
