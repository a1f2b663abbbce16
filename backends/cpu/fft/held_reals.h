/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of so few reals that a tile of them stays in registers: the steps of
 * real_rows.h without a trip through the tile. This file is included once per
 * radix, with RADIX defined, and PAIRS as 1 if an element of the transform is a
 * pair of reals. */

#define OF_RADIX(name) \
    STFI_CAT(STFI_CAT(name, _), STFI_CAT(STFI_CAT(RADIX, _), PAIRS))
#define SPAN (RADIX * (1 + PAIRS))

/* Reads SPAN reals of W rows, of which v[r] gets those at place r. */
INLINE void OF_RADIX(take_rows)(const stored *src, int format, int64_t step,
                                V *v)
{
    UNROLL
    for (int r = 0; r < SPAN; r += W) {
        const int at = r + W <= SPAN || SPAN < W ? r : SPAN - W;
        V square[W];
        UNROLL
        for (int l = 0; l < W; l++)
            square[l] =
                load_stored(stored_at(src, format, l * step + at), format);
        transpose(square);
        UNROLL
        for (int i = 0; i < W; i++)
            if (at + i < SPAN)
                v[at + i] = square[i];
    }
}

INLINE void OF_RADIX(give_rows)(const V *v, factor scale, stored *dst,
                                int format, int64_t step)
{
    UNROLL
    for (int r = 0; r < SPAN; r += W) {
        const int at = r + W <= SPAN || SPAN < W ? r : SPAN - W;
        V square[W];
        UNROLL
        for (int i = 0; i < W; i++)
            square[i] = v_times(v[at + i < SPAN ? at + i : 0], scale);
        transpose(square);
        UNROLL
        for (int l = 0; l < W; l++)
            store_stored(stored_at(dst, format, l * step + at), format,
                         square[l]);
    }
}

/* The place of real m: FOLD or PLAIN. */
INLINE int OF_RADIX(place)(int m, int folded)
{
    return !folded ? m : 2 * m < SPAN ? 2 * m : 2 * SPAN - 1 - 2 * m;
}

INLINE void OF_RADIX(from_reals)(const V *v, int folded, C *x)
{
    UNROLL
    for (int e = 0; e < RADIX; e++)
        x[e] = PAIRS ? (C){v[OF_RADIX(place)(2 * e, folded)],
                           v[OF_RADIX(place)(2 * e + 1, folded)]}
                     : (C){v[OF_RADIX(place)(e, folded)], (V){0}};
}

INLINE void OF_RADIX(to_reals)(const C *x, int folded, V *v)
{
    UNROLL
    for (int e = 0; e < RADIX; e++) {
        v[OF_RADIX(place)(PAIRS ? 2 * e : e, folded)] = x[e].r;
        if (PAIRS)
            v[OF_RADIX(place)(2 * e + 1, folded)] = x[e].i;
    }
}

/* Separates the spectrum, as separate() and separate_quarter() do, and lays it
 * out in reals. */
INLINE void OF_RADIX(to_spectrum)(C *x, int quarter, const real *w, V *v)
{
    if (PAIRS) {
        v[0] = quarter ? (x[0].r + x[0].i) * (real)2 : x[0].r + x[0].i;
        v[RADIX] = quarter ? (x[0].r - x[0].i) * ROOT2 : x[0].r - x[0].i;
    } else {
        v[0] = x[0].r;
    }
    UNROLL
    for (int k = 1; 2 * k <= RADIX; k++) {
        C *low = &x[k], *high = &x[PAIRS ? RADIX - k : k];
        if (PAIRS) {
            C a = *low, b = *high;
            if (quarter)
                separate_quarter_pair(&a, &b, w + 4 * k);
            else
                separate_pair(&a, &b, c_set(w[2 * k], w[2 * k + 1]));
            *high = b;
            *low = a;
            v[RADIX - k] = high->r;
            v[SPAN - RADIX + k] = high->i;
        }
        v[k] = low->r;
        v[SPAN - k] = low->i;
    }
}

/* The reverse, as join() and join_quarter() do it. */
INLINE void OF_RADIX(from_spectrum)(const V *v, int quarter, const real *w,
                                    C *x)
{
    const V none = {0};

    x[0] = (C){v[0], none};
    if (PAIRS) {
        V last = v[RADIX] * (quarter ? ROOT2 : (real)1);
        x[0] = (C){v[0] + last, v[0] - last};
    }
    UNROLL
    for (int k = 1; 2 * k <= RADIX; k++) {
        C a = {v[k], v[SPAN - k]}, b;
        if (PAIRS) {
            b = (C){v[RADIX - k], v[SPAN - RADIX + k]};
            if (quarter)
                join_quarter_pair(&a, &b, w + 4 * k);
            else
                join_pair(&a, &b, c_set(w[2 * k], w[2 * k + 1]));
        } else {
            b = (C){a.r, -a.i};
        }
        x[RADIX - k] = b;
        x[k] = a;
    }
}

/* Computes `tiles` tiles of W rows. */
INLINE void OF_RADIX(hold)(const tile *t, rows_at at, int64_t tiles, int folded,
                           int quarter, int back)
{
    const int in = t->work.in.format, out = t->work.out.format;
    const real *w = quarter ? t->cp->turn : t->cp->separate;
    const factor scale = factor_of(t);

    for (int64_t i = 0; i < tiles; i++) {
        V v[SPAN];
        C x[RADIX];
        OF_RADIX(take_rows)(at.src, in, at.in, v);
        if (back) {
            OF_RADIX(from_spectrum)(v, quarter, w, x);
            UNROLL
            for (int e = 0; e < RADIX; e++)
                x[e] = (C){x[e].i, x[e].r};
        } else {
            OF_RADIX(from_reals)(v, folded, x);
        }
        STFI_CAT(bf_, RADIX)(x);
        if (back) {
            UNROLL
            for (int e = 0; e < RADIX; e++)
                x[e] = (C){x[e].i, x[e].r};
            OF_RADIX(to_reals)(x, folded, v);
        } else {
            OF_RADIX(to_spectrum)(x, quarter, w, v);
        }
        OF_RADIX(give_rows)(v, scale, at.dst, out, at.out);
        at.src = stored_at(at.src, in, at.in * W);
        at.dst = stored_at(at.dst, out, at.out * W);
    }
}

#define HELD(name, folded, quarter, back)                            \
    static void OF_RADIX(name)(const tile *t, rows_at at, int64_t n) \
    {                                                                \
        OF_RADIX(hold)(t, at, n, folded, quarter, back);             \
    }
HELD(held_r2hc, 0, 0, 0)
HELD(held_hc2r, 0, 0, 1)
#if PAIRS
HELD(held_dct2, 1, 1, 0)
HELD(held_dct3, 1, 1, 1)
#endif
#undef HELD

#undef SPAN
#undef OF_RADIX
#undef PAIRS
#undef RADIX
