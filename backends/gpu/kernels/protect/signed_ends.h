/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What signatures read of a launch's input and output (signature.h): elements where
 * registers of the first and the last stage have had them; half spectra in pairs. */
#ifndef STFK_SIGNED_ENDS_H
#define STFK_SIGNED_ENDS_H

#include "protect/from_memory_real.h"
#include "protect/signature.h"

namespace stfk
{

/* The bits of a tile's half spectra. */
template <class Side, class Go>
STFK_DEVICE unsigned bits_of_spectra(const work &a)
{
    unsigned bits = 0;

    each_pair_again<Side, Go>(a, [&](int q, cx x, cx y) {
        const unsigned word = word_of_pair(Go::element(q), x, y);
        bits += is_lane(a, Go::lane(q)) ? word : 0;
    });
    return bits;
}

template <int op> struct signed_ends {
    STFK_MEMBER static unsigned loaded(const work &a)
    {
        return bits_in_memory<load_side, R_FIRST>(a, who_anew<LOAD_HOLDERS>());
    }
    STFK_MEMBER static unsigned stored(const work &a)
    {
        return bits_in_memory<store_side, R_OUT>(
            a, who_anew<STFK_STORE_INTERLEAVE>());
    }
};

template <> struct signed_ends<OP_R2C> : signed_ends<OP_FFT> {
    STFK_MEMBER static unsigned stored(const work &a)
    {
        return bits_of_spectra<store_side, store_half_sweep<trial>>(a);
    }
};

template <> struct signed_ends<OP_C2R> : signed_ends<OP_FFT> {
    STFK_MEMBER static unsigned loaded(const work &a)
    {
        return bits_of_spectra<load_side, load_half_sweep<trial>>(a);
    }
};

STFK_DEVICE unsigned bits_loaded(const work &a)
{
    return signed_ends<STFK_OP>::loaded(a);
}

STFK_DEVICE unsigned bits_stored(const work &a)
{
    return signed_ends<STFK_OP>::stored(a);
}

} // namespace stfk

#endif
