/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast plan`: the schedule of a transform, and what it is predicted to
 * cost, on a device or on a preset of one. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "ft/instrument.h"
#include "ft/threshold.h"
#include "fft/lower.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "support/problem/gemm_problem.h"
#include "tools/command/command.h"
#include "tools/command/pass_time.h"
#include "tools/command/passes.h"
#include "tools/command/plan_gemm.h"
#include "tools/command/plan_suite.h"
#include "tools/command/problems.h"
#include "tools/command/setup.h"
#include "fft/schedule_text.h"
#include "tools/command/table.h"

/* What the command prints about a plan. */
typedef struct report {
    stfi_problem problem;
    stfi_caps caps;
    stfi_schedule *schedule;
    double planning_seconds;
    size_t workspace_bytes;
    char how[STFI_FFT_PLAN_HOW]; /* how the plan was chosen, or "" */
    int unit_radix;              /* of the choice; 0: the model's */
    int measured;
    stfi_pass_times times; /* filled with --measure */
} report;

enum {
    COLUMN_PASS,
    COLUMN_OP,
    COLUMN_N,
    COLUMN_RADICES,
    COLUMN_LANES,
    COLUMN_TILE,
    COLUMN_THREADS,
    COLUMN_BLOCK,
    COLUMN_BYTES,
    COLUMN_US,
    COLUMN_CHECK,
    COLUMN_POINTS,
    COLUMN_THRESHOLD,
    COLUMN_MEASURED,
    COLUMNS
};

static const stfi_column columns[COLUMNS] = {
    [COLUMN_PASS] = {"pass", 1, 0},
    [COLUMN_OP] = {"op", 0, 10},
    [COLUMN_N] = {"n", 1, 8},
    [COLUMN_RADICES] = {"radices", 0, 16},
    [COLUMN_LANES] = {"lanes", 1, 8},
    [COLUMN_TILE] = {"tile_lanes", 1, 0},
    [COLUMN_THREADS] = {"threads", 1, 0},
    [COLUMN_BLOCK] = {"block_bytes", 1, 0},
    [COLUMN_BYTES] = {"predicted_bytes", 1, 0},
    [COLUMN_US] = {"predicted_us", 1, 0},
    /* Columns that are printed with protection only. */
    [COLUMN_CHECK] = {"check", 0, 0},
    [COLUMN_POINTS] = {"check_points", 1, 0},
    [COLUMN_THRESHOLD] = {"threshold", 1, 0}, /* relative to ||x|| */
    /* A column that is printed with --measure only. */
    [COLUMN_MEASURED] = {"measured_us", 1, 0},
};

/* --------------------------------------------------------------- printing */

static int is_protected(const report *r)
{
    return r->schedule->pass[0].check.kind != STFI_CHECK_NONE;
}

static int is_shown(const report *r, int column)
{
    if (column == COLUMN_MEASURED)
        return r->measured;
    return column < COLUMN_CHECK || is_protected(r);
}

static void fill_check(const stfi_check *check, char (*cell)[STFI_CELL_BYTES])
{
    static const char *const names[] = {
        [STFI_CHECK_NONE] = "none",
        [STFI_CHECK_LANE] = "lane",
        [STFI_CHECK_TWICE] = "twice",
    };

    snprintf(cell[COLUMN_CHECK], STFI_CELL_BYTES, "%s", names[check->kind]);
    if (check->kind != STFI_CHECK_LANE)
        return;
    snprintf(cell[COLUMN_POINTS], STFI_CELL_BYTES, "%" PRId64, check->points);
    snprintf(cell[COLUMN_THRESHOLD], STFI_CELL_BYTES, "%.3e",
             (double)STFI_FT_REPORT * check->slope);
}

static void fill_row(const report *r, int i, char (*cell)[STFI_CELL_BYTES])
{
    const stfi_schedule *s = r->schedule;
    const stfi_pass *p = &s->pass[i];
    stfi_cost cost = stfi_cost_pass(p, s->precision, &r->caps);
    double rounds = ceil((double)s->batch / (double)s->chunk);

    snprintf(cell[COLUMN_PASS], STFI_CELL_BYTES, "%d", i);
    snprintf(cell[COLUMN_OP], STFI_CELL_BYTES, "%s", stfi_pass_name(p));
    snprintf(cell[COLUMN_N], STFI_CELL_BYTES, "%" PRId64, p->n);
    stfi_pass_factors(p, cell[COLUMN_RADICES], STFI_CELL_BYTES);
    snprintf(cell[COLUMN_LANES], STFI_CELL_BYTES, "%.0f",
             (double)stfi_pass_lanes(p) * (double)s->batch / (double)s->chunk);
    snprintf(cell[COLUMN_TILE], STFI_CELL_BYTES, "%d", (int)p->block.lanes);
    snprintf(cell[COLUMN_THREADS], STFI_CELL_BYTES, "%d",
             (int)p->block.threads);
    snprintf(cell[COLUMN_BLOCK], STFI_CELL_BYTES, "%" PRId64,
             p->block.memory_bytes);
    snprintf(cell[COLUMN_BYTES], STFI_CELL_BYTES, "%.0f", cost.bytes * rounds);
    snprintf(cell[COLUMN_US], STFI_CELL_BYTES, "%.6g",
             cost.seconds * rounds * 1e6);
    fill_check(&p->check, cell);
    snprintf(cell[COLUMN_MEASURED], STFI_CELL_BYTES, "%.6g",
             r->times.pass[i] * 1e6);
}

static void print_passes(const report *r, stfi_format format)
{
    char cell[COLUMNS][STFI_CELL_BYTES];
    stfi_column shown[COLUMNS];
    stfi_table table;
    int count = 0;

    for (int c = 0; c < COLUMNS; c++)
        if (is_shown(r, c))
            shown[count++] = columns[c];
    stfi_table_begin(&table, stdout, format, shown, count);
    for (int i = 0; i < r->schedule->npasses; i++) {
        memset(cell, 0, sizeof cell);
        fill_row(r, i, cell);
        count = 0;
        for (int c = 0; c < COLUMNS; c++)
            if (is_shown(r, c))
                memmove(cell[count++], cell[c], sizeof *cell);
        stfi_table_row(&table, cell);
    }
    stfi_table_end(&table);
}

static void print_json(const report *r, const char *word)
{
    stfi_cost cost = stfi_cost_schedule(r->schedule, &r->caps);

    printf("{\"problem\": ");
    stfi_json_string(stdout, word);
    printf(", \"device\": ");
    stfi_json_string(stdout, r->caps.name);
    printf(",\n\"batch\": %" PRId64 ", \"chunk\": %" PRId64 ", \"slots\": %d,"
           " \"workspace_bytes\": %zu,\n\"predicted_bytes\": %.0f, "
           "\"predicted_flops\": %.0f, \"predicted_us\": %.6g",
           r->schedule->batch, r->schedule->chunk, (int)r->schedule->slots,
           r->workspace_bytes, cost.bytes, cost.flops, cost.seconds * 1e6);
    if (r->measured)
        printf(", \"measured_us\": %.6g", r->times.all * 1e6);
    if (r->how[0] != '\0') {
        printf(", \"how\": ");
        stfi_json_string(stdout, r->how);
    }
    printf(",\n\"passes\": ");
    print_passes(r, STFI_FORMAT_JSON);
    printf("}\n");
}

static stf_status print_text(const report *r, const char *word, int quiet)
{
    stfi_cost cost = stfi_cost_schedule(r->schedule, &r->caps);
    size_t bytes = stfi_schedule_print(r->schedule, NULL, 0) + 1;
    void *text;
    stf_status status = stfi_alloc(bytes, "the schedule's text", &text);

    if (status != STF_OK)
        return status;
    stfi_schedule_print(r->schedule, text, bytes);
    printf("%s on %s\n%s\n", word, r->caps.name, (const char *)text);
    stfi_dealloc(text);
    print_passes(r, STFI_FORMAT_TEXT);
    printf("\npredicted: %.6g MB moved, %.4g GFLOP, %.6g us; workspace %zu "
           "bytes\n",
           cost.bytes * 1e-6, cost.flops * 1e-9, cost.seconds * 1e6,
           r->workspace_bytes);
    if (r->measured)
        printf("measured: %.6g us\n", r->times.all * 1e6);
    if (r->how[0] != '\0')
        printf("%s\n", r->how);
    if (!quiet)
        printf("planned in %.3f ms\n", r->planning_seconds * 1e3);
    return STF_OK;
}

/* -------------------------------------------------------------- schedules */

/* Finds a preset; the error lists those that there are. */
static stf_status find_preset(const char *name, const stfi_caps **caps_p)
{
    const stfi_caps *caps = stfi_preset_find(name);
    char known[160] = "";

    *caps_p = caps;
    if (caps != NULL)
        return STF_OK;
    for (int i = 0; (caps = stfi_preset_at(i)) != NULL; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s",
                 i > 0 ? ", " : "", caps->name);
    return stfi_error(STF_ERR_ARGUMENT, "--preset is \"%s\"; there are %s",
                      name, known);
}

static stf_status plan_preset(const char *name, report *r)
{
    const stfi_choice choice = {.unit_radix = r->unit_radix};
    const stfi_caps *caps;
    stf_fft_desc full;
    double began;
    void *memory;
    stf_status status = find_preset(name, &caps);

    if (status == STF_OK)
        status = stfi_setup_complete(&r->problem, &full);
    if (status == STF_OK)
        status = stfi_alloc(sizeof *r->schedule, "a schedule", &memory);
    if (status != STF_OK)
        return status;
    r->caps = *caps;
    r->schedule = memory;
    began = stfi_clock();
    status = stfi_lower_chosen(&full, caps,
                               caps->gpu          ? 1
                               : full.threads > 0 ? full.threads
                                                  : caps->units,
                               SIZE_MAX, &choice, r->schedule);
    r->planning_seconds = stfi_clock() - began;
    r->workspace_bytes = stfi_schedule_work_bytes(r->schedule);
    return status == STF_OK ? stfi_ft_rehearse(&full.ft, r->schedule) : status;
}

/* Plans on a device, and keeps a copy of the plan's schedule. */
static stf_status plan_device(const char *name, report *r)
{
    stf_device *dev;
    stf_plan *plan = NULL;
    void *memory;
    stf_fft_desc full;
    double began;
    stf_status status = stfi_setup_complete(&r->problem, &full);

    if (status == STF_OK)
        status = stf_device_open(name, &dev);
    if (status != STF_OK)
        return status;
    dev->unit_radix = r->unit_radix;
    began = stfi_clock();
    status = stf_plan_fft(dev, &full, &plan);
    r->planning_seconds = stfi_clock() - began;
    if (status == STF_OK)
        status = dev->backend->caps(dev->ctx, &r->caps);
    if (status == STF_OK)
        status = stfi_alloc(sizeof *r->schedule, "a schedule", &memory);
    if (status == STF_OK) {
        r->schedule = memory;
        *r->schedule = *stfi_fft_plan_of(plan)->schedule;
        r->workspace_bytes = stf_plan_workspace(plan);
        snprintf(r->how, sizeof r->how, "%s", stfi_fft_plan_of(plan)->how);
    }
    stf_plan_destroy(plan);
    if (status == STF_OK && r->measured)
        status = stfi_pass_times_measure(dev, &r->problem, &r->times);
    stf_device_close(dev);
    return status;
}

static stf_status print_report(const stfi_args *args, const report *r)
{
    stfi_format format = stfi_format_of(args);
    char word[256];

    stfi_problem_print(&r->problem, word, sizeof word);
    if (format == STFI_FORMAT_TEXT)
        return print_text(r, word, stfi_args_given(args, STFI_OPT_QUIET));
    if (format == STFI_FORMAT_CSV)
        print_passes(r, format);
    else
        print_json(r, word);
    return STF_OK;
}

/* Plans a transform, on a device or for a preset, and prints that. */
static stf_status plan_transform(const stfi_args *args,
                                 const stfi_problem *problem)
{
    const char *preset = stfi_args_text(args, STFI_OPT_PRESET, NULL);
    const char *device = stfi_args_text(args, STFI_OPT_DEVICE, NULL);
    report r = {.problem = *problem,
                .measured = stfi_args_given(args, STFI_OPT_MEASURE),
                .unit_radix =
                    (int)stfi_args_integer(args, STFI_OPT_UNIT_RADIX, 0)};
    stf_status status =
        preset != NULL ? plan_preset(preset, &r) : plan_device(device, &r);

    if (status == STF_OK)
        status = print_report(args, &r);
    stfi_dealloc(r.schedule);
    return status;
}

/* ------------------------------------------------------------------- lists */

static int run_suite(const stfi_args *args, const char *preset)
{
    const stfi_caps *caps;
    stf_status status;

    if (preset == NULL)
        return stfi_usage("--suite needs --preset, for which it predicts");
    status = find_preset(preset, &caps);
    if (status == STF_OK)
        status = stfi_plan_suite(args, caps);
    return status == STF_OK ? STFI_EXIT_OK : stfi_exit_of(status);
}

/* What prints one plan cannot tell several apart, or print what it has not. */
static stf_status check_list(const stfi_args *args, const stfi_problems *list)
{
    const stfi_format format = stfi_format_of(args);
    int products = 0;

    for (int i = 0; i < list->count; i++)
        products += list->item[i].is_product;
    if (stfi_args_given(args, STFI_OPT_N)
        || stfi_args_given(args, STFI_OPT_SUITE))
        return stfi_error(STF_ERR_ARGUMENT,
                          "--problems and --%s exclude each other here",
                          stfi_args_given(args, STFI_OPT_N) ? "n" : "suite");
    if (format == STFI_FORMAT_CSV)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--csv has the passes of one plan; use --json for "
                          "those of --problems");
    if (format == STFI_FORMAT_JSON && products > 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--json is for transforms, and --problems has matrix "
                          "products, whose plans are text");
    return STF_OK;
}

/* Says why a problem of a list has no plan; JSON has that in its place. */
static int tell_failure(const stfi_listed *item, int json, stf_status status)
{
    char word[256];

    stfi_listed_print(item, word, sizeof word);
    if (json) {
        printf("{\"problem\": ");
        stfi_json_string(stdout, word);
        printf(", \"error\": ");
        stfi_json_string(stdout, stf_error_message());
        printf("}\n");
    }
    stfi_complain("%s: %s", word, stf_error_message());
    return status == STF_ERR_ARGUMENT ? STFI_EXIT_USAGE : STFI_EXIT_FAILED;
}

/* Plans the problems of a file, and of a word before it. One that fails is told, and
 * the others go on. Returns the exit status. */
static int plan_all(const stfi_args *args, const stfi_problems *list,
                    const stf_ft_desc *ft)
{
    const int json = stfi_format_of(args) == STFI_FORMAT_JSON;
    int result = STFI_EXIT_OK;

    printf("%s", json ? "[" : "");
    for (int i = 0; i < list->count; i++) {
        stfi_listed item = list->item[i];
        stf_status status;

        item.problem.desc.ft = *ft;
        printf("%s", i == 0 ? "" : json ? ",\n" : "\n");
        status = item.is_product ? stfi_plan_gemm(args, &item.product)
                                 : plan_transform(args, &item.problem);
        fflush(stdout);
        if (status != STF_OK)
            result = tell_failure(&item, json, status);
    }
    printf("%s", json ? "]\n" : "");
    return result;
}

static int run_list(const stfi_args *args)
{
    stfi_problems list = {0, 0, NULL};
    stf_ft_desc ft;
    stf_status status = stfi_args_protection(args, STF_FT_DEFAULT, &ft);
    int result;

    if (status == STF_OK)
        status = stfi_problems_of(args, &list);
    if (status == STF_OK)
        status = check_list(args, &list);
    result =
        status == STF_OK ? plan_all(args, &list, &ft) : stfi_exit_of(status);
    stfi_problems_free(&list);
    return result;
}

static int run(const stfi_args *args)
{
    const char *preset = stfi_args_text(args, STFI_OPT_PRESET, NULL);
    stfi_problem problem;
    stf_status status;

    if (preset != NULL && stfi_args_given(args, STFI_OPT_DEVICE))
        return stfi_usage("--preset and --device exclude each other");
    if (preset != NULL && stfi_args_given(args, STFI_OPT_MEASURE))
        return stfi_usage("--measure needs a device, and --preset names "
                          "none");
    if (stfi_args_given(args, STFI_OPT_PROBLEMS))
        return run_list(args);
    if (args->nwords > 0 && stfi_gemm_word(args->word[0]))
        return stfi_plan_gemm_word(args);
    if (stfi_args_given(args, STFI_OPT_SUITE))
        return run_suite(args, preset);
    status = stfi_problem_of(args, STF_FT_DEFAULT, &problem);
    if (status == STF_OK)
        status = plan_transform(args, &problem);
    return status == STF_OK ? STFI_EXIT_OK : stfi_exit_of(status);
}

static const stfi_opt options[] = {
    STFI_OPTS_PROBLEM, STFI_OPT_UNIT_RADIX, STFI_OPTS_FT,     STFI_OPT_PRESET,
    STFI_OPT_SUITE,    STFI_OPT_PROBLEMS,   STFI_OPT_DRAWS,   STFI_OPT_SEED,
    STFI_OPT_ELEMENTS, STFI_OPT_BYTES,      STFI_OPT_MEASURE, STFI_OPTS_TABLE,
    STFI_OPT_COUNT};

const stfi_command stfi_cmd_plan = {
    .name = "plan",
    .words = "[PROBLEM]",
    .summary = "Print how a transform would be computed, and its predicted "
               "cost",
    .notes = "PROBLEM is one word for --kind, --precision, --n and --batch, "
             "such as\nc2c:f32:out:360x7*4. With --preset, the device need "
             "not be there. --measure\nalso times the plan and each of its "
             "passes on the device. --suite with --preset\nprints a line for "
             "each problem of a list: passes, predicted time, and part of\n"
             "the bandwidth of a copy. --problems plans each problem of a "
             "file, among them\n"
             "matrix products.",
    .max_words = 1,
    .options = options,
    .run = run,
};
