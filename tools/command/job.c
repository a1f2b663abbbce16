/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Transforms along any axes of an array; see job.h. */
#include "tools/command/job.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "fft/desc.h"

/* One axis, or several adjacent axes that have a common stride in both
 * arrays. */
typedef struct span {
    int64_t n, in, out;
} span;

stf_status stfi_axes_parse(const char *text, int rank,
                           int axis[STFI_ARRAY_RANK])
{
    memset(axis, 0, STFI_ARRAY_RANK * sizeof *axis);
    if (text == NULL) {
        for (int a = 0; a < rank; a++)
            axis[a] = 1;
        return STF_OK;
    }
    for (;;) {
        char *end;
        long value;

        errno = 0;
        value = strtol(text, &end, 10);
        if (end == text || errno != 0 || (*end != '\0' && *end != ','))
            return stfi_error(STF_ERR_ARGUMENT,
                              "--axes: \"%s\" is not a list "
                              "of axes such as 0,2 or -1",
                              text);
        if (value < -rank || value >= rank)
            return stfi_error(STF_ERR_ARGUMENT,
                              "--axes: there is no axis %ld "
                              "in an array of rank %d",
                              value, rank);
        if (value < 0)
            value += rank;
        if (axis[value])
            return stfi_error(STF_ERR_ARGUMENT, "--axes names axis %ld twice",
                              value);
        axis[value] = 1;
        if (*end == '\0')
            return STF_OK;
        text = end + 1;
    }
}

/* ------------------------------------------------------------- the shapes */

static stf_status set_lengths(const stfi_array *in, int64_t length,
                              stfi_job *job, stfi_array *out)
{
    stf_fft_desc *d = &job->desc;

    d->rank = 0;
    for (int a = 0; a < in->rank; a++) {
        out->n[a] = in->n[a];
        if (!job->axis[a])
            continue;
        if (d->rank == STF_MAX_RANK)
            return stfi_error(STF_ERR_ARGUMENT,
                              "more than %d axes cannot be "
                              "transformed at once; use --axes",
                              STF_MAX_RANK);
        d->n[d->rank++] = in->n[a];
        job->last = a;
    }
    if (d->kind == STF_R2C)
        out->n[job->last] = in->n[job->last] / 2 + 1;
    if (d->kind == STF_C2R) {
        int64_t half = in->n[job->last];
        int64_t n = length > 0 ? length : half > 1 ? 2 * (half - 1) : 1;
        if (n / 2 + 1 != half)
            return stfi_error(STF_ERR_ARGUMENT,
                              "--n is %" PRId64 "; a half "
                              "spectrum of %" PRId64 " elements has length "
                              "%" PRId64 " or %" PRId64,
                              n, half, 2 * half - 2, 2 * half - 1);
        d->n[d->rank - 1] = n;
        out->n[job->last] = n;
    }
    return STF_OK;
}

/* Collects the axes that are not transformed. Neighbours that have a common
 * stride in both arrays are merged. Returns the number of spans. */
static int merge_others(const stfi_array *in, const stfi_job *job,
                        const int64_t *in_step, const int64_t *out_step,
                        span *spans)
{
    int count = 0;

    for (int a = in->rank - 1; a >= 0; a--) {
        span *s = &spans[count > 0 ? count - 1 : 0];

        if (job->axis[a] || in->n[a] == 1)
            continue;
        if (count > 0 && in_step[a] == s->in * s->n
            && out_step[a] == s->out * s->n)
            s->n *= in->n[a];
        else
            spans[count++] = (span){in->n[a], in_step[a], out_step[a]};
    }
    return count;
}

/* The longest span becomes the plan's batch; the others become loops. */
static void set_batch(stfi_job *job, const span *spans, int count)
{
    int longest = 0;

    job->slices = 1;
    for (int i = 1; i < count; i++)
        if (spans[i].n > spans[longest].n)
            longest = i;
    for (int i = 0; i < count; i++) {
        if (i == longest) {
            job->desc.batch = spans[i].n;
            job->desc.in.dist = spans[i].in;
            job->desc.out.dist = spans[i].out;
            continue;
        }
        job->loop_n[job->nloops] = spans[i].n;
        job->loop_in[job->nloops] = spans[i].in;
        job->loop_out[job->nloops] = spans[i].out;
        job->nloops++;
        job->slices *= spans[i].n;
    }
}

void stfi_job_invert(stf_fft_desc *d)
{
    for (int a = 0; a < STF_MAX_RANK && d->kind == STF_R2R; a++)
        if (stfi_kind_is_r2r(d->kinds[a]))
            d->kinds[a] = stfi_kind_get(d->kinds[a])->inverse;
    d->kind = stfi_kind_get(d->kind)->inverse;
}

stf_status stfi_job_make(const stfi_array *in, const stf_fft_desc *like,
                         const int axis[STFI_ARRAY_RANK], int64_t length,
                         stfi_job *job_p, stfi_array *out_p)
{
    stfi_job job = {.desc = stf_fft_desc_default()};
    stfi_array out = *in;
    int64_t in_step[STFI_ARRAY_RANK], out_step[STFI_ARRAY_RANK];
    int64_t in_total = 1, out_total = 1;
    span spans[STFI_ARRAY_RANK];
    stf_status status;
    int k = 0;

    job.desc.kind = like->kind;
    memcpy(job.desc.kinds, like->kinds, sizeof job.desc.kinds);
    job.desc.precision = in->precision;
    memcpy(job.axis, axis, sizeof job.axis);
    out.complex = !stfi_kind_get(like->kind)->real_out;
    out.data = NULL;
    if ((status = set_lengths(in, length, &job, &out)) != STF_OK)
        return status;
    for (int a = in->rank - 1; a >= 0; a--) {
        in_step[a] = in_total;
        out_step[a] = out_total;
        in_total *= in->n[a];
        out_total *= out.n[a];
    }
    for (int a = 0; a < in->rank; a++)
        if (axis[a]) {
            job.desc.in.stride[k] = in_step[a];
            job.desc.out.stride[k++] = out_step[a];
        }
    set_batch(&job, spans, merge_others(in, &job, in_step, out_step, spans));
    *job_p = job;
    *out_p = out;
    return STF_OK;
}

stf_status stfi_job_reverse(const stfi_job *job, const stfi_array *out,
                            stfi_job *job_p, stfi_array *in_p)
{
    stf_fft_desc back = job->desc;
    stf_status status;

    stfi_job_invert(&back);
    status = stfi_job_make(out, &back, job->axis, back.n[back.rank - 1], job_p,
                           in_p);
    if (status != STF_OK)
        return status;
    job_p->desc.threads = job->desc.threads;
    job_p->desc.ft = job->desc.ft;
    return STF_OK;
}

/* -------------------------------------------------------------- execution */

void stfi_job_offsets(const stfi_job *job, int64_t i, int64_t *in_p,
                      int64_t *out_p)
{
    *in_p = *out_p = 0;
    for (int l = 0; l < job->nloops; l++) {
        int64_t at = i % job->loop_n[l];
        *in_p += at * job->loop_in[l];
        *out_p += at * job->loop_out[l];
        i /= job->loop_n[l];
    }
}

stf_status stfi_job_run(const stfi_job *job, stf_plan *plan,
                        stf_direction direction, const stfi_array *in,
                        stfi_array *out)
{
    stf_status status = STF_OK;

    for (int64_t i = 0; i < job->slices && status >= STF_OK; i++) {
        int64_t from, to;
        stfi_job_offsets(job, i, &from, &to);
        status = stf_execute_host(
            plan, direction,
            (const char *)in->data
                + from * (int64_t)stfi_array_element_bytes(in),
            (char *)out->data + to * (int64_t)stfi_array_element_bytes(out));
    }
    return status;
}

double stfi_job_logical(const stfi_job *job)
{
    const stf_fft_desc *d = &job->desc;
    double n = 1.0;

    for (int a = 0; a < d->rank; a++) {
        const stfi_kind *kind =
            stfi_kind_get(d->kind == STF_R2R ? d->kinds[a] : d->kind);
        n *= kind->times * (double)(d->n[a] + kind->plus);
    }
    return n;
}

double stfi_job_points(const stfi_job *job)
{
    double points = 1.0;
    for (int a = 0; a < job->desc.rank; a++)
        points *= (double)job->desc.n[a];
    return points;
}

double stfi_job_transforms(const stfi_job *job)
{
    return (double)job->desc.batch * (double)job->slices;
}
