# SPDX-License-Identifier: BSD-3-Clause
# Errors that the race check and the graph check plant (tests/race/planted.cmake).
planted_error(cell_tree_misses_its_children cell-tree depend cells_depend FILE depend.c
  FROM [=[    depend(iterator(size_t j = 0 : branching), in : Q[j][0]) \
]=]
  NEEDS DEPEND_ITERATOR)
planted_error(cell_tree_misses_its_first_child cell-tree depend cells_depend
  FILE depend.c
  FROM [=[iterator(size_t j = 0 : branching)]=]
  TO [=[iterator(size_t j = 1 : branching)]=]
  NEEDS DEPEND_ITERATOR)
planted_error(cell_tree_leaves_only_read_their_vector cell-tree depend cells_depend
  FILE depend.c
  FROM [=[depend(inout : Qc[0])
        cell_compute(p, leaves, c);]=]
  TO [=[depend(in : Qc[0])
        cell_compute(p, leaves, c);]=]
  NEEDS DEPEND_ITERATOR)
