/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of one row as a whole, of the sums in whole_sums.h: with a function for each
 * form of weights, few vectors, and the pieces by which a kernel has stored. A short
 * call is little more than its latency, and so are branches, saved registers and
 * loads that wait for stores. */
#ifndef STFI_PROTECT_WHOLE_ROW_H
#define STFI_PROTECT_WHOLE_ROW_H

#include "backends/cpu/protect/whole_sums.h"
#include "backends/cpu/simd/quarters.h"

/* Pieces of a vector, which are read as they are: a compiler would join them. */
typedef double piece_8 __attribute__((aligned(STFI_STORED_BYTES), may_alias));
typedef double two __attribute__((vector_size(16), may_alias));
typedef double piece_16
    __attribute__((vector_size(16), aligned(STFI_STORED_BYTES), may_alias));
typedef double four __attribute__((vector_size(32), may_alias));
typedef double piece_32
    __attribute__((vector_size(32), aligned(STFI_STORED_BYTES), may_alias));

INLINE two read_16(const volatile char *at, int piece)
{
    if (piece == 8)
        return (two){*(const volatile piece_8 *)at,
                     *(const volatile piece_8 *)(at + 8)};
    return (two) * (const volatile piece_16 *)at;
}

#if STFI_LANES * STFI_REAL_BYTES >= 32
INLINE four read_32(const volatile char *at, int piece)
{
    if (piece == 32)
        return (four) * (const volatile piece_32 *)at;
    return SHUFFLE(read_16(at, piece), read_16(at + 16, piece), 0, 1, 2, 3);
}
#endif

/* Reads a vector by pieces of so many bytes; 0: as a whole. A processor has what was
 * just stored at once if no load takes more than a store has written. */
INLINE V read_pieces(const stored *at, int piece)
{
    const volatile char *from = (const volatile char *)at;

    if (piece == 0)
        return load_stored(at, STFI_REAL_ID);
#if STFI_LANES * STFI_REAL_BYTES == 64
    return (V)SHUFFLE(read_32(from, piece), read_32(from + 32, piece), 0, 1, 2,
                      3, 4, 5, 6, 7);
#elif STFI_LANES * STFI_REAL_BYTES == 32
    return (V)read_32(from, piece);
#else
    return (V)read_16(from, piece);
#endif
}

/* Sums up a row of few whole vectors, a constant, of which each chain has some. */
INLINE partial sum_few(const stfi_cpu_whole_side *s, const stored *at, int few,
                       int piece, manner m, V *square)
{
    partial c[CHAINS] = {{{0}, {0}, {0}}};
    V squares[CHAINS] = {{0}};
    const int64_t last = s->reals - W;

    UNROLL
    for (int v = 0; v < few; v++) {
        const V x = read_pieces(at + W * v, piece);
        add_vector(s, x, W * v, m, &c[v % CHAINS]);
        if (m.power)
            squares[v % CHAINS] = squares[v % CHAINS] + x * x;
    }
    if (s->rest > 0) {
        const V x = read_pieces(at + last, piece);
        add_vector(s, x, W * few, m, &c[few % CHAINS]);
        if (m.power) {
            const V fresh = x * loadu(s->ones);
            squares[few % CHAINS] = squares[few % CHAINS] + fresh * fresh;
        }
    }
    if (m.power)
        *square = (squares[0] + squares[1]) + (squares[2] + squares[3]);
    add_partial(&c[0], &c[1], m);
    if (few > 1) {
        add_partial(&c[2], &c[3], m);
        add_partial(&c[0], &c[2], m);
    }
    return c[0];
}

/* Sums up a row of less than a vector, which is a quarter. */
INLINE partial sum_part(const stfi_cpu_whole_side *s, const stored *at,
                        manner m, V *square)
{
    const V x =
        s->reals == 2 ? load_quarters(at, 0, 0, 2) : load_quarters(at, 0, 0, 3);
    partial p = {{0}, {0}, {0}};

    add_vector(s, x, W * STFI_CPU_WHOLE_UNITS, m, &p);
    if (m.power)
        *square = x * x;
    return p;
}

/* Adds to a sum of pairs those of a line, times its weight. */
INLINE void add_line(V *all, V line, const real *weight)
{
    const V re = (V){0} + weight[0], im = (V){0} + weight[1];

    *all = *all + line * re + swapped(line) * blended(-im, im);
}

/* Sums up an array of lines, as pairs, in levels as those of long rows. */
INLINE V sum_lines(const stfi_cpu_whole_side *s, const stored *at, manner m,
                   V *square)
{
    stfi_cpu_whole_side line = *s;
    V level[LEVELS] = {{0}}, squares = {0}, one[1] = {{0}};

    line.reals = s->reals / s->lines;
    for (int64_t l = 0; l < s->lines; l++) {
        const partial p =
            sum_rows(&line, at + l * line.reals, s->vectors, 1, m, one);
        int64_t full = l + 1;
        add_line(&level[0], pairs_of(&p, m.form),
                 (const real *)s->outer + 2 * l);
        squares = squares + one[0];
        for (int i = 0; i < LEVELS - 1 && full % FAN == 0; i++, full /= FAN) {
            level[i + 1] = level[i + 1] + level[i];
            level[i] = (V){0};
        }
    }
    for (int i = 0; i < LEVELS - 1; i++)
        level[i + 1] = level[i + 1] + level[i];
    if (m.power)
        *square = squares;
    return level[LEVELS - 1];
}

/* Functions over one row of less than a vector, and of an array of lines, among those
 * by vectors. */
enum { PART = STFI_CPU_WHOLE_FEW + 1, LINES };

/* Sums up a row of `few` vectors, as pairs; 0: of any number. */
INLINE V sum_one(const stfi_cpu_whole_side *s, const stored *at, int few,
                 int piece, manner m, V *square)
{
    partial p;

    if (few == LINES)
        return sum_lines(s, at, m, square);
    p = few == PART ? sum_part(s, at, m, square)
        : few > 0   ? sum_few(s, at, few, piece, m, square)
                    : sum_rows(s, at, s->vectors, 1, m, square);
    return pairs_of(&p, m.form);
}

INLINE const void *enter_as(const stfi_cpu_whole_side *in, const stored *src,
                            stored *terms, int few, manner m)
{
    V square[1], pairs;

    STAY(terms);
    pairs = sum_one(in, src, few, 0, m, square);
    store_stored(terms, STFI_REAL_ID, pairs);
    store_stored(terms + W, STFI_REAL_ID, square[0] + swapped(square[0]));
    STAY(terms);
    return terms;
}

/* The sum of two neighbours. */
INLINE real pair_of(V v)
{
    return (v + swapped(v))[0];
}

INLINE int judge_as(const stfi_cpu_whole_side *out, const stored *dst,
                    const stored *terms, const stfi_cpu_whole_limit *limit,
                    double *worst, int few, int piece, manner m)
{
    const V pairs = sum_one(out, dst, few, piece, m, NULL);
    const V power = load_stored(terms + W, STFI_REAL_ID);
    const real all = total_of_pairs(power)[0];
    V d;
    real squared;

    d = pairs * (real)limit->factor - load_stored(terms, STFI_REAL_ID);
    d = total_of_pairs(d);
    squared = pair_of(d * d);
    if (!(all > least_power && all < most_power
          && squared <= (real)limit->most * all))
        return all == 0 && d[0] == 0 && d[1] == 0; /* zeros, which are common */
    if (!(squared <= (real)*worst * all))
        *worst = (double)squared / (double)all;
    return 1;
}

/* The functions over one row by form, vectors and pieces. */
#define ENTER(form, few)                                                      \
    static const void *enter_##form##_##few(const stfi_cpu_whole_side *in,    \
                                            const void *src, void *terms)     \
    {                                                                         \
        return enter_as(in, src, terms, few, SQUARED(STFI_CPU_WHOLE_##form)); \
    }
#define JUDGE(form, few, piece)                                             \
    static int judge_##form##_##few##_##piece(                              \
        const stfi_cpu_whole_side *out, const void *dst, const void *terms, \
        const stfi_cpu_whole_limit *limit, double *worst)                   \
    {                                                                       \
        return judge_as(out, dst, terms, limit, worst, few, piece,          \
                        SUMMED(STFI_CPU_WHOLE_##form));                     \
    }

/* X(..., vectors) for the numbers of vectors with functions of their own; more than
 * eight are stored long before they are summed up. */
#define EACH_EIGHT(X, ...) \
    X(__VA_ARGS__, 1)      \
    X(__VA_ARGS__, 2)      \
    X(__VA_ARGS__, 3)      \
    X(__VA_ARGS__, 4)      \
    X(__VA_ARGS__, 5) X(__VA_ARGS__, 6) X(__VA_ARGS__, 7) X(__VA_ARGS__, 8)
#define EACH_FEW(X, ...) \
    X(__VA_ARGS__, 0) EACH_EIGHT(X, __VA_ARGS__) X(__VA_ARGS__, 16)

#define JUDGE_OF(piece, form, few) JUDGE(form, few, piece)
#define ENTER_ROW(form, few) [few] = enter_##form##_##few,
#define JUDGE_ROW(piece, form, few) [few] = judge_##form##_##few##_##piece,

#define DEFINE_FORM(form) \
    EACH_FEW(ENTER, form) \
    EACH_FEW(JUDGE_OF, 0, form) ENTER(form, LINES) JUDGE(form, LINES, 0)
DEFINE_FORM(PAIRED)
DEFINE_FORM(COMPLEX)
DEFINE_FORM(PLANES)

/* Rows of two and three reals of four bytes are less than all vectors. */
#if STFI_LANES * STFI_REAL_BYTES == 16 && STFI_REAL_BYTES == 4
#define DEFINE_PART(form) ENTER(form, PART) JUDGE(form, PART, 0)
DEFINE_PART(PAIRED)
DEFINE_PART(COMPLEX)
DEFINE_PART(PLANES)
#endif

/* Arrays of complex numbers are stored by pieces. */
#define DEFINE_PIECES(piece)            \
    EACH_EIGHT(JUDGE_OF, piece, PAIRED) \
    EACH_EIGHT(JUDGE_OF, piece, COMPLEX)
#if STFI_REAL_BYTES == 4
DEFINE_PIECES(8)
#endif
#if STFI_LANES * STFI_REAL_BYTES > 16
DEFINE_PIECES(16)
#endif
#if STFI_LANES * STFI_REAL_BYTES > 32
DEFINE_PIECES(32)
#endif

#endif
