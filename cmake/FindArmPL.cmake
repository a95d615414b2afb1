# SPDX-License-Identifier: BSD-3-Clause
# Finds Arm's Performance Libraries, with 32-bit integers and without threads, as the target ArmPL::ArmPL. ArmPL_ROOT, or
# ARMPL_DIR in the environment, names the installation.
#
# Written from its documentation alone, never run.
find_library(ArmPL_LIBRARY NAMES armpl_lp64 armpl PATH_SUFFIXES lib)
find_path(ArmPL_INCLUDE_DIR armpl.h PATH_SUFFIXES include include_lp64)

set(ArmPL_NEEDED
  "Arm's Performance Libraries are needed. ArmPL_ROOT names an installation.")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ArmPL
  REQUIRED_VARS ArmPL_LIBRARY ArmPL_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "${ArmPL_NEEDED}")

if(ArmPL_FOUND AND NOT TARGET ArmPL::ArmPL)
  get_filename_component(ArmPL_DIRECTORIES ${ArmPL_LIBRARY} DIRECTORY)
  pollux_blas_headers(${PROJECT_BINARY_DIR}/blas/armpl armpl.h)
  add_library(ArmPL::ArmPL INTERFACE IMPORTED)
  target_include_directories(ArmPL::ArmPL INTERFACE ${PROJECT_BINARY_DIR}/blas/armpl ${ArmPL_INCLUDE_DIR})
  target_link_libraries(ArmPL::ArmPL INTERFACE ${ArmPL_LIBRARY})
endif()
