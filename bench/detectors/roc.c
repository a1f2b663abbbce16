/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Detection rates as functions of the threshold; see roc.h. */
#include "bench/detectors/roc.h"

#include <math.h>

#include "base/alloc.h"
#include "ft/threshold.h"
#include "tools/file/outfile.h"

/* The thresholds K start at FIRST_K, with STEPS steps per octave. */
static const double FIRST_K = 0.25;

enum { STEPS = 8, OCTAVES = 8 };

/* One trial: its largest residual, expressed as a K, without and with its
 * fault, and how much the fault changed the transform. */
typedef struct sample {
    double clean, struck, change;
} sample;

/* A residual that is not a number counts as larger than all others. */
static double largest_k(const stf_ft_report *report)
{
    int beyond = report->detected > 0 && !(report->max_residual > 1.0);

    return beyond ? INFINITY : (double)STFI_FT_REPORT * report->max_residual;
}

static stf_status take(stfi_rig *r, const stfi_draw *draw, void *clean,
                       void *struck, sample *s)
{
    stf_ft_report report[2];
    stf_status status =
        stfi_change_draw(r, draw, clean, struck, report, &s->change);

    if (status != STF_OK)
        return status;
    s->clean = largest_k(&report[0]);
    s->struck = largest_k(&report[1]);
    return STF_OK;
}

/* ------------------------------------------------------------------ rates */

/* Among the faults that change their transform by `least` or more, the fraction
 * whose residual is above k; NAN if there is no such fault. */
static double detection(const sample *s, int64_t count, double k, double least)
{
    int64_t all = 0, found = 0;

    for (int64_t i = 0; i < count; i++)
        if (s[i].change >= least) {
            all++;
            found += s[i].struck > k;
        }
    return all > 0 ? (double)found / (double)all : NAN;
}

static double alarms(const sample *s, int64_t count, double k)
{
    int64_t found = 0;

    for (int64_t i = 0; i < count; i++)
        found += s[i].clean > k;
    return (double)found / (double)count;
}

static stf_status print(const sample *s, int64_t count, const char *path)
{
    stfi_outfile file;
    stf_status status = stfi_outfile_open(path, &file);

    if (status != STF_OK)
        return status;
    fprintf(file.stream, "threshold_k,false_alarm_rate,detection_rate_all,"
                         "detection_8x,detection_64x\n");
    for (int i = 0; i <= STEPS * OCTAVES; i++) {
        double k = FIRST_K * exp2((double)i / STEPS);

        fprintf(file.stream, "%.6g,%.6g,%.6g,%.6g,%.6g\n", k,
                alarms(s, count, k), detection(s, count, k, 0.0),
                detection(s, count, k, 8.0), detection(s, count, k, 64.0));
    }
    return stfi_outfile_commit(&file);
}

stf_status stfi_roc_write(stfi_rig *r, int64_t trials, stfi_chance chance,
                          const char *path, stfi_progress *progress)
{
    void *clean = NULL, *struck = NULL, *samples = NULL;
    stf_status status = stfi_rig_results(r, &clean);

    if (status == STF_OK)
        status = stfi_rig_results(r, &struck);
    if (status == STF_OK)
        status =
            stfi_alloc((size_t)trials * sizeof(sample), "a curve", &samples);
    for (int64_t t = 0; t < trials && status == STF_OK; t++) {
        stfi_draw draw = stfi_chance_draw(chance, t);

        stfi_progress_update(progress, (double)t, "sweeping");
        status = take(r, &draw, clean, struck, (sample *)samples + t);
    }
    if (status == STF_OK)
        status = print(samples, trials, path);
    stfi_dealloc(clean);
    stfi_dealloc(struck);
    stfi_dealloc(samples);
    return status;
}
