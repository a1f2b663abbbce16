/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The verdict on a tile. It is immediate if all residuals are small and all
 * norms are in range; otherwise the slower code of cpu_check.h decides. */
#ifndef STFI_PROTECT_VERDICT_H
#define STFI_PROTECT_VERDICT_H

#include "backends/cpu/protect/strike.h"

/* How an operation computes a tile; `put` stores it, if `make` has not. */
typedef struct method {
    void (*make)(tile *t);
    void (*put)(tile *t);
} method;

/* 1 if the square of a lane's norm is out of range, so that the norm has to be
 * computed by norms_add(). If the norm and the residual are both 0, the lane
 * is clean and needs no other norm. */
static int needs_depth(const probe *k, int i, int l)
{
    real power = lane_of(&k->power[i], l);

    if (power == 0 && lane_of(&k->residual[i].r, l) == 0
        && lane_of(&k->residual[i].i, l) == 0)
        return 0;
    return !(power > least_power && power < most_power);
}

static void fill_group(const probe *k, int i, int l, stfi_cpu_group *g)
{
    const norms *n = &k->norm[i];

    g->re = lane_of(&k->residual[i].r, l);
    g->im = lane_of(&k->residual[i].i, l);
    g->norm = sqrtl((long double)lane_of(&k->power[i], l));
    g->unit = 1;
    if (!k->deep || !needs_depth(k, i, l))
        return;
    g->norm = sqrtl(n->squares[l]);
    if (n->size[l] > 0 && isfinite(n->size[l])) {
        int exponent;
        frexpl(n->size[l], &exponent);
        /* The limit of 2^1000 keeps the unit in range if long double is the
         * same as double. */
        g->unit = ldexpl(1, exponent > -1000 ? -exponent : 1000);
        g->norm *= n->size[l] * g->unit;
    }
}

/* 1 if some norm of this attempt is out of range and has to be computed by a
 * deep attempt. */
static int is_shallow(const tile *t)
{
    const probe *k = t->probe;
    int shallow = 0;

    for (int i = 0; i < k->residuals && !k->deep; i++)
        for (int l = 0; l < t->count; l++)
            shallow |= needs_depth(k, i, l);
    return shallow;
}

static void make_tile(tile *t, const method *m, int attempt, int deep)
{
    probe_start(t->probe, attempt, deep);
    t->stored = 0;
    t->struck = t->run->watch->fault != NULL && is_struck(t);
    m->make(t);
}

static void fill_groups(const tile *t, stfi_cpu_group *group)
{
    for (int i = 0; i < t->probe->residuals; i++)
        for (int l = 0; l < t->count; l++)
            fill_group(t->probe, i, l, &group[i * t->count + l]);
}

typedef struct retry {
    tile *t;
    const method *m;
    int deep;
} retry;

static void make_again(void *arg, int attempt, stfi_cpu_group *group)
{
    retry *r = arg;

    make_tile(r->t, r->m, attempt, r->deep);
    if (is_shallow(r->t)) {
        r->deep = 1;
        make_tile(r->t, r->m, attempt, 1);
    }
    fill_groups(r->t, group);
}

/* The bound, scaled as the residual is by of_in and of_out. */
static stfi_ft_bound bound_of(const tile *t)
{
    const stfi_check *c = &t->cp->p.check;
    long double scale = t->cp->p.scaled ? fabsl((long double)t->run->scale) : 1;
    stfi_ft_bound b = {c->slope, c->floor};

    b.slope *= fabsl((long double)t->probe->of_in);
    b.floor *= fabsl((long double)t->probe->of_out);
    if (scale > 1)
        b.floor *= scale;
    return b;
}

/* Settles a tile that is_clean() did not find clean. If norms are out of range,
 * the tile is computed again to get them, which counts as an attempt. If the
 * check does not correct, that is attempt 0 once more, in which injected faults
 * strike again, so that the results stay as they were. */
static void settle(tile *t, const method *m)
{
    retry r = {t, m, is_shallow(t)};
    stfi_cpu_suspect s;

    s.p = &t->cp->p;
    s.watch = t->run->watch;
    s.bound = bound_of(t);
    s.lane = t->lane;
    s.lanes = t->count;
    s.count = t->probe->residuals * t->count;
    s.again = make_again;
    s.tile = &r;
    s.attempts = r.deep;
    fill_groups(t, s.group[0]);
    if (r.deep) {
        make_again(&r, s.p->check.correct, s.group[1]);
        for (int g = 0; g < s.count; g++) {
            s.group[0][g].norm = s.group[1][g].norm;
            s.group[0][g].unit = s.group[1][g].unit;
        }
    }
    stfi_cpu_settle(&s);
}

static void run_tile_checked(tile *t, const method *m)
{
    int clean = 1;

    make_tile(t, m, 0, 0);
    for (int i = 0; i < t->probe->residuals && !t->probe->settled; i++)
        clean &= is_clean(t->probe, i);
    if (!clean)
        settle(t, m);
    if (!t->stored)
        m->put(t);
}

/* ------------------------------------------------------ level THREAD */

static void make_guarded(tile *t, const method *m, int attempt)
{
    guard *g = t->guard;

    guard_start(g, attempt);
    t->stored = 0;
    g->struck = t->run->watch->fault != NULL && is_struck(t);
    /* One point has no butterfly. */
    t->struck = g->struck && t->cp->p.nstages == 0;
    m->make(t);
}

static void make_guarded_again(void *arg, int attempt, stfi_cpu_group *group)
{
    retry *r = arg;

    make_guarded(r->t, r->m, attempt);
    memcpy(group, r->t->guard->group, (size_t)r->t->count * sizeof *group);
}

/* Settles a tile of level THREAD. Each lane is judged by the butterfly with the
 * largest ratio. Ratios include the bound already, hence {1, 0}. */
static void settle_guarded(tile *t, const method *m)
{
    retry r = {t, m, 0};
    stfi_cpu_suspect s;

    s.p = &t->cp->p;
    s.watch = t->run->watch;
    s.bound = (stfi_ft_bound){1, 0};
    s.lane = t->lane;
    s.lanes = s.count = t->count;
    s.attempts = 0;
    s.again = make_guarded_again;
    s.tile = &r;
    memcpy(s.group[0], t->guard->group, (size_t)t->count * sizeof(*s.group)[0]);
    stfi_cpu_settle(&s);
}

/* Computes lanes [begin, end) of a pass whose butterflies are checked. `memory`
 * has room for the entries of one stage (entry_elements()). */
static __attribute__((noinline)) void
run_guarded(tile *t, const method *m, real *memory, int64_t begin, int64_t end)
{
    stfi_cpu_watch *watch = t->run->watch;
    guard g = {.entry = (entry *)memory};
    walk at;

    t->guard = &g;
    walk_start(&at, t->cp, t->run, begin);
    for (int64_t lane = begin; lane < end; lane += W) {
        tile_next(t, &at, lane, end);
        make_guarded(t, m, 0);
        if (g.alarmed)
            settle_guarded(t, m);
        if (!t->stored)
            m->put(t);
    }
    watch->checked += guard_count(&t->cp->p) * (end - begin);
    for (int l = 0; l < W; l++) {
        double worst =
            sqrt((double)lane_of(&g.worst, l)) / (double)STFI_FT_REPORT;
        watch->worst = worst > watch->worst ? worst : watch->worst;
    }
}

/* ------------------------------------------------------------ a whole pass */

/* How the weights of row and of e are laid out for what a lane loads and
 * stores. The row of a spectrum has separate weights for real and imaginary
 * parts; the e of a spectrum has not. */
#define ROW_FOLD_COMPLEX FOLD_COMPLEX
#define ROW_FOLD_REALS FOLD_PAIRS
#define ROW_FOLD_SPECTRUM FOLD_PAIRS
#define ROW_FOLD_TWO_REALS FOLD_TWO
#define ROW_FOLD_TWO_SPECTRA FOLD_PAIRS
#define E_FOLD_COMPLEX FOLD_COMPLEX
#define E_FOLD_REALS FOLD_PAIRS
#define E_FOLD_SPECTRUM FOLD_COMPLEX
#define E_FOLD_TWO_REALS FOLD_TWO
#define E_FOLD_TWO_SPECTRA FOLD_COMPLEX

/* Sets up the probe for a pass: its weights, the halves in the direction of its
 * transform, the factors of the residual and the limit (ft/instrument.h). */
static void probe_open(probe *k, const tile *t)
{
    static const struct {
        fold row, e;
        int manual;
    } folds[] = {
/* clang-format takes a line that begins with "[" for Objective-C. */
#define AT(index) [index]
#define STFI_OP(id, name, word, loads, stores, transforms, ...)           \
    AT(STFI_OP_##id) = {ROW_FOLD_##loads, E_FOLD_##stores,                \
                        STFI_LANE_##loads == STFI_LANE_SPECTRUM           \
                            || STFI_LANE_##loads == STFI_LANE_TWO_SPECTRA \
                            || (transforms) == 0},
#include "fft/ops.def"
#undef STFI_OP
#undef AT
    };
    const stfi_pass *p = &t->cp->p;
    int plain = p->op != STFI_OP_FFT && p->op != STFI_OP_CONV;
    real scale = p->scaled ? (real)t->run->scale : (real)1;

    memset(k, 0, sizeof *k);
    k->e = p->check.e;
    k->row = t->cp->weights != NULL ? t->cp->weights : p->check.row;
    k->row_fold = folds[p->op].row;
    k->e_fold = folds[p->op].e;
    k->manual = folds[p->op].manual;
    k->ro = plain ? 0 : p->inverse ? t->io : t->ro;
    k->io = W - k->ro;
    k->late = t->run->src == t->run->dst;
    /* Twiddled results are weighed before they are scaled. */
    if (has_twiddle(p, &p->store))
        scale = 1;
    k->of_in = 1;
    k->of_out = 1 / scale;
    if (!isfinite(k->of_out)) { /* the scale is 0 or close to it */
        k->of_in = scale;
        k->of_out = 1;
    }
    k->limit = (sum)(STFI_FT_SUSPECT * STFI_FT_SUSPECT)
               * (sum)(p->check.slope * p->check.slope) * k->of_in * k->of_in;
}

/* Adds the number of checked groups and the largest residual of clean tiles to
 * the thread's counters. */
static void probe_end(const probe *k, const tile *t, int64_t groups)
{
    stfi_cpu_watch *watch = t->run->watch;
    double slope = t->cp->p.check.slope * fabs((double)k->of_in);
    double worst = 0;

    for (int l = 0; l < W; l++)
        if ((double)lane_of(&k->worst, l) > worst)
            worst = (double)lane_of(&k->worst, l);
    worst = slope > 0 ? sqrt(worst) / ((double)STFI_FT_REPORT * slope) : 0;
    watch->checked += groups;
    watch->worst = worst > watch->worst ? worst : watch->worst;
}

#endif
