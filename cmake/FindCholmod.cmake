# SPDX-License-Identifier: BSD-3-Clause
# Finds CHOLMOD's Matrix Market reader, as the target Cholmod::Reader. The static libraries come
# first, because the shared CHOLMOD loads a BLAS and, on some distributions, an OpenMP runtime; where
# that is a second one, the executables refuse to run.
find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
find_library(CHOLMOD_LIBRARY NAMES libcholmod.a cholmod)
find_library(SUITESPARSECONFIG_LIBRARY NAMES libsuitesparseconfig.a suitesparseconfig)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cholmod
  REQUIRED_VARS CHOLMOD_INCLUDE_DIR CHOLMOD_LIBRARY SUITESPARSECONFIG_LIBRARY
  REASON_FAILURE_MESSAGE "SuiteSparse is needed, preferably with static libraries (Debian: libsuitesparse-dev).")

if(Cholmod_FOUND AND NOT TARGET Cholmod::Reader)
  add_library(Cholmod::Reader INTERFACE IMPORTED)
  target_include_directories(Cholmod::Reader INTERFACE ${CHOLMOD_INCLUDE_DIR})
  target_link_libraries(Cholmod::Reader INTERFACE ${CHOLMOD_LIBRARY} ${SUITESPARSECONFIG_LIBRARY} m)
endif()
