/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The table of rules compared; see compare_table.h. */
#include "bench/detectors/compare_table.h"

#include <inttypes.h>

#include "bench/detectors/compare.h"
#include "fft/desc.h"

enum {
    COLUMN_DETECTOR,
    COLUMN_CLEAN,
    COLUMN_ALARMS,
    COLUMN_FLIPS_8X,
    COLUMN_MISSED_8X,
    COLUMN_FLIPS_16X,
    COLUMN_MISSED_16X,
    COLUMN_FLIPS_64X,
    COLUMN_MISSED_64X,
    COLUMN_FACTOR,
    COLUMN_THEN_8X,
    COLUMN_THEN_16X,
    COLUMN_THEN_64X,
    COLUMNS
};

static const stfi_column columns[COLUMNS] = {
    [COLUMN_DETECTOR] = {"detector", 0, 13},
    [COLUMN_CLEAN] = {"clean", 1, 6},
    [COLUMN_ALARMS] = {"false_alarms", 1, 0},
    [COLUMN_FLIPS_8X] = {"flips_8x", 1, 0},
    [COLUMN_MISSED_8X] = {"missed_8x", 1, 0},
    [COLUMN_FLIPS_16X] = {"flips_16x", 1, 0},
    [COLUMN_MISSED_16X] = {"missed_16x", 1, 0},
    [COLUMN_FLIPS_64X] = {"flips_64x", 1, 0},
    [COLUMN_MISSED_64X] = {"missed_64x", 1, 0},
    [COLUMN_FACTOR] = {"fair_factor", 1, 0},
    [COLUMN_THEN_8X] = {"fair_8x", 1, 0},
    [COLUMN_THEN_16X] = {"fair_16x", 1, 0},
    [COLUMN_THEN_64X] = {"fair_64x", 1, 0},
};

/* The plans whose own checks are compared: the plan of the command line, and
 * plans whose groups of transforms share a checksum. */
static const struct guard {
    const char *name, *text;
    stf_ft_scheme scheme;
    int transactions; /* 0: the option of the command line holds */
} guards[] = {
    {"plan", "a plan as the options say, which checks its passes",
     STF_FT_SCHEME_AUTO, 0},
    {"one-sided-8", "one checksum for 8 transforms: all are computed again",
     STF_FT_SCHEME_ONE_SIDED, 8},
    {"two-sided-8", "three checksums for 8, which tell which it was",
     STF_FT_SCHEME_TWO_SIDED, 8},
};

enum { GUARDS = sizeof guards / sizeof *guards };

/* ------------------------------------------------------------------- cells */

static void put(char *cell, int64_t count)
{
    snprintf(cell, STFI_CELL_BYTES, "%" PRId64, count);
}

/* Prints one row of numbers. The fair_* columns are left empty for plans, whose
 * thresholds cannot be varied here. */
static void print_row(stfi_table *table, const char *name, int64_t clean,
                      const int64_t *flips, const stfi_score *s, int has_fair)
{
    char cell[COLUMNS][STFI_CELL_BYTES] = {{'\0'}};

    snprintf(cell[COLUMN_DETECTOR], STFI_CELL_BYTES, "%s", name);
    put(cell[COLUMN_CLEAN], clean);
    put(cell[COLUMN_ALARMS], s->false_alarms);
    for (int c = 0; c < STFI_FLIP_CLASSES; c++) {
        put(cell[COLUMN_FLIPS_8X + 2 * c], flips[c]);
        put(cell[COLUMN_MISSED_8X + 2 * c], s->missed[c]);
        if (has_fair)
            put(cell[COLUMN_THEN_8X + c], s->missed_then[c]);
    }
    if (has_fair)
        snprintf(cell[COLUMN_FACTOR], STFI_CELL_BYTES, "%.3g", s->factor);
    stfi_table_row(table, cell);
}

/* -------------------------------------------------------------------- rows */

static stf_status print_rules(const stfi_contest *c, stfi_progress *progress,
                              stfi_table *table)
{
    static stfi_comparison result;
    stfi_rig rig;
    stf_status status =
        stfi_rig_make_single(c->dev, &c->problem, c->direction, &rig);

    if (status != STF_OK)
        return status;
    status = stfi_compare_run(&rig, c->trials, c->chance, progress, &result);
    stfi_rig_free(&rig);
    stfi_progress_clear(progress);
    for (int i = 0; i < STFI_DETECTORS && status == STF_OK; i++)
        print_row(table, stfi_detector_name((stfi_detector)i), result.trials,
                  result.flips, &result.score[i], 1);
    return status;
}

/* Each class of a campaign ends where the next one begins, but a class of this
 * table includes all larger changes: these sums make one from the other. */
static void add_classes(const int64_t *part, int64_t *whole)
{
    int64_t sum = 0;

    for (int c = STFI_FLIP_CLASSES - 1; c >= 0; c--)
        whole[c] = sum += part[c];
}

static stf_status run_guard(const stfi_contest *c, const struct guard *g,
                            stfi_progress *progress, stfi_tally *tally)
{
    stfi_problem p = c->problem;
    stfi_rig rig;
    stf_status status;

    if (g->transactions > 0) {
        p.desc.ft.level = STF_FT_BLOCK;
        p.desc.ft.scheme = g->scheme;
        p.desc.ft.transactions = g->transactions;
    }
    status = stfi_rig_make(c->dev, &p, c->direction, &rig);
    if (status != STF_OK)
        return status;
    /* Half of a campaign's trials have a fault, and c->trials are to have
     * one. */
    status = stfi_campaign_run(&rig, 2 * c->trials, c->chance, progress, tally);
    stfi_rig_free(&rig);
    stfi_progress_clear(progress);
    return status;
}

/* *absent_p gets a bit for each row of guards[] that the device does not
 * have. */
static stf_status print_guards(const stfi_contest *c, stfi_progress *progress,
                               stfi_table *table, unsigned *absent_p)
{
    *absent_p = 0;
    for (int i = 0; i < GUARDS; i++) {
        int64_t flips[STFI_FLIP_CLASSES];
        stfi_score s = {.factor = 0.0};
        stfi_tally tally;
        stf_status status = run_guard(c, &guards[i], progress, &tally);

        if (status == STF_ERR_UNSUPPORTED && guards[i].transactions > 0) {
            *absent_p |= 1u << i;
            continue;
        }
        if (status != STF_OK)
            return status;
        s.false_alarms = tally.false_alarms;
        add_classes(tally.flips, flips);
        add_classes(tally.missed, s.missed);
        print_row(table, guards[i].name, tally.trials, flips, &s, 0);
    }
    return STF_OK;
}

/* ---------------------------------------------------------------- the whole */

static void print_texts(const stfi_contest *c, FILE *file, unsigned absent)
{
    for (int i = 0; i < STFI_DETECTORS; i++)
        fprintf(file, "# %-13s  %s\n", stfi_detector_name((stfi_detector)i),
                stfi_detector_text((stfi_detector)i));
    for (int i = 0; i < GUARDS; i++)
        fprintf(file, "# %-13s  %s\n", guards[i].name,
                absent >> i & 1 ? "is not on this device" : guards[i].text);
    if (stfi_kind_is_r2r(c->problem.desc.kind))
        fprintf(file, "# levelled is random here: for whole transforms of this "
                      "kind there is no levelled e\n");
}

stf_status stfi_compare_print(const stfi_contest *c)
{
    stfi_progress progress;
    stfi_table table;
    unsigned absent = 0;
    stf_status status;

    stfi_progress_begin(&progress, "inject", (double)c->trials, c->quiet);
    stfi_table_begin(&table, stdout, c->format, columns, COLUMNS);
    status = print_rules(c, &progress, &table);
    if (status == STF_OK)
        status = print_guards(c, &progress, &table, &absent);
    stfi_table_end(&table);
    if (c->format == STFI_FORMAT_JSON)
        putchar('\n');
    fflush(stdout);
    if (!c->quiet && status == STF_OK)
        print_texts(c, c->format == STFI_FORMAT_TEXT ? stdout : stderr, absent);
    return status;
}
