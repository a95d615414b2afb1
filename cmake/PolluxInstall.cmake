# SPDX-License-Identifier: BSD-3-Clause
# Where `cmake --install` puts a build: below lib/pollux/LABEL of the prefix, so that one prefix has several.
#
# POLLUX_INSTALL_TREE     that folder, laid out as the build tree: bin/, lib/, runtime/
# POLLUX_INSTALL_BINDIR   its programs
# POLLUX_INSTALL_LINKS    whether the prefix's own bin/ gets links to this build's benchmarks, with manual pages and
#                         completions: ON; OFF; AUTO, unless another build has put its own there
set(POLLUX_LABEL "" CACHE STRING "Name of this build in a prefix; default: of its folder in build/, else of the runtime")
set(POLLUX_INSTALL_LINKS AUTO CACHE STRING "Links to the benchmarks in bin/ of the prefix: ON, OFF or AUTO")
if(NOT POLLUX_INSTALL_LINKS MATCHES "^(ON|OFF|AUTO)$")
  message(FATAL_ERROR "POLLUX_INSTALL_LINKS is '${POLLUX_INSTALL_LINKS}'; it must be ON, OFF or AUTO")
endif()

# pollux_label(RESULT): the name given, or the default. Elsewhere than in build/, folders have any names.
function(pollux_label result)
  cmake_path(GET PROJECT_BINARY_DIR FILENAME folder)
  cmake_path(GET PROJECT_BINARY_DIR PARENT_PATH above)
  cmake_path(GET above FILENAME above)
  string(TOLOWER "${CMAKE_BUILD_TYPE}" type)
  if(POLLUX_LABEL)
    set(label "${POLLUX_LABEL}")
  elseif(above STREQUAL "build")
    set(label "${folder}")
  else()
    set(label "${POLLUX_RUNTIME}")
    foreach(unusual ${POLLUX_BLAS} ${type})
      if(NOT unusual MATCHES "^(openblas|release)$")
        string(APPEND label "-${unusual}")
      endif()
    endforeach()
    if(POLLUX_SANITIZE)
      string(APPEND label "-sanitize")
    endif()
  endif()
  if(NOT label MATCHES "^[A-Za-z0-9][A-Za-z0-9._-]*$")
    message(FATAL_ERROR "POLLUX_LABEL is '${label}'; it must be of letters, digits, '.', '_' and '-'")
  endif()
  set(${result} "${label}" PARENT_SCOPE)
endfunction()

pollux_label(_label)
set(POLLUX_INSTALL_TREE lib/pollux/${_label})
set(POLLUX_INSTALL_BINDIR ${POLLUX_INSTALL_TREE}/bin)

# build.json says of a tree, installed or not, what is in it.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/build.json @ONLY CONTENT
  "{\"label\": \"@_label@\", \"runtime\": \"@POLLUX_RUNTIME@\", \"build_type\": \"@CMAKE_BUILD_TYPE@\", \"version\": \"@PROJECT_VERSION@\"}\n")
install(FILES ${PROJECT_BINARY_DIR}/build.json DESTINATION ${POLLUX_INSTALL_TREE})

# pollux_install_program(TARGET): among the programs of this build.
function(pollux_install_program target)
  install(TARGETS ${target} DESTINATION ${POLLUX_INSTALL_BINDIR})
endfunction()

# pollux_install_data(): what the builds in a prefix share.
function(pollux_install_data)
  set(data ${CMAKE_INSTALL_DATADIR}/pollux)
  install(FILES README.md LICENSE CHANGELOG.md CITATION.cff CONTRIBUTING.md SECURITY.md DESTINATION ${data})
  install(DIRECTORY campaigns DESTINATION ${data}
    FILES_MATCHING PATTERN "*.toml" PATTERN "*.mtx" PATTERN "*.csv" PATTERN "*.jsonl")
  install(DIRECTORY packaging/udev packaging/tmpfiles.d DESTINATION ${data}/packaging)
  install(DIRECTORY docs DESTINATION ${data}
    FILES_MATCHING PATTERN "site" EXCLUDE PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.schema.json")
endfunction()

# pollux_install_commands(): links to the benchmarks, manual pages and completions. Call it after the last benchmark.
function(pollux_install_commands)
  pollux_get_benchmarks()
  set(commands ${computation} ${overhead} ${distributed} ${distributed_overhead})
  set(asks ON) # programs for another processor cannot be asked for their help
  if(CMAKE_CROSSCOMPILING)
    set(asks OFF)
  endif()
  install(CODE "
set(commands \"${commands}\")
set(tree \"${POLLUX_INSTALL_TREE}\")
set(links \"${POLLUX_INSTALL_LINKS}\")
set(asks ${asks})
set(version \"${PROJECT_VERSION}\")")
  install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/install-commands.cmake)
endfunction()
