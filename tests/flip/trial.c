/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* One flip in one execution; see trial.h. */
#include "tests/flip/trial.h"

const char *const flip_campaign_name[] = {"written", "rest", "general", "jump"};
const char *const flip_class_name[] = {"exact",    "benign", "corrected",
                                       "detected", "silent", "claimed",
                                       "crash",    "hang",   "false"};

#ifdef FLIP_SUPPORTED

#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Limits of a child: of its processor time, which other programs do not take
 * from it, and of time, in case that it waits for something. */
enum { CPU_MICROSECONDS = 100000, CPU_EXECUTIONS = 50, WALL_SECONDS = 20 };
enum { DONE = 0x600d };

/* What a child leaves, in memory that it shares with its parent. The output
 * follows. */
typedef struct remains {
    volatile int done;
    int input_damaged;
    stf_status status;
    stf_ft_report report;
} remains;

static const flip_subject *volatile subject;
static remains *volatile shared;

static size_t shared_bytes(void)
{
    return sizeof *shared + subject->out.bytes;
}

static char *shared_output(void)
{
    return (char *)(shared + 1);
}

const char *flip_trial_open(const flip_subject *s)
{
    void *p;

    subject = s;
    p = mmap(NULL, shared_bytes(), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return "no shared memory";
    shared = p;
    return NULL;
}

void flip_trial_close(void)
{
    munmap(shared, shared_bytes());
    shared = NULL;
}

void flip_trial_finish(stf_status status)
{
    const flip_subject *s = subject;

    memcpy(shared_output(), s->output, s->out.bytes);
    shared->status = status;
    shared->input_damaged =
        !s->in_place && memcmp(s->input, s->pristine, s->in.bytes) != 0;
    stf_plan_ft_report(s->plan, &shared->report);
    shared->done = DONE;
    for (;;)
        syscall(SYS_exit, 0); /* _exit() makes a call that is not allowed */
}

/* ------------------------------------------------------------------ parent */

/* Both outputs are compared in the precision of the problem first, as nearly
 * all of them are the same. */
static flip_class judge_output(const stf_ft_report *r, stf_status status,
                               double *ratio_p)
{
    const int failed = r->uncorrectable > 0 || status < 0;
    const int reported = r->detected > 0 || failed;
    const int repaired = subject->desc.ft.mode == STF_FT_CORRECT && !failed;
    const int exact =
        !memcmp(shared_output(), subject->clean, subject->out.bytes);

    *ratio_p = exact ? 0 : flip_subject_ratio(subject, shared_output());
    if (!(*ratio_p <= FLIP_BAD_RATIO)) {
        if (!reported)
            return FLIP_SILENT;
        return repaired ? FLIP_CLAIMED : FLIP_DETECTED;
    }
    if (reported)
        return repaired ? FLIP_CORRECTED : FLIP_FALSE;
    return exact ? FLIP_EXACT : FLIP_BENIGN;
}

static void judge(int wait_status, flip_trial *trial_p)
{
    const int sig = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;

    trial_p->ratio = 0;
    trial_p->status = shared->status;
    trial_p->report = shared->report;
    trial_p->input_damaged = shared->input_damaged;
    if (shared->done == DONE)
        trial_p->result =
            judge_output(&trial_p->report, trial_p->status, &trial_p->ratio);
    else
        trial_p->result =
            sig == SIGPROF || sig == SIGALRM ? FLIP_HANG : FLIP_CRASH;
}

/* ------------------------------------------------------------------- child */

/* Signals end a child, those that its parent handles among them, and it prints
 * nothing, such as a failed assertion of a system library. It can call the
 * system for nothing but to end: a child that runs wild has the rights of who
 * tests, and must not touch files or other processes. */
static void limit_child(void)
{
    const int signals[] = {SIGALRM, SIGPROF, SIGTRAP};
    const long us =
        CPU_MICROSECONDS + (long)(1e6 * CPU_EXECUTIONS * subject->seconds);
    const struct itimerval cpu = {{0, 0}, {us / 1000000, us % 1000000}};

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_DFL);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    setitimer(ITIMER_PROF, &cpu, NULL);
    alarm(WALL_SECONDS);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
}

static int flip(ucontext_t *context, const flip_trial *t)
{
    switch (t->campaign) {
    case FLIP_WRITTEN:
    case FLIP_AT_REST: return flip_simd_bit(context, t->reg, t->bit);
    case FLIP_GENERAL_WRITTEN: return flip_general_bit(context, t->reg, t->bit);
    default: return flip_flag_bit(context, t->bit);
    }
}

int flip_trial_fork(ucontext_t *context, flip_trial *trial_p)
{
    int wait_status = 0;
    pid_t child;

    memset(shared, 0, sizeof *shared);
    child = fork();
    if (child == 0) {
        limit_child();
        flip_single_step(context, 0);
        if (!flip(context, trial_p))
            _exit(1); /* no done: a crash, which the parent counts */
        return 1;
    }
    while (child > 0 && waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
        ;
    judge(wait_status, trial_p);
    return 0;
}

#endif
