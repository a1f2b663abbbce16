/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels of checks as a whole that are compiled in, and their tables; see
 * cpu_whole.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/protect/cpu_whole.h"

#include <math.h>
#include <string.h>

#include "backends/cpu/cpu_caps.h"
#include "backends/cpu/protect/cpu_whole_tables.h"
#include "backends/cpu/simd/isas.h"
#include "base/alloc.h"
#include "base/type.h"

#define DECLARE(isa)                                              \
    extern const stfi_cpu_whole_kernels stfi_cpu_whole_f32_##isa; \
    extern const stfi_cpu_whole_kernels stfi_cpu_whole_f64_##isa;
#define ROWS(isa) &stfi_cpu_whole_f32_##isa.key, &stfi_cpu_whole_f64_##isa.key,

STFI_EACH_ISA(DECLARE)

/* The most bytes of a copy of a piece of one side: workspaces grow by it for each
 * thread. */
enum { MOST_COPIED = 1 << 21 };

/* Wider vectors come first. */
static const stfi_isa_key *const all[] = {STFI_EACH_ISA(ROWS)};

const stfi_cpu_whole_kernels *
stfi_cpu_whole_find(const char *isa, stf_precision precision, int64_t most)
{
    return (const void *)stfi_isa_narrow(all, sizeof all / sizeof *all, isa,
                                         precision, most);
}

/* Chooses the functions over a row of a side. */
static void set_functions(const stfi_cpu_whole_kernels *k,
                          stfi_cpu_whole_side *side)
{
    const int64_t few = side->vectors <= STFI_CPU_WHOLE_FEW
                                && k->enter[side->form][side->vectors] != NULL
                            ? side->vectors
                            : 0;

    if (side->lines > 1) {
        side->enter = k->enter_lines[side->form];
        side->judge = k->judge_lines[side->form];
        return;
    }
    if (side->vectors == 0) {
        side->enter = k->enter_part[side->form];
        side->judge = k->judge_part[side->form];
        return;
    }
    side->enter = k->enter[side->form][few];
    side->judge = k->judge[STFI_CPU_WHOLE_ANY][side->form][few];
}

/* Returns how many rows of both sides take so many bytes: whole tiles of them, and whole
 * groups that are summed up together; of long rows that are computed one by one, as many
 * as have a joint sum. */
static int64_t rows_of(const stfi_cpu_whole *w, int64_t row_bytes,
                       int64_t bytes)
{
    const int64_t lanes = w->kernels->key.lanes, rows = bytes / row_bytes;
    int64_t unit = w->tile > lanes ? w->tile : lanes;

    if (w->tile == 1 && rows < lanes && w->joined > 1)
        unit = w->joined;
    return rows > unit ? rows / unit * unit : unit;
}

/* The checks of all directions that are there. */
typedef struct ways {
    int count;
    stfi_cpu_whole_way *way[2 * STFI_WHOLE_CHECKS];
} ways;

static ways list_ways(stfi_cpu_whole *w)
{
    ways present = {.count = 0};

    for (int d = 0; d < 2; d++)
        for (int c = 0; c < STFI_WHOLE_CHECKS; c++)
            if (w->way[d][c].check != NULL)
                present.way[present.count++] = &w->way[d][c];
    return present;
}

static const stfi_ft_side *side_of(const stfi_cpu_whole_way *way, int output)
{
    return output ? &way->check->out : &way->check->in;
}

/* Bounds: measured. */
void stfi_cpu_whole_prefetch(stfi_cpu_whole *whole, int64_t batch)
{
    enum {
        FAR = 1 << 24,
        SHORT = 1 << 14,
        JOINT = 1 << 13,
        SMALL = 1 << 18,
        PAGE = 1 << 12
    };
    const int64_t bytes = whole->kernels->key.precision == STF_F32 ? 4 : 8;
    const ways present = list_ways(whole);
    const stfi_cpu_whole_side *any = present.way[0]->side;
    const int64_t row = (any[0].step + any[1].step) * bytes;
    const int by_sums =
        whole->joined == 1 && row * batch >= stfi_cpu_far_bytes(2 * FAR);
    const int64_t rows =
        rows_of(whole, row, whole->joined == 1 && !by_sums ? SHORT : JOINT);

    if (row * batch < FAR)
        return;
    whole->piece = rows < whole->piece ? rows : whole->piece;
    if (!by_sums && whole->piece * row <= SMALL)
        whole->ahead = whole->piece;
    for (int w = 0; w < present.count; w++)
        for (int i = 0; i < 2; i++) {
            stfi_cpu_whole_side *side = &present.way[w]->side[i];
            side->in_order =
                side->spread.rank == 0 && side->step * bytes <= PAGE;
            if (side->spread.rank == 0 && by_sums)
                side->ahead = whole->piece * side->step;
        }
}

void stfi_cpu_whole_read_by(stfi_cpu_whole *whole, int bytes)
{
    const stfi_cpu_whole_piece piece = bytes == 8    ? STFI_CPU_WHOLE_8
                                       : bytes == 16 ? STFI_CPU_WHOLE_16
                                       : bytes == 32 ? STFI_CPU_WHOLE_32
                                                     : STFI_CPU_WHOLE_ANY;

    const ways present = list_ways(whole);

    for (int w = 0; w < present.count; w++) {
        stfi_cpu_whole_side *side = &present.way[w]->side[1];
        stfi_cpu_whole_judge *const *by =
            whole->kernels->judge[piece][side->form];
        if (side->lines == 1 && side->vectors > 0
            && side->vectors <= STFI_CPU_WHOLE_FEW && by[side->vectors] != NULL)
            side->judge = by[side->vectors];
    }
}

/* The norm of half a spectrum counts the other half, too. */
static stfi_cpu_whole_limit limit_of(const stfi_ft_offline *check)
{
    const double slope =
        (double)(STFI_FT_SUSPECT * check->bound.slope) / fabs(check->scale);

    return (stfi_cpu_whole_limit){
        .factor = 1 / check->scale,
        .most = slope * slope * (check->in.halved > 0 ? 2 : 1),
    };
}

/* 1 if the sums of a check can be made here: the rows of each side follow each
 * other, and its scale leaves squares in range. */
static int suits(const stfi_ft_offline *check, const int64_t step[2],
                 int64_t batch, size_t bytes, stfi_cpu_whole_side side[2])
{
    const double size = fabs(check->scale);

    return size > 0x1p-24 && size < 0x1p24
           && stfi_cpu_spread_find(&check->in, bytes, &side[0].spread)
           && stfi_cpu_spread_find(&check->out, bytes, &side[1].spread)
           && (batch == 1
               || (step[0] >= side[0].spread.span
                   && step[1] >= side[1].spread.span));
}

/* Returns how many rows are computed by passes between sums: as many as the
 * second-level cache holds beside what passes need, and whole groups of rows that
 * are summed up together; but as many as fill the vectors of passes. */
static int64_t piece_by_passes(const stfi_cpu_whole *w, int64_t row_bytes,
                               int64_t least, int64_t most)
{
    enum { NEXT = 1 << 18 };
    int64_t rows = NEXT / row_bytes > least ? NEXT / row_bytes : least;
    int64_t whole = rows >= w->kernels->key.lanes ? w->kernels->key.lanes
                    : rows >= w->joined           ? w->joined
                                                  : 1;

    rows = rows > whole ? rows / whole * whole : whole;
    return rows < most ? rows : most;
}

/* The bytes of a piece of a side's rows without gaps. */
static size_t packed_of(const ways *present, int64_t piece, int64_t bytes)
{
    size_t most = 0;

    for (int w = 0; w < present->count; w++)
        for (int i = 0; i < 2; i++) {
            const stfi_cpu_whole_side *side = &present->way[w]->side[i];
            const size_t rows = (size_t)(piece * side->reals * bytes);
            if (side->spread.rank > 0 && rows > most)
                most = rows;
        }
    return most;
}

/* Chooses how many rows are computed between sums: as many as the nearest cache holds of
 * both sides or, of rows that take as long to begin and end, the second one. Bounds:
 * measured. */
static void set_piece(stfi_cpu_whole *w, const int64_t step[2], int64_t bytes,
                      int64_t batch, int64_t tile, int64_t passes)
{
    enum { NEAR = 1 << 14, NEAR_SHORT = 1 << 17 };
    const int64_t row_bytes = (step[0] + step[1]) * bytes;
    int64_t rows;

    if (passes > 0)
        tile = piece_by_passes(w, row_bytes, passes, tile);
    else if (tile > 1 && tile < stfi_cpu_whole_group(w))
        tile = w->kernels->key.lanes;
    w->tile = tile;
    rows = passes > 0 || w->alone
               ? tile
               : rows_of(w, row_bytes, w->joined == 1 ? NEAR_SHORT : NEAR);
    w->piece = rows < batch ? rows : batch;
    w->keep = (size_t)(w->piece * step[0] * bytes);
    if (w->keep > MOST_COPIED)
        w->keep = 0;
    w->terms = (size_t)((w->piece + stfi_cpu_whole_group(w) - 1)
                        / stfi_cpu_whole_group(w))
               * stfi_cpu_whole_terms(w);
    if (w->shared) { /* those of both sides of a chunk */
        w->keep = 0;
        w->terms = 2 * (size_t)w->shared * stfi_cpu_whole_terms(w)
                   + STFI_CPU_WHOLE_WORD;
    }
}

/* 1 if each row of a batch is judged in a lane of its own by kernels `k`: rows that
 * are short. */
static int suits_lanes(const stfi_cpu_whole_kernels *k, const ways *present,
                       int64_t batch)
{
    for (int w = 0; w < present->count; w++)
        for (int i = 0; i < 2; i++)
            if (!stfi_cpu_whole_is_short(
                    stfi_ft_reals(side_of(present->way[w], i)), k->key.lanes))
                return 0;
    return batch >= k->key.lanes;
}

/* Chooses the kernels, whose vectors no row is less than; but for those of rows that
 * are judged each in a lane, and for rows that are less than all vectors. */
static void set_kernels(const char *isa, stf_precision precision,
                        const ways *present, int64_t batch, int64_t least,
                        stfi_cpu_whole *w)
{
    enum { NARROW = 4 };
    const stfi_cpu_whole_kernels *narrow;

    w->kernels = stfi_cpu_whole_find(isa, precision, INT64_MAX);
    if (w->kernels != NULL && suits_lanes(w->kernels, present, batch)) {
        w->joined = 1;
        return;
    }
    w->kernels = stfi_cpu_whole_find(isa, precision, least);
    if (w->kernels != NULL) {
        w->joined = w->kernels->joined;
        return;
    }
    narrow = stfi_cpu_whole_find(isa, precision, NARROW);
    if (least > 1 && narrow != NULL && narrow->enter_part[0] != NULL) {
        w->kernels = narrow;
        w->joined = 1;
    }
}

/* Finds how the elements of all rows lie. Returns 0 if a check cannot be made here. */
static int find_rows(const ways *present, int64_t batch, size_t bytes,
                     int64_t step[2])
{
    for (int w = 0; w < present->count; w++)
        if (!suits(present->way[w]->check, step, batch, bytes,
                   present->way[w]->side))
            return 0;
    for (int i = 0; i < 2 && batch == 1; i++)
        step[i] =
            present->way[0]->side[i].spread.span; /* it is never taken, and may
                                                       be any number */
    return 1;
}

static int64_t least_reals(const ways *present)
{
    int64_t least = INT64_MAX;

    for (int w = 0; w < present->count; w++)
        for (int i = 0; i < 2; i++) {
            const int64_t n = stfi_ft_reals(side_of(present->way[w], i));
            least = n < least ? n : least;
        }
    return least;
}

/* Returns the check before number w whose side has the same weights, as both directions
 * have on the output of complex transforms, or NULL. */
static const stfi_cpu_whole_way *find_same(const ways *present, int w, int side)
{
    const stfi_ft_side *s = side_of(present->way[w], side);

    for (int k = 0; k < w; k++) {
        const stfi_ft_side *like = side_of(present->way[k], side);
        if (like->reversed == s->reversed && like->halved == s->halved
            && memcmp(like->weight, s->weight, sizeof s->weight) == 0)
            return present->way[k];
    }
    return NULL;
}

/* Chooses the forms of all sides, and allocates their tables. */
static stf_status allocate(const ways *present, const stfi_cpu_whole_table *t,
                           stfi_cpu_whole *whole)
{
    int64_t reals = 0;

    for (int w = 0; w < present->count; w++)
        for (int i = 0; i < 2; i++) {
            const stfi_ft_side *s = side_of(present->way[w], i);
            stfi_cpu_whole_side *side = &present->way[w]->side[i];
            whole->alone |= stfi_ft_line_axis(s) > 0;
            if (find_same(present, w, i) != NULL)
                continue;
            side->by_lanes = whole->joined == 1;
            side->form =
                stfi_cpu_whole_form_of(s, t->precision, side->by_lanes);
            reals += stfi_cpu_whole_table_reals(t, s, side->form);
        }
    return stfi_alloc((size_t)reals * stfi_type_get(t->precision)->bytes,
                      "the plan's tables", &whole->tables);
}

/* Makes what check number w needs, and its tables. */
static void make_way(const ways *present, int w,
                     const stfi_cpu_whole_kernels *k, const int64_t step[2],
                     stfi_cpu_whole_table *t)
{
    stfi_cpu_whole_way *way = present->way[w];

    for (int i = 0; i < 2; i++) {
        const stfi_cpu_whole_way *like = find_same(present, w, i);
        if (like != NULL)
            way->side[i] = like->side[i];
        else
            stfi_cpu_whole_make_side(t, side_of(way, i), step[i],
                                     &way->side[i]);
        set_functions(k, &way->side[i]);
    }
    way->limit = limit_of(way->check);
}

/* 1 if rows can be compared, `tile` at a time: those without gaps in them, not far from
 * each other, and with scales that are reals of the data's type. */
static int may_be_compared(const ways *present, stf_precision precision,
                           const int64_t step[2], int64_t tile)
{
    const int64_t bytes = (int64_t)stfi_type_get(precision)->bytes;

    if (step[0] > MOST_COPIED / bytes / tile
        || step[1] > MOST_COPIED / bytes / tile)
        return 0;
    for (int k = 0; k < present->count; k++) {
        const stfi_cpu_whole_way *way = present->way[k];
        const double scale = way->check->scale;
        if (way->side[0].spread.rank > 0 || way->side[1].spread.rank > 0
            || (precision == STF_F32 && (double)(float)scale != scale))
            return 0;
    }
    return 1;
}

/* Lets rows be computed twice, `tile` at a time. Bounds: measured. */
static void make_twice(const ways *present, const int64_t step[2],
                       int64_t bytes, int64_t batch, int64_t tile,
                       stfi_cpu_whole *w)
{
    enum { NEAR = 1 << 16, FAR = 1 << 20 };
    const int64_t row = (step[0] + step[1]) * bytes;
    const int64_t rows = NEAR / row / tile * tile;

    w->tile = tile;
    w->piece = rows > tile ? rows : tile;
    w->piece = w->piece < batch ? w->piece : batch;
    w->ahead = row * batch >= FAR ? w->piece : 0;
    w->keep = (size_t)(w->piece * step[0] * bytes);
    w->terms = (size_t)(tile * step[1] * bytes);
    for (int k = 0; k < present->count; k++)
        for (int i = 0; i < 2; i++)
            present->way[k]->side[i].reals =
                present->way[k]->side[i].spread.span;
}

/* Chooses everything for the checks that `whole` has. */
static stf_status make_all(const char *isa, const ways *present,
                           int64_t step[2], int64_t batch, int64_t tile,
                           int64_t passes, stfi_cpu_whole_table *t,
                           stfi_cpu_whole *whole)
{
    const int64_t bytes = (int64_t)stfi_type_get(t->precision)->bytes;
    stf_status status;

    if (!find_rows(present, batch, (size_t)bytes, step))
        return STF_OK;
    if (whole->twice && may_be_compared(present, t->precision, step, tile)) {
        make_twice(present, step, bytes, batch, tile, whole);
        return STF_OK;
    }
    whole->twice = 0;
    set_kernels(isa, t->precision, present, batch, least_reals(present), whole);
    if (whole->kernels == NULL)
        return STF_OK;
    t->lanes = whole->kernels->key.lanes;
    whole->alone = batch == 1 || whole->shared;
    status = allocate(present, t, whole);
    if (status != STF_OK)
        return status;
    t->at = whole->tables;
    set_piece(whole, step, bytes, batch, tile, passes);
    for (int w = 0; w < present->count; w++)
        make_way(present, w, whole->kernels, step, t);
    whole->packed = packed_of(present, whole->piece, bytes);
    if (whole->packed > (whole->shared ? 0 : MOST_COPIED)) {
        stfi_cpu_whole_free(whole);
        whole->tables = NULL;
        whole->kernels = NULL;
    }
    return STF_OK;
}

stf_status stfi_cpu_whole_make(const char *isa, stf_precision precision,
                               const stfi_ft_whole_checks *checks,
                               const int64_t given[2], int64_t batch,
                               int64_t tile, int64_t passes,
                               stfi_cpu_whole *whole_p)
{
    int64_t step[2] = {given[0], given[1]};
    stfi_cpu_whole_table t = {.precision = precision};
    ways present;

    for (int d = 0; d < 2; d++)
        for (int c = 0; c < STFI_WHOLE_CHECKS; c++) {
            whole_p->way[d][c].check = checks->by[d][c];
            if (checks->by[d][c] != NULL && c >= whole_p->checks)
                whole_p->checks = c + 1;
        }
    present = list_ways(whole_p);
    return make_all(isa, &present, step, batch, tile, passes, &t, whole_p);
}

void stfi_cpu_whole_free(stfi_cpu_whole *whole)
{
    stfi_dealloc(whole->tables);
}
