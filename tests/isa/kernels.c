/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compiles the kernels of the stock set, and those of problems that it leaves
 * out, for GPUs of AMD. Each must compile and let as many waves be resident as
 * the planner assumed; those without checks keep all their data in registers.
 * Protected ones have a stack, for what computes a tile again. Several
 * processes compile and share one table. With STF_TEST_ONLY only the problems
 * are taken whose words contain its text. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/gpu/host/kernels/images.h"
#include "backends/hip/codeobj.h"
#include "base/alloc.h"
#include "support/compile/clang.h"
#include "support/problem/problem.h"
#include "tests/gate/kernel_list.h"
#include "tests/tap.h"

enum {
    MAX_JOBS = 4096,
    MAX_WORKERS = 16,
    MESSAGE_BYTES = 240,
    GROUP = 36,           /* the quick level takes one of so many successive
                              problems */
    PRODUCT_GROUP = 35,   /* the same of products */
    MOST_REGISTERS = 256, /* what a thread may address at once */
    SHORT_STACK = 64,     /* bytes that protected kernels should not exceed */
    LONGEST_STACK = 1280, /* what they do not exceed */
    SHARED_BYTES = 65536, /* block memory of a compute unit */
    SHARED_GRANULE = 512
};

/* Kernels that are planned for a preset are compiled for its architecture. Each
 * part of a compute unit has `registers` of each lane, which waves get in units
 * of `granule`, and holds up to `waves` waves.
 * Source: LLVM, User Guide for AMDGPU Backend, "Processors" and "Kernel
 * Descriptor". */
static const struct device {
    const char *preset, *arch;
    int wave, parts, registers, granule, waves;
    tap_level_t level;
} devices[] = {
    {"mi250x", "gfx90a", 64, 4, 512, 8, 8, TAP_QUICK},
    {"mi300x", "gfx942", 64, 4, 512, 8, 8, TAP_NORMAL},
    {"rx7900xtx", "gfx1100", 32, 2, 1536, 24, 16, TAP_NORMAL},
};

enum { DEVICES = sizeof devices / sizeof *devices };

/* A kernel to be compiled, and its results. */
typedef struct job {
    const struct device *device;
    const char *problem;
    char mode[48];
    stfi_gpu_spec spec;
    int done;
    stf_status status;
    stfi_codeobj info;
    char message[MESSAGE_BYTES];
} job;

/* The list of kernels, in memory that processes share. */
typedef struct table {
    int count;
    atomic_int next;
    job job[MAX_JOBS];
} table;

/* -------------------------------------------------------------- collecting */

static int is_new(const table *t, const stfi_gpu_spec *spec,
                  const struct device *device)
{
    for (int i = 0; i < t->count; i++)
        if (t->job[i].device == device
            && !strcmp(t->job[i].spec.entry, spec->entry))
            return 0;
    return 1;
}

/* Where take_kernel() adds kernels, and for which device. */
typedef struct taking {
    table *table;
    const struct device *device;
} taking;

static void take_kernel(void *arg, const stfi_listed *k)
{
    const taking *to = arg;
    table *t = to->table;
    job *j;

    if (!is_new(t, k->spec, to->device))
        return;
    if (t->count == MAX_JOBS) {
        tap_ok(0, "%s on %s: too many kernels", k->problem, k->preset);
        return;
    }
    j = &t->job[t->count++];
    *j = (job){.device = to->device, .problem = k->problem, .spec = *k->spec};
    snprintf(j->mode, sizeof j->mode, "%s", k->mode);
}

static void add_end_to_end(table *t, const struct device *device)
{
    taking to = {t, device};

    if (stfi_list_end_to_end(device->preset, device->arch, take_kernel, &to)
        != STF_OK)
        tap_ok(0, "%s: %s", device->preset, stf_error_message());
}

/* 1 for DCTs and the other kinds of real transforms. */
static int is_real_kind(const char *word)
{
    stfi_problem p;

    return stfi_problem_parse(word, &p) == STF_OK && p.desc.kind > STF_C2R;
}

/* Adds the kernels of problem i, those of the real kinds protected as well. */
static void add_problem(table *t, int i, const struct device *device)
{
    taking to = {t, device};
    stf_status status =
        stfi_list_kernels(i, device->preset, device->arch, take_kernel, &to);

    if (status == STF_OK && is_real_kind(stfi_list_problem(i)))
        status = stfi_list_protected(i, device->preset, device->arch,
                                     take_kernel, &to);
    if (status != STF_OK)
        tap_ok(0, "%s on %s: %s", stfi_list_problem(i), device->preset,
               stf_error_message());
}

/* Adds the kernels of matrix products; the last level has all of them. */
static void add_products(table *t, const struct device *device)
{
    const int step = tap_level() < TAP_LONG ? PRODUCT_GROUP : 1;
    taking to = {t, device};

    for (int i = 0; i < stfi_list_product_count(); i += step)
        if (tap_takes(i / step)
            && stfi_list_products(i, device->preset, device->arch, take_kernel,
                                  &to)
                   != STF_OK)
            tap_ok(0, "%s: %s", device->preset, stf_error_message());
}

/* Collects the kernels to compile. The levels below the last take the first
 * problem of each group; the quick one takes one device. */
static void collect(table *t)
{
    const char *only = getenv("STF_TEST_ONLY"), *word;
    int step = tap_level() < TAP_LONG ? GROUP : 1;

    for (int d = 0; d < DEVICES; d++) {
        if (devices[d].level > tap_level())
            continue;
        if (only == NULL || strstr("end-to-end", only))
            add_end_to_end(t, &devices[d]);
        if (only == NULL || strstr("product", only))
            add_products(t, &devices[d]);
        for (int i = 0; (word = stfi_list_problem(i)) != NULL; i += step)
            if (only ? strstr(word, only) != NULL : tap_takes(i / GROUP))
                add_problem(t, i, &devices[d]);
    }
}

/* --------------------------------------------------------------- compiling */

static void run_job(job *j)
{
    const stfi_gpu_key key = {j->spec.entry, j->spec.config, j->device->arch};
    void *image = NULL;
    size_t bytes = 0;

    j->status = stfi_gpu_image_get(&stfi_clang_rtc, &key, &image, &bytes, NULL);
    if (j->status == STF_OK)
        j->status = stfi_codeobj_read(image, bytes, j->spec.entry, &j->info);
    if (j->status != STF_OK)
        snprintf(j->message, sizeof j->message, "%s", stf_error_message());
    stfi_dealloc(image);
    j->done = 1;
}

static void work(table *t)
{
    int i;

    while ((i = atomic_fetch_add(&t->next, 1)) < t->count)
        run_job(&t->job[i]);
}

/* The compiler uses one core, so there is one process for each core. */
static void run_all(table *t)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    pid_t child[MAX_WORKERS];

    if (count < 1 || count > MAX_WORKERS)
        count = count < 1 ? 1 : MAX_WORKERS;
    fflush(stdout);
    for (long i = 0; i < count; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            work(t);
            _exit(0);
        }
    }
    for (long i = 0; i < count; i++)
        if (child[i] > 0)
            waitpid(child[i], NULL, 0);
}

/* ----------------------------------------------------------------- judging */

/* 1 for transforms that check nothing, and for kernels of end-to-end
 * checks. */
static int is_plain(const job *j)
{
    return !strcmp(j->mode, "off") || !strcmp(j->problem, "end-to-end");
}

static int rounded_up(int n, int unit)
{
    return (n + unit - 1) / unit * unit;
}

/* The number of blocks that a compute unit holds. */
static int blocks_held(const job *j)
{
    const struct device *d = j->device;
    int waves = rounded_up((int)j->spec.launch.threads, d->wave) / d->wave;
    int registers = rounded_up(j->info.vgprs, d->granule);
    int each = d->registers / (registers > 0 ? registers : d->granule);
    int shared = rounded_up(
        (int)j->spec.launch.shared_bytes + j->info.lds_bytes, SHARED_GRANULE);
    int held = d->parts * (each < d->waves ? each : d->waves) / waves;

    return shared > 0 && SHARED_BYTES / shared < held ? SHARED_BYTES / shared
                                                      : held;
}

static void judge(const job *j)
{
    const stfi_codeobj *k = &j->info;
    const char *arch = j->device->arch, *name = j->spec.entry;
    int held;

    if (!tap_ok(j->done && j->status == STF_OK, "%s %s, of %s (%s)", arch, name,
                j->problem, j->mode)) {
        tap_diag("%s", j->done ? j->message : "the compiler died");
        return;
    }
    held = blocks_held(j);
    if (held < j->spec.resident)
        tap_ok(0,
               "%s %s: %d registers of %d threads, %d + %d bytes let %d of %d "
               "blocks be resident",
               arch, name, k->vgprs, (int)j->spec.launch.threads,
               (int)j->spec.launch.shared_bytes, k->lds_bytes, held,
               j->spec.resident);
    if (k->wave != j->device->wave || k->vgprs > MOST_REGISTERS)
        tap_ok(0, "%s %s: waves of %d, %d registers", arch, name, k->wave,
               k->vgprs);
    if (is_plain(j) ? k->scratch_bytes > 0 || k->vgpr_spills > 0
                    : k->scratch_bytes > LONGEST_STACK)
        tap_ok(0, "%s %s: %d bytes of stack, %d vector registers spilled", arch,
               name, k->scratch_bytes, k->vgpr_spills);
}

/* Prints what the kernels of a device take. */
static void tell(const table *t, const struct device *d)
{
    int count[2] = {0}, registers[2] = {0}, stack = 0, longer = 0;

    for (int i = 0; i < t->count; i++) {
        const job *j = &t->job[i];
        int plain = is_plain(j);
        if (j->device != d || j->status != STF_OK)
            continue;
        count[plain]++;
        if (j->info.vgprs > registers[plain])
            registers[plain] = j->info.vgprs;
        if (!plain && j->info.scratch_bytes > stack)
            stack = j->info.scratch_bytes;
        longer += !plain && j->info.scratch_bytes > SHORT_STACK;
    }
    if (count[0] + count[1] > 0)
        tap_diag("%s: %d kernels of at most %d registers; protected or gated: "
                 "%d of at most %d registers and %d bytes of stack, %d of "
                 "them more than %d bytes",
                 d->arch, count[1], registers[1], count[0], registers[0], stack,
                 longer, SHORT_STACK);
}

int main(void)
{
    table *t;

    tap_begin("isa-kernels");
    if (getenv("STF_TEST_CACHE") != NULL)
        setenv("STEADFAST_CACHE_DIR", getenv("STF_TEST_CACHE"), 1);
    if (stfi_clang_missing() != NULL) {
        tap_skip(stfi_clang_missing(), "compiling kernels");
        return tap_end();
    }
    t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!tap_ok(t != MAP_FAILED, "a table of %d kernels", MAX_JOBS))
        return tap_end();
    collect(t);
    run_all(t);
    for (int i = 0; i < t->count; i++)
        judge(&t->job[i]);
    for (int d = 0; d < DEVICES; d++)
        tell(t, &devices[d]);
    tap_ok(t->count > 0, "%d kernels", t->count);
    munmap(t, sizeof *t);
    return tap_end();
}
