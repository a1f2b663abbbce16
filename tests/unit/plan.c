/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans of a second class, which transform nothing. What all plans have in
 * common (workspace, description, reports, faults, destruction) must work for
 * them, and functions for transforms must refuse them. */
#include "run/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "run/protect.h"
#include "support/harness/far.h"
#include "tests/tap.h"

/* A plan of this class. Its workspace can be halved, but not below `least`. */
typedef struct toy {
    stf_plan head;
    size_t wanted, least;
    stfi_ft_ledger ledger;
    int faults; /* faults for the next execution */
    int keeps;  /* 1 if an execution need not use up all its faults */
} toy;

/* Counts the calls of the class's functions. */
static struct {
    int made, unmade, destroyed, injected;
} calls;

static const toy *toy_of(const stf_plan *plan)
{
    return (const toy *)plan;
}

static stf_status toy_design(stf_plan *plan, size_t most_bytes)
{
    const toy *t = toy_of(plan);

    plan->workspace_bytes = t->wanted < most_bytes ? t->wanted : most_bytes;
    return STF_OK;
}

static stf_status toy_make(stf_plan *plan)
{
    (void)plan;
    calls.made++;
    return STF_OK;
}

static void toy_unmake(stf_plan *plan)
{
    (void)plan;
    calls.unmade++;
}

static int toy_can_be_cut(const stf_plan *plan, size_t *most_p)
{
    *most_p = plan->workspace_bytes / 2;
    return *most_p >= toy_of(plan)->least;
}

static void toy_destroy(stf_plan *plan)
{
    (void)plan;
    calls.destroyed++;
}

static size_t toy_describe(const stf_plan *plan, char *text, size_t capacity)
{
    return (size_t)snprintf(text, capacity, "toy of %zu bytes",
                            plan->workspace_bytes);
}

static stf_status toy_report(stf_plan *plan, int reset, stf_ft_report *sum)
{
    toy *t = (toy *)plan;

    stfi_ft_ledger_report(&t->ledger, sum);
    if (reset)
        memset(&t->ledger, 0, sizeof t->ledger);
    return STF_OK;
}

static stf_status toy_check_fault(const stf_plan *plan, const stf_fault *fault)
{
    (void)plan;
    return fault->pass == 0 ? STF_OK
                            : stfi_error(STF_ERR_ARGUMENT, "one pass only");
}

static stf_status toy_inject(stf_plan *plan, const stf_fault *fault, int count)
{
    (void)fault;
    calls.injected++;
    ((toy *)plan)->faults = count;
    return STF_OK;
}

static int toy_may_keep_faults(const stf_plan *plan)
{
    return toy_of(plan)->keeps;
}

static stf_fault toy_draw_fault(const stf_plan *plan, uint64_t seed)
{
    (void)plan;
    return (stf_fault){.element = (int64_t)seed};
}

static const stfi_plan_class toy_class = {
    .name = "toys",
    .design = toy_design,
    .make = toy_make,
    .unmake = toy_unmake,
    .can_be_cut = toy_can_be_cut,
    .destroy = toy_destroy,
    .describe = toy_describe,
    .report = toy_report,
    .check_fault = toy_check_fault,
    .inject = toy_inject,
    .may_keep_faults = toy_may_keep_faults,
    .draw_fault = toy_draw_fault,
};

/* The same class without protection. */
static const stfi_plan_class plain_class = {
    .name = "plain toys",
    .design = toy_design,
    .make = toy_make,
    .unmake = toy_unmake,
    .can_be_cut = toy_can_be_cut,
    .destroy = toy_destroy,
    .describe = toy_describe,
};

static stf_status make_toy(stf_device *dev, const stfi_plan_class *class,
                           size_t wanted, size_t least, toy **toy_p)
{
    const stf_ft_desc ft = {.mode = STF_FT_CORRECT};
    stf_plan *plan;
    stf_status status = stfi_plan_open(dev, class, sizeof(toy), &ft, &plan);

    if (status != STF_OK)
        return status;
    *toy_p = (toy *)plan;
    (*toy_p)->wanted = wanted;
    (*toy_p)->least = least;
    memset(&calls, 0, sizeof calls);
    return stfi_plan_make(plan, 1);
}

/* ------------------------------------------------------------------- tests */

static void test_workspace(stf_device *dev)
{
    const size_t limit = 1 << 20;
    toy *t = NULL;
    stf_status status;

    stfi_far_reset(0);
    status = make_toy(dev, &toy_class, 4 << 20, 1, &t);
    tap_ok(status == STF_OK && t->head.workspace != NULL && calls.made == 1
               && stf_plan_workspace(&t->head) == 4 << 20,
           "a workspace is what the class wants");
    stf_plan_destroy(&t->head);
    tap_ok(calls.unmade == 1 && calls.destroyed == 1
               && stfi_far_counted().allocations == 0,
           "and ends with the plan");
    stfi_far_reset(limit);
    status = make_toy(dev, &toy_class, 4 << 20, 1, &t);
    /* Memory for three more workspaces of that size must be left. */
    tap_ok(status == STF_OK && calls.made == calls.unmade + 1
               && stf_plan_workspace(&t->head) == limit / 4,
           "in 1 MB it is cut to %zu bytes", stf_plan_workspace(&t->head));
    stf_plan_destroy(&t->head);
    status = make_toy(dev, &toy_class, 4 << 20, 2 << 20, &t);
    tap_ok(status == STF_ERR_MEMORY && t->head.workspace == NULL,
           "where it cannot be cut, memory is short");
    stf_plan_destroy(&t->head);
    stf_plan_destroy(NULL);
    tap_ok(calls.destroyed == 1 && stfi_far_counted().allocations == 0,
           "and nothing is left of the plan");
    stfi_far_reset(0);
}

/* Nothing is made for a workspace that the machine has no room for. */
static void test_room(void)
{
    stf_device *dev = NULL;
    toy *t = NULL;
    stf_status status;

    tap_ok(stf_device_open("cpu", &dev) == STF_OK, "the cpu device opens");
    status = make_toy(dev, &toy_class, (size_t)1 << 50, (size_t)1 << 49, &t);
    tap_ok(status == STF_ERR_MEMORY && calls.made == 0
               && strstr(stf_error_message(), "562949953421312 bytes") != NULL,
           "a petabyte is refused before anything is made: %s",
           stf_error_message());
    stf_plan_destroy(&t->head);
    status = make_toy(dev, &toy_class, (size_t)1 << 50, 1, &t);
    tap_ok(status == STF_OK && calls.made == 1,
           "and cut to %zu bytes before anything is made",
           t->head.workspace_bytes);
    stf_plan_destroy(&t->head);
    stf_device_close(dev);
}

static void test_describe(const toy *t)
{
    char text[64] = "";

    tap_ok(stf_plan_describe(&t->head, text, sizeof text) == STF_OK
               && strcmp(text, "toy of 64 bytes") == 0,
           "a plan describes itself");
    tap_ok(stf_plan_describe(&t->head, text, 15) == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "needs 16 bytes"),
           "where there is room: %s", stf_error_message());
}

static void test_report(toy *t)
{
    stf_ft_report r;

    t->ledger.checked = 10;
    t->ledger.detected = t->ledger.events = 1;
    t->ledger.event[0] = (stf_ft_event){.pass = 2, .signal = 7};
    tap_ok(stf_plan_ft_report(&t->head, &r) == STF_OK && r.groups_checked == 10
               && r.detected == 1 && r.first_event.signal == 7,
           "a report is what the class's ledgers have");
    t->ledger.uncorrectable = 1;
    tap_ok(stf_plan_ft_report(&t->head, &r) == STF_ERR_UNCORRECTED
               && strstr(stf_error_message(), "pass 2"),
           "what could not be corrected is an error");
    tap_ok(stf_plan_ft_reset(&t->head) == STF_OK
               && stf_plan_ft_report(&t->head, &r) == STF_OK
               && r.groups_checked == 0 && r.first_event.signal == -1,
           "a reset forgets it");
}

static void test_faults(toy *t)
{
    stf_fault f = {.pass = 1};

    tap_ok(stf_plan_inject(&t->head, &f, 1) == STF_ERR_ARGUMENT
               && calls.injected == 0 && !t->head.armed,
           "the class says which faults there are");
    tap_ok(stf_plan_draw_fault(&t->head, 5, &f) == STF_OK && f.element == 5
               && stf_plan_inject(&t->head, &f, 1) == STF_OK && t->faults == 1
               && t->head.armed,
           "and draws one, which the next execution has to suffer");
    tap_ok(stfi_plan_disarm(&t->head, STF_CORRECTED) == STF_CORRECTED
               && t->faults == 1 && !t->head.armed,
           "after which the plan has none");
    t->keeps = 1;
    tap_ok(stf_plan_inject(&t->head, &f, 1) == STF_OK
               && stfi_plan_disarm(&t->head, STF_ERR_DEVICE) == STF_ERR_DEVICE
               && t->faults == 0,
           "what the execution did not suffer is taken back");
}

static void test_refused(toy *t)
{
    float data[2] = {0};
    stf_plan *plan = &t->head;

    tap_ok(stf_execute(plan, STF_FORWARD, data, data) == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "transforms")
               && strstr(stf_error_message(), "toys"),
           "it is no plan of transforms: %s", stf_error_message());
    tap_ok(stf_execute_on(plan, STF_FORWARD, data, data, NULL, NULL)
                   == STF_ERR_ARGUMENT
               && stf_execute_host(plan, STF_FORWARD, data, data)
                      == STF_ERR_ARGUMENT,
           "whatever call executes them");
}

static void test_plain(stf_device *dev)
{
    stf_ft_report r;
    stf_fault f = {.pass = 0};
    toy *t = NULL;

    tap_ok(make_toy(dev, &plain_class, 64, 1, &t) == STF_OK
               && stf_plan_ft_report(&t->head, &r) == STF_OK
               && r.groups_checked == 0 && stf_plan_ft_reset(&t->head) == STF_OK
               && stf_plan_inject(&t->head, &f, 1) == STF_ERR_ARGUMENT
               && stf_plan_draw_fault(&t->head, 1, &f) == STF_ERR_ARGUMENT,
           "a class without protection reports nothing, and has no faults");
    stf_plan_destroy(&t->head);
}

int main(void)
{
    stf_device *dev = NULL;
    toy *t = NULL;

    tap_begin("unit/plan");
    if (!tap_ok(stfi_far_open("h200", &dev) == STF_OK, "a far device opens"))
        return tap_end();
    test_workspace(dev);
    test_plain(dev);
    test_room();
    tap_ok(make_toy(dev, &toy_class, 64, 1, &t) == STF_OK, "a toy is made");
    stf_device_close(dev); /* the plan keeps it open */
    test_describe(t);
    test_report(t);
    test_faults(t);
    test_refused(t);
    stf_plan_destroy(&t->head);
    tap_ok(stfi_far_counted().allocations == 0, "nothing is left");
    return tap_end();
}
