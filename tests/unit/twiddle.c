/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Roots of unity compared with __float128. Rounded to F32 and F64 they are the
 * nearest numbers (in F64 except for rare values within 2^-9 units of the
 * middle between two numbers). F80 roots are within 1.5 units of the last
 * place. This holds for every order up to 2^60. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "math/roots.h"

#include "support/problem/problem.h"
#include "tests/tap.h"

#ifdef HAVE_FLOAT128
#include "support/oracle/quad.h"

__extension__ typedef __float128 quad;
__extension__ typedef unsigned __int128 uint128;

/* The errors that were found in the roots of some orders. */
typedef struct findings {
    long roots;
    long f32_wrong, f64_wrong;
    double f64_worst, f80_worst; /* in units of the last place */
} findings;

/* cos or sin of 2 pi k / n, reduced to a quarter turn in integers. */
static quad true_value(uint64_t k, uint64_t n, int sine)
{
    uint128 quarters = (uint128)4 * (k % n);
    int quadrant = (int)(quarters / n);
    quad part = (quad)(uint64_t)(quarters % n) / (quad)n;
    quad angle = acosq(-1) / 2 * part;
    quad c, s;

    /* Close to a quarter turn the complement is computed exactly in integers,
     * and its sine keeps full precision. */
    if (part > (quad)0.5) {
        part = (quad)(uint64_t)(n - (uint64_t)(quarters % n)) / (quad)n;
        c = sinq(acosq(-1) / 2 * part);
        s = cosq(acosq(-1) / 2 * part);
    } else {
        c = cosq(angle);
        s = sinq(angle);
    }
    if (sine)
        return quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
    return quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
}

/* |got - want| in units of the last place of a `bits`-bit number. */
static double units(long double got, quad want, int bits)
{
    int exponent;
    quad error = fabsq((quad)got - want);

    if (want == 0)
        return error == 0 ? 0 : 1e30;
    frexpq(want, &exponent);
    return (double)ldexpq(error, bits - exponent);
}

static void examine(findings *f, stf_precision precision, long double got,
                    quad want)
{
    double e;

    if (precision == STF_F32) {
        f->f32_wrong += (float)got != (float)want;
    } else if (precision == STF_F64) {
        f->f64_wrong += (double)got != (double)want;
        e = units((double)got, want, 53);
        f->f64_worst = e > f->f64_worst ? e : f->f64_worst;
    } else {
        e = units(got, want, 64);
        f->f80_worst = e > f->f80_worst ? e : f->f80_worst;
    }
}

static void examine_order(findings *f, stf_precision precision, uint64_t n,
                          uint64_t uses, uint64_t *state)
{
    stfi_roots *roots = NULL;
    uint64_t i, k;
    long double re, im;

    if (stfi_roots_create(n, precision, uses, &roots)) {
        f->f32_wrong = f->f64_wrong = 1 << 30;
        tap_diag("%s", stf_error_message());
        return;
    }
    for (i = 0; i < uses; i++) {
        k = uses >= n ? i : stfi_random_u64(state) % n;
        stfi_roots_get(roots, k, &re, &im);
        examine(f, precision, re, true_value(k, n, 0));
        examine(f, precision, im, -true_value(k, n, 1));
        f->roots++;
    }
    stfi_roots_destroy(roots);
}

static void examine_single(findings *f, uint64_t n, uint64_t *state)
{
    uint64_t k = stfi_random_u64(state) % n;
    long double re, im;

    stfi_root_l(k, n, &re, &im);
    examine(f, STF_F80, re, true_value(k, n, 0));
    examine(f, STF_F80, im, -true_value(k, n, 1));
    f->roots++;
}

static void report(const findings *f, const char *what)
{
    tap_ok(f->f32_wrong == 0 && f->f64_worst <= 0.5 + 1.0 / 512
               && f->f64_wrong * 256 <= f->roots && f->f80_worst <= 1.5,
           "%s: %ld roots", what, f->roots);
    tap_diag("F32 not nearest %ld; F64 not nearest %ld, worst %.5f units; "
             "F80 worst %.3f units",
             f->f32_wrong, f->f64_wrong, f->f64_worst, f->f80_worst);
}

static void test_precision(stf_precision precision, const char *name)
{
    findings f = {0, 0, 0, 0, 0};
    uint64_t state = tap_seed(), n;
    int i;

    for (n = 1; n <= 200; n++)
        examine_order(&f, precision, n, n, &state);
    for (i = 0; i < 40; i++)
        examine_order(&f, precision, (uint64_t)1 << i, 300, &state);
    for (i = 0; i < 100; i++) {
        n = 1 + (stfi_random_u64(&state) >> (24 + i % 40));
        examine_order(&f, precision, n, i % 4 ? 300 : 5, &state);
    }
    /* So many uses that tables pay, as a planner would ask for them. */
    examine_order(&f, precision, 65536, 65536, &state);
    examine_order(&f, precision, 99999, 20000, &state);
    examine_order(&f, precision, 2000006, 20000, &state);
    report(&f, name);
}

static void test_single(void)
{
    findings f = {0, 0, 0, 0, 0};
    uint64_t state = tap_seed(), n;
    int i;

    for (i = 0; i < 20000; i++) {
        n = 1 + (stfi_random_u64(&state) >> (4 + i % 60));
        examine_single(&f, n, &state);
    }
    report(&f, "single roots of orders to 2^60");
}

static void test_exact(void)
{
    static const long double want[4][2] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
    uint64_t n, q;
    long double re, im;
    int right = 1;

    for (n = 4; n <= (uint64_t)1 << 60; n *= 4)
        for (q = 0; q < 4; q++) {
            stfi_root_l(n / 4 * q, n, &re, &im);
            right = right && re == want[q][0] && im == want[q][1];
            stfi_root_l(n / 4 * q + n, n, &re, &im);
            right = right && re == want[q][0] && im == want[q][1];
        }
    tap_ok(right, "quarter turns are exact, and any k is taken modulo n");
}

int main(void)
{
    tap_begin("twiddle");
    test_exact();
    test_single();
    test_precision(STF_F32, "roots for F32");
    test_precision(STF_F64, "roots for F64");
    test_precision(STF_F80, "roots for F80");
    return tap_end();
}
#else
int main(void)
{
    tap_begin("twiddle");
    tap_skip("this compiler has no __float128", "roots of unity");
    return tap_end();
}
#endif
