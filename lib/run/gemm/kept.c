/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans that a device keeps; see kept.h. A call takes a plan and a workspace
 * out of the lists and puts them back, so that calls at the same time share
 * none. A plan that is not there, as another call has it, is made again. */
#include "run/gemm/kept.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"

enum { PLANS = 64 };

/* A plan and the descriptor that it was made of. */
typedef struct kept_plan {
    stfi_gemm_plan *plan; /* NULL: the place is free */
    stf_gemm_desc desc;
    uint64_t used; /* when it was put back */
} kept_plan;

typedef struct kept_work {
    struct kept_work *next;
    void *memory;
    size_t bytes;
} kept_work;

struct stfi_gemm_kept {
    pthread_mutex_t lock;
    uint64_t clock;
    kept_plan plan[PLANS];
    kept_work *idle; /* workspaces of which no call has need */
};

/* Gets what the device keeps; makes it for the first call. */
static stf_status kept_of(stf_device *dev, stfi_gemm_kept **kept_p)
{
    stfi_gemm_kept *kept = atomic_load(&dev->products), *made;
    void *mem;
    stf_status status;

    if (kept == NULL) {
        status = stfi_alloc(sizeof *made, "plans that are kept", &mem);
        if (status != STF_OK)
            return status;
        made = mem;
        pthread_mutex_init(&made->lock, NULL);
        if (atomic_compare_exchange_strong(&dev->products, &kept, made)) {
            kept = made;
        } else { /* another thread was first */
            pthread_mutex_destroy(&made->lock);
            stfi_dealloc(made);
        }
    }
    *kept_p = kept;
    return STF_OK;
}

/* ------------------------------------------------------------------- plans */

static stfi_gemm_plan *take_plan(stfi_gemm_kept *kept, const stf_gemm_desc *d)
{
    stfi_gemm_plan *plan = NULL;

    pthread_mutex_lock(&kept->lock);
    for (int i = 0; i < PLANS && plan == NULL; i++) {
        kept_plan *p = &kept->plan[i];
        if (p->plan == NULL || memcmp(&p->desc, d, sizeof *d) != 0)
            continue;
        plan = p->plan;
        p->plan = NULL;
    }
    pthread_mutex_unlock(&kept->lock);
    return plan;
}

/* Takes a free place, or that of the plan that was not used for longest. */
static void put_plan(stfi_gemm_kept *kept, const stf_gemm_desc *d,
                     stfi_gemm_plan *plan)
{
    kept_plan *oldest = &kept->plan[0];
    stfi_gemm_plan *gone;

    pthread_mutex_lock(&kept->lock);
    for (int i = 0; i < PLANS && oldest->plan != NULL; i++) {
        kept_plan *p = &kept->plan[i];
        if (p->plan == NULL || p->used < oldest->used)
            oldest = p;
    }
    gone = oldest->plan;
    oldest->plan = plan;
    oldest->desc = *d;
    oldest->used = ++kept->clock;
    pthread_mutex_unlock(&kept->lock);
    if (gone != NULL)
        stfi_plan_destroy(&gone->head);
}

/* -------------------------------------------------------------- workspaces */

static void free_work(stf_device *dev, kept_work *work)
{
    if (work == NULL)
        return;
    dev->backend->device->mem_free(dev->ctx, work->memory);
    stfi_dealloc(work);
}

/* Takes an idle workspace, which may be too small. */
static kept_work *pop_work(stfi_gemm_kept *kept)
{
    kept_work *work;

    pthread_mutex_lock(&kept->lock);
    work = kept->idle;
    if (work != NULL)
        kept->idle = work->next;
    pthread_mutex_unlock(&kept->lock);
    return work;
}

static stf_status take_work(stf_device *dev, stfi_gemm_kept *kept, size_t bytes,
                            kept_work **work_p)
{
    kept_work *work = pop_work(kept);
    void *mem;
    stf_status status;

    if (work != NULL && work->bytes >= bytes) {
        *work_p = work;
        return STF_OK;
    }
    free_work(dev, work);
    status = stfi_alloc(sizeof *work, "a workspace", &mem);
    if (status != STF_OK)
        return status;
    work = mem;
    work->bytes = bytes;
    status = dev->backend->device->mem_alloc(dev->ctx, bytes, &work->memory);
    if (status == STF_OK)
        *work_p = work;
    else
        stfi_dealloc(work);
    return status;
}

static void put_work(stfi_gemm_kept *kept, kept_work *work)
{
    pthread_mutex_lock(&kept->lock);
    work->next = kept->idle;
    kept->idle = work;
    pthread_mutex_unlock(&kept->lock);
}

/* -------------------------------------------------------------------- both */

stf_status stfi_gemm_kept_run(stf_device *dev, const stf_gemm_desc *d,
                              const stfi_gemm_call *call)
{
    stfi_gemm_kept *kept;
    stfi_gemm_plan *plan;
    kept_work *work;
    stf_status status = kept_of(dev, &kept);

    if (status != STF_OK)
        return status;
    plan = take_plan(kept, d);
    if (plan == NULL)
        status = stfi_gemm_plan_create(dev, d, 0, &plan);
    if (status != STF_OK)
        return status;
    status = take_work(dev, kept, plan->head.workspace_bytes, &work);
    if (status == STF_OK) {
        status = stfi_gemm_plan_launch(plan, call, work->memory, NULL);
        put_work(kept, work);
    }
    put_plan(kept, d, plan);
    return status;
}

void stfi_gemm_kept_drop(stf_device *dev)
{
    stfi_gemm_kept *kept =
        dev != NULL ? atomic_exchange(&dev->products, NULL) : NULL;

    if (kept == NULL)
        return;
    for (int i = 0; i < PLANS; i++)
        if (kept->plan[i].plan != NULL)
            stfi_plan_destroy(&kept->plan[i].plan->head);
    while (kept->idle != NULL)
        free_work(dev, pop_work(kept));
    pthread_mutex_destroy(&kept->lock);
    stfi_dealloc(kept);
}
