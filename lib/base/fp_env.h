/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The floating-point environment in which the library computes: rounding to
 * nearest, subnormal numbers kept, full precision of the x87, no traps. A
 * program may have set another one, in which checks would see residuals beyond
 * what rounding explains, or in which an inexact result would be a signal.
 *
 * Every public call that computes begins with STFI_FP_GUARD, and so does what
 * each thread of a team does (team.c), since threads inherit nothing reliable.
 * Afterwards the thread has its own environment back, with the flags of
 * exceptions as they were.
 *
 * On x86-64 the guard reads three registers and writes only those that differ,
 * because a call of a short transform takes less than the two calls of
 * <fenv.h> that do the same elsewhere. */
#ifndef STFI_BASE_FP_ENV_H
#define STFI_BASE_FP_ENV_H

#define STFI_FP_GUARD                               \
    __attribute__((cleanup(stfi_fp_leave), unused)) \
    const stfi_fp_env stfi_fp_of_caller = stfi_fp_enter()

/* The same for code that has vector instructions only, which do not look at the
 * x87. Clang has others there, too: it converts constants by the x87. */
#ifdef __clang__
#define STFI_FP_VECTOR_GUARD STFI_FP_GUARD
#else
#define STFI_FP_VECTOR_GUARD                               \
    __attribute__((cleanup(stfi_fp_vector_leave), unused)) \
    const stfi_fp_vector_env stfi_fp_of_caller = stfi_fp_vector_enter()
#endif

#if defined(__x86_64__)
#include <stdint.h>
#include <xmmintrin.h>

/* MXCSR: all traps masked, flags 0; the flags. The x87's control word: the
 * same, with 64 bits of precision; the flags of its status word. */
enum {
    STFI_FP_MXCSR = 0x1f80,
    STFI_FP_MXCSR_FLAGS = 0x3f,
    STFI_FP_X87 = 0x37f,
    STFI_FP_X87_FLAGS = 0x7f
};

typedef struct stfi_fp_env {
    uint32_t mxcsr;
    uint16_t x87_control, x87_status;
} stfi_fp_env;

/* The x87's environment in memory: control, status, tags and what follows. */
typedef struct stfi_fp_x87 {
    uint32_t word[7];
} stfi_fp_x87;

static inline uint16_t stfi_fp_x87_status(void)
{
    uint16_t status;

    __asm__ __volatile__("fnstsw %0" : "=am"(status) : : "memory");
    return status;
}

/* Sets the control word and the flags. None of these instructions can raise an
 * exception that is pending: storing the environment masks all of them. */
static inline void stfi_fp_x87_set(uint16_t control, uint16_t status)
{
    stfi_fp_x87 x;

    __asm__ __volatile__("fnstenv %0" : "=m"(x) : : "memory");
    x.word[0] = control;
    x.word[1] =
        (x.word[1] & ~(uint32_t)0xff) | (uint32_t)(status & STFI_FP_X87_FLAGS);
    __asm__ __volatile__("fldenv %0" : : "m"(x) : "memory");
}

static inline stfi_fp_env stfi_fp_enter(void)
{
    stfi_fp_env e = {.mxcsr = _mm_getcsr()};

    __asm__ __volatile__("fnstcw %0" : "=m"(e.x87_control) : : "memory");
    e.x87_status = stfi_fp_x87_status();
    if ((e.mxcsr & ~(uint32_t)STFI_FP_MXCSR_FLAGS) != STFI_FP_MXCSR)
        _mm_setcsr(STFI_FP_MXCSR);
    if (e.x87_control != STFI_FP_X87)
        stfi_fp_x87_set(STFI_FP_X87, 0);
    return e;
}

static inline void stfi_fp_leave(const stfi_fp_env *e)
{
    if (_mm_getcsr() != e->mxcsr)
        _mm_setcsr(e->mxcsr);
    if (e->x87_control != STFI_FP_X87
        || ((stfi_fp_x87_status() ^ e->x87_status) & STFI_FP_X87_FLAGS) != 0)
        stfi_fp_x87_set(e->x87_control, e->x87_status);
}

typedef uint32_t stfi_fp_vector_env;

static inline stfi_fp_vector_env stfi_fp_vector_enter(void)
{
    uint32_t mxcsr = _mm_getcsr();

    if ((mxcsr & ~(uint32_t)STFI_FP_MXCSR_FLAGS) != STFI_FP_MXCSR)
        _mm_setcsr(STFI_FP_MXCSR);
    return mxcsr;
}

/* To read the register once more, and to write it only where flags have been
 * raised, takes longer. */
static inline void stfi_fp_vector_leave(const stfi_fp_vector_env *e)
{
    _mm_setcsr(*e);
}

#else
#include <fenv.h>

typedef struct stfi_fp_env {
    fenv_t env;
} stfi_fp_env;

static inline stfi_fp_env stfi_fp_enter(void)
{
    stfi_fp_env e;

    fegetenv(&e.env);
    fesetenv(FE_DFL_ENV);
    return e;
}

static inline void stfi_fp_leave(const stfi_fp_env *e)
{
    fesetenv(&e->env);
}

typedef stfi_fp_env stfi_fp_vector_env;

static inline stfi_fp_vector_env stfi_fp_vector_enter(void)
{
    return stfi_fp_enter();
}

static inline void stfi_fp_vector_leave(const stfi_fp_vector_env *e)
{
    stfi_fp_leave(e);
}
#endif

#endif
