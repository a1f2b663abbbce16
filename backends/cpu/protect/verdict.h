/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The verdict on a tile. It is immediate if all residuals are small and all
 * norms are in range; otherwise the slower code of cpu_check.h decides. */
#ifndef STFI_PROTECT_VERDICT_H
#define STFI_PROTECT_VERDICT_H

#include "backends/cpu/protect/joint.h"
#include "backends/cpu/protect/strike.h"

/* How an operation computes a tile; `put` stores it, if `make` has not. */
typedef struct method {
    void (*make)(tile *t);
    void (*put)(tile *t);
} method;

/* 1 if the square of a lane's norm is out of range. */
static int is_out_of_range(const probe *k, int i, int l)
{
    real power = lane_of(&k->power[i], l);

    return !(power > least_power && power < most_power);
}

/* 1 if, therefore, the norm has to be computed by norms_add(). If the norm and
 * the residual are both 0, the lane is clean and needs no other norm. */
static int needs_depth(const probe *k, int i, int l)
{
    return is_out_of_range(k, i, l)
           && !(lane_of(&k->power[i], l) == 0
                && lane_of(&k->residual[i].r, l) == 0
                && lane_of(&k->residual[i].i, l) == 0);
}

static void fill_group(const probe *k, int i, int l, stfi_cpu_group *g)
{
    const norms *n = &k->norm[i];

    g->re = lane_of(&k->residual[i].r, l);
    g->im = lane_of(&k->residual[i].i, l);
    g->norm = sqrtl((long double)lane_of(&k->power[i], l));
    g->unit = 1;
    if (!k->deep || !is_out_of_range(k, i, l))
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

/* Starts the walks of a pass at a lane: at[0] for the work and at[1] for the
 * check, which share nothing. */
static void walks_start(walk *at, const tile *t, int64_t lane)
{
    walk_start(&at[0], t->cp, t->run, lane);
    if (t->probe != NULL)
        walk_start(&at[1], t->cp, t->run, lane);
}

/* The number of lanes of the tile that begins with `lane`. */
static int lanes_from(int64_t lane, int64_t end)
{
    return end - lane < W ? (int)(end - lane) : W;
}

/* Goes to the next tile of the walks, at most W lanes from `lane` on, all
 * before `end`. The check has its own numbers of both. */
static void tile_next(tile *t, walk *at, int64_t lane, int64_t end)
{
    const probe *k = t->probe;

    t->lane = lane;
    t->count = lanes_from(lane, end);
    site_place(t, &t->work, &at[0], t->count);
    read_twiddles(t->cp, &t->work);
    if (k == NULL)
        return;
    site_place(t, &t->seen, &at[1], lanes_from(k->lane, k->end));
    if (k->late || !reads_twiddles(t))
        read_twiddles(t->cp, &t->seen);
}

/* Goes to the tile that begins with lane `lane`, by new walks. */
static void tile_go(tile *t, int64_t lane)
{
    walk at[2];

    t->probe->lane = lane;
    walks_start(at, t, lane);
    tile_next(t, at, lane, t->probe->end);
}

/* Computes the tile. An attempt after the first trusts nothing that the first
 * one used: it finds the tile's place again, and reads its twiddles again. */
static void make_tile(tile *t, const method *m, int attempt, int deep)
{
    if (attempt > 0 || deep)
        tile_go(t, t->probe->lane);
    probe_start(t->probe, t->cp->p.n, attempt, deep);
    set_joint(t->probe,
              t->probe->joinable && attempt == 0 && !deep && t->count == W);
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
    if (is_joinable(r->t))
        weigh_lanes_apart(r->t);
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
static stfi_ft_outcome settle(tile *t, const method *m)
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
    return stfi_cpu_settle(&s);
}

/* Computes the sum of squares of the tile's input from all elements. */
static void measure_input(const tile *t)
{
    const port *p = &t->seen.in;
    int64_t points = input_points(&t->cp->p), size;
    V power = {0};

    for (int64_t e = 0; e < points; e += size) {
        size = points - e < AGAIN ? points - e : AGAIN;
        read_limited(p, e, size, t->again, NULL);
        for (int64_t i = 0; i < size; i++)
            power = add_power(power, element_at(t->again, NULL, i));
    }
    t->probe->power[0] = power;
}

static int are_clean(probe *k)
{
    int clean = 1;

    for (int i = 0; i < k->residuals; i++)
        clean &= is_clean(k, i);
    return clean;
}

/* 1 if the tile's residuals are small. Where the norm was estimated, a residual
 * that is not small is compared with the norm itself. */
static int is_tile_clean(const tile *t)
{
    probe *k = t->probe;

    if (t->seen.in.count != t->count)
        return 0;
#if STFI_LANES > 1
    if (k->in.rows->joint) {
        if (are_joints_clean(k))
            return 1;
        weigh_lanes_apart(t);
    }
#endif
    if (are_clean(k))
        return 1;
    if (k->stride == 1)
        return 0;
    measure_input(t);
    k->stride = 1;
    return are_clean(k);
}

/* Takes the norm of the input from the results: the sums' own rounding errors
 * are relative to these, the norm may have been estimated, and a residual of
 * exactly 0 may have needed none. The input is overwritten. */
static void measure_results(const tile *t)
{
    probe *k = t->probe;
    long double points = (long double)t->cp->p.check.points;

    k->deep = 1;
    k->power[0] = (V){0};
    norms_clear(&k->norm[0]);
    for (int64_t i = 0; i < k->results; i++)
        for (int c = 0; c < ELEM; c++)
            norms_add(&k->norm[0], c % W,
                      (long double)value_at(t->data, k->pos, i)[c], 1);
    for (int l = 0; l < W; l++)
        k->norm[0].size[l] *=
            fabsl((long double)k->of_out * (long double)k->left)
            / sqrtl(points);
}

/* Sums up what is in memory. It differs from the sum over the tile in rounding
 * alone if what was stored is what was judged. Returns the largest share of the
 * threshold by which they differ in a lane, if it is suspect, and that lane. */
static double compare_stored(const tile *t, C *now_p, int *lane_p)
{
    probe *k = t->probe;
    V worst = k->worst;
    stfi_ft_bound bound = bound_of(t);
    double most = 0;
    C now;

    memset(&k->carried[1], 0, sizeof k->carried[1]);
    now = k->weigh(t, 1);
    k->residual[0].r = (now.r - k->result.r) * k->of_out;
    k->residual[0].i = (now.i - k->result.i) * k->of_out;
    *now_p = now;
    if (is_clean(k, 0)) {
        k->worst = worst;
        return 0;
    }
    measure_results(t);
    for (int l = 0; l < t->count; l++) {
        stfi_cpu_group g;
        stfi_ft_history h = {.ratio = 0};
        fill_group(k, 0, l, &g);
        stfi_ft_look(
            &bound,
            &(stfi_ft_group){g.re * g.unit, g.im * g.unit, g.norm, g.unit}, &h);
        if (h.state.verdict == STFI_FT_CLEAN
            || h.state.verdict == STFI_FT_UNVERIFIABLE || h.ratio <= most)
            continue;
        most = h.ratio;
        *lane_p = l;
    }
    return most;
}

/* Checks what was stored of a tile that had to wait for its verdict, and stores
 * it again if the sum over it is suspect, until the sum is not, or is the same
 * again, which is rounding. Returns 1 if it was right at once. */
static int is_stored(tile *t, const method *m)
{
    int correct = t->cp->p.check.correct, lane = 0, other, same = 0;
    C total[2];
    double first = compare_stored(t, &total[0], &lane), now = first;
    stfi_ft_outcome found;

    for (int i = 1; now > 0 && !same && correct && i <= STFI_FT_ATTEMPTS; i++) {
        tile_go(t, t->probe->lane);
        m->put(t);
        now = compare_stored(t, &total[i % 2], &other);
        same = memcmp(&total[0], &total[1], sizeof total[0]) == 0;
    }
    if (first == 0 || same || (!correct && first <= 1))
        return 1;
    found = !correct   ? STFI_FT_DETECTED
            : now == 0 ? STFI_FT_RECOMPUTED
                       : STFI_FT_UNCORRECTABLE;
    stfi_cpu_note(t->run->watch, &t->cp->p, t->lane + lane, found, first, 1);
    return 0;
}

/* 1 if the sums are not over what was stored, or over the tile if it waits for
 * its verdict, as a branch went the wrong way; or if the tile has other lanes
 * than its check. */
static int is_misled(const tile *t)
{
    const probe *k = t->probe;

    return t->cp->p.check.kind == STFI_CHECK_LANE
           && (t->stored == k->late || (t->stored && k->within)
               || t->seen.in.count != t->count);
}

/* Settles a tile that is not clean, and notes what became of it. */
static stfi_ft_outcome settle_tile(tile *t, const method *m)
{
    stfi_ft_outcome found = settle(t, m);

    t->probe->repaired |= found == STFI_FT_RECOMPUTED;
    t->probe->lost |= found == STFI_FT_UNCORRECTABLE;
    return found;
}

/* Computes and stores a tile. Returns 1 if it was clean at once. */
static int run_tile_checked(tile *t, const method *m)
{
    stfi_ft_outcome found = STFI_FT_CHECKED;
    int clean;

    make_tile(t, m, 0, 0);
    if (is_misled(t))
        make_tile(t, m, 1, 0);
    clean = is_tile_clean(t);
    if (!clean)
        found = settle_tile(t, m);
    if (t->stored || !t->probe->late)
        return clean;
    m->put(t);
    /* Results that are known to be wrong have rounding errors of their own. */
    if (found == STFI_FT_CHECKED || found == STFI_FT_RECHECKED
        || found == STFI_FT_RECOMPUTED)
        clean &= is_stored(t, m);
    return clean;
}

#endif
