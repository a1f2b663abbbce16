/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Transforms of 16 M halves, M <= 32, whose first stage runs on matrix units and
 * needs no exchange. Units take halves as memory has them, and 32 threads multiply
 * columns of four lanes at a time, two of each lane: so a thread ends up with the
 * results g and g + 8 of all M butterflies of one lane, which are the inputs of two
 * butterflies of the second stage. What a half has to lose is lost by the matrix
 * alone, which is scaled for this (matrix.h). */
#ifndef STFK_DIRECT_H
#define STFK_DIRECT_H

#include "fft/matrix.h"
#include "fft/ops.h"

namespace stfk
{

static_assert(S == 2 && radices[0] == 16 && T == 8 && L % 4 == 0
                  && wave_size == 32,
              "a wave has four lanes of eight threads");

/* Words of memory: an element's halves. */
typedef vec2<load_side::stored> half_element;

union half_word {
    half_element of;
    unsigned bits;
};

/* Elements that are still in memory, wherever they are. */
struct words_there {
    const work &a;
    STFK_MEMBER unsigned at(int lane, int e) const
    {
        const auto s = locate<load_side>(a, lane);
        const auto *p = s.p + distance<load_side>(a->load, e);
        half_word w = {{load_side::stored(), load_side::stored()}};

        if (s.there)
            w.of = {load_global(p), load_global(p + 1)};
        return w.bits;
    }
};

/* Rows that load_halves() has put into shared memory. */
struct words_of_rows {
    STFK_MEMBER unsigned at(int lane, int e) const
    {
        return ((const unsigned *)shared_memory())[half_row(lane) + e];
    }
};

/* The part of the tile of which a thread has the results: its lane, and the
 * butterflies t and t + 8. */
STFK_DEVICE member direct_member()
{
    const seat s;

    return {s.first / T + s.q, s.g};
}

/* Computes the first stage of what `words` has. Column g of a product is butterfly
 * j or, if g is odd, j + M/2 of lane g/2 of a wave. An inverse transform takes
 * conjugates. */
template <class Words>
STFK_DEVICE void multiply_words(const work &a, const Words &words, cx *v)
{
    constexpr int M = N / 16;
    const float back = 1.0f / STFK_UNIT_FACTOR(STFK_UNIT);
    const seat s;
    const butterfly_matrix<16> f(s, (const cx *)a->stage + stage_total(false));
    const unsigned signs =
        (a->inverse != 0) != (STFK_INVERSE != 0) ? 0x80000000u : 0;
    const unsigned odd = s.q % 2 != 0 ? 0x80008000u : 0;
    const int lane = s.first / T + s.g / 2, half = s.g % 2 * (M / 2);

    STFK_UNROLL
    for (int j = 0; j < M / 2; j++) {
        unsigned x[4];
        STFK_UNROLL
        for (int i = 0; i < 4; i++)
            x[i] = words.at(lane, (s.q + 4 * i) * M + half + j) ^ signs;
        STFK_UNROLL
        for (int h = 0; h < 2; h++) {
            float d[4] = {0, 0, 0, 0};
            STFK_UNROLL
            for (int i = 0; i < 4 && h > 0; i++)
                x[i] ^= odd;
            add_steps(f.high, x, 0, d);
            add_steps(f.high, x, 1, d);
            STFK_UNROLL
            for (int p = 0; p < 2; p++)
                v[h * M + p * (M / 2) + j] = back * cx{d[p], d[2 + p]};
        }
    }
}

/* -------------------------------------------------------------------- tiles */

/* As transform_tile in ops.h. */
template <int op, class Watch> struct direct_tile {
    cx v[V];

    STFK_MEMBER void compute(Watch &c)
    {
        load_halves(c.a);
        block_sync();
        multiply_words(c.a, words_of_rows{}, v);
        finish(c);
    }
    STFK_MEMBER void take(const work &a)
    {
        multiply_words(a, words_there{a}, v);
    }
    STFK_MEMBER void finish(Watch &c)
    {
        const member m = direct_member();
        const auto base = ask_for_roots(c.a, m, m).made();

        if constexpr (STFK_TWIDDLE == TWIDDLE_STORE)
            block_sync();
        run_stage<1, false>(c, v, m, (const cx *)c.a->stage);
        if (STFK_INVERSE)
            conjugate(v);
        begin_store<R_OUT>(c, m, base, v);
    }
    STFK_MEMBER void store(Watch &c)
    {
        store_tile(c, direct_member(), v);
    }
};

} // namespace stfk

#endif
