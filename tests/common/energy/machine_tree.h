/* SPDX-License-Identifier: BSD-3-Clause
 * Writes the /sys and /proc of the machines in machines.json, as tests/scripts/helpers/system_tree.py does. */
#ifndef POLLUX_TESTS_MACHINE_TREE_H
#define POLLUX_TESTS_MACHINE_TREE_H

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/files.h"
#include "tests/pollux.h"

/** The names of all machines. */
std::vector<std::string> machine_names();

/** A machine below the folder of a test. */
class MachineTree : public Files {
  protected:
    /** Writes a machine, and opens its counters. */
    void open_machine(const std::string &name, event_opener *open = nullptr);
    void write_machine(const std::string &name);
    void open_meter(event_opener *open = nullptr);
    void SetUp() override;
    void TearDown() override;

    /** Adds joules to a zone of powercap ("package-0/dram"), wherever it is shown; wraps by its range. */
    void add(const std::string &zone, double joules) const;
    void write_counter(const std::string &zone, const std::string &text) const;

    /** Reads, lets `happen` change counters, reads again after `seconds` of a clock of its own. */
    template <typename Happening> void measure(double seconds, Happening happen)
    {
        energy_meter_read(meter, 0, &meter->begin);
        happen();
        energy_meter_read(meter, static_cast<int64_t>(seconds * 1e9), &meter->end);
        energy_meter_evaluate(meter);
    }
    /** A zone's result, by its name. */
    const zone_energy &energy_of(const std::string &name) const;
    std::vector<std::string> parts() const;

    std::map<std::string, std::vector<std::filesystem::path>> zones; /**< folders of each */
    struct energy_meter *meter = nullptr;

    void write_file(const std::string &path, const std::string &text) const;
    void link(const std::string &path, const std::string &target) const;

  private:
    void write_processors(const json_t *machine) const;
    void write_zone(const std::string &above, const std::string &number, const std::string &prefix,
                    const json_t *zone);
    void write_control(const std::string &control, const json_t *tops);
    void write_events(const std::string &name, const json_t *source) const;
    void write_monitor(size_t number, const json_t *device) const;
};

#endif
