# SPDX-License-Identifier: BSD-3-Clause
# Errors that the race check and the graph check plant (tests/race/planted.cmake).
planted_error(qr_unmqr_misses_the_panel qr depend qr_depend FILE depend.c
  FROM [=[    depend(in : Akk[0], Tkk[0]) \
]=])
planted_error(qr_tsmqr_misses_the_upper_tile qr depend qr_depend FILE depend.c
  FROM [=[depend(inout : Akn[0], Amn[0]) \]=]
  TO [=[depend(inout : Amn[0]) \]=])
planted_error(qr_tsqrt_only_reads_the_triangle qr depend qr_depend FILE depend.c
  FROM [=[depend(inout : Akk[0], Amk[0], Tmk[0]) \]=]
  TO [=[depend(in : Akk[0]) depend(inout : Amk[0], Tmk[0]) \]=])
planted_error(qr_lean_unmqr_misses_the_panel qr lean qr_lean FILE lean.c
  FROM [=[    depend(in : Akk[0]) \
]=])
planted_error(qr_tree_update_misses_the_factor qr tree qr_tree FILE tree.c
  FROM [=[    depend(in : Amk[0], Smk[0]) \
    depend(inout : Atn[0], Amn[0]) \
]=]
  TO [=[    depend(inout : Atn[0], Amn[0]) \
]=])
planted_error(qr_tree_update_names_a_wrong_tile qr tree qr_tree FILE tree.c
  FROM [=[        double *Atn = tile_address(p->A, t, n);
        double *Amn = tile_address(p->A, m, n);
]=]
  TO [=[        double *Atn = tile_address(p->A, t, n);
        double *Amn = tile_address(p->A, t, n);
]=])
