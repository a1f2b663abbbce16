/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Damage to a tile's own copies of its twiddles, which an attempt after the first must
 * not use. A tile of a pass copies its rows of two tables to its scratch: for the
 * products and, where sums do not read the tables themselves, once more for the check.
 * One copy at a time is damaged, between its making and the tile's first attempt, whose
 * loads trap; the damage stays, so that the tile is repaired only if the tables are read
 * again. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

#ifdef __linux__
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/cpu/cpu_executable.h"
#include "base/type.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"

/* Twiddles belong to a store of rows in most passes; to a load, with the conjugate, in
 * the last pass of a convolution. */
static const char *const words[] = {
    "c2c:f32:16384*2",    "c2c:f64:65536*1", "c2c:f32:14641*2",
    "c2c:f64:28561*1",    "c2c:f32:16411*1", "c2c:f64:16411*1",
    "c2c:f32:in:16384*1", "r2c:f64:65536*2", "c2r:f32:28125*2",
    "dct2:f32:65536*1",   "c2c:f16:16384*1"};

enum { FINE, COARSE, TABLES };

/* A protected plan with its arrays and workspace, whole pages each. */
typedef struct rig {
    stf_device *dev;
    stf_plan *plan;
    stfi_exec *exec;
    stf_direction direction;
    int in_place;
    size_t bytes, work_bytes;
    char *data, *in, *out, *want, *work;
} rig;

/* The copy that is to be damaged, and the pages that trap. */
static struct {
    const stfi_cpu_kernels *real;
    stfi_cpu_kernels kernels;
    const rig *r;
    int table, number;         /* copy `number`, from 0 on, of a table's rows */
    stf_precision math;        /* what the tables are in */
    int64_t count;             /* reals of the copy; */
    char *rows;                /* what they are if nothing is wrong */
    char *scratch;             /* where it is searched */
    size_t room;               /* bytes of that */
    char *pages;               /* NULL: none trap */
    size_t pages_bytes;        /* how much there traps */
    int armed;                 /* 1: in the next launch */
    volatile sig_atomic_t hit; /* 1: the copy was there and is damaged */
} trap;

/* ------------------------------------------------------------------- traps */

/* Makes pages whole and readable again. */
static int release(void)
{
    char *pages = trap.pages;

    trap.pages = NULL;
    return pages == NULL
           || mprotect(pages, trap.pages_bytes, PROT_READ | PROT_WRITE) == 0;
}

static void damage_copy(void)
{
    const size_t real = stfi_type_get(trap.math)->bytes;
    const size_t bytes = (size_t)trap.count * real;
    int found = 0;

    for (size_t at = 0; at + bytes <= trap.room; at += real) {
        char *copy = trap.scratch + at;
        if (memcmp(copy, trap.rows, bytes) != 0 || found++ < trap.number)
            continue;
        for (int64_t i = 0; i < trap.count; i++)
            stfi_type_write(trap.math, copy, i,
                            1.5L * stfi_type_read(trap.math, copy, i));
        trap.hit = 1;
        return;
    }
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    char *at = info->si_addr;

    (void)context;
    if (trap.pages == NULL || at < trap.pages
        || at >= trap.pages + trap.pages_bytes || !release()) {
        signal(number, SIG_DFL);
        return;
    }
    damage_copy();
}

/* The row of the tables that belongs to a lane. */
static int64_t row_of(const stfi_cpu_pass *cp, const stfi_cpu_run *run,
                      int64_t lane)
{
    int64_t row = 0;

    for (int l = 0; l < cp->p.nloops; l++) {
        int64_t n = l == cp->p.batch_loop ? run->batch : cp->p.loop_n[l];
        row += lane % n * cp->p.twiddle.mul[l];
        lane /= n;
    }
    return row;
}

/* Makes what a tile's copy has to be: the parts of an entry for all lanes are
 * neighbours, as those of an element are (cpu_pass.h). Returns 0 without memory. */
static int expect_rows(const stfi_cpu_pass *cp, const stfi_cpu_run *run,
                       int64_t lane)
{
    const size_t real = stfi_type_get(trap.math)->bytes;
    const int64_t width = trap.real->lanes;
    const int64_t entries = trap.table == FINE
                                ? cp->fine
                                : (cp->p.signal + cp->fine - 1) / cp->fine;
    const char *from = trap.table == FINE ? cp->tw_fine : cp->tw_coarse;

    trap.count = 2 * entries * width;
    free(trap.rows);
    trap.rows = malloc((size_t)trap.count * real);
    if (trap.rows == NULL)
        return 0;
    for (int64_t l = 0; l < width; l++) {
        const int64_t row = row_of(cp, run, lane + l);
        for (int64_t i = 0; i < 2 * entries; i++)
            memcpy(trap.rows + (size_t)(i * width + l) * real,
                   from + (size_t)(2 * entries * row + i) * real, real);
    }
    return 1;
}

/* Lets the loads of a pass trap, as far as its input fills pages. */
static void arm(const stfi_cpu_pass *cp, const stfi_cpu_run *run, int64_t lane)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = (uintptr_t)run->src;
    const stfi_buf buf = cp->p.load.buf;
    const size_t bytes = buf == STFI_BUF_WORK0   ? trap.r->exec->slot_bytes[0]
                         : buf == STFI_BUF_WORK1 ? trap.r->exec->slot_bytes[1]
                                                 : trap.r->bytes;
    const uintptr_t begin = (from + page - 1) / page * page;
    const uintptr_t end = (from + bytes) / page * page;

    trap.scratch = run->scratch;
    trap.room = trap.real->scratch_bytes(cp);
    if (begin >= end || !expect_rows(cp, run, lane))
        return;
    trap.pages_bytes = end - begin;
    trap.pages = (char *)run->src + (begin - from);
    if (mprotect(trap.pages, trap.pages_bytes, PROT_NONE) != 0)
        trap.pages = NULL;
}

/* Runs the pass; the first load of a tile in the middle traps. */
static void trapped_run(const stfi_cpu_pass *cp, const stfi_cpu_run *run,
                        int64_t begin, int64_t end)
{
    const int64_t width = trap.real->lanes;
    const int64_t lane = begin + (end - begin) / width * 2 / 5 * width;

    if (!trap.armed || lane == begin) {
        trap.real->run(cp, run, begin, end);
        return;
    }
    trap.armed = 0;
    trap.real->run(cp, run, begin, lane);
    arm(cp, run, lane);
    trap.real->run(cp, run, lane, end);
}

/* ------------------------------------------------------------------- plans */

static char *take_pages(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return p != MAP_FAILED ? p : NULL;
}

static void rig_close(rig *r)
{
    char *const arrays[] = {r->data, r->in, r->out, r->want};

    for (int i = 0; i < 4; i++)
        if (arrays[i] != NULL && (i != 2 || !r->in_place))
            munmap(arrays[i], r->bytes);
    if (r->work != NULL)
        munmap(r->work, r->work_bytes);
    stf_plan_destroy(r->plan);
}

/* Opens a plan that runs its passes one by one, as it does with signatures and in large
 * arrays in place. */
static int rig_open(rig *r, stf_device *dev, const char *word)
{
    uint64_t state = tap_seed();
    stfi_problem p;
    int64_t reals;

    memset(r, 0, sizeof *r);
    if (stfi_problem_parse(word, &p))
        return 0;
    p.desc.threads = 1;
    p.desc.ft.mode = STF_FT_CORRECT;
    if (stf_plan_fft(dev, &p.desc, &r->plan))
        return 0;
    r->exec = stfi_fft_plan_of(r->plan)->exec;
    r->exec->whole.way[0][0].check = r->exec->whole.way[1][0].check = NULL;
    r->direction = p.desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    r->in_place = p.in_place;
    reals = 2 * (p.desc.n[0] + 2) * p.desc.batch;
    r->bytes = (size_t)reals * stfi_type_get(p.desc.precision)->bytes;
    r->work_bytes = stf_plan_workspace(r->plan);
    r->data = take_pages(r->bytes);
    r->in = take_pages(r->bytes);
    r->out = r->in_place ? r->in : take_pages(r->bytes);
    r->want = take_pages(r->bytes);
    r->work = take_pages(r->work_bytes);
    if (!r->data || !r->in || !r->out || !r->want || !r->work)
        return 0;
    stfi_random_fill(p.desc.precision, r->data, reals, &state);
    return 1;
}

static stf_status rig_run(rig *r)
{
    memset(r->out, 0, r->bytes);
    memcpy(r->in, r->data, r->bytes);
    stf_plan_ft_reset(r->plan);
    return stf_execute_on(r->plan, r->direction, r->in, r->out, r->work, NULL);
}

/* ------------------------------------------------------------------- tests */

/* Damages one copy. Returns 1 if it is repaired, 0 if not; -1 if there is none. */
static int is_repaired(rig *r, int table, int number)
{
    stf_ft_report report;
    stf_status status;

    trap.table = table;
    trap.number = number;
    trap.hit = 0;
    trap.armed = 1;
    status = rig_run(r);
    if (!release())
        return 0;
    if (!trap.hit)
        return -1;
    return status == STF_CORRECTED
           && stf_plan_ft_report(r->plan, &report) == STF_OK
           && report.recomputed > 0 && report.uncorrectable == 0
           && memcmp(r->out, r->want, r->bytes) == 0;
}

/* Damages all copies of a pass, one at a time. Counts them, and returns 1 if they are
 * repaired and there is one of each table at least. */
static int test_pass(rig *r, stfi_cpu_pass *cp, int *copies)
{
    int right = 1;

    trap.real = cp->kernels;
    trap.kernels = *cp->kernels;
    trap.kernels.run = trapped_run;
    trap.r = r;
    trap.math = stfi_type_arithmetic(r->exec->schedule.precision)->id;
    cp->kernels = &trap.kernels;
    for (int table = 0; table < TABLES; table++) {
        int number = 0, found;
        for (; (found = is_repaired(r, table, number)) >= 0; number++) {
            if (!found)
                tap_diag("copy %d of table %d is not repaired: %s", number,
                         table, stf_error_message());
            right &= found;
        }
        right &= number > 0;
        *copies += number;
    }
    cp->kernels = trap.real;
    return right;
}

static void test_problem(stf_device *dev, const char *isa, const char *word,
                         int *most)
{
    int passes = 0, copies = 0, right = 1;
    rig r;

    if (!rig_open(&r, dev, word) || rig_run(&r) != STF_OK) {
        tap_ok(0, "%s, %s: %s", isa, word, stf_error_message());
        rig_close(&r);
        return;
    }
    memcpy(r.want, r.out, r.bytes);
    for (int i = 0; i < r.exec->npasses; i++) {
        int own = 0;
        if (r.exec->pass[i].p.twiddle.order == 0)
            continue;
        passes++;
        right &= test_pass(&r, &r.exec->pass[i], &own);
        copies += own;
        *most = own > *most ? own : *most;
    }
    if (passes == 0)
        tap_skip("one pass does, without twiddles", "%s, %s", isa, word);
    else
        tap_ok(right,
               "%s, %s: %d copies of twiddles, each damaged and repaired", isa,
               word, copies);
    rig_close(&r);
}

int main(void)
{
    const struct sigaction action = {.sa_sigaction = on_trap,
                                     .sa_flags = SA_SIGINFO | SA_NODEFER};
    stf_device *dev;
    const char *isa;

    tap_begin("ft/copies");
    if (sigaction(SIGSEGV, &action, NULL))
        return tap_ok(0, "cannot trap"), tap_end();
    for (int i = 0; (isa = stfi_cpu_isa_at(i)) != NULL; i++) {
        int most = 0;
        setenv("STEADFAST_ISA", isa, 1);
        if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "%s", isa))
            continue;
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            test_problem(dev, isa, words[w], &most);
        tap_ok(most == 2 * TABLES, "%s: some checks have copies of their own",
               isa);
        stf_device_close(dev);
    }
    free(trap.rows);
    return tap_end();
}
#else
int main(void)
{
    tap_begin("ft/copies");
    tap_skip("not Linux", "damaged copies of twiddles");
    return tap_end();
}
#endif
