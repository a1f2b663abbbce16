/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A tile's place in memory: the addresses of its lanes, and which way of
 * loading and storing suits them. */
#ifndef STFI_FFT_TILE_H
#define STFI_FFT_TILE_H

#include "backends/cpu/protect/probe.h"
#include "backends/cpu/fft/scale.h"
#include "backends/cpu/fft/stages.h"
#include "fft/place.h"

/* How a side is read or written. */
typedef enum access {
    ACCESS_LANES,  /* lanes are neighbours: vectors of (re, im) pairs */
    ACCESS_ROWS,   /* elements are neighbours: transposition */
    ACCESS_REALS,  /* the same of reals, one signal or the two of a lane, */
    ACCESS_HALF,   /* and of half spectra, which are only read so */
    ACCESS_SCATTER /* anything else, component by component */
} access;

/* One side of a tile's lanes: where they lie in memory, and how they are read or
 * written. A source is never written, although it is reached by the same
 * pointers. */
typedef struct port {
    const stfi_side *side;
    const real *turn;   /* roots of the side's turn, if it has an order */
    int format;         /* what its components are stored in: simd/stored.h */
    int64_t es, bs, im; /* strides in reals: elements, blocks, imaginary part */
    int64_t ahead;      /* ACCESS_ROWS: distance of the prefetch, */
    int64_t beside;     /* ACCESS_LANES: the same */
    access access;
    int count;         /* number of lanes in use; the rest repeat lane 0 */
    int indexed;       /* index is set */
    int whole;         /* all lanes have the same indices */
    int out;           /* it is that of the store */
    access line;       /* the access of W lanes along loop 0 */
    intptr_t apart[W]; /* distances of such lanes from the first, in bytes, */
    int64_t aparts;    /* and their sum */
    stored *at[W];     /* element 0 of each lane */
    int64_t index[W];  /* index of element 0 in the signal */
} port;

/* The place of a tile. A check has a place of its own, found by a walk of its
 * own: if either has a wrong address, the tile's sums do not agree. */
typedef struct site {
    port in, out;
    int is_line;         /* W lanes along loop 0 */
    int64_t row[W];      /* twiddle row */
    real *fine, *coarse; /* twiddles of the tile's rows */
} site;

typedef struct tile {
    const stfi_cpu_pass *cp;
    const stfi_cpu_run *run;
    probe *probe;        /* NULL: lanes have no residuals */
    struct guard *guard; /* NULL: butterflies have no residuals (guard.h) */
    int struck;          /* faults hit the tile in this attempt */
    int64_t lane;        /* number of the first lane */
    int count;           /* number of lanes in use */
    int stored;          /* the results are stored already */
    int short_rows;      /* points of rows that fit the registers; or 0 */
    int ro, io;          /* halves of an element in the run's direction */
    site work;           /* what is loaded and stored */
    site seen;           /* what is summed up; only with a probe */
    real *data;          /* the tile */
    real *group;         /* scratch of a group of butterflies */
    real *again;         /* AGAIN elements that are read for the check */
} tile;

/* Returns 1 for the side of a transform of one real whose result is multiplied by the
 * square root of 2. */
static int is_one_root(const stfi_side *store)
{
    return store->turn == STFI_TURN_EIGHTH && store->full == 1;
}

/* Returns what results are multiplied by while they are stored; one that is_one_root()
 * already was, by scale_one(). */
static factor factor_of(const tile *t)
{
    if (is_one_root(&t->cp->p.store))
        return factor_from(1.0);
    return factor_from(t->cp->p.scaled ? t->run->scale : 1.0);
}

/* A walk over the lanes of a pass: the indices and counts of its loops, and the
 * offsets (src and dst in reals) that follow from them. */
typedef struct walk {
    int64_t at[STFI_MAX_LOOPS];
    int64_t n[STFI_MAX_LOOPS];
    int64_t src, dst, src_index, dst_index, row;
} walk;

static void walk_start(walk *w, const stfi_cpu_pass *cp,
                       const stfi_cpu_run *run, int64_t lane)
{
    const stfi_pass *p = &cp->p;

    memset(w, 0, sizeof *w);
    for (int l = 0; l < p->nloops; l++) {
        int64_t i;
        w->n[l] = l == p->batch_loop ? run->batch : p->loop_n[l];
        i = lane % w->n[l];
        lane /= w->n[l];
        w->at[l] = i;
        w->src += i * cp->load_ls[l];
        w->dst += i * cp->store_ls[l];
        w->src_index += i * p->load.index.loop[l];
        w->dst_index += i * p->store.index.loop[l];
        w->row += i * p->twiddle.mul[l];
    }
}

/* Moves on along a loop, but for the indices, which few passes need. */
INLINE void walk_move(walk *w, const stfi_cpu_pass *cp, int l, int64_t by)
{
    w->at[l] += by;
    w->src += by * cp->load_ls[l];
    w->dst += by * cp->store_ls[l];
}

static void walk_shift(walk *w, const stfi_cpu_pass *cp, int l, int64_t by)
{
    const stfi_pass *p = &cp->p;

    walk_move(w, cp, l, by);
    w->src_index += by * p->load.index.loop[l];
    w->dst_index += by * p->store.index.loop[l];
    w->row += by * p->twiddle.mul[l];
}

static void walk_next(walk *w, const stfi_cpu_pass *cp)
{
    for (int l = 0; l < cp->p.nloops; l++) {
        walk_shift(w, cp, l, 1);
        if (w->at[l] < w->n[l])
            return;
        walk_shift(w, cp, l, -w->n[l]);
    }
}

/* Chooses the access of port p. `neighbours` is 1 if the lanes in use are
 * consecutive (re, im) pairs. */
static access choose_access(const port *p, int neighbours)
{
    const stfi_side *side = p->side;
    const stfi_form form = side->form;
    const int pairs = form == STFI_FORM_COMPLEX || form == STFI_FORM_PAIRS;

    if (side->block > 0 || side->rows > 0 || side->order != STFI_ORDER_NONE)
        return ACCESS_SCATTER;
    if (pairs && p->im == 1 && neighbours)
        return ACCESS_LANES;
    if (W == 1)
        return ACCESS_SCATTER;
    if (form == STFI_FORM_REAL || (pairs && p->im != 1))
        return p->es == 1 ? ACCESS_REALS : ACCESS_SCATTER;
    if (form == STFI_FORM_HALF)
        return p->es == 2 && p->whole && side->index.elem == 1
                       && side->limit == 0 && !p->out
                   ? ACCESS_HALF
                   : ACCESS_SCATTER;
    return p->es == 2 && p->im == 1 ? ACCESS_ROWS : ACCESS_SCATTER;
}

/* Places W lanes along loop 0 behind a first one. The addresses are added up as
 * one vector: for short rows, this takes much of the time. */
INLINE void place_from(port *p, const stored *first)
{
#if STFI_LANES > 1
    typedef intptr_t places
        __attribute__((vector_size(STFI_LANES * sizeof(intptr_t))));
    places at;

    memcpy(&at, p->apart, sizeof at);
    at += (intptr_t)first;
    memcpy(p->at, &at, sizeof at);
#else
    p->at[0] = (stored *)(uintptr_t)first;
#endif
}

/* Places W lanes along loop 0, where every offset rises by a constant. */
static void place_line(const tile *t, site *s, walk *w)
{
    const stfi_cpu_pass *cp = t->cp;

    place_from(&s->in, stored_at(t->run->src, s->in.format, w->src));
    place_from(&s->out, stored_at(t->run->dst, s->out.format, w->dst));
    s->in.access = s->in.line;
    s->out.access = s->out.line;
    if (s->in.indexed)
        for (int l = 0; l < W; l++) {
            s->in.index[l] = w->src_index + l * cp->p.load.index.loop[0];
            s->out.index[l] = w->dst_index + l * cp->p.store.index.loop[0];
            s->row[l] = w->row + l * cp->p.twiddle.mul[0];
        }
    if (s->in.indexed)
        walk_shift(w, cp, 0, W);
    else
        walk_move(w, cp, 0, W);
    if (w->at[0] == w->n[0]) {
        walk_shift(w, cp, 0, -1);
        walk_next(w, cp);
    }
}

/* Places lanes one by one, if they span several loops or are fewer than W. The
 * lanes that are left over repeat lane 0. */
static void place_lanes(const tile *t, site *s, walk *w)
{
    int src_step = s->in.count == W, dst_step = src_step;
    const int load = s->in.format, store = s->out.format;

    for (int l = 0; l < s->in.count; l++) {
        s->in.at[l] = stored_at(t->run->src, load, w->src);
        s->out.at[l] = stored_at(t->run->dst, store, w->dst);
        s->in.index[l] = w->src_index;
        s->out.index[l] = w->dst_index;
        s->row[l] = w->row;
        src_step &= s->in.at[l] == stored_at(s->in.at[0], load, 2 * l);
        dst_step &= s->out.at[l] == stored_at(s->out.at[0], store, 2 * l);
        walk_next(w, t->cp);
    }
    for (int l = s->in.count; l < W; l++) {
        s->in.at[l] = s->in.at[0];
        s->out.at[l] = s->out.at[0];
        s->in.index[l] = s->in.index[0];
        s->out.index[l] = s->out.index[0];
        s->row[l] = s->row[0];
    }
    s->in.access = choose_access(&s->in, src_step);
    s->out.access = choose_access(&s->out, dst_step);
}

/* Places the next `count` lanes of the walk and chooses how to reach them. */
static void site_place(const tile *t, site *s, walk *w, int count)
{
    s->in.count = s->out.count = count;
    s->is_line = count == W && w->at[0] + W <= w->n[0];
    if (s->is_line)
        place_line(t, s, w);
    else
        place_lanes(t, s, w);
}

/* The distance in reals at which rows are prefetched. Rows are read one cache
 * line at a time, in an order that hardware does not foresee. So the same line
 * of the next tile is prefetched or, in long rows, a later line of the row. */
static int64_t prefetch_distance(const stfi_cpu_pass *cp, int format,
                                 int64_t step)
{
    int64_t row = 2 * cp->p.n * stored_bytes(format);
    int64_t line = 64 / stored_bytes(format);

    return row <= 8192 ? step * W : 4 * line;
}

/* The same for columns: the next tile's lie beside this tile's. But of lines
 * that are a multiple of FAR bytes apart a cache holds few, and the next tile's
 * would go before they are used: there a later line of the column is prefetched,
 * that of the next group of butterflies where loads are fused with them. */
static int64_t column_distance(const stfi_cpu_pass *cp, int format, int64_t es)
{
    enum { FAR = 4096, HELD = 1 << 22, LATER = 8 };
    int64_t bytes = es * stored_bytes(format);

    return bytes % FAR == 0 && 2 * cp->p.n * bytes > HELD ? LATER * es : 2 * W;
}

/* 1 if a pass needs the indices and twiddle rows of its lanes. */
static int needs_indices(const stfi_pass *p)
{
    return p->twiddle.order > 0 || p->load.limit > 0 || p->store.limit > 0
           || p->load.chirp > 0 || p->store.chirp > 0 || p->load.rows > 0
           || p->store.rows > 0 || p->load.form == STFI_FORM_HALF
           || p->store.form == STFI_FORM_HALF || p->conv == STFI_CONV_SPREAD
           || p->op == STFI_OP_UNTANGLE || p->op == STFI_OP_TANGLE
           || p->load.order != STFI_ORDER_NONE
           || p->store.order != STFI_ORDER_NONE;
}

/* Sets what a port has in common for all tiles of a pass; `step` is the distance
 * of lanes along loop 0. */
static void port_open(port *p, const stfi_cpu_pass *cp, int64_t step)
{
    int load = p->side == &cp->p.load;

    p->format = load ? cp->load_format : cp->store_format;
    p->es = load ? cp->load_es : cp->store_es;
    p->bs = load ? cp->load_bs : cp->store_bs;
    p->im = load ? cp->load_im : cp->store_im;
    p->out = !load;
    p->turn = cp->turn;
    if (!load && p->side->turn == STFI_TURN_FOUR)
        p->turn += p->side->span / 2 * 2;
    p->ahead = prefetch_distance(cp, p->format, step);
    p->beside = column_distance(cp, p->format, p->es);
    p->indexed = needs_indices(&cp->p);
    p->whole = 1;
    for (int l = 0; l < cp->p.nloops; l++)
        p->whole &= p->side->index.loop[l] == 0;
    p->line = choose_access(p, step == 2);
    for (int l = 0; l < W; l++)
        p->apart[l] = (intptr_t)(l * step * stored_bytes(p->format));
    p->aparts = (int64_t)W * (W - 1) / 2 * step * stored_bytes(p->format);
}

static void site_open(site *s, const stfi_cpu_pass *cp)
{
    s->in.side = &cp->p.load;
    s->out.side = &cp->p.store;
    port_open(&s->in, cp, cp->load_ls[0]);
    port_open(&s->out, cp, cp->store_ls[0]);
}

/* 1 if the twiddle belongs to a side. */
static int has_twiddle(const stfi_pass *p, const stfi_side *side)
{
    return p->twiddle.order > 0 && p->twiddle.on_load == (side == &p->load);
}

/* 1 if a side multiplies elements by something other than the scale. */
static int has_factor(const stfi_pass *p, const stfi_side *side)
{
    return side->chirp > 0 || has_twiddle(p, side);
}

/* Prefetches the element of W columns at p. */
INLINE void prefetch_columns(const stored *p, int format, int write)
{
    const int line = 64 / stored_bytes(format);

    for (int i = 0; i < 2 * W; i += line) {
        if (write)
            __builtin_prefetch(stored_at(p, format, i), 1, 2);
        else
            __builtin_prefetch(stored_at(p, format, i), 0, 2);
    }
}

/* The address of component i behind element 0 of lane l. */
INLINE stored *component(const port *p, int l, int64_t i)
{
    return stored_at(p->at[l], p->format, i);
}

INLINE real get_component(const port *p, int l, int64_t i)
{
    return get_stored(component(p, l, i), p->format);
}

INLINE void put_component(const port *p, int l, int64_t i, real x)
{
    put_stored(component(p, l, i), p->format, x);
}

/* W components of lane l from i on. */
INLINE V load_components(const port *p, int l, int64_t i)
{
    return load_stored(component(p, l, i), p->format);
}

/* The distance in reals from element 0 of a lane to element e. */
INLINE int64_t element_offset(const port *p, int64_t e)
{
    int64_t block = p->side->block;

    return block > 0 ? e % block * p->es + e / block * p->bs : e * p->es;
}

/* The place in the tile of element e of a segment. */
INLINE real *place(real *data, const uint32_t *pos, int64_t e)
{
    return data + (pos != NULL ? (int64_t)pos[e] : e) * ELEM;
}

/* The same for reading. */
INLINE const real *value_at(const real *data, const uint32_t *pos, int64_t e)
{
    return data + (pos != NULL ? (int64_t)pos[e] : e) * ELEM;
}

/* data_from() and pos_from() give the arguments for the same segment without
 * its first i elements. */
INLINE const real *data_from(const real *data, const uint32_t *pos, int64_t i)
{
    return pos != NULL ? data : data + i * ELEM;
}

INLINE const uint32_t *pos_from(const uint32_t *pos, int64_t i)
{
    return pos != NULL ? pos + i : NULL;
}

/* In the segment [e0, e0 + size), the first *all elements are below the
 * side's limit in every lane, and the elements from *none on in no lane. */
static void limit_range(const port *p, int64_t e0, int64_t size, int64_t *all,
                        int64_t *none)
{
    int64_t low = p->index[0], high = p->index[0], step = p->side->index.elem;
    int64_t limit = p->side->limit;

    for (int l = 1; l < p->count; l++) {
        low = p->index[l] < low ? p->index[l] : low;
        high = p->index[l] > high ? p->index[l] : high;
    }
    *all = high >= limit ? 0 : (limit - 1 - high) / step + 1;
    *none = low >= limit ? 0 : (limit - 1 - low) / step + 1;
    *all = *all < e0 ? 0 : *all - e0 < size ? *all - e0 : size;
    *none = *none < e0 ? 0 : *none - e0 < size ? *none - e0 : size;
}

/* The complex table entries at index[l] + offset, one for each lane l. Lanes
 * that are not in use get the entry of lane 0. */
static C table_lanes(const real *table, const int64_t *index, int count,
                     int64_t offset)
{
    real re[W] __attribute__((aligned(64)));
    real im[W] __attribute__((aligned(64)));

    for (int l = 0; l < W; l++) {
        int64_t k = index[l < count ? l : 0] + offset;
        re[l] = table[2 * k];
        im[l] = table[2 * k + 1];
    }
    return (C){load(re), load(im)};
}

/* Returns 1 if all W lanes are in use and their indices are neighbours, 0 if
 * all indices are equal, and -1 otherwise. */
static int index_step(const int64_t *index, int count)
{
    int64_t step = count > 1 ? index[1] - index[0] : 0;

    if (step != 0 && (step != 1 || count < W))
        return -1;
    for (int l = 2; l < count; l++)
        if (index[l] - index[l - 1] != step)
            return -1;
    return (int)step;
}

/* As table_lanes(), but fast if the lanes' indices are equal or neighbours.
 * `step` is from index_step(). */
INLINE C table_at(const real *table, const int64_t *index, int count, int step,
                  int64_t offset)
{
    const real *at = table + 2 * (index[0] + offset);
    C c;

    if (step == 0)
        return c_set(at[0], at[1]);
    if (step == 1) {
        load_table(at, &c.r, &c.i);
        return c;
    }
    return table_lanes(table, index, count, offset);
}

#endif
