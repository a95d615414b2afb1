# SPDX-License-Identifier: BSD-3-Clause
# Errors that the race check and the graph check plant (tests/race/planted.cmake).
planted_error(jacobi_misses_neighbours_in_a_row jacobi depend jacobi_depend FILE depend.c
  FROM [=[depend(in : Umn[0], Unorth[0], Usouth[0], Uwest[0], Ueast[0]) \]=]
  TO [=[depend(in : Umn[0], Unorth[0], Usouth[0]) \]=])
planted_error(jacobi_names_the_buffer_it_writes jacobi depend jacobi_depend FILE depend.c
  FROM [=[double *Unorth = jacobi_old(p, s, m - 1, n);
                double *Usouth = jacobi_old(p, s, m + 1, n);]=]
  TO [=[double *Unorth = jacobi_old(p, s + 1, m - 1, n);
                double *Usouth = jacobi_old(p, s + 1, m + 1, n);]=])
planted_error(jacobi_lean_misses_its_northern_neighbour jacobi lean jacobi_lean FILE lean.c
  FROM [=[depend(in : Umn[0], Unorth[0], Uwest[0]) \]=]
  TO [=[depend(in : Umn[0], Uwest[0]) \]=])
planted_error(jacobi_forkjoin_does_not_wait_for_a_sweep jacobi forkjoin jacobi_forkjoin
  FILE forkjoin.c
  FROM [=[#pragma omp taskwait
]=])
planted_error(jacobi_wavefront_misses_the_tile_before jacobi wavefront jacobi_wavefront
  FILE wavefront.c
  FROM [=[depend(in : Wnorth[0], Wwest[0], Wnext[0]) \]=]
  TO [=[depend(in : Wwest[0], Wnext[0]) \]=])
planted_error(jacobi_wavefront_misses_the_time_tile_before jacobi wavefront jacobi_wavefront
  FILE wavefront.c
  FROM [=[depend(in : Wnorth[0], Wwest[0], Wnext[0]) \]=]
  TO [=[depend(in : Wnorth[0], Wwest[0]) \]=])
