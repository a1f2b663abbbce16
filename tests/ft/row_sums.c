/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums over adjacent elements by vectors, against those one by one in a wider
 * precision, and data whose squares do not fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/cpu_pass.h"
#include "backends/cpu/sums/row_sums_isa.h"
#include "base/type.h"
#include "fft/desc.h"
#include "ft/offline.h"
#include "support/problem/problem.h"
#include "tests/ft/take.h"
#include "tests/tap.h"

enum { LONGEST = 3000, TRIALS = 300 };

typedef struct bench {
    char *x, *w;
    const stfi_type *type;
    const stfi_ft_summer *summer;
    const stfi_ft_rows *rows;
    uint64_t state;
} bench;

static int64_t draw(bench *b, int64_t low, int64_t high)
{
    return low
           + (int64_t)(stfi_random_u64(&b->state) % (uint64_t)(high - low + 1));
}

/* A random side, whose data begin at *x_p with any alignment. */
static stfi_ft_side draw_side(bench *b, const char **x_p)
{
    int64_t n = draw(b, 1, draw(b, 0, 3) > 0 ? 100 : LONGEST / 2);
    int halved = draw(b, 0, 3) == 0;
    size_t component = b->type->bytes;
    stfi_ft_side s = {.rank = 1, .below = {1}};

    s.parts = halved ? 2 : (int)draw(b, 1, 2);
    s.n[0] = halved ? n / 2 + 1 : n;
    s.halved = halved ? n : 0;
    s.stride[0] = s.parts;
    s.reversed = (int)draw(b, 0, 1);
    s.conjugate = halved && s.reversed;
    s.powerless = (int)draw(b, 0, 1);
    s.period[0] = n;
    s.weight[0] = b->w + component * (size_t)draw(b, 0, 15);
    *x_p = b->x + component * (size_t)draw(b, 0, 15);
    return s;
}

/* The largest difference of both sums relative to the rounding error of a
 * transform, u sqrt(n) |x|, or to the sum of squares. */
static double difference(bench *b)
{
    const char *x;
    stfi_ft_side s = draw_side(b, &x);
    stfi_ft_sum slow, fast;
    long double unit, u = b->type->unit_roundoff;
    double apart;

    s.powerless = 0;
    slow = b->summer->sum(&s, x, 1);
    unit = u * sqrtl((long double)s.n[0] * slow.power);
    s.powerless = (int)draw(b, 0, 1);
    s.rows = b->rows;
    fast = b->summer->sum(&s, x, 1);
    apart = (double)(hypotl(fast.re - slow.re, fast.im - slow.im) / unit);
    if (!s.powerless)
        apart = fmax(apart,
                     (double)(fabsl(fast.power / slow.power - 1) / (100 * u)));
    return apart;
}

static void open_bench(bench *b, stf_precision precision)
{
    const int64_t reals = 2 * LONGEST;

    b->type = stfi_type_get(precision);
    b->summer = precision == STF_F64 ? &stfi_ft_sum_f64 : &stfi_ft_sum_f32;
    b->x = take((size_t)reals, b->type->bytes);
    b->w = take((size_t)reals, b->type->bytes);
    stfi_random_fill(precision, b->x, reals, &b->state);
    stfi_random_fill(precision, b->w, reals, &b->state);
}

static void close_bench(bench *b)
{
    free(b->x);
    free(b->w);
}

/* The largest difference of the sums over several rows at once from those one by
 * one, as above, or infinity if a row's depend on the rows beside it. */
static double difference_of_many(bench *b)
{
    const char *x;
    stfi_ft_side s = draw_side(b, &x);
    stfi_ft_total total[9], alone;
    int64_t rows = draw(b, 1, 9),
            n = s.n[0] = draw(b, 1, rows > 2 ? 300 : 1400);
    int64_t apart = s.parts * n + draw(b, 0, 3);
    int form = (s.parts == 2 ? STFI_FT_ROW_COMPLEX : 0)
               | (s.reversed ? STFI_FT_ROW_BACKWARDS : 0) | STFI_FT_ROW_POWER;
    const char *w = s.weight[0];
    double most = 0;

    s.halved = s.conjugate = s.powerless = 0;
    s.period[0] = n;
    if (s.reversed)
        w += (size_t)(2 * n) * b->type->bytes;
    b->rows->many[form](x, w, n, apart, rows, total);
    for (int64_t r = 0; r < rows; r++) {
        const char *row = x + (size_t)(r * apart) * b->type->bytes;
        stfi_ft_sum slow = b->summer->sum(&s, row, 1);
        long double u = b->type->unit_roundoff;
        b->rows->many[form](row, w, n, 0, 1, &alone);
        if (memcmp(&alone, &total[r], sizeof alone) != 0)
            return INFINITY;
        most = fmax(most, (double)(hypotl((long double)total[r].re - slow.re,
                                          (long double)total[r].im - slow.im)
                                   / (u * sqrtl((long double)n * slow.power))));
        most = fmax(most,
                    (double)(fabsl((long double)total[r].power / slow.power - 1)
                             / (100 * u)));
    }
    return most;
}

static void test_isa(const char *isa, stf_precision precision)
{
    bench b = {.state = tap_seed()};
    const char *name = stfi_type_get(precision)->name;
    double worst = 0, many = 0;

    b.rows = stfi_cpu_row_sums_find(isa, precision);
    if (b.rows == NULL) {
        tap_skip("there are no vectors", "%s, %s", isa, name);
        return;
    }
    open_bench(&b, precision);
    for (int i = 0; i < TRIALS; i++) {
        worst = fmax(worst, difference(&b));
        many = fmax(many, difference_of_many(&b));
    }
    tap_ok(many < 3, "%s, %s: sums of many rows differ by %.2f roundings", isa,
           name, many);
    tap_ok(worst < 3, "%s, %s: sums by vectors differ by %.2f roundings", isa,
           name, worst);
    close_bench(&b);
}

/* Returns the ratio of a transform of one point with data x, whose sums are made
 * with `rows`. */
static double judge(stfi_ft_cache *cache, const stfi_ft_rows *rows,
                    stf_precision precision, double scale, const void *x,
                    const void *y)
{
    stf_fft_desc d = stf_fft_desc_default(), full;
    stfi_ft_offline check;
    double ratio = -1;

    d.rank = 1;
    d.n[0] = 1;
    d.precision = precision;
    d.scale_forward = scale;
    if (stfi_desc_complete(&d, &full) != STF_OK
        || stfi_ft_offline_open(cache, &full, STF_FORWARD, rows, &check))
        return -1;
    (void)stfi_ft_offline_judge(&check, x, y, &ratio);
    stfi_ft_offline_close(&check);
    return ratio;
}

/* Numbers whose squares overflow or vanish, and results that do: none may seem
 * wrong, and a wrong one has to. */
static void test_range(stf_precision precision)
{
    static const struct {
        double f32, f64, scale; /* data, by precision; of the plan */
    } row[] = {
        {1, 1, 1},          {1e30, 1e300, 1},      {3e38, 1.7e308, 1},
        {1e-30, 1e-200, 1}, {1e-44, 1e-320, 1},    {0, 0, 1},
        {1e10, 1e10, 1e28}, {1e-10, 1e-10, 1e-30},
    };
    const stfi_ft_rows *rows =
        stfi_cpu_row_sums_find(stfi_cpu_isa_at(0), precision);
    stfi_ft_cache *cache = NULL;
    int right = !stfi_ft_cache_create(&cache);

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double x = precision == STF_F32 ? row[i].f32 : row[i].f64;
        double in[2] = {x, -x}, out[2] = {x * row[i].scale, -x * row[i].scale};
        float in32[2] = {(float)in[0], (float)in[1]},
              out32[2] = {in32[0] * (float)row[i].scale,
                          in32[1] * (float)row[i].scale};
        int wide = precision == STF_F64;
        double ratio =
            judge(cache, rows, precision, row[i].scale,
                  wide ? (void *)in : in32, wide ? (void *)out : out32);
        if (!(ratio >= 0 && ratio < 0.5))
            tap_diag("%g times %g: ratio %g", x, row[i].scale, ratio);
        right &= ratio >= 0 && ratio < 0.5;
        out[0] *= 0.5;
        out32[0] *= 0.5F;
        right &= x == 0 || fabs(x) < 1e-300 || (!wide && fabs(x) < 1e-40)
                 || judge(cache, rows, precision, row[i].scale,
                          wide ? (void *)in : in32, wide ? (void *)out : out32)
                        > 1;
    }
    tap_ok(right, "%s: data of any size", stfi_type_get(precision)->name);
    stfi_ft_cache_destroy(cache);
}

int main(void)
{
    tap_begin("row_sums");
    for (int i = 0; stfi_cpu_isa_at(i) != NULL; i++) {
        test_isa(stfi_cpu_isa_at(i), STF_F32);
        test_isa(stfi_cpu_isa_at(i), STF_F64);
    }
    test_range(STF_F32);
    test_range(STF_F64);
    return tap_end();
}
