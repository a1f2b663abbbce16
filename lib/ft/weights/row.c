/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of checksums; see row.h. Lengths with small prime factors are
 * transformed by decimation in time between two buffers, other lengths by a
 * convolution. Source: [Govindaraju2008], sections IV.A and IV.E. */
#include "ft/weights/row.h"

#include <string.h>

#include "base/alloc.h"
#include "math/numth.h"
#include "math/roots.h"

/* Primes above this are cheaper by convolution. */
enum { LARGEST_PRIME = 61 };

typedef struct number {
    long double re, im;
} number;

static number times(number a, number b)
{
    return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static number root(const stfi_roots *roots, uint64_t k)
{
    number w;

    stfi_roots_get(roots, k, &w.re, &w.im);
    return w;
}

static number plus(number a, number b)
{
    return (number){a.re + b.re, a.im + b.im};
}

static number minus(number a, number b)
{
    return (number){a.re - b.re, a.im - b.im};
}

static void four_points(const number *x, int64_t apart, number *out)
{
    const number a = plus(x[0], x[2]), b = minus(x[0], x[2]);
    const number c = plus(x[1], x[3]), d = minus(x[1], x[3]);

    out[0] = plus(a, c);
    out[apart] = (number){b.re + d.im, b.im - d.re};
    out[2 * apart] = minus(a, c);
    out[3 * apart] = (number){b.re - d.im, b.im + d.re};
}

/* The DFT of p values that are `apart` from each other in *out; w has the roots of
 * order p. */
static void small_dft(int p, const number *w, const number *x, int64_t apart,
                      number *out)
{
    if (p == 2) {
        out[0] = plus(x[0], x[1]);
        out[apart] = minus(x[0], x[1]);
        return;
    }
    if (p == 4) {
        four_points(x, apart, out);
        return;
    }
    for (int k = 0; k < p; k++) {
        number sum = x[0];
        for (int j = 1; j < p; j++) {
            sum = plus(sum, times(w[j * k % p], x[j]));
        }
        out[k * apart] = sum;
    }
}

/* Joins DFTs of m points into DFTs of p * m. Values lie as [m][gap * p], the
 * joined ones as [p * m][gap]; the roots are of order n = gap * p * m. */
static void stage(const stfi_roots *roots, int64_t m, int p, int64_t gap,
                  const number *from, number *to)
{
    number w[LARGEST_PRIME], turn[LARGEST_PRIME], x[LARGEST_PRIME];

    for (int j = 0; j < p; j++)
        w[j] = root(roots, (uint64_t)(j * m * gap));
    for (int64_t i = 0; i < m; i++) {
        for (int j = 1; j < p; j++)
            turn[j] = root(roots, (uint64_t)(j * i * gap));
        for (int64_t q = 0; q < gap; q++) {
            const number *at = from + i * p * gap + q;
            x[0] = at[0];
            for (int j = 1; j < p; j++)
                x[j] = times(turn[j], at[j * gap]);
            small_dft(p, w, x, m * gap, to + i * gap + q);
        }
    }
}

/* Transforms x[n] in place; spare[n] is scratch. */
static stf_status transform(int64_t n, number *x, number *spare)
{
    uint64_t prime[16];
    int power[16], count = stfi_factorize((uint64_t)n, prime, power);
    int64_t m = 1;
    number *from = x, *to = spare;
    stfi_roots *roots;
    stf_status status =
        stfi_roots_create((uint64_t)n, STF_F64, (uint64_t)n, &roots);

    if (status != STF_OK)
        return status;
    for (int f = 0; f < count; f++)
        for (int i = 0, by; i < power[f]; i += by) {
            number *swap = from;
            int p = (int)prime[f];
            by = p == 2 && power[f] - i > 1 ? 2 : 1;
            p = by == 2 ? 4 : p;
            stage(roots, m, p, n / m / p, from, to);
            m *= p;
            from = to;
            to = swap;
        }
    if (from != x)
        memcpy(x, from, (size_t)n * sizeof *x);
    stfi_roots_destroy(roots);
    return STF_OK;
}

/* ----------------------------------------------------------- convolutions */

static number chirp(const stfi_roots *roots, int64_t j, int64_t n)
{
    return root(roots, stfi_chirp_exponent((uint64_t)j, (uint64_t)n));
}

/* Bluestein's algorithm: transforms x[n] by convolutions of `size` points, in
 * work[3 * size]. The inverse transform is done as a forward transform of
 * conjugates. */
static stf_status convolve(const stfi_roots *roots, int64_t n, number *x,
                           int64_t size, number *work)
{
    number *a = work, *b = work + size, *spare = work + 2 * size;
    stf_status status;

    memset(work, 0, 2 * (size_t)size * sizeof *work);
    for (int64_t j = 0; j < n; j++) {
        number w = chirp(roots, j, n);
        a[j] = times(x[j], w);
        b[j] = (number){w.re, -w.im};
        b[(size - j) % size] = b[j];
    }
    if ((status = transform(size, a, spare)) != STF_OK
        || (status = transform(size, b, spare)) != STF_OK)
        return status;
    for (int64_t j = 0; j < size; j++) {
        number t = times(a[j], b[j]);
        a[j] = (number){t.re, -t.im};
    }
    if ((status = transform(size, a, spare)) != STF_OK)
        return status;
    for (int64_t j = 0; j < n; j++) {
        number t = {a[j].re / (long double)size, -a[j].im / (long double)size};
        x[j] = times(t, chirp(roots, j, n));
    }
    return STF_OK;
}

static stf_status by_convolution(int64_t n, number *x)
{
    int64_t size = 1;
    size_t bytes;
    stfi_roots *roots;
    void *work;
    stf_status status;

    while (size < 2 * n - 1)
        size *= 2;
    if ((status =
             stfi_bytes((size_t)size, 3, sizeof *x, "a checksum's row", &bytes))
            != STF_OK
        || (status = stfi_alloc_raw(bytes, "a checksum's row", &work))
               != STF_OK)
        return status;
    status =
        stfi_roots_create(2 * (uint64_t)n, STF_F64, 2 * (uint64_t)n, &roots);
    if (status == STF_OK) {
        status = convolve(roots, n, x, size, work);
        stfi_roots_destroy(roots);
    }
    stfi_dealloc(work);
    return status;
}

static stf_status by_factors(int64_t n, number *x)
{
    size_t bytes;
    void *spare;
    stf_status status =
        stfi_bytes((size_t)n, sizeof *x, 1, "a checksum's row", &bytes);

    if (status == STF_OK)
        status = stfi_alloc_raw(bytes, "a checksum's row", &spare);
    if (status != STF_OK)
        return status;
    status = transform(n, x, spare);
    stfi_dealloc(spare);
    return status;
}

stf_status stfi_ft_row(int64_t n, int64_t count, const float *e,
                       long double *row)
{
    number *x = (number *)row;

    for (int64_t k = 0; k < n; k++)
        x[k] = k < count ? (number){e[2 * k], e[2 * k + 1]} : (number){0, 0};
    return stfi_ft_row_transform(n, row);
}

stf_status stfi_ft_row_transform(int64_t n, long double *values)
{
    number *x = (number *)values;

    return stfi_largest_prime((uint64_t)n) > LARGEST_PRIME
               ? by_convolution(n, x)
               : by_factors(n, x);
}

/* Transforms an array along an axis of n points that are `inner` numbers apart. */
static stf_status transform_along(int64_t n, int64_t inner, int64_t total,
                                  number *x, number *line)
{
    stf_status status = STF_OK;

    for (int64_t at = 0; at < total && status == STF_OK; at++) {
        if (at / inner % n != 0)
            continue;
        for (int64_t k = 0; k < n; k++)
            line[k] = x[at + k * inner];
        status = stfi_ft_row_transform(n, (long double *)line);
        for (int64_t k = 0; k < n; k++)
            x[at + k * inner] = line[k];
    }
    return status;
}

stf_status stfi_ft_row_of_axes(int axes, const int64_t *n, const float *e,
                               long double *row)
{
    number *x = (number *)row;
    int64_t total = 1, inner = 1;
    size_t bytes;
    void *line;
    stf_status status;

    for (int a = 0; a < axes; a++)
        total *= n[a];
    for (int64_t k = 0; k < total; k++)
        x[k] = (number){e[2 * k], e[2 * k + 1]};
    status =
        stfi_bytes((size_t)total, sizeof *x, 1, "a checksum's row", &bytes);
    if (status == STF_OK)
        status = stfi_alloc_raw(bytes, "a checksum's row", &line);
    if (status != STF_OK)
        return status;
    for (int a = axes - 1; a >= 0 && status == STF_OK; inner *= n[a--])
        status = transform_along(n[a], inner, total, x, line);
    stfi_dealloc(line);
    return status;
}
