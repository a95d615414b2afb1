# SPDX-License-Identifier: BSD-3-Clause
# Finds the library MPI Detach of RWTH Aachen, which calls back when messages of MPI have finished, as the target
# MPIDetach::MPIDetach. It must have been built with the MPI that MPI::MPI_C is. MPIDetach_ROOT names its installation.
find_path(MPI_DETACH_INCLUDE_DIR mpi-detach.h)
find_library(MPI_DETACH_LIBRARY NAMES detach)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MPIDetach REQUIRED_VARS MPI_DETACH_LIBRARY MPI_DETACH_INCLUDE_DIR)

if(MPIDetach_FOUND AND NOT TARGET MPIDetach::MPIDetach)
  add_library(MPIDetach::MPIDetach INTERFACE IMPORTED)
  target_include_directories(MPIDetach::MPIDetach INTERFACE ${MPI_DETACH_INCLUDE_DIR})
  # Its MPI_Finalize stands in front of MPI's own.
  target_link_libraries(MPIDetach::MPIDetach INTERFACE ${MPI_DETACH_LIBRARY} MPI::MPI_C)
endif()
