/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Stores to wrong addresses that hit the input, in rows that a protected plan
 * computes in pieces: they are repaired if the input is whole, and reported if it is
 * not, as nobody knows then what the results should be. The store to the second page
 * of a row's output traps; by then the row is loaded, and its first results are
 * stored. The handler spoils one of these, and an element of the input.
 *
 * Short rows in place are computed twice; their results replace the input. There the
 * handler takes back a row that is stored, as if it had been stored nowhere, which is
 * repaired, or to a row of an earlier piece, which is reported. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "support/problem/problem.h"
#include "tests/tap.h"

#if defined __linux__ && defined HAVE_VECTOR_EXT
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* A row of F32 takes two pages, and 32 rows fill tiles of any instruction set. */
enum { PAGE = 4096, N = 1024, ROW = 2 * N, ROWS = 32, REALS = ROW * ROWS };

static float *input, *output;
static volatile int row;              /* the row whose store traps, */
static volatile int damaged;          /* that whose input is hit, or -1, */
static volatile sig_atomic_t trapped; /* and how often it did */

/* Short rows, in place: of which page the store traps, inside of a piece, what
 * row 0 of the page before had as its input, and whether its result goes to row 0 of
 * all. */
enum { SHORT = 4, SHORT_ROWS = 8000, SHORT_ROW = 2 * SHORT, TRAP = 43 };

static float *in_place;
static float first[SHORT_ROW];
static volatile int is_elsewhere;

static float *page_in_place(int page)
{
    return in_place + (size_t)page * (PAGE / sizeof *in_place);
}

static void take_back(void)
{
    float *stored = page_in_place(TRAP - 1);

    trapped++;
    if (is_elsewhere)
        memcpy(in_place, stored, sizeof first);
    memcpy(stored, first, sizeof first);
}

static char *trap_page(void)
{
    if (in_place != NULL)
        return (char *)page_in_place(TRAP);

    return (char *)(output + (size_t)row * ROW) + PAGE;
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    char *page = trap_page();

    (void)context;
    if ((char *)info->si_addr < page || (char *)info->si_addr >= page + PAGE
        || mprotect(page, PAGE, PROT_READ | PROT_WRITE) != 0) {
        signal(number, SIG_DFL);
        return;
    }
    if (in_place != NULL) {
        take_back();
        return;
    }
    trapped++;
    output[(size_t)row * ROW] += 1000;
    if (damaged >= 0)
        input[(size_t)damaged * ROW + 4] += 1;
}

static stf_plan *make_plan(stf_device *dev, int64_t n, int64_t rows)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;

    d.n[0] = n;
    d.batch = rows;
    d.threads = 1;
    d.ft.mode = STF_FT_CORRECT;
    if (stf_plan_fft(dev, &d, &plan))
        tap_ok(0, "%s", stf_error_message());
    return plan;
}

static stf_status run(stf_plan *plan, int hit)
{
    damaged = hit;
    trapped = 0;
    if (mprotect(trap_page(), PAGE, PROT_READ))
        return STF_ERR_DEVICE;
    return stf_execute(plan, STF_FORWARD, input, output);
}

static void test_row(stf_plan *plan, const float *clean, int number)
{
    const int hits[] = {number, number / 2, 0};
    stf_ft_report r;
    stf_status status;

    row = number;
    stf_plan_ft_reset(plan);
    status = run(plan, -1);
    tap_ok(status == STF_CORRECTED && trapped == 1
               && !memcmp(output, clean, REALS * sizeof *output)
               && stf_plan_ft_report(plan, &r) == STF_OK && r.recomputed > 0,
           "row %d: repaired", number);
    for (int i = 0; i < 3; i++) {
        float kept = input[(size_t)hits[i] * ROW + 4];
        stf_plan_ft_reset(plan);
        status = run(plan, hits[i]);
        tap_ok(status == STF_ERR_UNCORRECTED && trapped == 1
                   && stf_plan_ft_report(plan, &r) == STF_ERR_UNCORRECTED
                   && r.uncorrectable > 0,
               "row %d: the store has hit the input of row %d", number,
               hits[i]);
        input[(size_t)hits[i] * ROW + 4] = kept;
    }
}

static stf_status run_in_place(stf_plan *plan, const float *data, int moves)
{
    memcpy(in_place, data, SHORT_ROWS * sizeof first);
    memcpy(first, page_in_place(TRAP - 1), sizeof first);
    is_elsewhere = moves;
    trapped = 0;
    stf_plan_ft_reset(plan);
    if (mprotect(trap_page(), PAGE, PROT_READ))
        return STF_ERR_DEVICE;
    return stf_execute(plan, STF_FORWARD, in_place, in_place);
}

static void test_in_place(stf_device *dev)
{
    const size_t bytes = SHORT_ROWS * sizeof first;
    uint64_t state = tap_seed() + 1;
    float *data = malloc(bytes);
    stf_plan *plan = make_plan(dev, SHORT, SHORT_ROWS);
    stf_ft_report r;
    stf_status status;

    in_place = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (plan != NULL && data != NULL && in_place != MAP_FAILED) {
        stfi_random_fill(STF_F32, data, SHORT_ROWS * SHORT_ROW, &state);
        status = run_in_place(plan, data, 0);
        tap_ok(status == STF_CORRECTED && trapped == 1,
               "in place: a row that was not stored is repaired");
        status = run_in_place(plan, data, 1);
        tap_ok(status == STF_ERR_UNCORRECTED && trapped == 1
                   && stf_plan_ft_report(plan, &r) == STF_ERR_UNCORRECTED
                   && r.uncorrectable > 0,
               "in place: one that was stored to another row is reported");
        munmap(in_place, bytes);
    }
    stf_plan_destroy(plan);
    free(data);
}

int main(void)
{
    const struct sigaction action = {.sa_sigaction = on_trap,
                                     .sa_flags = SA_SIGINFO | SA_NODEFER};
    const size_t bytes = REALS * sizeof(float);
    float *clean = malloc(bytes);
    uint64_t state = tap_seed();
    stf_device *dev = NULL;
    stf_plan *plan;

    tap_begin("ft/stray");
    if (sysconf(_SC_PAGESIZE) != PAGE) {
        free(clean);
        return tap_skip("pages are of another size",
                        "stores that hit the input"),
               tap_end();
    }
    input = malloc(bytes);
    output = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!clean || !input || output == MAP_FAILED || stf_device_open("cpu", &dev)
        || sigaction(SIGSEGV, &action, NULL))
        return tap_ok(0, "cannot start"), tap_end();
    stfi_random_fill(STF_F32, input, REALS, &state);
    plan = make_plan(dev, N, ROWS);
    if (plan != NULL
        && stf_execute(plan, STF_FORWARD, input, output) == STF_OK) {
        memcpy(clean, output, bytes);
        for (int number = 1; number < ROWS; number += 10)
            test_row(plan, clean, number);
    }
    test_in_place(dev);
    stf_plan_destroy(plan);
    stf_device_close(dev);
    munmap(output, bytes);
    free(input);
    free(clean);
    return tap_end();
}
#else
int main(void)
{
    tap_begin("ft/stray");
    tap_skip("not Linux, or plain C, which has no pieces",
             "stores that hit the input");
    return tap_end();
}
#endif
