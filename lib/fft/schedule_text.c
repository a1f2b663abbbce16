/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Schedules as text; see schedule_text.h. */
#include "fft/schedule_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/status.h"
#include "base/text.h"
#include "fft/gpu/config.h"

static const char *const buf_names[] = {
    [STFI_BUF_IN] = "in",
    [STFI_BUF_OUT] = "out",
    [STFI_BUF_WORK0] = "work0",
    [STFI_BUF_WORK1] = "work1",
};
static const char *const form_names[] = {
    [STFI_FORM_COMPLEX] = "complex", [STFI_FORM_REAL] = "real",
    [STFI_FORM_PAIRS] = "pairs",     [STFI_FORM_HALF] = "half",
    [STFI_FORM_HC] = "hc",
};
static const char *const order_names[] = {
    [STFI_ORDER_NONE] = "",          [STFI_ORDER_PLAIN] = "",
    [STFI_ORDER_FOLD] = " fold",     [STFI_ORDER_ENDS] = " ends",
    [STFI_ORDER_EIGHTH] = " eighth", [STFI_ORDER_EIGHTH_BACK] = " eighth-back",
    [STFI_ORDER_EVEN] = " even",     [STFI_ORDER_ODD] = " odd",
};
static const char *const turn_names[] = {
    [STFI_TURN_NONE] = "",         [STFI_TURN_QUARTER] = " quarter",
    [STFI_TURN_FOUR] = " four",    [STFI_TURN_CAS] = " cas",
    [STFI_TURN_EIGHTH] = " root2", [STFI_TURN_IMAG] = " imag",
};

static const char *const check_names[] = {
    [STFI_CHECK_NONE] = "",
    [STFI_CHECK_LANE] = "lane by lane",
    [STFI_CHECK_TWICE] = "by doing it twice",
};

static void put_side(stfi_text *w, const char *name, const stfi_pass *p,
                     const stfi_side *side)
{
    stfi_text_put(w, "    %s %s %s%s%s%s%s stride %" PRId64 " loops", name,
                  buf_names[side->buf], form_names[side->form],
                  order_names[side->order], side->reversed ? " reversed" : "",
                  side->alternate ? " alternate" : "", turn_names[side->turn],
                  side->order != STFI_ORDER_NONE ? side->unit : side->stride);
    for (int l = 0; l < p->nloops; l++)
        stfi_text_put(w, " %" PRId64, side->loop_stride[l]);
    if (side->block > 0)
        stfi_text_put(w, " block %" PRId64 " stride %" PRId64, side->block,
                      side->block_stride);
    if (side->pair != 0)
        stfi_text_put(w, " pair %" PRId64, side->pair);
    if (side->mirror > 0)
        stfi_text_put(w, " mirror %" PRId64, side->mirror);
    if (side->full > 0)
        stfi_text_put(w, " full %" PRId64, side->full);
    if (side->limit > 0)
        stfi_text_put(w, " limit %" PRId64, side->limit);
    if (side->rows > 0)
        stfi_text_put(w, " rows %" PRId64, side->rows);
    if (side->chirp > 0)
        stfi_text_put(w, " chirp %" PRId64, side->chirp);
    stfi_text_put(w, "\n");
}

/* Writes what the pass's own lines do not say about its kernel. */
static void put_kernel(stfi_text *w, const stfi_schedule *s, const stfi_pass *p)
{
    const unsigned parts = STFI_CONFIG_CHECK | STFI_CONFIG_BLOCK;
    size_t room;
    stfi_gpu_config config;

    if (stfi_gpu_config_choose(p, s->precision, &s->caps, &config) != STF_OK) {
        stfi_text_put(w, "    kernel none: %s\n", stf_error_message());
        return;
    }
    stfi_text_put(w, "    kernel ");
    room = w->length < w->capacity ? w->capacity - w->length : 0;
    w->length += stfi_gpu_config_print(&config, parts,
                                       room ? w->text + w->length : NULL, room);
    stfi_text_put(w, "\n");
}

static void put_pass(stfi_text *w, const stfi_schedule *schedule, int i)
{
    const stfi_pass *p = &schedule->pass[i];

    stfi_text_put(w, "  pass %d: %s", i, stfi_op_get(p->op)->name);
    if (p->conv != STFI_CONV_NONE)
        stfi_text_put(w, " %s %" PRId64, stfi_conv_get(p->conv)->name,
                      p->signal);
    if (p->results > 0 && p->results < p->signal)
        stfi_text_put(w, " results %" PRId64, p->results);
    stfi_text_put(w, " n %" PRId64, p->n);
    if (p->nstages > 0)
        stfi_text_put(w, " = ");
    for (int s = 0; s < p->nstages; s++)
        stfi_text_put(w, "%s%d", s > 0 ? "*" : "", p->radix[s]);
    for (int a = 0; a < p->axes.count; a++)
        stfi_text_put(w, "%s%" PRId64, a > 0 ? "x" : " of axes ", p->axes.n[a]);
    stfi_text_put(w, "%s%s%s, lanes ", p->inverse ? " inverse" : "",
                  p->backward ? " backward" : "", p->scaled ? " scaled" : "");
    for (int l = 0; l < p->nloops; l++)
        stfi_text_put(w, "%s%" PRId64 "%s", l > 0 ? "*" : "", p->loop_n[l],
                      l == p->batch_loop ? "b" : "");
    if (stfi_op_get(p->op)->two && p->two_loop > 0)
        stfi_text_put(w, " of two");
    if (p->odd_columns)
        stfi_text_put(w, ", the last of one");
    stfi_text_put(w, p->balanced ? ", balanced\n" : "\n");
    put_side(w, "load ", p, &p->load);
    put_side(w, "store", p, &p->store);
    if (p->twiddle.order > 0)
        stfi_text_put(
            w, "    twiddle order %" PRId64 " rows %" PRId64 " on %s%s\n",
            p->twiddle.order, p->twiddle.rows,
            p->twiddle.on_load ? "load" : "store",
            p->twiddle.conjugate ? ", conjugate" : "");
    if (p->check.kind != STFI_CHECK_NONE)
        stfi_text_put(w, "    check %s %s\n", check_names[p->check.kind],
                      p->check.correct ? "and correct" : "only");
    stfi_text_put(
        w, "    block: %d lanes, %d threads x %d elements, %" PRId64 " bytes\n",
        (int)p->block.lanes, (int)p->block.threads, (int)p->block.elements,
        p->block.memory_bytes);
    if (schedule->caps.gpu)
        put_kernel(w, schedule, p);
}

size_t stfi_schedule_print(const stfi_schedule *s, char *text, size_t capacity)
{
    stfi_text w = {text, capacity, 0};

    stfi_text_put(&w,
                  "schedule %s: batch %" PRId64 " in chunks of %" PRId64
                  ", %d slots, work %zu bytes, %d passes\n",
                  stfi_type_get(s->precision)->name, s->batch, s->chunk,
                  (int)s->slots, stfi_schedule_work_bytes(s), s->npasses);
    for (int i = 0; i < s->npasses; i++)
        put_pass(&w, s, i);
    return w.length;
}
