/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The probe of a whole pass: what it begins with, and what it adds to the
 * thread's counters in the end. */
#ifndef STFI_PROTECT_PASS_PROBE_H
#define STFI_PROTECT_PASS_PROBE_H

#include "backends/cpu/protect/joint.h"
#include "backends/cpu/protect/memory_sums.h"

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

/* Gives the probe its sums along rows. */
static void sums_open(probe *k, row_sums *rows)
{
    k->in.rows = &rows[0];
    k->out.rows = &rows[1];
    rows[0].granules = rows[1].granules = 0;
    set_joint(k, 0);
}

/* Takes the weights of reals at their places (cpu_places.h), if there are some. */
static void take_places(probe *k, const stfi_cpu_pass *cp)
{
    if (cp->load_map != NULL) {
        k->row = cp->load_weights;
        k->row_fold = FOLD_PAIRS;
        k->real_row = 0;
    }
    if (cp->store_map != NULL) {
        k->e = cp->store_weights;
        k->e_fold = FOLD_PAIRS;
        k->real_e = 0;
    }
}

/* The half of an element that is the real part in the run's direction, found anew:
 * a check that has another one than the tile does not agree with it. */
static int real_half(const tile *t)
{
    READ_AGAIN();
    return t->run->inverse != t->cp->p.backward ? W : 0;
}

/* Sets up the probe for a pass: its weights, the halves in the direction of its
 * transform, the factors of the residual and the limit (ft/instrument.h). */
static void probe_open(probe *k, const tile *t, row_sums *rows, int64_t begin,
                       int64_t end)
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
    sums_open(k, rows);
    k->lane = begin;
    k->end = end;
    k->e = p->check.e;
    k->row = t->cp->weights != NULL ? t->cp->weights : p->check.row;
    k->row_fold = folds[p->op].row;
    k->e_fold = folds[p->op].e;
    k->manual = folds[p->op].manual;
    k->ro = plain ? 0 : p->inverse ? W - real_half(t) : real_half(t);
    k->io = W - k->ro;
    k->real_row = p->check.real_row;
    k->real_e = p->check.real_e;
    k->late = t->run->src == t->run->dst;
    k->joinable = !k->late && !k->manual && may_join(p);
    take_places(k, t->cp);
    k->left = 1;
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
