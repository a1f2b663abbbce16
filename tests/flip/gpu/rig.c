/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Data, executions and verdicts of a problem; see rig.h. */
#include "tests/flip/gpu/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/type.h"
#include "support/problem/gemm_problem.h"
#include "support/problem/problem.h"

const char *const flip_class_name[FLIP_CLASSES] = {
    "exact",   "benign", "corrected", "detected", "sdc",
    "claimed", "crash",  "hang",      "false"};

/* An output is bad where a signal's error is larger than that of the clean
 * output by more than this. */
static const double most_ratio = 64;

/* -------------------------------------------------------------------- data */

stf_status flip_rig_read_mode(const char *mode, stf_ft_desc *ft)
{
    static const struct {
        const char *name;
        stf_ft_desc ft;
    } modes[] = {
        {"off", {.mode = STF_FT_OFF}},
        {"detect", {.mode = STF_FT_DETECT}},
        {"correct", {.mode = STF_FT_CORRECT}},
        {"detect+e2e", {.mode = STF_FT_DETECT, .end_to_end = 1}},
        {"correct+e2e", {.mode = STF_FT_CORRECT, .end_to_end = 1}},
        {"correct+warp", {.mode = STF_FT_CORRECT, .level = STF_FT_WARP}},
        {"correct+thread", {.mode = STF_FT_CORRECT, .level = STF_FT_THREAD}},
        {"correct+two-sided",
         {.mode = STF_FT_CORRECT, .scheme = STF_FT_SCHEME_TWO_SIDED}},
    };

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(mode, modes[i].name) == 0) {
            *ft = modes[i].ft;
            return STF_OK;
        }
    return stfi_error(STF_ERR_ARGUMENT, "%s is no mode", mode);
}

/* Returns the direction in which a transform is executed: C2R has one only. */
static stf_direction direction_of(const stf_fft_desc *d)
{
    return d->kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
}

/* Transforms the input by the CPU, in the widest precision. */
static stf_status transform_oracle(const flip_rig *rig)
{
    const stf_precision precision = rig->desc.precision;
    const size_t reals = rig->in_bytes / stfi_type_get(precision)->bytes;
    stf_fft_desc d = rig->desc;
    stf_device *cpu = NULL;
    stf_plan *plan = NULL;
    long double *x = malloc(reals * sizeof *x);
    stf_status status;

    if (x == NULL)
        return stfi_error(STF_ERR_MEMORY, "no memory for the oracle");
    for (size_t i = 0; i < reals; i++)
        x[i] = stfi_type_read(precision, rig->input, (int64_t)i);
    d.precision = STF_F80;
    d.threads = 1;
    d.ft = (stf_ft_desc){.mode = STF_FT_OFF};
    status = stf_device_open("cpu", &cpu);
    if (status >= 0)
        status = stf_plan_fft(cpu, &d, &plan);
    if (status >= 0)
        status = stf_execute(plan, direction_of(&d), x, rig->oracle);
    stf_plan_destroy(plan);
    stf_device_close(cpu);
    free(x);
    return status;
}

static stf_status read_transform(const char *problem, const stf_ft_desc *ft,
                                 flip_rig *r)
{
    stfi_problem p;
    stf_status status = stfi_problem_parse(problem, &p);
    size_t width;

    if (status == STF_OK
        && ((p.in_place && p.desc.kind != STF_C2C)
            || p.desc.precision > STF_F64))
        status = stfi_error(STF_ERR_ARGUMENT,
                            "f32 or f64 only, and in place c2c only");
    if (status != STF_OK)
        return status;
    r->in_place = p.in_place;
    r->desc = p.desc;
    r->desc.ft = *ft;
    r->precision = p.desc.precision;
    width = stfi_type_get(r->precision)->bytes;
    r->signals = r->desc.batch;
    r->out_reals = stfi_problem_components(&r->desc, 1);
    r->in_bytes =
        (size_t)(stfi_problem_components(&r->desc, 0) * r->signals) * width;
    r->out_bytes = (size_t)(r->out_reals * r->signals) * width;
    return STF_OK;
}

static stf_status read_product(const char *problem, const stf_ft_desc *ft,
                               flip_rig *r)
{
    stf_status status = flip_product_parse(problem, &r->product);

    if (status != STF_OK)
        return status;
    flip_product_protect(&r->product, ft);
    r->precision = r->product.desc.precision_c;
    r->signals = r->product.desc.n;
    r->out_reals = r->product.desc.m;
    r->in_bytes = r->product.in_bytes;
    r->out_bytes = r->product.out_bytes;
    return STF_OK;
}

static stf_status allocate(flip_rig *r)
{
    r->input = malloc(r->in_bytes);
    r->other = malloc(r->in_bytes);
    r->output = malloc(r->out_bytes);
    r->clean = malloc(r->out_bytes);
    r->oracle = calloc((size_t)(r->signals * r->out_reals), sizeof *r->oracle);
    r->clean_error = malloc((size_t)r->signals * sizeof *r->clean_error);
    return r->input == NULL || r->other == NULL || r->output == NULL
                   || r->clean == NULL || r->oracle == NULL
                   || r->clean_error == NULL
               ? stfi_error(STF_ERR_MEMORY, "no memory for a problem")
               : STF_OK;
}

static void fill(const flip_rig *r, char *data, uint64_t *seed)
{
    if (r->product.desc.m > 0)
        flip_product_fill(&r->product, data, seed);
    else
        stfi_random_fill(
            r->precision, data,
            (int64_t)(r->in_bytes / stfi_type_get(r->precision)->bytes), seed);
}

stf_status flip_rig_make(const char *problem, const char *mode, uint64_t seed,
                         flip_rig *rig_p)
{
    flip_rig r = {.plan = NULL};
    stf_ft_desc ft;
    stf_status status = flip_rig_read_mode(mode, &ft);

    r.mode = ft.mode;
    if (status == STF_OK)
        status = stfi_gemm_word(problem) ? read_product(problem, &ft, &r)
                                         : read_transform(problem, &ft, &r);
    if (status == STF_OK)
        status = allocate(&r);
    if (status != STF_OK)
        return status;
    fill(&r, r.input, &seed);
    fill(&r, r.other, &seed);
    status = r.product.desc.m > 0
                 ? flip_product_oracle(&r.product, r.input, r.oracle)
                 : transform_oracle(&r);
    *rig_p = r;
    return status;
}

/* -------------------------------------------------------------- executions */

static double error_of(const flip_rig *rig, const char *data, int64_t signal)
{
    const int64_t first = signal * rig->out_reals;
    double d2 = 0, y2 = 0;

    for (int64_t i = first; i < first + rig->out_reals; i++) {
        const double d =
            (double)(stfi_type_read(rig->precision, data, i) - rig->oracle[i]);

        d2 += d * d;
        y2 += (double)(rig->oracle[i] * rig->oracle[i]);
    }
    return sqrt(d2 / y2);
}

static stf_status plan_on(flip_rig *rig)
{
    return rig->product.desc.m > 0
               ? stf_plan_gemm(rig->dev, &rig->product.desc, &rig->plan)
               : stf_plan_fft(rig->dev, &rig->desc, &rig->plan);
}

stf_status flip_rig_open(flip_rig *rig, const char *device)
{
    void *words = NULL;
    stf_status status = stf_device_open(device, &rig->dev);
    uint32_t word;

    if (status >= 0)
        status = plan_on(rig);
    if (status >= 0)
        status = stf_malloc(rig->dev, rig->in_bytes, &rig->in);
    if (status >= 0)
        status = stf_malloc(rig->dev, rig->in_bytes, &rig->in_other);
    if (status >= 0)
        status = stf_malloc(rig->dev, rig->out_bytes, &rig->out);
    if (status >= 0)
        status = stf_malloc(rig->dev, FLIP_WORDS * sizeof word, &words);
    rig->words = words;
    if (status >= 0)
        status = stf_upload(rig->dev, rig->in, rig->input, rig->in_bytes);
    if (status >= 0)
        status = stf_upload(rig->dev, rig->in_other, rig->other, rig->in_bytes);
    if (status >= 0)
        status = flip_rig_run(rig);
    if (status >= 0)
        status = flip_rig_fetch(rig, &word);
    if (status < 0)
        return status;
    memcpy(rig->clean, rig->output, rig->out_bytes);
    for (int64_t t = 0; t < rig->signals; t++)
        rig->clean_error[t] = error_of(rig, rig->clean, t);
    return STF_OK;
}

static stf_status run_in_place(const flip_rig *rig, const char *input)
{
    stf_status status = stf_upload(rig->dev, rig->out, input, rig->in_bytes);

    return status < 0 ? status
                      : stf_execute(rig->plan, direction_of(&rig->desc),
                                    rig->out, rig->out);
}

static stf_status run(flip_rig *rig, const char *input, const void *in)
{
    if (rig->in_place)
        return run_in_place(rig, input);
    return rig->product.desc.m > 0
               ? flip_product_run(&rig->product, rig->dev, rig->plan, input, in,
                                  rig->out)
               : stf_execute(rig->plan, direction_of(&rig->desc), in, rig->out);
}

stf_status flip_rig_run(flip_rig *rig)
{
    return run(rig, rig->input, rig->in);
}

stf_status flip_rig_run_other(flip_rig *rig)
{
    stf_status status = run(rig, rig->other, rig->in_other);

    return status >= 0 ? stf_plan_ft_reset(rig->plan) : status;
}

stf_status flip_rig_fetch(flip_rig *rig, uint32_t *word_p)
{
    stf_status status =
        stf_download(rig->dev, rig->output, rig->out, rig->out_bytes);

    if (status < 0)
        return status;
    rig->status = stf_plan_ft_report(rig->plan, &rig->report);
    if (rig->status < 0 && rig->status != STF_ERR_UNCORRECTED)
        return rig->status;
    return stf_download(rig->dev, word_p, rig->words, sizeof *word_p);
}

stf_status flip_rig_clear_words(flip_rig *rig)
{
    static const uint32_t zeros[FLIP_WORDS];

    return stf_upload(rig->dev, rig->words, zeros, sizeof zeros);
}

stf_status flip_rig_get_words(flip_rig *rig, int count, uint32_t *words)
{
    return stf_download(rig->dev, words, rig->words,
                        (size_t)count * sizeof *words);
}

/* ----------------------------------------------------------------- verdict */

flip_class flip_rig_judge(const flip_rig *rig, const char *clean,
                          double *ratio_p)
{
    const int failed = rig->report.uncorrectable > 0 || rig->status < 0;
    const int reported = rig->report.detected > 0 || failed;
    const int repaired = rig->mode == STF_FT_CORRECT && !failed;
    const int exact = memcmp(rig->output, clean, rig->out_bytes) == 0;
    double ratio = 0;

    for (int64_t t = 0; t < rig->signals && !exact; t++) {
        const size_t bytes = rig->out_bytes / (size_t)rig->signals;
        double e;

        if (memcmp(rig->output + (size_t)t * bytes, clean + (size_t)t * bytes,
                   bytes)
            == 0)
            continue;
        e = error_of(rig, rig->output, t) / rig->clean_error[t];
        if (!(e <= ratio))
            ratio = isfinite(e) ? e : (double)INFINITY;
    }
    *ratio_p = ratio;
    if (!(ratio <= most_ratio))
        return !reported ? FLIP_SDC : repaired ? FLIP_CLAIMED : FLIP_DETECTED;
    if (reported)
        return repaired ? FLIP_CORRECTED : FLIP_FALSE;
    return exact ? FLIP_EXACT : FLIP_BENIGN;
}
