# SPDX-License-Identifier: BSD-3-Clause
# Errors that the race check and the graph check plant (tests/race/planted.cmake).
planted_error(cholesky_potrf_only_reads cholesky depend cholesky_depend FILE depend.c
  FROM [=[depend(inout : Akk[0]) \]=]
  TO [=[depend(in : Akk[0]) \]=])
planted_error(cholesky_trsm_misses_the_panel cholesky depend cholesky_depend
  FILE depend.c
  FROM [=[    depend(in : Akk[0]) \
]=])
planted_error(cholesky_gemm_names_a_wrong_tile cholesky depend cholesky_depend
  FILE depend.c
  FROM [=[tile_address_at_step(p->A, n, k)]=]
  TO [=[tile_address(p->A, k, n)]=])
planted_error(cholesky_left_syrk_misses_its_factor cholesky left cholesky_left
  FILE left.c
  FROM [=[    depend(in : Ank[0]) \
]=])
planted_error(cholesky_forkjoin_does_not_wait_for_solves cholesky forkjoin cholesky_forkjoin
  FILE forkjoin.c
  FROM [=[#pragma omp taskwait
        for]=]
  TO "for")
