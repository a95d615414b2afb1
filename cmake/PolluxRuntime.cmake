# SPDX-License-Identifier: BSD-3-Clause
# The runtime of the toolchain file: its options, its library's real path, and the run path to it.
#
# POLLUX_RUNTIME_LIBRARY is the real path of the runtime library that the build links with.
if(NOT POLLUX_RUNTIME_LIBRARY AND POLLUX_RUNTIME MATCHES "^(libgomp|libomp)$")
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${POLLUX_RUNTIME}.so
    OUTPUT_VARIABLE _path OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(EXISTS "${_path}")
    get_filename_component(POLLUX_RUNTIME_LIBRARY "${_path}" REALPATH)
  endif()
endif()

# The build tree is configured again when the library changes or disappears.
if(POLLUX_RUNTIME_LIBRARY_DIRS)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${POLLUX_RUNTIME_LIBRARY})
endif()

set(_users_build_rpath ${CMAKE_BUILD_RPATH})
set(_users_install_rpath ${CMAKE_INSTALL_RPATH})
set(CMAKE_BUILD_RPATH ${POLLUX_RUNTIME_LIBRARY_DIRS})
set(CMAKE_INSTALL_RPATH ${POLLUX_RUNTIME_LIBRARY_DIRS})

# An executable asks for its runtime by the soname, which the prefix may lack: a library may have
# been copied or renamed. In this folder every soname in use links to the library, so that none
# falls back to the system's.
if(POLLUX_RUNTIME_LINK_LIBRARY)
  set(_sonames ${PROJECT_BINARY_DIR}/runtime)
  file(MAKE_DIRECTORY ${_sonames})
  foreach(_name libomp.so libomp.so.5 libiomp5.so)
    file(CREATE_LINK ${POLLUX_RUNTIME_LIBRARY} ${_sonames}/${_name} SYMBOLIC)
  endforeach()
  list(APPEND CMAKE_BUILD_RPATH ${_sonames})
  install(DIRECTORY ${_sonames}/ DESTINATION ${POLLUX_INSTALL_TREE}/runtime)
  list(APPEND CMAKE_INSTALL_RPATH $ORIGIN/../runtime)
  target_link_libraries(pollux_options INTERFACE ${POLLUX_RUNTIME_LINK_LIBRARY})
endif()

if(POLLUX_TASK_COMPILER)
  get_filename_component(_name ${POLLUX_TASK_COMPILER} NAME)
  target_compile_definitions(pollux_options INTERFACE
    POLLUX_TASK_COMPILER="${_name}" POLLUX_TASK_COMPILER_VERSION="${POLLUX_TASK_COMPILER_VERSION}")
endif()
target_compile_options(pollux_options INTERFACE ${POLLUX_RUNTIME_COMPILE_OPTIONS})
target_link_options(pollux_options INTERFACE ${POLLUX_RUNTIME_LINK_OPTIONS})
target_include_directories(pollux_options SYSTEM INTERFACE ${POLLUX_RUNTIME_INCLUDE_DIRS})

# Executables find the runtime, the BLAS and libraries of other prefixes by their run path, after LD_LIBRARY_PATH. The
# folders that the user names come after those of the libraries that were chosen.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
list(APPEND CMAKE_BUILD_RPATH ${POLLUX_BLAS_DIRECTORIES} ${_users_build_rpath})
list(APPEND CMAKE_INSTALL_RPATH ${POLLUX_BLAS_DIRECTORIES} ${_users_install_rpath})
add_link_options(-Wl,--enable-new-dtags)
