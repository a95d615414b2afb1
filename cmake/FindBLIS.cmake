# SPDX-License-Identifier: BSD-3-Clause
# Finds BLIS, the reference LAPACK and LAPACKE, as the target BLIS::BLIS. BLIS_ROOT names another installation.
#
# LAPACK's routines call the BLAS by names that the first library defines: BLIS comes first. Debian's LAPACK asks for a
# libblas.so.3, which is a link to whichever BLAS the system prefers; where BLIS has one of its own beside it, that is
# loaded, so that no second BLAS is.
set(_folders blis-pthread blis-serial)
find_library(BLIS_LIBRARY NAMES blis-mt blis libblis.so.4 NAMES_PER_DIR PATH_SUFFIXES ${_folders})
find_path(BLIS_INCLUDE_DIR cblas.h PATH_SUFFIXES ${_folders} blis)
find_library(BLIS_LAPACK_LIBRARY NAMES lapack liblapack.so.3 NAMES_PER_DIR PATH_SUFFIXES lapack)
find_library(BLIS_LAPACKE_LIBRARY NAMES lapacke liblapacke.so.3 NAMES_PER_DIR)
find_path(BLIS_LAPACKE_INCLUDE_DIR lapacke.h)

set(BLIS_NEEDED
  "BLIS with threads of its own or none, LAPACK and LAPACKE are needed (Debian: libblis-pthread-dev liblapack-dev liblapacke-dev). BLIS_ROOT names another installation.")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BLIS
  REQUIRED_VARS BLIS_LIBRARY BLIS_INCLUDE_DIR BLIS_LAPACK_LIBRARY BLIS_LAPACKE_LIBRARY BLIS_LAPACKE_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "${BLIS_NEEDED}")

if(BLIS_FOUND AND NOT TARGET BLIS::BLIS)
  set(BLIS_DIRECTORIES "")
  foreach(_library ${BLIS_LIBRARY} ${BLIS_LAPACK_LIBRARY} ${BLIS_LAPACKE_LIBRARY})
    get_filename_component(_folder ${_library} DIRECTORY)
    list(APPEND BLIS_DIRECTORIES ${_folder})
  endforeach()
  list(REMOVE_DUPLICATES BLIS_DIRECTORIES)
  list(GET BLIS_DIRECTORIES 0 _folder)
  set(_second "")
  if(EXISTS ${_folder}/libblas.so.3)
    set(_second ${_folder}/libblas.so.3)
  endif()
  # BLIS 0.9 has the types of <cblas.h> as enumerations alone.
  set(_types "")
  foreach(_type TRANSPOSE UPLO DIAG SIDE)
    string(APPEND _types "typedef enum CBLAS_${_type} CBLAS_${_type};\n")
  endforeach()
  file(STRINGS ${BLIS_INCLUDE_DIR}/cblas.h _layout REGEX CBLAS_LAYOUT LIMIT_COUNT 1)
  if(NOT _layout)
    string(APPEND _types "typedef enum CBLAS_ORDER CBLAS_LAYOUT;\n")
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/blas/blis/cblas.h
    CONTENT "#ifndef POLLUX_CBLAS_H\n#define POLLUX_CBLAS_H\n#include \"${BLIS_INCLUDE_DIR}/cblas.h\"\n${_types}#endif\n")
  add_library(BLIS::BLIS INTERFACE IMPORTED)
  target_include_directories(BLIS::BLIS INTERFACE ${PROJECT_BINARY_DIR}/blas/blis ${BLIS_LAPACKE_INCLUDE_DIR})
  target_link_libraries(BLIS::BLIS INTERFACE -Wl,--push-state,--no-as-needed
    ${BLIS_LIBRARY} ${_second} ${BLIS_LAPACKE_LIBRARY} ${BLIS_LAPACK_LIBRARY} -Wl,--pop-state)
endif()
