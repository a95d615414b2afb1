# SPDX-License-Identifier: BSD-3-Clause
# Writes commit.txt, beside bin/, which --version shows: the commit that the programs are made from, by the file that
# git puts into archives (.gitattributes), else by git itself. Where neither knows it there is no such file.
#
# It is a file of its own, so that a new commit links nothing anew.
set(_commit ${PROJECT_BINARY_DIR}/commit.txt)
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/commit.txt _written LIMIT_COUNT 1)
set(_log "")
find_program(POLLUX_GIT git)
if(NOT _written MATCHES "^[0-9a-f]+$" AND POLLUX_GIT AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND ${POLLUX_GIT} rev-parse --git-path logs/HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE _log ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  cmake_path(ABSOLUTE_PATH _log BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()

if(_written MATCHES "^[0-9a-f]+$")
  file(CONFIGURE OUTPUT ${_commit} CONTENT "${_written}\n" @ONLY)
elseif(EXISTS "${_log}" AND NOT IS_DIRECTORY "${_log}") # it changes with each commit and each switch
  set(_repository ${PROJECT_SOURCE_DIR}/.git) # where it is removed, the tree is configured again
  if(IS_DIRECTORY ${_repository})
    string(APPEND _repository /config)
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_repository})
  add_custom_command(OUTPUT ${_commit} DEPENDS ${_log}
    COMMAND ${POLLUX_GIT} -C ${PROJECT_SOURCE_DIR} rev-parse HEAD > ${_commit}
      || ${CMAKE_COMMAND} -E rm ${_commit} VERBATIM) # as where another user owns the checkout
  add_custom_target(pollux_commit ALL DEPENDS ${_commit})
else()
  file(REMOVE ${_commit})
endif()
install(FILES ${_commit} DESTINATION ${POLLUX_INSTALL_TREE} OPTIONAL)
