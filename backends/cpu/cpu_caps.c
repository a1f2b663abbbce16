/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The limits and rates of this processor; see cpu_caps.h. */
#include "backends/cpu/cpu_caps.h"

#include <unistd.h>

#include "backends/cpu/cpu_pass.h"

int64_t stfi_cpu_memory_bytes(void)
{
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

/* The size of the second-level cache is from the C library or, if it does not
 * know the size, from the preset. A tile takes half of that cache, so that the
 * other half is left for tables and for data on their way. */
stfi_caps stfi_cpu_caps(const char *isa, int threads)
{
    stfi_caps caps = *stfi_preset_find("cpu");
    int64_t l2 = 0;

    caps.wave = stfi_cpu_isa_bytes(isa);
#ifdef _SC_LEVEL2_CACHE_SIZE
    l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    if (l2 >= 131072) {
        caps.l2_bytes = l2;
        caps.block_bytes = l2 / 2;
    }
    caps.units = threads;
    caps.memory_bytes = stfi_cpu_memory_bytes();
    return caps;
}
