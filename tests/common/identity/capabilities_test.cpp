// SPDX-License-Identifier: BSD-3-Clause
// What runtimes lack, by name and version.
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "tests/support.h"

extern "C" {
#include "common/identity/capabilities.h"
#include "common/identity/runtime_version.h"
}

namespace {

runtime_identity runtime(const char *name, const char *version)
{
    runtime_identity identity = {};
    std::snprintf(identity.name, sizeof identity.name, "%s", name);
    std::snprintf(identity.version, sizeof identity.version, "%s", version);
    return identity;
}

std::string reason(const runtime_identity &identity, unsigned needs, bool compiled,
                   const char *library = nullptr)
{
    std::vector<char> text(CAPABILITY_TEXT_SIZE);
    bool allowed =
        capabilities_allow(&identity, needs, compiled, library, text.data(), text.size());
    EXPECT_EQ(allowed, text[0] == '\0');
    return text.data();
}

// As far as the evidence for it.
std::string lack(const runtime_identity &identity, unsigned needs)
{
    std::string text = reason(identity, needs, true);
    auto evidence = text.find(": it ");
    EXPECT_NE(evidence, std::string::npos) << text;
    return text.substr(0, evidence);
}

TEST(Capabilities, NothingNeededRunsEverywhere)
{
    for (const char *name : {"libgomp", "libomp", "xkaapi", "bolt", "unknown"})
        EXPECT_EQ(reason(runtime(name, ""), 0, true), "") << name;
}

TEST(Capabilities, ALackIsNamedWithItsRuntime)
{
    unsigned needs = CAPABILITY_MANY_ITEMS | CAPABILITY_ITERATORS;
    EXPECT_EQ(lack(runtime("xkaapi", ""), needs),
              "needs more than four depend items on a task, which xkaapi lacks");
    EXPECT_EQ(reason(runtime("libomp", "19"), needs, true), "");
    EXPECT_EQ(lack(runtime("libomp", "16"), CAPABILITY_PRIORITIES),
              "needs task priorities, which libomp 16 lacks");
}

TEST(Capabilities, ReportsWhatTheCompilerLacksInTheSameWords)
{
    EXPECT_EQ(reason(runtime("libomp", "19"), CAPABILITY_ITERATORS, false),
              "needs depend iterators (OpenMP 5.0), which this build's compiler lacks");
}

TEST(Capabilities, NamesALibraryThatTheBuildWasMadeWithout)
{
    EXPECT_EQ(reason(runtime("libomp", "19"), CAPABILITY_DETACH, false, "Some Library"),
              "needs Some Library, a library that this build was made without");
    EXPECT_EQ(reason(runtime("libomp", "19"), CAPABILITY_DETACH, true, "Some Library"), "");
}

TEST(Capabilities, ALackMayConcernTheEntryPointsOfOneCompiler)
{
    runtime_identity libomp = runtime("libomp", "19");
    libomp.abi = "KMP";
    EXPECT_EQ(reason(libomp, CAPABILITY_DETACH, true), "");
    libomp.abi = "GOMP";
    EXPECT_EQ(lack(libomp, CAPABILITY_DETACH),
              "needs detach clauses (OpenMP 5.0), which libomp 19 lacks");
}

TEST(Capabilities, TheReasonQuotesWhatTheRuntimeSays)
{
    for (const char *name : {"libomp", "libiomp5", "bolt"}) {
        runtime_identity identity = runtime(name, "");
        identity.abi = "GOMP";
        std::string text = reason(identity, CAPABILITY_INOUTSET, true);
        EXPECT_NE(text.find("\"Unknown depobj type\""), std::string::npos) << text;
        identity.abi = "KMP";
        EXPECT_EQ(reason(identity, CAPABILITY_INOUTSET, true), "") << name;
    }
}

priority_effect priorities(const char *name, const char *version, const char *abi)
{
    runtime_identity identity = runtime(name, version);
    identity.abi = abi;
    const char *evidence;
    priority_effect found = capabilities_priorities(&identity, &evidence);
    EXPECT_EQ(found == PRIORITIES_IGNORED, evidence != nullptr) << name << ' ' << version;
    return found;
}

TEST(Capabilities, PrioritiesAreIgnoredByRuntimeVersionAndEntryPoints)
{
    EXPECT_EQ(priorities("libgomp", "12", "GOMP"), PRIORITIES_HONOURED);
    EXPECT_EQ(priorities("libomp", "19", "KMP"), PRIORITIES_HONOURED);
    EXPECT_EQ(priorities("libomp", "19", "GOMP"), PRIORITIES_IGNORED);
    EXPECT_EQ(priorities("libomp", "14", "KMP"), PRIORITIES_IGNORED);
    EXPECT_EQ(priorities("libomp", "<13", "KMP"), PRIORITIES_IGNORED);
    EXPECT_EQ(priorities("libiomp5", "2026.2.0", "KMP"), PRIORITIES_HONOURED);
    EXPECT_EQ(priorities("libiomp5", "2026.2.0", "GOMP"), PRIORITIES_IGNORED);
    for (const char *name : {"bolt", "xkaapi", "libkomp"})
        EXPECT_EQ(priorities(name, "", "KMP"), PRIORITIES_IGNORED) << name;
    EXPECT_EQ(priorities("ompss", "0.16a", "NANOX"), PRIORITIES_HONOURED);
}

TEST(Capabilities, AVersionOnEitherSideLeavesPrioritiesUncertain)
{
    EXPECT_EQ(priorities("libomp", "", "KMP"), PRIORITIES_UNCERTAIN);
    EXPECT_EQ(priorities("libomp", "13-15", "KMP"), PRIORITIES_UNCERTAIN);
    EXPECT_EQ(priorities("libomp", ">=14", "KMP"), PRIORITIES_UNCERTAIN);
    EXPECT_EQ(priorities("libomp", "", "GOMP"), PRIORITIES_IGNORED);
}

TEST(Capabilities, AVersionThatMayBeMeantCounts)
{
    for (const char *version : {"15", "16", "16.0.6", "13-15", "16-20", ">=14", "<16", ""})
        EXPECT_TRUE(runtime_version_may_be(version, 15, 16)) << version;
    for (const char *version : {"14", "17", "13-14", "17-20", ">=17", "<15"})
        EXPECT_FALSE(runtime_version_may_be(version, 15, 16)) << version;
}

} // namespace
