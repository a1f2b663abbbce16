/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums over transforms and looks at their residuals; see look.h. */
#include "run/end_to_end/look.h"

#include <math.h>
#include <string.h>

#include "base/team.h"

/* The number of transforms whose sums are made and judged at once. */
enum { BLOCK = 32 };

static int64_t blocks_of(int64_t batch)
{
    return (batch + BLOCK - 1) / BLOCK;
}

size_t stfi_e2e_look_bytes(int64_t batch)
{
    return (size_t)batch * (sizeof(stfi_e2e_account) + sizeof(stfi_ft_total))
           + (size_t)blocks_of(batch);
}

/* The sums over the inputs of `count` transforms from number t on. */
static void sum_inputs(const stfi_e2e_look *s, int64_t t, int64_t count,
                       stfi_ft_total *totals)
{
    stfi_ft_offline_many(s->check, 0, s->in + t * s->form->in_dist,
                         s->form->in_dist, count, totals);
}

static stfi_ft_group sum_input(const stfi_e2e_look *s, int64_t t)
{
    stfi_ft_total total;

    if (s->many) {
        sum_inputs(s, t, 1, &total);
        if (stfi_ft_offline_are_usual(s->check, &total, 1))
            return stfi_ft_offline_group(s->check, &total);
    }
    return stfi_ft_offline_in(s->check, s->in + t * s->form->in_dist);
}

static int is_same_sum(const stfi_ft_group *a, const stfi_ft_group *b)
{
    return STFI_FT_IS_SAME(a->re, b->re) && STFI_FT_IS_SAME(a->im, b->im)
           && STFI_FT_IS_SAME(a->norm, b->norm) && a->unit == b->unit;
}

/* An input that will be overwritten can be summed up now only: this is done until
 * a sum comes out the same twice. */
static void begin_one(void *arg, int64_t t)
{
    stfi_e2e_look *s = arg;
    stfi_e2e_account *a = &s->account[t];
    stfi_ft_group before;

    memset(a, 0, sizeof *a);
    a->in = sum_input(s, t);
    if (s->repeatable)
        return;
    do {
        before = a->in;
        a->in = sum_input(s, t);
    } while (!is_same_sum(&before, &a->in));
}

/* The same for the inputs of a block. */
static void sum_block(const stfi_e2e_look *s, int64_t first, int64_t count)
{
    stfi_ft_total before[BLOCK], *now = s->total + first;
    size_t bytes = (size_t)count * sizeof *now;

    sum_inputs(s, first, count, now);
    if (s->repeatable)
        return;
    do {
        memcpy(before, now, bytes);
        sum_inputs(s, first, count, now);
    } while (memcmp(before, now, bytes) != 0);
}

static int64_t block_size(const stfi_e2e_look *s, int64_t block)
{
    int64_t left = s->batch - block * BLOCK;

    return left < BLOCK ? left : BLOCK;
}

/* The transforms of a block get accounts at once if the sums over their input
 * cannot be judged. */
static void begin_block(void *arg, int64_t block)
{
    stfi_e2e_look *s = arg;
    int64_t first = block * BLOCK, count = block_size(s, block);
    int usual;

    sum_block(s, first, count);
    usual = stfi_ft_offline_are_usual(s->check, s->total + first, count);
    s->is_opened[block] = !usual;
    for (int64_t t = first; t < first + count && !usual; t++)
        begin_one(s, t);
}

static void raise_worst(stfi_e2e_look *s, double ratio)
{
    double worst = atomic_load(&s->worst);

    while (isfinite(ratio) && ratio > worst
           && !atomic_compare_exchange_weak(&s->worst, &worst, ratio))
        ;
}

/* Takes another residual of a transform into account. */
static void look(stfi_e2e_look *s, stfi_e2e_account *a, const stfi_ft_group *d)
{
    raise_worst(s, stfi_ft_look(&s->check->bound, d, &a->history));
    if (a->history.state.verdict != STFI_FT_CLEAN) {
        atomic_fetch_add(&s->alarms, 1);
        atomic_fetch_add(&s->unclean, 1);
    }
}

static stfi_ft_group sum_output(const stfi_e2e_look *s,
                                const stfi_e2e_account *a, int64_t t)
{
    return stfi_ft_offline_out(s->check, &a->in,
                               s->out + t * s->form->out_dist);
}

static void count_unsettled(stfi_e2e_look *s, const stfi_e2e_account *a)
{
    if (!stfi_ft_is_settled(&a->history.state))
        atomic_fetch_add(&s->unsettled, 1);
}

static void look_at_one(void *arg, int64_t t)
{
    stfi_e2e_look *s = arg;
    stfi_e2e_account *a = &s->account[t];
    stfi_ft_group d = sum_output(s, a, t);

    look(s, a, &d);
    count_unsettled(s, a);
}

/* Looks at a block. If it is not clean at first sight, its transforms get
 * accounts, and each has a look of its own. */
static void look_at_block(void *arg, int64_t block)
{
    stfi_e2e_look *s = arg;
    int64_t first = block * BLOCK, count = block_size(s, block);
    stfi_ft_total out[BLOCK];
    double worst = 0;

    if (!s->is_opened[block]) {
        stfi_ft_offline_many(s->check, 1, s->out + first * s->form->out_dist,
                             s->form->out_dist, count, out);
        if (stfi_ft_offline_are_clean(s->check, s->total + first, out, count,
                                      &worst)) {
            raise_worst(s, worst);
            return;
        }
        for (int64_t t = first; t < first + count; t++) {
            memset(&s->account[t], 0, sizeof s->account[t]);
            s->account[t].in = stfi_ft_offline_group(s->check, &s->total[t]);
        }
        s->is_opened[block] = 1;
    }
    for (int64_t t = first; t < first + count; t++)
        look_at_one(s, t);
}

int stfi_e2e_has_account(const stfi_e2e_look *s, int64_t t)
{
    return !s->many || s->is_opened[t / BLOCK];
}

/* Sums up once more what is in memory, if the residual was not clean: the fault
 * may have been one of the sums. Sums that come out the same say nothing of the
 * transform, which was not computed again, so they are no other look at it. */
static void sum_one_again(void *arg, int64_t t)
{
    stfi_e2e_look *s = arg;
    stfi_e2e_account *a = &s->account[t];
    const stfi_ft_history *h = &a->history;
    stfi_ft_group before, in, d;

    if (!stfi_e2e_has_account(s, t))
        return;
    in = a->in;
    before = (stfi_ft_group){h->re, h->im, in.norm, in.unit};
    if (h->state.verdict == STFI_FT_CLEAN || h->state.same)
        return;
    if (s->repeatable)
        a->in = sum_input(s, t);
    d = sum_output(s, a, t);
    if (!is_same_sum(&d, &before))
        look(s, a, &d);
    if (!is_same_sum(&a->in, &in) && h->state.verdict != STFI_FT_CLEAN)
        a->changed = 1;
    count_unsettled(s, a);
}

/* Does one step for every transform. Threads that have no transform left help
 * with the sums of long ones. */
static void each(stfi_e2e_look *s, stfi_team_step *step)
{
    stfi_team_each(s->threads, s->batch, step, s);
}

/* The same for every block or, if there are none, for every transform. */
static void each_block(stfi_e2e_look *s, stfi_team_step *block,
                       stfi_team_step *step)
{
    if (s->many)
        stfi_team_each(s->threads, blocks_of(s->batch), block, s);
    else
        each(s, step);
}

void stfi_e2e_look_begin(stfi_e2e_look *s, void *memory)
{
    s->account = memory;
    s->total = (stfi_ft_total *)(s->account + s->batch);
    s->is_opened = (unsigned char *)(s->total + s->batch);
    each_block(s, begin_block, begin_one);
}

void stfi_e2e_look_at_all(stfi_e2e_look *s, int correct)
{
    atomic_store(&s->unclean, 0);
    atomic_store(&s->unsettled, 0);
    each_block(s, look_at_block, look_at_one);
    if (s->unclean == 0 || !correct)
        return;
    atomic_store(&s->unsettled, 0);
    each(s, sum_one_again);
}
