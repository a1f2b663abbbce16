/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Small kernels for the emulator's own tests (C++): right ones, and one for
 * every defect that it must find. load.base and store.base are arrays of
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

/* Doubles every element. */
STFK_ENTRY(toy_double, 128, 1)(const stfk_args a)
{
    unsigned i = global_index(128);
    store_global(target(a) + i, 2 * load_global(source(a) + i));
}

/* The same in a launch that may begin early. */
STFK_ENTRY(toy_waits, 128, 1)(const stfk_args a)
{
    unsigned i = global_index(128);
    wait_for_previous();
    store_global(target(a) + i, 2 * load_global(source(a) + i));
}

/* As above, but wrong: one thread does not wait. */
STFK_ENTRY(toy_some_wait, 128, 1)(const stfk_args a)
{
    unsigned i = global_index(128);
    if (thread_index() != 77)
        wait_for_previous();
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

/* As above, but wrong: there is no barrier before the tile is written again. */
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

/* Wrong: reads what other waves write after a barrier of its own wave only. */
STFK_ENTRY(toy_race_waves, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    tile()[t] = source(a)[i];
    wave_sync();
    target(a)[i] = tile()[127 - t];
}

/* Wrong: reads what its own wave writes, without any barrier. */
STFK_ENTRY(toy_race_lanes, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    tile()[t] = source(a)[i];
    target(a)[i] = tile()[t ^ 1];
}

/* As above, but right: there is a barrier of the wave. */
STFK_ENTRY(toy_wave_sync, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    tile()[t] = source(a)[i];
    wave_sync();
    target(a)[i] = tile()[t ^ 1];
}

/* Wrong: block b reads what block b-1 writes. */
STFK_ENTRY(toy_race_blocks, 128, 1)(const stfk_args a)
{
    unsigned i = global_index(128);
    float left = block_index() ? target(a)[i - 128] : 0;
    target(a)[i] = source(a)[i] + left;
}

/* Wrong: two threads write to one place. */
STFK_ENTRY(toy_race_store, 128, 1)(const stfk_args a)
{
    unsigned i = global_index(128);
    target(a)[i / 2] = source(a)[i];
}

/* Wrong: some threads wait for their wave while the others wait for the
 * block. */
STFK_ENTRY(toy_divergent, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    if (t < 64 || t >= 72)
        block_sync();
    else
        wave_sync();
    target(a)[i] = source(a)[i];
}

/* Right: threads beyond the data end, and the others meet at a barrier. */
STFK_ENTRY(toy_early_end, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    if (t >= 96)
        return;
    tile()[t] = source(a)[i];
    block_sync();
    target(a)[i] = tile()[95 - t];
}

/* Right: the sum of all lanes' values of a wave, and the first lane's value. */
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

/* Right: matrix units. The block's elements, two halves each, are four matrices
 * M; the results are those of one product in each wave. */
STFK_ENTRY(toy_units, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128), x[4], y[4];
    float c[4] = {1, 2, 3, 4}, v = source(a)[i];
    reinterpret_cast<unsigned *>(tile())[t] =
        half_pair<HALF_F16>(v, 0.5f - v * v);
    block_sync();
    load_matrices<false>(x, tile() + t % 32 * 4);
    load_matrices<true>(y, tile() + t % 32 * 4);
    const unsigned z[2] = {y[0], y[1]};
    half_multiply<HALF_F16>(c, x, z);
    half_multiply<HALF_F16>(c, x[0], x[1], y[2]);
    target(a)[i] = c[t / 32];
}

/* Right: matrix units of waves of 64. Of the two waves of a block, both multiply what
 * the wave has by itself and add it to 1, 2, 3, 4. */
STFK_ENTRY(toy_wave_units, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    float c[4] = {1, 2, 3, 4}, v = source(a)[i];
    const unsigned x[2] = {half_pair<HALF_F16>(v, 0.5f - v * v),
                           half_pair<HALF_F16>(v * v, 0.25f * v)};
    const unsigned y[2] = {x[1], x[0]};
    half_multiply<HALF_F16>(c, x, y);
    target(a)[i] = c[t / 32];
}

/* Wrong: only some lanes of a wave shuffle. */
STFK_ENTRY(toy_shuffle_missing, 128, 1)(const stfk_args a)
{
    unsigned i = global_index(128);
    float x = source(a)[i];
    if (thread_index() % 32 == 5)
        return;
    target(a)[i] = shuffle_xor(x, 1);
}

/* Wrong: accesses one element behind shared memory or an array. */
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

/* Wrong: uses shared memory that no thread wrote. */
STFK_ENTRY(toy_uninitialised, 128, 1)(const stfk_args a)
{
    unsigned t = thread_index(), i = global_index(128);
    target(a)[i] = source(a)[i] + tile()[t];
}

/* Right: calls the remaining functions that a kernel may call. */
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
