# SPDX-License-Identifier: BSD-3-Clause
# Errors that the race check and the graph check plant (tests/race/planted.cmake).
planted_error(strassen_flat_combination_misses_a_product strassen flat strassen_flat
  FILE flat.c
  FROM [=[    depend(in : in0[0]) \
    depend(inout : out0[0], out1[0])
]=]
  TO [=[    depend(inout : out0[0], out1[0])
]=])
planted_error(strassen_flat_product_misses_its_factors strassen flat strassen_flat
  FILE flat.c
  FROM [=[    depend(in : A[0], B[0]) \
    depend(inout : C[0])
]=]
  TO [=[    depend(inout : C[0])
]=])
planted_error(strassen_flat_sum_misses_its_quadrants strassen flat strassen_flat
  FILE flat.c
  FROM [=[    depend(in : in0[0], in1[0], in2[0]) \
    depend(inout : out0[0])
]=]
  TO [=[    depend(inout : out0[0])
]=])
planted_error(strassen_depend_product_misses_its_factors strassen depend strassen_depend
  FILE depend.c
  FROM [=[    depend(in : S[0], T[0]) \
]=])
planted_error(strassen_depend_sum_does_not_wait_for_its_blocks strassen depend strassen_depend
  FILE depend.c
  FROM [=[#pragma omp taskwait
}

/* What]=]
  TO [=[}

/* What]=])
planted_error(strassen_task_combination_does_not_wait_for_products strassen task strassen_task
  FILE task.c
  FROM [=[#pragma omp taskwait
    /* C := sums of P */]=]
  TO "    /* C := sums of P */")
