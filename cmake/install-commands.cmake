# SPDX-License-Identifier: BSD-3-Clause
# At installation: makes links to the benchmarks in bin/ of the prefix, their manual pages and completions for bash, both
# from the programs' own help. cmake/PolluxInstall.cmake sets the variables.
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")

# wanted_link(RESULT NAME): whether bin/NAME is to lead to this build. What is no link of ours stays.
function(wanted_link result name)
  set(link "${root}/bin/${name}")
  set(wanted TRUE)
  if(IS_SYMLINK "${link}")
    file(READ_SYMLINK "${link}" now)
    if(NOT now MATCHES "^\\.\\./lib/pollux/" OR (links STREQUAL "AUTO" AND EXISTS "${link}"))
      set(wanted FALSE)
    endif()
    if(now STREQUAL "../${tree}/bin/${name}")
      set(wanted TRUE)
    endif()
  elseif(EXISTS "${link}")
    message(STATUS "Kept: ${link}, which is no link of Pollux")
    set(wanted FALSE)
  endif()
  set(${result} ${wanted} PARENT_SCOPE)
endfunction()

# manual_page(RESULT NAME HELP): the help in the format of man: its first lines, then the rest as it stands.
function(manual_page result name help)
  string(REPLACE "\\" "\\e" text "${help}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  string(REGEX MATCH "\n${name}: ([^\n]*(\n[^\n]+)*)" ignored "${help}")
  string(REPLACE "\n" " " summary "${CMAKE_MATCH_1}")
  string(REPLACE "-" "\\-" summary "${summary}")
  string(TOUPPER "${name}" title)
  set(${result} ".TH \"${title}\" 1 \"\" \"Pollux ${version}\"
.SH NAME
${name} \\- ${summary}
.SH DESCRIPTION
.nf
${text}.fi
" PARENT_SCOPE)
endfunction()

# completion(RESULT NAME HELP): a line for bash with the program's long options.
function(completion result name help)
  string(REGEX MATCHALL "(\n +|, )--[a-z][a-z-]*=?" options "${help}")
  list(TRANSFORM options REPLACE "^.*--" "--")
  list(REMOVE_DUPLICATES options)
  list(JOIN options " " words)
  set(${result} "complete -o default -o nospace -W '${words}' ${name}\n" PARENT_SCOPE)
endfunction()

# installed(PATH): tells of a path in the prefix, which is to be in the manifest that a removal is made by.
function(installed path)
  message(STATUS "Installing: ${root}/${path}")
  set_property(GLOBAL APPEND PROPERTY POLLUX_INSTALLED "${CMAKE_INSTALL_PREFIX}/${path}")
endfunction()

# write_file(PATH TEXT OURS): unless there is a file that does not begin like those of Pollux, by the regular expression.
function(write_file path text ours)
  if(EXISTS "${root}/${path}")
    file(READ "${root}/${path}" now LIMIT 200)
    if(NOT now MATCHES "^${ours}")
      message(STATUS "Kept: ${root}/${path}, which is not of Pollux")
      return()
    endif()
  endif()
  file(WRITE "${root}/${path}" "${text}")
  file(CHMOD "${root}/${path}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ) # as CMake's own, whatever the umask
  installed("${path}")
endfunction()

# document(NAME): the manual page and the completion of a program, unless it does not run here.
function(document name)
  execute_process(COMMAND "${root}/${tree}/bin/${name}" --help
    OUTPUT_VARIABLE help ERROR_QUIET RESULT_VARIABLE failed TIMEOUT 20)
  if(failed)
    message(STATUS "No manual page of ${name}: it does not run here")
    return()
  endif()
  manual_page(page "${name}" "${help}")
  completion(line "${name}" "${help}")
  write_file(share/man/man1/${name}.1 "${page}" "\\.TH \"[^\"]*\" 1 \"\" \"Pollux ")
  write_file(share/bash-completion/completions/${name} "${line}" "complete -o default -o nospace -W '")
endfunction()

if(NOT links STREQUAL "OFF")
  foreach(name IN LISTS commands)
    wanted_link(wanted "${name}")
    if(wanted)
      file(MAKE_DIRECTORY "${root}/bin")
      file(CREATE_LINK "../${tree}/bin/${name}" "${root}/bin/${name}" SYMBOLIC)
      installed("bin/${name}")
      if(asks)
        document("${name}")
      endif()
    endif()
  endforeach()
endif()
get_property(_installed GLOBAL PROPERTY POLLUX_INSTALLED)
list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${_installed})
