/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Makes trials; see worker.h. */
#include "tests/flip/gpu/worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"

/* A fault that no thread came by is tried this often in other threads. */
/* Without a fault, the relative error of an output is below this. */
static const double MOST_CLEAN_ERROR = 1e-3;

enum { MOST_MISSES = 6, MOST_OCCURRENCES = 64, PLACES = 6 };

static struct {
    flip_rig *rig;
    flip_board *board;
    const flip_task *task;
    /* For each launch: how often threads came by each basic block, the output
     * without a fault of its module, and for each kind the sum of that over the
     * module's sites. */
    int64_t *passed[FLIP_MAX_LAUNCHES];
    char *clean[FLIP_MAX_LAUNCHES];
    int64_t weight[FLIP_MAX_LAUNCHES][PTX_KINDS];
} w;

double flip_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Ends this process where the device has failed: the watching one counts the
 * trial that is pending. */
static void need(stf_status status)
{
    if (status >= 0)
        return;
    if (!w.board->ready)
        fprintf(stderr, "flips: %s: %s\n", w.task->label, stf_error_message());
    _exit(EXIT_FAILURE);
}

/* ------------------------------------------------------------------- lines */

void flip_write(FILE *csv, const char *label, const flip_trial *t,
                flip_class outcome, double ratio, const flip_rig *rig,
                int lasting)
{
    static const char *const kinds[] = {"data", "address", "predicate"};
    const stf_ft_report *r = &rig->report;

    if (csv == NULL)
        return;
    fprintf(csv, "%s,%s,%" PRId64 ",%s,%.3g,%d,%s,%s,%s,%d,%u,%u,%u,", label,
            kinds[t->kind], t->number, flip_class_name[outcome], ratio,
            t->launch, t->entry, t->opcode, t->target, t->bit,
            (unsigned)t->strike.thread, (unsigned)t->strike.block,
            (unsigned)t->strike.occurrence);
    fprintf(csv,
            "%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
            ",%.3g,%d,%s\n",
            (int)rig->status, r->detected, r->recomputed, r->uncorrectable,
            r->rechecked, r->overflowed + r->non_finite_input, r->max_residual,
            lasting, t->place);
    fflush(csv);
}

/* --------------------------------------------------------------- preparing */

/* Executes with a module in place of a launch's kernel. */
static void run_struck(int launch, const stfi_gpu_kernel *kernel,
                       const ptx_strike *strike)
{
    flip_arm(launch, kernel, strike);
    need(flip_rig_run(w.rig));
    flip_announce();
}

static void count_launch(int i)
{
    const flip_launch *l = &flip.launch[i];
    flip_module *m = &flip_modules[l->kernel];
    const ptx_strike strike = {.device = (uint64_t)(uintptr_t)w.rig->words};
    static uint32_t words[FLIP_WORDS];
    const int blocks = m->program.blocks;

    if (blocks > FLIP_WORDS)
        ptx_die("too many basic blocks", flip.kernel[l->kernel].entry);
    need(flip_rig_run_other(w.rig));
    need(flip_rig_clear_words(w.rig));
    run_struck(i, m->counting, &strike);
    need(flip_rig_get_words(w.rig, blocks, words));
    w.passed[i] = calloc((size_t)blocks + 1, sizeof *w.passed[i]);
    if (w.passed[i] == NULL)
        ptx_die("no memory", "for the counts of a kernel");
    for (int b = 0; b < blocks; b++) {
        w.passed[i][b] = words[b];
        m->passed[b] += words[b];
    }
}

/* Keeps the output of a module that is not struck: the assembler may contract
 * other operations than those of the kernel itself. */
static void keep_clean(int i)
{
    const ptx_strike none = {.site = PTX_NO_SITE};
    flip_rig *rig = w.rig;
    double ratio;
    uint32_t word;

    need(flip_rig_run_other(rig));
    run_struck(i, flip_modules[flip.launch[i].kernel].struck, &none);
    need(flip_rig_fetch(rig, &word));
    w.clean[i] = rig->clean;
    if (memcmp(rig->output, rig->clean, rig->out_bytes) == 0)
        return;
    if (flip_rig_judge(rig, rig->clean, &ratio) != FLIP_BENIGN || ratio > 2)
        ptx_die("a module with sites computes something else",
                flip.kernel[flip.launch[i].kernel].entry);
    w.clean[i] = malloc(rig->out_bytes);
    if (w.clean[i] == NULL)
        ptx_die("no memory", "for an output");
    memcpy(w.clean[i], rig->output, rig->out_bytes);
}

static void weigh(int i)
{
    const flip_module *m = &flip_modules[flip.launch[i].kernel];

    for (int s = 0; s < m->program.sites; s++)
        if (m->chosen[s])
            w.weight[i][m->program.site[s].kind] +=
                w.passed[i][m->program.site[s].block];
}

static void prepare(void)
{
    flip_record_begin();
    need(flip_rig_run(w.rig));
    flip_record_end();
    flip_make_counting();
    for (int i = 0; i < flip.launches; i++)
        count_launch(i);
    flip_make_struck(w.task->most_sites, w.task->seed);
    memset(w.board->sites, 0, sizeof w.board->sites);
    for (int k = 0; k < flip.kernels; k++)
        for (int s = 0; s < flip_modules[k].program.sites; s++)
            w.board->sites[flip_modules[k].program.site[s].kind] +=
                flip_modules[k].chosen[s];
    for (int i = 0; i < flip.launches; i++) {
        keep_clean(i);
        weigh(i);
    }
}

/* ------------------------------------------------------------------ drawing */

static uint64_t draw(uint64_t *random, uint64_t below)
{
    return stfi_random_u64(random) % below;
}

/* Draws a launch and a site of a kind, so that each instruction that a thread
 * executes is as likely as any other. Returns 0 if there is none. */
static int draw_site(ptx_kind kind, uint64_t *random, flip_trial *t)
{
    int64_t sum = 0, at;

    for (int i = 0; i < flip.launches; i++)
        sum += w.weight[i][kind];
    if (sum == 0)
        return 0;
    at = (int64_t)draw(random, (uint64_t)sum);
    for (int i = 0; i < flip.launches; i++) {
        const flip_module *m = &flip_modules[flip.launch[i].kernel];

        if (at >= w.weight[i][kind]) {
            at -= w.weight[i][kind];
            continue;
        }
        for (int s = 0; s < m->program.sites; s++) {
            const ptx_site *site = &m->program.site[s];

            if (!m->chosen[s] || site->kind != kind)
                continue;
            at -= w.passed[i][site->block];
            if (at < 0) {
                t->launch = i;
                t->strike.site = (uint32_t)s;
                return 1;
            }
        }
    }
    return 0;
}

/* Draws who suffers the fault, and which bit. */
static void draw_rest(uint64_t *random, flip_trial *t)
{
    const flip_launch *l = &flip.launch[t->launch];
    const ptx_program *p = &flip_modules[l->kernel].program;
    const ptx_site *site = &p->site[t->strike.site];
    int64_t threads = (int64_t)l->blocks * l->threads;
    int64_t times = (w.passed[t->launch][site->block] + threads - 1) / threads;

    times = times < 1 ? 1 : times > MOST_OCCURRENCES ? MOST_OCCURRENCES : times;
    t->bit = (int)draw(random, (uint64_t)site->bits);
    t->strike.thread = (uint32_t)draw(random, l->threads);
    t->strike.block = (uint32_t)draw(random, l->blocks);
    t->strike.occurrence = (uint32_t)(1 + draw(random, (uint64_t)times));
    t->strike.mask = UINT64_C(1) << t->bit;
    t->strike.device = (uint64_t)(uintptr_t)w.rig->words;
    memcpy(t->entry, flip.kernel[l->kernel].entry, sizeof t->entry);
    memcpy(t->opcode, site->opcode, sizeof t->opcode);
    memcpy(t->target, site->target, sizeof t->target);
    ptx_tell_place(p, site, PLACES, t->place, sizeof t->place);
}

/* ------------------------------------------------------------------- trials */

/* Whether an execution without a fault is as it was before. The input is
 * uploaded again if not, and the process ends if that does not help. */
static int is_lasting(void)
{
    flip_rig *rig = w.rig;
    uint32_t word;

    for (int attempt = 0; attempt < 2; attempt++) {
        need(flip_rig_run_other(rig));
        need(flip_rig_run(rig));
        need(flip_rig_fetch(rig, &word));
        if (memcmp(rig->output, rig->clean, rig->out_bytes) == 0
            && rig->report.detected == 0 && rig->status >= 0)
            return attempt;
        need(stf_upload(rig->dev, rig->in, rig->input, rig->in_bytes));
        need(stf_upload(rig->dev, rig->in_other, rig->other, rig->in_bytes));
    }
    return 2;
}

/* Makes one trial. Returns whether a thread came by. */
static int make_trial(const flip_trial *t)
{
    flip_rig *rig = w.rig, before;
    flip_board *b = w.board;
    flip_class outcome;
    uint32_t struck;
    double ratio;
    int lasting = 0;

    need(flip_rig_clear_words(rig));
    need(flip_rig_run_other(rig));
    b->trial = *t;
    b->since = flip_now();
    b->pending = 1;
    run_struck(t->launch, flip_modules[flip.launch[t->launch].kernel].struck,
               &t->strike);
    need(flip_rig_fetch(rig, &struck));
    if (!struck) {
        b->pending = 0;
        b->missed++;
        return 0;
    }
    outcome = flip_rig_judge(rig, w.clean[t->launch], &ratio);
    before = *rig;
    if (outcome != FLIP_EXACT || t->kind != PTX_DATA)
        lasting = is_lasting();
    b->lasting += lasting > 0;
    b->tally[t->kind][outcome]++;
    b->made[t->kind]++;
    flip_write(w.task->csv, w.task->label, t, outcome, ratio, &before, lasting);
    b->pending = 0;
    if (lasting > 1)
        _exit(EXIT_SUCCESS);
    return 1;
}

/* The kind that is furthest from what is wanted; -1: there is enough of all. */
static int next_kind(const flip_board *b)
{
    double least = 1;
    int kind = -1;

    for (int k = 0; k < PTX_KINDS; k++)
        if (b->made[k] < b->wanted[k]
            && (double)b->made[k] / (double)b->wanted[k] < least) {
            least = (double)b->made[k] / (double)b->wanted[k];
            kind = k;
        }
    return kind;
}

static void work(void)
{
    flip_board *b = w.board;
    int kind;

    while ((kind = next_kind(b)) >= 0 && flip_now() < w.task->deadline) {
        flip_trial t = {.kind = (ptx_kind)kind, .number = b->number++};
        uint64_t random = (w.task->seed << 32) + (uint64_t)t.number;

        random = stfi_random_u64(&random);
        if (!draw_site(t.kind, &random, &t)) {
            b->wanted[kind] = 0;
            continue;
        }
        for (int i = 0; i < MOST_MISSES; i++) {
            draw_rest(&random, &t);
            if (make_trial(&t))
                break;
        }
    }
}

void flip_work(flip_rig *rig, flip_board *board, const flip_task *task)
{
    w.rig = rig;
    w.board = board;
    w.task = task;
    if (flip_rig_open(rig, task->device) < 0) {
        board->absent = 1;
        snprintf(board->reason, sizeof board->reason, "%s",
                 stf_error_message());
        _exit(EXIT_FAILURE);
    }
    board->clean_error = rig->clean_error[0];
    if (!(rig->clean_error[0] < MOST_CLEAN_ERROR))
        ptx_die("the clean output", "it is wrong already");
    prepare();
    board->ready = 1;
    work();
    board->ready = 2;
    _exit(EXIT_SUCCESS);
}
