/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Fibers by switching stacks; see fiber.h. swapcontext() works on every
 * processor, but makes two system calls per switch, and a block switches
 * thousands of times. So there are a dozen instructions for known
 * processors. */
#include "tests/simt/fiber.h"

#include <stdint.h>
#include <sys/mman.h>

#include "tests/simt/sanitizer.h"

enum { STACK_BYTES = 1 << 17, GUARD_BYTES = 1 << 12 };

/* The fiber that is about to run for the first time in this thread. */
static _Thread_local stfi_fiber *starting;

/* ------------------------------------------ what the sanitizers are told */

static void tell_before(stfi_fiber *f, int inwards)
{
#if STFI_ASAN
    if (inwards)
        __sanitizer_start_switch_fiber(&f->fake[1], f->stack, STACK_BYTES);
    else
        __sanitizer_start_switch_fiber(f->ended ? NULL : &f->fake[0], f->home,
                                       f->home_bytes);
#elif STFI_TSAN
    if (inwards)
        f->thread[1] = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(f->thread[!inwards], 0);
#else
    (void)f;
    (void)inwards;
#endif
}

static void tell_after(stfi_fiber *f, int inside)
{
#if STFI_ASAN
    if (inside)
        __sanitizer_finish_switch_fiber(f->fake[0], &f->home, &f->home_bytes);
    else
        __sanitizer_finish_switch_fiber(f->fake[1], NULL, NULL);
#else
    (void)f;
    (void)inside;
#endif
}

static void begin(void)
{
    stfi_fiber *f = starting;

    tell_after(f, 1);
    f->body(f->arg);
    f->ended = 1;
    stfi_fiber_leave(f);
}

/* ------------------------------------------------------------- the switch */

#if defined(__x86_64__)

/* Saves the registers that a function must preserve, stores the stack pointer
 * in *from, and continues where `to` was saved. */
void stfi_fiber_switch(void **from, void *to);

__asm__(".text\n"
        ".globl stfi_fiber_switch\n"
        ".hidden stfi_fiber_switch\n"
        ".type stfi_fiber_switch, @function\n"
        "stfi_fiber_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size stfi_fiber_switch, . - stfi_fiber_switch\n");

/* Makes the stack look as if begin() had been called from nowhere: six
 * registers, the address of begin, and a return address, so that the stack is
 * aligned as it is after a call. */
static void prepare(stfi_fiber *f)
{
    uintptr_t *top = (uintptr_t *)(void *)(f->stack + STACK_BYTES);
    int i;

    top[-1] = 0;
    top[-2] = (uintptr_t)begin;
    for (i = 3; i <= 8; i++)
        top[-i] = 0;
    f->inside = &top[-8];
}

static void go(stfi_fiber *f, int inwards)
{
    if (inwards)
        stfi_fiber_switch(&f->outside, f->inside);
    else
        stfi_fiber_switch(&f->inside, f->outside);
}

static void release(stfi_fiber *f)
{
    f->inside = NULL;
}

#else

#include <stdlib.h>
#include <ucontext.h>

/* Uses two contexts of swapcontext(), at f->inside. */
static void prepare(stfi_fiber *f)
{
    ucontext_t *both = f->inside ? f->inside : calloc(2, sizeof *both);

    if (!both || getcontext(&both[0]))
        abort();
    both[0].uc_stack.ss_sp = f->stack;
    both[0].uc_stack.ss_size = STACK_BYTES;
    both[0].uc_link = NULL;
    makecontext(&both[0], begin, 0);
    f->inside = both;
}

static void go(stfi_fiber *f, int inwards)
{
    ucontext_t *both = f->inside;

    swapcontext(&both[inwards], &both[!inwards]);
}

static void release(stfi_fiber *f)
{
    free(f->inside);
    f->inside = NULL;
}

#endif

/* ----------------------------------------------------------------- fibers */

int stfi_fiber_open(stfi_fiber *f)
{
    char *block = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    *f = (stfi_fiber){.stack = NULL};
    if (block == MAP_FAILED)
        return 0;
    if (mprotect(block + GUARD_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE)) {
        munmap(block, GUARD_BYTES + STACK_BYTES);
        return 0;
    }
    f->stack = block + GUARD_BYTES;
#if STFI_TSAN
    f->thread[0] = __tsan_create_fiber(0);
#endif
    return 1;
}

void stfi_fiber_close(stfi_fiber *f)
{
    if (f->stack == NULL)
        return;
#if STFI_TSAN
    __tsan_destroy_fiber(f->thread[0]);
#endif
    release(f);
    munmap(f->stack - GUARD_BYTES, GUARD_BYTES + STACK_BYTES);
    f->stack = NULL;
}

void stfi_fiber_set(stfi_fiber *f, void (*body)(void *arg), void *arg)
{
#if STFI_ASAN
    /* Functions that never returned have left red zones on this stack. */
    __asan_unpoison_memory_region(f->stack, STACK_BYTES);
#endif
    f->fake[0] = NULL;
    f->body = body;
    f->arg = arg;
    f->ended = 0;
    prepare(f);
}

void stfi_fiber_enter(stfi_fiber *f)
{
    starting = f;
    tell_before(f, 1);
    go(f, 1);
    tell_after(f, 0);
}

void stfi_fiber_leave(stfi_fiber *f)
{
    tell_before(f, 0);
    go(f, 0);
    tell_after(f, 1);
}
