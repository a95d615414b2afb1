/* SPDX-License-Identifier: BSD-3-Clause
 * What the zones of powercap add up to, on a machine for each mistake that tools have made. */
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "tests/common/energy/machine_tree.h"

using Names = std::vector<std::string>;

/* Each zone gets joules of its own, powers of 2, so that a sum shows what it consists of. */
struct Expected {
    const char *machine;
    Names parts;
    double joules;
    std::function<std::map<std::string, double>()> added;
};

static const Expected MACHINES[] = {
    {"client",
     {"package-0"},
     8,
     [] {
         return std::map<std::string, double>{
             {"package-0", 8}, {"package-0/core", 4}, {"package-0/uncore", 2}};
     }},
    {"two-sockets",
     {"package-0", "package-0/dram", "package-1", "package-1/dram"},
     15,
     [] {
         return std::map<std::string, double>{
             {"package-0", 8}, {"package-0/dram", 4}, {"package-1", 2}, {"package-1/dram", 1}};
     }},
    {"four-sockets",
     {"package-0", "package-0/dram", "package-1", "package-1/dram", "package-2", "package-2/dram",
      "package-3", "package-3/dram"},
     255,
     [] {
         return std::map<std::string, double>{
             {"package-0", 128}, {"package-0/dram", 64}, {"package-1", 32}, {"package-1/dram", 16},
             {"package-2", 8},   {"package-2/dram", 4},  {"package-3", 2},  {"package-3/dram", 1}};
     }},
    {"psys-between",
     {"package-0", "package-0/dram", "package-1", "package-1/dram"},
     15,
     [] {
         return std::map<std::string, double>{{"package-0", 8},
                                              {"package-0/dram", 4},
                                              {"psys", 100},
                                              {"package-1", 2},
                                              {"package-1/dram", 1}};
     }},
    {"mmio-mirror",
     {"package-0", "package-0/dram"},
     12,
     [] {
         return std::map<std::string, double>{{"package-0", 8},
                                              {"package-0/dram", 4},
                                              {"package-0/core", 2},
                                              {"package-0/uncore", 1},
                                              {"psys", 100}};
     }},
    {"mmio-only", {"package-0"}, 8, [] { return std::map<std::string, double>{{"package-0", 8}}; }},
    {"tpmi",
     {"package-0", "package-0/dram", "package-1", "package-1/dram"},
     15,
     [] {
         return std::map<std::string, double>{{"package-0", 8},
                                              {"package-0/dram", 4},
                                              {"package-1", 2},
                                              {"package-1/dram", 1},
                                              {"psys", 100}};
     }},
    {"amd",
     {"package-0"},
     8,
     [] { return std::map<std::string, double>{{"package-0", 8}, {"package-0/core", 1}}; }},
    {"amd-mirrored-dies",
     {"package-0-die-0", "package-1-die-0"},
     12,
     [] {
         return std::map<std::string, double>{{"package-0-die-0", 8},
                                              {"package-1-die-0", 4},
                                              {"package-0-die-0/core", 2},
                                              {"package-0-die-1/core", 1}};
     }},
    // Dies of Intel are counted even if they took the same.
    {"intel-dies",
     {"package-0-die-0", "package-0-die-0/dram", "package-0-die-1", "package-0-die-1/dram"},
     20,
     [] {
         return std::map<std::string, double>{{"package-0-die-0", 8},
                                              {"package-0-die-0/dram", 2},
                                              {"package-0-die-1", 8},
                                              {"package-0-die-1/dram", 2}};
     }},
    {"disabled",
     {"package-0", "package-0/dram"},
     12,
     [] { return std::map<std::string, double>{{"package-0", 8}, {"package-0/dram", 4}}; }},
    {"range-zero",
     {"package-0"},
     8,
     [] { return std::map<std::string, double>{{"package-0", 8}}; }},
    {"range-unreadable",
     {"package-0"},
     8,
     [] { return std::map<std::string, double>{{"package-0", 8}}; }},
    // Both wrap, each by its own range.
    {"ranges",
     {"package-0", "package-0/dram"},
     12,
     [] { return std::map<std::string, double>{{"package-0", 8}, {"package-0/dram", 4}}; }},
};

class EnergyMachines : public MachineTree {};

class EnergyParts : public MachineTree, public testing::WithParamInterface<Expected> {};

TEST_P(EnergyParts, ArePackagesAndMemoryOnce)
{
    const Expected &expected = GetParam();
    open_machine(expected.machine);
    measure(2.0, [&] {
        for (const auto &[zone, joules] : expected.added())
            add(zone, joules);
    });
    EXPECT_EQ(meter->total.status, ENERGY_MEASURED) << meter->total.reason;
    EXPECT_NEAR(meter->total.joules, expected.joules, 1e-9);
    EXPECT_EQ(parts(), expected.parts);
    for (const auto &[zone, joules] : expected.added())
        EXPECT_NEAR(energy_of(zone).joules, joules, 1e-9) << zone;
}

INSTANTIATE_TEST_SUITE_P(Machines, EnergyParts, testing::ValuesIn(MACHINES),
                         [](const testing::TestParamInfo<Expected> &machine) {
                             std::string name = machine.param.machine;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST_F(EnergyMachines, EveryZoneIsReadOnceAndHasItsOwnName)
{
    for (const std::string &name : machine_names()) {
        std::filesystem::remove_all(folder);
        zones.clear();
        open_machine(name);
        std::set<std::string> names, paths;
        for (size_t i = 0; i < meter->list.count; i++) {
            std::vector<char> text(ENERGY_ID_SIZE);
            const energy_zone &zone = meter->list.items[i];
            const std::string id = energy_zone_id(&zone, text.data());
            EXPECT_TRUE(names.insert(id).second) << name << " " << id;
            if (zone.kind != ENERGY_EVENT) {
                const auto path = std::filesystem::canonical(zone.path);
                EXPECT_TRUE(paths.insert(path).second) << zone.path;
            }
        }
    }
}

TEST_F(EnergyMachines, SocketsFollowFromNames)
{
    open_machine("psys-between");
    for (size_t i = 0; i < meter->list.count; i++) {
        const energy_zone &zone = meter->list.items[i];
        if (zone.role == ENERGY_PACKAGE) {
            EXPECT_EQ(zone.name, "package-" + std::to_string(zone.socket));
        }
    }
}

TEST_F(EnergyMachines, ADroppedMirrorSaysWhoseCounterItIs)
{
    open_machine("mmio-mirror");
    measure(1.0, [&] { add("package-0", 8); });
    const zone_energy &mirror = energy_of("package-0@intel-rapl-mmio");
    EXPECT_EQ(mirror.joules, energy_of("package-0").joules);
    EXPECT_FALSE(mirror.is_part);
    EXPECT_NE(std::string(mirror.reason).find("intel-rapl:0/energy_uj"), std::string::npos);
}

TEST_F(EnergyMachines, AMirrorReplacesWhatCannotBeRead)
{
    write_machine("mmio-mirror");
    const auto place = folder / "sys/class/powercap/intel-rapl:0/energy_uj";
    std::filesystem::remove(place);
    open_meter();
    measure(1.0, [&] {
        write_file("sys/class/powercap/intel-rapl-mmio:0/energy_uj", "1008000000");
        write_file("sys/class/powercap/intel-rapl:0:2/energy_uj", "1004000000");
    });
    EXPECT_EQ(parts(), (Names{"package-0/dram", "package-0@intel-rapl-mmio"}));
    EXPECT_NEAR(meter->total.joules, 12, 1e-9);
}

TEST_F(EnergyMachines, OfThreeControlTypesOneIsCounted)
{
    write_machine("three-types");
    std::filesystem::remove(folder / "sys/class/powercap/intel-rapl:0/energy_uj");
    open_meter();
    measure(1.0, [&] {
        write_file("sys/class/powercap/intel-rapl-tpmi:0/energy_uj", "1008000000");
        write_file("sys/class/powercap/intel-rapl-mmio:0/energy_uj", "1008000000");
    });
    EXPECT_EQ(parts(), (Names{"package-0@intel-rapl-tpmi"}));
    EXPECT_NEAR(meter->total.joules, 8, 1e-9);
}

TEST_F(EnergyMachines, DiesOfAmdThatDifferAreBothCounted)
{
    write_machine("amd-mirrored-dies");
    zones["package-0-die-0"].resize(1);
    open_meter();
    measure(1.0, [&] {
        add("package-0-die-0", 8);
        add("package-0-die-1", 6);
        add("package-1-die-0", 1);
    });
    EXPECT_EQ(parts(), (Names{"package-0-die-0", "package-0-die-1", "package-1-die-0"}));
    EXPECT_NEAR(meter->total.joules, 15, 1e-9);
}

/* One of two dies is read a step of the counter later. */
TEST_F(EnergyMachines, MirroredDiesNeedNotBeReadAtTheSameTime)
{
    write_machine("amd-mirrored-dies");
    zones["package-0-die-0"].resize(1);
    open_meter();
    measure(1.0, [&] {
        add("package-0-die-0", 100);
        add("package-0-die-1", 100.2);
        add("package-1-die-0", 1);
    });
    EXPECT_EQ(parts(), (Names{"package-0-die-0", "package-1-die-0"}));
    EXPECT_NEAR(meter->total.joules, 101, 1e-9);
}

TEST_F(EnergyMachines, AFallIsUnknownWithoutARangeAndNeverNegative)
{
    for (const char *machine : {"range-zero", "range-unreadable"}) {
        open_machine(machine);
        measure(1.0, [&] { write_counter("package-0", "5000\n"); });
        EXPECT_EQ(meter->total.status, ENERGY_UNKNOWN) << machine;
        EXPECT_TRUE(std::isnan(meter->total.joules)) << machine;
        std::filesystem::remove_all(folder);
        zones.clear();
    }
}

TEST_F(EnergyMachines, ACounterThatStandsStillIsUnknownAndNotZero)
{
    open_machine("disabled");
    measure(1.0, [&] { add("package-0", 8); });
    EXPECT_EQ(energy_of("package-0").status, ENERGY_MEASURED);
    EXPECT_EQ(energy_of("package-0/dram").status, ENERGY_UNKNOWN);
    EXPECT_TRUE(std::isnan(energy_of("package-0/dram").joules));
    EXPECT_EQ(meter->total.status, ENERGY_UNKNOWN);
    EXPECT_TRUE(std::isnan(meter->total.joules));
    EXPECT_NE(std::string(meter->total.reason).find("enabled is 0"), std::string::npos);
}

TEST_F(EnergyMachines, ARunShorterThanFiftyStepsIsTooShort)
{
    open_machine("amd");
    measure(0.049, [&] { add("package-0", 3); });
    EXPECT_EQ(meter->total.status, ENERGY_TOO_SHORT);
    EXPECT_NEAR(meter->total.joules, 3, 1e-9);
    measure(0.049, [&] {});
    EXPECT_EQ(meter->total.status, ENERGY_TOO_SHORT);
    EXPECT_TRUE(std::isnan(meter->total.joules));
    measure(0.050, [&] { add("package-0", 3); });
    EXPECT_EQ(meter->total.status, ENERGY_MEASURED);
}

TEST_F(EnergyMachines, ACounterThatVanishesDuringARunIsUnknown)
{
    for (const char *left : {"", "gone\n", "-1\n", "99999999999999999999\n"}) {
        open_machine("two-sockets");
        measure(1.0, [&] {
            for (const auto &[zone, places] : zones)
                add(zone, 8);
            write_counter("package-1/dram", left);
        });
        EXPECT_EQ(energy_of("package-1").status, ENERGY_MEASURED);
        EXPECT_EQ(energy_of("package-1/dram").status, ENERGY_UNKNOWN) << left;
        EXPECT_EQ(meter->total.status, ENERGY_UNKNOWN) << left;
        EXPECT_TRUE(std::isnan(meter->total.joules)) << left;
        std::filesystem::remove_all(folder);
        zones.clear();
    }
}

TEST_F(EnergyMachines, PartOfTheMachineIsNotItsTotal)
{
    write_machine("two-sockets");
    std::filesystem::remove(zones["package-1"].front() / "energy_uj");
    open_meter();
    measure(1.0, [&] {
        for (const char *zone : {"package-0", "package-0/dram", "package-1/dram"})
            add(zone, 8);
    });
    EXPECT_EQ(meter->total.status, ENERGY_UNKNOWN);
    EXPECT_TRUE(std::isnan(meter->total.joules));
}

/* Root reads everything: the test gives that up for as long as it opens files. */
TEST_F(EnergyMachines, UnreadableEnergyIsUnavailableAndNamesTheFile)
{
    write_machine("unreadable");
    std::filesystem::permissions(folder, std::filesystem::perms(0755));
    const bool is_root = geteuid() == 0;
    if (is_root && seteuid(65534) != 0)
        GTEST_SKIP() << "root of a container that has no other user";
    std::error_code error;
    const bool is_reached = std::filesystem::exists(folder, error);
    if (is_reached)
        open_meter();
    ASSERT_TRUE(!is_root || seteuid(0) == 0);
    if (!is_reached)
        GTEST_SKIP() << folder << " is in a folder of root alone";
    measure(1.0, [] {});
    EXPECT_EQ(meter->total.status, ENERGY_UNAVAILABLE);
    EXPECT_TRUE(std::isnan(meter->total.joules));
    const std::string reason = meter->total.reason;
    EXPECT_NE(
        reason.find("intel-rapl:0/energy_uj is not readable (Permission denied): pollux doctor"),
        std::string::npos)
        << reason;
    EXPECT_FALSE(meter->can_read);
}

TEST_F(EnergyMachines, WithoutCountersEverySourceSaysWhy)
{
    open_machine("empty-powercap");
    EXPECT_EQ(meter->total.status, ENERGY_UNAVAILABLE);
    const std::string root = folder.string(), reason = meter->total.reason;
    EXPECT_EQ(reason, "powercap: no zone of RAPL in " + root +
                          "/sys/class/powercap; perf: there is no " + root +
                          "/sys/bus/event_source/devices; hwmon: there is no " + root +
                          "/sys/class/hwmon; cray: there is no " + root + "/sys/cray/pm_counters");
}

TEST_F(EnergyMachines, AVirtualMachineIsMarked)
{
    open_machine("virtual");
    EXPECT_TRUE(meter->is_virtual);
    measure(1.0, [&] { add("package-0", 8); });
    EXPECT_EQ(meter->total.status, ENERGY_MEASURED);
    std::filesystem::remove_all(folder);
    open_machine("client");
    EXPECT_FALSE(meter->is_virtual);
}

TEST_F(EnergyMachines, FirmwareTellsOfAVirtualMachineWithoutTheFlagOfX86)
{
    struct {
        std::string maker, product;
        bool is_virtual;
    } const found[] = {{"QEMU", "KVM Virtual Machine", true},
                       {"Amazon EC2", "c7g.large", true},
                       {"Amazon EC2", "c7g.metal", false},
                       {"NVIDIA", "Grace CPU", false}};
    for (const auto &[maker, product, is_virtual] : found) {
        write_machine("grace");
        write_file("sys/class/dmi/id/sys_vendor", maker);
        write_file("sys/class/dmi/id/product_name", product);
        open_meter();
        EXPECT_EQ(meter->is_virtual, is_virtual) << maker << " " << product;
        std::filesystem::remove_all(folder);
    }
    write_machine("grace");
    write_file("proc/device-tree/hypervisor/compatible", "xen,xen-4.17");
    open_meter();
    EXPECT_TRUE(meter->is_virtual);
}
