/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Butterflies: forward transforms of a few complex vectors in registers,
 * natural order in and out, in place in x[]. All loops have constant bounds
 * and are unrolled, so that x[] lives in registers.
 * Source: [Govindaraju2008], section IV.D. Odd radices use the even and odd
 * parts of the input; radices with coprime factors need no twiddles (the
 * prime-factor mapping). */
#ifndef STFI_FFT_BUTTERFLY_H
#define STFI_FFT_BUTTERFLY_H

#include "backends/cpu/simd/stored.h"

/* cos and sin of 2 pi j/3, j = 0 .. 1 */
static const real cos_3[] = {
    1.0L,
    -0.5L,
};
static const real sin_3[] = {
    0.0L,
    0.8660254037844386467637232L,
};
/* cos and sin of 2 pi j/5, j = 0 .. 2 */
static const real cos_5[] = {
    1.0L,
    0.3090169943749474241022934L,
    -0.8090169943749474241022934L,
};
static const real sin_5[] = {
    0.0L,
    0.9510565162951535721164393L,
    0.587785252292473129168706L,
};
/* cos and sin of 2 pi j/7, j = 0 .. 3 */
static const real cos_7[] = {
    1.0L,
    0.6234898018587335305250049L,
    -0.2225209339563144042889026L,
    -0.9009688679024191262361023L,
};
static const real sin_7[] = {
    0.0L,
    0.7818314824680298087084445L,
    0.9749279121818236070181317L,
    0.4338837391175581204757683L,
};
/* cos and sin of 2 pi j/11, j = 0 .. 5 */
static const real cos_11[] = {
    1.0L,
    0.8412535328311811688618116L,
    0.4154150130018864255292741L,
    -0.1423148382732851404437927L,
    -0.6548607339452850640569251L,
    -0.9594929736144973898903681L,
};
static const real sin_11[] = {
    0.0L,
    0.540640817455597582107636L,
    0.9096319953545183714117154L,
    0.989821441880932732376092L,
    0.7557495743542582837740358L,
    0.2817325568414296977114179L,
};
/* cos and sin of 2 pi j/13, j = 0 .. 6 */
static const real cos_13[] = {
    1.0L,
    0.8854560256532098959003755L,
    0.5680647467311558025118076L,
    0.1205366802553230533490677L,
    -0.3546048870425356259696379L,
    -0.7485107481711010986346306L,
    -0.9709418174260520271569823L,
};
static const real sin_13[] = {
    0.0L,
    0.4647231720437685456560153L,
    0.8229838658936563945796174L,
    0.9927088740980539928007516L,
    0.9350162426854148234397846L,
    0.6631226582407952023767855L,
    0.2393156642875577671487537L,
};

/* (re, im) of exp(-2 pi i j/9), exp(-2 pi i j/16) */
static const real root_9[] = {
    1.0L,
    0.0L,
    0.7660444431189780352023927L,
    -0.6427876096865393263226434L,
    0.1736481776669303488517166L,
    -0.984807753012208059366743L,
    -0.5L,
    -0.8660254037844386467637232L,
    -0.9396926207859083840541093L,
    -0.3420201433256687330440996L,
};
static const real root_16[] = {
    1.0L,
    0.0L,
    0.9238795325112867561281832L,
    -0.38268343236508977172846L,
    0.7071067811865475244008444L,
    -0.7071067811865475244008444L,
    0.38268343236508977172846L,
    -0.9238795325112867561281832L,
    2.06703210982639882364969e-43L,
    -1.0L,
    -0.38268343236508977172846L,
    -0.9238795325112867561281832L,
    -0.7071067811865475244008444L,
    -0.7071067811865475244008444L,
    -0.9238795325112867561281832L,
    -0.38268343236508977172846L,
    -1.0L,
    -4.134064219652797647299381e-43L,
    -0.9238795325112867561281832L,
    0.38268343236508977172846L,
};

/* A butterfly of odd r = 2h + 1 points: first x_j + x_(r-j) and x_j - x_(r-j),
 * then sums of these with cosines c and sines s. */
INLINE void bf_odd(C *x, int h, const real *c, const real *s)
{
    const int r = 2 * h + 1;
    C t[16], d[16], first = x[0], zero = x[0];

    UNROLL
    for (int j = 1; j <= h; j++) {
        t[j] = c_add(x[j], x[r - j]);
        d[j] = c_sub(x[j], x[r - j]);
        zero = c_add(zero, t[j]);
    }
    UNROLL
    for (int k = 1; k <= h; k++) {
        C a = first, b = c_scale(d[1], s[k]);
        UNROLL
        for (int j = 1; j <= h; j++) {
            int q = j * k % r;
            a = c_add_scaled(a, t[j], c[q <= h ? q : r - q]);
            if (j > 1)
                b = c_add_scaled(b, d[j], q <= h ? s[q] : -s[r - q]);
        }
        b = c_turn(b);
        x[k] = c_add(a, b);
        x[r - k] = c_sub(a, b);
    }
    x[0] = zero;
}

INLINE void bf_2(C *x)
{
    C a = x[0];
    x[0] = c_add(a, x[1]);
    x[1] = c_sub(a, x[1]);
}

INLINE void bf_3(C *x)
{
    bf_odd(x, 1, cos_3, sin_3);
}
INLINE void bf_5(C *x)
{
    bf_odd(x, 2, cos_5, sin_5);
}
INLINE void bf_7(C *x)
{
    bf_odd(x, 3, cos_7, sin_7);
}
INLINE void bf_11(C *x)
{
    bf_odd(x, 5, cos_11, sin_11);
}
INLINE void bf_13(C *x)
{
    bf_odd(x, 6, cos_13, sin_13);
}

INLINE void bf_4(C *x)
{
    C a = c_add(x[0], x[2]), b = c_sub(x[0], x[2]);
    C c = c_add(x[1], x[3]), d = c_turn(c_sub(x[1], x[3]));
    x[0] = c_add(a, c);
    x[1] = c_add(b, d);
    x[2] = c_sub(a, c);
    x[3] = c_sub(b, d);
}

INLINE void bf_8(C *x)
{
    C e[4] = {x[0], x[2], x[4], x[6]};
    C o[4] = {x[1], x[3], x[5], x[7]};

    bf_4(e);
    bf_4(o);
    o[1] = c_eighth(o[1], root_16[4]);
    o[2] = c_turn(o[2]);
    o[3] = c_three_eighths(o[3], root_16[4]);
    UNROLL
    for (int k = 0; k < 4; k++) {
        x[k] = c_add(e[k], o[k]);
        x[k + 4] = c_sub(e[k], o[k]);
    }
}

/* 9 = 3 * 3 points as a grid: transform columns, multiply twiddles, transform
 * rows. bf_16() does the same with 4 * 4. */
INLINE void bf_9(C *x)
{
    C t[3][3];

    UNROLL
    for (int j = 0; j < 3; j++) {
        C c[3] = {x[j], x[j + 3], x[j + 6]};
        bf_3(c);
        UNROLL
        for (int k = 0; k < 3; k++)
            t[k][j] = j * k == 0 ? c[k]
                                 : c_mul1(c[k], root_9[2 * j * k],
                                          root_9[2 * j * k + 1]);
    }
    UNROLL
    for (int k = 0; k < 3; k++) {
        bf_3(t[k]);
        UNROLL
        for (int j = 0; j < 3; j++)
            x[k + 3 * j] = t[k][j];
    }
}

/* a * exp(-2 pi i q/16), cheaper where the root is a multiple of an eighth. */
INLINE C c_sixteenth(C a, int q)
{
    if (q == 0)
        return a;
    if (q == 2)
        return c_eighth(a, root_16[4]);
    if (q == 4)
        return c_turn(a);
    if (q == 6)
        return c_three_eighths(a, root_16[4]);
    return c_mul1(a, root_16[2 * q], root_16[2 * q + 1]);
}

INLINE void bf_16(C *x)
{
    C t[4][4];

    UNROLL
    for (int j = 0; j < 4; j++) {
        C c[4] = {x[j], x[j + 4], x[j + 8], x[j + 12]};
        bf_4(c);
        UNROLL
        for (int k = 0; k < 4; k++)
            t[k][j] = c_sixteenth(c[k], j * k);
    }
    UNROLL
    for (int k = 0; k < 4; k++) {
        bf_4(t[k]);
        UNROLL
        for (int j = 0; j < 4; j++)
            x[k + 4 * j] = t[k][j];
    }
}

/* Prime-factor mapping for n = A * B with coprime A and B: element (p, q) of
 * the grid is input (B p + A q) mod n, and output k is element (k mod A,
 * k mod B). It needs no twiddles. */
#define BF_COPRIME(A, B)                         \
    C t[A][B];                                   \
    UNROLL                                       \
    for (int q = 0; q < B; q++) {                \
        C c[A];                                  \
        UNROLL                                   \
        for (int p = 0; p < A; p++)              \
            c[p] = x[(B * p + A * q) % (A * B)]; \
        STFI_CAT(bf_, A)(c);                     \
        UNROLL                                   \
        for (int p = 0; p < A; p++)              \
            t[p][q] = c[p];                      \
    }                                            \
    UNROLL                                       \
    for (int p = 0; p < A; p++)                  \
        STFI_CAT(bf_, B)(t[p]);                  \
    UNROLL                                       \
    for (int k = 0; k < A * B; k++)              \
    x[k] = t[k % A][k % B]

INLINE void bf_6(C *x)
{
    BF_COPRIME(2, 3);
}
INLINE void bf_10(C *x)
{
    BF_COPRIME(2, 5);
}
INLINE void bf_12(C *x)
{
    BF_COPRIME(4, 3);
}
INLINE void bf_15(C *x)
{
    BF_COPRIME(3, 5);
}

#endif
