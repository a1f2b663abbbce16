/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compiles the CUDA kernels of the stock set and of problems that the stock set
 * leaves out. Each must compile, use no more of a multiprocessor than its
 * share, and keep its data in registers. Otherwise it would be slow, and a
 * compiler that runs out of registers gives no warning. Several processes
 * compile and share one table. With STF_TEST_ONLY only the problems are taken
 * whose words contain its text. */
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

#include "backends/cuda/cubin.h"
#include "backends/cuda/cuda_rtc.h"
#include "backends/gpu/host/kernels/images.h"
#include "base/alloc.h"
#include "tests/gate/kernel_list.h"
#include "device/tuning.h"
#include "tests/tap.h"

enum {
    RARE = 20,  /* at most one kernel in so many */
    SPILLS = 5, /* spills, in thousandths, that cost nothing to speak of */
    MAX_JOBS = 4096,
    MAX_WORKERS = 16,
    MESSAGE_BYTES = 240,
    GROUP = 36, /* the quick level takes one of so many successive problems */
    REGISTERS_PER_UNIT = 65536,
    WAVE = 32
};

/* Kernels that are planned for a preset are compiled for its architecture.
 * Threads and block memory of a multiprocessor, and the block memory that is
 * reserved for each block.
 * Source: CUDA C++ programming guide, table of compute capabilities. */
static const struct device {
    const char *preset, *arch;
    int threads, shared_bytes, reserved_bytes;
    tap_level_t level;
} devices[] = {
    {"h200", "sm_90", 2048, 233472, 1024, TAP_QUICK},
    {"a100", "sm_80", 2048, 167936, 1024, TAP_NORMAL},
    {"t4", "sm_75", 1024, 65536, 0, TAP_NORMAL},
};

/* A known failure. */
typedef struct known {
    const char *arch, *entry, *reason;
    int used;
} known;

static known knowns[] = {
#define ODD(problem)
#define KNOWN(arch, entry, reason) {arch, entry, reason, 0},
#include "tests/unit/kernels.def"
#undef KNOWN
#undef ODD
    {NULL, NULL, NULL, 0},
};

/* A kernel to be compiled, and its results. */
typedef struct job {
    const struct device *device;
    const char *problem;
    stfi_gpu_spec spec;
    int done;
    stf_status status;
    stfi_gpu_usage usage;
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

    if (!is_new(t, k->spec, to->device))
        return;
    if (t->count == MAX_JOBS)
        tap_ok(0, "%s on %s: too many kernels", k->problem, k->preset);
    else
        t->job[t->count++] = (job){
            .device = to->device, .problem = k->problem, .spec = *k->spec};
}

static void add_end_to_end(table *t, const struct device *device)
{
    taking to = {t, device};

    if (stfi_list_end_to_end(device->preset, device->arch, take_kernel, &to)
        != STF_OK)
        tap_ok(0, "%s: %s", device->preset, stf_error_message());
}

static void add_problem(table *t, int i, const struct device *device)
{
    taking to = {t, device};

    if (stfi_list_kernels(i, device->preset, device->arch, take_kernel, &to)
        != STF_OK)
        tap_ok(0, "%s on %s: %s", stfi_list_problem(i), device->preset,
               stf_error_message());
}

/* Collects the kernels to compile. The quick level, which users run, takes the
 * first problem of each group, and one device. STF_TEST_PART selects groups, so
 * that a part of the quick level finds its kernels in a cache that the same
 * part of the normal level has filled. */
static void collect(table *t)
{
    enum { DEVICES = sizeof devices / sizeof *devices };
    const char *only = getenv("STF_TEST_ONLY"), *word;
    int step = tap_level() == TAP_QUICK ? GROUP : 1;

    for (int d = 0; d < DEVICES; d++)
        if (devices[d].level <= tap_level()
            && (only == NULL || strstr("end-to-end", only)))
            add_end_to_end(t, &devices[d]);
    for (int d = 0; d < DEVICES; d++)
        for (int i = 0; (word = stfi_list_problem(i)) != NULL; i += step)
            if (devices[d].level <= tap_level()
                && (only ? strstr(word, only) != NULL : tap_takes(i / GROUP)))
                add_problem(t, i, &devices[d]);
}

/* --------------------------------------------------------------- compiling */

/* Compiles a kernel, unless `make` has compiled the same sources. */
static void run_job(job *j)
{
    const stfi_gpu_key key = {j->spec.entry, j->spec.config, j->device->arch};
    void *image = NULL;
    size_t bytes = 0;

    j->status = stfi_gpu_image_get(&stfi_cuda_rtc, &key, &image, &bytes, NULL);
    if (j->status == STF_OK)
        j->status = stfi_cubin_usage(image, bytes, j->spec.entry, &j->usage);
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

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* The number of blocks that a multiprocessor holds. A warp's registers are
 * allocated in units of 256. */
static int blocks_held(const job *j)
{
    int threads = (int)j->spec.launch.threads;
    int warps = (threads + WAVE - 1) / WAVE;
    int registers = (j->usage.registers * WAVE + 255) / 256 * 256;
    int shared = (int)j->spec.launch.shared_bytes + j->usage.shared_bytes
                 + j->device->reserved_bytes;
    int held = least(REGISTERS_PER_UNIT / (registers * warps),
                     j->device->threads / (warps * WAVE));

    return shared > 0 ? least(held, j->device->shared_bytes / shared) : held;
}

/* Reports a failure, unless it is a known one. */
static void complain(const job *j, const char *what)
{
    known *k = knowns;

    while (k->arch != NULL
           && (strcmp(k->arch, j->device->arch)
               || strncmp(k->entry, j->spec.entry, strlen(k->entry))))
        k++;
    if (k->arch == NULL) {
        tap_ok(0, "%s %s: %s", j->device->arch, j->spec.entry, what);
    } else {
        tap_todo(0, k->reason, "%s %s: %s", j->device->arch, j->spec.entry,
                 what);
        k->used = 1;
    }
}

static void judge(const job *j)
{
    char what[MESSAGE_BYTES];
    int held;

    if (!tap_ok(j->done && j->status == STF_OK, "%s %s, of %s", j->device->arch,
                j->spec.entry, j->problem)) {
        tap_diag("%s", j->done ? j->message : "the compiler died");
        return;
    }
    held = blocks_held(j);
    if (held < j->spec.resident) {
        snprintf(what, sizeof what,
                 "%d registers of %d threads and %d bytes let %d of %d blocks "
                 "be resident",
                 j->usage.registers, (int)j->spec.launch.threads,
                 (int)j->spec.launch.shared_bytes, held, j->spec.resident);
        complain(j, what);
    }
    if (j->usage.local_bytes > j->spec.spill_bytes) {
        snprintf(what, sizeof what, "%d bytes outside of registers, %d inside",
                 j->usage.local_bytes, 4 * j->usage.registers);
        complain(j, what);
    }
}

/* Spills that the library tolerates and that may cost time must stay rare. */
static void check_spills(const table *t)
{
    int some = 0, all = 0;

    for (int i = 0; i < t->count; i++) {
        const job *j = &t->job[i];
        if (j->spec.spill_bytes > stfi_tuning_h200.spill_bytes)
            continue; /* protected kernels need a stack to compute a tile
                       * again */
        some += j->usage.spills > SPILLS;
        all++;
    }
    tap_ok(!tap_takes_all() || some * RARE <= all,
           "%d of %d kernels access local memory in more than %d of a thousand "
           "instructions",
           some, all, SPILLS);
}

/* A known failure that does not occur any more must be removed from the
 * list. */
static void check_knowns(void)
{
    if (tap_level() == TAP_QUICK || !tap_takes_all()
        || getenv("STF_TEST_ONLY") != NULL)
        return;
    for (const known *k = knowns; k->arch != NULL; k++)
        tap_ok(k->used, "%s %s... is still known to fail", k->arch, k->entry);
}

int main(void)
{
    table *t;
    char version[32];

    tap_begin("kernels");
    if (getenv("STF_TEST_CACHE") != NULL)
        setenv("STEADFAST_CACHE_DIR", getenv("STF_TEST_CACHE"), 1);
    if (stfi_cuda_rtc.version(version, sizeof version) != STF_OK) {
        tap_skip(stf_error_message(), "compiling kernels");
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
    check_spills(t);
    check_knowns();
    tap_ok(t->count > 0, "%d kernels", t->count);
    munmap(t, sizeof *t);
    return tap_end();
}
