# SPDX-License-Identifier: BSD-3-Clause
# Sources that hold task graphs: the compiler whose pragmas are put to the test builds them.

# pollux_task_graphs(TARGET SOURCE…): adds sources with task pragmas to a library or an executable.
function(pollux_task_graphs target)
  target_sources(${target} PRIVATE ${ARGN})
endfunction()
