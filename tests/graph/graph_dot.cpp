// SPDX-License-Identifier: BSD-3-Clause
// Prints the task graph of a variant in Graphviz' DOT language:
//     graph-dot BENCHMARK VARIANT ROWS COLUMNS (both in tiles)
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "task_graph.h"

namespace {

const std::map<std::string, const char *> colours = {
    {"potrf", "#e69f00"}, {"getrf", "#e69f00"}, {"geqrt", "#e69f00"}, {"trsm", "#56b4e9"},
    {"unmqr", "#56b4e9"}, {"syrk", "#009e73"},  {"laswp", "#cc79a7"}, {"tsqrt", "#f0e442"},
    {"ttqrt", "#f0e442"}, {"gemm", "#ffffff"},  {"tsmqr", "#ffffff"}, {"ttmqr", "#ffffff"}};

// The last tile that the task writes, which is the one it is about; exchanges are about a column.
std::string label(const subject *subject, const pollux::Task &task)
{
    std::size_t row = 0, column = 0;
    for (const auto &access : task.accesses)
        if (access.written)
            subject_locate(subject, access.object, &row, &column);
    std::string place = task.kernel == "laswp" || task.kernel == "getrf"
                            ? "(:," + std::to_string(column) + ")"
                            : "(" + std::to_string(row) + "," + std::to_string(column) + ")";
    return task.kernel + "\\n" + place;
}

void print(const subject *subject, const pollux::TaskGraph &graph)
{
    std::printf("digraph tasks {\n  rankdir=TB; ranksep=0.25; nodesep=0.12;\n"
                "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=10,"
                " margin=\"0.06,0.03\", height=0.3, width=0.5];\n  edge [arrowsize=0.5];\n");
    for (std::size_t t = 0; t < graph.tasks.size(); t++) {
        auto colour = colours.find(graph.tasks[t].kernel);
        std::printf("  t%zu [label=\"%s\", fillcolor=\"%s\"];\n", t,
                    label(subject, graph.tasks[t]).c_str(),
                    colour == colours.end() ? "#dddddd" : colour->second);
    }
    for (auto [from, to] : graph.reduced_edges())
        std::printf("  t%zu -> t%zu;\n", from, to);
    std::printf("}\n");
}

} // namespace

int main(int argc, char **argv)
{
    constexpr std::size_t NB = 4, IB = 2;
    if (argc != 5) {
        std::fprintf(stderr, "usage: graph-dot BENCHMARK VARIANT ROWS COLUMNS\n");
        return 2;
    }
    std::size_t rows = std::strtoul(argv[3], nullptr, 10);
    std::size_t columns = std::strtoul(argv[4], nullptr, 10);
    std::unique_ptr<subject, decltype(&subject_destroy)> subject(
        subject_create(argv[1], argv[2], rows * NB, columns * NB, NB, IB, 1), subject_destroy);
    if (!subject) {
        std::fprintf(stderr, "graph-dot: %s has no variant %s in this build\n", argv[1], argv[2]);
        return 2;
    }
    pollux::TaskGraph graph(subject.get());
    graph.record_accesses(subject.get());
    print(subject.get(), graph);
    return 0;
}
