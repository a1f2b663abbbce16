/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tests of the emulated GPU itself: right kernels give right results, and every
 * defect that it is meant to find is found. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/gpu/kernels/fft/args.h"
#include "base/alloc.h"
#include "base/half.h"
#include "support/problem/problem.h"
#include "tests/simt/sanitizer.h"
#include "tests/simt/simt.h"
#include "tests/simt/unit.h"
#include "tests/tap.h"

enum { THREADS = 128, BLOCKS = 3, COUNT = THREADS * BLOCKS };

/* A device with the kernels of toys.h and an input and an output array. */
typedef struct bench {
    stfi_gpu_dev *dev;
    void *image;
    size_t bytes;
    void *in, *out;
    uint32_t overlaps; /* of its launches */
    float x[COUNT], y[COUNT];
} bench;

static stf_status upload(const bench *b, void *dst, const float *src)
{
    return stfi_simt_rt.copy(b->dev, dst, src, sizeof b->x, STFI_TO_DEVICE,
                             NULL);
}

static int open_bench(bench *b, const char *preset)
{
    uint64_t state = tap_seed();
    const char *arch = strcmp(preset, "mi300x") ? "simt32" : "simt64";

    memset(b, 0, sizeof *b);
    stfi_simt_set_caps(stfi_preset_find(preset));
    stfi_random_fill(STF_F32, b->x, COUNT, &state);
    return !stfi_simt_compile(arch, "toys", "", "#include \"toys.h\"\n",
                              &b->image, &b->bytes)
           && !stfi_simt_rt.open(0, &b->dev)
           && !strcmp(stfi_simt_rt.arch(b->dev), arch)
           && !stfi_simt_rt.mem_alloc(b->dev, sizeof b->x, &b->in)
           && !stfi_simt_rt.mem_alloc(b->dev, sizeof b->x, &b->out)
           && !upload(b, b->in, b->x);
}

static void close_bench(bench *b)
{
    if (b->dev != NULL) {
        stfi_simt_rt.mem_free(b->dev, b->in);
        stfi_simt_rt.mem_free(b->dev, b->out);
    }
    stfi_simt_rt.close(b->dev);
    stfi_dealloc(b->image);
    stfi_simt_set_caps(NULL);
}

/* Runs a kernel that writes y, which is filled with garbage first. */
static stf_status run(bench *b, const char *name, uint32_t threads)
{
    stfi_gpu_launch l = {BLOCKS, threads, THREADS * sizeof(float), b->overlaps};
    stfi_gpu_kernel *k;
    stfi_gpu_usage usage;
    stfk_args a;
    stf_status status;
    int i;

    memset(&a, 0, sizeof a);
    a.load.base = b->in;
    a.store.base = b->out;
    a.lanes = COUNT;
    a.loop_div[0] = (stfk_divisor){0x24924925u, 3}; /* 2^32 (8 - 7) / 7 */
    status =
        stfi_simt_rt.load(b->dev, b->image, b->bytes, name, &l, &k, &usage);
    if (status != STF_OK)
        return status;
    for (i = 0; i < COUNT; i++)
        b->y[i] = NAN;
    status = upload(b, b->out, b->y);
    if (status == STF_OK)
        status = stfi_simt_rt.launch(b->dev, k, &l, &a, sizeof a, NULL);
    if (status == STF_OK)
        status = stfi_simt_rt.copy(b->dev, b->y, b->out, sizeof b->y,
                                   STFI_TO_HOST, NULL);
    stfi_simt_rt.unload(b->dev, k);
    return status;
}

/* ------------------------------------------------------- kernels in order */

static float want_double(const bench *b, int block, int t)
{
    return 2 * b->x[block * THREADS + t];
}

static float want_reverse(const bench *b, int block, int t)
{
    return b->x[block * THREADS + 127 - (t ^ 64)] + 1 - 1;
}

static float want_wave_sync(const bench *b, int block, int t)
{
    return b->x[block * THREADS + (t ^ 1)];
}

static float want_early_end(const bench *b, int block, int t)
{
    return t < 96 ? b->x[block * THREADS + 95 - t] : NAN;
}

static float want_copy(const bench *b, int block, int t)
{
    return b->x[block * THREADS + t];
}

static void check_right(bench *b, const char *name,
                        float (*want)(const bench *, int, int))
{
    stf_status status = run(b, name, THREADS);
    int wrong = 0, i;

    for (i = 0; i < COUNT; i++) {
        float w = want(b, i / THREADS, i % THREADS);
        wrong += isnan(w) ? !isnan(b->y[i]) : !(fabsf(b->y[i] - w) < 1e-6f);
    }
    tap_ok(status == STF_OK && wrong == 0, "%s: %d wrong elements", name,
           wrong);
    if (status != STF_OK)
        tap_diag("%s", stf_error_message());
}

/* Every lane gets the sum over its wave plus half of the first lane's value. */
static void check_shuffle(bench *b, int wave)
{
    stf_status status = run(b, "toy_shuffle", THREADS);
    double worst = 0;
    int i, k;

    for (i = 0; i < COUNT; i++) {
        int first = i / wave * wave;
        double sum = b->x[first] / 2;
        for (k = 0; k < wave; k++)
            sum += b->x[first + k];
        worst = fmax(worst, fabs(sum - b->y[i]));
    }
    tap_ok(status == STF_OK && worst < 1e-5, "shuffles over waves of %d", wave);
}

/* Element (row, column) of matrix n of a block. */
static double half_of(const bench *b, int block, int n, int row, int column)
{
    const float x = b->x[block * THREADS + n * 32 + row * 4 + column / 2];
    const float y = column % 2 ? 0.5f - x * x : x;

    return (double)stfi_half_from_f16(stfi_half_to_f16(y));
}

/* The block's matrices M0 to M3 are A = (M0 M2; M1 M3), B = (M0; M1), and D = M2;
 * C = (i + 1) + A B + (M0; M1) D, of which thread t has element i = t / 32. */
static double want_units(const bench *b, int block, int t)
{
    const int i = t / 32, row = t % 32 / 4 + i / 2 * 8;
    const int column = t % 4 * 2 + i % 2, lower = row / 8;
    double sum = i + 1;

    for (int k = 0; k < 16; k++)
        sum += half_of(b, block, k / 8 * 2 + lower, row % 8, k % 8)
               * half_of(b, block, k / 8, k % 8, column);
    for (int k = 0; k < 8; k++)
        sum += half_of(b, block, lower, row % 8, k)
               * half_of(b, block, 2, k, column);
    return sum;
}

/* Half i of the four that a thread of a wave of 64 has for units. */
static double wave_half_of(const bench *b, int thread, int i)
{
    const float v = b->x[thread];
    const float of[] = {v, 0.5f - v * v, v * v, 0.25f * v};

    return (double)stfi_half_from_f16(stfi_half_to_f16(of[i]));
}

/* Thread 16 q + g has steps 4 q + i of row g of A and of column g of B, the latter
 * in the other order of words, and rows 4 q + i of column g of the result, of
 * which the toy keeps i = t / 32. */
static double want_wave_units(const bench *b, int block, int t)
{
    const int first = block * THREADS + t / 64 * 64, i = t / 32;
    const int row = t % 64 / 16 * 4 + i, column = t % 16;
    double sum = i + 1;

    for (int k = 0; k < 16; k++)
        sum += wave_half_of(b, first + k / 4 * 16 + row, k % 4)
               * wave_half_of(b, first + k / 4 * 16 + column, k % 4 ^ 2);
    return sum;
}

static void check_units(bench *b, int wave)
{
    const int wide = wave == 64;

    for (int n = 0; stfi_simt_unit_at(n) != NULL; n++) {
        double worst = 0;
        stf_status status;
        stfi_simt_unit_set(stfi_simt_unit_at(n));
        status = run(b, wide ? "toy_wave_units" : "toy_units", THREADS);
        for (int i = 0; i < COUNT; i++)
            worst = fmax(worst, fabs((wide ? want_wave_units : want_units)(
                                         b, i / THREADS, i % THREADS)
                                     - b->y[i]));
        tap_ok(status == STF_OK && worst < 1e-5,
               "matrix units that add in the way \"%s\": errors up to %g",
               stfi_simt_unit_at(n)->name, worst);
    }
    stfi_simt_unit_set(NULL);
}

/* 1 and 15 terms of 2^-24, which are lost where they come with the 1 or after it:
 * as many sums as there are places for it among blocks of 4. */
static void check_order(void)
{
    enum { TERMS = 16, PLACES = 4, SEEDS = 64 };
    unsigned short x[TERMS], y[TERMS];
    int seen[PLACES] = {0}, right = 1, i = 0;

    while (strcmp(stfi_simt_unit_at(i)->name, "coarse") != 0)
        i++;
    for (int k = 0; k < TERMS; k++)
        x[k] = y[k] = (unsigned short)stfi_half_to_f16(k == 5 ? 1 : 0x1p-12f);
    for (int seed = 0; seed < SEEDS; seed++) {
        float sum[2];
        for (int again = 0; again < 2; again++) {
            stfi_simt_unit_set(stfi_simt_unit_at(i));
            stfi_simt_unit_order((uint64_t)seed);
            sum[again] = stfi_simt_half_sum(SIMT_F16, TERMS, 0, x, y);
        }
        for (int k = 0; k < PLACES; k++)
            seen[k] += sum[0] == 1 + (float)k * 0x1p-22f;
        right = right && sum[0] == sum[1];
    }
    tap_ok(
        right && seen[0] > 0 && seen[1] > 0 && seen[2] > 0 && seen[3] > 0
            && seen[0] + seen[1] + seen[2] + seen[3] == SEEDS,
        "matrix units add in an order that is drawn, equal seeds in the same");
    stfi_simt_unit_set(NULL);
}

static void check_uninitialised(bench *b)
{
    stf_status status = run(b, "toy_uninitialised", THREADS);
    int nans = 0, i;

    for (i = 0; i < COUNT; i++)
        nans += isnan(b->y[i]) != 0;
    tap_ok(status == STF_OK && nans == COUNT,
           "shared memory that nobody wrote is NaN");
}

/* --------------------------------------------------------------- defects */

static void check_wrong(bench *b, const char *name, const char *message)
{
    stf_status status = run(b, name, THREADS);

    tap_ok(status == STF_ERR_DEVICE
               && strstr(stf_error_message(), message) != NULL,
           "%s is found", name);
    tap_diag("%s: %s", stf_status_name(status),
             status ? stf_error_message() : "nothing was noticed");
}

/* With the address sanitizer the process ends at the first access outside. */
static void check_overrun(bench *b, const char *name, int writes)
{
    int status = 0;
    pid_t child;

    if (!STFI_ASAN) {
        if (writes)
            check_wrong(b, name, "wrote beside");
        return;
    }
    fflush(stdout);
    child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(0);
        run(b, name, THREADS);
        _exit(0);
    }
    waitpid(child, &status, 0);
    tap_ok(child > 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0),
           "%s is found by the address sanitizer", name);
}

static void check_toys(const char *preset, int wave)
{
    bench b;

    if (tap_ok(open_bench(&b, preset), "%s: the kernels compile", preset)) {
        check_right(&b, "toy_double", want_double);
        check_right(&b, "toy_reverse", want_reverse);
        check_right(&b, "toy_wave_sync", want_wave_sync);
        check_right(&b, "toy_early_end", want_early_end);
        check_right(&b, "toy_arithmetic", want_copy);
        check_shuffle(&b, wave);
        check_units(&b, wave);
        check_uninitialised(&b);
        check_wrong(&b, "toy_race_reuse", "barrier is missing");
        check_wrong(&b, "toy_race_waves", "barrier is missing");
        check_wrong(&b, "toy_race_lanes", "barrier is missing");
        check_wrong(&b, "toy_race_blocks", "order of the threads");
        check_wrong(&b, "toy_race_store", "two threads write");
        check_wrong(&b, "toy_divergent", "stuck");
        check_wrong(&b, "toy_shuffle_missing", "has ended");
        check_overrun(&b, "toy_shared_overrun", 1);
        check_overrun(&b, "toy_global_overrun", 1);
        check_overrun(&b, "toy_global_overread", 0);
        check_right(&b, "toy_reverse", want_reverse);
        b.overlaps = 1;
        check_right(&b, "toy_waits", want_double);
        check_wrong(&b, "toy_double", "may still write");
        check_wrong(&b, "toy_some_wait", "may still write");
    } else {
        tap_diag("%s", stf_error_message());
    }
    close_bench(&b);
}

/* ----------------------------------------------------------- the driver */

static void check_limits(bench *b)
{
    stfi_gpu_launch large = {1, THREADS, 1 << 20, 0};
    stfi_gpu_kernel *k = NULL;
    stfi_gpu_usage usage;

    tap_ok(run(b, "toy_nothing", THREADS) == STF_ERR_DEVICE,
           "a kernel that is not there is refused");
    tap_ok(run(b, "toy_double", 2 * THREADS) == STF_ERR_DEVICE,
           "more threads than it was compiled for are refused");
    tap_ok(run(b, "toy_double", 2048) == STF_ERR_DEVICE,
           "more threads than the device has are refused");
    tap_ok(stfi_simt_rt.load(b->dev, b->image, b->bytes, "toy_double", &large,
                             &k, &usage)
                   == STF_ERR_DEVICE
               && k == NULL,
           "too much shared memory is refused");
    large.shared_bytes = 20000;
    if (tap_ok(stfi_simt_rt.load(b->dev, b->image, b->bytes, "toy_double",
                                 &large, &k, &usage)
                       == STF_OK
                   && usage.blocks == 3,
               "three blocks of 20000 bytes reside on a t4"))
        stfi_simt_rt.unload(b->dev, k);
}

static void check_memory(bench *b)
{
    float host[4] = {1, 2, 3, 4};
    void *saved = b->in, *p = NULL;

    b->in = b->x;
    tap_ok(run(b, "toy_double", THREADS) == STF_ERR_DEVICE,
           "a host array as an argument is refused");
    b->in = saved;
    tap_ok(
        stfi_simt_rt.copy(b->dev, host, b->x, sizeof host, STFI_TO_HOST, NULL)
            == STF_ERR_DEVICE,
        "a host array as the source of a download is refused");
    tap_ok(stfi_simt_rt.copy(b->dev, (char *)b->out + sizeof b->y - 4, host, 8,
                             STFI_TO_DEVICE, NULL)
               == STF_ERR_DEVICE,
           "a copy beyond the end is refused");
    stfi_simt_fail_alloc_at(2);
    tap_ok(stfi_simt_rt.mem_alloc(b->dev, 10, &p) == STF_OK,
           "the first of two allocations succeeds");
    stfi_simt_rt.mem_free(b->dev, p);
    p = NULL;
    tap_ok(stfi_simt_rt.mem_alloc(b->dev, 10, &p) == STF_ERR_MEMORY && !p,
           "the second fails as it was told to");
    stfi_simt_fail_launch_at(1);
    tap_ok(run(b, "toy_double", THREADS) == STF_ERR_DEVICE,
           "a launch fails as it was told to");
    tap_ok(run(b, "toy_double", THREADS) == STF_OK, "the next one does not");
}

/* The host must not touch device memory. */
static void check_protection(const bench *b)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(0);
        _exit(*(volatile char *)b->in == 1 ? 0 : 0);
    }
    waitpid(child, &status, 0);
    tap_ok(child > 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0),
           "the host cannot read device memory");
}

static void check_driver(void)
{
    stfi_simt_counts c;
    bench b;

    if (tap_ok(open_bench(&b, "t4"), "a t4 opens")) {
        check_limits(&b);
        check_memory(&b);
        check_protection(&b);
    }
    close_bench(&b);
    c = stfi_simt_count();
    tap_ok(c.launches > 0 && c.compiles > 0 && c.devices == 0
               && c.allocs == c.frees && c.loads == c.unloads,
           "everything was freed: %ld of %ld allocations, %ld of %ld kernels",
           c.frees, c.allocs, c.unloads, c.loads);
}

static void check_compiler(void)
{
    char version[16];
    void *image;
    size_t bytes;

    tap_ok(stfi_simt_rtc.version(version, sizeof version) == STF_OK,
           "the compiler has a version");
    tap_ok(stfi_simt_compile("simt32", "bad", "#define WORD nonsense\n",
                             "#include \"config.h\"\nint f() { WORD }\n",
                             &image, &bytes)
                   == STF_ERR_COMPILE
               && strstr(stf_error_message(), "nonsense") != NULL,
           "what does not compile is reported with the compiler's words");
    tap_ok(stfi_simt_compile("sm_90", "x", "", "", &image, &bytes)
               == STF_ERR_COMPILE,
           "other architectures are refused");
}

int main(void)
{
    tap_begin("emulator");
    if (stfi_simt_missing() != NULL) {
        tap_skip(stfi_simt_missing(), "the emulated GPU");
        return tap_end();
    }
    check_toys("t4", 32);
    check_toys("mi300x", 64);
    check_order();
    check_driver();
    check_compiler();
    return tap_end();
}
