/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Descriptors of real to real transforms: which are refused, and what completes
 * the others. Also descriptors of programs that were compiled before there were
 * kinds of axes. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "fft/desc.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "support/problem/problem.h"
#include "tests/tap.h"

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

/* Words of problems that are refused, or not, and what the message holds. */
static const struct {
    const char *word;
    stf_ft_mode mode;
    int axis; /* whose kind becomes `kind`, or -1 */
    stf_kind kind;
    stf_status status;
    const char *names[2];
} words[] = {
    {"dct1:f32:out:1",
     STF_FT_OFF,
     -1,
     0,
     STF_ERR_ARGUMENT,
     {"n[0]", "2 points"}},
    {"dct1:f32:out:4x1",
     STF_FT_OFF,
     -1,
     0,
     STF_ERR_ARGUMENT,
     {"n[1]", "2 points"}},
    {"r2r=dst1+dct1:f32:out:1x1",
     STF_FT_OFF,
     -1,
     0,
     STF_ERR_ARGUMENT,
     {"n[1]", "dct1"}},
    {"r2r=dst1+dct2:f32:out:4x4",
     STF_FT_OFF,
     1,
     STF_C2C,
     STF_ERR_ARGUMENT,
     {"kinds[1]", "c2c"}},
    {"r2r=dst1+dct2:f32:out:4x4",
     STF_FT_OFF,
     0,
     STF_R2C,
     STF_ERR_ARGUMENT,
     {"kinds[0]", "r2c"}},
    {"r2r=dst1+dct2:f32:out:4x4",
     STF_FT_OFF,
     0,
     STF_C2R,
     STF_ERR_ARGUMENT,
     {"kinds[0]", "STF_DCT2"}},
    {"r2r=dst1+dct2:f32:out:4x4",
     STF_FT_OFF,
     1,
     STF_R2R,
     STF_ERR_ARGUMENT,
     {"kinds[1]", "r2r"}},
    {"r2r=dst1+dct2:f32:out:4x4",
     STF_FT_OFF,
     1,
     (stf_kind)77,
     STF_ERR_ARGUMENT,
     {"kinds[1]", "77"}},
    {"dct2:f32:out:4", STF_FT_DETECT, -1, 0, STF_OK, {"", ""}},
    {"r2r=dst1+dct2:f64:in:4x4", STF_FT_CORRECT, -1, 0, STF_OK, {"", ""}},
    {"dct2:f80:out:4",
     STF_FT_CORRECT,
     -1,
     0,
     STF_ERR_UNSUPPORTED,
     {"precision", "f80"}},
    {"dct1:f32:out:2x3", STF_FT_OFF, -1, 0, STF_OK, {"", ""}},
    {"r2r=dst1+r2hc:f32:in:1x1", STF_FT_OFF, -1, 0, STF_OK, {"", ""}},
};

static void test_real_kinds(void)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        stfi_problem p;
        stf_fft_desc full;
        stf_status status;
        tap_ok(!stfi_problem_parse(words[i].word, &p), "%s", words[i].word);
        p.desc.ft.mode = words[i].mode;
        if (words[i].axis >= 0)
            p.desc.kinds[words[i].axis] = words[i].kind;
        status = stfi_desc_complete(&p.desc, &full);
        tap_ok(status == words[i].status
                   && (status == STF_OK
                       || (strstr(stf_error_message(), words[i].names[0])
                           && strstr(stf_error_message(), words[i].names[1]))),
               "%s, row %d: %s", words[i].word, (int)i,
               status ? stf_error_message() : "right");
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

/* The kinds of axes, packed layouts, in place without padding, and text. */
static void test_real_complete(void)
{
    stf_fft_desc d = good_desc(), full;
    char text[64];

    d.kind = STF_DCT2;
    d.kinds[0] = STF_R2C; /* looked at only with STF_R2R */
    tap_ok(!stfi_desc_complete(&d, &full) && full.kinds[0] == STF_DCT2
               && full.kinds[2] == STF_DCT2 && full.kinds[3] == STF_C2C
               && is_packed(&full, &full.in, 0)
               && is_packed(&full, &full.out, 1) && full.out.stride[1] == 6
               && stfi_desc_inplace_ok(&full) && !stfi_desc_padded(&d, &full),
           "one kind is that of all axes; in place needs no padding");
    tap_ok(stfi_desc_has_direction(&full, 0)
               && !stfi_desc_has_direction(&full, 1)
               && stfi_desc_one_way(&full) == 0,
           "dct2 runs forward only");
    d.kind = STF_R2R;
    d.kinds[0] = STF_DCT1;
    d.kinds[1] = STF_DST4;
    d.kinds[2] = STF_R2HC;
    tap_ok(!stfi_desc_complete(&d, &full) && stfi_desc_one_way(&full) == 2,
           "one kind that is not its own inverse");
    stfi_desc_print(&full, text, sizeof text);
    tap_ok(!strcmp(text, "r2r=dct1+dst4+r2hc:f32:4x5x6*2"), "prints as %s",
           text);
    d.kinds[2] = STF_DHT;
    tap_ok(!stfi_desc_complete(&d, &full) && stfi_desc_one_way(&full) < 0
               && stfi_desc_has_direction(&full, 1),
           "all kinds their own inverse");
}

/* The second version had kinds[], and padding where the effort is. */
static void test_second(void)
{
    size_t bytes = (offsetof(stf_fft_desc, effort) + 7) / 8 * 8;
    void *old = malloc(bytes);
    stf_fft_desc d = good_desc(), full, want;

    if (old == NULL)
        exit(EXIT_FAILURE);
    d.kind = STF_R2R;
    d.kinds[0] = d.kinds[1] = d.kinds[2] = STF_DCT2;
    tap_ok(bytes < sizeof d && !stfi_desc_complete(&d, &want),
           "an effort beside kinds");
    d.size_bytes = bytes;
    memset(&d.effort, 0x5a, sizeof d.effort);
    memcpy(old, &d, bytes);
    tap_ok(!stfi_desc_complete(old, &full)
               && !memcmp(&full, &want, sizeof full),
           "a descriptor without an effort has the default");
    free(old);
}

/* A program that was compiled when the struct had no kinds[] passes one that
 * ends before them. */
static void test_older(stf_device *dev)
{
    size_t bytes = (offsetof(stf_fft_desc, kinds) + 7) / 8 * 8;
    void *old = malloc(bytes);
    stf_fft_desc d = good_desc(), full, want;
    stf_plan *plan = NULL;

    if (old == NULL)
        exit(EXIT_FAILURE);
    stf_fft_desc_init(old, bytes);
    memcpy(&full, old, bytes);
    tap_ok(full.size_bytes == bytes && full.batch == 1 && full.n[0] == 1,
           "a shorter descriptor is initialised");
    stfi_desc_complete(&d, &want);
    d.size_bytes = bytes;
    memset(d.kinds, 0x5a, sizeof d.kinds);
    memcpy(old, &d, bytes);
    tap_ok(!stfi_desc_complete(old, &full)
               && !memcmp(&full, &want, sizeof full),
           "and completed");
    tap_ok(!stf_plan_fft(dev, old, &plan), "and planned");
    stf_plan_destroy(plan);
    d.kind = STF_R2C;
    memcpy(old, &d, bytes);
    tap_ok(stfi_desc_padded(old, &full) && full.in.stride[1] == 8,
           "and padded");
    d.kind = STF_R2R;
    memcpy(old, &d, bytes);
    tap_ok(stfi_desc_complete(old, &full) == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "kinds[0]"),
           "but has no kinds");
    free(old);
}

/* Words with kinds of axes, and with layouts. */
static void test_words(void)
{
    static const struct {
        const char *word, *names; /* what the message holds; NULL: right */
    } problems[] = {
        {"r2r=dct2+dst1+r2hc:f64:in:64x63x100", NULL},
        {"r2r=dht:f32:out:7*3", NULL},
        {"r2r=dct2+dst1:f64:in:64x63x100", "2 kinds for 3 lengths"},
        {"r2r=dct2+dst1+dht:f64:in:64x63", "3 kinds for 2 lengths"},
        {"r2r=dct2+c2c:f64:in:64x63", "r2r=dct2+c2c"},
        {"r2r=dct2+:f64:in:64x63", "r2r=dct2+"},
        {"r2r=:f64:in:64x63", "r2r="},
        {"r2r:f64:in:64", "r2r"},
        {"r2c:f64:out:interleaved:8x4*3", NULL},
        {"c2c:f32:measure:in:interleaved:8*3", NULL},
        {"c2c:f32:interleaved:out:8*3",
         "layout (interleaved), or not in that order"},
        {"c2c:f32:out:columns:8*3", "columns"},
    };

    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        stfi_problem p;
        char text[128] = "";
        stf_status status = stfi_problem_parse(problems[i].word, &p);
        if (problems[i].names != NULL) {
            tap_ok(status == STF_ERR_ARGUMENT
                       && strstr(stf_error_message(), problems[i].names),
                   "%s: %s", problems[i].word, stf_error_message());
            continue;
        }
        if (status == STF_OK)
            stfi_problem_print(&p, text, sizeof text);
        tap_ok(!strcmp(text, problems[i].word), "%s comes back", text);
    }
}

/* Strides of an interleaved batch, and of another after it. */
static void test_interleaved(void)
{
    stfi_problem p, q;

    tap_ok(!stfi_problem_parse("r2c:f64:interleaved:8x4*5", &p)
               && p.desc.in.dist == 1 && p.desc.in.stride[1] == 5
               && p.desc.in.stride[0] == 20 && p.desc.out.dist == 1
               && p.desc.out.stride[1] == 5 && p.desc.out.stride[0] == 15,
           "equal elements of an interleaved batch are neighbours");
    p.desc.batch = 7;
    stfi_problem_lay_out(&p);
    tap_ok(p.desc.in.stride[1] == 7 && p.desc.out.stride[0] == 21,
           "another batch has strides of its own");
    tap_ok(!stfi_problem_parse("c2c:f32:packed:8*5", &q) && !q.interleaved
               && q.desc.in.dist == 0,
           "a packed batch has the strides of the default");
    q = p;
    tap_ok(!stfi_problem_take("in:8", &q) && q.in_place && q.interleaved
               && q.desc.kind == STF_R2C && q.desc.batch == 7
               && q.desc.in.stride[0] == 7,
           "what a word leaves out stays as it was");
    tap_ok(stfi_problem_take("f64:in:8y", &q) == STF_ERR_ARGUMENT
               && q.desc.rank == 1 && q.desc.precision == STF_F64,
           "a wrong word changes nothing");
}

int main(void)
{
    stf_device *dev = NULL;

    tap_begin("desc_real");
    unsetenv("STEADFAST_FT");
    test_real_kinds();
    test_real_complete();
    test_words();
    test_interleaved();
    if (tap_ok(!stf_device_open("cpu", &dev), "the cpu device opens"))
        test_older(dev);
    test_second();
    stf_device_close(dev);
    return tap_end();
}
