# SPDX-License-Identifier: BSD-3-Clause
# Errors that the race check and the graph check plant (tests/race/planted.cmake).
planted_error(lu_left_exchange_misses_its_column lu depend lu_depend FILE depend.c
  FROM [=[    depend(in : Akk[0]) \
    depend(inout : Cn[0])
]=]
  TO [=[    depend(in : Akk[0])
]=])
planted_error(lu_update_misses_the_solve lu depend lu_depend FILE depend.c
  FROM [=[depend(in : Amk[0], Akn[0]) \]=]
  TO [=[depend(in : Amk[0]) \]=])
planted_error(lu_update_misses_its_column lu depend lu_depend FILE depend.c
  FROM [=[depend(inout : Amn[0], Cn[0]) \]=]
  TO [=[depend(inout : Amn[0]) \]=])
planted_error(lu_lean_solve_misses_its_column lu lean lu_lean FILE lean.c
  FROM [=[    depend(in : Akk[0]) \
    depend(inout : Akn[0], Cn[0]) \]=]
  TO [=[    depend(in : Akk[0]) \
    depend(inout : Akn[0]) \]=])
planted_error(lu_multidep_exchange_starts_a_tile_late lu multidep lu_multidep FILE multidep.c
  NEEDS DEPEND_ITERATOR
  FROM [=[    depend(iterator(size_t i = top : mt), inout : An[i][0]) \
]=]
  TO [=[    depend(iterator(size_t i = top + 1 : mt), inout : An[i][0]) \
]=])
planted_error(lu_multidep_panel_names_one_tile lu multidep lu_multidep FILE multidep.c
  NEEDS DEPEND_ITERATOR
  FROM [=[depend(iterator(size_t i = top : mt), inout : Ak[i][0]) \]=]
  TO [=[depend(inout : Akk[0]) \]=])
planted_error(lu_column_update_does_not_wait_for_its_tiles lu column lu_column_tasks
  FILE column.c
  FROM [=[#pragma omp taskwait
]=])
planted_error(lu_column_left_exchange_misses_the_panel lu column lu_column_tasks
  FILE column.c
  FROM [=[    depend(in : A0k[0]) \
    depend(inout : A0n[0])
            lu_laswp]=]
  TO [=[    depend(inout : A0n[0])
            lu_laswp]=])
planted_error(lu_panel_does_not_wait_for_its_rows lu column lu_column_tasks
  FILE panel_tasks.c CALLS lu_getrf_tasks CALLER column.c
  FROM [=[#pragma omp taskwait
]=])
planted_error(lu_late_update_misses_its_column lu late lu_late FILE late.c CALLS lu_late_with
  FROM [=[depend(in : Amk[0], Akn[0], Cn[0]) \]=]
  TO [=[depend(in : Amk[0], Akn[0]) \]=])
planted_error(lu_late_exchanges_do_not_wait lu late lu_late FILE late.c CALLS lu_late_with
  FROM [=[#pragma omp taskwait
]=])
planted_error(lu_ahead_update_misses_its_column lu ahead lu_ahead FILE ahead.c
  FROM [=[depend(inout : Amn[0], Cn[0]) \]=]
  TO [=[depend(inout : Amn[0]) \]=])
planted_error(lu_ahead_exchanges_do_not_wait lu ahead lu_ahead FILE ahead.c
  FROM [=[#pragma omp taskwait
]=])
planted_error(lu_nopiv_bdiv_misses_the_diagonal lu nopiv lu_nopiv FILE nopiv.c
  FROM [=[    depend(in : Akk[0]) \
    depend(inout : Amk[0]) \
]=]
  TO [=[    depend(inout : Amk[0]) \
]=])
