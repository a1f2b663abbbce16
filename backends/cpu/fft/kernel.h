/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The passes over tiles for one precision and instruction set. The includer
 * defines the types of simd.h by the precision's row of types.def:
 * STFI_STORED, STFI_STORED_BYTES (arrays), STFI_REAL, STFI_REAL_BYTES (the
 * arithmetic), STFI_SUM (checks); and STFI_REAL_ID (the stf_precision) and
 * STFI_REAL_NAME (f32, f64, f80). The build defines STFI_ISA, and the ISA
 * decides the number of lanes. */
#ifndef STFI_FFT_KERNEL_H
#define STFI_FFT_KERNEL_H

#include "backends/cpu/fft/conv_ops.h"
#include "backends/cpu/protect/checked_lanes.h"
#include "backends/cpu/protect/groups.h"
#include "backends/cpu/protect/guarded.h"
#include "backends/cpu/fft/short_reals.h"
#include "base/alloc.h"

/* Tiles below this size stay in the first-level cache and gain nothing from
 * merging the first and last stages with the load and the store. */
enum { FUSE_BYTES = 16384, GROUP = W > 1 ? W / 2 * (W <= 8 ? 2 : 1) : 8 };

static int is_fused(const stfi_cpu_pass *cp)
{
    const stfi_pass *p = &cp->p;

    return p->op == STFI_OP_FFT && p->nstages >= 2
           && p->check.level != STF_FT_THREAD
           && p->n * ELEM * (int64_t)sizeof(real) > FUSE_BYTES
           && is_special(p->radix[0]) && is_special(p->radix[p->nstages - 1]);
}

/* Fused passes sum up as many elements at a time of each part of a row: enough
 * that starting a sum takes little of the time, but few enough that a tile's
 * are still in the second-level cache. */
enum { SUMMED_BYTES = 131072 };

static int64_t summed_elements(int r)
{
    int64_t bytes = (int64_t)r * ELEM * (int64_t)sizeof(stored);
    int64_t groups = SUMMED_BYTES / bytes / GROUP;

    return (groups > 4 ? groups : 4) * GROUP;
}

/* Where sums of parts end and begin that follow each other in the array: at a
 * whole vector of a row. */
static int64_t whole_vectors(int64_t e, int up)
{
    const int64_t size = W > 1 ? W / 2 : 1;

    return (e + (up ? size - 1 : 0)) / size * size;
}

/* Sums up `count` elements from g on of each of r parts of a side that are m
 * elements apart. The ends of a part count with the last elements of all. */
static void weigh_parts(const tile *t, int loaded, int64_t g, int64_t count,
                        int64_t m, int r)
{
    int64_t n = m * r;

    if (!loaded && !is_all_stored(&t->cp->p.store))
        return; /* pass_on() does it */
    for (int64_t at = 0; at < n; at += m) {
        int64_t begin = whole_vectors(at + g, g == 0);
        int64_t end = whole_vectors(at + g + count, g + count == m);
        end = end < n ? end : n;
        if (loaded)
            weigh_source(t, begin, end - begin);
        else
            weigh_stored(t, begin, end - begin, NULL, NULL);
    }
}

/* Sums up and loads the first `count` elements, which go to the places pos. */
static void load_summed(const tile *t, int64_t count, real *dst,
                        const uint32_t *pos)
{
    int64_t size = t->probe != NULL && !is_summed_apart(t, &t->work.in)
                       ? SUMMED_AT_ONCE
                       : count;

    for (int64_t e = 0; e < count; e += size) {
        size = count - e < size ? count - e : size;
        weigh_source(t, e, size);
        load_segment(t, e, size, dst, pos + e);
    }
}

/* The load merged with the first stage, in groups of butterflies whose inputs
 * number j are consecutive elements. */
static void fused_first(const tile *t, int ro, int io)
{
    const stfi_cpu_pass *cp = t->cp;
    int r = cp->p.radix[0];
    int64_t m = cp->p.n / r, wide = summed_elements(r);
    int apart = is_summed_apart(t, &t->work.in);

    for (int64_t g = 0; g < m; g += GROUP) {
        int64_t count = g + GROUP <= m ? GROUP : m - g;
        if (apart && t->probe != NULL && g % wide == 0)
            weigh_parts(t, 1, g, g + wide < m ? wide : m - g, m, r);
        for (int j = 0; j < r; j++) {
            real *part = t->group + j * count * ELEM;
            if (!apart)
                weigh_source(t, g + j * m, count);
            load_segment(t, g + j * m, count, part, NULL);
            strike(t, 0, g + j * m, count, part, NULL);
        }
        stages[r].first(t->group, 1, count, count, t->data, cp->pos + g, ro,
                        io);
    }
}

/* Finishes `count` results of the last stage, which are checked or struck, and
 * stores them. If the store has to wait for the verdict, they go to the tile instead,
 * and are weighed there: a copy that is wrong then has another sum. */
static void pass_on(const tile *t, int64_t e, int64_t count, real *part)
{
    strike(t, t->cp->p.nstages, e, count, part, NULL);
    modify_segment(t, e, count, part, NULL);
    if (t->stored) {
        put_segment(t, e, count, part, NULL);
        if (t->probe != NULL
            && (!is_all_stored(&t->cp->p.store)
                || !is_summed_apart(t, &t->work.out)))
            weigh_stored(t, e, count, part, NULL);
        return;
    }
    memcpy(t->data + e * ELEM, part, (size_t)(count * ELEM) * sizeof(real));
    weigh_within(t, e, count, t->data + e * ELEM, NULL);
}

/* The last stage merged with the store. */
static void fused_last(const tile *t, int ro, int io)
{
    const stfi_cpu_pass *cp = t->cp;
    int s = cp->p.nstages - 1, r = cp->p.radix[s];
    int64_t m = cp->p.n / r, wide = summed_elements(r);
    int apart = is_summed_apart(t, &t->work.out);

    for (int64_t g = 0; g < m; g += GROUP) {
        int64_t count = g + GROUP <= m ? GROUP : m - g;
        int64_t first = g / wide * wide;
        stages[r].last(t->data, cp->stage[s], m, g, count, t->group, ro, io);
        for (int j = 0; j < r; j++) {
            real *part = t->group + j * count * ELEM;
            if (t->probe != NULL || t->struck)
                pass_on(t, g + j * m, count, part);
            else
                store_segment(t, g + j * m, count, part, NULL);
        }
        if (apart && t->probe != NULL && t->stored
            && (g + count == first + wide || g + count == m))
            weigh_parts(t, 0, first, g + count - first, m, r);
    }
}

/* Computes a tile with the load and the store merged into the first and the last
 * stage. */
static void make_fused(tile *t, int ro, int io)
{
    int last = t->cp->p.nstages - 1;
    probe *k = t->probe;

    t->stored = k == NULL || !k->late;
    fused_first(t, ro, io);
    run_stages(t, 0, 1, last, ro, io);
    if (t->struck)
        strike_stage(t, last, last);
    fused_last(t, ro, io);
    if (k == NULL)
        return;
    k->results = t->cp->p.n;
    k->pos = NULL;
    k->weigh = weigh_output;
    close_residual(t, sums_take(&k->out, k->e_fold, k->ro != 0));
}

#if STFI_LANES > 1
#if STFI_LANES <= 8
#define RADIX 4
#include "backends/cpu/fft/short_rows.h"
#endif
#define RADIX 8
#include "backends/cpu/fft/short_rows.h"

/* The functions for short rows, by radix; NULL if there is none. */
static const struct {
    void (*plain)(tile *, int), (*checked)(tile *, int);
} short_rows[MAX_SPECIAL + 1] = {
#if STFI_LANES <= 8
    [4] = {rows_4, checked_rows_4},
#endif
    [8] = {rows_8, checked_rows_8},
};
#endif

/* The points of short rows if there is a function for those of a pass, else 0.
 */
static int find_short_rows(const tile *t)
{
#if STFI_LANES > 1
    const stfi_pass *p = &t->cp->p;

    return p->nstages == 1 && p->n <= MAX_SPECIAL
                   && short_rows[p->n].plain != NULL && !t->work.in.indexed
                   && !(p->scaled && t->run->scale != 1.0)
               ? (int)p->n
               : 0;
#else
    (void)t;
    return 0;
#endif
}

/* Transforms a tile of short rows and returns 1, if there is a function for it;
 * otherwise does nothing and returns 0. */
INLINE int make_short_rows(tile *t, int inverse)
{
#if STFI_LANES > 1
    const int n = t->short_rows;

    if (n == 0 || t->work.in.access != ACCESS_ROWS
        || t->work.out.access != ACCESS_ROWS || t->count < W
        || (t->probe == NULL ? t->struck || t->guard != NULL : t->probe->late))
        return 0;
    (t->probe == NULL ? short_rows[n].plain : short_rows[n].checked)(t,
                                                                     inverse);
    return 1;
#else
    (void)t;
    (void)inverse;
    return 0;
#endif
}

/* An inverse pass exchanges the halves for its transform only; chirps and
 * twiddles keep the run's direction. */
static __attribute__((noinline)) void make_long_fft(tile *t, int ro, int io)
{
    const stfi_cpu_pass *cp = t->cp;
    int stages_n = cp->p.nstages;

    if (is_fused(cp)) {
        make_fused(t, ro, io);
        return;
    }
    load_summed(t, cp->p.n, t->data, cp->pos);
    strike(t, 0, 0, cp->p.n, t->data, cp->pos);
    run_stages(t, 0, 0, stages_n, ro, io);
    if (t->probe == NULL && t->guard == NULL) {
        strike_results(t);
        store_segment(t, 0, cp->p.n, t->data, NULL);
        t->stored = 1;
    } else {
        strike_results(t);
        finish(t, cp->p.n, NULL);
    }
}

static void make_fft(tile *t)
{
    int swap = t->cp->p.inverse;
    int ro = swap ? t->io : t->ro, io = swap ? t->ro : t->io;

    if (!make_short_rows(t, ro != 0))
        make_long_fft(t, ro, io);
}

static void put_natural(tile *t)
{
    put_segment(t, 0, t->cp->p.n, t->data, NULL);
}

/* -------------------------------------------------------------- the passes */

static int64_t coarse_elements(const stfi_cpu_pass *cp)
{
    return cp->fine > 0 ? (cp->p.signal + cp->fine - 1) / cp->fine : 0;
}

static int is_guarded(const stfi_pass *p)
{
    return p->check.kind == STFI_CHECK_LANE && p->check.level == STF_FT_THREAD;
}

/* The room that checks need, in tile elements: for the entries of one stage (a
 * butterfly has at least two points, so there are at most n / 2 of them), or for
 * bundles and their alignment. */
static size_t check_elements(const stfi_pass *p)
{
    enum {
        BYTES = ELEM * sizeof(real),
        ENTRY = sizeof(entry) / BYTES,
        ROWS = (2 * sizeof(row_sums) + BYTES - 1) / BYTES,
        BUNDLES = (sizeof(bundle_memory) + STFI_ALIGN) / BYTES + 1
    };

    if (is_guarded(p))
        return (size_t)(p->n / 2) * ENTRY;
    return (size_t)ROWS + (p->check.transactions > 1 ? (size_t)BUNDLES : 0);
}

/* What check_elements() made room for. */
static real *check_memory(const tile *t)
{
    return t->seen.coarse + coarse_elements(t->cp) * ELEM;
}

/* The sums along rows of the input and of the results; bundles lie behind
 * them. */
static row_sums *rows_of(const tile *t)
{
    return (row_sums *)(void *)check_memory(t);
}

static bundle_memory *bundles_of(const tile *t)
{
    uintptr_t at = (uintptr_t)(rows_of(t) + 2);

    return (bundle_memory *)((at + STFI_ALIGN - 1) / STFI_ALIGN * STFI_ALIGN);
}

static size_t scratch_elements(const stfi_cpu_pass *cp)
{
    return (size_t)(cp->p.n + 1 + MAX_SPECIAL * GROUP + AGAIN
                    + 2 * (cp->fine + coarse_elements(cp)))
           + check_elements(&cp->p);
}

static size_t scratch_bytes(const stfi_cpu_pass *cp)
{
    return scratch_elements(cp) * ELEM * sizeof(real) + 64;
}

static const method *method_of(const stfi_cpu_pass *cp, const stfi_cpu_run *run)
{
    static const method compact = {make_compact, NULL};
    static const method straight = {make_straight, put_straight};
    static const method placed_pairs = {make_placed_pairs, NULL};
/* clang-format takes a line that begins with "[" for Objective-C. */
#define METHOD(index, make, put) [index] = { make, put }
    static const method ops[] = {
#define STFI_OP(id, name, word, loads, stores, transforms, check, points, \
                half, depth, make, put, enter)                            \
    METHOD(STFI_OP_##id, make, put),
#include "fft/ops.def"
#undef STFI_OP
    };
    static const method convs[] = {
#define STFI_CONV(id, name, make, put, enter) METHOD(STFI_CONV_##id, make, put),
#include "fft/ops.def"
#undef STFI_CONV
#undef METHOD
    };

    const stfi_pass *p = &cp->p;

    /* Faults strike what passes do; and what is stored over its input has to
     * wait for the verdict. */
    if (cp->compact != NULL && run->watch->fault == NULL
        && run->src != run->dst)
        return &compact;
    if (cp->straight)
        return &straight;
    if (is_placed_pairs(p))
        return &placed_pairs;
    return stfi_op_is_conv(p->op) ? &convs[p->conv] : &ops[p->op];
}

static void tile_open(tile *t, const stfi_cpu_pass *cp, const stfi_cpu_run *run)
{
    t->cp = cp;
    t->run = run;
    t->probe = NULL;
    t->guard = NULL;
    t->struck = 0;
    site_open(&t->work, cp);
    t->short_rows = find_short_rows(t);
    t->ro = run->inverse != cp->p.backward ? W : 0;
    t->io = W - t->ro;
    t->data = run->scratch;
    t->group = t->data + (cp->p.n + 1) * ELEM;
    t->again = t->group + MAX_SPECIAL * GROUP * ELEM;
    t->work.fine = t->again + AGAIN * ELEM;
    t->work.coarse = t->work.fine + cp->fine * ELEM;
    t->seen.fine = t->work.coarse + coarse_elements(cp) * ELEM;
    t->seen.coarse = t->seen.fine + cp->fine * ELEM;
}

/* Computes lanes [begin, end) of a pass whose lanes are checked. */
static void run_checked(tile *t, const method *m, int64_t begin, int64_t end)
{
    int both = t->cp->p.conv == STFI_CONV_SPREAD; /* two residuals a lane */
    probe k;

    site_open(&t->seen, t->cp);
    t->seen.in.ahead = t->seen.out.ahead = 0;
    probe_open(&k, t, rows_of(t), begin, end);
    sign_open(&k, t->run->watch->is_signed);
    t->probe = &k;
    if (is_bundled(t)) {
        k.joinable = 0;
        run_bundles(t, m, bundles_of(t), begin, end);
        return;
    }
    k.in_pieces = is_bracketed(t);
    run_tiles_checked(t, m);
    if (k.is_signed)
        sign_pass(t);
    probe_end(&k, t, (end - begin) * (both ? 2 : 1));
}

static void run_pass(const stfi_cpu_pass *cp, const stfi_cpu_run *run,
                     int64_t begin, int64_t end)
{
    const method *m = method_of(cp, run);
    int faults = run->watch->fault != NULL;
    held_fn short_reals;
    walk at;
    tile t;

    tile_open(&t, cp, run);
    short_reals = faults ? NULL : find_short_reals(&t);
    if (is_guarded(&cp->p)) {
        run_guarded(&t, m, check_memory(&t), begin, end);
        return;
    }
    if (cp->p.check.kind != STFI_CHECK_NONE) {
        run_checked(&t, m, begin, end);
        return;
    }
    walk_start(&at, cp, run, begin);
    for (int64_t lane = begin; lane < end; lane += W) {
        if (short_reals != NULL)
            lane += run_short_reals(&t, short_reals, &at, end - lane);
        if (lane >= end)
            break;
        tile_next(&t, &at, lane, end);
        t.struck = faults && is_struck(&t);
        t.stored = 0;
        m->make(&t);
        if (!t.stored)
            m->put(&t);
    }
}

#define KERNELS STFI_ISA_NAME(stfi_cpu_kernels_)

extern const stfi_cpu_kernels KERNELS;
const stfi_cpu_kernels KERNELS = {
    STFI_ISA_TEXT,
    W,
    scratch_bytes,
    run_pass,
};

#endif
