/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tests of devices with memory and streams of their own: users' streams,
 * graphs, threads that share a plan, lack of memory, barely aligned pointers,
 * arrays of more than 2^31 elements. Tests that need no vendor's interface also
 * run on other devices. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/oracle/naive.h"
#include "tests/backend/huge.h"
#include "tests/devices.h"
#include "support/harness/trial.h"
#include "support/harness/vendor.h"
#include "tests/tap.h"

/* Problems of one pass and of several, with Bluestein's and Rader's algorithms,
 * with real data, and with several axes. */
static const char *const words[] = {
    "c2c:f32:out:1024*64", "c2c:f64:out:4096*5",  "c2c:f32:out:65536*4",
    "c2c:f64:out:1048576", "c2c:f32:out:1021*9",  "c2c:f32:out:65521",
    "r2c:f32:out:4096*7",  "c2r:f64:out:30030*2", "c2c:f32:in:360x70*3",
};

enum { WORDS = sizeof words / sizeof *words, THREADS = 8, ROUNDS = 6 };

/* A trial on a device, with a workspace of its own. */
typedef struct rig {
    stfi_trial trial;
    stfi_remote remote;
    void *work;
    stf_direction direction;
} rig;

/* Opens a rig with protection of that level, or as the problem says (NULL). */
static int open_guarded(rig *r, stf_device *dev, const char *word,
                        const stf_ft_level *level)
{
    stfi_problem p;

    memset(r, 0, sizeof *r);
    if (stfi_problem_parse(word, &p))
        return 0;
    if (level) {
        p.desc.ft.mode = STF_FT_CORRECT;
        p.desc.ft.level = *level;
    }
    if (stfi_trial_open(&r->trial, &p, 0, tap_seed()))
        return 0;
    r->direction = p.desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    return !stfi_remote_open(&r->trial, dev, &r->remote)
           && !stf_malloc(dev, stf_plan_workspace(r->remote.plan), &r->work);
}

static int open_rig(rig *r, stf_device *dev, const char *word)
{
    return open_guarded(r, dev, word, NULL);
}

static void close_rig(rig *r)
{
    if (r->remote.dev) {
        stf_free(r->remote.dev, r->work);
        stfi_remote_close(&r->remote);
    }
    stfi_trial_close(&r->trial);
}

static stf_status execute(rig *r, stf_plan *plan, void *stream)
{
    return stf_execute_on(
        plan, r->direction, stfi_remote_element(&r->trial, &r->remote, 0),
        stfi_remote_element(&r->trial, &r->remote, 1), r->work, stream);
}

/* Fetches the result and compares it; NULL if all is well. */
static const char *judge(rig *r, stf_device *cpu)
{
    stfi_trial *t = &r->trial;
    long double *want = NULL;
    const char *wrong;

    if (stfi_remote_fetch(t, &r->remote)
        || stfi_trial_want(t, cpu, r->direction, STFI_SOURCE_AUTO, &want))
        return stf_error_message();
    wrong = stfi_trial_damage(t);
    if (!wrong
        && !(stfi_naive_error(&t->full, stfi_trial_array(t, 1), want)
             <= stfi_naive_bound(&t->full)))
        wrong = "less accurate than its bound";
    stfi_trial_free_want(t, want);
    return wrong;
}

static void result(const char *wrong, const char *device, const char *word,
                   const char *what)
{
    tap_ok(!wrong, "%s: %s %s", device, word, what);
    if (wrong)
        tap_diag("%s", wrong);
}

/* ------------------------------------------------------- streams and graphs */

static const char *run_stream(rig *r, stf_device *dev, stf_device *cpu,
                              const char *word, stfi_vendor *v, void *stream)
{
    if (!open_rig(r, dev, word) || execute(r, r->remote.plan, stream))
        return stf_error_message();
    if (!stfi_vendor_wait(v, stream))
        return "the stream failed";
    return judge(r, cpu);
}

/* Captures an execution and launches the graph `times` times, with other data
 * than during the capture, and with the output cleared before each launch. */
static const char *replay(rig *r, stf_device *cpu, stfi_vendor *v, void *stream,
                          int times)
{
    const char *wrong = NULL;
    void *graph;
    stf_status status;

    if (!stfi_vendor_capture(v, stream))
        return "no capture begins";
    status = execute(r, r->remote.plan, stream);
    graph = stfi_vendor_captured(v, stream);
    if (status || !graph)
        return status ? stf_error_message() : "the capture failed";
    stfi_trial_renew(&r->trial, tap_seed() + 1);
    for (int i = 0; i < times && !wrong; i++)
        if (stfi_remote_load(&r->trial, &r->remote))
            wrong = stf_error_message();
        else if (!stfi_vendor_replay(v, graph, stream)
                 || !stfi_vendor_wait(v, stream))
            wrong = "the graph failed";
    stfi_vendor_graph_destroy(v, graph);
    return wrong ? wrong : judge(r, cpu);
}

static const char *run_graph(rig *r, stf_device *dev, stf_device *cpu,
                             const char *word, stfi_vendor *v, void *stream)
{
    return open_rig(r, dev, word) ? replay(r, cpu, v, stream, 1)
                                  : stf_error_message();
}

/* Executes once and resets the report; *count_p is the number of checks. */
static const char *count_checks(rig *r, stfi_vendor *v, void *stream,
                                int64_t *count_p)
{
    stf_ft_report report = {0};

    if (execute(r, r->remote.plan, stream) || !stfi_vendor_wait(v, stream)
        || stf_plan_ft_report(r->remote.plan, &report)
        || stf_plan_ft_reset(r->remote.plan))
        return "no execution beside the graph";
    *count_p = report.groups_checked;
    return NULL;
}

/* Graphs of protected plans must also repeat what lies between launches: tile
 * counters are cleared, and sums are judged by a later launch. */
static void test_guarded_graphs(stf_device *dev, const char *name,
                                stf_device *cpu, stfi_vendor *v, void *stream)
{
    static const struct {
        const char *word;
        stf_ft_level level;
    } rows[] = {
        {"c2c:f32:out:1024*4096", STF_FT_BLOCK},
        {"c2c:f32:out:262144*32", STF_FT_BLOCK},
        {"c2c:f64:out:1048576*4", STF_FT_BLOCK},
        {"c2c:f32:out:1024*64", STF_FT_OFFLINE},
        {"c2c:f64:out:65536*4", STF_FT_OFFLINE},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stf_ft_report report = {0};
        int64_t once = 0;
        rig r;
        const char *wrong = open_guarded(&r, dev, rows[i].word, &rows[i].level)
                                ? count_checks(&r, v, stream, &once)
                                : stf_error_message();

        if (!wrong)
            wrong = replay(&r, cpu, v, stream, 3);
        if (!wrong && stf_plan_ft_report(r.remote.plan, &report))
            wrong = stf_error_message();
        result(wrong, name, rows[i].word,
               rows[i].level == STF_FT_OFFLINE
                   ? "checked offline, replayed three times"
                   : "protected, replayed three times");
        tap_ok(once > 0 && report.groups_checked == 3 * once
                   && report.detected == 0,
               "%s: %s: %lld checks a time, no alarm", name, rows[i].word,
               (long long)once);
        close_rig(&r);
    }
}

static void test_vendor(stf_device *dev, const stf_device_info *info,
                        stf_device *cpu)
{
    static const struct {
        const char *what;
        const char *(*run)(rig *r, stf_device *dev, stf_device *cpu,
                           const char *word, stfi_vendor *v, void *stream);
    } tests[] = {{"on a user's stream", run_stream},
                 {"replayed as a graph", run_graph}};
    const char *reason = NULL;
    stfi_vendor *v = stfi_vendor_open(info, &reason);
    void *stream = v ? stfi_vendor_stream(v) : NULL;
    rig r;
    size_t k;
    int i;

    if (!tap_ok(stream != NULL, "%s: the vendor's interface", info->name))
        tap_diag("%s", reason ? reason : "no stream");
    for (k = 0; stream && k < sizeof tests / sizeof *tests; k++)
        for (i = 0; i < WORDS; i++) {
            result(tests[k].run(&r, dev, cpu, words[i], v, stream), info->name,
                   words[i], tests[k].what);
            close_rig(&r);
        }
    if (stream) {
        test_guarded_graphs(dev, info->name, cpu, v, stream);
        stfi_vendor_stream_destroy(v, stream);
    }
    stfi_vendor_close(v);
}

/* ---------------------------------------------------------------- threads */

typedef struct worker {
    pthread_t thread;
    rig rig;
    stf_plan *plan;      /* all threads share it */
    stfi_vendor *vendor; /* NULL: the default stream is used */
    const char *wrong;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    void *stream = w->vendor ? stfi_vendor_stream(w->vendor) : NULL;
    int i;

    for (i = 0; i < ROUNDS && !w->wrong; i++) {
        stfi_trial_reset(&w->rig.trial);
        if (stfi_remote_load(&w->rig.trial, &w->rig.remote)
            || execute(&w->rig, w->plan, stream))
            w->wrong = "a call failed";
        else if (stream && !stfi_vendor_wait(w->vendor, stream))
            w->wrong = "the stream failed";
    }
    if (stream)
        stfi_vendor_stream_destroy(w->vendor, stream);
    return NULL;
}

/* All threads execute the first thread's plan, each with its own arrays. */
static const char *run_threads(stf_device *dev, const stf_device_info *info,
                               stf_device *cpu, const char *word)
{
    static worker workers[THREADS];
    const char *wrong = NULL, *reason;
    stfi_vendor *v = stfi_vendor_open(info, &reason);
    int i, started = 0;

    memset(workers, 0, sizeof workers);
    for (i = 0; i < THREADS && !wrong; i++) {
        if (!open_rig(&workers[i].rig, dev, word))
            wrong = stf_error_message();
        stfi_trial_renew(&workers[i].rig.trial, tap_seed() + (uint64_t)i);
        workers[i].plan = workers[0].rig.remote.plan;
        workers[i].vendor = v;
    }
    for (i = 0; i < THREADS && !wrong; i++)
        if (!pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            started++;
        else
            wrong = "no thread";
    for (i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        wrong = workers[i].wrong ? workers[i].wrong : wrong;
    }
    for (i = 0; i < THREADS; i++) {
        if (!wrong)
            wrong = judge(&workers[i].rig, cpu);
        close_rig(&workers[i].rig);
    }
    stfi_vendor_close(v);
    return wrong;
}

static void test_threads(stf_device *dev, const stf_device_info *info,
                         stf_device *cpu)
{
    static const int some[] = {0, 2, 4, 6};
    size_t i;

    for (i = 0; i < sizeof some / sizeof *some; i++)
        result(run_threads(dev, info, cpu, words[some[i]]), info->name,
               words[some[i]], "by threads that share a plan");
}

/* ---------------------------------------------------------- lack of memory */

/* Takes almost all memory, so that an array and a plan's workspace cannot be
 * allocated, and frees it; then the plan must work. */
static void test_memory(stf_device *dev, const char *name, stf_device *cpu)
{
    enum { BLOCKS = 64 };
    static const char word[] = "c2c:f64:out:4194304*2";
    void *block[BLOCKS], *no_array = NULL;
    size_t bytes = (size_t)1 << 38;
    stf_plan *plan = NULL;
    stfi_problem p;
    stf_status status = STF_OK;
    int count = 0;
    rig r;

    while (bytes >= (size_t)1 << 20 && count < BLOCKS)
        if (!stf_malloc(dev, bytes, &block[count]))
            count++;
        else
            bytes /= 2;
    tap_ok(stf_malloc(dev, (size_t)1 << 30, &no_array) == STF_ERR_MEMORY
               && !no_array,
           "%s: an array that does not fit", name);
    if (!stfi_problem_parse(word, &p))
        status = stf_plan_fft(dev, &p.desc, &plan);
    tap_ok(status == STF_ERR_MEMORY && !plan, "%s: a plan that does not fit",
           name);
    tap_diag("%s", status ? stf_error_message() : "no error");
    stf_plan_destroy(plan);
    while (count > 0)
        stf_free(dev, block[--count]);
    if (open_rig(&r, dev, word) && !execute(&r, r.remote.plan, NULL))
        result(judge(&r, cpu), name, word, "once there is memory again");
    else
        result(stf_error_message(), name, word, "once there is memory again");
    close_rig(&r);
}

/* --------------------------------------------------------------- alignment */

static void test_alignment(stf_device *dev, const char *name, stf_device *cpu)
{
    static const int shifts[] = {1, 2, 3};
    static const char word[] = "c2c:f32:out:1000*3";
    const char *wrong = NULL;
    stfi_problem p;
    char *in, *out;
    rig r;
    size_t i;

    if (!open_rig(&r, dev, word)) {
        result(stf_error_message(), name, word, "misaligned");
        close_rig(&r);
        return;
    }
    in = stfi_remote_element(&r.trial, &r.remote, 0);
    out = stfi_remote_element(&r.trial, &r.remote, 1);
    tap_ok(stf_execute(r.remote.plan, STF_FORWARD, in + 2, out)
                   == STF_ERR_ARGUMENT
               && stf_execute(r.remote.plan, STF_FORWARD, in, out + 1)
                      == STF_ERR_ARGUMENT,
           "%s: pointers within a component", name);
    close_rig(&r);
    for (i = 0; i < sizeof shifts / sizeof *shifts && !wrong; i++) {
        memset(&r, 0, sizeof r);
        r.direction = STF_FORWARD;
        if (stfi_problem_parse(word, &p)
            || stfi_trial_open(&r.trial, &p, shifts[i], tap_seed())
            || stfi_remote_open(&r.trial, dev, &r.remote)
            || execute(&r, r.remote.plan, NULL))
            wrong = stf_error_message();
        else
            wrong = judge(&r, cpu);
        close_rig(&r);
    }
    result(wrong, name, word, "aligned to a component only");
}

/* Only CPUs have long double: other devices must report an error and not
 * crash. */
static void test_f80(stf_device *dev, const char *name)
{
    stf_plan *plan = NULL;
    stfi_problem p;
    stf_status status = stfi_problem_parse("c2c:f80:out:360*2", &p);

    if (!status)
        status = stf_plan_fft(dev, &p.desc, &plan);
    tap_ok(status == STF_ERR_UNSUPPORTED && !plan
               && strstr(stf_error_message(), "f80"),
           "%s: f80 is refused", name);
}

static void test_device(void *cpu, stf_device *dev, const stf_device_info *info)
{
    int gpu = stfi_device_is_gpu(info);

    test_alignment(dev, info->name, cpu);
    if (!stfi_device_is_cpu(info))
        test_f80(dev, info->name);
    if (gpu || stfi_device_is_cpu(info))
        test_threads(dev, info, cpu);
    if (!gpu)
        return;
    test_vendor(dev, info, cpu);
    test_memory(dev, info->name, cpu);
    if (tap_level() > TAP_QUICK)
        stfi_test_huge(dev, info);
}

int main(void)
{
    stf_device *cpu = NULL;

    tap_begin("gpu");
    if (!tap_ok(!stf_device_open("cpu", &cpu), "the cpu device opens"))
        return tap_end();
    stfi_devices_each(test_device, cpu);
    stf_device_close(cpu);
    return tap_end();
}
