/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Data, executions and verdicts of a problem; see rig.h. */
#include "tests/flip/gpu/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "support/problem/problem.h"

const char *const flip_class_name[FLIP_CLASSES] = {
    "exact",   "benign", "corrected", "detected", "sdc",
    "claimed", "crash",  "hang",      "false"};

/* An output is bad where a transform's error is larger than that of the clean
 * output by more than this. */
static const double most_ratio = 64;

/* -------------------------------------------------------------------- data */

static stf_status read_mode(const char *mode, stf_ft_desc *ft)
{
    static const struct {
        const char *name;
        stf_ft_mode mode;
        int end_to_end;
    } modes[] = {{"off", STF_FT_OFF, 0},
                 {"detect", STF_FT_DETECT, 0},
                 {"correct", STF_FT_CORRECT, 0},
                 {"detect+e2e", STF_FT_DETECT, 1},
                 {"correct+e2e", STF_FT_CORRECT, 1}};

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(mode, modes[i].name) == 0) {
            ft->mode = modes[i].mode;
            ft->end_to_end = modes[i].end_to_end;
            return STF_OK;
        }
    return stfi_error(STF_ERR_ARGUMENT, "%s is no mode", mode);
}

static long double at(const flip_rig *rig, const char *data, int64_t i)
{
    return rig->desc.precision == STF_F32
               ? (long double)((const float *)(const void *)data)[i]
               : (long double)((const double *)(const void *)data)[i];
}

/* Transforms the input by the CPU, in the widest precision. */
static stf_status make_oracle(flip_rig *rig, int64_t in_reals)
{
    stf_fft_desc d = rig->desc;
    stf_device *cpu = NULL;
    stf_plan *plan = NULL;
    long double *x = malloc((size_t)in_reals * sizeof *x);
    stf_status status;

    if (x == NULL)
        return stfi_error(STF_ERR_MEMORY, "no memory for the oracle");
    for (int64_t i = 0; i < in_reals; i++)
        x[i] = at(rig, rig->input, i);
    d.precision = STF_F80;
    d.threads = 1;
    d.ft = (stf_ft_desc){.mode = STF_FT_OFF};
    status = stf_device_open("cpu", &cpu);
    if (status >= 0)
        status = stf_plan_fft(cpu, &d, &plan);
    if (status >= 0)
        status = stf_execute(plan, STF_FORWARD, x, rig->oracle);
    stf_plan_destroy(plan);
    stf_device_close(cpu);
    free(x);
    return status;
}

stf_status flip_rig_make(const char *problem, const char *mode, uint64_t seed,
                         flip_rig *rig_p)
{
    flip_rig r = {.plan = NULL};
    stfi_problem p;
    stf_status status = stfi_problem_parse(problem, &p);
    size_t width;
    int64_t in_reals;

    if (status == STF_OK && (p.in_place || p.desc.precision > STF_F64))
        status = stfi_error(STF_ERR_ARGUMENT, "out of place, f32 or f64 only");
    if (status == STF_OK)
        status = read_mode(mode, &p.desc.ft);
    if (status != STF_OK)
        return status;
    r.desc = p.desc;
    width = r.desc.precision == STF_F32 ? 4 : 8;
    in_reals = stfi_problem_components(&r.desc, 0) * r.desc.batch;
    r.out_reals = stfi_problem_components(&r.desc, 1);
    r.in_bytes = (size_t)in_reals * width;
    r.out_bytes = (size_t)(r.out_reals * r.desc.batch) * width;
    r.input = malloc(r.in_bytes);
    r.other = malloc(r.in_bytes);
    r.output = malloc(r.out_bytes);
    r.clean = malloc(r.out_bytes);
    r.oracle = malloc(r.out_bytes / width * sizeof *r.oracle);
    r.clean_error = malloc((size_t)r.desc.batch * sizeof *r.clean_error);
    if (r.input == NULL || r.other == NULL || r.output == NULL
        || r.clean == NULL || r.oracle == NULL || r.clean_error == NULL)
        return stfi_error(STF_ERR_MEMORY, "no memory for %s", problem);
    stfi_random_fill(r.desc.precision, r.input, in_reals, &seed);
    stfi_random_fill(r.desc.precision, r.other, in_reals, &seed);
    status = make_oracle(&r, in_reals);
    *rig_p = r;
    return status;
}

/* -------------------------------------------------------------- executions */

static double error_of(const flip_rig *rig, const char *data, int64_t transform)
{
    const int64_t first = transform * rig->out_reals;
    double d2 = 0, y2 = 0;

    for (int64_t i = first; i < first + rig->out_reals; i++) {
        const double d = (double)(at(rig, data, i) - rig->oracle[i]);

        d2 += d * d;
        y2 += (double)(rig->oracle[i] * rig->oracle[i]);
    }
    return sqrt(d2 / y2);
}

stf_status flip_rig_open(flip_rig *rig, const char *device)
{
    void *words = NULL;
    stf_status status = stf_device_open(device, &rig->dev);
    uint32_t word;

    if (status >= 0)
        status = stf_plan_fft(rig->dev, &rig->desc, &rig->plan);
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
    for (int64_t t = 0; t < rig->desc.batch; t++)
        rig->clean_error[t] = error_of(rig, rig->clean, t);
    return STF_OK;
}

stf_status flip_rig_run(flip_rig *rig)
{
    return stf_execute(rig->plan, STF_FORWARD, rig->in, rig->out);
}

stf_status flip_rig_run_other(flip_rig *rig)
{
    stf_status status =
        stf_execute(rig->plan, STF_FORWARD, rig->in_other, rig->out);

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
    const int repaired = rig->desc.ft.mode == STF_FT_CORRECT && !failed;
    const int exact = memcmp(rig->output, clean, rig->out_bytes) == 0;
    double ratio = 0;

    for (int64_t t = 0; t < rig->desc.batch && !exact; t++) {
        const size_t bytes = rig->out_bytes / (size_t)rig->desc.batch;
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
