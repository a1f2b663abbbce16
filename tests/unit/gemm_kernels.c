/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels of matrix products, compiled by NVRTC for several architectures: their
 * registers do not spill, but for checked ones in so far as tuning.def allows.
 * The level says how many kernels are compiled; the seed, which. */
#include <stdio.h>

#include "backends/cuda/cubin.h"
#include "backends/cuda/cuda_rtc.h"
#include "backends/gpu/host/gemm/gemm_spec.h"
#include "backends/gpu/host/kernels/kernel_set.h"
#include "base/alloc.h"
#include "base/random.h"
#include "base/type.h"
#include "base/status.h"
#include "gemm/gemm_desc.h"
#include "tests/tap.h"

static const struct {
    const char *preset, *arch;
} devices[] = {{"t4", "sm_75"}, {"a100", "sm_80"}, {"h200", "sm_90"}};

enum { DEVICES = sizeof devices / sizeof *devices };

static stf_status compile(void *arg, const stfi_gpu_key *key, void **image_p,
                          size_t *bytes_p)
{
    (void)arg;
    return stfi_gpu_image_get(&stfi_cuda_rtc, key, image_p, bytes_p, NULL);
}

static stfi_gpu_usage last;

static stf_status usage(const void *image, size_t bytes, const char *entry,
                        stfi_gpu_usage *usage_p)
{
    stf_status status = stfi_cuda_image_usage(image, bytes, entry, usage_p);

    last = *usage_p;
    return status;
}

/* How a product is checked, if it is: a level that it does not have stands for
 * the default one. */
static const struct {
    const char *name;
    stf_ft_mode mode;
    stf_ft_level level;
    stf_ft_scheme scheme; /* of what has TWO_SIDED */
    int apart; /* by sums of a product of their own, of what has these */
} checks[] = {
    {"unchecked", STF_FT_OFF, STF_FT_AUTO, STF_FT_SCHEME_AUTO, 0},
    {"checked", STF_FT_CORRECT, STF_FT_AUTO, STF_FT_SCHEME_AUTO, 0},
    {"checked apart", STF_FT_CORRECT, STF_FT_AUTO, STF_FT_SCHEME_AUTO, 1},
    {"checked by thread", STF_FT_CORRECT, STF_FT_THREAD, STF_FT_SCHEME_AUTO, 0},
    {"checked by warp", STF_FT_CORRECT, STF_FT_WARP, STF_FT_SCHEME_AUTO, 0},
    {"checked, two-sided", STF_FT_CORRECT, STF_FT_AUTO, STF_FT_SCHEME_TWO_SIDED,
     0},
    {"checked as a whole", STF_FT_CORRECT, STF_FT_OFFLINE, STF_FT_SCHEME_AUTO,
     0}};

enum {
    UNCHECKED,
    CHECKED,
    APART,
    CHECKS = sizeof checks / sizeof *checks,
    WHOLE = CHECKS - 1
};

/* Kernels beside the one that computes tiles, which may use memory for registers. */
static const struct {
    stfi_gemm_kernel kernel;
    int check;
} others[] = {
    {STFI_GEMM_ADD, UNCHECKED},      {STFI_GEMM_MULTIPLY, APART},
    {STFI_GEMM_ENCODE, APART},       {STFI_GEMM_STRIKE, APART},
    {STFI_GEMM_MEND, APART},         {STFI_GEMM_ENCODE, CHECKED},
    {STFI_GEMM_MEND, CHECKED},       {STFI_GEMM_STRIKE, CHECKED},
    {STFI_GEMM_STRIKE_ADD, CHECKED}, {STFI_GEMM_STRIKE_MEND, CHECKED},
    {STFI_GEMM_ENCODE, WHOLE},       {STFI_GEMM_KEEP, WHOLE},
    {STFI_GEMM_SETTLE, WHOLE},       {STFI_GEMM_STRIKE_SETTLE, WHOLE},
    {STFI_GEMM_MULTIPLY, WHOLE},
};

enum { OTHERS = sizeof others / sizeof *others };

/* A product that has this tile, its transposes, and checks or none. */
static stfi_gemm product_of(const stfi_gemm_tile *tile, int ta, int tb,
                            int check)
{
    const stfi_gemm_unit *unit = stfi_gemm_unit_get(tile->unit);
    stf_gemm_desc d = stf_gemm_desc_default(), full = d;

    d.precision = unit->halves && !unit->splits ? STF_F16
                  : tile->wide                  ? STF_F64
                                                : STF_F32;
    d.compute = unit->splits ? STF_COMPUTE_SPLIT : STF_COMPUTE_NATIVE;
    d.precision_c = d.precision == STF_F16 && tb ? STF_F32 : d.precision;
    d.m = d.n = d.k = 4096;
    d.transa = (stf_transpose)ta;
    d.transb = (stf_transpose)tb;
    d.ft.mode = checks[check].mode;
    d.ft.level = tile->wide || tile->unit != STFI_GEMM_NO_UNIT
                     ? STF_FT_AUTO
                     : checks[check].level;
    d.ft.scheme = unit->halves ? STF_FT_SCHEME_AUTO : checks[check].scheme;
    stfi_gemm_desc_complete(&d, &full);
    return stfi_gemm_lower(&full);
}

static void test_kernel(int device, int tile, int ta, int tb, int check,
                        stfi_gemm_kernel kernel)
{
    const stfi_gemm_tile *t = stfi_gemm_tile_at(tile);
    const stfi_caps *caps = stfi_preset_find(devices[device].preset);
    const stfi_gemm g = product_of(t, ta, tb, check);
    const stfi_kernel_source source = {compile, NULL, usage};
    stfi_gemm_tiling tiling = {.async =
                                   stfi_gpu_gemm_async(devices[device].arch)};
    stfi_kernel *k;
    void *mem;
    stf_status status;

    if (!stfi_gemm_tiling_make(&g, caps, t, 1, &tiling)) {
        tap_skip("it has no such tile", "%s, %dx%d", devices[device].preset,
                 t->m, t->n);
        return;
    }
    tiling.apart = checks[check].apart
                   && (g.precision == stfi_type_arithmetic(g.precision)->id
                       || stfi_gemm_unit_get(t->unit)->groups)
                   && !stfi_gemm_unit_get(t->unit)->splits;
    status = stfi_alloc(sizeof *k, "a kernel", &mem);
    k = mem;
    if (status == STF_OK) {
        snprintf(k->arch, sizeof k->arch, "%s", devices[device].arch);
        status = stfi_gpu_gemm_spec(kernel, &g, &tiling, caps, &k->spec);
    }
    if (status == STF_OK)
        status = stfi_kernel_get(k, &source);
    tap_ok(status == STF_OK
               && (kernel != STFI_GEMM_MULTIPLY
                   || last.local_bytes <= k->spec.spill_bytes),
           "%s %s %s %dx%d %c%c, %s: %d registers, %d bytes of local "
           "memory %s",
           devices[device].arch, k->spec.entry,
           stfi_type_get(g.precision)->name, t->m, t->n, "nt"[ta], "nt"[tb],
           checks[check].name, last.registers, last.local_bytes,
           status == STF_OK ? "" : stf_error_message());
    stfi_dealloc(k);
}

/* The others of a small tile, which take long. */
static void test_others(int tile)
{
    for (int i = 0; i < OTHERS; i++)
        if (tap_takes(i))
            test_kernel(DEVICES - 1, tile, 0, 0, others[i].check,
                        others[i].kernel);
}

int main(void)
{
    static const int counts[] = {0, 1, 24};
    uint64_t state;
    char version[32];
    int tiles = 0;

    tap_begin("unit/gemm_kernels");
    state = tap_seed();
    if (stfi_cuda_rtc.version(version, sizeof version) != STF_OK) {
        tap_skip("no NVRTC", "kernels of matrix products");
        return tap_end();
    }
    while (stfi_gemm_tile_at(tiles) != NULL)
        tiles++;
    for (int i = 0; i < tiles; i++) {
        const stfi_gemm_tile *t = stfi_gemm_tile_at(i);
        if (t->unit == STFI_GEMM_UNIT_GROUP && t->m == 64)
            test_kernel(DEVICES - 1, i, 0, 0, APART, STFI_GEMM_MULTIPLY);
        if ((t->m == 32 && t->n == 32)
            || ((t->unit == STFI_GEMM_UNIT_HALF
                 || t->unit == STFI_GEMM_UNIT_GROUP)
                && t->m == 64)) /* they compile in the shortest time */
            test_kernel(DEVICES - 1, i, 0, 0, UNCHECKED, STFI_GEMM_MULTIPLY);
        if (t->m == 32 && t->n == 32 && !t->wide
            && t->unit == STFI_GEMM_NO_UNIT)
            test_others(i);
    }
    for (int i = 0; i < counts[tap_level()]; i++) {
        const uint64_t x = stfi_random_u64(&state);
        test_kernel((int)(x % DEVICES), (int)(x / 8 % (uint64_t)tiles),
                    (int)(x >> 40 & 1), (int)(x >> 41 & 1),
                    (int)(x >> 42 & 0xff) % WHOLE, STFI_GEMM_MULTIPLY);
    }
    return tap_end();
}
