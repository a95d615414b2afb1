# SPDX-License-Identifier: BSD-3-Clause
# Which clauses and directives the compiler knows: tested, since the version macro of OpenMP lags behind.
include(CheckCSourceCompiles)

# As check_c_source_compiles, by the compiler of the task graphs.
function(pollux_check_task_source text result)
  if(DEFINED ${result})
    return()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/CMakeFiles/features)
  file(WRITE ${folder}/${result}.c "${text}\n")
  execute_process(
    COMMAND ${POLLUX_TASK_COMPILER} ${POLLUX_TASK_COMPILE_OPTIONS} --output-dir=${folder}
      -c -o ${folder}/${result}.o ${folder}/${result}.c
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  set(compiles 1)
  if(failed)
    set(compiles "")
  endif()
  set(${result} "${compiles}" CACHE INTERNAL "${POLLUX_TASK_COMPILER} compiles it")
  message(STATUS "Performing Test ${result} - ${compiles}")
endfunction()

# pollux_feature(NAME TEXT): whether a function that contains TEXT compiles, as POLLUX_HAVE_NAME.
function(pollux_feature name text)
  set(program "#include <omp.h>
int main(void) { int a[4] = {0}; int *p[4] = {a, a + 1, a + 2, a + 3}; (void)p;
${text}
return 0; }")
  if(POLLUX_TASK_COMPILER)
    pollux_check_task_source("${program}" POLLUX_HAVE_${name})
    return()
  endif()
  # Nothing is linked: a clang without its own libomp has no library to link with. All this is set in this function alone.
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  set(CMAKE_REQUIRED_FLAGS "${POLLUX_RUNTIME_COMPILE_OPTIONS} -Werror")
  foreach(folder IN LISTS POLLUX_RUNTIME_INCLUDE_DIRS)
    string(APPEND CMAKE_REQUIRED_FLAGS " \"-isystem${folder}\"") # where warnings are not errors
  endforeach()
  check_c_source_compiles("${program}" POLLUX_HAVE_${name})
endfunction()

pollux_feature(DEPEND_ITERATOR "#pragma omp task depend(iterator(int i = 0 : 4), inout : p[i][0])\n;")
pollux_feature(INOUTSET "#pragma omp task depend(inoutset : a[0])\n;")
pollux_feature(DEPEND_CW "#pragma omp task depend(cw : a[0])\n;")
pollux_feature(CONCURRENT "#pragma omp task concurrent(a[0])\n;")
pollux_feature(MUTEXINOUTSET "#pragma omp task depend(mutexinoutset : a[0])\n;")
pollux_feature(DEPOBJ "omp_depend_t d;
#pragma omp depobj(d) depend(inout : a[0])
#pragma omp task depend(depobj : d)\n;
#pragma omp depobj(d) destroy")
pollux_feature(ALL_MEMORY "#pragma omp task depend(inout : omp_all_memory)\n;")
pollux_feature(TASKWAIT_DEPEND "#pragma omp taskwait depend(in : a[0])")
pollux_feature(TASKWAIT_NOWAIT "#pragma omp taskwait depend(in : a[0]) nowait")
pollux_feature(DETACH "omp_event_handle_t e;
#pragma omp task detach(e)\n;")
pollux_feature(AFFINITY "#pragma omp task affinity(a[0])\n;")
pollux_feature(TASKGROUP "#pragma omp taskgroup\n;")
pollux_feature(TASKLOOP "#pragma omp taskloop
for (int i = 0; i < 4; i++) a[i] = i;")
pollux_feature(TASKLOOP_STRICT "#pragma omp taskloop grainsize(strict : 2)
for (int i = 0; i < 4; i++) a[i] = i;")
pollux_feature(TASK_REDUCTION "int s = 0;
#pragma omp taskgroup task_reduction(+ : s)
{
#pragma omp task in_reduction(+ : s)\ns++;
}")
pollux_feature(TASKLOOP_REDUCTION "int s = 0;
#pragma omp taskloop reduction(+ : s)
for (int i = 0; i < 4; i++) s += i;")
pollux_feature(CANCEL "#pragma omp taskgroup
{
#pragma omp task
{
#pragma omp cancel taskgroup
}
}")
pollux_feature(PARALLEL "#pragma omp parallel\n;")
pollux_feature(MASKED "#pragma omp masked\n;")
pollux_feature(PRIORITY "#pragma omp task priority(1)\n;")
pollux_feature(MERGEABLE "#pragma omp task mergeable\n;")
pollux_feature(FINAL "#pragma omp task final(1)\n;")
pollux_feature(UNTIED "#pragma omp task untied\n;")
pollux_feature(IF_DEPEND "#pragma omp task if(0) depend(inout : a[0])\n;")

foreach(feature DEPEND_ITERATOR INOUTSET MUTEXINOUTSET DEPOBJ DEPEND_CW CONCURRENT AFFINITY DETACH TASKGROUP TASKLOOP PARALLEL)
  if(POLLUX_HAVE_${feature})
    target_compile_definitions(pollux_options INTERFACE POLLUX_HAVE_${feature})
  endif()
endforeach()
