/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Children of fork(): every public call works there and gives the same results,
 * although the threads of the parent's teams are not there. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdlib.h>
#include <unistd.h>

#include "support/harness/far.h"
#include "tests/process/child.h"
#include "tests/process/work.h"
#include "tests/tap.h"

/* What a child does: with a device of the parent's, or one of its own. */
typedef struct task {
    stf_device *dev; /* NULL: its own */
    int threads;
} task;

static child_result as_child(work_result result)
{
    return result == WORK_RIGHT ? CHILD_RIGHT : CHILD_WRONG;
}

static child_result work_in_child(const void *arg)
{
    const task *t = arg;

    return as_child(t->dev != NULL ? work_do(t->dev, t->threads)
                                   : work_do_all(t->threads));
}

static child_result work_on_far_device(const void *arg)
{
    const task *t = arg;

    return as_child(work_do_host(t->dev, t->threads));
}

/* The device says how many threads there are. */
static int has_threads(const stf_device *dev, int threads)
{
    stf_device_info info;

    return stf_device_query(dev, &info) == STF_OK
           && info.max_threads == threads;
}

static child_result has_one_thread(const void *arg)
{
    return has_threads(arg, 1) ? CHILD_RIGHT : CHILD_WRONG;
}

/* Opening a device is no reason for a single thread: a daemon that forks after
 * it keeps its threads. */
static child_result has_two_threads(const void *arg)
{
    if (!has_threads(arg, 2))
        return CHILD_WRONG;
    return as_child(work_do_all(2));
}

static child_result fork_again(const void *arg)
{
    return child_run(work_in_child, arg);
}

static void test_before_any_team(stf_device *dev)
{
    static const char what[] = "a child of a single thread has two";

    if (!has_threads(dev, 2))
        tap_skip("a library without OpenMP", "%s", what);
    else if (access("/proc/self/task", R_OK) != 0)
        tap_skip("the system does not say how many threads there are", "%s",
                 what);
    else
        child_report(what, has_two_threads, dev);
}

int main(void)
{
    stf_device *dev = NULL, *far = NULL;
    task alone = {NULL, 1}, own = {NULL, 2}, inherited = {NULL, 2};
    task inherited_alone = {NULL, 1}, far_alone = {NULL, 1},
         far_two = {NULL, 2};

    tap_begin("fork");
    setenv("STEADFAST_THREADS", "2", 1);
    if (tap_ok(work_open() && stf_device_open("cpu", &dev) == STF_OK
                   && stfi_far_open("h200", &far) == STF_OK,
               "one thread")) {
        test_before_any_team(dev);
        tap_ok(work_do(dev, 2) == WORK_RIGHT
                   && work_do_host(far, 2) == WORK_RIGHT,
               "two threads, and one team in the parent");
        inherited.dev = inherited_alone.dev = dev;
        far_alone.dev = far_two.dev = far;
        child_report("a child, one thread", work_in_child, &alone);
        child_report("a child, two threads", work_in_child, &own);
        child_report("the parent's device, one thread", work_in_child,
                     &inherited_alone);
        child_report("the parent's device, two threads", work_in_child,
                     &inherited);
        child_report("host arrays, one thread", work_on_far_device, &far_alone);
        child_report("host arrays, two threads", work_on_far_device, &far_two);
        child_report("a child of a child", fork_again, &own);
        child_report("a child has one thread", has_one_thread, dev);
        tap_ok(work_do(dev, 2) == WORK_RIGHT, "the parent's team still works");
    }
    stf_device_close(far);
    stf_device_close(dev);
    work_close();
    return tap_end();
}
