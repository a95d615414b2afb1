# SPDX-License-Identifier: BSD-3-Clause
# The benchmarks of a build: each folder declares its own, and tests and scripts read the lists.

# pollux_json_strings(RESULT ITEM…): a JSON array of strings.
function(pollux_json_strings result)
  list(TRANSFORM ARGN REPLACE "^(.+)$" "\"\\1\"" OUTPUT_VARIABLE strings)
  list(JOIN strings ", " text)
  set(${result} "[${text}]" PARENT_SCOPE)
endfunction()

# pollux_computation(NAME): the executable NAME runs the `struct benchmark` of that name, with underscores for hyphens,
# which the library Pollux::NAME defines.
function(pollux_computation name)
  string(REPLACE "-" "_" symbol ${name})
  set(main ${CMAKE_CURRENT_BINARY_DIR}/${name}-main.c)
  file(CONFIGURE OUTPUT ${main} @ONLY CONTENT "#include \"common/computation/computation.h\"

extern const struct benchmark @symbol@;

int main(int argc, char **argv)
{
    return drive(&@symbol@, argc, argv);
}
")
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE Pollux::${name} Pollux::computation)
  pollux_install_program(${name})
endfunction()

# pollux_benchmark(NAME SOURCES … TASK_GRAPHS … LINK …): the executable NAME over its library Pollux::NAME. TASK_GRAPHS
# are the sources with task pragmas; LINK is what the library uses besides Pollux::run.
function(pollux_benchmark name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;TASK_GRAPHS;LINK")
  add_library(pollux_${name} STATIC ${arg_SOURCES})
  pollux_task_graphs(pollux_${name} ${arg_TASK_GRAPHS})
  add_library(Pollux::${name} ALIAS pollux_${name})
  target_link_libraries(pollux_${name} PUBLIC Pollux::run ${arg_LINK})

  pollux_computation(${name})
  set_property(GLOBAL APPEND PROPERTY POLLUX_BENCHMARKS ${name})
endfunction()

# pollux_micro_benchmark(NAME): the executable NAME, a target, measures what runtimes themselves cost (common/driver/program.h).
function(pollux_micro_benchmark name)
  pollux_install_program(${name})
  set_property(GLOBAL APPEND PROPERTY POLLUX_MICRO_BENCHMARKS ${name})
endfunction()

# pollux_distributed_micro_benchmark(NAME): the same, as several processes that a launcher starts.
function(pollux_distributed_micro_benchmark name)
  pollux_install_program(${name})
  set_property(GLOBAL APPEND PROPERTY POLLUX_DISTRIBUTED_MICRO_BENCHMARKS ${name})
endfunction()

# pollux_distributed_benchmark(NAME SOURCES … LINK …): as pollux_benchmark, but run as several processes that a launcher
# starts (common/run/processes.h).
function(pollux_distributed_benchmark name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_library(pollux_${name} STATIC ${arg_SOURCES})
  add_library(Pollux::${name} ALIAS pollux_${name})
  target_link_libraries(pollux_${name} PUBLIC Pollux::mpi ${arg_LINK})

  pollux_computation(${name})
  set_property(GLOBAL APPEND PROPERTY POLLUX_DISTRIBUTED_BENCHMARKS ${name})
endfunction()

# pollux_get_benchmarks(): sets the variables below to the names of all benchmarks, by what they measure.
macro(pollux_get_benchmarks)
  get_property(computation GLOBAL PROPERTY POLLUX_BENCHMARKS)
  get_property(overhead GLOBAL PROPERTY POLLUX_MICRO_BENCHMARKS)
  get_property(distributed GLOBAL PROPERTY POLLUX_DISTRIBUTED_BENCHMARKS)
  get_property(distributed_overhead GLOBAL PROPERTY POLLUX_DISTRIBUTED_MICRO_BENCHMARKS)
endmacro()

# pollux_list_benchmarks(): writes the names of all benchmarks, by what they measure, to benchmarks.json next to the
# executables, and makes Pollux::benchmarks, the table of those that compute, which tests/benchmarks.h declares. Call
# it after the last benchmark.
function(pollux_list_benchmarks)
  pollux_get_benchmarks()
  foreach(kind computation overhead distributed distributed_overhead)
    pollux_json_strings(strings ${${kind}})
    list(APPEND kinds "\"${kind}\": ${strings}")
  endforeach()
  list(JOIN kinds ", " text)
  set(list ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/benchmarks.json)
  file(CONFIGURE OUTPUT ${list} CONTENT "{@text@}\n" @ONLY)
  install(FILES ${list} DESTINATION ${POLLUX_INSTALL_BINDIR})

  foreach(name IN LISTS computation)
    string(REPLACE "-" "_" symbol ${name})
    string(APPEND declarations "extern const struct benchmark ${symbol};\n")
    string(APPEND addresses "&${symbol}, ")
    list(APPEND libraries Pollux::${name})
  endforeach()
  set(table ${PROJECT_BINARY_DIR}/benchmarks.c)
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT "#include \"tests/benchmarks.h\"
@declarations@const struct benchmark *const benchmarks[] = {@addresses@NULL};
")
  add_library(pollux_benchmarks STATIC EXCLUDE_FROM_ALL ${table})
  add_library(Pollux::benchmarks ALIAS pollux_benchmarks)
  target_link_libraries(pollux_benchmarks PUBLIC ${libraries})
endfunction()
