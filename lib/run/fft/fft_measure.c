/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Contests of plans of transforms: arrays of any layout, candidates, and when two
 * plans are the same; see contest.h. */
#include "run/fft/fft_measure.h"

#include <string.h>

#include "base/alloc.h"
#include "fft/candidates.h"
#include "fft/desc.h"
#include "fft/schedule_text.h"

typedef struct subject {
    stf_device *dev;
    const stf_fft_desc *d, *full;
    void *in, *out; /* memory */
    stfi_buffers buffers;
} subject;

/* ------------------------------------------------------------------- arrays */

/* Gets the bytes that an array takes from its first element in memory to its
 * last, and where element 0 of it is. */
static void measure_span(const stf_fft_desc *full, int output, size_t *bytes_p,
                         size_t *offset_p)
{
    const stf_layout *layout = output ? &full->out : &full->in;
    const stfi_kind *kind = stfi_kind_get(full->kind);
    size_t element = stfi_type_get(full->precision)->bytes
                     * ((output ? kind->real_out : kind->real_in) ? 1 : 2);
    int64_t below = 0, above = 0;

    for (int a = 0; a <= full->rank; a++) {
        int64_t n =
            a == full->rank ? full->batch : stfi_desc_extent(full, a, output);
        int64_t stride = a == full->rank ? layout->dist : layout->stride[a];
        if (stride < 0)
            below -= stride * (n - 1);
        else
            above += stride * (n - 1);
    }
    *bytes_p = (size_t)(below + above + 1) * element;
    *offset_p = (size_t)below * element;
}

/* Half spectra, which are not any numbers, are zeros. */
static stf_status make_array(const subject *s, int output, void **memory_p,
                             void **array_p)
{
    size_t bytes, offset;
    stf_status status;

    measure_span(s->full, output, &bytes, &offset);
    status = stfi_plan_contest_array(s->dev, stfi_type_get(s->full->precision),
                                     s->full->kind == STF_C2R, bytes, memory_p);
    if (status == STF_OK)
        *array_p = (char *)*memory_p + offset;
    return status;
}

static stf_status prepare(void *arg, const stf_plan *model)
{
    subject *s = arg;
    void *in = NULL, *out = NULL;
    stf_status status;

    stfi_fft_plan_direct(stfi_fft_plan_of(model),
                         s->full->kind == STF_C2R ? STF_INVERSE : STF_FORWARD,
                         &s->buffers);
    status = make_array(s, 0, &s->in, &in);
    if (status == STF_OK)
        status = make_array(s, 1, &s->out, &out);
    s->buffers.in = in;
    s->buffers.out = out;
    return status;
}

/* -------------------------------------------------------------------- plans */

static stf_status make(void *arg, const void *choice, stf_plan **plan_p)
{
    const subject *s = arg;
    stfi_fft_plan *plan;
    stf_status status = stfi_fft_plan_create_as(s->dev, s->d, 0, choice, &plan);

    if (status == STF_OK)
        *plan_p = &plan->head;
    return status;
}

static int list(void *arg, const stf_plan *plan, const void *base, int each,
                void *choices)
{
    const subject *s = arg;
    const stfi_fft_plan *first = stfi_fft_plan_of(plan);
    const stfi_fft_ops *fft = s->dev->backend->fft;
    int whole = fft->is_whole != NULL && fft->is_whole(first->exec);

    return stfi_candidates(s->full, first->schedule, whole, base, each,
                           choices);
}

static int are_equal(const stf_plan *one, const stf_plan *two)
{
    const stfi_schedule *a = stfi_fft_plan_of(one)->schedule;
    const stfi_schedule *b = stfi_fft_plan_of(two)->schedule;
    size_t bytes = stfi_schedule_print(a, NULL, 0) + 1;
    size_t other = stfi_schedule_print(b, NULL, 0) + 1;
    void *text;
    int equal;

    if (bytes != other || a->apart != b->apart
        || stfi_alloc(2 * bytes, "a schedule's text", &text) != STF_OK)
        return 0;
    stfi_schedule_print(a, text, bytes);
    stfi_schedule_print(b, (char *)text + bytes, bytes);
    equal = strcmp(text, (char *)text + bytes) == 0;
    stfi_dealloc(text);
    return equal;
}

static stf_status launch(void *arg, const stf_plan *plan, void *workspace,
                         void *stream)
{
    subject *s = arg;
    const stfi_fft_plan *fft = stfi_fft_plan_of(plan);

    s->buffers.work = workspace;
    return stfi_fft_plan_launch(fft, fft->exec, &s->buffers, stream);
}

stf_status stfi_fft_measure(stf_device *dev, const stf_fft_desc *d,
                            const stf_fft_desc *full, stfi_choice *choice_p,
                            stfi_measured *m_p)
{
    subject s = {.dev = dev, .d = d, .full = full};
    const stfi_plan_contest rules = {
        .dev = dev,
        .effort = full->effort,
        .effort_seconds = full->effort_seconds,
        .progress = full->progress,
        .progress_data = full->progress_data,
        .choice_bytes = sizeof *choice_p,
        .most = STFI_CANDIDATES,
        .subject = &s,
        .make = make,
        .prepare = prepare,
        .list = list,
        .are_equal = are_equal,
        .launch = launch,
    };
    stf_status status = stfi_plan_contest_run(&rules, choice_p, m_p);

    dev->backend->device->mem_free(dev->ctx, s.in);
    dev->backend->device->mem_free(dev->ctx, s.out);
    return status;
}
