/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Three plans for tests of protection; see trio.h. */
#include "tests/ft/trio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fft/desc.h"
#include "run/fft/fft_plan.h"
#include "support/oracle/naive.h"
#include "tests/tap.h"

/* The least rounding error, in units of sqrt(L) u. */
static const double LEAST_ERROR = 0.4;

static int failed(const char *what)
{
    return tap_ok(0, "%s: %s", what, stf_error_message());
}

static int open_plans(stfi_trio *trio, const char *word)
{
    static const stf_ft_mode modes[] = {STF_FT_OFF, STF_FT_DETECT,
                                        STF_FT_CORRECT};
    stf_fft_desc d = trio->s.d;
    int m;

    for (m = 0; m < STFI_TRIO_MODES; m++) {
        stf_status status;
        d.ft = trio->ft;
        d.ft.mode = modes[m];
        status = stf_plan_fft(trio->dev, &d, &trio->plan[m]);
        if (status == STF_ERR_UNSUPPORTED && m > 0
            && strstr(stf_error_message(), "ft."))
            return -1;
        if (status)
            return failed(word);
    }
    return 1;
}

/* 1 if two plans have the same passes: then they have the same bits. */
static int are_same_passes(const stf_plan *a, const stf_plan *b)
{
    const stfi_schedule *s = stfi_fft_plan_of(a)->schedule;
    const stfi_schedule *t = stfi_fft_plan_of(b)->schedule;
    int same = s->npasses == t->npasses;

    for (int i = 0; i < s->npasses && same; i++) {
        const stfi_pass *p = &s->pass[i], *q = &t->pass[i];
        same = p->op == q->op && (p->two_loop > 0) == (q->two_loop > 0)
               && p->nstages == q->nstages
               && !memcmp(p->radix, q->radix,
                          (size_t)p->nstages * sizeof *p->radix);
    }
    return same;
}

/* Returns how many transforms lanes have at most. */
static int count_in_lane(const stf_plan *guarded)
{
    const stfi_schedule *s = stfi_fft_plan_of(guarded)->schedule;
    int64_t most = 1;

    for (int i = 0; i < s->npasses; i++)
        if (stfi_pass_transform(&s->pass[i], 1) > most)
            most = stfi_pass_transform(&s->pass[i], 1);
    return (int)most;
}

int stfi_has_other_passes(stf_device *dev, const stf_plan *plain,
                          const stf_plan *guarded)
{
    stf_device_info info;

    return stf_device_query(dev, &info) == STF_OK && !stfi_device_is_cpu(&info)
           && !are_same_passes(plain, guarded);
}

int stfi_trio_open(stfi_trio *trio, stf_device *dev, const char *word,
                   stf_direction direction)
{
    const stf_ft_desc usual = stf_fft_desc_default().ft;

    return stfi_trio_open_as(trio, dev, word, direction, &usual);
}

int stfi_trio_open_as(stfi_trio *trio, stf_device *dev, const char *word,
                      stf_direction direction, const stf_ft_desc *ft)
{
    stfi_problem p;
    size_t bytes;
    int ready;

    memset(trio, 0, sizeof *trio);
    trio->dev = dev;
    trio->ft = *ft;
    if (stfi_problem_parse(word, &p) || stf_device_open("cpu", &trio->cpu))
        return failed(word);
    if (!stfi_signals_open(&trio->s, trio->cpu, word, direction))
        return 0;
    trio->in_place = p.in_place;
    bytes = (size_t)trio->s.d.batch * trio->s.bytes;
    trio->in_bytes = (size_t)trio->s.in_count * bytes;
    trio->out_bytes = (size_t)trio->s.out_count * bytes;
    trio->want = malloc(trio->out_bytes);
    trio->got = malloc(trio->out_bytes);
    trio->whole = malloc(trio->out_bytes);
    trio->due = trio->want;
    if (!trio->want || !trio->got || !trio->whole
        || stf_malloc(dev, trio->in_bytes, &trio->in)
        || (!p.in_place && stf_malloc(dev, trio->out_bytes, &trio->out)))
        return failed(word);
    ready = open_plans(trio, word);
    trio->lane = ready > 0 ? count_in_lane(trio->plan[STFI_TRIO_CORRECT]) : 1;
    trio->others =
        ready > 0
        && stfi_has_other_passes(trio->dev, trio->plan[STFI_TRIO_PLAIN],
                                 trio->plan[STFI_TRIO_CORRECT]);
    return ready;
}

int stfi_trio_has(const stf_device_info *info, const char *word)
{
    stfi_problem p;

    return stfi_device_is_cpu(info) || stfi_problem_parse(word, &p)
           || (!stfi_kind_is_r2r(p.desc.kind)
               && stfi_type_arithmetic(p.desc.precision)->id
                      == p.desc.precision);
}

void stfi_trio_close(stfi_trio *trio)
{
    int m;

    for (m = 0; m < STFI_TRIO_MODES; m++)
        stf_plan_destroy(trio->plan[m]);
    stf_free(trio->dev, trio->in);
    stf_free(trio->dev, trio->out);
    free(trio->want);
    free(trio->got);
    free(trio->whole);
    stfi_signals_close(&trio->s);
    stf_device_close(trio->cpu);
}

/* Executes a plan; the output is overwritten with NaNs first. In place, the
 * input is uploaded again. */
static stf_status execute(stfi_trio *trio, stf_plan *plan, void *host)
{
    void *out = trio->in_place ? trio->in : trio->out;
    stf_status status = STF_OK, copied;

    memset(host, 0xff, trio->out_bytes);
    if (trio->in_place)
        status = stf_upload(trio->dev, trio->in, trio->s.in, trio->in_bytes);
    else
        status = stf_upload(trio->dev, out, host, trio->out_bytes);
    if (!status)
        status = stf_execute(plan, trio->s.direction, trio->in, out);
    if (status < 0 && status != STF_ERR_UNCORRECTED)
        return status;
    copied = stf_synchronize(trio->dev);
    if (!copied)
        copied = stf_download(trio->dev, host, out, trio->out_bytes);
    return copied ? copied : status;
}

/* How far transforms of that norm may be from each other: by the error bound of
 * both. */
static double near_bound(const stf_fft_desc *full, double norm, int64_t count)
{
    const double noise =
        (double)stfi_type_get(full->precision)->least * (double)count;

    return 2 * stfi_naive_bound(full) * norm + noise;
}

int stfi_are_near(const stf_fft_desc *full, double gap, double norm,
                  int64_t count)
{
    return gap <= near_bound(full, norm, count);
}

/* From so many elements on, the error of a single transform is hardly a matter of
 * chance. */
enum { MANY_ELEMENTS = 100 };

/* How far transform b of `want` is from that of `whole`, in units of what
 * stfi_are_near() allows; 0 if neither is finite. */
static double apart(const stfi_trio *trio, const stf_fft_desc *full, int64_t b)
{
    const stfi_signals *s = &trio->s;
    double gap = 0, norm = 0, other = 0, allowed;

    for (int64_t i = b * s->out_count; i < (b + 1) * s->out_count; i++) {
        double due = stfi_signals_get(s, trio->whole, i);
        double have = stfi_signals_get(s, trio->want, i);
        gap = hypot(gap, have - due);
        norm = hypot(norm, due);
        other = hypot(other, have);
    }
    if (!isfinite(norm) && !isfinite(other))
        return 0.0;
    allowed = near_bound(full, norm, s->out_count);
    return gap == 0.0 ? 0.0 : allowed > 0.0 ? gap / allowed : INFINITY;
}

/* 1 if each transform in `want` is within the error bound of both of that in
 * `whole`, or neither is finite. Of few elements, the root mean square over the batch
 * has to be, and each transform within three times the bound. */
static int is_near(const stfi_trio *trio)
{
    const stfi_signals *s = &trio->s;
    const double shared = trio->lane > 1 ? sqrt(1.5) : 1.0; /* balance.h */
    const double most = s->out_count < MANY_ELEMENTS ? 3.0 : shared;
    double squares = 0.0;
    stf_fft_desc full;

    if (stfi_desc_complete(&s->d, &full))
        return 0;
    for (int64_t b = 0; b < s->d.batch; b++) {
        const double ratio = apart(trio, &full, b);

        squares += ratio * ratio;
        if (ratio <= most)
            continue;
        tap_diag("transform %ld is %g of the bound away", (long)b, ratio);
        return 0;
    }
    return squares <= (double)s->d.batch;
}

/* Fills `want` from a protected plan whose passes are others. */
static int load_others(stfi_trio *trio)
{
    stf_plan *plan = trio->plan[STFI_TRIO_CORRECT];

    if (stf_plan_ft_reset(plan) || execute(trio, plan, trio->want))
        return failed("a protected transform");
    return is_near(trio)
           || tap_ok(0, "a protected transform is not near to another");
}

int stfi_trio_load(stfi_trio *trio)
{
    if (stf_upload(trio->dev, trio->in, trio->s.in, trio->in_bytes)
        || stfi_signals_by_passes(trio->plan[STFI_TRIO_PLAIN])
        || execute(trio, trio->plan[STFI_TRIO_PLAIN], trio->want)
        || execute(trio, trio->plan[STFI_TRIO_PLAIN], trio->whole))
        return failed("an unprotected transform");
    return !trio->others || load_others(trio);
}

int stfi_trio_draw(stfi_trio *trio, int distribution, uint64_t *state)
{
    return stfi_signals_draw(&trio->s, distribution, state)
           && stfi_trio_load(trio);
}

stfi_trio_result stfi_trio_run(stfi_trio *trio, stfi_trio_mode mode,
                               const stf_fault *fault, int count)
{
    stfi_trio_result result = {0, STF_OK, {0}};
    stf_plan *plan = trio->plan[mode];
    stf_status reported;

    if (stf_plan_ft_reset(plan)
        || (count > 0 && stf_plan_inject(plan, fault, count))) {
        failed("faults");
        return result;
    }
    result.status = execute(trio, plan, trio->got);
    /* Faults strike passes. Without one, a protected plan runs these as well, or
     * what the unprotected plan runs. */
    trio->due = count == 0 && !memcmp(trio->got, trio->whole, trio->out_bytes)
                    ? trio->whole
                    : trio->want;
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

int stfi_trio_measure(stfi_trio *trio, double *error)
{
    return stfi_signals_measure(&trio->s, trio->want, LEAST_ERROR, error);
}

double stfi_trio_change(const stfi_trio *trio, int64_t signal)
{
    int64_t i, first = signal * trio->s.out_count;
    long double sum = 0;

    for (i = first; i < first + trio->s.out_count; i++) {
        long double e = (long double)stfi_signals_get(&trio->s, trio->got, i)
                        - stfi_signals_get(&trio->s, trio->due, i);
        sum += e * e;
    }
    return (double)sqrtl(sum);
}

/* 1 if all transforms but number from to end - 1 have the same bits. */
static int is_same_but(const stfi_trio *trio, int64_t from, int64_t end)
{
    size_t each = (size_t)trio->s.out_count * trio->s.bytes;
    int64_t b;

    for (b = 0; b < trio->s.d.batch; b++)
        if ((b < from || b >= end)
            && memcmp((const char *)trio->due + (size_t)b * each,
                      (char *)trio->got + (size_t)b * each, each))
            return 0;
    return 1;
}

int stfi_trio_same(const stfi_trio *trio, int64_t but)
{
    return is_same_but(trio, but, but + 1);
}

int64_t stfi_trio_first(const stfi_trio *trio, int64_t signal)
{
    return signal / trio->lane * trio->lane;
}

int stfi_trio_same_elsewhere(const stfi_trio *trio, int64_t but)
{
    const int64_t first = stfi_trio_first(trio, but);

    return is_same_but(trio, first, first + trio->lane);
}
