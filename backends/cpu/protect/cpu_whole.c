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
#include "backends/cpu/simd/isas.h"
#include "base/alloc.h"
#include "base/type.h"

#define DECLARE(isa)                                              \
    extern const stfi_cpu_whole_kernels stfi_cpu_whole_f32_##isa; \
    extern const stfi_cpu_whole_kernels stfi_cpu_whole_f64_##isa;
#define ROWS(isa) &stfi_cpu_whole_f32_##isa.key, &stfi_cpu_whole_f64_##isa.key,

STFI_EACH_ISA(DECLARE)

/* Wider vectors come first. */
static const stfi_isa_key *const all[] = {STFI_EACH_ISA(ROWS)};

const stfi_cpu_whole_kernels *
stfi_cpu_whole_find(const char *isa, stf_precision precision, int64_t most)
{
    return (const void *)stfi_isa_narrow(all, sizeof all / sizeof *all, isa,
                                         precision, most);
}

/* A table as it is written. */
typedef struct table {
    stf_precision precision;
    char *at;
    int lanes;
} table;

/* The reals of a quarter of a vector. */
static int64_t quarter_of(const table *t)
{
    return 16 / (int64_t)stfi_type_get(t->precision)->bytes;
}

/* The reals of a piece of a short row; 0 of one that has no pieces. */
static int64_t piece_of(const table *t, int64_t reals)
{
    return reals < t->lanes        ? quarter_of(t)
           : reals <= 2 * t->lanes ? t->lanes / 2
                                   : 0;
}

/* The reals of a plane of weights before those of pieces, and of the plane. */
static int64_t before_pieces(const table *t, int64_t reals)
{
    return t->lanes
           * (reals < t->lanes ? STFI_CPU_WHOLE_UNITS : reals / t->lanes + 1);
}

static int64_t plane_of(const table *t, int64_t reals)
{
    const int64_t piece = piece_of(t, reals);

    return before_pieces(t, reals)
           + (piece > 0 ? (reals + piece - 1) / piece * t->lanes : 0);
}

/* The least planes that hold the weights of a side; rows in lanes have no complex
 * weights. */
static stfi_cpu_whole_form form_of(const stfi_ft_side *s,
                                   stf_precision precision, int by_lanes)
{
    long double w[2][2];

    if (s->parts == 1 || s->halved > 0)
        return STFI_CPU_WHOLE_PLANES;
    for (int64_t i = 0; i < stfi_ft_reals(s) / s->parts; i++) {
        stfi_ft_weights_of(s, precision, i, w);
        if (w[1][0] != 0)
            return by_lanes ? STFI_CPU_WHOLE_PLANES : STFI_CPU_WHOLE_COMPLEX;
    }
    return STFI_CPU_WHOLE_PAIRED;
}

static int planes_of(stfi_cpu_whole_form form)
{
    return form == STFI_CPU_WHOLE_PLANES ? 2 : 1;
}

/* The reals of a side's tables. */
static int64_t table_reals(const table *t, const stfi_ft_side *s,
                           stfi_cpu_whole_form form)
{
    return planes_of(form) * plane_of(t, stfi_ft_reals(s)) + 2 * t->lanes;
}

/* Writes a number to the places from number `at` on of a vector, of each `apart` of
 * it. The vector begins with real `first` of a table. */
static void write_each(const table *t, void *to, int64_t first, int64_t at,
                       int64_t apart, long double x)
{
    for (; at < t->lanes; at += apart)
        stfi_type_write(t->precision, to, first + at, x);
}

/* Writes the weight of real i of a row to the vectors of pieces. */
static void write_piece(const table *t, int64_t reals, void *plane, int64_t i,
                        long double weight)
{
    const int64_t piece = piece_of(t, reals), number = i / piece;
    const int64_t last = reals > piece ? reals - piece : 0;
    const int64_t from = number * piece < last ? number * piece : last;

    write_each(t, plane, before_pieces(t, reals) + number * t->lanes, i - from,
               piece, weight);
}

/* Writes the weight of real i of a row to a plane. */
static void write_weight(const table *t, int64_t reals, void *plane, int64_t i,
                         long double weight)
{
    const int64_t whole = reals / t->lanes * t->lanes;
    const int64_t unit = 2 - reals % 2;

    if (whole > 0)
        stfi_type_write(t->precision, plane,
                        i < whole ? i : i + t->lanes - reals % t->lanes,
                        weight);
    else if (i / unit < STFI_CPU_WHOLE_UNITS)
        write_each(t, plane, i / unit * t->lanes, i % unit, unit, weight);
    if (piece_of(t, reals) > 0)
        write_piece(t, reals, plane, i, weight);
}

/* Writes the ones of a side. */
static void write_ones(const table *t, int64_t reals)
{
    const int64_t piece = piece_of(t, reals);

    for (int64_t l = t->lanes - reals % t->lanes; l < t->lanes; l++)
        stfi_type_write(t->precision, t->at, l, 1);
    for (int64_t l = piece > 0 ? piece - reals % piece : 0; l < piece; l++)
        write_each(t, t->at, t->lanes, l, piece, 1);
}

/* Makes a side, whose form is known, and its tables, which are all 0 before. */
static void make_side(table *t, const stfi_ft_side *s, int64_t step,
                      stfi_cpu_whole_side *side)
{
    const int64_t reals = stfi_ft_reals(s), plane = plane_of(t, reals);
    const int64_t bytes = (int64_t)stfi_type_get(t->precision)->bytes;
    const int paired = side->form == STFI_CPU_WHOLE_PAIRED;
    const int planes = planes_of(side->form);
    char *at[2] = {t->at, t->at + (planes - 1) * plane * bytes};
    long double w[2][2];

    for (int64_t i = 0; i < reals; i += s->parts) {
        stfi_ft_weights_of(s, t->precision, i / s->parts, w);
        for (int part = 0; part < s->parts; part++)
            for (int c = 0; c < planes; c++)
                write_weight(t, reals, at[c], i + part,
                             w[paired ? part : c][part]);
    }
    t->at += planes * plane * bytes;
    write_ones(t, reals);
    side->reals = reals;
    side->step = side->spread.rank > 0 ? reals : step;
    side->vectors = reals / t->lanes;
    side->rest = reals % t->lanes;
    side->plane[0] = at[0];
    side->plane[1] = at[1];
    side->ones = t->at;
    t->at += 2 * t->lanes * bytes;
}

/* Chooses the functions over a row of a side. */
static void set_functions(const stfi_cpu_whole_kernels *k,
                          stfi_cpu_whole_side *side)
{
    const int64_t few = side->vectors <= STFI_CPU_WHOLE_FEW
                                && k->enter[side->form][side->vectors] != NULL
                            ? side->vectors
                            : 0;

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
    const stfi_cpu_whole_side *any =
        whole->way[whole->way[0].check == NULL].side;
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
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < 2; i++) {
            stfi_cpu_whole_side *side = &whole->way[d].side[i];
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

    for (int d = 0; d < 2; d++) {
        stfi_cpu_whole_side *side = &whole->way[d].side[1];
        stfi_cpu_whole_judge *const *by =
            whole->kernels->judge[piece][side->form];
        if (side->vectors > 0 && side->vectors <= STFI_CPU_WHOLE_FEW
            && by[side->vectors] != NULL)
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
static size_t packed_of(const stfi_cpu_whole *w, int64_t bytes)
{
    size_t most = 0;

    for (int d = 0; d < 2; d++)
        for (int i = 0; i < 2; i++) {
            const stfi_cpu_whole_side *side = &w->way[d].side[i];
            const size_t rows = (size_t)(w->piece * side->reals * bytes);
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
    else if (tile > 1 && tile < w->kernels->key.lanes)
        tile = w->kernels->key.lanes;
    w->tile = tile;
    rows = passes > 0
               ? tile
               : rows_of(w, row_bytes, w->joined == 1 ? NEAR_SHORT : NEAR);
    w->piece = rows < batch ? rows : batch;
    w->keep = (size_t)(w->piece * step[0] * bytes);
    w->terms =
        (size_t)((w->piece + w->kernels->key.lanes - 1) / w->kernels->key.lanes)
        * stfi_cpu_whole_terms(w, 0);
}

/* 1 if each row of a batch is judged in a lane of its own by kernels `k`: rows that
 * are short. */
static int suits_lanes(const stfi_cpu_whole_kernels *k,
                       const stfi_ft_offline *const check[2], int64_t batch)
{
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < 2 && check[d] != NULL; i++)
            if (!stfi_cpu_whole_is_short(
                    stfi_ft_reals(i ? &check[d]->out : &check[d]->in),
                    k->key.lanes))
                return 0;
    return batch >= k->key.lanes;
}

/* Chooses the kernels, whose vectors no row is less than; but for those of rows that
 * are judged each in a lane, and for rows that are less than all vectors. */
static void set_kernels(const char *isa, stf_precision precision,
                        const stfi_ft_offline *const check[2], int64_t batch,
                        int64_t least, stfi_cpu_whole *w)
{
    enum { NARROW = 4 };
    const stfi_cpu_whole_kernels *narrow;

    w->kernels = stfi_cpu_whole_find(isa, precision, INT64_MAX);
    if (w->kernels != NULL && suits_lanes(w->kernels, check, batch)) {
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

stf_status stfi_cpu_whole_make(const char *isa, stf_precision precision,
                               const stfi_ft_offline *const check[2],
                               const int64_t given[2], int64_t batch,
                               int64_t tile, int64_t passes,
                               stfi_cpu_whole *whole_p)
{
    const int64_t bytes = (int64_t)stfi_type_get(precision)->bytes;
    int64_t step[2] = {given[0], given[1]}, reals = 0, least = INT64_MAX;
    table t = {.precision = precision};
    void *mem;
    stf_status status;

    for (int d = 0; d < 2; d++)
        for (int i = 0; i < 2 && check[d] != NULL; i++) {
            int64_t n = stfi_ft_reals(i ? &check[d]->out : &check[d]->in);
            least = n < least ? n : least;
            if (!suits(check[d], given, batch, (size_t)bytes,
                       whole_p->way[d].side))
                return STF_OK;
            if (batch == 1) /* the step is never taken, and may be any number */
                step[i] = whole_p->way[d].side[i].spread.span;
        }
    set_kernels(isa, precision, check, batch, least, whole_p);
    if (whole_p->kernels == NULL)
        return STF_OK;
    t.lanes = whole_p->kernels->key.lanes;
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < 2 && check[d] != NULL; i++) {
            const stfi_ft_side *s = i ? &check[d]->out : &check[d]->in;
            stfi_cpu_whole_side *side = &whole_p->way[d].side[i];
            side->by_lanes = whole_p->joined == 1;
            side->form = form_of(s, precision, side->by_lanes);
            reals += table_reals(&t, s, side->form);
        }
    status = stfi_alloc((size_t)(reals * bytes), "the plan's tables", &mem);
    if (status != STF_OK)
        return status;
    whole_p->tables = t.at = mem;
    set_piece(whole_p, step, bytes, batch, tile, passes);
    for (int d = 0; d < 2; d++) {
        if ((whole_p->way[d].check = check[d]) == NULL)
            continue;
        make_side(&t, &check[d]->in, step[0], &whole_p->way[d].side[0]);
        make_side(&t, &check[d]->out, step[1], &whole_p->way[d].side[1]);
        for (int i = 0; i < 2; i++)
            set_functions(whole_p->kernels, &whole_p->way[d].side[i]);
        whole_p->way[d].limit = limit_of(check[d]);
    }
    whole_p->packed = packed_of(whole_p, bytes);
    return STF_OK;
}

void stfi_cpu_whole_free(stfi_cpu_whole *whole)
{
    stfi_dealloc(whole->tables);
}
