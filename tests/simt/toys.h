/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Small kernels for the emulator's own tests (C++): right ones, and ones with
 * every defect that it has to find. load.base and store.base are arrays of
 * `lanes` floats. */
#ifndef STFI_TESTS_SIMT_TOYS_H
#define STFI_TESTS_SIMT_TOYS_H

#include "simt_device.h"

namespace toys
{

using namespace stfk;

STFK_DEVICE const float *source(const stfk_args &a)
{
    return static_cast<const float *>(a.load.base);
}

STFK_DEVICE float *target(const stfk_args &a)
{
    return static_cast<float *>(a.store.base);
}

STFK_DEVICE unsigned global_index(unsigned threads)
{
    return block_index() * threads + thread_index();
}

STFK_DEVICE float *tile()
{
    return reinterpret_cast<float *>(shared_memory());
}

} // namespace toys

using namespace toys;

/* Doubles. */
STFK_ENTRY(toy_double, 128, 1)(const stfk_args a)
{
    unsigned i = global_index(128);
    store_global(target(a) + i, 2 * load_global(source(a) + i));
}

/* Reverses each block's elements, twice through the same shared memory. */
STFK_ENTRY(toy_reverse, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    tile()[t] = source(a)[i];
    block_sync();
    float x = tile()[127 - t];
    block_sync();
    tile()[t] = x + 1;
    block_sync();
    target(a)[i] = tile()[t ^ 64] - 1;
}

/* As above, without the barrier before the tile is written again: wrong. */
STFK_ENTRY(toy_race_reuse, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    tile()[t] = source(a)[i];
    block_sync();
    float x = tile()[127 - t];
    tile()[t] = x + 1;
    block_sync();
    target(a)[i] = tile()[t ^ 64] - 1;
}

/* Reads what other waves write behind a barrier of the wave alone. */
STFK_ENTRY(toy_race_waves, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    tile()[t] = source(a)[i];
    wave_sync();
    target(a)[i] = tile()[127 - t];
}

/* Reads what its own wave writes without any barrier. */
STFK_ENTRY(toy_race_lanes, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    tile()[t] = source(a)[i];
    target(a)[i] = tile()[t ^ 1];
}

/* As above, with a barrier of the wave: right. */
STFK_ENTRY(toy_wave_sync, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    tile()[t] = source(a)[i];
    wave_sync();
    target(a)[i] = tile()[t ^ 1];
}

/* Block b reads what block b-1 writes. */
STFK_ENTRY(toy_race_blocks, 128, 1)(const stfk_args a)
{
    unsigned i = global_index(128);
    float left = block_index() ? target(a)[i - 128] : 0;
    target(a)[i] = source(a)[i] + left;
}

/* Two threads write to one place. */
STFK_ENTRY(toy_race_store, 128, 1)(const stfk_args a)
{
    unsigned i = global_index(128);
    target(a)[i / 2] = source(a)[i];
}

/* Some threads wait for their wave while the others wait for the block. */
STFK_ENTRY(toy_divergent, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    if (t < 64 || t >= 72)
        block_sync();
    else
        wave_sync();
    target(a)[i] = source(a)[i];
}

/* Threads beyond the data go home; the rest meet. Right. */
STFK_ENTRY(toy_early_end, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    if (t >= 96)
        return;
    tile()[t] = source(a)[i];
    block_sync();
    target(a)[i] = tile()[95 - t];
}

/* Sum of all lanes' values of a wave, and the first lane's. */
STFK_ENTRY(toy_shuffle, 128, 1)(const stfk_args a)
{
    unsigned i = global_index(128);
    float x = source(a)[i];
    vec2<double> v = {x, -x};
    for (unsigned mask = 1; mask < unsigned(wave_size); mask *= 2)
        x += shuffle_xor(x, mask);
    v = shuffle(v, 0);
    target(a)[i] = x + float(v.x) + float(v.y) / 2;
}

/* Only some lanes of a wave shuffle. */
STFK_ENTRY(toy_shuffle_missing, 128, 1)(const stfk_args a)
{
    unsigned i = global_index(128);
    float x = source(a)[i];
    if (thread_index() % 32 == 5)
        return;
    target(a)[i] = shuffle_xor(x, 1);
}

/* Shared memory and arrays are left by one element. */
STFK_ENTRY(toy_shared_overrun, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    tile()[t + 1] = source(a)[i];
    block_sync();
    target(a)[i] = tile()[t];
}

STFK_ENTRY(toy_global_overrun, 128, 1)(const stfk_args a)
{
    unsigned i = global_index(128);
    target(a)[i + 1] = source(a)[i];
}

STFK_ENTRY(toy_global_overread, 128, 1)(const stfk_args a)
{
    unsigned i = global_index(128);
    target(a)[i] = source(a)[i + 1];
}

/* Uses shared memory that nobody wrote. */
STFK_ENTRY(toy_uninitialised, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    target(a)[i] = source(a)[i] + tile()[t];
}

/* The rest of what a kernel may call. */
STFK_ENTRY(toy_arithmetic, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    const stfk_divisor d = a.loop_div[0];
    unsigned q = (mulhi(i, d.mul) + i) >> d.shift;
    double tiny = 1.0 / 1073741824;
    int good = q == i / 7 && block_count() == a.lanes / 128
               && fma(1 + tiny, 1 - tiny, -1.0) == -tiny * tiny
               && fma(3.0f, 4.0f, 5.0f) == 17.0f && alignof(vec2<float>) == 8
               && alignof(vec2<double>) == 16 && t < 128;
    target(a)[i] = good ? source(a)[i] : -1;
}

#endif
