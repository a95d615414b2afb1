# SPDX-License-Identifier: BSD-3-Clause
include(CheckLibraryExists)

# pollux_library_has(RESULT LIBRARY FUNCTION): as check_library_exists, again where the library is another or was replaced.
function(pollux_library_has result library function)
  file(TIMESTAMP "${library}" written)
  if(NOT "$CACHE{${result}_ASKED}" STREQUAL "${library} ${written}")
    unset(${result} CACHE)
    set(${result}_ASKED "${library} ${written}" CACHE INTERNAL "The library that was asked")
  endif()
  check_library_exists("${library}" ${function} "" ${result})
endfunction()
