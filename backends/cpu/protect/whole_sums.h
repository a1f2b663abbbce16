/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The sums of checks as a whole (cpu_whole.h) in one precision and instruction
 * set. */
#ifndef STFI_PROTECT_WHOLE_SUMS_H
#define STFI_PROTECT_WHOLE_SUMS_H

#include "backends/cpu/protect/cpu_whole.h"
#include "backends/cpu/simd/stored.h"

#if STFI_LANES > 1

/* Rows that are summed up as one. */
enum { JOINED = STFI_LANES >= 4 ? 4 : STFI_LANES };

/* Between these sums of squares of the input, neither the sums nor the squares
 * of residuals that matter overflow or underflow. */
#if STFI_REAL_BYTES == 4
static const real least_power = (real)0x1p-80, most_power = (real)0x1p100;
#else
static const real least_power = (real)0x1p-700, most_power = (real)0x1p900;
#endif

/* The sums over a row, by lanes. */
typedef struct partial {
    V re, im, power;
} partial;

/* The bits of a vector of terms. */
typedef uint64_t words __attribute__((vector_size(STFI_LANES * STFI_REAL_BYTES),
                                      aligned(STFI_REAL_BYTES), may_alias));

/* Keeps a variable in one register: what is done with it and what it is at last hang on
 * the same one. */
#define STAY(variable) __asm__("" : "+r"(variable))

/* Adds the bits of `count` terms. */
INLINE void add_words(words *all, const stored *terms, int count)
{
    UNROLL
    for (int i = 0; i < count; i += W)
        *all += *(const words *)(const void *)(terms + i);
}

INLINE uint64_t total_of_words(words all)
{
    uint64_t total = 0;

    for (size_t i = 0; i < sizeof all / sizeof total; i++)
        total += all[i];
    return total;
}

/* How a row is summed up: for each form of weights, whether squares are wanted,
 * too. */
typedef struct manner {
    stfi_cpu_whole_form form;
    int power;
} manner;

/* Adds vector x of a row to its sums, with weights number i. */
INLINE void add_vector(const stfi_cpu_whole_side *s, V x, int64_t i, manner m,
                       partial *p)
{
    const V a = loadu((const real *)s->plane[0] + i);

    p->re = p->re + x * a;
    if (m.form == STFI_CPU_WHOLE_PLANES)
        p->im = p->im + x * loadu((const real *)s->plane[1] + i);
    if (m.form == STFI_CPU_WHOLE_COMPLEX)
        p->im = p->im + swapped(x) * a;
}

/* A vector of the sum of `rows` rows, every second one subtracted, whose squares
 * are added to those of each row. */
INLINE V take_vector(const stored *at, int64_t step, int rows, const real *ones,
                     manner m, V *squares)
{
    V all = {0};

    UNROLL
    for (int r = 0; r < rows; r++) {
        V x = load_stored(at + r * step, STFI_REAL_ID), y = x;
        if (ones != NULL)
            y = y * loadu(ones);
        if (m.power)
            squares[r] = squares[r] + y * y;
        all = r == 0 ? x : r % 2 == 0 ? (V)(all + x) : (V)(all - x);
    }
    return all;
}

enum { CHAINS = 4 };

/* A stretch is so many vectors. What is added up of long rows goes through levels:
 * stretches, sums of FAN stretches, sums of FAN of these, ..., as each level adds
 * the roundings of a chain of FAN. Of 64^3 points in two levels, chains of hundreds
 * of sums had more roundings than the transform. */
enum { STRETCH = 8 * CHAINS * STFI_FT_CHAIN, FAN = 8, LEVELS = 5 };

INLINE void add_partial(partial *all, const partial *some, manner m)
{
    all->re += some->re;
    if (m.form != STFI_CPU_WHOLE_PAIRED)
        all->im += some->im;
}

/* Adds all chains to the sums of a row. */
INLINE void add_chains(partial *all, const partial *c, manner m)
{
    all->re += (c[0].re + c[1].re) + (c[2].re + c[3].re);
    if (m.form != STFI_CPU_WHOLE_PAIRED)
        all->im += (c[0].im + c[1].im) + (c[2].im + c[3].im);
}

/* Adds the vectors from number v on, one after the other. */
INLINE void add_rest(const stfi_cpu_whole_side *s, const stored *at, int64_t v,
                     int64_t vectors, int rows, manner m, partial *all,
                     V *squares)
{
    UNROLL
    for (; v < vectors; v++)
        add_vector(s, take_vector(at + W * v, s->step, rows, NULL, m, squares),
                   W * v, m, all);
}

/* Sums up vectors [v, vectors) of `rows` rows as one, with the squares of each. */
INLINE partial sum_stretch(const stfi_cpu_whole_side *s, const stored *at,
                           int64_t v, int64_t vectors, int rows, manner m,
                           V *squares)
{
    const partial none = {{0}, {0}, {0}};
    partial all = none, c[CHAINS];
    V squared[CHAINS][JOINED] = {{{0}}};

    while (v + CHAINS <= vectors) {
        int64_t end = vectors - v < CHAINS * STFI_FT_CHAIN
                          ? vectors
                          : v + CHAINS * STFI_FT_CHAIN;
        UNROLL
        for (int u = 0; u < CHAINS; u++)
            c[u] = none;
        for (; v + CHAINS <= end; v += CHAINS) {
            UNROLL
            for (int u = 0; u < CHAINS; u++) {
                const int64_t i = W * (v + u);
                add_vector(s,
                           take_vector(at + i, s->step, rows, NULL, m,
                                       squared[rows == 1 ? u : 0]),
                           i, m, &c[u]);
            }
        }
        add_chains(&all, c, m);
    }
    add_rest(s, at, v, vectors, rows, m, &all, squared[0]);
    if (m.power) {
        UNROLL
        for (int r = 0; r < rows; r++)
            squares[r] = (squared[0][r] + squared[1][r])
                         + (squared[2][r] + squared[3][r]);
    }
    return all;
}

/* Sums up the vectors of long rows, in levels. */
INLINE partial sum_levels(const stfi_cpu_whole_side *s, const stored *at,
                          int64_t vectors, int rows, manner m, V *squares)
{
    partial level[LEVELS] = {{{0}, {0}, {0}}};
    V total[JOINED] = {{0}}, some[JOINED];
    int64_t count = 0;

    for (int64_t v = 0; v < vectors; v += STRETCH) {
        const int64_t end = vectors - v < STRETCH ? vectors : v + STRETCH;
        const partial p = sum_stretch(s, at, v, end, rows, m, some);
        int64_t full = ++count;
        add_partial(&level[0], &p, m);
        for (int r = 0; m.power && r < rows; r++)
            total[r] = total[r] + some[r];
        for (int i = 0; i < LEVELS - 1 && full % FAN == 0; i++, full /= FAN) {
            add_partial(&level[i + 1], &level[i], m);
            memset(&level[i], 0, sizeof level[i]);
        }
    }
    for (int i = 0; i < LEVELS - 1; i++)
        add_partial(&level[i + 1], &level[i], m);
    for (int r = 0; m.power && r < rows; r++)
        squares[r] = total[r];
    return level[LEVELS - 1];
}

/* Sums up `rows` rows as one, with what is behind whole vectors. */
INLINE partial sum_rows(const stfi_cpu_whole_side *s, const stored *at,
                        int64_t vectors, int rows, manner m, V *squares)
{
    partial all = vectors > STRETCH
                      ? sum_levels(s, at, vectors, rows, m, squares)
                      : sum_stretch(s, at, 0, vectors, rows, m, squares);

    if (s->rest > 0) {
        const int64_t i = s->reals - W;
        add_vector(s, take_vector(at + i, s->step, rows, s->ones, m, squares),
                   W * vectors, m, &all);
    }
    return all;
}

/* The same, with the loops of few vectors unrolled. */
INLINE partial sum_any(const stfi_cpu_whole_side *s, const stored *at, int rows,
                       manner m, V *squares)
{
#define SUM_IF(few)          \
    if (s->vectors == (few)) \
    return sum_rows(s, at, few, rows, m, squares)
    if (rows == JOINED) {
        SUM_IF(1);
        SUM_IF(2);
        SUM_IF(3);
    }
#undef SUM_IF
    return sum_rows(s, at, s->vectors, rows, m, squares);
}

#define XOR4_8 4, 5, 6, 7, 0, 1, 2, 3
#define XOR4_16 XOR4_8, 12, 13, 14, 15, 8, 9, 10, 11
#define XOR8_16 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7

/* In each lane, the sum over the lanes that are even or odd as it is. */
INLINE V total_of_pairs(V v)
{
#if STFI_LANES >= 16
    v = v + SHUFFLE(v, v, XOR8_16);
#endif
#if STFI_LANES >= 8
    v = v + SHUFFLE(v, v, STFI_CAT(XOR4_, STFI_LANES));
#endif
#if STFI_LANES >= 4
    v = v + across(v);
#endif
    return v;
}

/* The sums of a row as pairs: what adds up to its real part at even lanes, the
 * other at odd ones. With complex weights, the products that are at odd lanes have
 * the sign of the real part's. */
INLINE V pairs_of(const partial *p, stfi_cpu_whole_form form)
{
    if (form == STFI_CPU_WHOLE_PAIRED)
        return p->re;
    if (form == STFI_CPU_WHOLE_COMPLEX)
        return blended(p->re + swapped(p->re), swapped(p->im) - p->im);
    return blended(p->re + swapped(p->re), p->im + swapped(p->im));
}

/* Executes statements in which FORM is the form of a side, as a constant: of rows that
 * are judged each in a lane, whose weights are not complex, and of any. */
#define BY_PLANES(form, ...)                       \
    do {                                           \
        if ((form) == STFI_CPU_WHOLE_PAIRED) {     \
            enum { FORM = STFI_CPU_WHOLE_PAIRED }; \
            __VA_ARGS__;                           \
        } else {                                   \
            enum { FORM = STFI_CPU_WHOLE_PLANES }; \
            __VA_ARGS__;                           \
        }                                          \
    } while (0)
#define BY_FORM(form, ...)                          \
    do {                                            \
        if ((form) == STFI_CPU_WHOLE_COMPLEX) {     \
            enum { FORM = STFI_CPU_WHOLE_COMPLEX }; \
            __VA_ARGS__;                            \
        } else {                                    \
            BY_PLANES(form, __VA_ARGS__);           \
        }                                           \
    } while (0)

#define SUMMED(form) ((manner){(stfi_cpu_whole_form)(form), 0})
#define SQUARED(form) ((manner){(stfi_cpu_whole_form)(form), 1})

#include "backends/cpu/protect/row_joints.h"
#include "backends/cpu/protect/row_lanes.h"

/* -------------------------------------------------------------- many rows */

static stfi_cpu_whole_entered enter_rows(const stfi_cpu_whole_side *in,
                                         const void *src, int64_t rows,
                                         void *terms)
{
    stfi_cpu_whole_entered done = {0, NULL, 0};

    if (in->by_lanes)
        BY_WIDTH(in,
                 BY_PLANES(in->form, done = enter_lanes(in, src, rows, terms,
                                                        WIDTH, SQUARED(FORM))));
    else
        BY_FORM(in->form,
                done = enter_groups(in, src, rows, terms, SQUARED(FORM)));
    return done;
}

static int64_t judge_rows(const stfi_cpu_whole_side *out, const void *dst,
                          int64_t first, int64_t rows, const void *terms,
                          const stfi_cpu_whole_limit *limit, double *worst)
{
    if (out->by_lanes)
        BY_WIDTH(out, BY_PLANES(out->form,
                                first = judge_lanes(out, dst, first, rows,
                                                    terms, WIDTH, SUMMED(FORM),
                                                    limit, worst)));
    else
        BY_FORM(out->form, first = judge_joints(out, dst, first, rows, terms,
                                                SUMMED(FORM), limit, worst));
    return first;
}
#endif

#define KERNELS STFI_ISA_NAME(stfi_cpu_whole_)

extern const stfi_cpu_whole_kernels KERNELS;

/* The functions over one row of a form; complex numbers are also read by pieces. */
#define ENTERS(form)              \
    {                             \
        EACH_FEW(ENTER_ROW, form) \
    }
#define JUDGES(form)                 \
    {                                \
        EACH_FEW(JUDGE_ROW, 0, form) \
    }
#define JUDGES_BY(piece, form)             \
    {                                      \
        EACH_EIGHT(JUDGE_ROW, piece, form) \
    }
#define JUDGES_BY_PIECES(piece)                               \
    {                                                         \
        [STFI_CPU_WHOLE_PAIRED] = JUDGES_BY(piece, PAIRED),   \
        [STFI_CPU_WHOLE_COMPLEX] = JUDGES_BY(piece, COMPLEX), \
    }

/* A function of each form, whose names have the form between these. */
#define OF_FORMS(before, behind)                            \
    {                                                       \
        [STFI_CPU_WHOLE_PAIRED] = before##PAIRED##behind,   \
        [STFI_CPU_WHOLE_COMPLEX] = before##COMPLEX##behind, \
        [STFI_CPU_WHOLE_PLANES] = before##PLANES##behind,   \
    }

const stfi_cpu_whole_kernels KERNELS = {
    .key = {STFI_ISA_TEXT, STFI_REAL_ID, W},
#if STFI_LANES > 1
    .joined = JOINED,
    .least_power = least_power,
    .most_power = most_power,
    .enter =
        {
            [STFI_CPU_WHOLE_PAIRED] = ENTERS(PAIRED),
            [STFI_CPU_WHOLE_COMPLEX] = ENTERS(COMPLEX),
            [STFI_CPU_WHOLE_PLANES] = ENTERS(PLANES),
        },
    .judge =
        {
            [STFI_CPU_WHOLE_ANY] =
                {
                    [STFI_CPU_WHOLE_PAIRED] = JUDGES(PAIRED),
                    [STFI_CPU_WHOLE_COMPLEX] = JUDGES(COMPLEX),
                    [STFI_CPU_WHOLE_PLANES] = JUDGES(PLANES),
                },
#if STFI_REAL_BYTES == 4
            [STFI_CPU_WHOLE_8] = JUDGES_BY_PIECES(8),
#endif
#if STFI_LANES * STFI_REAL_BYTES > 16
            [STFI_CPU_WHOLE_16] = JUDGES_BY_PIECES(16),
#endif
#if STFI_LANES * STFI_REAL_BYTES > 32
            [STFI_CPU_WHOLE_32] = JUDGES_BY_PIECES(32),
#endif
        },
#if STFI_LANES * STFI_REAL_BYTES == 16 && STFI_REAL_BYTES == 4
    .enter_part = OF_FORMS(enter_, _PART),
    .judge_part = OF_FORMS(judge_, _PART_0),
#endif
    .enter_lines = OF_FORMS(enter_, _LINES),
    .judge_lines = OF_FORMS(judge_, _LINES_0),
    .enter_rows = enter_rows,
    .judge_rows = judge_rows,
#else
    .joined = 1,
#endif
};

#endif
