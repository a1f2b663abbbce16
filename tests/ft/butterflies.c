/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A fault strikes every operation of every butterfly of the CPU and of GPUs,
 * one at a time. The least weight of all these faults must be the one that the
 * network of butterflies states, from which left vectors are made: then the
 * network has all values inside a butterfly, in the order of the device. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "device/tuning.h"
#include "fft/factor.h"
#include "ft/weights/optimise.h"
#include "math/roots.h"
#include "tests/simt/simt.h"
#include "tests/simt/simt_kernel.h"
#include "tests/tap.h"

enum { LARGEST = 64, DRAWS = 4 };

typedef long (*faulty_butterfly)(int gpu, int radix, long damaged, double *x);

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
    for (int r = 2; r < LARGEST; r++) {
        stfi_text_put(w, " X(%d", r);
        for (int k = 0; k < r; k++) {
            long double re, im;
            stfi_root_l((uint64_t)k, (uint64_t)r, &re, &im);
            stfi_text_put(w, ", %.17g, %.17g", (double)re, (double)im);
        }
        stfi_text_put(w, ")");
    }
    stfi_text_put(w, "\n");
}

static stf_status open_library(stfi_gpu_kernel *library)
{
    static char config[1 << 17];
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

/* How much a fault changes e^T y, relative to the change of the output y that
 * it makes: of y = faulty - clean. Returns 9 if the fault has no effect. */
static double weigh(int n, const float *e, const double *clean,
                    const double *faulty)
{
    double re = 0, im = 0, power = 0;

    for (int k = 0; k < n; k++) {
        double dr = faulty[2 * k] - clean[2 * k];
        double di = faulty[2 * k + 1] - clean[2 * k + 1];
        re += (double)e[2 * k] * dr - (double)e[2 * k + 1] * di;
        im += (double)e[2 * k] * di + (double)e[2 * k + 1] * dr;
        power += dr * dr + di * di;
    }
    return power < 1e-12 ? 9 : hypot(re, im) / sqrt(power);
}

/* Returns the least weight under e of all operations of a butterfly, or NAN if
 * there is none. */
static double least_of_operations(faulty_butterfly run, int gpu, int radix,
                                  const float *e)
{
    double x[2 * LARGEST], clean[2 * LARGEST], y[2 * LARGEST], least = NAN;
    long operations;

    for (int i = 0; i < 2 * radix; i++)
        x[i] = clean[i] = sin(i * i + 3 * i + 1);
    operations = run(gpu, radix, 0, clean);
    for (long i = 1; i <= operations; i++) {
        memcpy(y, x, sizeof x);
        run(gpu, radix, i, y);
        least = fmin(least, weigh(radix, e, clean, y));
    }
    return least;
}

/* Compares the network with a butterfly: for random e, and for the e of passes
 * that consist of this butterfly. */
static void test_butterfly(faulty_butterfly run, int gpu, int radix)
{
    stfi_network_shape shape =
        stfi_network_shape_make(STFI_OP_FFT, STFI_CONV_NONE, radix, 1, &radix);
    double worst = 0, found = NAN, stated = NAN;
    float e[2 * LARGEST];

    for (int i = 0; i <= DRAWS; i++) {
        stf_status status = STF_OK;
        if (i == DRAWS)
            status = stfi_ft_optimised_vector(&shape, radix, e);
        else
            stfi_ft_draw(radix, (uint64_t)(1 + i * LARGEST), e);
        if (status != STF_OK
            || stfi_ft_least_weight(&shape, radix, e, &stated)) {
            tap_ok(0, "a vector: %s", stf_error_message());
            return;
        }
        found = least_of_operations(run, gpu, radix, e);
        /* Not fmax(), which would ignore a NAN. */
        if (!(fabs(found - stated) <= worst))
            worst = fabs(found - stated);
    }
    tap_ok(worst < 1e-5,
           "%s %d: least weight of all operations %.4f, by the network %.4f; "
           "%d other vectors differ by %.1g at most",
           gpu ? "gpu" : "cpu", radix, found, stated, DRAWS, worst);
}

static void test_butterflies(faulty_butterfly run)
{
    const stfi_tuning *t = &stfi_tuning_h200;

    for (int i = 0; stfi_radix_at(i) != NULL; i++)
        if (stfi_radix_at(i)->special)
            test_butterfly(run, 0, stfi_radix_at(i)->r);
    for (int i = 0; i < t->radices_count; i++)
        test_butterfly(run, 1, t->radices[i].r);
}

int main(void)
{
    stfi_gpu_kernel library = {.file = -1};
    faulty_butterfly run = NULL;
    void *symbol = NULL;

    tap_begin("ft/butterflies");
    if (stfi_simt_missing() != NULL) {
        tap_skip(stfi_simt_missing(), "faults inside butterflies");
        return tap_end();
    }
    if (open_library(&library) == STF_OK)
        symbol = dlsym(library.library, "faulty_butterfly");
    memcpy(&run, &symbol, sizeof run);
    tap_ok(run != NULL, "the butterflies compile: %s",
           run != NULL ? "yes" : stf_error_message());
    if (run != NULL)
        test_butterflies(run);
    stfi_simt_kernel_close(&library);
    return tap_end();
}
