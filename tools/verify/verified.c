/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kinds that are verified; see verified.h. */
#include "tools/verify/verified.h"

#include "fft/desc.h"

#include <stddef.h>

static const stfi_verified rows[] = {
    {STF_C2C, STF_FORWARD, 1},  {STF_C2C, STF_INVERSE, 1},
    {STF_R2C, STF_FORWARD, 1},  {STF_C2R, STF_INVERSE, 1},
    {STF_DCT1, STF_FORWARD, 0}, {STF_DCT2, STF_FORWARD, 1},
    {STF_DCT3, STF_FORWARD, 0}, {STF_DCT4, STF_FORWARD, 0},
    {STF_DCT4, STF_INVERSE, 0}, {STF_DST1, STF_FORWARD, 1},
    {STF_DST2, STF_FORWARD, 0}, {STF_DST3, STF_FORWARD, 0},
    {STF_DST4, STF_FORWARD, 0}, {STF_DHT, STF_FORWARD, 0},
    {STF_R2HC, STF_FORWARD, 0}, {STF_HC2R, STF_FORWARD, 0},
    {STF_R2R, STF_FORWARD, 1},
};

/* The kinds of the axes of STF_R2R. */
static const stf_kind mixed[] = {STF_DCT2, STF_DST1, STF_R2HC, STF_DCT4,
                                 STF_DHT};

enum {
    ROWS = sizeof rows / sizeof *rows,
    MIXED = sizeof mixed / sizeof *mixed
};

const stfi_verified *stfi_verified_at(int i)
{
    return i < ROWS ? &rows[i] : NULL;
}

int stfi_verified_set(const stfi_verified *v, const stf_fft_desc *named,
                      stf_fft_desc *d)
{
    const int by_axis = v->kind == STF_R2R;
    int has = !by_axis || (named ? d->rank == named->rank : d->rank > 1);

    d->kind = v->kind;
    for (int a = 0; a < d->rank; a++) {
        if (by_axis)
            d->kinds[a] = named ? named->kinds[a] : mixed[a % MIXED];
        has = has
              && ((by_axis ? d->kinds[a] : v->kind) != STF_DCT1 || d->n[a] > 1);
    }
    return has;
}
