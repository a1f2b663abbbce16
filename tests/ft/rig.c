/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Protected plans under test; see rig.h. */
#include "tests/ft/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

/* In sqrt(L) u. */
static const double LEAST_ERROR = 0.4;

static int failed(const char *what)
{
    return tap_ok(0, "%s: %s", what, stf_error_message());
}

static int open_plans(stfi_rig *rig, const char *word)
{
    static const stf_ft_mode modes[] = {STF_FT_OFF, STF_FT_DETECT,
                                        STF_FT_CORRECT};
    stf_fft_desc d = rig->s.d;
    int m;

    for (m = 0; m < STFI_RIG_MODES; m++) {
        stf_status status;
        d.ft = rig->ft;
        d.ft.mode = modes[m];
        status = stf_plan_fft(rig->dev, &d, &rig->plan[m]);
        if (status == STF_ERR_UNSUPPORTED && m > 0
            && strstr(stf_error_message(), "ft."))
            return -1;
        if (status)
            return failed(word);
    }
    return 1;
}

int stfi_rig_open(stfi_rig *rig, stf_device *dev, const char *word,
                  stf_direction direction)
{
    const stf_ft_desc usual = stf_fft_desc_default().ft;

    return stfi_rig_open_as(rig, dev, word, direction, &usual);
}

int stfi_rig_open_as(stfi_rig *rig, stf_device *dev, const char *word,
                     stf_direction direction, const stf_ft_desc *ft)
{
    stfi_problem p;
    size_t bytes;

    memset(rig, 0, sizeof *rig);
    rig->dev = dev;
    rig->ft = *ft;
    if (stfi_problem_parse(word, &p) || stf_device_open("cpu", &rig->cpu))
        return failed(word);
    if (!stfi_signals_open(&rig->s, rig->cpu, word, direction))
        return 0;
    rig->in_place = p.in_place;
    bytes = (size_t)rig->s.d.batch * rig->s.bytes;
    rig->in_bytes = (size_t)rig->s.in_count * bytes;
    rig->out_bytes = (size_t)rig->s.out_count * bytes;
    rig->want = malloc(rig->out_bytes);
    rig->got = malloc(rig->out_bytes);
    if (!rig->want || !rig->got || stf_malloc(dev, rig->in_bytes, &rig->in)
        || (!p.in_place && stf_malloc(dev, rig->out_bytes, &rig->out)))
        return failed(word);
    return open_plans(rig, word);
}

void stfi_rig_close(stfi_rig *rig)
{
    int m;

    for (m = 0; m < STFI_RIG_MODES; m++)
        stf_plan_destroy(rig->plan[m]);
    stf_free(rig->dev, rig->in);
    stf_free(rig->dev, rig->out);
    free(rig->want);
    free(rig->got);
    stfi_signals_close(&rig->s);
    stf_device_close(rig->cpu);
}

/* Runs a plan; the output is poisoned before. In place, the input has to be
 * brought again. */
static stf_status execute(stfi_rig *rig, stf_plan *plan, void *host)
{
    void *out = rig->in_place ? rig->in : rig->out;
    stf_status status = STF_OK, copied;

    memset(host, 0xff, rig->out_bytes);
    if (rig->in_place)
        status = stf_upload(rig->dev, rig->in, rig->s.in, rig->in_bytes);
    else
        status = stf_upload(rig->dev, out, host, rig->out_bytes);
    if (!status)
        status = stf_execute(plan, rig->s.direction, rig->in, out);
    if (status < 0 && status != STF_ERR_UNCORRECTED)
        return status;
    copied = stf_synchronize(rig->dev);
    if (!copied)
        copied = stf_download(rig->dev, host, out, rig->out_bytes);
    return copied ? copied : status;
}

int stfi_rig_load(stfi_rig *rig)
{
    if (stf_upload(rig->dev, rig->in, rig->s.in, rig->in_bytes)
        || execute(rig, rig->plan[STFI_RIG_PLAIN], rig->want))
        return failed("an unprotected transform");
    return 1;
}

int stfi_rig_draw(stfi_rig *rig, int distribution, uint64_t *state)
{
    return stfi_signals_draw(&rig->s, distribution, state)
           && stfi_rig_load(rig);
}

stfi_rig_result stfi_rig_run(stfi_rig *rig, stfi_rig_mode mode,
                             const stf_fault *fault, int count)
{
    stfi_rig_result result = {0, STF_OK, {0}};
    stf_plan *plan = rig->plan[mode];
    stf_status reported;

    if (stf_plan_ft_reset(plan)
        || (count > 0 && stf_plan_inject(plan, fault, count))) {
        failed("faults");
        return result;
    }
    result.status = execute(rig, plan, rig->got);
    if (result.status < 0 && result.status != STF_ERR_UNCORRECTED) {
        failed("a protected transform");
        return result;
    }
    memset(&result.r, 0xff, sizeof result.r);
    reported = stf_plan_ft_report(plan, &result.r);
    if (reported && reported != STF_ERR_UNCORRECTED) {
        failed("a report");
        return result;
    }
    result.ran = 1;
    result.status = reported ? reported : result.status;
    return result;
}

/* ----------------------------------------------------------------- measures */

int stfi_rig_measure(stfi_rig *rig, double *error)
{
    return stfi_signals_measure(&rig->s, rig->want, LEAST_ERROR, error);
}

double stfi_rig_change(const stfi_rig *rig, int64_t signal)
{
    int64_t i, first = signal * rig->s.out_count;
    long double sum = 0;

    for (i = first; i < first + rig->s.out_count; i++) {
        long double e = (long double)stfi_signals_get(&rig->s, rig->got, i)
                        - stfi_signals_get(&rig->s, rig->want, i);
        sum += e * e;
    }
    return (double)sqrtl(sum);
}

int stfi_rig_same(const stfi_rig *rig, int64_t but)
{
    size_t each = (size_t)rig->s.out_count * rig->s.bytes;
    int64_t b;

    for (b = 0; b < rig->s.d.batch; b++)
        if (b != but
            && memcmp((char *)rig->want + (size_t)b * each,
                      (char *)rig->got + (size_t)b * each, each))
            return 0;
    return 1;
}
