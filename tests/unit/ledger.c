/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Ledgers: each counter of ft/counters.def survives every sum and copy up to
 * the public report. The device is the cpu, with end-to-end checks whose
 * ledgers are made up. */
#include <inttypes.h>
#include <string.h>

#include "fft/desc.h"
#include "ft/ledger.h"
#include "run/end_to_end/end_to_end_device.h"
#include "tests/tap.h"

enum {
    EVENTS = 40
}; /* events of a ledger; two ledgers have more than are
                       * kept */

/* A ledger whose numbers differ between counters and between ledgers. */
static stfi_ft_ledger made_up(int which)
{
    stfi_ft_ledger l;
    int next = 1;

    memset(&l, 0, sizeof l);
#define STFI_FT_COUNTER(name, NAME, field, combine, meaning) \
    l.name = 100 * which + next++;
#define STFI_FT_HOST_COUNTER STFI_FT_COUNTER
#include "ft/counters.def"
    l.events = EVENTS;
    for (int i = 0; i < EVENTS; i++) {
        l.event[i].signal = 1000 * which + i;
        l.unlocated |= (uint64_t)(i % 3 == which) << i;
    }
    return l;
}

/* How counters of ledgers 1 and 2 are combined. */
#define TOGETHER_ADD(a, b) ((a) + (b))
#define TOGETHER_MAX(a, b) ((a) > (b) ? (a) : (b))

/* 1 if the sum is that of ledgers 1 and 2. */
static int is_sum(const stfi_ft_ledger *sum)
{
    const stfi_ft_ledger one = made_up(1), two = made_up(2);
    int right = sum->events == 2 * EVENTS;

#define STFI_FT_COUNTER(name, NAME, field, combine, meaning)         \
    if (!(sum->name == TOGETHER_##combine(one.name, two.name))) {    \
        tap_diag("%s: %g, %g, together %g", #name, (double)one.name, \
                 (double)two.name, (double)sum->name);               \
        right = 0;                                                   \
    }
#define STFI_FT_HOST_COUNTER STFI_FT_COUNTER
#include "ft/counters.def"
    for (int i = 0; i < STFI_FT_EVENTS; i++) {
        const stfi_ft_ledger *l = i < EVENTS ? &one : &two;
        int at = i % EVENTS;
        if (sum->event[i].signal != l->event[at].signal
            || (sum->unlocated >> i & 1) != (l->unlocated >> at & 1)) {
            tap_diag("event %d is of signal %" PRId64 "%s", i,
                     sum->event[i].signal,
                     sum->unlocated >> i & 1 ? " or others" : "");
            right = 0;
        }
    }
    return right;
}

/* ------------------------------------------- checks that a device would do */

static char exec[2];
static int made, resets;

static stf_status make_exec(stfi_bctx *ctx, const stfi_e2e_desc *of,
                            stfi_e2e_exec **exec_p)
{
    (void)ctx;
    (void)of;
    *exec_p = (stfi_e2e_exec *)(void *)&exec[made++];
    return STF_OK;
}

static void drop_exec(stfi_bctx *ctx, stfi_e2e_exec *e)
{
    (void)ctx;
    (void)e;
}

static stf_status read_ledger(stfi_e2e_exec *e, int reset,
                              stfi_ft_ledger *ledger_p)
{
    resets += reset;
    *ledger_p = made_up(1 + ((const char *)e == &exec[1]));
    return STF_OK;
}

/* Forward and inverse transforms have separate ledgers. */
static void test_device_sum(void)
{
    static const stfi_e2e_ops ops = {
        .create = make_exec, .destroy = drop_exec, .ledger = read_ledger};
    stf_fft_desc d = stf_fft_desc_default(), full;
    const stfi_e2e_forms forms = {{&full, NULL}, 0};
    stf_device *dev;
    stfi_device_e2e *checks;
    stfi_ft_ledger sum;
    stfi_backend backend;
    const stfi_backend *own;

    d.rank = 1;
    d.n[0] = 8;
    if (stf_device_open("cpu", &dev) || stfi_desc_complete(&d, &full)) {
        tap_ok(0, "no device: %s", stf_error_message());
        return;
    }
    own = dev->backend;
    backend = *own;
    backend.e2e = &ops;
    dev->backend = &backend;
    if (tap_ok(!stfi_device_e2e_create(dev, &forms, 0, &checks) && made == 2,
               "checks of both directions")) {
        tap_ok(!stfi_device_e2e_ledger(checks, 1, &sum) && resets == 2
                   && is_sum(&sum),
               "their ledgers are added up, and reset");
        stfi_device_e2e_destroy(checks);
    }
    dev->backend = own;
    stf_device_close(dev);
}

/* --------------------------------------------------------- sums and reports */

static void test_sum(void)
{
    stfi_ft_ledger sum, one = made_up(1), two = made_up(2);

    memset(&sum, 0, sizeof sum);
    stfi_ft_ledger_add(&one, &sum);
    stfi_ft_ledger_add(&two, &sum);
    tap_ok(is_sum(&sum), "ledgers are added up");
}

static void test_report(void)
{
    const stfi_ft_ledger one = made_up(1), two = made_up(2);
    stf_ft_report r, sum;
    int right = 1;

    stfi_ft_report_clear(&sum);
    tap_ok(sum.first_event.signal == -1 && sum.first_event.pass == -1
               && sum.groups_checked == 0 && sum.max_residual == 0,
           "a report of nothing");
    stfi_ft_report_clear(&r);
    stfi_ft_ledger_report(&two, &r);
    stfi_ft_ledger_report(&one, &r);
    stfi_ft_report_add(&r, &sum);
#define STFI_FT_COUNTER(name, NAME, field, combine, meaning)   \
    right &= r.field == TOGETHER_##combine(one.name, two.name) \
             && sum.field == r.field;
#define STFI_FT_HOST_COUNTER STFI_FT_COUNTER
#include "ft/counters.def"
    tap_ok(right && r.first_event.signal == 1000
               && sum.first_event.signal == 1000,
           "a report of two ledgers, and a sum of reports");
}

static void test_take(void)
{
    unsigned long long count[STFI_FT_DEVICE_COUNTERS];
    stfi_ft_ledger l;
    int right = 1;

    memset(&l, 0, sizeof l);
    for (int i = 0; i < STFI_FT_DEVICE_COUNTERS; i++)
        count[i] = 100 - (unsigned)i;
    stfi_ft_ledger_take(count, &l);
#define STFI_FT_COUNTER(name, NAME, field, combine, meaning) \
    right &= l.name == 100 - STFI_FT_##NAME;
#include "ft/counters.def"
    tap_ok(right && l.corrected == 0
               && l.located == STFI_FT_UNLOCATED - STFI_FT_DETECTED,
           "what a device has counted");
}

int main(void)
{
    tap_begin("ledger");
    test_device_sum();
    test_sum();
    test_report();
    test_take();
    return tap_end();
}
