/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A fault strikes every operation of the butterflies of the CPU and of GPUs, one
 * at a time, and every operation of some transforms. In a complex transform, the
 * least weight of all these faults must be the one that the network of
 * butterflies states, from which left vectors are made: then the network has all
 * values inside a butterfly, in the order of the device. With real data, what
 * the network states must be a lower bound. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "device/tuning.h"
#include "fft/factor.h"
#include "ft/instrument.h"
#include "ft/weights/optimise.h"
#include "math/roots.h"
#include "tests/simt/simt.h"
#include "tests/simt/simt_kernel.h"
#include "tests/tap.h"

/* All lengths are below POINTS. Those of more than one stage divide ORDER. */
enum { POINTS = 64, ORDER = 720, DRAWS = 3 };

typedef long (*faulty_transform)(int gpu, int n, int count, const int *radix,
                                 long damaged, double *x);

static void put_roots(stfi_text *w, int n)
{
    for (int k = 0; k < n; k++) {
        long double re, im;
        stfi_root_l((uint64_t)k, (uint64_t)n, &re, &im);
        stfi_text_put(w, "%s%.17g, %.17g", k > 0 ? ", " : "", (double)re,
                      (double)im);
    }
}

/* The configuration that faulty_butterflies.h is compiled with. */
static void write_config(stfi_text *w)
{
    const stfi_tuning *t = &stfi_tuning_h200;

    stfi_text_put(w, "#define CPU_RADICES(X)");
    for (int i = 0; stfi_radix_at(i) != NULL; i++)
        if (stfi_radix_at(i)->special)
            stfi_text_put(w, " X(%d)", stfi_radix_at(i)->r);
    stfi_text_put(w, "\n#define GPU_RADICES(X)");
    for (int i = 0; i < t->radices_count; i++)
        stfi_text_put(w, " X(%d)", t->radices[i].r);
    stfi_text_put(w, "\n#define STFK_ROOTS(X)");
    for (int r = 2; r < POINTS; r++) {
        stfi_text_put(w, " X(%d, ", r);
        put_roots(w, r);
        stfi_text_put(w, ")");
    }
    stfi_text_put(w,
                  "\n#define POINTS %d\n#define ORDER %d\n"
                  "#define TWIDDLES ",
                  POINTS, ORDER);
    put_roots(w, ORDER);
    stfi_text_put(w, "\n");
}

static stf_status open_library(stfi_gpu_kernel *library)
{
    static char config[1 << 18];
    stfi_text text = {config, sizeof config, 0};
    void *image;
    size_t bytes;
    stf_status status;

    write_config(&text);
    if (text.length >= sizeof config)
        return stfi_error(STF_ERR_INTERNAL, "the configuration is too long");
    status = stfi_simt_compile("simt32", "butterflies", config,
                               "#include \"../ft/faulty_butterflies.h\"\n",
                               &image, &bytes);
    if (status != STF_OK)
        return status;
    status = stfi_simt_kernel_open(library, "butterflies", image, bytes);
    stfi_dealloc(image);
    return status;
}

/* ---------------------------------------------------------------- weights */

typedef struct complex {
    double re, im;
} complex;

/* What a fault changes: the sum of e and the output, and the output's norm. */
typedef struct change {
    complex sum;
    double power;
} change;

/* Adds output a, with element k of e times f. */
static void add_output(change *c, const float *e, int64_t k, complex f,
                       complex a)
{
    double er = (double)e[2 * k] * f.re - (double)e[2 * k + 1] * f.im;
    double ei = (double)e[2 * k] * f.im + (double)e[2 * k + 1] * f.re;

    c->sum.re += er * a.re - ei * a.im;
    c->sum.im += er * a.im + ei * a.re;
    c->power += a.re * a.re + a.im * a.im;
}

/* Half the sum of z and the conjugate of m, and half their difference divided
 * by i. */
static complex sum_of(complex z, complex m)
{
    return (complex){(z.re + m.re) / 2, (z.im - m.im) / 2};
}

static complex difference_of(complex z, complex m)
{
    return (complex){(z.im + m.im) / 2, (m.re - z.re) / 2};
}

/* Makes a pass's outputs from a change z[n] of its transform's results. An
 * inverse transform runs with exchanged components. */
static change change_of(stfi_op op, int n, const float *e, const complex *z)
{
    const complex one = {1, 0}, c = {STFI_FT_SECOND_RE, STFI_FT_SECOND_IM};
    change total = {{0, 0}, 0};

    for (int k = 0; k <= n; k++) {
        complex at = z[k % n], mirror = z[(n - k) % n];
        complex a = sum_of(at, mirror), b = difference_of(at, mirror);
        long double re, im;
        stfi_root_l((uint64_t)k, 2 * (uint64_t)n, &re, &im);
        if (op == STFI_OP_R2C) {
            a.re += (double)re * b.re - (double)im * b.im;
            a.im += (double)re * b.im + (double)im * b.re;
            add_output(&total, e, k, one, a);
        } else if (op == STFI_OP_R2C_TWO && 2 * k <= n) {
            add_output(&total, e, k, one, a);
            add_output(&total, e, k, c, b);
        } else if (k < n && op == STFI_OP_FFT) {
            add_output(&total, e, k, one, at);
        } else if (k < n && op == STFI_OP_C2R) {
            add_output(&total, e, 2 * k, one, (complex){at.im, 0});
            add_output(&total, e, 2 * k + 1, one, (complex){at.re, 0});
        } else if (k < n && op == STFI_OP_C2R_TWO) {
            add_output(&total, e, k, one, (complex){at.im, 0});
            add_output(&total, e, k, c, (complex){at.re, 0});
        }
    }
    return total;
}

/* A pass: its operation, the device, the length of its transform and the
 * radices of this. */
typedef struct pass {
    stfi_op op;
    int gpu, n, radix[4];
} pass;

static int count_radices(const pass *p)
{
    int count = 0;

    while (count < 4 && p->radix[count] > 0)
        count++;
    return count;
}

/* Returns the least weight under e of all operations of a pass's transform, or
 * NAN if there is none. */
static double least_of_operations(faulty_transform run, const pass *p,
                                  const float *e)
{
    static double x[2 * POINTS], clean[2 * POINTS], y[2 * POINTS];
    static complex z[POINTS];
    double least = NAN;
    long operations;

    for (int i = 0; i < 2 * p->n; i++)
        x[i] = clean[i] = sin((double)(i * i + 3 * i + 1));
    operations = run(p->gpu, p->n, count_radices(p), p->radix, 0, clean);
    for (long i = 1; i <= operations; i++) {
        change c;
        memcpy(y, x, sizeof x);
        run(p->gpu, p->n, count_radices(p), p->radix, i, y);
        for (int k = 0; k < p->n; k++)
            z[k] = (complex){y[2 * k] - clean[2 * k],
                             y[2 * k + 1] - clean[2 * k + 1]};
        c = change_of(p->op, p->n, e, z);
        if (c.power > 1e-12)
            least = fmin(least, hypot(c.sum.re, c.sum.im) / sqrt(c.power));
    }
    return least;
}

/* ------------------------------------------------------------------ tests */

/* The least weights of one pass and e, as found and as stated. Returns 0 if
 * there is no e. */
typedef struct weights {
    double found, stated;
} weights;

/* `draw` is the number of a random e; DRAWS stands for the optimised one. */
static int weigh(faulty_transform run, const pass *p, int draw, weights *w)
{
    stfi_network_shape shape = stfi_network_shape_make(
        p->op, STFI_CONV_NONE, p->n, count_radices(p), p->radix);
    int64_t points = stfi_op_get(p->op)->points * p->n;
    static float e[4 * POINTS];
    stf_status status = STF_OK;

    if (draw == DRAWS)
        status = stfi_ft_optimised_vector(&shape, points, e);
    else
        stfi_ft_draw(points, (uint64_t)(1 + draw * POINTS), e);
    if (status != STF_OK || stfi_ft_least_weight(&shape, points, e, &w->stated))
        return 0;
    w->found = least_of_operations(run, p, e);
    return 1;
}

/* For random e, and for that of the pass. */
static void test_pass(faulty_transform run, const pass *p)
{
    int exact = p->op == STFI_OP_FFT;
    double worst = 0;
    weights w = {NAN, NAN};

    for (int i = 0; i <= DRAWS; i++) {
        double above;
        if (!weigh(run, p, i, &w)) {
            tap_ok(0, "a vector: %s", stf_error_message());
            return;
        }
        above = exact ? fabs(w.found - w.stated) : w.stated - w.found;
        if (!(above <= worst)) /* not fmax(), which would ignore a NAN */
            worst = above;
    }
    tap_ok(worst < 1e-5 && w.stated > 0.1,
           "%s %s %d by %d: least weight of all operations %.4f, by the "
           "network %.4f; %d other vectors %s by %.1g at most",
           p->gpu ? "gpu" : "cpu", stfi_op_get(p->op)->word, p->n, p->radix[0],
           w.found, w.stated, DRAWS, exact ? "differ" : "exceed it", worst);
}

static void test_butterflies(faulty_transform run)
{
    const stfi_tuning *t = &stfi_tuning_h200;

    for (int i = 0; stfi_radix_at(i) != NULL; i++) {
        int r = stfi_radix_at(i)->r;
        pass p = {STFI_OP_FFT, 0, r, {r}};
        if (stfi_radix_at(i)->special)
            test_pass(run, &p);
    }
    for (int i = 0; i < t->radices_count; i++) {
        pass p = {STFI_OP_FFT, 1, t->radices[i].r, {t->radices[i].r}};
        test_pass(run, &p);
    }
}

static void test_passes(faulty_transform run)
{
    static const pass passes[] = {
        {STFI_OP_FFT, 0, 60, {12, 5}},     {STFI_OP_FFT, 1, 60, {6, 10}},
        {STFI_OP_FFT, 0, 45, {9, 5}},      {STFI_OP_FFT, 1, 48, {16, 3}},
        {STFI_OP_R2C, 0, 12, {12}},        {STFI_OP_R2C, 0, 16, {16}},
        {STFI_OP_R2C, 0, 15, {5, 3}},      {STFI_OP_R2C, 0, 48, {16, 3}},
        {STFI_OP_R2C, 1, 16, {8, 2}},      {STFI_OP_R2C, 1, 18, {18}},
        {STFI_OP_R2C, 1, 24, {24}},        {STFI_OP_R2C, 1, 27, {27}},
        {STFI_OP_R2C, 1, 45, {9, 5}},      {STFI_OP_C2R, 0, 48, {16, 3}},
        {STFI_OP_C2R, 0, 60, {12, 5}},     {STFI_OP_C2R, 1, 36, {4, 9}},
        {STFI_OP_R2C_TWO, 0, 60, {12, 5}}, {STFI_OP_R2C_TWO, 1, 48, {8, 6}},
        {STFI_OP_C2R_TWO, 0, 60, {12, 5}}, {STFI_OP_C2R_TWO, 1, 48, {8, 6}},
    };

    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        test_pass(run, &passes[i]);
}

int main(void)
{
    stfi_gpu_kernel library = {.file = -1};
    faulty_transform run = NULL;
    void *symbol = NULL;

    tap_begin("ft/butterflies");
    if (stfi_simt_missing() != NULL) {
        tap_skip(stfi_simt_missing(), "faults inside butterflies");
        return tap_end();
    }
    if (open_library(&library) == STF_OK)
        symbol = dlsym(library.library, "faulty_transform");
    memcpy(&run, &symbol, sizeof run);
    tap_ok(run != NULL, "the butterflies compile: %s",
           run != NULL ? "yes" : stf_error_message());
    if (run != NULL) {
        test_butterflies(run);
        test_passes(run);
    }
    stfi_simt_kernel_close(&library);
    return tap_end();
}
