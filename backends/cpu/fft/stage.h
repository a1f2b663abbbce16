/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The stages of one radix over a tile. This file is included once per radix,
 * with RADIX defined. Places and strides are in tile elements. ro and io are
 * the offsets of an element's real and imaginary half; exchanging them makes
 * the transform an inverse one.
 *
 * dit:   twiddle, then butterfly, for blocks of RADIX * m elements
 * dif:   butterfly, then twiddle
 * first: butterflies without twiddles from src, element j of butterfly g at
 *        g * sg + j * sj, to RADIX places in a row of dst at pos[g] (in the
 *        order of g if pos is NULL)
 * last:  dit of butterflies [p0, p0 + count) of a single block, to scratch:
 *        output j of butterfly g at j * count + g */

#define FUNCTION(name) STFI_CAT(STFI_CAT(name, _), RADIX)
#define BUTTERFLY STFI_CAT(bf_, RADIX)

static void FUNCTION(dit)(real *t, const real *tw, int64_t blocks, int64_t m,
                          int ro, int io)
{
    for (int64_t b = 0; b < blocks; b++) {
        const real *w = tw;
        for (int64_t p = 0; p < m; p++) {
            real *base = t + (b * RADIX * m + p) * ELEM;
            C x[RADIX];
            UNROLL
            for (int j = 0; j < RADIX; j++) {
                x[j] = c_load(base + j * m * ELEM, ro, io);
                if (j > 0)
                    x[j] = c_mul1(x[j], w[2 * j - 2], w[2 * j - 1]);
            }
            w += 2 * (RADIX - 1);
            BUTTERFLY(x);
            UNROLL
            for (int j = 0; j < RADIX; j++)
                c_store(base + j * m * ELEM, ro, io, x[j]);
        }
    }
}

static void FUNCTION(dif)(real *t, const real *tw, int64_t blocks, int64_t m,
                          int ro, int io)
{
    for (int64_t b = 0; b < blocks; b++) {
        const real *w = tw;
        for (int64_t p = 0; p < m; p++) {
            real *base = t + (b * RADIX * m + p) * ELEM;
            C x[RADIX];
            UNROLL
            for (int j = 0; j < RADIX; j++)
                x[j] = c_load(base + j * m * ELEM, ro, io);
            BUTTERFLY(x);
            UNROLL
            for (int j = 0; j < RADIX; j++) {
                if (j > 0)
                    x[j] = c_mul1(x[j], w[2 * j - 2], w[2 * j - 1]);
                c_store(base + j * m * ELEM, ro, io, x[j]);
            }
            w += 2 * (RADIX - 1);
        }
    }
}

static void FUNCTION(first)(const real *src, int64_t sg, int64_t sj,
                            int64_t count, real *dst, const uint32_t *pos,
                            int ro, int io)
{
    for (int64_t g = 0; g < count; g++) {
        const real *s = src + g * sg * ELEM;
        real *d = dst + (pos != NULL ? (int64_t)pos[g] : g * RADIX) * ELEM;
        C x[RADIX];
        UNROLL
        for (int j = 0; j < RADIX; j++)
            x[j] = c_load(s + j * sj * ELEM, ro, io);
        BUTTERFLY(x);
        UNROLL
        for (int j = 0; j < RADIX; j++)
            c_store(d + j * ELEM, ro, io, x[j]);
    }
}

static void FUNCTION(last)(const real *t, const real *tw, int64_t m, int64_t p0,
                           int64_t count, real *dst, int ro, int io)
{
    const real *w = tw + 2 * (RADIX - 1) * p0;
    for (int64_t g = 0; g < count; g++) {
        const real *base = t + (p0 + g) * ELEM;
        C x[RADIX];
        UNROLL
        for (int j = 0; j < RADIX; j++) {
            x[j] = c_load(base + j * m * ELEM, ro, io);
            if (j > 0)
                x[j] = c_mul1(x[j], w[2 * j - 2], w[2 * j - 1]);
        }
        w += 2 * (RADIX - 1);
        BUTTERFLY(x);
        UNROLL
        for (int j = 0; j < RADIX; j++)
            c_store(dst + (j * count + g) * ELEM, ro, io, x[j]);
    }
}

#undef FUNCTION
#undef BUTTERFLY
#undef RADIX
