/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Wrong arguments to every public function: the status, a message that says
 * what was wrong, and outputs left as they were. Wrong fields of descriptors
 * are in tests/unit/desc.c. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steadfast.h"
#include "tests/tap.h"

enum { LENGTH = 64 };

/* 1 if a call failed as it should, with a message that holds `text`. */
static int failed(stf_status got, stf_status want, const char *text)
{
    int right = got == want && strstr(stf_error_message(), text);

    if (!right)
        tap_diag("got %s, \"%s\"; want %s, \"..%s..\"", stf_status_name(got),
                 stf_error_message(), stf_status_name(want), text);
    return right;
}

static void test_names(void)
{
    static const struct {
        stf_status status;
        const char *name;
    } rows[] = {
        {STF_OK, "STF_OK"},
        {STF_CORRECTED, "STF_CORRECTED"},
        {STF_UNCHECKED, "STF_UNCHECKED"},
        {STF_ERR_ARGUMENT, "STF_ERR_ARGUMENT"},
        {STF_ERR_UNSUPPORTED, "STF_ERR_UNSUPPORTED"},
        {STF_ERR_MEMORY, "STF_ERR_MEMORY"},
        {STF_ERR_IO, "STF_ERR_IO"},
        {STF_ERR_COMPILE, "STF_ERR_COMPILE"},
        {STF_ERR_DEVICE, "STF_ERR_DEVICE"},
        {STF_ERR_UNCORRECTED, "STF_ERR_UNCORRECTED"},
        {STF_ERR_INTERNAL, "STF_ERR_INTERNAL"},
    };
    char version[32];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        tap_ok(!strcmp(stf_status_name(rows[i].status), rows[i].name),
               "the name of %d is %s", (int)rows[i].status, rows[i].name);
    tap_ok(stf_status_name((stf_status)-99)
               && stf_status_name((stf_status)12345)
               && stf_status_name((stf_status)INT32_MIN),
           "unknown statuses have a name too");
    tap_ok(!strcmp(stf_error_message(), ""), "no message before any failure");
    snprintf(version, sizeof version, "%d.%d.%d", STF_VERSION_MAJOR,
             STF_VERSION_MINOR, STF_VERSION_PATCH);
    tap_ok(!strcmp(stf_version(), version), "version %s", version);
    tap_ok(strchr(stf_build_info(), ':') != NULL, "build information");
}

static void test_open(void)
{
    static const struct {
        const char *name;
        stf_status status; /* STF_OK: any failure will do, see below */
        const char *text;
    } rows[] = {
        {"tpu", STF_ERR_ARGUMENT, "tpu"},
        {"cpu:9", STF_ERR_ARGUMENT, "cpu:9"},
        {"cpu:", STF_ERR_ARGUMENT, "cpu:"},
        {"cpu:-1", STF_ERR_ARGUMENT, "cpu:-1"},
        {"cpu:x", STF_ERR_ARGUMENT, "cpu:x"},
        {"CPU", STF_ERR_ARGUMENT, "CPU"},
        {"", STF_ERR_ARGUMENT, ""},
        {":", STF_ERR_ARGUMENT, ":"},
        {"cuda:99999999999999999999", STF_OK, "cuda"},
        {"cuda:4000", STF_OK, "cuda"},
        {"hip:4000", STF_OK, "hip"},
        {"cpu with a name much longer than any device has, in order to see "
         "what becomes of it and of the message",
         STF_ERR_ARGUMENT, "cpu"},
    };
    stf_device *const sentinel = (stf_device *)&rows;
    stf_device *dev = sentinel;
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        stf_status got = stf_device_open(rows[i].name, &dev);
        stf_status want = rows[i].status;
        if (want == STF_OK)
            want = got == STF_ERR_ARGUMENT ? STF_ERR_ARGUMENT : STF_ERR_DEVICE;
        tap_ok(failed(got, want, rows[i].text) && dev == sentinel,
               "no device \"%s\": %s", rows[i].name, stf_error_message());
    }
    tap_ok(failed(stf_device_open("cpu", NULL), STF_ERR_ARGUMENT, "NULL"),
           "open into NULL");
}

/* STEADFAST_DEVICE replaces "auto" and NULL, and no other name. */
static void test_environment(void)
{
    stf_device *dev = NULL;

    setenv("STEADFAST_DEVICE", "abacus:3", 1);
    tap_ok(failed(stf_device_open(NULL, &dev), STF_ERR_ARGUMENT, "abacus:3")
               && strstr(stf_error_message(), "STEADFAST_DEVICE"),
           "STEADFAST_DEVICE=abacus:3: %s", stf_error_message());
    tap_ok(failed(stf_device_open("auto", &dev), STF_ERR_ARGUMENT, "abacus:3"),
           "and by the name of auto");
    tap_ok(!stf_device_open("cpu", &dev), "is not asked for cpu");
    stf_device_close(dev);
    setenv("STEADFAST_DEVICE", "cpu", 1);
    tap_ok(!stf_device_open(NULL, &dev), "STEADFAST_DEVICE=cpu");
    stf_device_close(dev);
    setenv("STEADFAST_DEVICE", "", 1);
    tap_ok(!stf_device_open(NULL, &dev), "an empty one is none");
    stf_device_close(dev);
    unsetenv("STEADFAST_DEVICE");
    tap_ok(!stf_device_open("auto", &dev), "auto finds a device");
    stf_device_close(dev);
    stf_device_close(NULL);
}

static void test_list(void)
{
    stf_device_info list[16], guard;
    int count = stf_device_list(NULL, 0), i, cpus = 0, right = 1;

    tap_ok(count >= 1, "%d devices are known", count);
    memset(list, 0x5a, sizeof list);
    memset(&guard, 0x5a, sizeof guard);
    tap_ok(stf_device_list(list, 1) == count
               && !memcmp(&list[1], &guard, sizeof guard),
           "a list of one is not overrun");
    tap_ok(stf_device_list(list, 16) == count, "listed");
    for (i = 0; i < count && i < 16; i++) {
        cpus += !strcmp(list[i].backend, "cpu") && list[i].available == 1;
        right = right && (list[i].available == 1 || list[i].reason[0]);
    }
    tap_ok(cpus == 1, "one of them is a cpu that can be used");
    tap_ok(right, "those that cannot be used say why");
    tap_ok(stf_device_list(list, -1) == count, "a negative capacity is none");
}

static void test_memory(stf_device *dev)
{
    char bytes[8] = "1234567", *copy = bytes;
    void *const sentinel = bytes;
    void *ptr = sentinel;
    stf_device_info info;

    tap_ok(failed(stf_device_query(NULL, &info), STF_ERR_ARGUMENT, "NULL")
               && failed(stf_device_query(dev, NULL), STF_ERR_ARGUMENT, "NULL"),
           "query of NULL and into NULL");
    tap_ok(!stf_device_query(dev, &info) && !strcmp(info.backend, "cpu")
               && !strcmp(info.name, "cpu") && info.available == 1
               && info.compute_units >= 1,
           "query");
    tap_ok(failed(stf_malloc(NULL, 8, &ptr), STF_ERR_ARGUMENT, "NULL")
               && failed(stf_malloc(dev, 8, NULL), STF_ERR_ARGUMENT, "NULL")
               && ptr == sentinel,
           "allocation with NULLs");
    tap_ok(failed(stf_malloc(dev, SIZE_MAX, &ptr), STF_ERR_MEMORY, "memory")
               && failed(stf_malloc(dev, (size_t)1 << 50, &ptr), STF_ERR_MEMORY,
                         "memory")
               && ptr == sentinel,
           "too much memory");
    tap_ok(!stf_malloc(dev, sizeof bytes, &ptr) && (size_t)ptr % 64 == 0,
           "memory, aligned");
    tap_ok(
        failed(stf_upload(NULL, ptr, bytes, 8), STF_ERR_ARGUMENT, "NULL")
            && failed(stf_upload(dev, NULL, bytes, 8), STF_ERR_ARGUMENT, "NULL")
            && failed(stf_upload(dev, ptr, NULL, 8), STF_ERR_ARGUMENT, "NULL"),
        "upload with NULLs");
    tap_ok(
        failed(stf_download(NULL, copy, ptr, 8), STF_ERR_ARGUMENT, "NULL")
            && failed(stf_download(dev, NULL, ptr, 8), STF_ERR_ARGUMENT, "NULL")
            && failed(stf_download(dev, copy, NULL, 8), STF_ERR_ARGUMENT,
                      "NULL"),
        "download with NULLs");
    tap_ok(!stf_upload(dev, ptr, bytes, sizeof bytes)
               && (memset(bytes, 0, sizeof bytes),
                   !stf_download(dev, bytes, ptr, sizeof bytes))
               && !strcmp(bytes, "1234567"),
           "up and down");
    stf_free(dev, ptr);
    stf_free(dev, NULL);
    tap_ok(!stf_synchronize(dev)
               && failed(stf_synchronize(NULL), STF_ERR_ARGUMENT, "NULL"),
           "synchronize");
}

static stf_fft_desc small_desc(stf_kind kind)
{
    stf_fft_desc d = stf_fft_desc_default();

    d.kind = kind;
    d.n[0] = LENGTH;
    d.threads = 1;
    return d;
}

static void test_plans(stf_device *dev)
{
    stf_fft_desc d = small_desc(STF_C2C);
    stf_plan *const sentinel = (stf_plan *)&d;
    stf_plan *plan = sentinel;

    tap_ok(
        failed(stf_plan_fft(NULL, &d, &plan), STF_ERR_ARGUMENT, "NULL")
            && failed(stf_plan_fft(dev, NULL, &plan), STF_ERR_ARGUMENT, "NULL")
            && failed(stf_plan_fft(dev, &d, NULL), STF_ERR_ARGUMENT, "NULL"),
        "plans from NULLs");
    d.compute = STF_COMPUTE_TENSOR;
    tap_ok(failed(stf_plan_fft(dev, &d, &plan), STF_ERR_ARGUMENT, "f16"),
           "matrix units for F32");
    d.precision = STF_BF16;
    d.compute = STF_COMPUTE_SPLIT;
    tap_ok(failed(stf_plan_fft(dev, &d, &plan), STF_ERR_ARGUMENT, "bf16"),
           "BF16 split into halves");
    tap_ok(plan == sentinel, "no plan came of these");
    stf_plan_destroy(NULL);
    tap_ok(stf_plan_workspace(NULL) == 0, "the workspace of no plan");
}

static void test_describe(stf_plan *plan)
{
    char text[8192], cut[16];

    memset(cut, 'x', sizeof cut);
    tap_ok(failed(stf_plan_describe(NULL, text, sizeof text), STF_ERR_ARGUMENT,
                  "NULL")
               && failed(stf_plan_describe(plan, NULL, 8), STF_ERR_ARGUMENT,
                         "NULL")
               && stf_plan_describe(plan, text, 0) == STF_ERR_ARGUMENT,
           "describe with NULLs and without room");
    tap_ok(!stf_plan_describe(plan, text, sizeof text) && strlen(text) > 20,
           "describe");
    tap_ok(stf_plan_describe(plan, cut, 8) == STF_ERR_ARGUMENT
               && strlen(cut) == 7 && !strncmp(cut, text, 7) && cut[8] == 'x',
           "describe cuts, and says so: %s", stf_error_message());
}

/* Buffers for the largest array, with room to misalign it. */
typedef struct arrays {
    _Alignas(64) char in[LENGTH * 16 + 64];
    _Alignas(64) char out[LENGTH * 16 + 64];
    _Alignas(64) char work[1 << 16];
} arrays;

static void test_execute(stf_plan *plan)
{
    static arrays a;

    memset(&a, 0, sizeof a);
    tap_ok(failed(stf_execute(NULL, STF_FORWARD, a.in, a.out), STF_ERR_ARGUMENT,
                  "NULL")
               && failed(stf_execute(plan, STF_FORWARD, NULL, a.out),
                         STF_ERR_ARGUMENT, "NULL")
               && failed(stf_execute(plan, STF_FORWARD, a.in, NULL),
                         STF_ERR_ARGUMENT, "NULL")
               && failed(stf_execute_host(NULL, STF_FORWARD, a.in, a.out),
                         STF_ERR_ARGUMENT, "NULL")
               && failed(stf_execute_host(plan, STF_FORWARD, NULL, a.out),
                         STF_ERR_ARGUMENT, "NULL")
               && failed(
                   stf_execute_on(NULL, STF_FORWARD, a.in, a.out, a.work, NULL),
                   STF_ERR_ARGUMENT, "NULL"),
           "execute with NULLs");
    tap_ok(failed(stf_execute(plan, (stf_direction)0, a.in, a.out),
                  STF_ERR_ARGUMENT, "direction")
               && failed(stf_execute(plan, (stf_direction)7, a.in, a.out),
                         STF_ERR_ARGUMENT, "direction"),
           "wrong directions");
    tap_ok(failed(stf_execute(plan, STF_FORWARD, a.in + 2, a.out),
                  STF_ERR_ARGUMENT, "align")
               && failed(stf_execute(plan, STF_FORWARD, a.in, a.out + 1),
                         STF_ERR_ARGUMENT, "align"),
           "misaligned arrays");
    tap_ok(!stf_execute(plan, STF_FORWARD, a.in + 4, a.out + 12),
           "arrays aligned to a component only are fine");
    tap_ok(!stf_execute_host(plan, STF_INVERSE, a.in, a.out)
               && !stf_execute(plan, STF_INVERSE, a.in, a.in),
           "good calls");
}

/* A workspace that the caller allocates, for a plan that needs one. */
static void test_workspace(stf_device *dev)
{
    stf_fft_desc d = small_desc(STF_C2C);
    stf_plan *plan = NULL;
    char *in, *work;
    size_t bytes, size;

    d.n[0] = 65536;
    d.precision = STF_F64;
    size = (size_t)d.n[0] * 16;
    if (stf_plan_fft(dev, &d, &plan)) {
        tap_ok(0, "a long plan: %s", stf_error_message());
        return;
    }
    bytes = stf_plan_workspace(plan);
    in = aligned_alloc(64, 2 * size);
    work = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (in && work && bytes) {
        memset(in, 0, 2 * size);
        tap_ok(failed(stf_execute_on(plan, STF_FORWARD, in, in + size, work + 8,
                                     NULL),
                      STF_ERR_ARGUMENT, "align"),
               "a misaligned workspace: %s", stf_error_message());
        tap_ok(!stf_execute_on(plan, STF_FORWARD, in, in + size, work, NULL)
                   && !stf_execute_on(plan, STF_FORWARD, in, in + size, NULL,
                                      NULL),
               "a good workspace, and none");
    } else {
        tap_skip("the plan needs no workspace", "a misaligned workspace");
    }
    free(work);
    free(in);
    stf_plan_destroy(plan);
}

static void test_directions(stf_device *dev)
{
    static arrays a;
    static const struct {
        stf_kind kind;
        stf_direction wrong;
        const char *name;
    } rows[] = {
        {STF_R2C, STF_INVERSE, "r2c runs forward only"},
        {STF_C2R, STF_FORWARD, "c2r runs inverse only"},
        {STF_DCT2, STF_INVERSE, "dct2 runs forward only"},
        {STF_DST3, STF_INVERSE, "dst3 runs forward only"},
        {STF_R2HC, STF_INVERSE, "r2hc runs forward only"},
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        stf_fft_desc d = small_desc(rows[i].kind);
        stf_plan *plan = NULL;
        tap_ok(!stf_plan_fft(dev, &d, &plan)
                   && failed(stf_execute(plan, rows[i].wrong, a.in, a.out),
                             STF_ERR_ARGUMENT, "direction"),
               "%s", rows[i].name);
        tap_ok(!stf_execute(plan, (stf_direction)-rows[i].wrong, a.in, a.out),
               "%s: the other way", rows[i].name);
        stf_plan_destroy(plan);
    }
}

/* The same array is given in place although the layouts of its sides differ. */
static void test_in_place(stf_device *dev)
{
    static arrays a;
    static const struct {
        stf_kind kind;
        int64_t in, out, in_dist, out_dist;
    } rows[] = {
        {STF_C2C, 2, 1, 1, 1},
        {STF_C2C, 1, -1, 1, 1},
        {STF_C2C, 1, 1, LENGTH + 1, LENGTH},
        {STF_R2C, 2, 1, 128, LENGTH},
        {STF_R2C, 1, 1, LENGTH, 33},
        {STF_C2R, 1, 1, 33, LENGTH},
        {STF_DCT4, 2, 1, 128, LENGTH},
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        stf_fft_desc d = small_desc(rows[i].kind);
        stf_plan *plan = NULL;
        d.batch = 2;
        d.in.stride[0] = rows[i].in;
        d.out.stride[0] = rows[i].out;
        d.in.dist = rows[i].in_dist;
        d.out.dist = rows[i].out_dist;
        tap_ok(!stf_plan_fft(dev, &d, &plan)
                   && failed(stf_execute(plan,
                                         rows[i].kind == STF_C2R ? STF_INVERSE
                                                                 : STF_FORWARD,
                                         a.in, a.in),
                             STF_ERR_ARGUMENT, "place"),
               "in place with unlike layouts, row %d", (int)i);
        stf_plan_destroy(plan);
    }
}

int main(void)
{
    stf_device *dev = NULL;
    stf_plan *plan = NULL;
    stf_fft_desc d;

    tap_begin("errors");
    unsetenv("STEADFAST_DEVICE");
    test_names();
    test_open();
    test_environment();
    test_list();
    if (!tap_ok(!stf_device_open("cpu", &dev), "the cpu device opens"))
        return tap_end();
    test_memory(dev);
    test_plans(dev);
    d = small_desc(STF_C2C);
    if (tap_ok(!stf_plan_fft(dev, &d, &plan), "a plan")) {
        test_describe(plan);
        test_execute(plan);
        test_workspace(dev);
        test_directions(dev);
        test_in_place(dev);
    }
    /* The plan keeps the device alive. */
    stf_device_close(dev);
    tap_ok(stf_plan_workspace(plan) < (1 << 20), "a plan outlives its device");
    stf_plan_destroy(plan);
    return tap_end();
}
