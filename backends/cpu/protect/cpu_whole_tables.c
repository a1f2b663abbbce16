/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Writing the tables of checks as a whole; see cpu_whole_tables.h. */
#include "backends/cpu/protect/cpu_whole_tables.h"

#include "base/type.h"

/* The reals of a quarter of a vector. */
static int64_t quarter_of(const stfi_cpu_whole_table *t)
{
    return 16 / (int64_t)stfi_type_get(t->precision)->bytes;
}

/* The reals of a piece of a short row; 0 of one that has no pieces. */
static int64_t piece_of(const stfi_cpu_whole_table *t, int64_t reals)
{
    return reals < t->lanes        ? quarter_of(t)
           : reals <= 2 * t->lanes ? t->lanes / 2
                                   : 0;
}

/* The reals of a plane of weights before those of pieces, and of the plane. */
static int64_t before_pieces(const stfi_cpu_whole_table *t, int64_t reals)
{
    return t->lanes
           * (reals < t->lanes ? STFI_CPU_WHOLE_UNITS : reals / t->lanes + 1);
}

static int64_t plane_of(const stfi_cpu_whole_table *t, int64_t reals)
{
    const int64_t piece = piece_of(t, reals);

    return before_pieces(t, reals)
           + (piece > 0 ? (reals + piece - 1) / piece * t->lanes : 0);
}

/* A side's line: the side, or the part of it that has planes of weights. */
static stfi_ft_side line_of(const stfi_ft_side *s)
{
    return stfi_ft_axes(s, stfi_ft_line_axis(s), s->rank);
}

static int64_t lines_of(const stfi_ft_side *s)
{
    const stfi_ft_side line = line_of(s);

    return stfi_ft_reals(s) / stfi_ft_reals(&line);
}

stfi_cpu_whole_form stfi_cpu_whole_form_of(const stfi_ft_side *s,
                                           stf_precision precision,
                                           int by_lanes)
{
    const stfi_ft_side line = line_of(s);
    long double w[2][2];

    if (s->parts == 1 || s->halved > 0)
        return STFI_CPU_WHOLE_PLANES;
    for (int64_t i = 0; i < stfi_ft_reals(&line) / s->parts; i++) {
        stfi_ft_weights_of(&line, precision, i, w);
        if (w[1][0] != 0)
            return by_lanes ? STFI_CPU_WHOLE_PLANES : STFI_CPU_WHOLE_COMPLEX;
    }
    return STFI_CPU_WHOLE_PAIRED;
}

static int planes_of(stfi_cpu_whole_form form)
{
    return form == STFI_CPU_WHOLE_PLANES ? 2 : 1;
}

int64_t stfi_cpu_whole_table_reals(const stfi_cpu_whole_table *t,
                                   const stfi_ft_side *s,
                                   stfi_cpu_whole_form form)
{
    const stfi_ft_side line = line_of(s);

    return planes_of(form) * plane_of(t, stfi_ft_reals(&line)) + 2 * t->lanes
           + 2 * lines_of(s);
}

/* Writes a number to the places from number `at` on of a vector, of each `apart` of
 * it. The vector begins with real `first` of a table. */
static void write_each(const stfi_cpu_whole_table *t, void *to, int64_t first,
                       int64_t at, int64_t apart, long double x)
{
    for (; at < t->lanes; at += apart)
        stfi_type_write(t->precision, to, first + at, x);
}

/* Writes the weight of real i of a row to the vectors of pieces. */
static void write_piece(const stfi_cpu_whole_table *t, int64_t reals,
                        void *plane, int64_t i, long double weight)
{
    const int64_t piece = piece_of(t, reals), number = i / piece;
    const int64_t last = reals > piece ? reals - piece : 0;
    const int64_t from = number * piece < last ? number * piece : last;

    write_each(t, plane, before_pieces(t, reals) + number * t->lanes, i - from,
               piece, weight);
}

/* Writes the weight of real i of a row to a plane. */
static void write_weight(const stfi_cpu_whole_table *t, int64_t reals,
                         void *plane, int64_t i, long double weight)
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
static void write_ones(const stfi_cpu_whole_table *t, int64_t reals)
{
    const int64_t piece = piece_of(t, reals);

    for (int64_t l = t->lanes - reals % t->lanes; l < t->lanes; l++)
        stfi_type_write(t->precision, t->at, l, 1);
    for (int64_t l = piece > 0 ? piece - reals % piece : 0; l < piece; l++)
        write_each(t, t->at, t->lanes, l, piece, 1);
}

/* Writes the planes of weights of a row, or line. */
static void write_planes(stfi_cpu_whole_table *t, const stfi_ft_side *s,
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
    side->vectors = reals / t->lanes;
    side->rest = reals % t->lanes;
    side->plane[0] = at[0];
    side->plane[1] = at[1];
    side->ones = t->at;
    t->at += 2 * t->lanes * bytes;
}

/* Writes the weights of the lines of an array. */
static void write_outer(stfi_cpu_whole_table *t, const stfi_ft_side *s,
                        stfi_cpu_whole_side *side)
{
    const int64_t bytes = (int64_t)stfi_type_get(t->precision)->bytes;
    const stfi_ft_side outer = stfi_ft_axes(s, 0, stfi_ft_line_axis(s));
    long double w[2][2];

    for (int64_t l = 0; l < side->lines; l++) {
        stfi_ft_weights_of(&outer, t->precision, l, w);
        stfi_type_write(t->precision, t->at, 2 * l, w[0][0]);
        stfi_type_write(t->precision, t->at, 2 * l + 1, w[1][0]);
    }
    side->outer = t->at;
    t->at += 2 * side->lines * bytes;
}

void stfi_cpu_whole_make_side(stfi_cpu_whole_table *t, const stfi_ft_side *s,
                              int64_t step, stfi_cpu_whole_side *side)
{
    const stfi_ft_side line = line_of(s);

    side->reals = stfi_ft_reals(s);
    side->step = side->spread.rank > 0 ? side->reals : step;
    side->lines = lines_of(s);
    write_planes(t, &line, side);
    if (side->lines > 1)
        write_outer(t, s, side);
}
