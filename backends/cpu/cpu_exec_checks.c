/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The faults and the signatures of executables. */
#include <string.h>

#include "backends/cpu/cpu_executable.h"
#include "backends/cpu/fft/cpu_tables.h"
#include "backends/cpu/protect/cpu_signature.h"
#include "backends/cpu/sums/row_sums_isa.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/type.h"
#include "ft/fault.h"

/* ------------------------------------------------------------------ faults */

/* Translates the number of a stage from the pass as planned to the pass that
 * own_radices() made of it. The first input and the results of a transform keep
 * their meaning; other stages are mapped to one that exists. */
static int own_stage(const stfi_pass *planned, const stfi_pass *own, int s)
{
    int had = planned->nstages, has = own->nstages, back = s > had;

    s -= back * had;
    if (s == had)
        s = has;
    else if (s >= has)
        s = has - 1;
    return back * has + s;
}

static stfi_cpu_fault place_fault(const stfi_exec *x, const stf_fault *f)
{
    const stfi_schedule *s = &x->schedule;
    stfi_fault_place at = stfi_fault_find(s, f);

    return (stfi_cpu_fault){
        .pass = f->pass,
        .stage = own_stage(&s->pass[f->pass], &x->pass[f->pass].p, f->stage),
        .chunk = at.chunk,
        .lane = at.lane,
        .element = at.element,
        .component = f->component,
        .bit = f->bit,
        .persistent = f->persistent,
        .magnitude = f->magnitude,
    };
}

stf_status stfi_cpu_exec_inject(stfi_exec *x, const stf_fault *fault, int count)
{
    stfi_cpu_fault *placed = NULL;
    size_t bytes;
    void *mem;
    stf_status status;

    if (count > 0) {
        status = stfi_bytes((size_t)count, sizeof *placed, 1, "faults", &bytes);
        if (status == STF_OK)
            status = stfi_alloc_raw(bytes, "faults", &mem);
        if (status != STF_OK)
            return status;
        placed = mem;
        for (int i = 0; i < count; i++)
            placed[i] = place_fault(x, &fault[i]);
    }
    stfi_dealloc(x->fault);
    x->fault = placed;
    atomic_store(&x->suffered, 0);
    atomic_store(&x->faults, count);
    return STF_OK;
}

void stfi_cpu_exec_note(stfi_exec *x, stfi_ft_result *result,
                        stfi_ft_outcome outcome, const stf_ft_event *event)
{
    pthread_mutex_lock(&x->log.lock);
    stfi_ft_note(&x->log.ledger, result, outcome, event, 1);
    pthread_mutex_unlock(&x->log.lock);
}

/* -------------------------------------------------------------- signatures */

uint64_t stfi_cpu_exec_bits(const stfi_exec *x)
{
    stf_precision math = stfi_type_arithmetic(x->schedule.precision)->id;
    uint64_t bits = 0;

    if (x->add_bits != NULL)
        for (int i = 0; i < x->npasses; i++)
            bits += stfi_cpu_pass_bits(&x->pass[i], math, x->add_bits);
    return bits;
}

void stfi_cpu_exec_sign(stfi_exec *x, const char *isa)
{
    stf_precision precision = x->schedule.precision;
    const stfi_ft_rows *rows = stfi_cpu_row_sums_find(isa, precision);

    x->has_signature = stfi_cpu_sign_passes(x->pass, x->npasses, precision);
    if (!x->has_signature || rows == NULL)
        return;
    x->add_bits = rows->bits;
    x->table_bits = stfi_cpu_exec_bits(x);
}

/* The signature of a pass over the chunk that starts at transform `first`. */
static uint64_t sign_chunk(const stfi_exec *x, const stfi_buffers *b, int i,
                           int64_t first)
{
    const stfi_schedule *s = &x->schedule;
    const stfi_cpu_pass *cp = &x->pass[i];
    int64_t rest = s->batch - first;
    stfi_cpu_run run = {
        .src = stfi_cpu_exec_buffer(x, b, cp->p.load.buf, first, 0),
        .dst = stfi_cpu_exec_buffer(x, b, cp->p.store.buf, first, 0),
        .batch = rest < s->chunk ? rest : s->chunk,
        .scale = cp->p.scaled ? stfi_schedule_scale(s, i, b->scale) : 1.0,
        .inverse = b->inverse,
    };

    return stfi_cpu_sign(cp, &run);
}

int stfi_cpu_exec_signature(const stfi_exec *x, const stfi_buffers *b,
                            uint64_t *sum_p)
{
    const stfi_schedule *s = &x->schedule;
    uint64_t sum = x->table_bits;

    if (!x->has_signature || b->in == b->out)
        return 0;
    for (int64_t first = 0; first < s->batch; first += s->chunk)
        for (int i = 0; i < x->npasses; i++)
            sum += sign_chunk(x, b, i, first);
    *sum_p = sum;
    return 1;
}
