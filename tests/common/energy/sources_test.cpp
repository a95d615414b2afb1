/* SPDX-License-Identifier: BSD-3-Clause
 * The sources besides powercap: events of perf, hardware monitors, Cray's counters. */
#include <unistd.h>

#include <cerrno>
#include <cmath>

#include "tests/common/energy/machine_tree.h"

using Names = std::vector<std::string>;

/* Events are pipes here: what is written into one end is read as the event's count. */
struct OpenEvent {
    uint32_t type;
    uint64_t config;
    int cpu, writer;
};
static std::vector<OpenEvent> opened;

static int open_pipe(uint32_t type, uint64_t config, int cpu)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    opened.push_back({type, config, cpu, ends[1]});
    return ends[0];
}

static int open_refused(uint32_t, uint64_t, int)
{
    errno = EACCES;
    return -1;
}

class EnergyEvents : public MachineTree {
  protected:
    void TearDown() override
    {
        for (const OpenEvent &event : opened)
            close(event.writer);
        opened.clear();
        MachineTree::TearDown();
    }
    /* Joules as the kernel counts them, in units of 2^-32 J. */
    static void count(const OpenEvent &event, double joules)
    {
        const uint64_t counts = uint64_t(std::ldexp(joules, 32));
        ASSERT_EQ(::write(event.writer, &counts, sizeof counts), ssize_t(sizeof counts));
    }
    void measure_events(double begin, double rise)
    {
        for (const OpenEvent &event : opened)
            count(event, begin);
        measure(1.0, [&] {
            for (const OpenEvent &event : opened)
                count(event, begin + rise * double(event.config * 10 + uint64_t(event.cpu)));
        });
    }
};

TEST_F(EnergyEvents, AreOpenedOnEveryListedProcessorAndAdded)
{
    open_machine("perf-only", open_pipe);
    ASSERT_EQ(opened.size(), 8U);
    for (const OpenEvent &event : opened) {
        EXPECT_EQ(event.type, 14U);
        EXPECT_TRUE(event.cpu == 0 || event.cpu == 2);
    }
    measure_events(3e9, 1.0); // more joules than 32 bits of 61 µJ hold
    EXPECT_EQ(parts(),
              (Names{"energy-pkg@cpu0", "energy-pkg@cpu2", "energy-ram@cpu0", "energy-ram@cpu2"}));
    EXPECT_EQ(meter->total.status, ENERGY_MEASURED) << meter->total.reason;
    EXPECT_NEAR(meter->total.joules, 20 + 22 + 30 + 32, 1e-6);
    EXPECT_NEAR(energy_of("energy-psys@cpu0").joules, 50, 1e-6);
    EXPECT_EQ(meter->list.items[2].socket, 0);
    EXPECT_EQ(meter->list.items[3].socket, 1);
}

TEST_F(EnergyEvents, AreUsedWherePowercapDoesNotTell)
{
    write_machine("two-sockets");
    write_file("sys/devices/virtual/powercap/intel-rapl/intel-rapl:0/max_energy_range_uj", "0");
    open_meter(open_pipe);
    for (const OpenEvent &event : opened)
        count(event, 1);
    measure(1.0, [&] {
        write_counter("package-0", "1\n"); // fell
        for (const OpenEvent &event : opened)
            count(event, 11);
    });
    EXPECT_EQ(meter->total.source, ENERGY_PERF);
    EXPECT_NEAR(meter->total.joules, 40, 1e-6);
}

TEST_F(EnergyEvents, SourcesAreNotAddedToEachOther)
{
    open_machine("two-sockets", open_pipe);
    for (const OpenEvent &event : opened)
        count(event, 1);
    measure(1.0, [&] {
        for (const auto &[zone, places] : zones)
            add(zone, 10);
        for (const OpenEvent &event : opened)
            count(event, 11);
    });
    EXPECT_EQ(meter->total.source, ENERGY_POWERCAP);
    EXPECT_NEAR(meter->total.joules, 40, 1e-6);
}

TEST_F(EnergyEvents, ARefusalNamesTheSetting)
{
    write_machine("perf-only");
    write_file("proc/sys/kernel/perf_event_paranoid", "2");
    open_meter(open_refused);
    measure(1.0, [] {});
    EXPECT_EQ(meter->total.status, ENERGY_UNAVAILABLE);
    const std::string reason = meter->total.reason;
    EXPECT_NE(reason.find("kernel.perf_event_paranoid is 2"), std::string::npos) << reason;
    EXPECT_NE(reason.find("CAP_PERFMON"), std::string::npos) << reason;
}

TEST_F(EnergyEvents, WhatCannotBeUnderstoodIsNotOpened)
{
    struct {
        const char *file, *text, *fault;
    } const cases[] = {{"energy-pkg", "config=7", "is not event=NUMBER"},
                       {"energy-pkg", "event=", "is not event=NUMBER"},
                       {"energy-pkg.unit", "Watts", "its unit is not Joules"},
                       {"energy-pkg.scale", "much", "its scale is not a number above 0"},
                       {"energy-pkg.scale", "nan", "its scale is not a number above 0"},
                       {"energy-pkg.scale", "-1", "its scale is not a number above 0"}};
    for (const auto &c : cases) {
        write_machine("perf-only");
        write_file(std::string("sys/devices/power/events/") + c.file, c.text);
        open_meter(open_pipe);
        EXPECT_EQ(energy_of("energy-pkg@cpu0").status, ENERGY_UNAVAILABLE) << c.text;
        EXPECT_NE(std::string(energy_of("energy-pkg@cpu0").reason).find(c.fault),
                  std::string::npos);
        std::filesystem::remove_all(folder);
    }
}

TEST_F(EnergyEvents, ListsOfProcessorsMayHoldAnything)
{
    for (const char *list : {"", "none", "-1", "0-", "3-1", "0-99999999", ",,", "1,x"}) {
        write_machine("perf-only");
        write_file("sys/devices/power/cpumask", list);
        open_meter();
        EXPECT_LE(meter->list.count, 8U) << list;
        EXPECT_EQ(meter->total.status, ENERGY_UNAVAILABLE) << list;
        std::filesystem::remove_all(folder);
    }
}

TEST_F(EnergyEvents, ALongListOfProcessorsIsReadToItsEnd)
{
    std::string list = "0";
    for (int cpu = 1001; cpu < 1100; cpu++)
        list += "," + std::to_string(cpu);
    write_machine("perf-only");
    write_file("sys/devices/power/cpumask", list);
    open_meter();
    ASSERT_EQ(meter->list.count, 4 * 100U);
    EXPECT_STREQ(meter->list.items[meter->list.count - 1].name, "energy-ram@cpu1099");
}

TEST_F(EnergyEvents, EventsOfEveryCoreAreNotRead)
{
    open_machine("amd-mirrored-dies", open_pipe);
    ASSERT_EQ(opened.size(), 2U);
    EXPECT_EQ(opened[0].type, 14U);
}

class EnergyMonitors : public MachineTree {};

TEST_F(EnergyMonitors, SocketsOfAmdEnergyCountAndCoresDoNot)
{
    open_machine("amd-energy");
    measure(1.0, [&] {
        write_file("sys/class/hwmon/hwmon0/energy1_input", "9000000");
        write_file("sys/class/hwmon/hwmon0/energy3_input", "90000000");
    });
    EXPECT_EQ(meter->list.count, 1U);
    EXPECT_EQ(parts(), Names{"amd_energy/Esocket0"});
    EXPECT_NEAR(meter->total.joules, 20, 1e-9);
}

TEST_F(EnergyMonitors, OtherDevicesAreReadAndNeverAdded)
{
    open_machine("graphics-energy");
    measure(1.0, [&] { write_file("sys/class/hwmon/hwmon0/energy1_input", "950000000"); });
    EXPECT_NEAR(energy_of("xe/card").joules, 50, 1e-9);
    EXPECT_EQ(meter->total.status, ENERGY_UNAVAILABLE);
    EXPECT_TRUE(std::isnan(meter->total.joules));
}

TEST_F(EnergyMonitors, OfTheNestedMetersOfGraceOneIsAPart)
{
    open_machine("grace");
    measure(1.0, [] {});
    Names names;
    for (size_t i = 0; i < meter->list.count; i++) {
        EXPECT_EQ(meter->list.items[i].kind, ENERGY_POWER);
        if (meter->zones[i].is_part)
            names.push_back(meter->list.items[i].name);
    }
    EXPECT_EQ(names,
              (Names{"power_meter/Grace Power Socket 0", "power_meter/Grace Power Socket 1"}));
    EXPECT_EQ(meter->total.status, ENERGY_UNAVAILABLE);
    EXPECT_NE(std::string(meter->total.reason).find("pollux power"), std::string::npos);
    EXPECT_FALSE(meter->can_read);
}

TEST_F(EnergyMonitors, NamesAreFitForTables)
{
    write_machine("graphics-energy");
    write_file("sys/class/hwmon/hwmon0/energy1_label", "a \"b\",\tc\x1b[1m é");
    open_meter();
    EXPECT_STREQ(meter->list.items[0].name, "xe/a _b___c__1m __");
}

class EnergyCray : public MachineTree {};

TEST_F(EnergyCray, CountsProcessorAndMemoryAndNotTheNode)
{
    open_machine("cray");
    const auto run = [&](double seconds) {
        write_file("sys/cray/pm_counters/cpu_energy", "60000000 J 1790000000000000 us");
        write_file("sys/cray/pm_counters/memory_energy", "20000000 J 1790000000000000 us");
        measure(seconds, [&] {
            write_file("sys/cray/pm_counters/cpu_energy", "60002000 J 1790000010000000 us");
            write_file("sys/cray/pm_counters/memory_energy", "20000600 J 1790000010000000 us");
        });
    };
    run(10.0);
    EXPECT_EQ(parts(), (Names{"cpu_energy", "memory_energy"}));
    EXPECT_EQ(meter->total.status, ENERGY_MEASURED) << meter->total.reason;
    EXPECT_NEAR(meter->total.joules, 2600, 1e-9);
    run(4.0); // 40 updates
    EXPECT_EQ(meter->total.status, ENERGY_TOO_SHORT);
}
