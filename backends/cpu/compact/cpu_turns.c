/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tables of single rows of real kinds; see cpu_turns.h. Roots are those of the
 * turns of fft/schedule.h. */
#include "backends/cpu/compact/cpu_turns.h"

#include <math.h>

#include "base/type.h"
#include "fft/place.h"
#include "math/roots.h"

typedef struct number {
    long double re, im;
} number;

/* factor exp(-2 pi i k / n) */
static number root(int64_t k, int64_t n, long double factor)
{
    number w;

    stfi_root_l((uint64_t)(k % n), (uint64_t)n, &w.re, &w.im);
    return (number){factor * w.re, factor * w.im};
}

static number conjugate(number w)
{
    return (number){w.re, -w.im};
}

/* i w */
static number turned(number w)
{
    return (number){-w.im, w.re};
}

int stfi_cpu_turns_are_back(stf_kind kind)
{
    return kind == STF_HC2R || kind == STF_DCT3 || kind == STF_DST3;
}

/* -------------------------------------------------------------------- pairs */

/* What the sums and the differences of numbers k and n - k of rows of 2n reals are
 * multiplied by; of DCT4 and DST4, numbers k before and after the transform. */
static void find_pair(stf_kind kind, int64_t n, int64_t k, number w[2])
{
    switch (kind) {
    case STF_DCT2:
    case STF_DST2:
        w[0] = root(k, 8 * n, 1);
        w[1] = turned(root(5 * k, 8 * n, -1));
        break;
    case STF_DCT3:
    case STF_DST3:
        w[0] = conjugate(root(k, 8 * n, 1));
        w[1] = turned(conjugate(root(5 * k, 8 * n, 1)));
        break;
    case STF_DCT4:
    case STF_DST4:
        w[0] = root(4 * k + 1, 16 * n, 1);
        w[1] = root(k, 4 * n, 2);
        break;
    case STF_HC2R:
        w[0] = (number){1, 0};
        w[1] = turned(conjugate(root(k, 2 * n, 1)));
        break;
    default: w[0] = (number){0.5L, 0}; w[1] = turned(root(k, 2 * n, -0.5L));
    }
}

static void write_pairs(stf_precision precision, stf_kind kind,
                        stfi_cpu_reals *r)
{
    for (int64_t k = 0; k < r->n; k++) {
        number w[2];
        find_pair(kind, r->n, k, w);
        for (int i = 0; i < 2; i++) {
            stfi_type_write(precision, r->turn, 2 * i * r->n + k, w[i].re);
            stfi_type_write(precision, r->turn, (2 * i + 1) * r->n + k,
                            w[i].im);
        }
    }
}

/* The pairs of R2C and C2R. */
static void write_plain(stf_precision precision, stfi_cpu_reals *r)
{
    for (int64_t k = 0; k < r->n; k++) {
        const number w = root(k, r->reals, 1);
        for (int part = 0; part < 2; part++) {
            stfi_type_write(precision, r->turn, 2 * k + part, w.im);
            stfi_type_write(precision, r->turn, 2 * (r->n + k) + part,
                            part ? -w.re : w.re);
        }
    }
}

/* -------------------------------------------------------------- without pairs */

/* By what number k is multiplied. Number n / 2 of a spectrum is real, of which the
 * turn is sqrt(2). */
static number turn_of(const stfi_cpu_row *row, int64_t k)
{
    const stfi_turn load = row->side[0]->turn, store = row->side[1]->turn;

    if (load == STFI_TURN_QUARTER)
        return 2 * k == row->n ? (number){sqrtl(2), 0}
                               : conjugate(root(k, 4 * row->n, 1));
    switch (store) {
    case STFI_TURN_QUARTER: return root(k, 4 * row->n, 2);
    case STFI_TURN_CAS: return (number){1, 1};
    case STFI_TURN_EIGHTH: return (number){sqrtl(2), sqrtl(2)};
    case STFI_TURN_IMAG: return (number){0, 1};
    default: return (number){1, 0};
    }
}

/* The imaginary parts of spectra that turn by quarters have another sign. */
static void write_places(stf_precision precision, const stfi_cpu_row *row,
                         stfi_cpu_reals *r)
{
    for (int i = 0; i < 2; i++)
        for (int64_t m = 0; m < r->n; m++) {
            const stfi_side *s = row->side[i];
            const stfi_place p = stfi_place_of(s, m);
            const int other = s->turn == STFI_TURN_QUARTER && 2 * m > r->n;
            r->place[i * r->n + m] = p.sign != 0 ? (int32_t)p.at : 0;
            stfi_type_write(precision, r->turn, i * r->n + m,
                            other ? -p.sign : p.sign);
        }
    for (int64_t k = 0; k < r->n; k++) {
        const number w = turn_of(row, k);
        stfi_type_write(precision, r->turn, 2 * (r->n + k), w.re);
        stfi_type_write(precision, r->turn, 2 * (r->n + k) + 1, w.im);
    }
}

void stfi_cpu_turns_write(stf_precision precision, const stfi_cpu_row *row,
                          stfi_cpu_reals *r)
{
    const int r2r = stfi_kind_is_r2r(row->kind);

    if (r->place == NULL) {
        if (r2r)
            write_pairs(precision, row->kind, r);
        else
            write_plain(precision, r);
    } else if (r2r) {
        write_places(precision, row, r);
    }
}
