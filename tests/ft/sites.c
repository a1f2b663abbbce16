/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A fault strikes every value of some plans, one at a time. The residual must
 * change, relative to the output, at least as much as the network of
 * butterflies predicts, from which tests/ft/weights.c takes weights. Sums over
 * elements that a real to real kind turns have the weights of the transform before
 * the turn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fft/desc.h"
#include "ft/fault.h"
#include "run/fft/fft_plan.h"
#include "support/oracle/naive_real.h"
#include "tests/ft/take.h"
#include "tests/tap.h"

enum { BATCH = 16 }; /* with one signal the plan would have more passes */

/* A protected plan of one pass. Faults strike its first signal. */
typedef struct victim {
    stf_plan *plan;
    stf_direction direction;
    int64_t nin, nout; /* real components of a signal */
    double *in, *clean, *out;
    double bound; /* threshold, at K = 6 */
    double turn;
} victim;

/* Returns the factor of the square of real k of a real to real kind's input in the
 * squared norm of the complex or extended signal that its pass transforms. */
static double share_of(const stf_fft_desc *d, int64_t k)
{
    int twice = d->kind == STF_DCT1 || d->kind == STF_DST1
                || d->kind == STF_DCT3 || d->kind == STF_DST3;

    return (1 + twice) * stfi_naive_share(d->kind, d->n[0], 0, k);
}

/* Returns how much longer a kind's turn makes elements after they are summed. */
static double turn_of(stf_kind kind)
{
    static const double turns[] = {
        [STF_DCT2] = 2,
        [STF_DST2] = 2,
        [STF_DCT4] = 2,
        [STF_DST4] = 2,
        [STF_DHT] = 1.4142135623730951,
        [STF_HC2R] = 1,
    };

    return turns[kind] > 0 ? turns[kind] : 1;
}

/* Fills the input; returns the norm of the first signal, to which its threshold
 * is relative. */
static double fill(const stf_fft_desc *d, victim *v)
{
    double power = 0;
    int64_t i;

    for (i = 0; i < v->nin * BATCH; i++) {
        int64_t at = i % v->nin;
        int last = d->kind == STF_C2R && (at == 1 || at == v->nin - 1);
        double share = d->kind == STF_C2R && at > 1 && at < v->nin - 2 ? 2 : 1;
        if (stfi_kind_is_r2r(d->kind))
            share = share_of(d, at);
        v->in[i] = last ? 0 : sin((double)(i * i + 3 * i + 1));
        power += i < v->nin ? share * v->in[i] * v->in[i] : 0;
    }
    return sqrt(power);
}

static int open_victim(stf_device *dev, stf_kind kind, int64_t n,
                       stf_direction direction, victim *v)
{
    stf_fft_desc d = stf_fft_desc_default();
    const stfi_check *check;
    int reals = stfi_kind_is_r2r(kind);

    d.kind = kind;
    d.precision = STF_F64;
    d.n[0] = n;
    d.batch = BATCH;
    d.ft.mode = STF_FT_DETECT;
    memset(v, 0, sizeof *v);
    v->direction = direction;
    v->turn = turn_of(kind);
    v->nin = reals || kind == STF_R2C ? n : kind == STF_C2R ? n + 2 : 2 * n;
    v->nout = kind == STF_R2C ? n + 2 : reals || kind == STF_C2R ? n : 2 * n;
    v->in = take((size_t)(v->nin + 2 * v->nout) * BATCH, sizeof *v->in);
    v->clean = v->in + v->nin * BATCH;
    v->out = v->clean + v->nout * BATCH;
    if (stf_plan_fft(dev, &d, &v->plan)
        || stfi_fft_plan_of(v->plan)->schedule->npasses != 1)
        return 0;
    check = &stfi_fft_plan_of(v->plan)->schedule->pass[0].check;
    v->bound = 6 * check->slope * fill(&d, v) + check->floor;
    return !stf_execute(v->plan, direction, v->in, v->clean);
}

/* The residual of a fault divided by the change that the fault makes in the
 * output. Returns NAN on failure, and 9 if the fault has no effect. */
static double weigh_site(victim *v, const stf_fault *fault)
{
    double change = 0;
    stf_ft_report report;
    int64_t i;

    if (stf_plan_ft_reset(v->plan) || stf_plan_inject(v->plan, fault, 1)
        || stf_execute(v->plan, v->direction, v->in, v->out)
        || stf_plan_ft_report(v->plan, &report))
        return NAN;
    for (i = 0; i < v->nout; i++)
        change += (v->out[i] - v->clean[i]) * (v->out[i] - v->clean[i]);
    change = sqrt(change) / v->turn;
    return change < 1e-9 ? 9 : report.max_residual * v->bound / change;
}

static double least_of_sites(victim *v)
{
    const stfi_pass *p = &stfi_fft_plan_of(v->plan)->schedule->pass[0];
    stf_fault f = {.bit = -1, .magnitude = 1};
    double least = 9;

    for (f.stage = 0; f.stage < stfi_fault_stages(p); f.stage++)
        for (f.element = 0; f.element < p->n; f.element++)
            for (f.component = 0; f.component < 2; f.component++) {
                double w = weigh_site(v, &f);
                if (!(w >= least))
                    least = w;
            }
    return least;
}

/* Strikes every value of a pass. The least weight over all sites must be about
 * what the network of the pass's shape predicts, which estimates the effects of
 * faults. */
static void test_sites(void)
{
    static const struct {
        stf_kind kind;
        int64_t n;
        stf_direction direction;
        double least;
    } rows[] = {
        {STF_C2C, 60, STF_FORWARD, 0.37},  {STF_C2C, 60, STF_INVERSE, 0.37},
        {STF_C2C, 37, STF_FORWARD, 0.35},  {STF_C2C, 37, STF_INVERSE, 0.35},
        {STF_C2C, 83, STF_FORWARD, 0.18},  {STF_C2C, 83, STF_INVERSE, 0.18},
        {STF_R2C, 60, STF_FORWARD, 0.34},  {STF_R2C, 64, STF_FORWARD, 0.25},
        {STF_R2C, 128, STF_FORWARD, 0.22}, {STF_C2R, 60, STF_INVERSE, 0.57},
        {STF_C2R, 64, STF_INVERSE, 0.56},  {STF_C2R, 128, STF_INVERSE, 0.5},
        {STF_DCT2, 64, STF_FORWARD, 0.25}, {STF_DCT2, 60, STF_FORWARD, 0.34},
        {STF_DST2, 45, STF_FORWARD, 0.38}, {STF_DCT3, 64, STF_FORWARD, 0.56},
        {STF_DST3, 60, STF_FORWARD, 0.57}, {STF_DCT4, 64, STF_FORWARD, 0.45},
        {STF_DST4, 45, STF_FORWARD, 0.38}, {STF_DCT1, 65, STF_FORWARD, 0.24},
        {STF_DST1, 63, STF_FORWARD, 0.32}, {STF_DHT, 64, STF_FORWARD, 0.25},
        {STF_DHT, 37, STF_FORWARD, 0.35},  {STF_R2HC, 64, STF_FORWARD, 0.25},
        {STF_HC2R, 64, STF_FORWARD, 0.56},
    };
    stf_device *dev = NULL;
    size_t i;

    if (stf_device_open("cpu", &dev)) {
        tap_ok(0, "a device: %s", stf_error_message());
        return;
    }
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        victim v;
        double least = NAN;
        if (open_victim(dev, rows[i].kind, rows[i].n, rows[i].direction, &v))
            least = least_of_sites(&v);
        tap_ok(least >= rows[i].least && least < 9,
               "%s %d%s: least weight of all sites %.3f, at least %.2f",
               stfi_kind_get(rows[i].kind)->name, (int)rows[i].n,
               rows[i].direction == STF_INVERSE ? " inverse" : "", least,
               rows[i].least);
        stf_plan_destroy(v.plan);
        free(v.in);
    }
    stf_device_close(dev);
}

int main(void)
{
    tap_begin("ft/sites");
    test_sites();
    return tap_end();
}
