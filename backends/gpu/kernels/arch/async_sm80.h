/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Copies from device memory to shared memory that run beside a thread's
 * instructions. Source: PTX ISA, section on cp.async. */
#ifndef STFK_ARCH_ASYNC_SM80_H
#define STFK_ARCH_ASYNC_SM80_H

#include "arch/runtime.h"

namespace stfk
{

/* Copies `there` bytes of `bytes`, and fills the others with zeros. */
template <int bytes>
STFK_DEVICE void copy_some(unsigned to, const void *from, int there)
{
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
                     "l"(from), "r"(there)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to),
                     "l"(from), "n"(bytes), "r"(there)
                     : "memory");
}

/* Copies all of them: without the instructions that count what is there. */
template <int bytes> STFK_DEVICE void copy_all(unsigned to, const void *from)
{
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
                     "l"(from)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to),
                     "l"(from), "n"(bytes)
                     : "memory");
}

/* A thread's copies, in groups: commit() ends a group, and wait<n>() waits
 * until all but the last n groups have arrived. */
struct async_copies {
    template <int bytes>
    STFK_MEMBER void copy(void *to, const void *from, int there)
    {
        copy_some<bytes>((unsigned)__cvta_generic_to_shared(to), from, there);
    }

    template <int bytes> STFK_MEMBER void copy(void *to, const void *from)
    {
        copy_all<bytes>((unsigned)__cvta_generic_to_shared(to), from);
    }

    STFK_MEMBER void commit()
    {
        asm volatile("cp.async.commit_group;" ::: "memory");
    }

    template <int groups> STFK_MEMBER void wait()
    {
        asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
    }
};

} // namespace stfk

#endif
