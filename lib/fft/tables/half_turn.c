/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Roots of the separating step of real transforms; see half_turn.h. */
#include "fft/tables/half_turn.h"

#include "fft/tables/complex_table.h"
#include "math/roots.h"

/* The table covers a quarter of a turn; if n is even, its second half mirrors
 * the first. */
stf_status stfi_table_half_turn(int64_t n, stf_precision precision, void *table)
{
    int64_t count = n / 2 + 1, made = n % 2 == 0 ? n / 4 + 1 : count;
    stfi_roots *roots;
    stf_status status =
        stfi_roots_create(2 * (uint64_t)n, precision, (uint64_t)count, &roots);

    if (status != STF_OK)
        return status;
    for (int64_t k = 0; k < made; k++) {
        long double re, im;
        stfi_roots_get(roots, (uint64_t)k, &re, &im);
        stfi_complex_put(precision, table, k, re, im);
        if (n % 2 == 0)
            stfi_complex_put(precision, table, n / 2 - k, -im, -re);
    }
    stfi_roots_destroy(roots);
    return STF_OK;
}
