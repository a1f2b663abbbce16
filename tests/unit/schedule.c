/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What must hold of every schedule, and of the kernels of its passes, tested
 * with random problems on all presets. The planner refuses nothing that a
 * machine could hold, and nothing at all for reasons of its own. */
#include <string.h>

#include "base/status.h"
#include "fft/lower.h"
#include "ft/instrument.h"
#include "ft/offline.h"
#include "support/problem/problem.h"
#include "tests/tap.h"
#include "tests/unit/invariants.h"
#include "tests/unit/random_problem.h"

/* INVARIANTS_MOST bounds the number of rows in invariants.c. A machine may hold
 * 2^HELD_BITS elements, and a launch as many blocks, but one. */
enum { INVARIANTS_MOST = 32, HELD_BITS = 31, SHOWN = 4 };

typedef struct tally {
    int refused; /* problems that a machine could hold */
    int broken;  /* refused for reasons of the planner's own */
    int planned;
    int failures[INVARIANTS_MOST];
} tally;

static void show(const random_problem *p, const stfi_caps *caps,
                 const char *what)
{
    char text[RANDOM_PROBLEM_BYTES];

    random_problem_print(p, text);
    tap_diag("%s on %s: %s", text, caps->name, what);
}

/* Plans the problem as plans do, with the marks of its checks. */
static stf_status lower(const random_problem *p, const stfi_caps *caps,
                        stf_fft_desc *full, stfi_schedule *s)
{
    const stf_ft_desc *ft = &full->ft;
    stf_status status = STF_OK;

    if (!p->in_place || !stfi_desc_padded(&p->d, full))
        status = stfi_desc_complete(&p->d, full);
    full->ft = p->d.ft;
    if (status == STF_OK)
        status = stfi_lower(full, caps, 1, s);
    if (status != STF_OK)
        return status;
    if (ft->mode != STF_FT_OFF && ft->level != STF_FT_OFFLINE)
        stfi_ft_mark(ft, s);
    if (stfi_ft_is_end_to_end(ft))
        stfi_schedule_gate(s);
    return STF_OK;
}

/* Sizes that no machine holds may be refused, but as the caller's fault or as
 * beyond what is there. */
static void refuse(const random_problem *p, const stfi_caps *caps,
                   stf_status status, tally *t)
{
    int broken = status != STF_ERR_ARGUMENT && status != STF_ERR_UNSUPPORTED;
    int *count = broken ? &t->broken : &t->refused;

    if (!broken && p->bits > HELD_BITS)
        return;
    if ((*count)++ < SHOWN)
        show(p, caps, stf_error_message());
}

static void examine(const random_problem *p, const stfi_caps *caps, tally *t)
{
    static stfi_schedule s;
    stf_fft_desc full;
    const invariants_view v = {&full, caps, &s};
    const invariant *row;
    stf_status status = lower(p, caps, &full, &s);

    if (status != STF_OK) {
        refuse(p, caps, status, t);
        return;
    }
    t->planned++;
    for (int i = 0; (row = invariant_at(i)) != NULL; i++) {
        const char *wrong = row->wrong(&v);
        if (wrong != NULL && t->failures[i]++ < SHOWN)
            show(p, caps, wrong);
    }
}

/* Problems that once had blocks that did not fit: too much block memory beside
 * the checks, too many threads, or widths beyond 32 bits. */
static const char *const hard[] = {
    "c2r:f64:out:4099x37",
    "c2r:f32:out:4099x3145x3042",
    "c2r:f64:out:4099x3145x3042",
    "c2c:f64:out:4099x996",
    "c2c:f64:out:1000003",
    "c2r:f64:out:613817*7",
    "c2r:f64:out:1410887",
    "c2r:f64:out:65537x41824078",
    "r2c:f32:out:1000003x2147483649",
    "c2r:f64:out:6435*2607",
    "c2r:f32:out:9375*3579",
};

/* Examines a problem with every protection that a descriptor can ask for. */
static void examine_protected(const random_problem *p, const stfi_caps *caps,
                              tally *t)
{
    random_problem q = *p;

    for (int scheme = STF_FT_SCHEME_AUTO; scheme <= STF_FT_SCHEME_TWO_SIDED;
         scheme++)
        for (int tiles = 1; tiles <= 32; tiles *= 2) {
            q.d.ft = (stf_ft_desc){.mode = STF_FT_DETECT,
                                   .scheme = (stf_ft_scheme)scheme,
                                   .transactions = tiles};
            examine(&q, caps, t);
        }
    q.d.ft = (stf_ft_desc){.mode = STF_FT_CORRECT, .level = STF_FT_THREAD};
    examine(&q, caps, t);
    q.d.ft = (stf_ft_desc){.mode = STF_FT_CORRECT, .level = STF_FT_OFFLINE};
    examine(&q, caps, t);
    q.d.ft = (stf_ft_desc){.mode = STF_FT_OFF};
    examine(&q, caps, t);
}

static void test_hard(tally *t)
{
    const stfi_caps *caps;

    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        random_problem p = {.bits = HELD_BITS + 1};
        stfi_problem parsed;

        if (stfi_problem_parse(hard[i], &parsed) != STF_OK)
            t->broken++;
        p.d = parsed.desc;
        for (int k = 0; (caps = stfi_preset_at(k)) != NULL; k++)
            examine_protected(&p, caps, t);
    }
}

int main(void)
{
    static const int counts[] = {300, 1000, 10000};
    static tally t;
    const stfi_caps *caps;
    random_problem p;
    uint64_t state;
    int k = 0;

    tap_begin("schedule");
    state = tap_seed();
    test_hard(&t);
    for (int i = 0; i < counts[tap_level()]; i++) {
        random_problem_draw(&state, &p);
        for (k = 0; (caps = stfi_preset_at(k)) != NULL; k++)
            examine(&p, caps, &t);
    }
    tap_ok(t.broken == 0, "no problem breaks the planner");
    tap_ok(t.refused == 0 && t.planned > counts[tap_level()] * k * 8 / 10,
           "whatever a machine holds has a schedule on every preset");
    for (int i = 0; invariant_at(i) != NULL; i++)
        tap_ok(t.failures[i] == 0, "%s", invariant_at(i)->what);
    for (k = 0; (caps = stfi_preset_at(k)) != NULL; k++)
        tap_ok(stfi_preset_find(caps->name) == caps, "preset %s is found",
               caps->name);
    tap_ok(k >= 7 && !stfi_preset_find("abacus"), "absent presets are not");
    return tap_end();
}
