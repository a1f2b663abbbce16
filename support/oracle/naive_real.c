/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The definitions of the real to real kinds; see naive_real.h. */
#include "naive_real.h"

#include <stddef.h>

/* The cosine and sine kinds: 2 times f(pi (j + dj)(k + dk)/(n + dn)), where dj
 * and dk are given in halves. */
typedef struct row {
    stf_kind kind;
    int sine; /* 1: f is the sine */
    int dj, dk;
    int dn;
    int single_first, single_last; /* x_0, x_(n-1) are not doubled */
} row;

static const row rows[] = {
    {STF_DCT1, 0, 0, 0, -1, 1, 1}, {STF_DCT2, 0, 1, 0, 0, 0, 0},
    {STF_DCT3, 0, 0, 1, 0, 1, 0},  {STF_DCT4, 0, 1, 1, 0, 0, 0},
    {STF_DST1, 1, 2, 2, 1, 0, 0},  {STF_DST2, 1, 1, 2, 0, 0, 0},
    {STF_DST3, 1, 2, 1, 0, 0, 1},  {STF_DST4, 1, 1, 1, 0, 0, 0},
};

static const row *find(stf_kind kind)
{
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == kind)
            return &rows[i];
    return NULL;
}

int stfi_naive_is_real(stf_kind kind)
{
    return find(kind) != NULL || kind == STF_DHT || kind == STF_R2HC
           || kind == STF_HC2R;
}

int64_t stfi_naive_period(stf_kind kind, int64_t n)
{
    const row *r = find(kind);

    return r != NULL ? 8 * (n + r->dn) : n;
}

int64_t stfi_naive_logical(stf_kind kind, int64_t n)
{
    const row *r = find(kind);

    return r != NULL ? 2 * (n + r->dn) : n;
}

double stfi_naive_share(stf_kind kind, int64_t n, int output, int64_t k)
{
    if (kind == STF_DCT1)
        return k == 0 || k == n - 1 ? 0.5 : 1.0;
    if (kind == (output ? STF_DCT2 : STF_DCT3))
        return k == 0 ? 0.5 : 1.0;
    if (kind == (output ? STF_DST2 : STF_DST3))
        return k == n - 1 ? 0.5 : 1.0;
    return kind == (output ? STF_R2HC : STF_HC2R) && k != 0 && 2 * k != n ? 2.0
                                                                          : 1.0;
}

/* a b mod m, for 0 <= a, b < m < 2^31. */
static int64_t times(int64_t a, int64_t b, int64_t m)
{
    return a * b % m;
}

/* Hartley and half-complex: 1 at each real element of the spectrum, and a
 * cosine or a sine of 2 pi j k/n at the others. `k` is the index on the
 * half-complex side. */
static stfi_naive_term half_complex(stf_kind kind, int64_t n, int64_t j,
                                    int64_t k)
{
    int both = kind == STF_DHT, far = !both && 2 * k > n;
    int twice = kind == STF_HC2R && k != 0 && 2 * k != n;
    stfi_naive_term t = {times(j % n, (far ? n - k : k) % n, n), 0, 0};

    t.cosine = far ? 0 : twice ? 2 : 1;
    t.sine = both ? 1 : !far ? 0 : twice ? -2 : -1;
    return t;
}

stfi_naive_term stfi_naive_factor(stf_kind kind, int64_t n, int64_t j,
                                  int64_t k)
{
    const row *r = find(kind);
    stfi_naive_term t = {0, 0, 0};
    int64_t period = stfi_naive_period(kind, n);
    int single;

    if (r == NULL)
        return kind == STF_HC2R ? half_complex(kind, n, k, j)
                                : half_complex(kind, n, j, k);
    /* In halves, the angle is 2 pi (2j + dj)(2k + dk) / (8 (n + dn)). */
    single = (r->single_first && j == 0) || (r->single_last && j == n - 1);
    t.e = times((2 * j + r->dj) % period, (2 * k + r->dk) % period, period);
    t.cosine = r->sine ? 0 : single ? 1 : 2;
    t.sine = !r->sine ? 0 : single ? 1 : 2;
    return t;
}
