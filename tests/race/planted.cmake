# SPDX-License-Identifier: BSD-3-Clause
# Planted errors: copies of the task graphs, each with one piece of text replaced that occurs exactly once.
#
# planted_error(NAME BENCHMARK VARIANT FUNCTION FILE file FROM text [TO text]
#   [CALLS function CALLER file] [NEEDS feature of cmake/PolluxFeatures.cmake])
# FUNCTION is the variant's entry, renamed in the copy. Where FILE does not define the entry but a
# function that it calls, that is named by CALLS, and CALLER is the file of the entry; these are run on
# high panels. The graph check (tests/graph/) finds all of these errors too.
set(planted_rows "")
set(planted_declarations "")
set(planted_objects "")

# Writes the copy, if it has changed.
function(plant_error name file from to)
  set(source ${PROJECT_SOURCE_DIR}/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  string(FIND "${text}" "${from}" first)
  string(FIND "${text}" "${from}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR
      "race: the planted error ${name} needs this text exactly once in ${file}:\n${from}")
  endif()
  string(REPLACE "${from}" "${to}" text "${text}")
  file(CONFIGURE OUTPUT planted/${name}.c CONTENT "${text}" @ONLY)
endfunction()

function(planted_error name benchmark variant entry)
  cmake_parse_arguments(PARSE_ARGV 4 error "" "FILE;FROM;TO;CALLS;CALLER;NEEDS" "")
  if(error_NEEDS AND NOT POLLUX_HAVE_${error_NEEDS})
    return()
  endif()
  plant_error(${name} "${error_FILE}" "${error_FROM}" "${error_TO}")
  set(sources ${CMAKE_CURRENT_BINARY_DIR}/planted/${name}.c)
  set(high_panels false)
  if(error_CALLER)
    set(high_panels true)
    list(APPEND sources ${PROJECT_SOURCE_DIR}/${error_CALLER})
  endif()
  add_library(planted_${name} OBJECT ${sources})
  target_link_libraries(planted_${name} PRIVATE Pollux::options)
  # What the missing clause named may now be unused. A source's options come after the target's.
  set_source_files_properties(${sources} PROPERTIES 
    COMPILE_OPTIONS "-Wno-unused-variable;-Wno-unused-but-set-variable")
  foreach(function ${entry} ${error_CALLS})
    target_compile_definitions(planted_${name} PRIVATE ${function}=${function}_${name})
  endforeach()

  set(planted_declarations
    "${planted_declarations}void ${entry}_${name}(struct problem *p);\n" PARENT_SCOPE)
  set(planted_rows
    "${planted_rows}    {\"${name}\", \"${benchmark}\", \"${variant}\", ${entry}_${name}, ${high_panels}},\n"
    PARENT_SCOPE)
  set(planted_objects ${planted_objects} $<TARGET_OBJECTS:planted_${name}> PARENT_SCOPE)
endfunction()

# ---- Cholesky ----
planted_error(cholesky_potrf_only_reads cholesky depend cholesky_depend FILE cholesky/depend.c
  FROM [=[depend(inout : Akk[0]) \]=]
  TO [=[depend(in : Akk[0]) \]=])
planted_error(cholesky_trsm_misses_the_panel cholesky depend cholesky_depend
  FILE cholesky/depend.c
  FROM [=[    depend(in : Akk[0]) \
]=])
planted_error(cholesky_gemm_names_a_wrong_tile cholesky depend cholesky_depend
  FILE cholesky/depend.c
  FROM [=[tile_address_at_step(p->A, n, k)]=]
  TO [=[tile_address(p->A, k, n)]=])
planted_error(cholesky_left_syrk_misses_its_factor cholesky left cholesky_left
  FILE cholesky/left.c
  FROM [=[    depend(in : Ank[0]) \
]=])
planted_error(cholesky_forkjoin_does_not_wait_for_solves cholesky forkjoin cholesky_forkjoin
  FILE cholesky/forkjoin.c
  FROM [=[#pragma omp taskwait
        for]=]
  TO "for")

# ---- LU ----
planted_error(lu_left_exchange_misses_its_column lu depend lu_depend FILE lu/depend.c
  FROM [=[    depend(in : Akk[0]) \
    depend(inout : Cn[0])
]=]
  TO [=[    depend(in : Akk[0])
]=])
planted_error(lu_update_misses_the_solve lu depend lu_depend FILE lu/depend.c
  FROM [=[depend(in : Amk[0], Akn[0]) \]=]
  TO [=[depend(in : Amk[0]) \]=])
planted_error(lu_update_misses_its_column lu depend lu_depend FILE lu/depend.c
  FROM [=[depend(inout : Amn[0], Cn[0]) \]=]
  TO [=[depend(inout : Amn[0]) \]=])
planted_error(lu_lean_solve_misses_its_column lu lean lu_lean FILE lu/lean.c
  FROM [=[    depend(in : Akk[0]) \
    depend(inout : Akn[0], Cn[0]) \]=]
  TO [=[    depend(in : Akk[0]) \
    depend(inout : Akn[0]) \]=])
planted_error(lu_multidep_exchange_starts_a_tile_late lu multidep lu_multidep FILE lu/multidep.c
  NEEDS DEPEND_ITERATOR
  FROM [=[    depend(iterator(size_t i = top : mt), inout : An[i][0]) \
]=]
  TO [=[    depend(iterator(size_t i = top + 1 : mt), inout : An[i][0]) \
]=])
planted_error(lu_multidep_panel_names_one_tile lu multidep lu_multidep FILE lu/multidep.c
  NEEDS DEPEND_ITERATOR
  FROM [=[depend(iterator(size_t i = top : mt), inout : Ak[i][0]) \]=]
  TO [=[depend(inout : Akk[0]) \]=])
planted_error(lu_column_update_does_not_wait_for_its_tiles lu column lu_column_tasks
  FILE lu/column.c
  FROM [=[#pragma omp taskwait
]=])
planted_error(lu_column_left_exchange_misses_the_panel lu column lu_column_tasks
  FILE lu/column.c
  FROM [=[    depend(in : A0k[0]) \
    depend(inout : A0n[0])
            lu_laswp]=]
  TO [=[    depend(inout : A0n[0])
            lu_laswp]=])
planted_error(lu_panel_does_not_wait_for_its_rows lu column lu_column_tasks
  FILE lu/panel_tasks.c CALLS lu_getrf_tasks CALLER lu/column.c
  FROM [=[#pragma omp taskwait
]=])
planted_error(lu_late_update_misses_its_column lu late lu_late FILE lu/late.c
  FROM [=[depend(in : Amk[0], Akn[0], Cn[0]) \]=]
  TO [=[depend(in : Amk[0], Akn[0]) \]=])
planted_error(lu_late_exchanges_do_not_wait lu late lu_late FILE lu/late.c
  FROM [=[#pragma omp taskwait
]=])
planted_error(lu_nopiv_bdiv_misses_the_diagonal lu nopiv lu_nopiv FILE lu/nopiv.c
  FROM [=[    depend(in : Akk[0]) \
    depend(inout : Amk[0]) \
]=]
  TO [=[    depend(inout : Amk[0]) \
]=])

# ---- LU with concurrent writes ----
planted_error(lu_cw_update_misses_its_column lu-cw cw lu_cw_submit FILE cw-extension/cw.c NEEDS INOUTSET
  FROM [=[    depend(inoutset : Cn[0]) \
]=])
planted_error(lu_cw_exchange_is_of_the_set lu-cw cw lu_cw_submit FILE cw-extension/cw.c NEEDS INOUTSET
  FROM [=[    depend(in : Akk[0], Cprev[0]) \
    depend(inout : Akn[0], Cn[0]) \
]=]
  TO [=[    depend(in : Akk[0], Cprev[0]) \
    depend(inout : Akn[0]) \
    depend(inoutset : Cn[0]) \
]=])
planted_error(lu_cw_left_exchange_misses_its_column lu-cw cw lu_cw_submit FILE cw-extension/cw.c
  FROM [=[    depend(in : Akk[0]) \
    depend(inout : Cn[0])
]=]
  TO [=[    depend(in : Akk[0])
]=])
planted_error(lu_cw_lean_solve_misses_its_column lu-cw lean lu_cw_lean FILE cw-extension/lean.c
  FROM [=[    depend(in : Akk[0]) \
    depend(inout : Akn[0], Cn[0]) \]=]
  TO [=[    depend(in : Akk[0]) \
    depend(inout : Akn[0]) \]=])

# ---- QR ----
planted_error(qr_unmqr_misses_the_panel qr depend qr_depend FILE qr/depend.c
  FROM [=[    depend(in : Akk[0], Tkk[0]) \
]=])
planted_error(qr_tsmqr_misses_the_upper_tile qr depend qr_depend FILE qr/depend.c
  FROM [=[depend(inout : Akn[0], Amn[0]) \]=]
  TO [=[depend(inout : Amn[0]) \]=])
planted_error(qr_tsqrt_only_reads_the_triangle qr depend qr_depend FILE qr/depend.c
  FROM [=[depend(inout : Akk[0], Amk[0], Tmk[0]) \]=]
  TO [=[depend(in : Akk[0]) depend(inout : Amk[0], Tmk[0]) \]=])
planted_error(qr_lean_unmqr_misses_the_panel qr lean qr_lean FILE qr/lean.c
  FROM [=[    depend(in : Akk[0]) \
]=])
planted_error(qr_tree_update_misses_the_factor qr tree qr_tree FILE qr/tree.c
  FROM [=[    depend(in : Amk[0], Smk[0]) \
    depend(inout : Atn[0], Amn[0]) \
]=]
  TO [=[    depend(inout : Atn[0], Amn[0]) \
]=])
planted_error(qr_tree_update_names_a_wrong_tile qr tree qr_tree FILE qr/tree.c
  FROM [=[        double *Atn = tile_address(p->A, t, n);
        double *Amn = tile_address(p->A, m, n);
]=]
  TO [=[        double *Atn = tile_address(p->A, t, n);
        double *Amn = tile_address(p->A, t, n);
]=])

# ---- Sparse LU ----
planted_error(sparselu_fwd_misses_the_diagonal sparselu depend sparselu_depend FILE benchmarks/sparselu/depend.c
  FROM [=[    depend(in : Akk[0]) \
    depend(inout : Akn[0]) \
]=]
  TO [=[    depend(inout : Akn[0]) \
]=])
planted_error(sparselu_bmod_misses_the_solve sparselu depend sparselu_depend FILE benchmarks/sparselu/depend.c
  FROM [=[depend(in : Amk[0], Akn[0]) \]=]
  TO [=[depend(in : Amk[0]) \]=])
planted_error(sparselu_bmod_only_reads_its_block sparselu depend sparselu_depend FILE benchmarks/sparselu/depend.c
  FROM [=[depend(inout : Amn[0]) \]=]
  TO [=[depend(in : Amn[0]) \]=])
planted_error(sparselu_forkjoin_does_not_wait_for_solves sparselu forkjoin sparselu_forkjoin
  FILE benchmarks/sparselu/forkjoin.c
  FROM [=[        solve(p, k);
#pragma omp taskwait
]=]
  TO [=[        solve(p, k);
]=])
# ---- Strassen ----
planted_error(strassen_flat_combination_misses_a_product strassen flat strassen_flat
  FILE benchmarks/strassen/flat.c
  FROM [=[    depend(in : in0[0]) \
    depend(inout : out0[0], out1[0])
]=]
  TO [=[    depend(inout : out0[0], out1[0])
]=])
planted_error(strassen_flat_product_misses_its_factors strassen flat strassen_flat
  FILE benchmarks/strassen/flat.c
  FROM [=[    depend(in : A[0], B[0]) \
    depend(inout : C[0])
]=]
  TO [=[    depend(inout : C[0])
]=])
planted_error(strassen_flat_sum_misses_its_quadrants strassen flat strassen_flat
  FILE benchmarks/strassen/flat.c
  FROM [=[    depend(in : in0[0], in1[0], in2[0]) \
    depend(inout : out0[0])
]=]
  TO [=[    depend(inout : out0[0])
]=])
planted_error(strassen_depend_product_misses_its_factors strassen depend strassen_depend
  FILE benchmarks/strassen/depend.c
  FROM [=[    depend(in : S[0], T[0]) \
]=])
planted_error(strassen_depend_sum_does_not_wait_for_its_blocks strassen depend strassen_depend
  FILE benchmarks/strassen/depend.c
  FROM [=[#pragma omp taskwait
}

/* What]=]
  TO [=[}

/* What]=])
planted_error(strassen_task_combination_does_not_wait_for_products strassen task strassen_task
  FILE benchmarks/strassen/task.c
  FROM [=[#pragma omp taskwait
    /* C := sums of P */]=]
  TO "    /* C := sums of P */")

# ---- Jacobi ----
planted_error(jacobi_misses_neighbours_in_a_row jacobi depend jacobi_depend FILE benchmarks/jacobi/depend.c
  FROM [=[depend(in : Umn[0], Unorth[0], Usouth[0], Uwest[0], Ueast[0]) \]=]
  TO [=[depend(in : Umn[0], Unorth[0], Usouth[0]) \]=])
planted_error(jacobi_names_the_buffer_it_writes jacobi depend jacobi_depend FILE benchmarks/jacobi/depend.c
  FROM [=[double *Unorth = jacobi_old(p, s, m - 1, n);
                double *Usouth = jacobi_old(p, s, m + 1, n);]=]
  TO [=[double *Unorth = jacobi_old(p, s + 1, m - 1, n);
                double *Usouth = jacobi_old(p, s + 1, m + 1, n);]=])
planted_error(jacobi_lean_misses_its_northern_neighbour jacobi lean jacobi_lean FILE benchmarks/jacobi/lean.c
  FROM [=[depend(in : Umn[0], Unorth[0], Uwest[0]) \]=]
  TO [=[depend(in : Umn[0], Uwest[0]) \]=])
planted_error(jacobi_forkjoin_does_not_wait_for_a_sweep jacobi forkjoin jacobi_forkjoin
  FILE benchmarks/jacobi/forkjoin.c
  FROM [=[#pragma omp taskwait
]=])
planted_error(jacobi_wavefront_misses_the_tile_before jacobi wavefront jacobi_wavefront
  FILE benchmarks/jacobi/wavefront.c
  FROM [=[depend(in : Wnorth[0], Wwest[0], Wnext[0]) \]=]
  TO [=[depend(in : Wwest[0], Wnext[0]) \]=])
planted_error(jacobi_wavefront_misses_the_time_tile_before jacobi wavefront jacobi_wavefront
  FILE benchmarks/jacobi/wavefront.c
  FROM [=[depend(in : Wnorth[0], Wwest[0], Wnext[0]) \]=]
  TO [=[depend(in : Wnorth[0], Wwest[0]) \]=])

# ---- Tree of cells ----
planted_error(cell_tree_misses_its_children cell-tree depend cells_depend FILE benchmarks/cell-tree/depend.c
  FROM [=[    depend(iterator(size_t j = 0 : branching), in : Q[j][0]) \
]=]
  NEEDS DEPEND_ITERATOR)
planted_error(cell_tree_misses_its_first_child cell-tree depend cells_depend
  FILE benchmarks/cell-tree/depend.c
  FROM [=[iterator(size_t j = 0 : branching)]=]
  TO [=[iterator(size_t j = 1 : branching)]=]
  NEEDS DEPEND_ITERATOR)
planted_error(cell_tree_leaves_only_read_their_vector cell-tree depend cells_depend
  FILE benchmarks/cell-tree/depend.c
  FROM [=[depend(inout : Qc[0])
        cell_compute(p, leaves, c);]=]
  TO [=[depend(in : Qc[0])
        cell_compute(p, leaves, c);]=]
  NEEDS DEPEND_ITERATOR)

configure_file(${CMAKE_CURRENT_LIST_DIR}/planted.c.in planted/planted.c @ONLY)
add_library(pollux_planted STATIC ${CMAKE_CURRENT_BINARY_DIR}/planted/planted.c ${planted_objects})
target_link_libraries(pollux_planted PUBLIC Pollux::benchmarks)
