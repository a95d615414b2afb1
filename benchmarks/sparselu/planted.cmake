# SPDX-License-Identifier: BSD-3-Clause
# Errors that the race check and the graph check plant (tests/race/planted.cmake).
planted_error(sparselu_fwd_misses_the_diagonal sparselu depend sparselu_depend FILE depend.c
  FROM [=[    depend(in : Akk[0]) \
    depend(inout : Akn[0]) \
]=]
  TO [=[    depend(inout : Akn[0]) \
]=])
planted_error(sparselu_bmod_misses_the_solve sparselu depend sparselu_depend FILE depend.c
  FROM [=[depend(in : Amk[0], Akn[0]) \]=]
  TO [=[depend(in : Amk[0]) \]=])
planted_error(sparselu_bmod_only_reads_its_block sparselu depend sparselu_depend FILE depend.c
  FROM [=[depend(inout : Amn[0]) \]=]
  TO [=[depend(in : Amn[0]) \]=])
planted_error(sparselu_forkjoin_does_not_wait_for_solves sparselu forkjoin sparselu_forkjoin
  FILE forkjoin.c
  FROM [=[        solve(p, k);
#pragma omp taskwait
]=]
  TO [=[        solve(p, k);
]=])
