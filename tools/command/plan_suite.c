/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast plan --suite`: predictions for many problems; see plan_suite.h. */
#include "tools/command/plan_suite.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "fft/cost.h"
#include "fft/lower.h"
#include "tools/command/problems.h"
#include "tools/command/setup.h"
#include "tools/command/table.h"

enum {
    COLUMN_SUITE,
    COLUMN_PROBLEM,
    COLUMN_PASSES,
    COLUMN_MS,
    COLUMN_FRACTION,
    COLUMNS
};

static const stfi_column columns[COLUMNS] = {
    [COLUMN_SUITE] = {"suite", 0, 22},
    [COLUMN_PROBLEM] = {"problem", 0, 30},
    [COLUMN_PASSES] = {"passes", 1, 0},
    [COLUMN_MS] = {"predicted_ms", 1, 0},
    [COLUMN_FRACTION] = {"predicted_fraction_of_copy", 1, 0},
};

/* What transforms of so many passes should reach at least. Of a suite's
 * problems, batches only are held to it: a single short transform takes the
 * time of a launch. */
static const double goals[] = {0.85, 0.42};

enum { GOALS = sizeof goals / sizeof *goals };

typedef struct tally {
    int count, below;
    double least, logs;
    char least_at[64];
} tally;

static void add(tally *t, double fraction, double goal, const char *word)
{
    if (t->count++ == 0 || fraction < t->least) {
        t->least = fraction;
        snprintf(t->least_at, sizeof t->least_at, "%s", word);
    }
    t->below += fraction < goal;
    t->logs += log(fraction);
}

static double array_bytes(const stf_fft_desc *full, int output)
{
    int64_t dist = output ? full->out.dist : full->in.dist;

    return (double)full->batch * (double)dist
           * (double)stfi_problem_element_bytes(full, output);
}

/* Predicts the time of a problem, and prints its row. */
static stf_status predict(const stfi_listed *item, const stfi_caps *caps,
                          stfi_schedule *s, stfi_table *table, tally *tallies)
{
    char cell[COLUMNS][STFI_CELL_BYTES], word[64];
    double seconds, fraction;
    stf_fft_desc full;
    stf_status status = stfi_setup_complete(&item->problem, &full);

    if (status == STF_OK)
        status = stfi_lower(&full, caps, caps->gpu ? 1 : caps->units, s);
    if (status != STF_OK)
        return status;
    stfi_problem_print(&item->problem, word, sizeof word);
    seconds = stfi_cost_schedule(s, caps).seconds;
    fraction = (array_bytes(&full, 0) + array_bytes(&full, 1)) / seconds
               / caps->bandwidth;
    snprintf(cell[COLUMN_SUITE], STFI_CELL_BYTES, "%s", item->group);
    snprintf(cell[COLUMN_PROBLEM], STFI_CELL_BYTES, "%s", word);
    snprintf(cell[COLUMN_PASSES], STFI_CELL_BYTES, "%d", s->npasses);
    snprintf(cell[COLUMN_MS], STFI_CELL_BYTES, "%.4g", 1e3 * seconds);
    snprintf(cell[COLUMN_FRACTION], STFI_CELL_BYTES, "%.3f", fraction);
    stfi_table_row(table, cell);
    if (s->npasses <= GOALS && full.batch > 1)
        add(&tallies[s->npasses - 1], fraction, goals[s->npasses - 1], word);
    return STF_OK;
}

static void print_tally(const tally *t, int passes, const stfi_caps *caps)
{
    if (t->count == 0)
        return;
    printf("# %s, predicted: %d problems of %d pass%s: fraction of copy %.3f "
           "in the geometric mean, %.3f at least (%s); %d below %.2f\n",
           caps->name, t->count, passes, passes == 1 ? "" : "es",
           exp(t->logs / t->count), t->least, t->least_at, t->below,
           goals[passes - 1]);
}

stf_status stfi_plan_suite(const stfi_args *args, const stfi_caps *caps)
{
    stfi_format format = stfi_format_of(args);
    tally tallies[GOALS] = {{0}};
    stfi_problems list = {0};
    stfi_table table;
    void *memory = NULL;
    stf_status status = stfi_problems_of(args, &list);

    if (status == STF_OK && list.item[0].is_product)
        status = stfi_error(STF_ERR_ARGUMENT,
                            "--suite %s has matrix products, for which no "
                            "passes are predicted; plan one by its word",
                            list.item[0].group);
    if (status == STF_OK)
        status = stfi_alloc(sizeof(stfi_schedule), "a schedule", &memory);
    if (status == STF_OK) {
        stfi_table_begin(&table, stdout, format, columns, COLUMNS);
        for (int i = 0; i < list.count && status == STF_OK; i++)
            status = predict(&list.item[i], caps, memory, &table, tallies);
        stfi_table_end(&table);
    }
    for (int i = 0; i < GOALS && format == STFI_FORMAT_TEXT; i++)
        print_tally(&tallies[i], i + 1, caps);
    stfi_dealloc(memory);
    stfi_problems_free(&list);
    return status;
}
