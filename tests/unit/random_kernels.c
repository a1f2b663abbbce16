/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compiles the CUDA kernels of random problems, protected and not, as the library
 * does when it loads them, and reads from their machine code how much of the path
 * that they run when nothing has to be repaired accesses local memory, as it does
 * if the compiler runs out of registers. The library tolerates so many of a thousand
 * instructions (tuning.def: spills_most); among many kernels, those with more than a
 * few must be rare. Kernels with any are listed. By hand, for problems FIRST to FIRST
 * + COUNT - 1 of a seed:
 *
 *   STF_TEST_SEED=SEED STF_TEST_CACHE=FOLDER random_kernels.t COUNT [FIRST]
 */
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
#include "backends/gpu/host/kernels/kernel_set.h"
#include "base/type.h"
#include "device/caps.h"
#include "tests/tap.h"
#include "tests/unit/clean_path.h"
#include "tools/command/random_problem.h"

enum {
    WORKERS = 2,
    WORD_BYTES = 120,
    NOTE_BYTES = 160,
    MAX_KERNELS = 65536,
    SPILLS = 5, /* in thousandths: what costs nothing to speak of */
    RARE = 20,  /* at most one kernel in so many has more, */
    MANY = 100  /* if there are so many kernels */
};

static const struct target {
    const char *preset, *arch;
} targets[] = {{"h200", "sm_90"}, {"a100", "sm_80"}};

/* ---------------------------------------------------------------- problems */

/* Draws problem i of the run's seed as `bench --suite random` does: one transform,
 * or as many as fill 256 MiB. */
static stfi_problem draw_problem(int i)
{
    const stfi_draw draw = {.any_kind = 1,
                            .any_precision = 1,
                            .like.desc = stf_fft_desc_default(),
                            .points = 1e7};
    uint64_t state = (tap_seed() << 32) + (uint64_t)i * 64 * STFI_RANDOM_STEP;
    stfi_problem p = stfi_random_problem(&draw, &state);
    double bytes = 2.0 * (double)stfi_type_get(p.desc.precision)->bytes;

    for (int a = 0; a < p.desc.rank; a++)
        bytes *= (double)p.desc.n[a];
    if (p.desc.batch == 0)
        p.desc.batch = bytes < 0x1p28 ? (int64_t)(0x1p28 / bytes) : 1;
    return p;
}

/* ----------------------------------------------------------------- kernels */

/* What a kernel came to, in memory that processes share. */
typedef struct result {
    int done, registers;
    clean_path path;
    stf_status status;
    char message[NOTE_BYTES];
} result;

typedef struct table {
    stfi_kernel_set set;
    char (*note)[NOTE_BYTES]; /* the first problem that needs each kernel */
    atomic_int *next;
    result *result;
} table;

static int add_problem(table *t, int i, const struct target *to, int protected)
{
    const int before = t->set.count;
    stfi_problem p = draw_problem(i);
    char word[WORD_BYTES];
    stf_status status;

    if (protected)
        p.desc.ft.mode = STF_FT_CORRECT;
    stfi_problem_print(&p, word, sizeof word);
    status = stfi_kernel_set_add(&t->set, &p.desc, stfi_preset_find(to->preset),
                                 to->arch);
    for (int k = before; k < t->set.count && k < MAX_KERNELS; k++)
        snprintf(t->note[k], NOTE_BYTES, "%d: %s%s", i, word,
                 protected ? ", protected" : "");
    return tap_ok(status == STF_OK && t->set.count <= MAX_KERNELS,
                  "%d: %s on %s%s: %d kernels more", i, word, to->preset,
                  protected ? ", protected" : "", t->set.count - before);
}

static stf_status get_image(void *arg, const stfi_gpu_key *key, void **image_p,
                            size_t *bytes_p)
{
    (void)arg;
    return stfi_gpu_image_get(&stfi_cuda_rtc, key, image_p, bytes_p, NULL);
}

static result *now; /* of the kernel in work */

static stf_status read_usage(const void *image, size_t bytes, const char *entry,
                             stfi_gpu_usage *usage_p)
{
    stf_status status = stfi_cubin_usage(image, bytes, entry, usage_p);

    now->registers = usage_p->registers;
    return status != STF_OK ? status
                            : clean_path_read(image, bytes, entry, &now->path);
}

static void work(const table *t)
{
    const stfi_kernel_source source = {get_image, NULL, read_usage};
    int i;

    while ((i = atomic_fetch_add(t->next, 1)) < t->set.count) {
        now = &t->result[i];
        now->status = stfi_kernel_get(t->set.kernel[i], &source);
        if (now->status != STF_OK)
            snprintf(now->message, sizeof now->message, "%s",
                     stf_error_message());
        now->done = 1;
    }
}

static void work_apart(const table *t)
{
    pid_t child[WORKERS];

    fflush(stdout);
    for (int i = 0; i < WORKERS; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            work(t);
            _exit(0);
        }
    }
    for (int i = 0; i < WORKERS; i++)
        if (child[i] > 0)
            waitpid(child[i], NULL, 0);
}

static int per_thousand(const clean_path *p)
{
    return p->instructions > 0 ? 1000 * p->local / p->instructions : 0;
}

static void judge(const table *t, int i)
{
    const stfi_kernel *k = t->set.kernel[i];
    const result *r = &t->result[i];

    if (!tap_ok(r->done && r->status == STF_OK && r->path.instructions > 0
                    && per_thousand(&r->path) <= k->spec.spills_most,
                "%s %s, %s", k->arch, k->spec.entry, t->note[i])
        || r->path.local > 0)
        tap_diag("%s %s: %d of %d instructions access local memory, %d "
                 "registers of %d threads, %d blocks%s%s",
                 k->arch, k->spec.entry, r->path.local, r->path.instructions,
                 r->registers, (int)k->spec.launch.threads, k->spec.resident,
                 r->status == STF_OK ? "" : ": ", r->message);
}

/* One of few kernels says nothing about how rare they are. */
static void judge_all(const table *t)
{
    int any = 0, some = 0;

    for (int i = 0; i < t->set.count; i++) {
        any += t->result[i].path.local > 0;
        some += per_thousand(&t->result[i].path) > SPILLS;
    }
    tap_ok(t->set.count > 0
               && (t->set.count < MANY || some * RARE <= t->set.count),
           "%d of %d kernels access local memory, %d in more than %d of a "
           "thousand instructions",
           any, t->set.count, some, SPILLS);
}

static void *shared(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

int main(int argc, char **argv)
{
    static const int counts[] = {1, 2, 20};
    static char notes[MAX_KERNELS][NOTE_BYTES];
    table t = {.note = notes};
    int count, first;
    char version[32];

    tap_begin("random_kernels");
    count = argc > 1 ? atoi(argv[1]) : counts[tap_level()];
    first = argc > 2 ? atoi(argv[2]) : 0;
    if (getenv("STF_TEST_CACHE") != NULL)
        setenv("STEADFAST_CACHE_DIR", getenv("STF_TEST_CACHE"), 1);
    if (stfi_cuda_rtc.version(version, sizeof version) != STF_OK) {
        tap_skip(stf_error_message(), "compiling kernels");
        return tap_end();
    }
    t.next = shared(sizeof *t.next);
    t.result = shared(MAX_KERNELS * sizeof *t.result);
    if (!tap_ok(t.next != NULL && t.result != NULL, "memory for results"))
        return tap_end();
    for (int i = first; i < first + count; i++)
        for (int d = 0; d < 2; d++)
            for (int protected = 0; protected < 2; protected ++)
                add_problem(&t, i, &targets[d], protected);
    work_apart(&t);
    for (int i = 0; i < t.set.count; i++)
        judge(&t, i);
    judge_all(&t);
    stfi_kernel_set_free(&t.set);
    return tap_end();
}
