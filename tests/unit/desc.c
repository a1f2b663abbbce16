/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Each field of a descriptor is wrong once: tests the status, and that the
 * message names the field. Also tests right descriptors: which values replace
 * the defaults. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "fft/desc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/problem/problem.h"
#include "tests/tap.h"

typedef enum field_type { ENUM, I32, I64, REAL, SIZE } field_type;

/* Sets one field of a good descriptor (c2c:f32:4x5x6*2), or two fields, and
 * says what the result must be. */
typedef struct row {
    size_t offset;
    field_type type;
    double real;   /* value of a REAL field */
    int64_t value; /* value of any other field */
    stf_status status;
    const char *names; /* what the message must hold */
} row;

#define FIELD(f) offsetof(stf_fft_desc, f)
#define WRONG STF_ERR_ARGUMENT

static const row rows[] = {
    {FIELD(size_bytes), SIZE, 0, 0, WRONG, "size_bytes"},
    {FIELD(size_bytes), SIZE, 0, 8, WRONG, "size_bytes"},
    {FIELD(size_bytes), SIZE, 0, 1 << 20, WRONG, "size_bytes"},
    {FIELD(kind), ENUM, 0, -1, WRONG, "kind"},
    {FIELD(kind), ENUM, 0, 15, WRONG, "kind"},
    {FIELD(kind), ENUM, 0, 1 << 30, WRONG, "kind"},
    {FIELD(kind), ENUM, 0, STF_R2R, WRONG, "kinds[0]"},
    {FIELD(precision), ENUM, 0, -1, WRONG, "precision"},
    {FIELD(precision), ENUM, 0, 5, WRONG, "precision"},
    {FIELD(compute), ENUM, 0, -1, WRONG, "compute"},
    {FIELD(compute), ENUM, 0, 3, WRONG, "compute"},
    {FIELD(compute), ENUM, 0, STF_COMPUTE_TENSOR, WRONG, "STF_COMPUTE_SPLIT"},
    {FIELD(rank), I32, 0, 0, WRONG, "rank"},
    {FIELD(rank), I32, 0, -1, WRONG, "rank"},
    {FIELD(rank), I32, 0, STF_MAX_RANK + 1, WRONG, "rank"},
    {FIELD(rank), I32, 0, INT32_MIN, WRONG, "rank"},
    {FIELD(rank), I32, 0, 4, WRONG, "n[3]"},
    {FIELD(n[0]), I64, 0, 0, WRONG, "n[0]"},
    {FIELD(n[0]), I64, 0, -4, WRONG, "n[0]"},
    {FIELD(n[1]), I64, 0, 0, WRONG, "n[1]"},
    {FIELD(n[2]), I64, 0, INT64_MIN, WRONG, "n[2]"},
    {FIELD(n[0]), I64, 0, INT64_MAX, WRONG, "n["},
    {FIELD(n[1]), I64, 0, (int64_t)1 << 60, WRONG, "n["},
    {FIELD(n[2]), I64, 0, (int64_t)1 << 58, WRONG, "n["},
    {FIELD(batch), I64, 0, 0, WRONG, "batch"},
    {FIELD(batch), I64, 0, -1, WRONG, "batch"},
    {FIELD(batch), I64, 0, INT64_MAX, WRONG, "batch"},
    {FIELD(batch), I64, 0, INT64_MAX / 120, WRONG, "batch"},
    {FIELD(in.stride[0]), I64, 0, INT64_MAX, WRONG, "in.stride[0]"},
    {FIELD(in.stride[1]), I64, 0, INT64_MIN, WRONG, "in.stride[1]"},
    {FIELD(in.stride[2]), I64, 0, INT64_MAX / 4, WRONG, "in.stride[2]"},
    {FIELD(in.dist), I64, 0, INT64_MAX, WRONG, "in.dist"},
    {FIELD(in.dist), I64, 0, INT64_MIN, WRONG, "in.dist"},
    {FIELD(out.stride[0]), I64, 0, INT64_MIN, WRONG, "out.stride[0]"},
    {FIELD(out.stride[1]), I64, 0, INT64_MAX, WRONG, "out.stride[1]"},
    {FIELD(out.stride[2]), I64, 0, -INT64_MAX, WRONG, "out.stride[2]"},
    {FIELD(out.dist), I64, 0, INT64_MAX, WRONG, "out.dist"},
    {FIELD(scale_forward), REAL, NAN, 0, WRONG, "scale_forward"},
    {FIELD(scale_forward), REAL, INFINITY, 0, WRONG, "scale_forward"},
    {FIELD(scale_inverse), REAL, NAN, 0, WRONG, "scale_inverse"},
    {FIELD(scale_inverse), REAL, -INFINITY, 0, WRONG, "scale_inverse"},
    {FIELD(ft.mode), ENUM, 0, -1, WRONG, "ft.mode"},
    {FIELD(ft.mode), ENUM, 0, 4, WRONG, "ft.mode"},
    {FIELD(ft.level), ENUM, 0, -1, WRONG, "ft.level"},
    {FIELD(ft.level), ENUM, 0, 5, WRONG, "ft.level"},
    {FIELD(ft.scheme), ENUM, 0, -1, WRONG, "ft.scheme"},
    {FIELD(ft.scheme), ENUM, 0, 4, WRONG, "ft.scheme"},
    {FIELD(ft.transactions), I32, 0, -1, WRONG, "ft.transactions"},
    {FIELD(ft.transactions), I32, 0, 3, WRONG, "ft.transactions"},
    {FIELD(ft.transactions), I32, 0, 64, WRONG, "ft.transactions"},
    {FIELD(ft.end_to_end), I32, 0, 2, WRONG, "ft.end_to_end"},
    {FIELD(ft.end_to_end), I32, 0, -1, WRONG, "ft.end_to_end"},
    {FIELD(ft.threshold), REAL, -1, 0, WRONG, "ft.threshold"},
    {FIELD(ft.threshold), REAL, NAN, 0, WRONG, "ft.threshold"},
    {FIELD(ft.threshold), REAL, INFINITY, 0, WRONG, "ft.threshold"},
    {FIELD(threads), I32, 0, -1, WRONG, "threads"},
    {FIELD(threads), I32, 0, INT32_MIN, WRONG, "threads"},
    {FIELD(threads), I32, 0, 1 << 20, WRONG, "threads"},
    {FIELD(effort), ENUM, 0, -1, WRONG, "effort is -1; it must be"},
    {FIELD(effort), ENUM, 0, 3, WRONG, "STF_EFFORT_MEASURE"},
    {FIELD(effort_seconds), REAL, -1, 0, WRONG, "effort_seconds"},
    {FIELD(effort_seconds), REAL, 1e9, 0, WRONG, "effort_seconds"},
    {FIELD(effort_seconds), REAL, NAN, 0, WRONG, "effort_seconds"},
};

static stf_fft_desc good_desc(void)
{
    stf_fft_desc d = stf_fft_desc_default();

    d.rank = 3;
    d.n[0] = 4;
    d.n[1] = 5;
    d.n[2] = 6;
    d.batch = 2;
    return d;
}

static void set_field(stf_fft_desc *d, const row *r)
{
    int32_t i32 = (int32_t)r->value;
    size_t size = (size_t)r->value;
    const struct {
        const void *from;
        size_t bytes;
    } source[] = {
        [ENUM] = {&i32, sizeof i32},
        [I32] = {&i32, sizeof i32},
        [I64] = {&r->value, sizeof r->value},
        [REAL] = {&r->real, sizeof r->real},
        [SIZE] = {&size, sizeof size},
    };

    _Static_assert(sizeof(stf_kind) == sizeof(int32_t), "enums are ints");
    memcpy((char *)d + r->offset, source[r->type].from, source[r->type].bytes);
    /* n[3] lies beyond the old rank and is not set: it is made wrong, so that
     * the test does not pass by chance. */
    d->n[3] = 0;
}

static void test_wrong(const row *r)
{
    stf_fft_desc d = good_desc(), full, before;
    stf_status status;

    set_field(&d, r);
    memset(&full, 0x5a, sizeof full);
    before = full;
    status = stfi_desc_complete(&d, &full);
    tap_ok(status == r->status && strstr(stf_error_message(), r->names)
               && !memcmp(&full, &before, sizeof full),
           "%s = %g or %lld is refused: %s", r->names, r->real,
           (long long)r->value, stf_error_message());
}

static void test_planned(stf_device *dev, const row *r)
{
    stf_fft_desc d = good_desc();
    stf_plan *const sentinel = (stf_plan *)&d;
    stf_plan *plan = sentinel;
    stf_status status;

    set_field(&d, r);
    status = stf_plan_fft(dev, &d, &plan);
    if (status != r->status || plan != sentinel
        || !strstr(stf_error_message(), r->names))
        tap_diag("%s = %g or %lld: %s, %s", r->names, r->real,
                 (long long)r->value, stf_status_name(status),
                 stf_error_message());
    tap_ok(status == r->status && plan == sentinel
               && strstr(stf_error_message(), r->names),
           "no plan with a wrong %s", r->names);
}

/* Products of lengths and batch, and sizes of arrays, near and above what 64
 * bits hold. */
static void test_overflow(void)
{
    static const int64_t n[][4] = {
        /* n[0], n[1], n[2], batch */
        {(int64_t)1 << 31, (int64_t)1 << 31, 4, 1},
        {(int64_t)1 << 32, (int64_t)1 << 32, 1, 1},
        {(int64_t)1 << 32, 1, 1, (int64_t)1 << 32},
        {3037000500, 3037000500, 1, 1},
        {2097152, 2097152, 2097152, 1},
        {4294967297, 4294967295, 1, 1},
        {1, 1, (int64_t)1 << 62, 1},
        {65536, 65536, 65536, 65536},
    };
    size_t i;
    int k;

    for (i = 0; i < sizeof n / sizeof *n; i++)
        for (k = STF_C2C; k <= STF_C2R; k++) {
            stf_fft_desc d = good_desc(), full;
            memcpy(d.n, n[i], 3 * sizeof *d.n);
            d.batch = n[i][3];
            d.kind = (stf_kind)k;
            tap_ok(stfi_desc_complete(&d, &full) == STF_ERR_ARGUMENT
                       && strstr(stf_error_message(), "overflow"),
                   "%lldx%lldx%lld*%lld overflows", (long long)n[i][0],
                   (long long)n[i][1], (long long)n[i][2], (long long)n[i][3]);
        }
}

/* 1 if the strides are those that the definition of packed arrays gives. */
static int is_packed(const stf_fft_desc *d, const stf_layout *l, int output)
{
    int64_t stride = 1;
    int a;

    for (a = d->rank - 1; a >= 0; a--) {
        if (l->stride[a] != stride)
            return 0;
        stride *= stfi_desc_extent(d, a, output);
    }
    return l->dist == stride;
}

static void test_complete(void)
{
    stf_fft_desc d = good_desc(), full, again;
    int k;

    for (k = STF_C2C; k <= STF_C2R; k++) {
        d.kind = (stf_kind)k;
        tap_ok(!stfi_desc_complete(&d, &full) && is_packed(&full, &full.in, 0)
                   && is_packed(&full, &full.out, 1)
                   && full.ft.mode == STF_FT_OFF,
               "kind %d: defaults become packed strides", k);
        tap_ok(!stfi_desc_complete(&full, &again)
                   && !memcmp(&full.in, &again.in, sizeof full.in)
                   && !memcmp(&full.out, &again.out, sizeof full.out),
               "kind %d: completing twice changes nothing", k);
    }
    d.kind = STF_R2C;
    stfi_desc_complete(&d, &full);
    tap_ok(stfi_desc_extent(&full, 2, 0) == 6
               && stfi_desc_extent(&full, 2, 1) == 4
               && stfi_desc_extent(&full, 1, 1) == 5,
           "half spectra: extents");
    tap_ok(stfi_desc_padded(&d, &full) && full.in.stride[1] == 8
               && full.in.dist == 160 && full.out.stride[1] == 4
               && full.out.dist == 80 && stfi_desc_inplace_ok(&full),
           "in place, real rows are padded");
    d.in.stride[2] = 3;
    tap_ok(!stfi_desc_padded(&d, &full), "chosen strides are not padded");
    d.kind = STF_C2C;
    tap_ok(!stfi_desc_complete(&d, &full) && full.in.stride[2] == 3
               && full.out.stride[2] == 1 && !stfi_desc_inplace_ok(&full),
           "a chosen stride stays, and unlike layouts do not run in place");
}

/* Makes steps that are never taken as large as they can be: one transform of
 * 1 x 8 elements. */
static stf_fft_desc wild_desc(stf_kind kind, int wild)
{
    stf_fft_desc d = stf_fft_desc_default();

    d.kind = kind;
    d.rank = 2;
    d.n[0] = 1;
    d.n[1] = 8;
    if (wild) {
        d.in.stride[0] = d.out.stride[0] = INT64_MAX;
        d.in.stride[1] = d.out.stride[1] = 1;
        d.in.dist = d.out.dist = INT64_MIN;
    }
    return d;
}

/* Transforms 1 x 8 elements into out[]; returns 1 if there was no error. */
static int transform(stf_device *dev, const stf_fft_desc *d, float out[18])
{
    float in[18];
    stf_plan *plan = NULL;
    stf_direction direction = d->kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    int fine;

    for (int i = 0; i < 18; i++)
        in[i] = (float)(i * i % 7);
    memset(out, 0, 18 * sizeof *out);
    fine = stf_plan_fft(dev, d, &plan) == STF_OK
           && stf_execute(plan, direction, in, out) == STF_OK;
    stf_plan_destroy(plan);
    return fine;
}

/* A step of an axis, or of a batch, with one element is never taken, so it may
 * be any number. */
static void test_single(stf_device *dev)
{
    for (int k = STF_C2C; k <= STF_C2R; k++) {
        stf_fft_desc plain = wild_desc((stf_kind)k, 0), full, packed;
        stf_fft_desc wild = wild_desc((stf_kind)k, 1);
        float want[18], got[18];

        tap_ok(stfi_desc_complete(&wild, &full) == STF_OK
                   && stfi_desc_complete(&plain, &packed) == STF_OK
                   && memcmp(&full.in, &packed.in, sizeof full.in) == 0
                   && memcmp(&full.out, &packed.out, sizeof full.out) == 0,
               "kind %d: steps of single elements become packed ones", k);
        tap_ok(transform(dev, &plain, want) && transform(dev, &wild, got)
                   && memcmp(got, want, sizeof got) == 0,
               "kind %d: and are not taken", k);
    }
}

static void test_names(void)
{
    stf_fft_desc d = good_desc();
    char text[64], cut[8];
    int length = stfi_desc_print(&d, text, sizeof text);

    tap_ok(!strcmp(text, "c2c:f32:4x5x6*2") && length == 15, "prints as %s",
           text);
    tap_ok(stfi_desc_print(&d, cut, sizeof cut) == length
               && !strcmp(cut, "c2c:f32"),
           "prints cut like snprintf");
    tap_ok(stfi_type_find("f64")->id == STF_F64
               && stfi_kind_find("r2c")->id == STF_R2C && !stfi_type_find("f99")
               && !stfi_kind_find("") && !stfi_type_get((stf_precision)99)
               && !stfi_kind_get((stf_kind)-1),
           "rows are found by name and number, and absent ones are not");
    tap_ok(stfi_type_get(STF_F32)->unit_roundoff == 0x1p-24
               && stfi_type_get(STF_F64)->unit_roundoff == 0x1p-53,
           "unit round-offs");
}

/* Matrix units take halves, or F32 as two of them. */
static void test_compute(void)
{
    static const stf_precision precisions[] = {STF_F16, STF_BF16, STF_F32,
                                               STF_F64, STF_F80};

    for (size_t p = 0; p < sizeof precisions / sizeof *precisions; p++)
        for (int c = STF_COMPUTE_NATIVE; c <= STF_COMPUTE_SPLIT; c++) {
            stf_fft_desc d = good_desc(), full;
            int half = precisions[p] < STF_F32;
            int fits = c == STF_COMPUTE_NATIVE
                       || (c == STF_COMPUTE_TENSOR && half)
                       || (c == STF_COMPUTE_SPLIT && precisions[p] == STF_F32);
            stf_status status;
            d.precision = precisions[p];
            d.compute = (stf_compute)c;
            status = stfi_desc_complete(&d, &full);
            tap_ok(fits ? status == STF_OK
                        : status == STF_ERR_ARGUMENT
                              && strstr(stf_error_message(),
                                        "use STF_COMPUTE_NATIVE"),
                   "compute %d in %s: %s", c,
                   stfi_type_get(precisions[p])->name,
                   fits ? "taken" : "refused with the remedy");
        }
}

/* STEADFAST_FT sets ft.mode where it is left at its default, and only there. */
static void test_environment(void)
{
    stf_fft_desc d = good_desc(), full;

    setenv("STEADFAST_FT", "maybe", 1);
    tap_ok(stfi_desc_complete(&d, &full) == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "STEADFAST_FT")
               && strstr(stf_error_message(), "maybe"),
           "a bad STEADFAST_FT");
    d.ft.mode = STF_FT_OFF;
    tap_ok(!stfi_desc_complete(&d, &full), "is not asked if a mode is set");
    d.ft.mode = STF_FT_DEFAULT;
    setenv("STEADFAST_FT", "off", 1);
    tap_ok(!stfi_desc_complete(&d, &full) && full.ft.mode == STF_FT_OFF,
           "STEADFAST_FT=off");
    unsetenv("STEADFAST_FT");
}

int main(void)
{
    stf_device *dev = NULL;
    stf_fft_desc full;
    size_t i;

    tap_begin("desc");
    unsetenv("STEADFAST_FT");
    tap_ok(stfi_desc_complete(NULL, &full) == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "NULL"),
           "a NULL descriptor");
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        test_wrong(&rows[i]);
    test_overflow();
    test_complete();
    test_names();
    test_compute();
    test_environment();
    if (tap_ok(!stf_device_open("cpu", &dev), "the cpu device opens")) {
        test_single(dev);
        for (i = 0; i < sizeof rows / sizeof *rows; i++)
            test_planned(dev, &rows[i]);
    }
    stf_device_close(dev);
    return tap_end();
}
