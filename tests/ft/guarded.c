/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Signals and guarded plans; see guarded.h. */
#include "tests/ft/guarded.h"

#include <stdlib.h>
#include <string.h>

#include "tests/report.h"
#include "tests/tap.h"

enum { NORMAL }; /* the number of the first distribution */

static const char *const words[] = {
    "c2c:f32:1*3",    "c2c:f32:8*40",    "c2c:f64:105*5",    "c2c:f32:1024*9",
    "c2c:f64:1021*3", "c2c:f32:65536*2", "c2c:f64:24x35*3",  "c2c:f32:5x7x9*4",
    "r2c:f32:64*7",   "r2c:f64:105*4",   "r2c:f32:131072*1", "r2c:f32:30x44*2",
    "c2r:f64:64*7",   "c2r:f32:105*4",   "c2r:f32:131072*1", "c2r:f64:8x9x15*2",
    "dct2:f32:64*7",  "dst1:f64:105*4",  "dct3:f64:30x44*2", "dht:f32:131072*1",
    "c2c:f16:64*40",  "r2c:bf16:105*4",
};

const char *stfi_guarded_word(int i)
{
    return i < (int)(sizeof words / sizeof *words) ? words[i] : NULL;
}

static stf_direction direction_of(const char *word)
{
    return word[2] == 'r' ? STF_INVERSE : STF_FORWARD;
}

int stfi_guarded_open(stfi_guarded *g, stf_device *dev, const char *word,
                      stf_ft_mode mode, stf_ft_level level, int end_to_end)
{
    uint64_t state = tap_seed();
    stf_fft_desc d;

    memset(g, 0, sizeof *g);
    if (!stfi_signals_open(&g->s, dev, word, direction_of(word)))
        return 0;
    d = g->s.d;
    d.ft.mode = mode;
    d.ft.level = level;
    d.ft.end_to_end = end_to_end;
    g->bytes = (size_t)(g->s.out_count * d.batch) * g->s.bytes;
    g->clean = malloc(g->bytes);
    g->whole = malloc(g->bytes);
    if (!g->clean || !g->whole || stf_plan_fft(dev, &d, &g->plan))
        return tap_ok(0, "%s: %s", word, stf_error_message());
    return stfi_guarded_draw(g, NORMAL, &state);
}

int stfi_guarded_draw(stfi_guarded *g, int distribution, uint64_t *state)
{
    if (!stfi_signals_draw(&g->s, distribution, state)
        || !stfi_signals_run(&g->s))
        return 0;
    memcpy(g->whole, g->s.out, g->bytes);
    if (stfi_signals_by_passes(g->s.plan))
        return tap_ok(0, "passes: %s", stf_error_message());
    if (!stfi_signals_run(&g->s))
        return 0;
    memcpy(g->clean, g->s.out, g->bytes);
    return 1;
}

void stfi_guarded_close(stfi_guarded *g)
{
    stf_plan_destroy(g->plan);
    stfi_signals_close(&g->s);
    free(g->clean);
    free(g->whole);
}

stf_status stfi_guarded_run(stfi_guarded *g)
{
    memset(g->s.out, 0xff, g->bytes);
    return stf_execute(g->plan, g->s.direction, g->s.in, g->s.out);
}

int stfi_guarded_is_clean(const stfi_guarded *g)
{
    return !memcmp(g->s.out, g->clean, g->bytes)
           || !memcmp(g->s.out, g->whole, g->bytes);
}

/* The report since the last call; returns the status that goes with it. */
stf_status stfi_guarded_report(stfi_guarded *g, stf_ft_report *r)
{
    stf_status status = stf_plan_ft_report(g->plan, r);

    return stf_plan_ft_reset(g->plan) ? STF_ERR_INTERNAL : status;
}

/* 1 if nothing at all was found in `checked` residuals. */
int stfi_report_is_clean(const stf_ft_report *r, int64_t checked)
{
    return r->groups_checked == checked
           && report_has_only(r, REPORT_BIT(RECHECKED))
           && r->first_event.signal == -1 && r->max_residual < 1;
}

/* A large error at a random place. The value may be one that nobody stores. */
stf_fault stfi_guarded_fault(const stfi_guarded *g, uint64_t *state)
{
    stf_fault f;

    memset(&f, 0, sizeof f);
    if (stf_plan_draw_fault(g->plan, stfi_random_u64(state), &f))
        tap_ok(0, "a fault: %s", stf_error_message());
    f.bit = -1;
    f.magnitude = 1e3;
    return f;
}

int stfi_report_names(const stf_ft_report *r, const stf_fault *f)
{
    return r->detected == 1 && r->located == 1 && r->first_event.pass == -1
           && r->first_event.signal == f->signal && r->max_residual > 1
           && r->first_event.residual == r->max_residual;
}
