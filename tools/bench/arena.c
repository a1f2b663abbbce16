/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Device arrays that all problems of a bench share; see arena.h. */
#include "tools/bench/arena.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "fft/desc.h"
#include "run/queue.h"
#include "support/problem/component.h"
#include "tools/command/setup.h"
#include "tools/file/data.h"

/* The size of the random input that is repeated over the array; if one
 * transform is longer, the pattern is one transform. */
static const size_t PATTERN_BYTES = (size_t)1 << 24;

/* How much of the output is looked at to measure the size of the results. */
static const size_t SIZE_BYTES = (size_t)1 << 16;

enum { MOST_CHECKED = 16 };

void stfi_arena_begin(stfi_arena *a, stf_device *dev)
{
    *a = (stfi_arena){.dev = dev};
}

static void forget_problem(stfi_arena *a)
{
    stf_plan_destroy(a->plan);
    stfi_dealloc(a->pattern);
    a->plan = NULL;
    a->pattern = NULL;
}

static void free_arrays(stfi_arena *a)
{
    if (a->out != a->in)
        stf_free(a->dev, a->out);
    stf_free(a->dev, a->in);
    a->in = a->out = NULL;
    a->in_room = a->out_room = 0;
}

void stfi_arena_end(stfi_arena *a)
{
    forget_problem(a);
    free_arrays(a);
    *a = (stfi_arena){.dev = NULL};
}

/* ---------------------------------------------------------------- problem */

/* Bytes from the start of one block in an array to the next. */
static size_t step_bytes(const stfi_arena *a, int output)
{
    int64_t lowest, step = output ? a->full.out.dist : a->full.in.dist;

    if (a->interleaved)
        step = stfi_problem_span(&a->full, output, &lowest);
    return (size_t)step * stfi_problem_element_bytes(&a->full, output);
}

static size_t max_bytes(size_t a, size_t b)
{
    return a > b ? a : b;
}

static stf_status make_room(stfi_arena *a, int in_place)
{
    size_t longer = max_bytes(a->in_bytes, a->out_bytes);
    stf_status status = STF_OK;

    if (a->in_room >= (in_place ? longer : a->in_bytes)
        && (in_place ? a->out == a->in
                     : a->out != a->in && a->out_room >= a->out_bytes))
        return STF_OK;
    free_arrays(a);
    /* Both arrays get the length of the longer one, since the next problem may
     * need the lengths swapped. */
    if ((status = stf_malloc(a->dev, longer, &a->in)) != STF_OK)
        return status;
    a->in_room = a->out_room = longer;
    if (in_place)
        a->out = a->in;
    else
        status = stf_malloc(a->dev, longer, &a->out);
    if (status != STF_OK)
        free_arrays(a);
    return status;
}

static stf_status make_pattern(stfi_arena *a, uint64_t seed)
{
    size_t step = step_bytes(a, 0);
    stf_fft_desc few = a->full;
    stf_status status;

    a->distinct = step < PATTERN_BYTES ? (int64_t)(PATTERN_BYTES / step) : 1;
    if (a->distinct > a->blocks)
        a->distinct = a->blocks;
    a->pattern_bytes = (size_t)a->distinct * step;
    status = stfi_alloc_raw(a->pattern_bytes, "the input", &a->pattern);
    if (status != STF_OK)
        return status;
    if (!a->interleaved)
        few.batch = a->distinct;
    memset(a->pattern, 0, a->pattern_bytes); /* clears padding, which stays
                                              * unset otherwise */
    stfi_data_fill(&few, a->pattern, seed);
    return STF_OK;
}

stf_status stfi_arena_set(stfi_arena *a, const stfi_problem *problem,
                          stf_direction direction, uint64_t seed)
{
    stf_status status;

    forget_problem(a);
    if ((status = stfi_setup_complete(problem, &a->full)) != STF_OK)
        return status;
    a->direction = direction;
    a->interleaved = problem->interleaved;
    a->blocks = a->interleaved ? 1 : a->full.batch;
    a->used = 1;
    a->in_bytes = (size_t)a->blocks * step_bytes(a, 0);
    a->out_bytes = (size_t)a->blocks * step_bytes(a, 1);
    if ((status = make_room(a, problem->in_place)) != STF_OK
        || (status = stf_plan_fft(a->dev, &a->full, &a->plan)) != STF_OK
        || (status = make_pattern(a, seed)) != STF_OK)
        forget_problem(a);
    return status;
}

/* ------------------------------------------------------------------- data */

stf_status stfi_arena_load(stfi_arena *a)
{
    size_t done = a->pattern_bytes;
    stf_status status = stf_upload(a->dev, a->in, a->pattern, done);

    /* Each copy doubles what is there, so that few copies are needed. */
    while (done < a->in_bytes && status == STF_OK) {
        size_t more = a->in_bytes - done < done ? a->in_bytes - done : done;
        status = stfi_copy_async(a->dev, (char *)a->in + done, a->in, more,
                                 STFI_ON_DEVICE, NULL);
        done += more;
    }
    if (status == STF_OK)
        status = stf_synchronize(a->dev);
    a->used = status != STF_OK;
    return status;
}

stf_status stfi_arena_size(stfi_arena *a, double *size_p)
{
    size_t bytes = max_bytes(step_bytes(a, 1), 1);
    size_t component = stfi_type_get(a->full.precision)->bytes;
    long double sum = 0.0L;
    int64_t count;
    void *some;
    stf_status status;

    if (bytes > SIZE_BYTES)
        bytes = SIZE_BYTES;
    count = (int64_t)(bytes / component);
    if ((status = stfi_alloc_raw(bytes, "a check", &some)) != STF_OK)
        return status;
    status = stf_synchronize(a->dev);
    if (status == STF_OK)
        status = stf_download(a->dev, some, a->out, bytes);
    for (int64_t i = 0; i < count && status == STF_OK; i++) {
        long double v = stfi_type_read(a->full.precision, some, i);
        sum += v * v;
    }
    stfi_dealloc(some);
    if (status == STF_OK)
        *size_p = (double)sqrtl(sum / (long double)count);
    return status;
}

/* Chooses the transforms to check: the first, the last and random ones. */
static int choose(const stfi_arena *a, int count, uint64_t seed, int64_t *at)
{
    int64_t batch = a->full.batch;

    if (count > MOST_CHECKED)
        count = MOST_CHECKED;
    if (count > batch)
        count = (int)batch;
    for (int i = 0; i < count; i++)
        at[i] = count == batch ? i
                : i == 0       ? 0
                : i == 1       ? batch - 1
                         : (int64_t)(stfi_random_u64(&seed) % (uint64_t)batch);
    return count;
}

/* Spreads the transforms to check over an interleaved batch, so that they have a
 * common step: the descriptor of these transforms in the array. */
static stf_fft_desc spread(const stf_fft_desc *full, int count)
{
    stf_fft_desc some = *full;

    some.batch = count < MOST_CHECKED ? count : MOST_CHECKED;
    if (some.batch > full->batch)
        some.batch = full->batch;
    if (some.batch > 1)
        some.in.dist = some.out.dist = (full->batch - 1) / (some.batch - 1);
    return some;
}

/* The blocks that have the chosen transforms side by side in host memory, input and
 * output. */
typedef struct sample {
    stf_fft_desc full; /* the descriptor of the transforms */
    int64_t blocks, at[MOST_CHECKED];
    size_t in_step, out_step;
    void *in, *out;
} sample;

static stf_status make_sample(const stfi_arena *a, int count, uint64_t seed,
                              sample *s)
{
    stf_status status;

    s->full = a->interleaved ? spread(&a->full, count) : a->full;
    s->blocks = a->interleaved ? 1 : choose(a, count, seed, s->at);
    if (!a->interleaved)
        s->full.batch = s->blocks;
    s->in_step = step_bytes(a, 0);
    s->out_step = step_bytes(a, 1);
    status = stfi_alloc_raw((size_t)s->blocks * s->in_step, "a check", &s->in);
    if (status == STF_OK)
        status =
            stfi_alloc_raw((size_t)s->blocks * s->out_step, "a check", &s->out);
    if (status != STF_OK)
        return status;
    for (int64_t i = 0; i < s->blocks; i++)
        memcpy((char *)s->in + (size_t)i * s->in_step,
               (char *)a->pattern
                   + (size_t)(s->at[i] % a->distinct) * s->in_step,
               s->in_step);
    return STF_OK;
}

/* Fills the outputs of the sample with NaNs, so that results that are not
 * written are noticed. */
static stf_status poison(const stfi_arena *a, const sample *s)
{
    stf_status status = STF_OK;

    memset(s->out, 0xff, s->out_step);
    for (int64_t i = 0; i < s->blocks && status == STF_OK; i++)
        status =
            stf_upload(a->dev, (char *)a->out + (size_t)s->at[i] * s->out_step,
                       s->out, s->out_step);
    return status;
}

static stf_status fetch(const stfi_arena *a, const sample *s)
{
    stf_status status = stf_synchronize(a->dev);

    for (int64_t i = 0; i < s->blocks && status == STF_OK; i++)
        status = stf_download(a->dev, (char *)s->out + (size_t)i * s->out_step,
                              (char *)a->out + (size_t)s->at[i] * s->out_step,
                              s->out_step);
    return status;
}

stf_status stfi_arena_check(stfi_arena *a, stf_status (*work)(void *, void *),
                            void *arg, int count, uint64_t seed,
                            stfi_accuracy *accuracy)
{
    sample s = {.in = NULL};
    stf_status status = make_sample(a, count, seed, &s);

    if (status == STF_OK && a->in != a->out)
        status = poison(a, &s);
    if (status == STF_OK)
        status = stfi_arena_load(a);
    a->used = 1;
    if (status == STF_OK)
        status = work(arg, NULL);
    if (status >= STF_OK)
        status = fetch(a, &s);
    if (status == STF_OK)
        status =
            stfi_accuracy_add(accuracy, &s.full, a->direction, s.in, s.out, 1);
    stfi_dealloc(s.in);
    stfi_dealloc(s.out);
    return status;
}
