/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Transforms of host arrays on a device with memory of its own; see host.h.
 *
 * A slot holds a chunk: some transforms of the batch, packed. The slots are
 * used in turn; the previous results of a slot are fetched before it is filled
 * again. The last chunk may be shorter than its slot: the rest of the slot is
 * transformed too, and its results are ignored. */
#include "run/fft/host.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "run/fft/pack.h"
#include "run/queue.h"

/* Bytes of a slot, input and output together: large enough for the full speed
 * of a bus, and small enough that the first and the last copy, which overlap
 * with nothing, take little time compared with a large array. */
static const size_t SLOT_BYTES = (size_t)1 << 26;

enum { SLOTS = 3, FAILED = -1 };

typedef struct slot {
    void *stream;
    void *host_in, *host_out;
    void *in, *out, *work;
    int64_t first; /* number of the chunk's first transform in the batch */
    int64_t count; /* 0: no results to fetch; FAILED: only to be waited for */
} slot;

typedef struct staging {
    stfi_fft_staging head; /* its plan transforms a chunk, packed */
    int64_t chunk;
    size_t in_bytes, out_bytes; /* of a chunk */
    int nslots;
    slot slot[SLOTS];
} staging;

/* ----------------------------------------------------------------- making */

static void free_slot(stf_device *dev, slot *s)
{
    dev->backend->device->mem_free(dev->ctx, s->in);
    dev->backend->device->mem_free(dev->ctx, s->out);
    dev->backend->device->mem_free(dev->ctx, s->work);
    if (s->host_in != NULL)
        stfi_host_free(dev, s->host_in);
    if (s->host_out != NULL)
        stfi_host_free(dev, s->host_out);
    stfi_stream_destroy(dev, s->stream);
    *s = (slot){.stream = NULL};
}

static stf_status make_slot(stf_device *dev, const staging *g, slot *s)
{
    const stfi_device_ops *memory = dev->backend->device;
    stf_status status;

    if ((status = stfi_stream_create(dev, &s->stream)) != STF_OK
        || (status = stfi_host_alloc(dev, g->in_bytes, &s->host_in)) != STF_OK
        || (status = stfi_host_alloc(dev, g->out_bytes, &s->host_out)) != STF_OK
        || (status = memory->mem_alloc(dev->ctx, g->in_bytes, &s->in)) != STF_OK
        || (status = memory->mem_alloc(dev->ctx, g->out_bytes, &s->out))
               != STF_OK)
        return status;
    /* The unused part of a short chunk is transformed and checked, too. */
    memset(s->host_in, 0, g->in_bytes);
    return memory->mem_alloc(dev->ctx, g->head.plan->head.workspace_bytes,
                             &s->work);
}

static void clear(stf_device *dev, staging *g)
{
    for (int i = 0; i < SLOTS; i++)
        free_slot(dev, &g->slot[i]);
    if (g->head.plan != NULL)
        stfi_plan_destroy(&g->head.plan->head);
    g->head.plan = NULL;
}

static void destroy(stfi_fft_staging *head)
{
    clear(head->plan->head.dev, (staging *)head);
    stfi_dealloc(head);
}

/* Makes the plan and `nslots` slots for chunks of `chunk` transforms. */
static stf_status make_chunks(const stfi_fft_plan *plan, int64_t chunk,
                              int nslots, staging *g)
{
    stf_device *dev = plan->head.dev;
    stf_fft_desc d = plan->desc;
    stf_status status;

    memset(&d.in, 0, sizeof d.in);
    memset(&d.out, 0, sizeof d.out);
    d.batch = chunk;
    d.effort = STF_EFFORT_ESTIMATE;
    g->chunk = chunk;
    g->in_bytes = stfi_pack_bytes(&d, 0);
    g->out_bytes = stfi_pack_bytes(&d, 1);
    g->nslots = nslots;
    /* Slots have workspaces of their own. */
    status = stfi_fft_plan_create(dev, &d, 0, &g->head.plan);
    for (int i = 0; i < g->nslots && status == STF_OK; i++)
        status = make_slot(dev, g, &g->slot[i]);
    if (status != STF_OK)
        clear(dev, g);
    return status;
}

/* Returns how many slots have something to do. */
static int count_slots(const stfi_fft_plan *plan, int64_t chunk)
{
    return plan->desc.batch > 2 * chunk ? SLOTS
           : plan->desc.batch > chunk   ? 2
                                        : 1;
}

/* Makes the staging with chunks of SLOT_BYTES. If memory is short, chunks
 * become shorter first, and then there are fewer slots. */
static stf_status make_staging(stfi_fft_plan *plan)
{
    stf_fft_desc one = plan->desc;
    size_t bytes;
    int64_t chunk;
    int nslots;
    void *memory;
    staging *g;
    stf_status status = stfi_alloc(sizeof *g, "staging", &memory);

    if (status != STF_OK)
        return status;
    g = memory;
    g->head.destroy = destroy;
    one.batch = 1;
    bytes = stfi_pack_bytes(&one, 0) + stfi_pack_bytes(&one, 1);
    chunk = bytes < SLOT_BYTES ? (int64_t)(SLOT_BYTES / bytes) : 1;
    if (chunk > plan->desc.batch)
        chunk = plan->desc.batch;
    nslots = count_slots(plan, chunk);
    while ((status = make_chunks(plan, chunk, nslots, g)) == STF_ERR_MEMORY
           && (chunk > 1 || nslots > 1)) {
        nslots = chunk > 1 ? count_slots(plan, (chunk + 1) / 2) : nslots - 1;
        chunk = (chunk + 1) / 2;
    }
    if (status == STF_OK)
        plan->staging = &g->head;
    else
        stfi_dealloc(g);
    return status;
}

/* -------------------------------------------------------------- execution */

/* One call of stfi_host_execute(). */
typedef struct host_run {
    stf_device *dev;
    const stf_fft_desc *desc; /* layouts of the host arrays */
    stf_direction direction;
    const char *in;
    char *out;
    int threads; /* that copy between these and the slots */
} host_run;

/* Waits for a slot, and unpacks its results. */
static stf_status fetch(const host_run *r, slot *s)
{
    stf_status status;

    if (s->count == 0)
        return STF_OK;
    status = r->dev->backend->queue->sync(r->dev->ctx, s->stream);
    if (status == STF_OK && s->count != FAILED)
        stfi_unpack(r->desc, s->first, s->count, s->host_out, r->out,
                    r->threads);
    s->count = 0;
    return status;
}

/* Combines two statuses in a row: the first error, or else the graver of two
 * remarks. */
static stf_status join(stf_status first, stf_status second)
{
    if (first < STF_OK || second < STF_OK)
        return first < STF_OK ? first : second;
    return first > second ? first : second;
}

/* Starts the transforms from `first` on in a slot. */
static stf_status feed(const host_run *r, const staging *g, int64_t first,
                       slot *s)
{
    int64_t count = r->desc->batch - first;
    const stfi_fft_plan *plan = g->head.plan;
    stfi_buffers buffers = {
        .in = s->in,
        .out = s->out,
        .work = s->work,
        .first_signal = first,
    };
    stf_status status;

    stfi_fft_plan_direct(plan, r->direction, &buffers);
    s->first = first;
    s->count = count < g->chunk ? count : g->chunk;
    stfi_pack(r->desc, 0, first, s->count, r->in, s->host_in, r->threads);
    if ((status = stfi_copy_async(r->dev, s->in, s->host_in, g->in_bytes,
                                  STFI_TO_DEVICE, s->stream))
            != STF_OK
        || (status =
                stfi_fft_plan_launch(plan, plan->exec, &buffers, s->stream))
               < STF_OK)
        return status;
    return join(status, stfi_copy_async(r->dev, s->host_out, s->out,
                                        g->out_bytes, STFI_TO_HOST, s->stream));
}

static stf_status run_chunks(const host_run *r, staging *g)
{
    stf_status status = STF_OK;
    int turn = 0;

    for (int64_t first = 0; first < r->desc->batch && status >= STF_OK;
         first += g->chunk, turn = (turn + 1) % g->nslots) {
        status = join(status, fetch(r, &g->slot[turn]));
        if (status >= STF_OK)
            status = join(status, feed(r, g, first, &g->slot[turn]));
        if (status < STF_OK)
            g->slot[turn].count = FAILED;
    }
    /* This is needed after a failure too: no slot may still be at work when the
     * call returns. */
    for (int i = 0; i < g->nslots; i++)
        status = join(status, fetch(r, &g->slot[(turn + i) % g->nslots]));
    return status;
}

stf_status stfi_host_execute(stfi_fft_plan *plan, stf_direction direction,
                             const void *in, void *out)
{
    host_run r = {.dev = plan->head.dev,
                  .desc = &plan->desc,
                  .direction = direction,
                  .in = in,
                  .out = out,
                  .threads =
                      stfi_device_threads(plan->head.dev, plan->desc.threads)};
    stfi_exec *exec;
    stf_status status = stfi_fft_plan_choose(plan, in == out, &exec);

    if (status != STF_OK)
        return status;
    if (in == out && plan->padded != NULL)
        r.desc = &plan->padded_desc;
    if (plan->staging == NULL)
        status = make_staging(plan);
    return status == STF_OK ? run_chunks(&r, (staging *)plan->staging) : status;
}
