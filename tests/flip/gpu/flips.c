/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Flips bits of registers of GPU kernels, one in an execution, and judges what
 * comes of it. Nothing of stf_plan_inject() is used.
 *
 *   flips PROBLEM MODE DATA,ADDRESS,PREDICATE SEED SECONDS FOLDER [CSV]
 *   flips r2c:f32:out:4096*32 correct 300,100,50 1 60 /tmp/work trials.csv
 *   flips gemm:f32:nn:256x192x128+c correct 300,100,50 1 60 /tmp/work x.csv
 *   flips list
 *
 * MODE is off, detect or correct, with +e2e after it or not; see rig.h. Then come
 * how many faults there shall be in registers with data, in those with addresses and
 * counters, and in predicates; most seconds; and a folder for kernels. One line
 * for each of the three goes to the standard output: problem, mode, kind,
 * trials, how many ended in each class of flip_class, the clean error, sites,
 * faults that no thread came by, and faults that damaged later executions. Ends
 * with 77 if there is no device: STF_FLIP_DEVICE names it, cuda:0 without it.
 * "list" prints the problems of problems.def.
 *
 * A fault strikes after a random instruction of a random launch, so that each
 * instruction that a thread executes is as likely as any other; the kernel goes
 * on with the flipped bit. The execution before was of other data, so that what
 * is not written shows. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/flip/gpu/worker.h"

enum { SKIPPED = 77, MOST_FAILURES = 3 };

/* Seconds that a trial, or all that comes before the first one, may take. */
static const double trial_seconds = 4, prepare_seconds = 300;

static const int most_sites[PTX_KINDS] = {420, 150, 60};

/* Counts the trial that a worker did not come back from. */
static void count_lost(flip_board *b, const flip_task *task, int hung)
{
    static const flip_rig none = {.plan = NULL};
    const flip_class outcome = hung ? FLIP_HANG : FLIP_CRASH;

    b->tally[b->trial.kind][outcome]++;
    b->made[b->trial.kind]++;
    flip_write(task->csv, task->label, &b->trial, outcome, 0, &none, 0);
    b->pending = 0;
}

/* Waits for a worker, and ends it where it hangs. */
static void watch(pid_t child, flip_board *b, const flip_task *task)
{
    const struct timespec pause = {0, 5000000};
    const double began = flip_now();
    int status, hung = 0;

    while (waitpid(child, &status, WNOHANG) == 0) {
        const double now = flip_now();

        hung = b->pending ? now - b->since > trial_seconds
                          : !b->ready && now - began > prepare_seconds;
        if (hung || now > task->deadline + 2 * trial_seconds) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            break;
        }
        nanosleep(&pause, NULL);
    }
    if (b->pending)
        count_lost(b, task, hung);
}

/* Starts workers until one has finished. Returns 0 if they cannot begin. */
static int run(flip_rig *rig, flip_board *b, const flip_task *task)
{
    int failures = 0;

    while (b->ready != 2 && flip_now() < task->deadline) {
        pid_t child;

        fflush(NULL);
        b->ready = 0;
        child = fork();
        if (child == 0)
            flip_work(rig, b, task);
        if (child < 0)
            ptx_die("no process", "for a worker");
        watch(child, b, task);
        if (b->absent)
            return 0;
        failures = b->ready == 0 ? failures + 1 : 0;
        if (failures == MOST_FAILURES)
            return 0;
    }
    return 1;
}

static void summarize(const flip_board *b, const char *label)
{
    static const char *const kinds[] = {"data", "address", "predicate"};

    for (int k = 0; k < PTX_KINDS; k++) {
        printf("%s,%s,%" PRId64, label, kinds[k], b->made[k]);
        for (int c = 0; c < FLIP_CLASSES; c++)
            printf(",%" PRId64, b->tally[k][c]);
        printf(",%.2e,%d,%" PRId64 ",%" PRId64 "\n", b->clean_error,
               b->sites[k], b->missed, b->lasting);
    }
}

static int list(void)
{
#define STFI_FLIP_PROBLEM(kind, problem) puts(problem);
#include "tests/flip/gpu/problems.def"
#undef STFI_FLIP_PROBLEM
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    const char *device = getenv("STF_FLIP_DEVICE");
    flip_task task = {.device = device != NULL ? device : "cuda:0"};
    static flip_rig rig;
    char label[256];
    flip_board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return list();
    if (b == MAP_FAILED || argc < 7
        || sscanf(argv[3], "%" SCNd64 ",%" SCNd64 ",%" SCNd64, &b->wanted[0],
                  &b->wanted[1], &b->wanted[2])
               != 3)
        ptx_die("usage", "flips PROBLEM MODE DATA,ADDRESS,PREDICATE SEED "
                         "SECONDS FOLDER [CSV]");
    snprintf(label, sizeof label, "%s,%s", argv[1], argv[2]);
    task.label = label;
    task.seed = strtoull(argv[4], NULL, 10);
    task.deadline = flip_now() + atof(argv[5]);
    memcpy(task.most_sites, most_sites, sizeof most_sites);
    flip_folder = argv[6];
    if (argc > 7 && (task.csv = fopen(argv[7], "a")) == NULL)
        ptx_die("cannot be written", argv[7]);
    if (flip_rig_make(argv[1], argv[2], task.seed, &rig) < 0)
        ptx_die(argv[1], stf_error_message());
    if (!run(&rig, b, &task)) {
        fprintf(stderr, "flips: %s: %s\n", label,
                b->absent ? b->reason : "it cannot begin");
        return b->absent ? SKIPPED : EXIT_FAILURE;
    }
    summarize(b, label);
    return EXIT_SUCCESS;
}
