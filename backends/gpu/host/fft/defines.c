/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Writes config.h for a configuration; see defines.h. */
#include "backends/gpu/host/fft/defines.h"

#include <inttypes.h>

#include "base/status.h"
#include "base/text.h"
#include "ft/weights/sign_pattern.h"
#include "ft/weights/stage.h"
#include "math/roots.h"

/* Writes the roots that butterflies of radix r need, including those of its
 * factors. `done` has a bit for each radix that is written. */
static void write_roots(stfi_text *w, int r, uint64_t *done)
{
    if (r < 3 || (*done >> r & 1))
        return;
    *done |= (uint64_t)1 << r;
    stfi_text_put(w, " \\\n X(%d", r);
    for (int k = 0; k < r; k++) {
        long double re, im;
        stfi_root_l((uint64_t)k, (uint64_t)r, &re, &im);
        stfi_text_put(w, ", %.17g, %.17g", (double)re, (double)im);
    }
    stfi_text_put(w, ")");
    for (int d = 2; d < r; d++)
        if (r % d == 0)
            write_roots(w, d, done);
}

static void write_radices(stfi_text *w, const stfi_radices *r)
{
    uint64_t done = 0;

    stfi_text_put(w, "#define STFK_STAGES %d\n#define STFK_RADICES", r->count);
    for (int s = 0; s < r->count; s++)
        stfi_text_put(w, "%s %d", s > 0 ? "," : "", r->radix[s]);
    stfi_text_put(w, "\n#define STFK_ROOTS(X)");
    for (int s = 0; s < r->count; s++)
        write_roots(w, r->radix[s], &done);
    stfi_text_put(w, "\n");
}

/* Writes the vectors e and row of a butterfly of radix r, and the factors of
 * its bound. Errors: MEMORY. */
static stf_status write_check(stfi_text *w, int r)
{
    stfi_ft_stage v;
    stf_status status = stfi_ft_stage_make(r, &v);

    if (status != STF_OK)
        return status;
    stfi_text_put(w, " \\\n X(%d, %.17g, %.17g", r, stfi_ft_stage_factor(r, 0),
                  stfi_ft_stage_factor(r, 1));
    for (int i = 0; i < 2 * r; i++)
        stfi_text_put(w, ", %.17g", v.e[i]);
    for (int i = 0; i < 2 * r; i++)
        stfi_text_put(w, ", %.17g", v.row[i]);
    stfi_text_put(w, ")");
    return STF_OK;
}

/* Writes the vectors of each radix if threads check their own butterflies.
 * Errors: MEMORY. */
static stf_status write_checks(stfi_text *w, const stfi_gpu_config *c)
{
    stf_status status = STF_OK;
    uint64_t done = 0;

    stfi_text_put(w, "#define STFK_CHECKS(X)");
    for (int s = 0; s < c->radices.count && status == STF_OK; s++) {
        int r = c->radices.radix[s];
        if (!c->by_thread || (done >> r & 1))
            continue;
        done |= (uint64_t)1 << r;
        status = write_check(w, r);
    }
    stfi_text_put(w, "\n");
    return status;
}

/* Writes the sign pattern as two bit fields; see
 * backends/gpu/kernels/protect/vectors.h. */
static void write_sign_pattern(stfi_text *w, const stfi_gpu_config *c)
{
    const char *digits = c->sign_pattern ? stfi_ft_sign_pattern(c->held) : NULL;
    uint64_t turns = 0;
    uint32_t odd = 0;

    for (int i = 0; digits != NULL && i < c->held; i++) {
        unsigned digit = (unsigned)(digits[i] - '0');
        turns |= (uint64_t)(digit / 2) << 2 * i;
        odd |= (uint32_t)(digit % 2) << i;
    }
    stfi_text_put(w, "#define STFK_SIGN_PATTERN_TURNS 0x%" PRIx64 "ull\n",
                  turns);
    stfi_text_put(w, "#define STFK_SIGN_PATTERN_ODD 0x%" PRIx32 "u\n", odd);
}

/* Tiles of one axis have neighbours one element apart. */
static void write_inners(stfi_text *w, const stfi_gpu_config *c)
{
    stfi_text_put(w, "#define STFK_INNERS");
    for (int s = 0; s < c->radices.count; s++)
        stfi_text_put(w, "%s %d", s > 0 ? "," : "",
                      c->inners.count > 0 ? c->inners.radix[s] : 1);
    stfi_text_put(w, "\n");
}

static void write_row(stfi_text *w, const stfi_gpu_config *c,
                      const stfi_config_row *row)
{
    int64_t value = stfi_gpu_config_get(c, row);
    const char *word = stfi_gpu_config_word(row->kind, value);

    if (row->kind == STFI_CONFIG_RADICES
        && row->offset == offsetof(stfi_gpu_config, inners))
        write_inners(w, c);
    else if (row->kind == STFI_CONFIG_RADICES)
        write_radices(w, &c->radices);
    else if (word != NULL)
        stfi_text_put(w, "#define STFK_%s %s\n", row->macro, word);
    else
        stfi_text_put(w, "#define STFK_%s %" PRId64 "\n", row->macro, value);
}

stf_status stfi_gpu_defines(const stfi_gpu_config *c, char *text,
                            size_t capacity)
{
    stfi_text w = {text, capacity, 0};
    const stfi_config_row *row;
    stf_status status;

    for (int i = 0; (row = stfi_gpu_config_row(i)) != NULL; i++)
        if (row->macro[0] != '\0')
            write_row(&w, c, row);
    write_sign_pattern(&w, c);
    status = write_checks(&w, c);
    if (status == STF_OK && w.length >= w.capacity)
        status = stfi_error(
            STF_ERR_INTERNAL,
            "config.h of a kernel of %" PRId64 " elements is too long", c->n);
    return status;
}
