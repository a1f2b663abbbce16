/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast inject`: runs a campaign of faults and reports what protection did
 * about them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/device.h"
#include "support/problem/distribution.h"
#include "tools/inject/campaign.h"
#include "tools/inject/clean.h"
#include "tools/command/command.h"
#include "bench/detectors/compare_table.h"
#include "support/problem/gemm_problem.h"
#include "tools/file/outfile.h"
#include "tools/inject/inject_gemm.h"
#include "tools/inject/load.h"
#include "tools/command/problems.h"
#include "tools/command/product_options.h"
#include "tools/command/protections.h"
#include "bench/detectors/roc.h"
#include "tools/command/table.h"

enum { DEFAULT_TRIALS = 2000, MOST_BATCH = 256, MOST_SAMPLES = 20000 };

/* The most bytes of the arrays of one execution, if the user chose no batch. */
static const double MOST_BYTES = 0x1p26;

enum {
    COLUMN_TRIALS,
    COLUMN_FAULTS,
    COLUMN_ALARMS,
    COLUMN_DETECTED,
    COLUMN_LOCATED,
    COLUMN_CORRECTED,
    COLUMN_RECOMPUTED,
    COLUMN_UNCORRECTED,
    COLUMN_MISSED_8X,
    COLUMN_MISSED_16X,
    COLUMN_MISSED,
    COLUMN_WORST,
    COLUMN_CLEAN,
    COLUMNS
};

static const stfi_column columns[COLUMNS] = {
    [COLUMN_TRIALS] = {"trials", 1, 0},
    [COLUMN_FAULTS] = {"faults", 1, 0},
    [COLUMN_ALARMS] = {"false_alarms", 1, 0},
    [COLUMN_DETECTED] = {"detected", 1, 0},
    [COLUMN_LOCATED] = {"located", 1, 0},
    [COLUMN_CORRECTED] = {"corrected", 1, 0},
    [COLUMN_RECOMPUTED] = {"recomputed", 1, 0},
    [COLUMN_UNCORRECTED] = {"uncorrected", 1, 0},
    [COLUMN_MISSED_8X] = {"missed_8x", 1, 0},
    [COLUMN_MISSED_16X] = {"missed_16x", 1, 0},
    [COLUMN_MISSED] = {"missed_significant", 1, 0},
    [COLUMN_WORST] = {"worst_error_after_correction", 1, 0},
    [COLUMN_CLEAN] = {"clean_checksums", 1, 0},
};

/* The campaign and its results. */
typedef struct session {
    const stfi_args *args;
    stf_device *dev;
    stf_device_info info;
    stfi_problem problem;
    int has_batch; /* 1: the user chose it */
    stf_direction direction;
    int64_t trials;
    int64_t checksums; /* to be compared without faults, at least */
    stfi_chance chance;
    stfi_format format;
    int quiet;
    stfi_progress progress;
    stfi_tally tally;
    stfi_load load;
} session;

/* --------------------------------------------------------------- printing */

static int passed(const stfi_tally *t)
{
    return t->missed[STFI_FLIP_64X] == 0 && t->false_alarms == 0
           && t->struck.uncorrectable == 0 && t->worst_error <= 1.0;
}

static void fill(const stfi_tally *t, char (*cell)[STFI_CELL_BYTES])
{
    const int64_t counts[COLUMN_WORST] = {
        [COLUMN_TRIALS] = t->trials,
        [COLUMN_FAULTS] = t->faults,
        [COLUMN_ALARMS] = t->false_alarms,
        [COLUMN_DETECTED] = t->detected,
        [COLUMN_LOCATED] = t->struck.located,
        [COLUMN_CORRECTED] = t->struck.corrected,
        [COLUMN_RECOMPUTED] = t->struck.recomputed,
        [COLUMN_UNCORRECTED] = t->struck.uncorrectable,
        [COLUMN_MISSED_8X] = t->missed[STFI_FLIP_8X],
        [COLUMN_MISSED_16X] = t->missed[STFI_FLIP_16X],
        [COLUMN_MISSED] = t->missed[STFI_FLIP_64X],
    };

    for (int c = 0; c < COLUMN_WORST; c++)
        snprintf(cell[c], STFI_CELL_BYTES, "%" PRId64, counts[c]);
    snprintf(cell[COLUMN_WORST], STFI_CELL_BYTES, "%.4g", t->worst_error);
    snprintf(cell[COLUMN_CLEAN], STFI_CELL_BYTES, "%" PRId64,
             t->clean.groups_checked);
}

static void print_head(const session *s, FILE *file)
{
    char word[256];

    stfi_problem_print(&s->problem, word, sizeof word);
    fprintf(file,
            "# %s%s, --ft %s, on %s (%s%s%s), --data %s, --seed %" PRIu64 "\n",
            word, s->direction == STF_INVERSE ? " inverse" : "",
            stfi_ft_mode_name(s->problem.desc.ft.mode), s->info.name,
            s->info.model, s->info.model[0] != '\0' ? ", " : "", s->info.arch,
            s->chance.distribution < 0
                ? "all"
                : stfi_distribution_name(s->chance.distribution),
            s->chance.seed);
}

/* Prints what the columns do not show. */
static void print_notes(const session *s, FILE *file)
{
    const stfi_tally *t = &s->tally;

    fprintf(file,
            "# flips that change a transform by 8, 16, 64 times its "
            "rounding error or more: %" PRId64 ", %" PRId64 ", %" PRId64
            "; less: %" PRId64 "\n",
            t->flips[STFI_FLIP_8X], t->flips[STFI_FLIP_16X],
            t->flips[STFI_FLIP_64X],
            t->faults - t->flips[STFI_FLIP_8X] - t->flips[STFI_FLIP_16X]
                - t->flips[STFI_FLIP_64X]);
    fprintf(file,
            "# without faults: %" PRId64 " checksums compared, largest "
            "residual %.3f of its threshold; rechecked: %" PRId64 "\n",
            t->clean.groups_checked, t->clean.max_residual,
            t->clean.rechecked + t->struck.rechecked);
    fprintf(file,
            "# %" PRId64 " executions with faults, of %" PRId64
            " transforms, %.2f s in all\n",
            t->executions, s->problem.desc.batch, t->seconds);
    if (s->load.clean > 0.0)
        fprintf(file,
                "# load: %.4g transforms/s without faults, %.4g with "
                "%.0f faults a minute (%+.2f %%)\n",
                s->load.clean, s->load.struck, s->load.faults_per_minute,
                100.0 * (s->load.struck / s->load.clean - 1.0));
}

static void print(const session *s)
{
    FILE *file = s->format == STFI_FORMAT_TEXT ? stdout : stderr;
    char cell[COLUMNS][STFI_CELL_BYTES];

    if (!s->quiet)
        print_head(s, file);
    fill(&s->tally, cell);
    stfi_table_record(stdout, s->format, columns, COLUMNS, cell);
    fflush(stdout);
    if (!s->quiet)
        print_notes(s, file);
    if (s->format == STFI_FORMAT_TEXT)
        printf("%s\n", passed(&s->tally) ? "PASS" : "FAIL");
}

/* ------------------------------------------------------------------ phases */

/* Chooses a batch if none is given, so that one execution has many trials. */
static void choose_batch(session *s)
{
    stf_fft_desc *d = &s->problem.desc;
    double bytes = 0.0;

    if (stfi_args_integer(s->args, STFI_OPT_BATCH, 0) > 0 || s->has_batch)
        return;
    for (int output = 0; output < 2; output++) {
        double part = (double)stfi_problem_element_bytes(d, output);
        for (int a = 0; a < d->rank; a++)
            part *= (double)d->n[a];
        bytes += part;
    }
    d->batch = (int64_t)fmax(1.0, floor(MOST_BYTES / bytes));
    if (s->trials > 0)
        d->batch = (int64_t)fmin(fmin(MOST_BATCH, (double)s->trials),
                                 (double)d->batch);
}

static stf_status choose_data(const char *name, int *distribution_p)
{
    int i = STFI_DISTRIBUTIONS - 1;

    while (i >= 0 && strcmp(stfi_distribution_name(i), name) != 0)
        i--;
    *distribution_p = i;
    return i >= 0 || strcmp(name, "all") == 0
               ? STF_OK
               : stfi_error(STF_ERR_ARGUMENT, "--data: there is no %s", name);
}

static stf_status prepare(const stfi_args *args, session *s)
{
    const char *roc = stfi_args_text(args, STFI_OPT_ROC, NULL);
    stf_status status;

    s->args = args;
    s->trials = stfi_args_integer(args, STFI_OPT_TRIALS, DEFAULT_TRIALS);
    s->checksums = stfi_args_integer(args, STFI_OPT_CLEAN, 0);
    s->chance.seed = (uint64_t)stfi_args_integer(args, STFI_OPT_SEED, 1);
    s->format = stfi_format_of(args);
    s->quiet = stfi_args_given(args, STFI_OPT_QUIET);
    status = choose_data(stfi_args_text(args, STFI_OPT_DATA, "all"),
                         &s->chance.distribution);
    if (status == STF_OK && roc != NULL)
        status = stfi_outfile_check(roc);
    if (status != STF_OK)
        return status;
    if (s->problem.desc.ft.mode == STF_FT_OFF)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--ft is off; faults are for "
                          "plans that detect or correct them");
    if (s->trials == 0
        && (s->checksums == 0 || roc != NULL
            || stfi_args_given(args, STFI_OPT_COMPARE)))
        return stfi_error(STF_ERR_ARGUMENT,
                          "--trials is 0; that is for --clean alone");
    choose_batch(s);
    s->direction = s->problem.desc.kind == STF_C2R
                           || (s->problem.desc.kind == STF_C2C
                               && stfi_args_given(args, STFI_OPT_INVERSE))
                       ? STF_INVERSE
                       : STF_FORWARD;
    status =
        stf_device_open(stfi_args_text(args, STFI_OPT_DEVICE, NULL), &s->dev);
    if (status == STF_OK)
        s->dev->unit_radix =
            (int)stfi_args_integer(args, STFI_OPT_UNIT_RADIX, 0);
    return status == STF_OK ? stf_device_query(s->dev, &s->info) : status;
}

static stf_status strike(session *s)
{
    stfi_rig rig;
    stf_status status = stfi_rig_make(s->dev, &s->problem, s->direction, &rig);

    if (status != STF_OK)
        return status;
    stfi_progress_begin(&s->progress, "inject", (double)s->trials, s->quiet);
    status =
        stfi_campaign_run(&rig, s->trials, s->chance, &s->progress, &s->tally);
    stfi_progress_clear(&s->progress);
    if (status == STF_OK && !s->quiet)
        status = stfi_load_measure(&rig, s->chance.seed, &s->load);
    stfi_rig_free(&rig);
    return status;
}

static stf_status sweep(session *s, const char *path)
{
    int64_t trials = s->trials < MOST_SAMPLES ? s->trials : MOST_SAMPLES;
    stfi_rig rig;
    stf_status status =
        stfi_rig_make_single(s->dev, &s->problem, s->direction, &rig);

    if (status != STF_OK)
        return status;
    stfi_progress_begin(&s->progress, "inject", (double)trials, s->quiet);
    status = stfi_roc_write(&rig, trials, s->chance, path, &s->progress);
    stfi_progress_clear(&s->progress);
    stfi_rig_free(&rig);
    return status;
}

/* Checks data without faults until enough checksums were compared. */
static stf_status check_clean(session *s)
{
    stf_ft_report report;
    stf_status status;

    stfi_progress_begin(&s->progress, "clean", (double)s->checksums, s->quiet);
    status = stfi_clean_run(s->dev, &s->problem, s->direction, s->checksums,
                            s->chance, &s->progress, &report);
    stfi_progress_clear(&s->progress);
    s->tally.false_alarms += report.detected;
    stfi_ft_report_add(&report, &s->tally.clean);
    return status;
}

/* Runs a campaign with one kind of protection. */
static stf_status run_one(session *s)
{
    const char *roc = stfi_args_text(s->args, STFI_OPT_ROC, NULL);
    stf_status status = s->trials > 0 ? strike(s) : STF_OK;

    if (status == STF_OK && s->checksums > 0)
        status = check_clean(s);
    if (status == STF_OK)
        print(s);
    if (status == STF_OK && roc != NULL)
        status = sweep(s, roc);
    return status;
}

static stf_status compare(const session *s)
{
    const stfi_contest contest = {.dev = s->dev,
                                  .problem = s->problem,
                                  .direction = s->direction,
                                  .trials = s->trials,
                                  .chance = s->chance,
                                  .format = s->format,
                                  .quiet = s->quiet};

    if (!s->quiet)
        print_head(s, s->format == STFI_FORMAT_TEXT ? stdout : stderr);
    return stfi_compare_print(&contest);
}

/* Runs what is asked for with one transform. Returns the exit status. */
static int inject_transform(const stfi_args *args, const stfi_problem *problem,
                            int has_batch)
{
    const int comparing = stfi_args_given(args, STFI_OPT_COMPARE);
    session *s = stfi_session(sizeof *s);
    stf_status status;
    int result;

    if (s == NULL)
        return STFI_EXIT_FAILED;
    s->problem = *problem;
    s->has_batch = has_batch;
    status = prepare(args, s);
    if (status == STF_OK)
        status = comparing ? compare(s) : run_one(s);
    result = status != STF_OK                 ? stfi_exit_of(status)
             : comparing || passed(&s->tally) ? STFI_EXIT_OK
                                              : STFI_EXIT_FAILED;
    stf_device_close(s->dev);
    free(s);
    return result;
}

/* ------------------------------------------------------------------- lists */

/* A table of one campaign has no column for its problem. */
static stf_status check_list(const stfi_args *args)
{
    static const struct {
        stfi_opt option;
        const char *name;
    } rows[] = {
        {STFI_OPT_N, "n"},       {STFI_OPT_CSV, "csv"},
        {STFI_OPT_JSON, "json"}, {STFI_OPT_COMPARE, "compare"},
        {STFI_OPT_ROC, "roc"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (stfi_args_given(args, rows[i].option))
            return stfi_error(STF_ERR_ARGUMENT,
                              "--problems and --%s exclude each other here",
                              rows[i].name);
    return STF_OK;
}

/* Runs a campaign for each problem of a file, and of a word before it. Returns the
 * worst exit status. */
static int inject_list(const stfi_args *args)
{
    stfi_problems list = {0, 0, NULL};
    stf_ft_desc ft;
    stf_status status = check_list(args);
    int worst = STFI_EXIT_OK;

    if (status == STF_OK)
        status = stfi_args_protection(args, STF_FT_CORRECT, &ft);
    if (status == STF_OK)
        status = stfi_problems_of(args, &list);
    if (status != STF_OK)
        worst = stfi_exit_of(status);
    for (int i = 0; i < list.count; i++) {
        stfi_listed *item = &list.item[i];
        int result;

        item->problem.desc.ft = ft;
        if (i > 0)
            printf("\n");
        result = item->is_product
                     ? stfi_inject_gemm(args, &item->product)
                     : inject_transform(args, &item->problem, item->has_batch);
        worst = result > worst ? result : worst;
    }
    stfi_problems_free(&list);
    return worst;
}

static int run(const stfi_args *args)
{
    const char *word = args->nwords > 0 ? args->word[0] : "";
    stfi_problem problem;
    stf_gemm_desc product;
    stf_status status;

    if (stfi_args_given(args, STFI_OPT_PROBLEMS))
        return inject_list(args);
    if (stfi_gemm_word(word)) {
        status = stfi_product_options_check(args);
        if (status == STF_OK)
            status = stfi_args_product(args, word, &product);
        return status == STF_OK ? stfi_inject_gemm(args, &product)
                                : stfi_exit_of(status);
    }
    status = stfi_problem_of(args, STF_FT_CORRECT, &problem);
    return status == STF_OK
               ? inject_transform(args, &problem, strchr(word, '*') != NULL)
               : stfi_exit_of(status);
}

static const stfi_opt options[] = {
    STFI_OPTS_PROBLEM, STFI_OPT_UNIT_RADIX, STFI_OPT_INVERSE,  STFI_OPT_TRIALS,
    STFI_OPT_SEED,     STFI_OPT_DATA,       STFI_OPTS_FT,      STFI_OPT_COMPARE,
    STFI_OPT_ROC,      STFI_OPT_CLEAN,      STFI_OPT_PROBLEMS, STFI_OPTS_TABLE,
    STFI_OPT_COUNT};

const stfi_command stfi_cmd_inject = {
    .name = "inject",
    .words = "[PROBLEM]",
    .summary = "Let transforms or matrix products suffer faults, and tell what "
               "protection made of them",
    .notes =
        "Half of the trials suffer the flip of one bit of one "
        "intermediate value. The\ncampaign fails if one goes undetected "
        "that changes its transform by 64 times the\nrounding error or "
        "more, if there is an alarm without a fault, or if a transform\n"
        "is not repaired. --ft is correct without the option. On a cpu a "
        "repair\n"
        "has all transforms of an execution computed once more, those with a\n"
        "fault that was missed too: --batch 1 counts all that are missed.\n\n"
        "PROBLEM may be a matrix product, such as gemm:f32:nt:1000x777x3000*4. "
        "Each of\n--trials then is a flip of one bit: of an accumulator, an "
        "element of A or B in a\nregister, a checksum, or C when it is made. "
        "What it changes is measured by the\nrounding error of its row or "
        "column of a tile.\n\n"
        "--compare prints a row for each of several rules of detection, "
        "of which the first\nis ours, judging the same transforms: each "
        "with its own threshold, and with that\ntimes fair_factor, the "
        "least of which no clean transform is above. The\ntransforms are "
        "complex or real to real ones of one axis in f32 or f64.\n\n"
        "--problems runs a campaign for each problem of a file.",
    .max_words = 1,
    .options = options,
    .run = run,
};
