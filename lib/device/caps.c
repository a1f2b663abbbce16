/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Device presets; see caps.h. */
#include "device/caps.h"

#include <stddef.h>
#include <string.h>

#include "device/tuning.h"
#include "steadfast.h"

static const stfi_caps presets[] = {
#define STFI_PRESET(n, g, u, w, r, t, ut, c, bb, l2, bw, lbw, f32, f64, ls, \
                    tuned, p, ur, rb, gb, sb, se, rg, pb, mx)               \
    {.name = n,                                                             \
     .gpu = g,                                                              \
     .units = u,                                                            \
     .wave = w,                                                             \
     .registers = r,                                                        \
     .max_threads = t,                                                      \
     .unit_threads = ut,                                                    \
     .cluster = c,                                                          \
     .parts = p,                                                            \
     .unit_registers = ur,                                                  \
     .reserved_bytes = rb,                                                  \
     .granule_bytes = gb,                                                   \
     .static_bytes = sb,                                                    \
     .split_early = se,                                                     \
     .register_granule = rg,                                                \
     .product_base = pb,                                                    \
     .axes = (g) ? STF_MAX_RANK : 0,                                        \
     .folds = (g),                                                          \
     .matrix = mx,                                                          \
     .block_bytes = bb,                                                     \
     .l2_bytes = l2,                                                        \
     .bandwidth = bw,                                                       \
     .l2_bandwidth = lbw,                                                   \
     .flops = {f32, f64},                                                   \
     .launch_seconds = ls,                                                  \
     .tuning = &stfi_tuning_##tuned},
#include "device/presets.def"
#undef STFI_PRESET
};

const stfi_caps *stfi_preset_at(int i)
{
    int count = (int)(sizeof presets / sizeof *presets);
    return i >= 0 && i < count ? &presets[i] : NULL;
}

const stfi_caps *stfi_preset_find(const char *name)
{
    const stfi_caps *caps;
    for (int i = 0; (caps = stfi_preset_at(i)) != NULL; i++)
        if (strcmp(caps->name, name) == 0)
            return caps;
    return NULL;
}

int64_t stfi_caps_blocks(const stfi_caps *caps, int64_t bytes)
{
    enum { RESERVED_BYTES = 1024 }; /* where it is not known */
    const int known = caps->unit_registers > 0;
    const int64_t reserved = known ? caps->reserved_bytes : RESERVED_BYTES;
    const int64_t granule =
        known && caps->granule_bytes > 0 ? caps->granule_bytes : 1;

    return bytes > 0
               ? (caps->block_bytes + reserved)
                     / ((bytes + granule - 1) / granule * granule + reserved)
               : INT32_MAX;
}
