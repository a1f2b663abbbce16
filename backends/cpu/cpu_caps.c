/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The limits and rates of this processor; see cpu_caps.h. */
#include "backends/cpu/cpu_caps.h"

#include <stdatomic.h>
#include <unistd.h>

#include "backends/cpu/cpu_pass.h"

int64_t stfi_cpu_memory_bytes(void)
{
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

/* The size of the second-level cache, or 0 if the C library does not know it. It may ask
 * the processor by an instruction that takes long in a virtual machine. */
static int64_t l2_bytes(void)
{
    static _Atomic int64_t known = -1;
    int64_t bytes = known;

    if (bytes >= 0)
        return bytes;
    bytes = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    known = bytes > 0 ? bytes : 0;
    return known;
}

/* A large second-level cache has a prefetcher that is faster, until the third one holds
 * no more. Bounds: measured, with 512 KiB (`small`) and 2 MiB. */
int64_t stfi_cpu_far_bytes(int64_t small)
{
    enum { LARGE = 1 << 20, FAR = 1 << 26 };

    return l2_bytes() >= LARGE && small < FAR ? FAR : small;
}

/* The size of the second-level cache is from the C library or, if it does not
 * know the size, from the preset. A tile takes half of that cache, so that the
 * other half is left for tables and for data on their way. */
stfi_caps stfi_cpu_caps(const char *isa, int threads)
{
    stfi_caps caps = *stfi_preset_find("cpu");
    const int64_t l2 = l2_bytes();

    caps.wave = stfi_cpu_isa_bytes(isa);
    if (l2 >= 131072) {
        caps.l2_bytes = l2;
        caps.block_bytes = l2 / 2;
    }
    caps.units = threads;
    caps.memory_bytes = stfi_cpu_memory_bytes();
    return caps;
}
