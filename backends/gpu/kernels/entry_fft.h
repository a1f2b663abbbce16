/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The entry point of kernels that transform without checks. */
#ifndef STFK_ENTRY_FFT_H
#define STFK_ENTRY_FFT_H

#include "config.h"

#if STFK_CHECK || STFK_TWICE || STFK_GATED
#error "protected kernels have an entry of their own"
#endif

#include "fft/long_pairs.h"
#if STFK_DIRECT
#include "fft/direct.h"
#endif
#if STFK_UNIT_ROWS
#include "fft/unit_rows.h"
#endif
#if STFK_AHEAD
#include "fft/ahead.h"
#endif

namespace stfk
{

template <int op> struct tile_of {
#if STFK_DIRECT
    typedef direct_tile<op, unwatched> type;
#elif STFK_UNIT_ROWS
    typedef unit_rows_tile<op, unwatched> type;
#else
    typedef transform_tile<op, unwatched> type;
#endif
};

/* A template, so that only the operation in question is compiled. */
template <int op> STFK_DEVICE void run(const stfk_args &args)
{
    const work a = {args, (lane_t)block_index() * L};

    if constexpr (op == OP_R2C || op == OP_R2C_TWO) {
        unwatched c(a);
        run_r2c<op>(c);
    } else if constexpr (op == OP_C2R || op == OP_C2R_TWO)
        run_unwatched<reals_tile<op, unwatched>>(a);
    else if constexpr (op == OP_UNTANGLE || op == OP_TANGLE)
        run_pairs<op, unwatched>(a);
    else
#if STFK_AHEAD
        run_ahead<typename tile_of<op>::type, unwatched>(a);
#else
        run_unwatched<typename tile_of<op>::type>(a);
#endif
}

} // namespace stfk

STFK_ENTRY(STFK_NAME, stfk::B, STFK_BLOCKS)(STFK_PARAM stfk_args a)
{
    if (!stfk::turns_late)
        stfk::take_turn(a);
    stfk::run<stfk::STFK_OP>(a);
}

#endif
