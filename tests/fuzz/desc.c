/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Descriptors from bytes; see desc.h. */
#include "tests/fuzz/desc.h"

#include <limits.h>

/* A length: by the first byte small, a power of two or next to one, a product
 * of small primes, of four bytes, or any number at all. */
static int64_t any_length(fuzz_bytes *b)
{
    static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 31};
    int how = fuzz_below(b, 16);
    uint64_t n = 1;

    if (how < 6)
        return 1 + fuzz_byte(b);
    if (how < 9)
        return ((int64_t)1 << fuzz_below(b, 40)) + fuzz_below(b, 3) - 1;
    if (how < 12) {
        for (int count = 1 + fuzz_below(b, 8); count > 0; count--)
            n *= (uint64_t)primes[fuzz_below(b, 8)];
        return (int64_t)n;
    }
    n = fuzz_u64(b);
    return (int64_t)(how < 15 ? n & 0xffffffff : n);
}

static int64_t any_stride(fuzz_bytes *b)
{
    switch (fuzz_below(b, 8)) {
    case 0: return (int8_t)fuzz_byte(b);
    case 1: return any_length(b);
    case 2: return fuzz_below(b, 2) ? INT64_MAX : INT64_MIN;
    default: return 0;
    }
}

static double any_scale(fuzz_bytes *b)
{
    static const double scales[] = {1, 1, 1, 0, -1, 1e-300, 1e300, 0.5};

    return scales[fuzz_below(b, 8)];
}

static void any_layout(fuzz_bytes *b, stf_layout *l)
{
    if (fuzz_below(b, 4) != 0)
        return;
    for (int a = 0; a < STF_MAX_RANK; a++)
        l->stride[a] = any_stride(b);
    l->dist = any_stride(b);
}

static void any_protection(fuzz_bytes *b, stf_ft_desc *ft)
{
    ft->mode = (stf_ft_mode)(1 + fuzz_below(b, 4));
    if (fuzz_below(b, 2))
        return;
    ft->level = (stf_ft_level)fuzz_below(b, 6);
    ft->scheme = (stf_ft_scheme)fuzz_below(b, 5);
    ft->transactions =
        fuzz_below(b, 2) ? 1 << fuzz_below(b, 7) : (int8_t)fuzz_byte(b);
    ft->end_to_end = fuzz_below(b, 2);
    ft->threshold = fuzz_below(b, 8) ? 0 : any_scale(b);
}

/* Makes what was chosen plausible: positive lengths of at most 2^45 elements in
 * all, known words, packed or nearly so. */
static void tame(fuzz_bytes *b, stf_fft_desc *d)
{
    int64_t room = (int64_t)1 << 45;

    d->kind = (stf_kind)((unsigned)d->kind % 3);
    d->precision = (stf_precision)(2 + (unsigned)d->precision % 2);
    d->compute = STF_COMPUTE_NATIVE;
    d->rank = 1 + (int)((unsigned)d->rank % STF_MAX_RANK);
    for (int a = 0; a < d->rank; a++) {
        d->n[a] = d->n[a] > 0 && d->n[a] < room ? d->n[a] : 1;
        room /= d->n[a];
    }
    d->batch = d->batch > 0 && d->batch < room ? d->batch : 1;
    if (fuzz_below(b, 4) != 0) {
        d->in = (stf_layout){.dist = 0};
        d->out = (stf_layout){.dist = 0};
    }
    d->threads = d->threads > 0 ? d->threads : 1;
    d->ft.mode = (stf_ft_mode)((unsigned)d->ft.mode % 4);
    d->ft.level = (stf_ft_level)((unsigned)d->ft.level % 5);
    if (d->ft.level == STF_FT_WARP)
        d->ft.level = STF_FT_BLOCK;
    d->ft.scheme = (stf_ft_scheme)((unsigned)d->ft.scheme % 4);
    d->ft.transactions = 1 << ((unsigned)d->ft.transactions % 6);
    d->ft.threshold = 0;
}

void fuzz_desc(fuzz_bytes *b, stf_fft_desc *d_p)
{
    stf_fft_desc *d = d_p;

    *d = stf_fft_desc_default();
    d->kind = (stf_kind)(fuzz_below(b, 8) ? fuzz_below(b, 3) : fuzz_byte(b));
    d->precision =
        (stf_precision)(fuzz_below(b, 8) ? 2 + fuzz_below(b, 3) : fuzz_byte(b));
    d->compute = (stf_compute)(fuzz_below(b, 8) ? 0 : fuzz_byte(b));
    d->rank = fuzz_below(b, 8) ? 1 + fuzz_below(b, STF_MAX_RANK)
                               : (int8_t)fuzz_byte(b);
    for (int a = 0; a < STF_MAX_RANK; a++)
        d->n[a] = a < d->rank ? any_length(b) : 1;
    d->batch = fuzz_below(b, 2) ? 1 : any_length(b);
    any_layout(b, &d->in);
    any_layout(b, &d->out);
    d->scale_forward = any_scale(b);
    d->scale_inverse = any_scale(b);
    any_protection(b, &d->ft);
    d->threads = fuzz_below(b, 4) ? 1 : (int8_t)fuzz_byte(b);
    if (fuzz_below(b, 4) != 0)
        tame(b, d);
}

/* ------------------------------------------------------------------- small */

/* Gives the axes and the batch, in an order of the bytes', steps that leave
 * room for all before them. */
static void small_layout(fuzz_bytes *b, const stf_fft_desc *d, int output,
                         stf_layout *l)
{
    int64_t step = 1 + fuzz_below(b, 3);
    int order = fuzz_byte(b), last = d->rank - 1;
    int64_t extents[STF_MAX_RANK + 1];

    for (int a = 0; a < d->rank; a++)
        extents[a] = d->n[a];
    extents[d->rank] = d->batch;
    if (d->kind == (output ? STF_R2C : STF_C2R))
        extents[last] = d->n[last] / 2 + 1;
    for (int i = 0; i <= d->rank; i++) {
        int a = order & 1 ? (i + (order >> 1)) % (d->rank + 1) : d->rank - i;
        int64_t signed_step = fuzz_below(b, 4) ? step : -step;
        *(a == d->rank ? &l->dist : &l->stride[a]) = signed_step;
        step = step * extents[a] + fuzz_below(b, 3);
    }
}

int fuzz_small_desc(fuzz_bytes *b, int64_t most, int64_t most_protected,
                    stf_fft_desc *d_p)
{
    stf_fft_desc *d = d_p;
    int in_place;

    *d = stf_fft_desc_default();
    d->kind = (stf_kind)fuzz_below(b, 3);
    d->precision = (stf_precision)(2 + fuzz_below(b, 3));
    d->ft.mode = (stf_ft_mode)(1 + fuzz_below(b, 3));
    if (d->ft.mode != STF_FT_OFF)
        most = most_protected;
    d->rank = 1 + fuzz_below(b, fuzz_below(b, 2) ? 3 : STF_MAX_RANK);
    for (int a = 0; a < d->rank; a++) {
        int64_t n = 1 + fuzz_byte(b) + 256 * fuzz_below(b, a ? 1 : 16);
        d->n[a] = n <= most ? n : 1 + n % most;
        most /= d->n[a];
    }
    d->batch = 1 + fuzz_byte(b) % most;
    in_place = fuzz_below(b, 3) == 0;
    if (!in_place && fuzz_below(b, 2)) {
        small_layout(b, d, 0, &d->in);
        small_layout(b, d, 1, &d->out);
    }
    d->scale_forward = fuzz_below(b, 3) ? 1 : 0.25;
    d->scale_inverse = fuzz_below(b, 3) ? 1 : -3;
    d->threads = 1 + fuzz_below(b, 2);
    if (d->ft.mode == STF_FT_OFF)
        return in_place;
    d->ft.level = (stf_ft_level)(fuzz_below(b, 2) ? 0 : fuzz_below(b, 5));
    d->ft.scheme = (stf_ft_scheme)fuzz_below(b, 4);
    d->ft.transactions = 1 << fuzz_below(b, 6);
    d->ft.end_to_end = fuzz_below(b, 2);
    return in_place;
}
