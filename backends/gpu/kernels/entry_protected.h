/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The entry point of kernels that check what they compute, and of kernels
 * that compute again what an end-to-end check asks for. Only in these
 * kernels do faults on purpose strike. */
#ifndef STFK_ENTRY_PROTECTED_H
#define STFK_ENTRY_PROTECTED_H

#include "protect/pairs.h"
#include "protect/tiles.h"
#if STFK_AHEAD
#include "fft/ahead.h"
#endif
#if STFK_PERSISTENT
#include "protect/persistent.h"
#endif
#if STFK_FROM_MEMORY
#include "protect/from_memory.h"
#endif
#if STFK_SIGNED
#include "protect/signed_ends.h"
#endif

namespace stfk
{

/* Runs a tile with the check of the kernel: from memory to memory, or of registers, or
 * none. */
template <class Tile> STFK_DEVICE void run_checked(const work &a)
{
#if STFK_FROM_MEMORY
    run_from_memory<Tile>(a);
#else
    run_tile<Tile>(a);
#endif
}

/* Runs FFT or CONV. */
template <int op> STFK_DEVICE void run_transform(const work &a)
{
    if constexpr (checked && STFK_CONV == CONV_RADER)
        run_checked<swept_tile>(a);
    else
#if STFK_AHEAD
        if (has_faults(a))
        run_apart<transform_tile<op, trial>>(a);
    else
        run_ahead<transform_tile<op, trial>, trial>(a);
#elif STFK_PERSISTENT
        run_persistent<transform_tile<op, trial>>(a);
#else
        run_checked<transform_tile<op, trial>>(a);
#endif
}

/* A template, so that only the operation in question is compiled. */
template <int op> STFK_DEVICE void run_op(const work &a)
{
    if constexpr (checked && (op == OP_R2C || op == OP_R2C_TWO))
        run_checked<spectrum_tile<op>>(a);
    else if constexpr (op == OP_R2C || op == OP_R2C_TWO)
        run_spectrum<op>(a);
    else if constexpr (op == OP_C2R || op == OP_C2R_TWO)
        run_checked<reals_tile<op, trial>>(a);
    else if constexpr (op == OP_UNTANGLE || op == OP_TANGLE)
        run_pairs<op, trial>(a);
    else
        run_transform<op>(a);
}

/* Runs the operation on all tiles of a block, one after the other. A launch that
 * repeats another one has few blocks, because most often there is nothing to do.
 * This is apart from the kernel's main path, which would otherwise keep in
 * registers what all tiles have in common, and lack them. */
template <int op> STFK_APART void run_in_turn(const stfk_args &args)
{
    const lane_t step =
        (lane_t)block_count() * L * (lane_t)(TILES > 1 ? args.check.tiles : 1);
    work a = {args, (lane_t)block_index() * L};

    for (; (wide)a.first < args.lanes; a.first += step) {
        run_op<op>(a);
        block_sync();
    }
}

/* Returns whether a launch that repeats another one has nothing to do. All that it
 * depends on is read anew, and it is asked twice: a thread that a fault led past it
 * would store results alone, when nobody looks at them any more. */
STFK_DEVICE bool is_held_back(const stfk_args &args)
{
    const auto *gate = (const stfk_gate *)separate_copy((long long)args.gate);

    return separate_copy((long long)args.check.again) != 0 && gate != 0
           && *(const volatile unsigned long long *)&gate->wanted == 0;
}

template <int op> STFK_DEVICE void run(const stfk_args &args)
{
    const work a = {args, (lane_t)block_index() * L};
    const bool repeats = STFK_GATED && args.check.again;

    if (STFK_GATED && (is_held_back(args) || is_held_back(args)))
        return;
    count_checks(a); /* first, so that nothing waits for it at the end */
    if (repeats && !STFK_AHEAD && !STFK_PERSISTENT)
        run_in_turn<op>(args);
    else
        run_op<op>(a);
}

} // namespace stfk

STFK_ENTRY(STFK_NAME, stfk::B, STFK_BLOCKS)(STFK_PARAM stfk_args a)
{
    if (!stfk::turns_late)
        stfk::take_turn(a);
    stfk::run<stfk::STFK_OP>(STFK_IN_PLACE(stfk_args, a));
}

#endif
