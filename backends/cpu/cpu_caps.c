/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What this processor is; see cpu_caps.h. */
#include "backends/cpu/cpu_caps.h"

#include <unistd.h>

#include "backends/cpu/cpu_pass.h"

/* Cache sizes are as the C library knows them; where it does not, as in the
 * preset. A tile takes half of the second-level cache, which keeps the other
 * half for tables and for what is loaded and stored. */
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
    return caps;
}
