/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A rig for faults; see rig.h. */
#include "tools/inject/rig.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "fft/desc.h"
#include "ft/fault.h"
#include "run/fft/pack.h"
#include "run/fft/fft_plan.h"
#include "support/problem/component.h"

/* From this many components on, a batch is worth several threads. */
enum { SHARED_COUNT = 1 << 15 };

/* ----------------------------------------------------------------- making */

/* Plans the batch, packed, in a type that is wide enough to judge by: next to
 * rounding errors of F32 and halves those of F64 are negligible, and likewise F80 for
 * F64. */
static stf_status make_oracle(stfi_rig *r)
{
    stf_fft_desc d = r->setup.full;
    stf_status status = stf_device_open("cpu", &r->cpu);

    r->wide = d.precision <= STF_F32 ? STF_F64 : STF_F80;
    d.precision = r->wide;
    d.compute = STF_COMPUTE_NATIVE;
    memset(&d.in, 0, sizeof d.in);
    memset(&d.out, 0, sizeof d.out);
    memset(&d.ft, 0, sizeof d.ft);
    d.ft.mode = STF_FT_OFF;
    d.threads = 0;
    return status == STF_OK ? stf_plan_fft(r->cpu, &d, &r->oracle) : status;
}

static stf_status make_witness(stfi_rig *r)
{
    stf_fft_desc d = r->setup.full;

    if (d.ft.mode == STF_FT_OFF)
        return stfi_error(STF_ERR_ARGUMENT, "the plan is not protected: --ft "
                                            "must be detect or correct");
    if (d.ft.mode == STF_FT_DETECT)
        return STF_OK;
    d.ft.mode = STF_FT_DETECT;
    return stf_plan_fft(r->setup.dev, &d, &r->witness);
}

static stf_status make_arrays(stfi_rig *r)
{
    const stf_fft_desc *full = &r->setup.full;
    size_t plain = stfi_type_get(full->precision)->bytes;
    size_t wide = stfi_type_get(r->wide)->bytes;
    size_t in, out;
    stf_status status;

    r->in_count = stfi_problem_components(full, 0);
    r->out_count = stfi_problem_components(full, 1);
    r->in_bytes = (size_t)r->in_count * plain;
    r->out_bytes = (size_t)r->out_count * plain;
    in = (size_t)(r->in_count * full->batch);
    out = (size_t)(r->out_count * full->batch);
    if ((status = stfi_alloc(in * plain, "the input", &r->in)) != STF_OK
        || (status = stfi_alloc(in * wide, "the input", &r->wide_in)) != STF_OK)
        return status;
    return stfi_alloc(out * wide, "the wanted output", &r->want);
}

stf_status stfi_rig_make(stf_device *dev, const stfi_problem *problem,
                         stf_direction direction, stfi_rig *r_p)
{
    stfi_rig r = {.in = NULL};
    stf_status status;

    if ((status = stfi_setup_make(dev, problem, direction, 0, &r.setup))
        != STF_OK)
        return status;
    if ((status = make_witness(&r)) != STF_OK
        || (status = make_oracle(&r)) != STF_OK
        || (status = make_arrays(&r)) != STF_OK) {
        stfi_rig_free(&r);
        return status;
    }
    *r_p = r;
    return STF_OK;
}

stf_status stfi_rig_make_single(stf_device *dev, const stfi_problem *problem,
                                stf_direction direction, stfi_rig *r_p)
{
    stfi_problem one = *problem;

    one.desc.batch = 1;
    one.desc.ft.mode = STF_FT_DETECT;
    return stfi_rig_make(dev, &one, direction, r_p);
}

void stfi_rig_free(stfi_rig *r)
{
    stfi_dealloc(r->in);
    stfi_dealloc(r->wide_in);
    stfi_dealloc(r->want);
    stf_plan_destroy(r->oracle);
    stf_device_close(r->cpu);
    stf_plan_destroy(r->witness);
    stfi_setup_free(&r->setup);
    *r = (stfi_rig){.in = NULL};
}

stf_status stfi_rig_results(const stfi_rig *r, void **out_p)
{
    return stfi_alloc((size_t)r->setup.full.batch * r->out_bytes, "the results",
                      out_p);
}

/* -------------------------------------------------------------------- data */

static void widen(stfi_rig *r, int64_t t)
{
    stf_precision plain = r->setup.full.precision;

    for (int64_t i = t * r->in_count; i < (t + 1) * r->in_count; i++)
        stfi_type_write(r->wide, r->wide_in, i,
                        stfi_type_read(plain, r->in, i));
}

stf_status stfi_rig_draw(stfi_rig *r, const stfi_draw *draw)
{
    const int64_t batch = r->setup.full.batch;

    stfi_draw_batch(&r->setup.full, draw, stfi_device_threads(r->cpu, 0), r->in,
                    r->setup.host_in);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (batch * r->in_count \
                                              > SHARED_COUNT)
#endif
    for (int64_t t = 0; t < batch; t++)
        widen(r, t);
    r->loaded = 0;
    return stf_execute_host(r->oracle, r->setup.direction, r->wide_in, r->want);
}

/* -------------------------------------------------------------------- runs */

/* Lanes of a tile. A cpu does not plan them: it has as many lanes as a vector
 * has elements, and in plain C one lane in either precision. */
static int64_t tile_lanes(const stfi_rig *r, const stfi_caps *caps,
                          const stfi_pass *p)
{
    int64_t bytes = (int64_t)stfi_type_get(r->setup.full.precision)->bytes;

    if (caps->gpu)
        return p->block.lanes;
    return caps->wave > bytes ? caps->wave / bytes : 1;
}

stf_status stfi_rig_neighbours(const stfi_rig *r, int64_t *count_p)
{
    const stfi_fft_plan *plan = stfi_fft_plan_of(r->setup.plan);
    const stf_device *dev = plan->head.dev;
    const stfi_schedule *s = plan->schedule;
    int64_t most = 1;
    stfi_caps caps;
    stf_status status = dev->backend->caps(dev->ctx, &caps);

    if (status != STF_OK)
        return status;
    /* An end-to-end check has the whole batch computed again, whichever
     * transform has the fault. Faults that it missed would be repaired as
     * well. */
    if (plan->e2e != NULL) {
        *count_p = s->batch;
        return STF_OK;
    }
    for (int i = 0; i < s->npasses; i++) {
        const stfi_pass *p = &s->pass[i];
        int64_t lanes = tile_lanes(r, &caps, p), step = 1, count;
        int grouped = p->check.transactions > 1;

        for (int l = 0; l < p->batch_loop; l++)
            step *= p->loop_n[l];
        /* A tile that does not end with a transform reaches into one more.
         * Groups of tiles begin anywhere, and on a GPU their tiles are spread
         * over the whole batch. */
        if (grouped && caps.gpu) {
            *count_p = s->batch;
            return STF_OK;
        }
        lanes *= grouped ? p->check.transactions : 1;
        count =
            step % lanes == 0 && !grouped ? 1 : (lanes + step - 2) / step + 1;
        count *= stfi_pass_transform(p, 1);
        most = count > most ? count : most;
    }
    *count_p = most < s->batch ? most : s->batch;
    return STF_OK;
}

/* Statuses that say that results were repaired, or could not be, are no
 * failures here: the campaign counts these outcomes. */
static stf_status counted(stf_status status)
{
    return status > STF_OK || status == STF_ERR_UNCORRECTED ? STF_OK : status;
}

stf_status stfi_rig_run(stfi_rig *r, stf_plan *plan, const stf_fault *fault,
                        int count, void *out, stf_ft_report *report_p)
{
    stfi_setup *t = &r->setup;
    stf_status status = stf_plan_ft_reset(plan);

    if (status == STF_OK && (!r->loaded || t->in == t->out))
        status = stfi_setup_load(t, 1);
    r->loaded = 1;
    if (status == STF_OK && count > 0)
        status = stf_plan_inject(plan, fault, count);
    if (status == STF_OK)
        status = counted(stf_execute(plan, t->direction, t->in, t->out));
    if (status == STF_OK)
        status = counted(stf_plan_ft_report(plan, report_p));
    if (status == STF_OK)
        status = stfi_setup_fetch(t);
    if (status == STF_OK)
        stfi_pack(&t->full, 1, 0, t->full.batch, t->host_out, out,
                  stfi_device_threads(r->cpu, 0));
    return status;
}

stf_status stfi_rig_run_passes(stfi_rig *r, stf_plan *plan, void *out)
{
    stf_fault neutral;
    stf_ft_report report;
    stf_status status = stf_plan_draw_fault(plan, 1, &neutral);

    if (status != STF_OK)
        return status;
    neutral = stfi_fault_neutral(neutral);
    return stfi_rig_run(r, plan, &neutral, 1, out, &report);
}

long double stfi_rig_norm2(const stfi_rig *r, int64_t t)
{
    long double sum = 0.0L;

    for (int64_t i = t * r->out_count; i < (t + 1) * r->out_count; i++) {
        long double x = stfi_type_read(r->wide, r->want, i);
        sum += x * x;
    }
    return sum;
}

long double stfi_rig_distance2(const stfi_rig *r, int64_t t, const void *a,
                               const void *b)
{
    stf_precision plain = r->setup.full.precision;
    long double sum = 0.0L;

    if (b != NULL
        && memcmp((const char *)a + (size_t)t * r->out_bytes,
                  (const char *)b + (size_t)t * r->out_bytes, r->out_bytes)
               == 0)
        return 0.0L;
    for (int64_t i = t * r->out_count; i < (t + 1) * r->out_count; i++) {
        long double d = stfi_type_read(plain, a, i)
                        - (b != NULL ? stfi_type_read(plain, b, i)
                                     : stfi_type_read(r->wide, r->want, i));
        sum += d * d;
    }
    return sum;
}
