/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weighted sums over many rows that have the same weights (ft/sums.h:
 * stfi_ft_many_sum). AT_ONCE rows share the loads of weights, and their sums do
 * not wait for each other. Included by row_sums.h, whose vectors, groups and
 * totals these are. */
#ifndef STFI_SUMS_MANY_ROWS_H
#define STFI_SUMS_MANY_ROWS_H

/* Elements of a range, whose sums are added up apart where rows are longer, so
 * that the rounding errors of sums in the precision of the data stay small. */
enum { AT_ONCE = 4, RANGE = GROUP * GROUP * PAIRS };

#if STFI_REAL_BYTES == 4
/* Half of a vector's lanes, each added to one of the other half, in double. */
INLINE D halved(V v)
{
    return CONVERT(SHUFFLE(v, v, STFI_CAT(LOWER_, STFI_LANES))
                       + SHUFFLE(v, v, STFI_CAT(UPPER_, STFI_LANES)),
                   D);
}
#else
typedef V D;

INLINE D halved(V v)
{
    return v;
}
#endif

/* The sums over a row: of (re, im) terms, and of squares. */
typedef struct terms {
    D sum, power;
} terms;

/* The last vector of rows that are not a whole number of vectors: it overlaps
 * the one before, and what they share has weights of 0. */
typedef struct tail {
    V weights, kept;
} tail;

static tail tail_of(const row *r, int64_t count)
{
    real w[W], kept[W];
    int64_t rest = count % PAIRS;
    tail t;

    for (int64_t k = 0; k < PAIRS; k++)
        for (int c = 0; c < 2; c++) {
            int64_t e = count - PAIRS + k;
            int is_kept = k >= PAIRS - rest;
            w[2 * k + c] = is_kept ? r->w[(r->backwards ? -2 : 2) * e + c] : 0;
            kept[2 * k + c] = is_kept;
        }
    t.weights = loadu(w);
    t.kept = loadu(kept);
    return t;
}

/* Sums over a few vectors of each row in the precision of the data. */
typedef struct few {
    V straight[AT_ONCE], crossed[AT_ONCE], power[AT_ONCE];
} few;

/* Adds the vectors from element i on, whose weights are w. kept: of the squares,
 * or NULL for all. */
INLINE void add_vectors(const row *r, const real *const *x, int64_t i, V w,
                        const V *kept, few *f)
{
    V crossed = swapped(w);

    UNROLL
    for (int q = 0; q < AT_ONCE; q++) {
        row one = {x[q], NULL, r->parts, 0, 0};
        V v = elements_at(&one, i);
        f->straight[q] = f->straight[q] + v * w;
        if (r->parts == 2)
            f->crossed[q] = f->crossed[q] + v * crossed;
        if (r->power) {
            if (kept != NULL)
                v = v * *kept;
            f->power[q] = f->power[q] + v * v;
        }
    }
}

/* Adds the sums over a few vectors to those over the rows. */
INLINE void add_few(const row *r, const few *f, terms *t)
{
    UNROLL
    for (int q = 0; q < AT_ONCE; q++) {
        V re = f->straight[q], im = f->crossed[q];
        if (r->parts == 2)
            re = blended(re - swapped(re), im + swapped(im));
        t[q].sum += halved(re);
        if (r->power)
            t[q].power += halved(f->power[q]);
    }
}

INLINE void total_of(const row *r, const terms *t, stfi_ft_total *total_p)
{
    double both[sizeof t->sum / sizeof(double)];
    double power[sizeof t->power / sizeof(double)];
    stfi_ft_total of = {.re = 0};

    memcpy(both, &t->sum, sizeof both);
    memcpy(power, &t->power, sizeof power);
    UNROLL
    for (size_t i = 0; i < sizeof both / sizeof *both; i += 2) {
        of.re += both[i];
        of.im += both[i + 1];
        of.power += r->parts == 2 ? power[i] + power[i + 1] : power[i];
    }
    *total_p = of;
}

/* The sums over elements [begin, end) of AT_ONCE rows of `count` elements, which
 * is at least a vector. `begin` is a whole number of groups. */
INLINE void add_range(const row *r, const real *const *x, int64_t begin,
                      int64_t end, int64_t count, const tail *rest,
                      stfi_ft_total *out)
{
    const V zero = {0};
    int64_t whole = count / PAIRS * PAIRS;
    terms t[AT_ONCE];

    memset(t, 0, sizeof t);
    for (int64_t i = begin; i < end;) {
        int64_t stop = i + GROUP * PAIRS < whole ? i + GROUP * PAIRS : whole;
        few f;
        UNROLL
        for (int q = 0; q < AT_ONCE; q++)
            f.straight[q] = f.crossed[q] = f.power[q] = zero;
        for (; i < stop; i += PAIRS)
            add_vectors(r, x, i, weights_at(r, i), NULL, &f);
        if (i == whole && i < end) {
            add_vectors(r, x, count - PAIRS, rest->weights, &rest->kept, &f);
            i = count;
        }
        add_few(r, &f, t);
    }
    UNROLL
    for (int q = 0; q < AT_ONCE; q++)
        total_of(r, &t[q], &out[q]);
}

/* The sums over AT_ONCE rows of more than a range: over ranges, one by one. */
INLINE void add_ranges(const row *r, const real *const *x, int64_t count,
                       const tail *rest, stfi_ft_total *out)
{
    memset(out, 0, AT_ONCE * sizeof *out);
    for (int64_t i = 0; i < count; i += RANGE) {
        stfi_ft_total t[AT_ONCE];
        add_range(r, x, i, count - i < RANGE ? count : i + RANGE, count, rest,
                  t);
        for (int q = 0; q < AT_ONCE; q++) {
            out[q].re += t[q].re;
            out[q].im += t[q].im;
            out[q].power += t[q].power;
        }
    }
}

/* The sums over a row that is shorter than a vector. */
INLINE void add_short_row(const row *r, int64_t count, stfi_ft_total *total_p)
{
    stfi_ft_total of = {.re = 0};

    for (int64_t e = 0; e < count; e++) {
        const real *w = r->w + (r->backwards ? -2 : 2) * e;
        const real *x = r->x + r->parts * e;
        double wr = (double)w[0], wi = (double)w[1];
        double xr = (double)x[0], xi = r->parts == 2 ? (double)x[1] : 0;
        of.re += wr * xr - wi * xi;
        of.im += wi * xr + wr * xi;
        if (r->power)
            of.power += xr * xr + xi * xi;
    }
    *total_p = of;
}

/* `r` has constants for parts, backwards and power; its x is that of the first
 * of the rows, which are `apart` components apart. Equal rows have equal sums,
 * whichever rows they are beside. */
INLINE void add_many(const row *r, int64_t count, int64_t apart, int64_t rows,
                     stfi_ft_total *out)
{
    tail rest = {{0}, {0}};

    if (count >= PAIRS)
        rest = tail_of(r, count);
    for (int64_t first = 0; first < rows; first += AT_ONCE) {
        stfi_ft_total t[AT_ONCE];
        const real *x[AT_ONCE];
        int64_t many = rows - first < AT_ONCE ? rows - first : AT_ONCE;
        for (int q = 0; q < AT_ONCE; q++)
            x[q] = r->x + apart * (first + (q < many ? q : 0));
        if (count > RANGE) {
            add_ranges(r, x, count, &rest, t);
        } else if (count >= PAIRS) {
            add_range(r, x, 0, count, count, &rest, t);
        } else {
            for (int q = 0; q < many; q++) {
                row one = *r;
                one.x = x[q];
                add_short_row(&one, count, &t[q]);
            }
        }
        memcpy(out + first, t, (size_t)many * sizeof *t);
    }
}

#define DEFINE(form)                                                         \
    static void add_many_##form(const void *x, const void *w, int64_t count, \
                                int64_t apart, int64_t rows,                 \
                                stfi_ft_total *out)                          \
    {                                                                        \
        const row r = {x, w, (form)&STFI_FT_ROW_COMPLEX ? 2 : 1,             \
                       ((form)&STFI_FT_ROW_BACKWARDS) != 0,                  \
                       ((form)&STFI_FT_ROW_POWER) != 0};                     \
        add_many(&r, count, apart, rows, out);                               \
    }

DEFINE(0)
DEFINE(1)
DEFINE(2)
DEFINE(3)
DEFINE(4)
DEFINE(5)
DEFINE(6)
DEFINE(7)
#undef DEFINE

#endif
