/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Flips at random places of executions; see inject.h. */
#include "tests/flip/inject.h"

int64_t flip_tally_silent(const flip_tally *tally, flip_campaign campaign)
{
    const int64_t *count = tally->count[campaign];

    return count[FLIP_SILENT] + count[FLIP_CLAIMED];
}

#ifdef FLIP_SUPPORTED

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "base/random.h"
#include "tests/sanitized.h"

enum {
    STACK_BYTES = 1 << 18, /* of handlers, whose frames have all registers */
    MAX_STEPS = 400,       /* after an interruption */
    DATA_STRIKES = 250,    /* interruptions with the same input */
    PATIENCE = 50          /* interruptions for one trial, at most */
};

/* After an interruption, a campaign has so many trials, each at one of the next
 * so many instructions of its kind. A timer strikes an instruction in
 * proportion to the time that it takes; the more instructions pass, the less
 * that counts. */
static const struct {
    int trials;
    uint64_t spread;
} pace[FLIP_CAMPAIGNS] = {[FLIP_WRITTEN] = {3, 24},
                          [FLIP_AT_REST] = {1, 48},
                          [FLIP_GENERAL_WRITTEN] = {1, 12},
                          [FLIP_JUMP] = {1, 2}};
enum { MOST_TRIALS = 6 }; /* of all campaigns after one interruption */

/* Global, as a child must find it without a register of its own. */
static flip_subject *volatile subject;
static volatile int is_child;
static volatile sig_atomic_t exposed, struck;

static uint64_t random_state;
static int64_t missing[FLIP_CAMPAIGNS];
static int gap[FLIP_CAMPAIGNS];  /* instructions to go; 0: no trial to come */
static int left[FLIP_CAMPAIGNS]; /* trials after that one */
static flip_trial made[MOST_TRIALS];
static int made_count;
static int steps_left;
static flip_state last;

static uint64_t draw(uint64_t below)
{
    return stfi_random_u64(&random_state) % below;
}

/* ---------------------------------------------------------------- the call */

/* The call stands in a section of its own: flips are of what the library does,
 * and not of arguments on their way to it, wherever it is linked. */
#define FLIP_CALL __attribute__((noinline, section("flip_call")))
extern const char __start_flip_call[] __attribute__((visibility("hidden")));
extern const char __stop_flip_call[] __attribute__((visibility("hidden")));

static stf_status (*const volatile execute)(stf_plan *, stf_direction,
                                            const void *, void *) = stf_execute;
static stf_status (*const volatile multiply)(stf_plan *, const void *,
                                             const void *, const void *,
                                             const void *,
                                             void *) = stf_execute_gemm;

static void FLIP_CALL call_subject(int expose)
{
    stf_status status;

    exposed = expose;
    status = subject->gemm.m
                 ? multiply(subject->plan, &subject->scalars[0], subject->input,
                            subject->b, &subject->scalars[1], subject->output)
                 : execute(subject->plan, subject->direction, subject->input,
                           subject->output);
    exposed = 0;
    if (is_child)
        flip_trial_finish(status);
}

static int in_call(uintptr_t pc)
{
    return pc >= (uintptr_t)__start_flip_call
           && pc < (uintptr_t)__stop_flip_call;
}

/* ------------------------------------------------------------------- steps */

/* How many instructions go by before the next trial of a campaign. */
static void next_gap(int campaign)
{
    gap[campaign] = 0;
    if (left[campaign]-- > 0)
        gap[campaign] = 1 + (int)draw(pace[campaign].spread);
}

static int try_campaign(ucontext_t *context, flip_campaign campaign, int reg,
                        int bits, uintptr_t pc)
{
    flip_trial *t = &made[made_count];

    memset(t, 0, sizeof *t);
    t->campaign = campaign;
    t->reg = reg;
    t->bit = campaign == FLIP_JUMP ? bits : (int)draw((uint64_t)bits);
    t->pc = pc;
    if (flip_trial_fork(context, t))
        return is_child = 1;
    made_count++;
    next_gap(campaign);
    return 0;
}

/* A bit of all SIMD registers that the instruction set in use has. */
static int any_simd(int *bits_p)
{
    const int bytes = subject->info.simd_bytes;
    const int vectors = bytes == FLIP_VECTOR_BYTES ? FLIP_VECTORS : 16;
    const int masks = bytes == FLIP_VECTOR_BYTES ? FLIP_MASKS : 0;
    const int vector_bytes = bytes > 16 ? bytes : 16;
    const int total = vectors * vector_bytes + masks * FLIP_MASK_BYTES;
    const int byte = (int)draw((uint64_t)total);

    *bits_p = 8 * vector_bytes;
    if (byte < vectors * vector_bytes)
        return byte / vector_bytes;
    *bits_p = 8 * FLIP_MASK_BYTES;
    return FLIP_VECTORS + (byte - vectors * vector_bytes) / FLIP_MASK_BYTES;
}

/* The register that a campaign finds here, or -1, and how many bits there are
 * to choose from; of the flags, the bit itself. */
static int find_place(flip_campaign campaign, const flip_state *now,
                      int *bits_p)
{
    int reg;

    switch (campaign) {
    case FLIP_WRITTEN:
        reg = flip_state_simd_change(&last, now, bits_p);
        *bits_p *= 8;
        return reg;
    case FLIP_AT_REST: return in_call(now->pc) ? -1 : any_simd(bits_p);
    case FLIP_GENERAL_WRITTEN:
        *bits_p = 64;
        return flip_state_general_change(&last, now, draw(UINT64_MAX));
    default:
        *bits_p = flip_state_jump_flag((const unsigned char *)now->pc,
                                       draw(UINT64_MAX));
        return *bits_p < 0 || in_call(now->pc) ? -1 : 0;
    }
}

/* Goes through the campaigns at one instruction; 1: this is a child. */
static int step(ucontext_t *context, const flip_state *now)
{
    for (int c = 0; c < FLIP_CAMPAIGNS; c++) {
        const int writes = c == FLIP_WRITTEN || c == FLIP_GENERAL_WRITTEN;
        int bits = 0, reg;

        if (gap[c] == 0)
            continue;
        reg = find_place((flip_campaign)c, now, &bits);
        if (reg >= 0 && --gap[c] == 0
            && try_campaign(context, (flip_campaign)c, reg, bits,
                            writes ? last.pc : now->pc))
            return 1;
    }
    return 0;
}

static void on_trap(int sig, siginfo_t *info, void *frame)
{
    ucontext_t *context = frame;
    flip_state now;
    int to_come = 0;

    (void)sig;
    (void)info;
    flip_state_read(context, &now);
    if (step(context, &now))
        return;
    for (int c = 0; c < FLIP_CAMPAIGNS; c++)
        to_come += gap[c];
    if (to_come == 0 || --steps_left <= 0 || in_call(now.pc))
        flip_single_step(context, 0);
    last = now;
}

/* Starts the timer: it strikes within about two executions. */
static void arm(void)
{
    const uint64_t span = 30 + (uint64_t)(5e6 * subject->seconds);
    const uint64_t us = 10 + draw(span);
    const struct itimerval delay = {
        {0, 0}, {(time_t)(us / 1000000), (suseconds_t)(us % 1000000)}};

    setitimer(ITIMER_REAL, &delay, NULL);
}

static void on_alarm(int sig, siginfo_t *info, void *frame)
{
    ucontext_t *context = frame;

    (void)sig;
    (void)info;
    flip_state_read(context, &last);
    if (!exposed || in_call(last.pc)) {
        arm();
        return;
    }
    struck = 1;
    for (int c = 0; c < FLIP_CAMPAIGNS; c++) {
        left[c] =
            missing[c] < pace[c].trials ? (int)missing[c] : pace[c].trials;
        next_gap(c);
    }
    steps_left = MAX_STEPS;
    flip_single_step(context, 1);
}

/* -------------------------------------------------------------- executions */

/* Executes until the timer has struck, and the execution that it struck. */
static void run_once(flip_tally *tally_p)
{
    flip_subject *s = subject;

    made_count = 0;
    struck = 0;
    arm();
    while (!struck) {
        memcpy(s->input, s->other, s->in.bytes);
        call_subject(0);
        memcpy(s->input, s->pristine, s->in.bytes);
        stf_plan_ft_reset(s->plan);
        call_subject(1);
    }
    if (memcmp(s->output, s->clean, s->out.bytes) != 0)
        tally_p->disturbed++;
}

static void report(const flip_request *request, flip_tally *tally_p)
{
    for (int i = 0; i < made_count; i++) {
        const flip_trial *t = &made[i];

        missing[t->campaign]--;
        tally_p->trials[t->campaign]++;
        tally_p->count[t->campaign][t->result]++;
        if (request->observer)
            request->observer(t, subject, request->arg);
    }
}

static int64_t all_missing(void)
{
    int64_t sum = 0;

    for (int c = 0; c < FLIP_CAMPAIGNS; c++)
        sum += missing[c];
    return sum;
}

static const char *make_trials(const flip_request *request, flip_tally *tally_p)
{
    const int64_t most = PATIENCE * all_missing();

    for (int64_t i = 0; all_missing() > 0; i++) {
        const char *wrong = NULL;

        if (i == most)
            return "executions have too few places for a campaign";
        if (i % DATA_STRIKES == 0)
            wrong = flip_subject_renew(subject, &random_state);
        if (wrong)
            return wrong;
        run_once(tally_p);
        report(request, tally_p);
    }
    return NULL;
}

/* ----------------------------------------------------------------- signals */

static struct sigaction old_alarm, old_trap;
static stack_t old_stack;
static void *stack;

static const char *take_signals(void (*alarm_handler)(int, siginfo_t *, void *),
                                void (*trap_handler)(int, siginfo_t *, void *))
{
    struct sigaction act = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t alternative = {.ss_size = STACK_BYTES};

    stack = malloc(STACK_BYTES);
    alternative.ss_sp = stack;
    if (!stack || sigaltstack(&alternative, &old_stack))
        return "no stack for signals";
    act.sa_sigaction = alarm_handler;
    sigaction(SIGALRM, &act, &old_alarm);
    act.sa_sigaction = trap_handler;
    sigaction(SIGTRAP, &act, &old_trap);
    return NULL;
}

static void give_signals_back(void)
{
    sigaction(SIGALRM, &old_alarm, NULL);
    sigaction(SIGTRAP, &old_trap, NULL);
    sigaltstack(&old_stack, NULL);
    free(stack);
}

const char *flip_inject(flip_subject *s, const flip_request *request,
                        flip_tally *tally_p)
{
    const struct rlimit no_core = {0, 0};
    const char *wrong;

    subject = s;
    random_state = request->seed;
    memcpy(missing, request->trials, sizeof missing);
    flip_state_begin();
    wrong = flip_trial_open(s);
    if (wrong)
        return wrong;
    setrlimit(RLIMIT_CORE, &no_core);
    wrong = take_signals(on_alarm, on_trap);
    if (!wrong) {
        wrong = make_trials(request, tally_p);
        give_signals_back();
    }
    flip_trial_close();
    return wrong;
}

/* ----------------------------------------------------------------- refusal */

static volatile sig_atomic_t probe_traps;

static void on_probe_alarm(int sig, siginfo_t *info, void *frame)
{
    (void)sig;
    (void)info;
    flip_single_step(frame, 1);
}

static void on_probe_trap(int sig, siginfo_t *info, void *frame)
{
    (void)sig;
    (void)info;
    if (++probe_traps == 3)
        flip_single_step(frame, 0);
}

/* Emulators of processors may ignore the trap flag. */
const char *flip_refusal(void)
{
    if (SANITIZED)
        return "a sanitizer has its own signals and memory";
    if (take_signals(on_probe_alarm, on_probe_trap))
        return "no stack for signals";
    probe_traps = 0;
    raise(SIGALRM);
    for (volatile int i = 0; i < 10; i++)
        ;
    give_signals_back();
    return probe_traps == 3 ? NULL : "no single-stepping here";
}

#else

const char *flip_refusal(void)
{
    return "not x86-64 Linux";
}

const char *flip_inject(flip_subject *subject, const flip_request *request,
                        flip_tally *tally_p)
{
    (void)subject;
    (void)request;
    (void)tally_p;
    return flip_refusal();
}

#endif
