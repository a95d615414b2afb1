/* SPDX-License-Identifier: BSD-3-Clause
 * Of x86-64 by CPUID, of others by what the kernel passes to every program. */
#include "common/base/processor.h"

#include <stdio.h>

#if defined(__x86_64__)

#include <cpuid.h>
#include <string.h>

bool processor_has(enum processor_feature feature)
{
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    switch (feature) {
    case PROCESSOR_SSE:
        return true;
    case PROCESSOR_AVX:
        return __builtin_cpu_supports("avx");
    case PROCESSOR_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case PROCESSOR_AVX512:
        return avx512;
    case PROCESSOR_AVX512_VL:
        return avx512 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    case PROCESSOR_NEON:
        break;
    }
    return false;
}

bool processor_is_amd(void)
{
    return __builtin_cpu_is("amd");
}

void processor_describe(char *text, size_t size)
{
    unsigned words[13] = {0}, a, b = 0, c = 0, d = 0, extended = 0, more = 0;
    unsigned *part = words;
    for (unsigned leaf = 0x80000002; leaf <= 0x80000004; leaf++, part += 4)
        __get_cpuid(leaf, &part[0], &part[1], &part[2], &part[3]);
    const char *name = (const char *)words + strspn((const char *)words, " ");
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == ' ')
        length--;
    __get_cpuid_count(7, 0, &a, &extended, &more, &d);
    __get_cpuid(1, &a, &b, &c, &d);
    snprintf(text, size, "%.*s;%x,%x,%x,%x", (int)length, name, c, d, extended, more);
}

#else

#include <sys/auxv.h>

bool processor_has(enum processor_feature feature)
{
#if defined(__aarch64__)
    return feature == PROCESSOR_NEON;
#else
    (void)feature;
    return false;
#endif
}

bool processor_is_amd(void)
{
    return false;
}

void processor_describe(char *text, size_t size)
{
    snprintf(text, size, "HWCAP %lx %lx;", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
}

#endif
