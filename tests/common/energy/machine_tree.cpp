/* SPDX-License-Identifier: BSD-3-Clause
 * Links are where the kernel has them: the class of powercap links to every zone. */
#include "tests/common/energy/machine_tree.h"

#include <cmath>

namespace fs = std::filesystem;

static const char *const FULL_RANGE = "262143328850"; // 2^32 units of 61 µJ
static const char *const FIRST_ENERGY = "1000000000";

static json_t *all_machines()
{
    static json_t *const machines = json_load_file(POLLUX_TEST_MACHINES, 0, nullptr);
    return machines;
}

std::vector<std::string> machine_names()
{
    std::vector<std::string> names;
    const char *name;
    json_t *machine;
    json_object_foreach(all_machines(), name, machine)
    {
        names.push_back(name);
    }
    return names;
}

/* A number or a string, or what is used instead of nothing. */
static std::string text_of(const json_t *value, const std::string &otherwise)
{
    if (json_is_integer(value))
        return std::to_string(json_integer_value(value));
    return json_is_string(value) ? json_string_value(value) : otherwise;
}

static json_int_t number_of(const json_t *object, const char *key, json_int_t otherwise)
{
    const json_t *value = json_object_get(object, key);
    return value ? json_integer_value(value) : otherwise;
}

void MachineTree::write_file(const std::string &path, const std::string &text) const
{
    const fs::path file = folder / path;
    fs::create_directories(file.parent_path());
    if (path.back() != '/')
        std::ofstream(file) << text << (!text.empty() && text.back() == '\n' ? "" : "\n");
}

void MachineTree::link(const std::string &path, const std::string &target) const
{
    const fs::path file = folder / path;
    fs::create_directories(file.parent_path());
    fs::create_symlink((folder / target).lexically_relative(file.parent_path()), file);
}

void MachineTree::write_processors(const json_t *machine) const
{
    const json_int_t cpus = number_of(machine, "cpus", 1),
                     sockets = number_of(machine, "sockets", 1);
    const bool is_x86 = !json_object_get(machine, "architecture");
    std::string info;
    for (json_int_t cpu = 0; cpu < cpus; cpu++) {
        write_file("sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                       "/topology/physical_package_id",
                   std::to_string(cpu * sockets / cpus));
        info += "processor\t: " + std::to_string(cpu) + "\n";
        if (is_x86)
            info += "vendor_id\t: " + text_of(json_object_get(machine, "vendor"), "GenuineIntel") +
                    "\nflags\t\t: fpu msr" +
                    (json_object_get(machine, "virtual") ? " hypervisor\n" : "\n");
    }
    write_file("proc/cpuinfo", info);
}

void MachineTree::write_zone(const std::string &above, const std::string &number,
                             const std::string &prefix, const json_t *zone)
{
    const std::string own = above + "/" + number;
    const std::string name = json_string_value(json_object_get(zone, "name"));
    const json_t *range = json_object_get(zone, "range"), *inner;
    write_file(own + "/name", name);
    write_file(own + "/energy_uj", text_of(json_object_get(zone, "energy"), FIRST_ENERGY));
    if (const json_t *mode = json_object_get(zone, "mode"))
        fs::permissions(folder / own / "energy_uj",
                        fs::perms(std::stoul(json_string_value(mode), nullptr, 8)));
    if (!json_is_null(range))
        write_file(own + "/max_energy_range_uj", text_of(range, FULL_RANGE));
    write_file(own + "/enabled", std::to_string(number_of(zone, "enabled", 1)));
    link(own + "/device", above);
    link("sys/class/powercap/" + number, own);
    zones[prefix + name].push_back(folder / own);
    size_t index;
    json_array_foreach(json_object_get(zone, "zones"), index, inner)
    {
        write_zone(own, number + ":" + std::to_string(index), prefix + name + "/", inner);
    }
}

void MachineTree::write_control(const std::string &control, const json_t *tops)
{
    const std::string own = "sys/devices/virtual/powercap/" + control;
    write_file(own + "/enabled", "1");
    link("sys/class/powercap/" + control, own);
    size_t index;
    const json_t *top;
    json_array_foreach(tops, index, top)
    {
        write_zone(own, control + ":" + std::to_string(index), "", top);
        const json_t *first =
            json_array_get(tops, size_t(number_of(top, "mirrors", json_int_t(index))));
        auto &mirrored = zones[json_string_value(json_object_get(first, "name"))];
        auto &mirror = zones[json_string_value(json_object_get(top, "name"))];
        if (&mirrored != &mirror)
            mirrored.push_back(mirror.front());
    }
}

void MachineTree::write_events(const std::string &name, const json_t *source) const
{
    const std::string own = "sys/devices/" + name;
    link("sys/bus/event_source/devices/" + name, own);
    write_file(own + "/type", text_of(json_object_get(source, "type"), ""));
    write_file(own + "/cpumask", text_of(json_object_get(source, "cpumask"), ""));
    const char *event;
    json_t *parts;
    json_object_foreach(json_object_get(source, "events"), event, parts)
    {
        const std::string file = own + "/events/" + event;
        write_file(file, text_of(json_object_get(parts, "code"), ""));
        write_file(file + ".scale", "2.3283064365386962890625e-10");
        write_file(file + ".unit", "Joules");
    }
}

void MachineTree::write_monitor(size_t number, const json_t *device) const
{
    const std::string name = text_of(json_object_get(device, "name"), "");
    const std::string parent = "sys/devices/platform/" + name + "." + std::to_string(number);
    const std::string own = parent + "/hwmon/hwmon" + std::to_string(number);
    link("sys/class/hwmon/hwmon" + std::to_string(number), own);
    const std::string place = json_object_get(device, "device") ? parent : own;
    write_file(own + "/uevent", "");
    write_file(place + "/name", name);
    link(own + "/device", parent);
    const char *file;
    json_t *text;
    json_object_foreach(json_object_get(device, "files"), file, text)
    {
        write_file(place + "/" + file, text_of(text, ""));
    }
}

void MachineTree::write_machine(const std::string &name)
{
    const json_t *machine = json_object_get(all_machines(), name.c_str());
    ASSERT_NE(machine, nullptr) << name;
    const char *key;
    json_t *value;
    size_t index;
    fs::create_directories(folder / "sys");
    write_processors(machine);
    json_object_foreach(json_object_get(machine, "powercap"), key, value)
    {
        write_control(key, value);
    }
    json_object_foreach(json_object_get(machine, "perf"), key, value)
    {
        write_events(key, value);
    }
    json_array_foreach(json_object_get(machine, "hwmon"), index, value)
    {
        write_monitor(index, value);
    }
    json_object_foreach(json_object_get(machine, "cray"), key, value)
    {
        write_file(std::string("sys/cray/pm_counters/") + key, text_of(value, ""));
    }
    json_object_foreach(json_object_get(machine, "files"), key, value)
    {
        write_file(key, text_of(value, ""));
    }
}

void MachineTree::open_meter(event_opener *open)
{
    energy_meter_destroy(meter);
    meter = energy_meter_create_at(folder.c_str(), open);
}

void MachineTree::open_machine(const std::string &name, event_opener *open)
{
    write_machine(name);
    open_meter(open);
}

/* Trees are many small files: where there is a file system in memory, they are there. */
void MachineTree::SetUp()
{
    std::string name = "/dev/shm/pollux-XXXXXX";
    if (mkdtemp(name.data()))
        folder = name;
    else
        Files::SetUp();
}

void MachineTree::TearDown()
{
    energy_meter_destroy(meter);
    Files::TearDown();
}

void MachineTree::write_counter(const std::string &zone, const std::string &text) const
{
    for (const fs::path &place : zones.at(zone))
        std::ofstream(place / "energy_uj") << text;
}

void MachineTree::add(const std::string &zone, double joules) const
{
    const fs::path place = zones.at(zone).front();
    uint64_t energy = std::stoull(content((place / "energy_uj").string()));
    const std::string range = content((place / "max_energy_range_uj").string());
    energy += uint64_t(std::llround(joules * 1e6));
    if (!range.empty() && std::stoull(range) > 0)
        energy %= std::stoull(range) + 1;
    write_counter(zone, std::to_string(energy) + "\n");
}

const zone_energy &MachineTree::energy_of(const std::string &name) const
{
    static const zone_energy none = {ENERGY_STATUSES, NAN, NO_ZONE, false, "no such zone"};
    for (size_t i = 0; i < meter->list.count; i++)
        if (meter->list.items[i].name == name)
            return meter->zones[i];
    return none;
}

std::vector<std::string> MachineTree::parts() const
{
    std::vector<std::string> names;
    for (size_t i = 0; i < meter->list.count; i++)
        if (meter->zones[i].is_part && meter->list.items[i].source == meter->total.source)
            names.push_back(meter->list.items[i].name);
    return names;
}
