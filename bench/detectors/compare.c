/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The comparison of rules of detection; see compare.h. */
#include "bench/detectors/compare.h"

#include "base/alloc.h"

/* One trial: the size that each rule measures without and with the fault, and
 * how much the fault changed the transform. */
typedef struct sample {
    double clean[STFI_DETECTORS], struck[STFI_DETECTORS], change;
} sample;

typedef struct bench {
    stfi_rig *rig;
    stfi_detectors detectors;
    void *clean, *struck; /* results without and with the fault */
    sample *sample;
} bench;

static stf_status take(bench *b, const stfi_draw *draw, sample *s)
{
    stfi_rig *r = b->rig;
    stf_ft_report report[2];
    stf_status status =
        stfi_change_draw(r, draw, b->clean, b->struck, report, &s->change);

    if (status != STF_OK)
        return status;
    stfi_detectors_measure(&b->detectors, r->in, b->clean, s->clean);
    stfi_detectors_measure(&b->detectors, r->in, b->struck, s->struck);
    return STF_OK;
}

/* ------------------------------------------------------------------- scores */

static void count_missed(const bench *b, int64_t trials, stfi_detector which,
                         double factor, int64_t *missed)
{
    for (int64_t t = 0; t < trials; t++)
        for (int c = 0; c < STFI_FLIP_CLASSES; c++)
            missed[c] += b->sample[t].change >= stfi_flip_at[c]
                         && !stfi_detector_alarms(
                             which, b->sample[t].struck[which], factor);
}

static stfi_score score(const bench *b, int64_t trials, stfi_detector which)
{
    stfi_score s = {.factor = 0.0};

    for (int64_t t = 0; t < trials; t++) {
        double size = b->sample[t].clean[which];

        s.false_alarms += stfi_detector_alarms(which, size, 1.0);
        if (stfi_detector_alarms(which, size, s.factor))
            s.factor = size;
    }
    count_missed(b, trials, which, 1.0, s.missed);
    count_missed(b, trials, which, s.factor, s.missed_then);
    return s;
}

static void add_up(const bench *b, int64_t trials, stfi_comparison *result)
{
    for (int64_t t = 0; t < trials; t++)
        for (int c = 0; c < STFI_FLIP_CLASSES; c++)
            result->flips[c] += b->sample[t].change >= stfi_flip_at[c];
    for (int i = 0; i < STFI_DETECTORS; i++)
        result->score[i] = score(b, trials, (stfi_detector)i);
    result->trials = trials;
}

/* ------------------------------------------------------------------ the run */

static stf_status open_bench(stfi_rig *r, int64_t trials, bench *b)
{
    void *memory = NULL;
    stf_status status = stfi_detectors_make(&r->setup.full, &b->detectors);

    if (status == STF_OK)
        status = stfi_rig_results(r, &b->clean);
    if (status == STF_OK)
        status = stfi_rig_results(r, &b->struck);
    if (status == STF_OK)
        status = stfi_alloc((size_t)trials * sizeof *b->sample, "a comparison",
                            &memory);
    b->sample = memory;
    b->rig = r;
    return status;
}

static void close_bench(bench *b)
{
    stfi_detectors_free(&b->detectors);
    stfi_dealloc(b->clean);
    stfi_dealloc(b->struck);
    stfi_dealloc(b->sample);
}

stf_status stfi_compare_run(stfi_rig *r, int64_t trials, stfi_chance chance,
                            stfi_progress *progress, stfi_comparison *result_p)
{
    stfi_comparison result = {.trials = 0};
    bench b = {.rig = r};
    stf_status status = open_bench(r, trials, &b);

    for (int64_t t = 0; t < trials && status == STF_OK; t++) {
        stfi_draw draw = stfi_chance_draw(chance, t);

        stfi_progress_update(progress, (double)t, "comparing");
        status = take(&b, &draw, &b.sample[t]);
    }
    if (status == STF_OK) {
        add_up(&b, trials, &result);
        *result_p = result;
    }
    close_bench(&b);
    return status;
}
