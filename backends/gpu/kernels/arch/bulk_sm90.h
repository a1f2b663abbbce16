/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Copies of long runs from device memory to shared memory by the bulk copy
 * engine, in units of 16 bytes, one copy under way at a time. `sign` is a
 * barrier object of 8 bytes in shared memory: it tells all threads that the
 * copy of a phase, 0, 1, 0, ..., has arrived. And requests that
 * bring runs into the second-level cache.
 * Source: PTX ISA, sections on mbarrier, cp.async.bulk and %nsmid. */
#ifndef STFK_ARCH_BULK_SM90_H
#define STFK_ARCH_BULK_SM90_H

#include "arch/runtime.h"

namespace stfk
{

STFK_DEVICE unsigned shared_place(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

STFK_DEVICE void bulk_prepare(void *sign)
{
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
        "fence.mbarrier_init.release.cluster;" ::"r"(shared_place(sign))
        : "memory");
}

STFK_DEVICE void bulk_copy(void *to, const void *from, int bytes, void *sign)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_place(sign)),
                 "r"(bytes)
                 : "memory");
    asm volatile("fence.proxy.async.shared::cta;\n\t"
                 "cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_place(to)),
                 "l"(from), "r"(bytes), "r"(shared_place(sign))
                 : "memory");
}

STFK_DEVICE void bulk_wait(void *sign, int phase)
{
    unsigned done;

    do
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
                     "\n\tselp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_place(sign)), "r"(phase)
                     : "memory");
    while (!done);
}

/* Asks the second-level cache for a run of whole units. */
STFK_DEVICE void bulk_prefetch(const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from),
                 "r"(bytes));
}

/* The number of multiprocessors. */
STFK_DEVICE unsigned unit_count()
{
    unsigned count;

    asm("mov.u32 %0, %%nsmid;" : "=r"(count));
    return count;
}

} // namespace stfk

#endif
