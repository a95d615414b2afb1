/* SPDX-License-Identifier: BSD-3-Clause
 * Energy over time: sums across wraps, gaps where nothing is known, the lines of the file. */
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/common/energy/machine_tree.h"

extern "C" {
#include "common/energy/sensors.h"
#include "common/energy/timeline.h"
}

static const int64_t FIRST_NS = 5000000000000000; // two months after the system started

using Cells = std::vector<std::string>;

static Cells split(const std::string &line)
{
    Cells cells;
    std::istringstream text(line.substr(0, line.size() - 1));
    for (std::string cell; std::getline(text, cell, ',');)
        cells.push_back(cell);
    if (line.size() > 1 && line[line.size() - 2] == ',')
        cells.emplace_back();
    return cells;
}

class EnergyTimeline : public MachineTree {
  protected:
    struct timeline *timeline = nullptr;
    struct sensor_list sensors = {};
    Cells names;
    json_t *head = nullptr;

    void begin(const std::string &machine)
    {
        write_machine(machine);
        begin();
    }
    void begin()
    {
        open_meter();
        sensors = sensors_open(folder.c_str());
        timeline = timeline_create(meter, &sensors);
        const timeline_choices choices = {"node", 1790000000000000000, 10, 1000};
        const std::string text = timeline_head(timeline, &choices), mark = "# pollux-power/1 ";
        const size_t end = text.find('\n');
        ASSERT_EQ(text.substr(0, mark.size()), mark);
        head = json_loads(text.substr(mark.size(), end - mark.size()).c_str(), 0, nullptr);
        names = split(text.substr(end + 1));
    }
    /* A sample after that many seconds, as the cells of its line. */
    Cells sample(double seconds, bool with_sensors = false)
    {
        const int64_t ns = FIRST_NS + std::llround(seconds * 1e9);
        const std::string line =
            timeline_sample(timeline, {1790000000000000000 + ns, ns}, with_sensors);
        EXPECT_EQ(line.back(), '\n');
        EXPECT_EQ(split(line).size(), names.size()) << line;
        return split(line);
    }
    std::string cell(const Cells &cells, const std::string &name) const
    {
        for (size_t i = 0; i < names.size(); i++)
            if (names[i] == name)
                return cells[i];
        return "no column " + name;
    }
    void finish()
    {
        timeline_destroy(timeline);
        sensors_close(&sensors);
        json_decref(head);
        timeline = nullptr;
        head = nullptr;
    }
    void TearDown() override
    {
        finish();
        MachineTree::TearDown();
    }
};

TEST_F(EnergyTimeline, AddsUpAcrossAnyNumberOfWraps)
{
    begin("ranges");
    double seconds = 0, package = 0, memory = 0;
    Cells cells = sample(seconds);
    EXPECT_EQ(cell(cells, "powercap:package-0 J"), "0.000000");
    EXPECT_EQ(cell(cells, "powercap:package-0 W"), "");
    for (int i = 0; i < 100; i++) { // 100 s apart: 4 MJ and 1.5 MJ in all
        add("package-0", 40000);
        add("package-0/dram", 15000);
        package += 40000;
        memory += 15000;
        cells = sample(seconds += 100);
    }
    EXPECT_EQ(cell(cells, "powercap:package-0 J"), std::to_string(package));
    EXPECT_EQ(cell(cells, "powercap:package-0/dram J"), std::to_string(memory));
    EXPECT_EQ(cell(cells, "powercap:package-0 W"), "400.00");
}

TEST_F(EnergyTimeline, WhatIsNotKnownIsAGap)
{
    begin("range-zero");
    sample(0);
    add("package-0", 5);
    EXPECT_EQ(cell(sample(1), "powercap:package-0 J"), "5.000000");
    write_counter("package-0", "100\n"); // fell, without a range
    EXPECT_EQ(cell(sample(2), "powercap:package-0 J"), "");
    add("package-0", 3);
    EXPECT_EQ(cell(sample(3), "powercap:package-0 J"), "8.000000");
    write_counter("package-0", "garbage\n");
    EXPECT_EQ(cell(sample(4), "powercap:package-0 J"), "");
    write_counter("package-0", "5000100\n"); // 2 J more than when it was last read
    const Cells cells = sample(5);
    EXPECT_EQ(cell(cells, "powercap:package-0 J"), "10.000000");
    EXPECT_EQ(cell(cells, "powercap:package-0 W"), "1.00"); // 2 J in 2 s
}

TEST_F(EnergyTimeline, AZoneThatCannotBeReadHasAReasonAndNoColumn)
{
    write_machine("two-sockets");
    for (const auto &place : zones["package-1/dram"])
        std::filesystem::remove(place / "energy_uj");
    begin();
    EXPECT_EQ(cell(names, "powercap:package-1/dram J"), "no column powercap:package-1/dram J");
    EXPECT_EQ(cell(names, "powercap:package-1 J"), "powercap:package-1 J");
    EXPECT_EQ(json_array_size(json_object_get(head, "parts")), 0U) << "without memory 1";
    json_t *zone;
    size_t i;
    json_array_foreach(json_object_get(head, "zones"), i, zone)
    {
        const std::string id = json_string_value(json_object_get(zone, "id"));
        if (id.rfind("powercap:", 0) != 0)
            continue;
        const std::string status = json_string_value(json_object_get(zone, "status"));
        const char *reason = json_string_value(json_object_get(zone, "reason"));
        const bool is_lost = id == "powercap:package-1/dram";
        EXPECT_EQ(status, is_lost ? "unavailable" : "measured") << id;
        EXPECT_EQ(reason && strstr(reason, "energy_uj"), is_lost) << id;
    }
}

TEST_F(EnergyTimeline, MemoryWithoutAProcessorIsNoTotal)
{
    write_machine("cray");
    std::filesystem::remove(folder / "sys/cray/pm_counters/cpu_energy");
    begin();
    EXPECT_EQ(cell(names, "cray:memory_energy J"), "cray:memory_energy J");
    EXPECT_EQ(json_array_size(json_object_get(head, "parts")), 0U);
}

TEST_F(EnergyTimeline, EachZoneStatesItsStep)
{
    write_machine("cray");
    write_file("sys/cray/pm_counters/raw_scan_hz", "4");
    begin();
    json_t *zone;
    size_t i;
    json_array_foreach(json_object_get(head, "zones"), i, zone)
        EXPECT_EQ(json_real_value(json_object_get(zone, "step_seconds")), 0.25);
    EXPECT_GT(i, 0U);
    finish();
    begin("client");
    zone = json_array_get(json_object_get(head, "zones"), 0);
    EXPECT_EQ(json_real_value(json_object_get(zone, "step_seconds")), 0.001);
}

TEST_F(EnergyTimeline, ASamplerThatSleptTooLongLeavesAGap)
{
    begin("client");
    sample(0);
    add("package-0", 1000);
    EXPECT_EQ(cell(sample(600), "powercap:package-0 J"), "");
    add("package-0", 1000);
    EXPECT_EQ(cell(sample(610), "powercap:package-0 J"), "1000.000000");
}

TEST_F(EnergyTimeline, ACounterThatStandsStillIsNotZero)
{
    begin("amd");
    sample(0);
    add("package-0", 1);
    EXPECT_EQ(cell(sample(0.01), "powercap:package-0 W"), "100.00");
    const Cells still = sample(0.02);
    EXPECT_EQ(cell(still, "powercap:package-0 J"), "1.000000");
    EXPECT_EQ(cell(still, "powercap:package-0 W"), "");
    EXPECT_EQ(cell(sample(0.07), "powercap:package-0 J"), "");
    add("package-0", 6);
    const Cells again = sample(0.08);
    EXPECT_EQ(cell(again, "powercap:package-0 J"), "7.000000");
    EXPECT_EQ(cell(again, "powercap:package-0 W"), "85.71"); // 6 J in 70 ms
}

TEST_F(EnergyTimeline, MetersOfPowerAreIntegrated)
{
    begin("grace");
    const std::string id = "hwmon:power_meter/Grace Power Socket 0";
    EXPECT_EQ(cell(sample(0), id + " W"), "240.00");
    write_file("sys/class/hwmon/hwmon1/device/power1_average", "260000000");
    const Cells cells = sample(2);
    EXPECT_EQ(cell(cells, id + " J"), "500.000000");
    EXPECT_EQ(cell(cells, id + " W"), "260.00");
    write_file("sys/class/hwmon/hwmon1/device/power1_average", "garbage");
    const Cells lost = sample(3);
    EXPECT_EQ(cell(lost, id + " J"), "");
    EXPECT_EQ(cell(lost, id + " W"), "");
    write_file("sys/class/hwmon/hwmon1/device/power1_average", "500000000");
    const Cells found = sample(4);
    EXPECT_EQ(cell(found, id + " J"), "500.000000");
    EXPECT_EQ(cell(found, id + " W"), "500.00");
    EXPECT_EQ(cell(sample(5), id + " J"), "1000.000000");
    json_t *parts = json_object_get(head, "parts");
    ASSERT_EQ(json_array_size(parts), 2U);
    EXPECT_EQ(json_string_value(json_array_get(parts, 0)), id);
}

TEST_F(EnergyTimeline, SensorsAreReadWhereAskedFor)
{
    write_machine("client");
    write_file("sys/class/hwmon/hwmon0/name", "coretemp");
    write_file("sys/class/hwmon/hwmon0/temp1_input", "45500");
    write_file("sys/class/hwmon/hwmon0/temp1_label", "Package id 0");
    write_file("sys/class/hwmon/hwmon0/temp2_input", "none");
    write_file("sys/class/thermal/thermal_zone0/type", "acpitz");
    write_file("sys/class/thermal/thermal_zone0/temp", "-2000");
    write_file("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2400000");
    begin();
    const Cells with = sample(0, true), without = sample(1);
    EXPECT_EQ(cell(with, "coretemp/Package id 0 C"), "45.5");
    EXPECT_EQ(cell(with, "thermal/acpitz C"), "-2");
    EXPECT_EQ(cell(with, "cpu0 MHz"), "2400");
    EXPECT_EQ(cell(without, "cpu0 MHz"), "");
    EXPECT_EQ(sensors.count, 3U);
}

TEST_F(EnergyTimeline, SensorsHaveNamesOfTheirOwnAndOthersFilesAreNoSensors)
{
    write_machine("client");
    for (const std::string monitor : {"hwmon0", "hwmon1"}) {
        write_file("sys/class/hwmon/" + monitor + "/name", "nvme");
        write_file("sys/class/hwmon/" + monitor + "/temp1_input", "30000");
        write_file("sys/class/hwmon/" + monitor + "/temp1_label", "Composite");
    }
    write_file("sys/class/hwmon/hwmon2/name", "");
    write_file("sys/class/hwmon/hwmon2/temp1_input", "31000");
    write_file("sys/class/hwmon/hwmon2/temp2_input", "32000");
    write_file("sys/class/hwmon/hwmon2/temp2_label", "");
    write_file("sys/class/hwmon/hwmon2/temp3_input", "33000 mC");
    write_file("sys/class/hwmon/hwmon2/temp4_input_old", "34000");
    write_file("sys/class/thermal/cooling_device0/type", "fan");
    write_file("sys/class/thermal/cooling_device0/temp", "35000");
    write_file("sys/devices/system/cpu/cpuidle/cpufreq/scaling_cur_freq", "36000");
    begin();
    std::vector<std::string> found;
    for (size_t i = 0; i < sensors.count; i++)
        found.emplace_back(sensors.items[i].name);
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, (std::vector<std::string>{"hwmon2/temp1", "hwmon2/temp2", "nvme/Composite",
                                               "nvme/Composite#2"}));
}

TEST_F(EnergyTimeline, TheHeadDescribesEveryColumn)
{
    for (const std::string &machine : machine_names()) {
        begin(machine);
        json_t *columns = json_object_get(head, "columns"), *column;
        ASSERT_EQ(json_array_size(columns), names.size()) << machine;
        size_t i;
        json_array_foreach(columns, i, column)
        {
            EXPECT_EQ(json_string_value(json_object_get(column, "name")), names[i]) << machine;
            const std::string unit = json_string_value(json_object_get(column, "unit"));
            EXPECT_TRUE(i == 0 ? unit == "ns"
                               : names[i].substr(names[i].size() - unit.size()) == unit);
            const char *zone = json_string_value(json_object_get(column, "zone"));
            EXPECT_EQ(zone ? zone + (" " + unit) : "", unit == "J" || unit == "W" ? names[i] : "")
                << machine;
        }
        EXPECT_EQ(json_is_true(json_object_get(head, "virtual")),
                  machine == "virtual" || machine == "here");
        EXPECT_EQ(json_real_value(json_object_get(head, "interval_ms")), 10);
        EXPECT_EQ(json_real_value(json_object_get(head, "slow_interval_ms")), 1000);
        EXPECT_STREQ(json_string_value(json_object_get(head, "host")), "node");
        EXPECT_EQ(json_integer_value(json_object_get(head, "start_unix_ns")), 1790000000000000000);
        EXPECT_EQ(json_array_size(json_object_get(head, "zones")), meter->list.count);
        finish();
        std::filesystem::remove_all(folder);
        zones.clear();
    }
}
