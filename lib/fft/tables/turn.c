/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Roots of the turns of real to real transforms; see turn.h. */
#include "fft/tables/turn.h"

#include "fft/tables/complex_table.h"
#include "math/roots.h"

static int has_roots(const stfi_side *side)
{
    return side->turn == STFI_TURN_QUARTER || side->turn == STFI_TURN_FOUR;
}

const stfi_side *stfi_turn_side(const stfi_pass *p)
{
    return has_roots(&p->load)    ? &p->load
           : has_roots(&p->store) ? &p->store
                                  : NULL;
}

int64_t stfi_turn_count(const stfi_side *side)
{
    return side->turn == STFI_TURN_QUARTER ? side->span / 2 + 1
                                           : side->span / 2 * 2;
}

stf_status stfi_table_turn(const stfi_side *side, stf_precision precision,
                           void *table)
{
    int quarter = side->turn == STFI_TURN_QUARTER;
    uint64_t order = (uint64_t)side->span * (quarter ? 4 : 8);
    int64_t count = stfi_turn_count(side), loads = side->span / 2;
    stfi_roots *roots;
    stf_status status =
        stfi_roots_create(order, precision, (uint64_t)count, &roots);

    if (status != STF_OK)
        return status;
    for (int64_t i = 0; i < count; i++) {
        long double re, im;
        int64_t k = quarter ? i : i < loads ? 4 * i + 1 : 4 * (i - loads);
        stfi_roots_get(roots, (uint64_t)k, &re, &im);
        stfi_complex_put(precision, table, i, re, im);
    }
    stfi_roots_destroy(roots);
    return STF_OK;
}

stf_status stfi_table_quarter_pairs(int64_t order, int64_t count,
                                    stf_precision precision, void *table)
{
    stfi_roots *roots;
    stf_status status = stfi_roots_create((uint64_t)order, precision,
                                          2 * (uint64_t)count, &roots);

    if (status != STF_OK)
        return status;
    for (int64_t i = 0; i < 2 * count; i++) {
        long double re, im;
        stfi_roots_get(roots, (uint64_t)(i / 2 * (i % 2 == 0 ? 1 : 5)), &re,
                       &im);
        stfi_complex_put(precision, table, i, re, im);
    }
    stfi_roots_destroy(roots);
    return STF_OK;
}
