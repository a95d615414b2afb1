# SPDX-License-Identifier: BSD-3-Clause
# Which dependence clauses the compiler knows: tried, since the version macro of OpenMP lags behind.
include(CheckCSourceCompiles)

set(CMAKE_REQUIRED_FLAGS "${POLLUX_RUNTIME_COMPILE_OPTIONS} -Werror")
check_c_source_compiles("
int main(void) { int a[4]; int *p[4] = {a, a + 1, a + 2, a + 3};
#pragma omp task depend(iterator(int i = 0 : 4), inout : p[i][0])
  ; return 0; }" POLLUX_HAVE_DEPEND_ITERATOR)
check_c_source_compiles("
int main(void) { int a[1];
#pragma omp task depend(inoutset : a[0])
  ; return 0; }" POLLUX_HAVE_INOUTSET)
check_c_source_compiles("
int main(void) { int a[1];
#pragma omp task depend(cw : a[0])
  ; return 0; }" POLLUX_HAVE_DEPEND_CW)
unset(CMAKE_REQUIRED_FLAGS)

foreach(feature POLLUX_HAVE_DEPEND_ITERATOR POLLUX_HAVE_INOUTSET POLLUX_HAVE_DEPEND_CW)
  if(${feature})
    target_compile_definitions(pollux_options INTERFACE ${feature})
  endif()
endforeach()
