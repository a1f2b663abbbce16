/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Joint sums: at the first look at a tile whose elements lie along rows, the sum
 * of JOINED rows is weighed in place of each row, which takes fewer
 * instructions. Where that does not find the tile clean, the lanes are judged
 * one by one. */
#ifndef STFI_PROTECT_JOINT_H
#define STFI_PROTECT_JOINT_H

#include "backends/cpu/protect/memory_sums.h"

/* 1 if the lanes of a pass can be weighed again after its results were stored,
 * and have one residual. */
static int may_join(const stfi_pass *p)
{
    return W > 1 && is_all_stored(&p->store) && p->load.order == STFI_ORDER_NONE
           && p->store.order == STFI_ORDER_NONE
           && (p->op == STFI_OP_FFT
               || (stfi_op_is_conv(p->op) && p->conv != STFI_CONV_SPREAD));
}

/* 1 if the rows of the tile may be judged together. */
static int is_joinable(const tile *t)
{
    return t->probe->joinable && t->count == W;
}

/* Lets the sums along rows be those of all rows together, or of each row. */
static void set_joint(probe *k, int joint)
{
    k->in.rows->joint = k->out.rows->joint = joint;
}

/* The number of elements that a tile loads. */
static int64_t input_points(const stfi_pass *p)
{
    return stfi_op_is_conv(p->op) && p->conv != STFI_CONV_SPREAD
               ? p->check.points
               : p->n;
}

/* Makes the residuals of all lanes from sums over what is in memory, which are
 * made again. So are those of further attempts at a tile whose rows were judged
 * together at first: equal results have to have equal residuals. */
static void weigh_lanes_apart(const tile *t)
{
    probe *k = t->probe;
    V power = k->power[0];
    C in;

    set_joint(k, 0);
    memset(k->carried, 0, sizeof k->carried);
    weigh_source(t, 0, input_points(&t->cp->p));
    in = sums_take(&k->in, k->row_fold, k->ro != 0);
    k->residuals = 0;
    k->result = k->weigh(t, 1);
    probe_close(k, in, k->result, power);
}

#if STFI_LANES > 1
/* In each lane, the sum over the lanes of its joint sum. */
INLINE V joint_totals(V v)
{
    v = v + swapped(v);
    if (JOINED == 4)
        v = v + across(v);
    return v;
}

/* In each lane, the least of the lanes of its joint sum. */
INLINE V joint_leasts(V v)
{
    v = smaller(v, swapped(v));
    return smaller(v, across(v));
}

/* The limit of joint sums, relative to that of lanes, both squared: a residual of
 * four rows is noisier than that of one. It has to be below 1.5 times the limit
 * of the row with the least norm, or three quarters of that row's threshold, so
 * that a fault in any row shows as if the row were judged alone. What is not
 * below is judged row by row. */
static const sum joint_slack = (sum)2.25;

/* How much larger than the least square of a norm those of all rows may be. Beyond
 * that the sum of the rows rounds away what a fault changes in the least one, and
 * the residual of the others is small by chance, or because they are exact. It is
 * hardly small otherwise: the squares of residuals are about as large as the total,
 * and at most 20 of the least may pass. */
static const sum joint_spread = 32;

/* What is compared of joint sums, in each lane: the square of the residual, the
 * least norm of a row and that of all rows, both squared. */
typedef struct joint_look {
    V square, least, total;
} joint_look;

typedef __typeof__((V){0} < (V){0}) joint_mask;

INLINE joint_look look_jointly(C residual, V power)
{
    V re = joint_totals(residual.r), im = joint_totals(residual.i);

    return (joint_look){re * re + im * im, joint_leasts(power),
                        joint_totals(power)};
}

INLINE joint_mask joint_clean(const probe *k, const joint_look *look)
{
    const V zero = {0};

    return (look->least > zero + least_power)
           & (look->total < zero + most_power)
           & (look->total <= joint_spread * look->least)
           & (look->square <= k->limit * joint_slack * look->least);
}

INLINE joint_mask joint_usual(const probe *k, const joint_look *look)
{
    return look->square <= k->worst * look->total;
}

/* Returns 1 if the residuals of joint rows are small. The largest ratio that is
 * kept is to the norm of all rows of a joint sum. */
INLINE int are_joints_clean(probe *k)
{
    joint_look look = look_jointly(k->residual[0], k->power[0]);
    joint_mask clean = joint_clean(k, &look), usual = joint_usual(k, &look);

    if (!ALL(clean))
        return 0;
    if (!ALL(usual))
        k->worst = larger(look.square / look.total, k->worst);
    return 1;
}
#endif

#endif
