# SPDX-License-Identifier: BSD-3-Clause
# What the toolchain files share: the prefix of a runtime outside the system's paths.
if(NOT POLLUX_RUNTIME_ROOT AND DEFINED ENV{POLLUX_RUNTIME_ROOT})
  set(POLLUX_RUNTIME_ROOT $ENV{POLLUX_RUNTIME_ROOT})
endif()
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES POLLUX_RUNTIME POLLUX_RUNTIME_ROOT)

# Sets CMAKE_<language>_COMPILER to the first of the names that is found, in the prefix first.
macro(pollux_find_compiler language)
  if(NOT CMAKE_${language}_COMPILER)
    find_program(POLLUX_${language}_COMPILER NAMES ${ARGN}
      HINTS "${POLLUX_RUNTIME_ROOT}/bin" NAMES_PER_DIR)
    if(NOT POLLUX_${language}_COMPILER)
      message(FATAL_ERROR "${POLLUX_RUNTIME}: no compiler found, looked for ${ARGN}")
    endif()
    set(CMAKE_${language}_COMPILER ${POLLUX_${language}_COMPILER})
  endif()
endmacro()

if(POLLUX_RUNTIME_ROOT)
  set(POLLUX_RUNTIME_LIBRARY_DIRS ${POLLUX_RUNTIME_ROOT}/lib ${POLLUX_RUNTIME_ROOT}/lib64)
endif()
