# SPDX-License-Identifier: BSD-3-Clause
# Errors that the race check and the graph check plant (tests/race/planted.cmake).
planted_error(lu_cw_update_misses_its_column lu-cw cw lu_cw_submit FILE cw.c NEEDS INOUTSET
  FROM [=[    depend(inoutset : Cn[0]) \
]=])
planted_error(lu_cw_exchange_is_of_the_set lu-cw cw lu_cw_submit FILE cw.c NEEDS INOUTSET
  FROM [=[    depend(in : Akk[0], Cprev[0]) \
    depend(inout : Akn[0], Cn[0]) \
]=]
  TO [=[    depend(in : Akk[0], Cprev[0]) \
    depend(inout : Akn[0]) \
    depend(inoutset : Cn[0]) \
]=])
planted_error(lu_cw_left_exchange_misses_its_column lu-cw cw lu_cw_submit FILE cw.c
  FROM [=[    depend(in : Akk[0]) \
    depend(inout : Cn[0])
]=]
  TO [=[    depend(in : Akk[0])
]=])
planted_error(lu_cw_lean_solve_misses_its_column lu-cw lean lu_cw_lean FILE lean.c
  FROM [=[    depend(in : Akk[0]) \
    depend(inout : Akn[0], Cn[0]) \]=]
  TO [=[    depend(in : Akk[0]) \
    depend(inout : Akn[0]) \]=])
