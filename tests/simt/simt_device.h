/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The replacement of backends/gpu/kernels/arch/host.h for kernels that the
 * host's C++ compiler compiles and tests/simt/machine.c runs. It includes no
 * standard headers, like all kernel sources. */
#ifndef STFI_TESTS_SIMT_DEVICE_H
#define STFI_TESTS_SIMT_DEVICE_H

#include "base/half.h"
#include "fft/args.h"
#include "calls.h"

#ifndef STFK_WAVE
#error "compile with -DSTFK_WAVE=32 or 64"
#endif

#define STFK_DEVICE static inline
#define STFK_MEMBER inline
#define STFK_APART static
#define STFK_CONST static constexpr
#define STFK_PARAM const
#define STFK_IN_PLACE(type, a) (a)
#define STFK_UNROLL
#define STFK_UNROLL_SOME
#define STFK_UNROLL_MANY
#define STFK_ROLL

/* The type of a kernel's argument, unless the kernel defines another one. */
#ifndef STFK_ARGS
#define STFK_ARGS stfk_args
#endif

/* The head of a kernel, followed by `(const STFK_ARGS a) {...}`. Two symbols
 * for the loader come before it: the largest number of threads of a launch, and
 * a function that calls the kernel with a pointer to its arguments. */
#define STFK_ENTRY(name, threads, blocks) SIMT_ENTRY(name, threads)
#define SIMT_ENTRY(name, threads)                    \
    extern "C" {                                     \
    void name(const STFK_ARGS);                      \
    extern const unsigned simt_threads_##name;       \
    const unsigned simt_threads_##name = (threads);  \
    void simt_run_##name(const void *args);          \
    void simt_run_##name(const void *args)           \
    {                                                \
        name(*static_cast<const STFK_ARGS *>(args)); \
    }                                                \
    }                                                \
    extern "C" void name

extern "C" {
/* The loader sets this to the machine's table of calls. */
extern const simt_calls *simt_machine;
const simt_calls *simt_machine;
extern const unsigned simt_wave;
const unsigned simt_wave = STFK_WAVE;
}

namespace stfk
{

constexpr int wave_size = STFK_WAVE;
constexpr bool copies_whole = true;
constexpr bool branches_in_turn = STFK_WAVE == 64;
constexpr bool fetches_ahead = STFK_WAVE != 64;

template <class real> struct alignas(2 * sizeof(real)) vec2 {
    real x, y;
};

STFK_DEVICE unsigned thread_index()
{
    return simt_machine->thread_index();
}

template <int most> STFK_DEVICE int known_below(int n)
{
    return n;
}

template <int threads> STFK_DEVICE unsigned thread_index_below()
{
    return simt_machine->thread_index();
}

template <int threads> STFK_DEVICE unsigned thread_index_anew()
{
    return simt_machine->thread_index();
}

STFK_DEVICE unsigned block_index()
{
    return simt_machine->block_index();
}

STFK_DEVICE unsigned block_index_anew()
{
    return simt_machine->block_index_anew();
}

STFK_DEVICE unsigned block_count()
{
    return simt_machine->block_count();
}

STFK_DEVICE unsigned char *shared_memory()
{
    return simt_machine->shared_memory();
}

STFK_DEVICE void block_sync()
{
    simt_machine->block_sync();
}

STFK_DEVICE void wave_sync()
{
    simt_machine->wave_sync();
}

STFK_DEVICE bool block_any(bool one)
{
    return simt_machine->block_any(one) != 0;
}

STFK_DEVICE bool block_is_whole()
{
    return simt_machine->block_is_whole() != 0;
}

STFK_DEVICE bool wave_any(bool one)
{
    return simt_machine->wave_any(one) != 0;
}

/* Only one thread runs at a time, so plain operations are atomic. */
typedef unsigned long long count_t;

STFK_DEVICE void atomic_add(count_t *p, count_t n)
{
    *p += n;
}

STFK_DEVICE void atomic_add(unsigned *p, unsigned n)
{
    *p += n;
}

STFK_DEVICE count_t atomic_take(count_t *p, count_t n)
{
    *p += n;
    return *p - n;
}

STFK_DEVICE void add_in_wave(unsigned *p, unsigned n)
{
    *p += n;
}

STFK_DEVICE unsigned atomic_turn(unsigned *p, unsigned last)
{
    unsigned before = *p;
    *p = before >= last ? 0 : before + 1;
    return before;
}

STFK_DEVICE void atomic_min(count_t *p, count_t n)
{
    *p = n < *p ? n : *p;
}

STFK_DEVICE void atomic_max(unsigned *p, unsigned n)
{
    *p = n > *p ? n : *p;
}

template <class To, class From> STFK_DEVICE To same_bits(From v)
{
    To to;
    static_assert(sizeof to == sizeof v, "sizes differ");
    __builtin_memcpy(&to, &v, sizeof to);
    return to;
}

STFK_DEVICE float make_float(unsigned bits)
{
    return same_bits<float>(bits);
}

STFK_DEVICE unsigned bits_of(float v)
{
    return same_bits<unsigned>(v);
}

STFK_DEVICE count_t bits_of(double v)
{
    return same_bits<count_t>(v);
}

STFK_DEVICE float from_bits(unsigned bits)
{
    return same_bits<float>(bits);
}

STFK_DEVICE double from_bits(count_t bits)
{
    return same_bits<double>(bits);
}

/* Halves as 16 bits, and two of them as a word, of which `x` is the lower
 * half. */
STFK_DEVICE float of_f16(unsigned short bits)
{
    return stfi_half_from_f16(bits);
}

STFK_DEVICE unsigned short f16_of(float v)
{
    return static_cast<unsigned short>(stfi_half_to_f16(v));
}

STFK_DEVICE unsigned short bf16_of(float v)
{
    return static_cast<unsigned short>(stfi_half_to_bf16(v));
}

STFK_DEVICE unsigned f16_pair(float x, float y)
{
    return stfi_half_to_f16(x) | stfi_half_to_f16(y) << 16;
}

STFK_DEVICE unsigned bf16_pair(float x, float y)
{
    return stfi_half_to_bf16(x) | stfi_half_to_bf16(y) << 16;
}

STFK_DEVICE float multiply_add(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

STFK_DEVICE double multiply_add(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

STFK_DEVICE float square_root(float v)
{
    return __builtin_sqrtf(v);
}

STFK_DEVICE double square_root(double v)
{
    return __builtin_sqrt(v);
}

template <class T> STFK_DEVICE float quotient_about(T x, T y)
{
    return (float)(x / y);
}

STFK_DEVICE bool known_anew(bool one)
{
    return one;
}

template <class T> STFK_DEVICE T made_here(T v)
{
    return v;
}

STFK_DEVICE void wait_for_previous()
{
    simt_machine->wait_for_previous();
}

STFK_DEVICE void let_next_begin()
{
}

STFK_DEVICE void keep_order()
{
}

STFK_DEVICE unsigned word_made_here(unsigned w)
{
    return w;
}

template <class T> STFK_DEVICE T *one_address(T *p)
{
    return p;
}

template <class T> STFK_DEVICE T separate_copy(T v)
{
    volatile T copy = v;
    return copy;
}

STFK_DEVICE unsigned load_word(const unsigned *p)
{
    return *p;
}

STFK_DEVICE unsigned mulhi(unsigned a, unsigned b)
{
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}

STFK_DEVICE float fma(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

STFK_DEVICE double fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

/* Devices fail where the host takes data at any address. */
template <class T> STFK_DEVICE void reach(const T *p)
{
    if (reinterpret_cast<unsigned long>(p) % alignof(T) != 0)
        __builtin_trap();
    simt_machine->reach_memory();
}

template <class T> STFK_DEVICE T load_global(const T *p)
{
    reach(p);
    return *p;
}

template <class T> STFK_DEVICE T load_near(const T *p)
{
    reach(p);
    return *p;
}

template <class T> STFK_DEVICE void store_global(T *p, T value)
{
    reach(p);
    *p = value;
}

template <class T> STFK_DEVICE void store_past(T *p, T value)
{
    reach(p);
    *p = value;
}

template <class T> STFK_DEVICE T load_table(const T *p)
{
    return *p;
}

struct alignas(16) words {
    unsigned of[4];
};

STFK_DEVICE words load_words(const words *p)
{
    return *p;
}

STFK_DEVICE unsigned with_byte(unsigned upper, unsigned word, int i)
{
    return (upper & 0xffffff00u) | (word >> 8 * i & 0xffu);
}

/* Bulk copies are complete at once here. bulk_wait() is a barrier, where the
 * hardware would signal to the waiting threads that the copy is complete. */
STFK_DEVICE void bulk_prepare(void *)
{
}

STFK_DEVICE void bulk_copy(void *to, const void *from, int bytes, void *)
{
    __builtin_memcpy(to, from, static_cast<unsigned long>(bytes));
}

STFK_DEVICE void bulk_wait(void *, int)
{
    block_sync();
}

/* Memory that is asked for has to be whole units, and to be there, which the address
 * sanitizer sees. */
STFK_DEVICE void bulk_prefetch(const void *from, unsigned bytes)
{
    const volatile char *p = static_cast<const volatile char *>(from);

    if (reinterpret_cast<unsigned long long>(from) % 16 != 0 || bytes % 16 != 0)
        __builtin_trap();
    if (bytes > 0)
        (void)(p[0] + p[bytes - 1]);
}

/* Few, so that there are tiles to be asked for. */
STFK_DEVICE unsigned unit_count()
{
    return 2;
}

/* Copies beside a thread's instructions. Here they arrive as late as they may,
 * when the thread waits for them. Until then nobody may write where they will be. */
struct async_copies {
    enum { MOST = 1024, NOT_THERE = 0xf7 };
    struct {
        void *to;
        const void *from;
        int bytes, there, group;
    } copies[MOST];
    int first = 0, last = 0, group = 0;

    template <int bytes> void copy(void *to, const void *from, int there)
    {
        __builtin_memset(to, NOT_THERE, bytes);
        copies[last++ % MOST] = {to, from, bytes, there, group};
        if (last - first > MOST)
            __builtin_trap();
    }

    template <int bytes> void copy(void *to, const void *from)
    {
        copy<bytes>(to, from, bytes);
    }

    void commit()
    {
        group++;
    }

    template <int groups> void wait()
    {
        for (; first < last && copies[first % MOST].group < group - groups;
             first++) {
            const auto &c = copies[first % MOST];
            for (int i = 0; i < c.bytes; i++)
                if (static_cast<const unsigned char *>(c.to)[i] != NOT_THERE)
                    __builtin_trap();
            __builtin_memset(c.to, 0, static_cast<unsigned long>(c.bytes));
            if (c.there > 0)
                __builtin_memcpy(c.to, c.from,
                                 static_cast<unsigned long>(c.there));
        }
    }
};

template <class T> STFK_DEVICE T shuffle(T value, int lane)
{
    static_assert(sizeof value <= SIMT_SHUFFLE_BYTES, "value too large");
    simt_machine->shuffle(&value, sizeof value, static_cast<unsigned>(lane));
    return value;
}

template <class T> STFK_DEVICE T shuffle_xor(T value, unsigned mask)
{
    static_assert(sizeof value <= SIMT_SHUFFLE_BYTES, "value too large");
    simt_machine->shuffle_xor(&value, sizeof value, mask);
    return value;
}

/* A matrix unit (arch/cuda.h), of which each thread takes what it needs from the
 * others. */
STFK_DEVICE void unit_multiply(double &c0, double &c1, double &c2, double &c3,
                               double a0, double a1, double b)
{
    const int lane = (int)(thread_index() % 32), g = lane / 4, q = lane % 4;

    for (int k = 0; k < 4; k++) {
        const double x0 = shuffle(a0, g * 4 + k), x1 = shuffle(a1, g * 4 + k);
        const double y0 = shuffle(b, q * 8 + k), y1 = shuffle(b, q * 8 + 4 + k);
        c0 = multiply_add(x0, y0, c0);
        c1 = multiply_add(x0, y1, c1);
        c2 = multiply_add(x1, y0, c2);
        c3 = multiply_add(x1, y1, c3);
    }
}

} // namespace stfk

#include "simt_units.h"

#endif
