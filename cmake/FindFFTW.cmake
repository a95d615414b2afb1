# SPDX-License-Identifier: BSD-3-Clause
# Finds FFTW in double precision and its library of threads, as the target FFTW::threads.
#
# Not the library with OpenMP, which would bring libgomp into every program: the loops over FFTW's jobs are supplied by
# the program (fftw_threads_set_callback, since version 3.3.9). FFTW_ROOT names another installation.
find_path(FFTW_INCLUDE_DIR fftw3.h)
find_library(FFTW_LIBRARY NAMES fftw3)
find_library(FFTW_THREADS_LIBRARY NAMES fftw3_threads)

include(PolluxLibraryHas)
set(_needed FFTW_INCLUDE_DIR FFTW_LIBRARY FFTW_THREADS_LIBRARY)
if(FFTW_LIBRARY AND FFTW_THREADS_LIBRARY)
  set(CMAKE_REQUIRED_LIBRARIES ${FFTW_LIBRARY} m)
  pollux_library_has(FFTW_HAS_CALLBACK ${FFTW_THREADS_LIBRARY} fftw_threads_set_callback)
  unset(CMAKE_REQUIRED_LIBRARIES)
  list(APPEND _needed FFTW_HAS_CALLBACK)
endif()

set(FFTW_NEEDED
  "FFTW 3.3.9 or newer with threads is needed (Debian: libfftw3-dev). FFTW_ROOT names another installation.")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFTW REQUIRED_VARS ${_needed}
  REASON_FAILURE_MESSAGE "${FFTW_NEEDED}")

# What was found without the rest is looked for again when CMake configures next.
if(NOT FFTW_FOUND)
  foreach(_entry IN LISTS _needed)
    unset(${_entry} CACHE)
  endforeach()
elseif(NOT TARGET FFTW::threads)
  add_library(FFTW::threads INTERFACE IMPORTED)
  target_include_directories(FFTW::threads INTERFACE ${FFTW_INCLUDE_DIR})
  target_link_libraries(FFTW::threads INTERFACE ${FFTW_THREADS_LIBRARY} ${FFTW_LIBRARY})
endif()
