/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Makes a kernel's name, config.h and launch from a configuration; see
 * spec.h. */
#include "backends/gpu/host/fft/spec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backends/gpu/host/fft/defines.h"
#include "base/hash.h"
#include "base/status.h"

/* Writes the radices as "3x5x7". */
static void write_radices(const stfi_radices *r, char *text, size_t capacity)
{
    size_t length = 0;

    text[0] = '\0';
    for (int s = 0; s < r->count && length < capacity - 8; s++)
        length += (size_t)snprintf(text + length, capacity - length, "%s%d",
                                   s > 0 ? "x" : "", r->radix[s]);
}

/* Writes the operation's word without its prefix, in lower case. */
static void write_op(int op, char *text, size_t capacity)
{
    const char *word = stfi_gpu_config_word(STFI_CONFIG_OP, op);

    snprintf(text, capacity, "%s", word + strlen("OP_"));
    for (char *c = text; *c != '\0'; c++)
        *c = (char)(*c < 'A' || *c > 'Z' ? *c : *c - 'A' + 'a');
}

/* Names the kernel by all that config.h says so far, as kernels that are loaded are
 * found by their names: also by the number of blocks that it is compiled for. */
static void write_name(const stfi_gpu_config *c, stfi_gpu_spec *spec)
{
    char radices[64], op[16];

    write_op(c->op, op, sizeof op);
    write_radices(&c->radices, radices, sizeof radices);
    snprintf(spec->entry, sizeof spec->entry,
             "stfk_%s_%s_n%" PRId64 "_r%s_t%d_l%d_%016" PRIx64, op,
             stfi_type_get((stf_precision)c->load_stored)->name, c->n, radices,
             (int)(c->threads * c->lanes), (int)c->lanes,
             stfi_hash_text(spec->config));
}

/* Adds formatted text to config.h. */
static stf_status add_line(stfi_gpu_spec *spec, const char *format, ...)
{
    const size_t length = strlen(spec->config);
    const size_t room = sizeof spec->config - length;
    va_list args;
    int added;

    va_start(args, format);
    added = vsnprintf(spec->config + length, room, format, args);
    va_end(args);
    return added >= 0 && (size_t)added < room
               ? STF_OK
               : stfi_error(STF_ERR_INTERNAL, "config.h is too long: %.200s",
                            spec->config);
}

stf_status stfi_gpu_spec_of(const stfi_gpu_config *c, stfi_gpu_spec *spec_p)
{
    stfi_gpu_spec *s = spec_p;
    stf_status status = stfi_gpu_defines(c, s->config, sizeof s->config);

    if (status != STF_OK)
        return status;
    s->launch = (stfi_gpu_launch){0, (uint32_t)(c->threads * c->lanes),
                                  (uint32_t)c->shared_bytes, 1};
    s->lanes = (int)c->lanes;
    s->stays = c->ahead || c->persistent;
    s->draws = c->persistent;
    s->tiles = (int)c->transactions;
    s->ordered = c->ordered;
    s->from_memory = c->from_memory;
    s->is_signed = c->is_signed;
    s->spill_bytes = (int)c->spill_bytes;
    s->spills_most = (int)c->spills_most;
    s->spills_hoped = (int)c->spills_hoped;
    s->resident = (int)c->resident;
    s->hoped = (int)c->hoped;
    s->has_flag = c->check || c->twice || c->gated;
    status =
        add_line(s, "#ifndef STFK_BLOCKS\n#define STFK_BLOCKS %d\n#endif\n",
                 s->resident);
    if (status != STF_OK)
        return status;
    write_name(c, s);
    return add_line(s, "#define STFK_NAME %s\n", s->entry);
}

stf_status stfi_gpu_spec_make(const stfi_pass *p, stf_precision precision,
                              const stfi_caps *caps, stfi_gpu_spec *spec_p)
{
    stfi_gpu_config config;
    stf_status status = stfi_gpu_config_choose(p, precision, caps, &config);

    return status == STF_OK ? stfi_gpu_spec_of(&config, spec_p) : status;
}

int stfi_gpu_spec_spills(const stfi_gpu_spec *spec, int blocks,
                         const stfi_gpu_usage *usage)
{
    const int most =
        blocks > spec->resident ? spec->spills_hoped : spec->spills_most;

    return usage->local_bytes > spec->spill_bytes || usage->spills > most;
}

int stfi_gpu_spec_fewer(const stfi_gpu_spec *spec, int blocks)
{
    if (blocks > spec->resident)
        return blocks > spec->resident + 2 ? spec->resident : blocks - 1;
    return blocks > 4 ? blocks * 4 / 5 : blocks - 1;
}

void stfi_gpu_spec_variant(const stfi_gpu_spec *spec, int blocks,
                           char config[STFI_GPU_VARIANT_BYTES])
{
    if (blocks == spec->resident)
        snprintf(config, STFI_GPU_VARIANT_BYTES, "%s", spec->config);
    else
        snprintf(config, STFI_GPU_VARIANT_BYTES, "#define STFK_BLOCKS %d\n%s",
                 blocks, spec->config);
}
