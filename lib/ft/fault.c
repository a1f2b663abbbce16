/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checking, locating and drawing the faults of a schedule; see fault.h. */
#include "ft/fault.h"

#include <inttypes.h>
#include <math.h>

#include "base/random.h"
#include "base/status.h"

int stfi_fault_stages(const stfi_pass *p)
{
    return stfi_op_get(p->op)->transforms * p->nstages + 1;
}

/* The number of values of a signal at one stage of a pass. It includes the
 * unused elements in the last lane of UNTANGLE and TANGLE, which is not
 * full. */
static int64_t values_of(const stfi_pass *p)
{
    return stfi_pass_signal_lanes(p) * p->n;
}

static int bits_of(const stfi_schedule *s)
{
    return 8 * (int)stfi_type_arithmetic(s->precision)->bytes;
}

stf_status stfi_fault_check(const stfi_schedule *s, const stf_fault *f)
{
    const struct {
        const char *name;
        int64_t value, least, most;
    } early[] = {
        {"pass", f->pass, 0, s->npasses - 1},
        {"signal", f->signal, 0, s->batch - 1},
        {"component", f->component, 0, 1},
        {"bit", f->bit, -1, bits_of(s) - 1},
        {"persistent", f->persistent, 0, 1},
    };
    const stfi_pass *p;

    for (size_t i = 0; i < sizeof early / sizeof *early; i++)
        if (early[i].value < early[i].least || early[i].value > early[i].most)
            return stfi_error(STF_ERR_ARGUMENT,
                              "fault.%s is %" PRId64
                              "; it must be from %" PRId64 " to %" PRId64,
                              early[i].name, early[i].value, early[i].least,
                              early[i].most);
    p = &s->pass[f->pass];
    if (f->stage < 0 || f->stage >= stfi_fault_stages(p))
        return stfi_error(STF_ERR_ARGUMENT,
                          "fault.stage is %d; pass %d has "
                          "stages 0 to %d",
                          (int)f->stage, (int)f->pass,
                          stfi_fault_stages(p) - 1);
    if (f->element < 0 || f->element >= values_of(p))
        return stfi_error(STF_ERR_ARGUMENT,
                          "fault.element is %" PRId64 "; a signal has %" PRId64
                          " in pass %d",
                          f->element, values_of(p), (int)f->pass);
    if (f->bit < 0 && !isfinite(f->magnitude))
        return stfi_error(STF_ERR_ARGUMENT,
                          "fault.magnitude is %g; it must "
                          "be finite",
                          f->magnitude);
    return STF_OK;
}

stfi_fault_place stfi_fault_find(const stfi_schedule *s, const stf_fault *fault)
{
    const stfi_pass *p = &s->pass[fault->pass];
    int64_t left = fault->element / p->n, step = 1;
    stfi_fault_place at = {fault->signal / s->chunk, 0, fault->element % p->n};
    int64_t rest = s->batch - at.chunk * s->chunk; /* the last one is short */
    int64_t batch = rest < s->chunk ? rest : s->chunk;

    for (int l = 0; l < p->nloops; l++) {
        int64_t index = fault->signal % s->chunk / stfi_pass_transform(p, 1);
        if (l != p->batch_loop) {
            index = left % p->loop_n[l];
            left /= p->loop_n[l];
        }
        at.lane += index * step;
        step *= l == p->batch_loop ? stfi_pass_batch(p, batch) : p->loop_n[l];
    }
    return at;
}

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(stfi_random_u64(state) % (uint64_t)n);
}

stf_fault stfi_fault_draw(const stfi_schedule *s, uint64_t seed)
{
    stf_fault f = {.pass = 0};
    int64_t total = 0, place;

    for (int i = 0; i < s->npasses; i++)
        total += values_of(&s->pass[i]) * stfi_fault_stages(&s->pass[i]);
    place = below(&seed, total);
    while (place >= values_of(&s->pass[f.pass])
                        * stfi_fault_stages(&s->pass[f.pass])) {
        place -=
            values_of(&s->pass[f.pass]) * stfi_fault_stages(&s->pass[f.pass]);
        f.pass++;
    }
    f.stage = (int32_t)(place / values_of(&s->pass[f.pass]));
    f.element = place % values_of(&s->pass[f.pass]);
    f.signal = below(&seed, s->batch);
    f.component = (int32_t)below(&seed, 2);
    f.bit = (int32_t)below(&seed, bits_of(s));
    return f;
}

stf_fault stfi_fault_neutral(stf_fault fault)
{
    fault.bit = -1;
    fault.magnitude = -0.0;
    fault.persistent = 0;
    return fault;
}
