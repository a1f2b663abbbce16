/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Prints campaigns of faults in matrix products; see inject_gemm.h. */
#include "tools/inject/inject_gemm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/type.h"
#include "support/problem/gemm_problem.h"
#include "tools/command/command.h"
#include "tools/command/protections.h"
#include "tools/command/table.h"
#include "tools/inject/gemm_campaign.h"

enum { DEFAULT_FAULTS = 2000 };

enum {
    TYPE,
    FAULTS,
    HARMLESS,
    FOUND,
    FLIPS_8X,
    MISSED_8X,
    FLIPS_16X,
    MISSED_16X,
    FLIPS_64X,
    MISSED_64X,
    CLEAN_TILES,
    ALARMS,
    UNCORRECTED,
    SPOILT,
    WORST,
    COLUMNS
};

static const stfi_column columns[COLUMNS] = {
    [TYPE] = {"fault", 0, 11},
    [FAULTS] = {"faults", 1, 0},
    [HARMLESS] = {"harmless", 1, 0},
    [FOUND] = {"found", 1, 0},
    [FLIPS_8X] = {"flips_8x", 1, 0},
    [MISSED_8X] = {"missed_8x", 1, 0},
    [FLIPS_16X] = {"flips_16x", 1, 0},
    [MISSED_16X] = {"missed_16x", 1, 0},
    [FLIPS_64X] = {"flips_64x", 1, 0},
    [MISSED_64X] = {"missed_64x", 1, 0},
    [CLEAN_TILES] = {"clean_tiles", 1, 0},
    [ALARMS] = {"false_alarms", 1, 0},
    [UNCORRECTED] = {"uncorrected", 1, 0},
    [SPOILT] = {"spoilt_tiles", 1, 0},
    [WORST] = {"worst_error_after_correction", 1, 0},
};

static const char *const types[STFI_STRUCK] = {"accumulator", "a", "b",
                                               "checksum", "epilogue"};

typedef struct session {
    const stfi_args *args;
    stf_device *dev;
    stf_device_info info;
    stf_gemm_desc desc;
    stfi_gemm_chance chance;
    int quiet;
    stfi_format format;
    stfi_progress progress;
    stfi_gemm_rig rig;
    stfi_gemm_outcome outcome;
} session;

/* --------------------------------------------------------------- printing */

/* A wrong element of one operand in a register changes several elements of a
 * line, which may cancel. Returns the type of these faults. */
static int spread_type(const stfi_gemm_rig *r)
{
    return r->cover.by_columns != r->gemm.swapped ? STFI_STRUCK_B
                                                  : STFI_STRUCK_A;
}

static int passed(const session *s)
{
    const stfi_gemm_outcome *o = &s->outcome;

    for (int i = 0; i < STFI_STRUCK; i++) {
        const stfi_gemm_tally *t = &o->type[i];
        const int64_t most =
            i == spread_type(&s->rig) ? 1 + t->flips[STFI_FLIP_64X] / 100 : 0;
        if (t->missed[STFI_FLIP_64X] > most)
            return 0;
    }
    return o->alarms == 0 && o->spoilt == 0 && o->struck.uncorrectable == 0
           && o->worst_error <= 1;
}

static void fill(const stfi_gemm_tally *t, const char *name,
                 char (*cell)[STFI_CELL_BYTES])
{
    const int64_t counts[CLEAN_TILES] = {
        [FAULTS] = t->faults,
        [HARMLESS] = t->harmless,
        [FOUND] = t->found,
        [FLIPS_8X] = t->flips[STFI_FLIP_8X],
        [MISSED_8X] = t->missed[STFI_FLIP_8X],
        [FLIPS_16X] = t->flips[STFI_FLIP_16X],
        [MISSED_16X] = t->missed[STFI_FLIP_16X],
        [FLIPS_64X] = t->flips[STFI_FLIP_64X],
        [MISSED_64X] = t->missed[STFI_FLIP_64X],
    };

    snprintf(cell[TYPE], STFI_CELL_BYTES, "%s", name);
    for (int i = FAULTS; i < CLEAN_TILES; i++)
        snprintf(cell[i], STFI_CELL_BYTES, "%" PRId64, counts[i]);
}

static void add(const stfi_gemm_tally *t, stfi_gemm_tally *sum)
{
    sum->faults += t->faults;
    sum->harmless += t->harmless;
    sum->found += t->found;
    for (int i = 0; i < STFI_FLIP_CLASSES; i++) {
        sum->flips[i] += t->flips[i];
        sum->missed[i] += t->missed[i];
    }
}

static void print_rows(const session *s)
{
    const stfi_gemm_outcome *o = &s->outcome;
    const int64_t counts[] = {o->clean_tiles, o->alarms,
                              o->struck.uncorrectable, o->spoilt};
    char cell[COLUMNS][STFI_CELL_BYTES] = {{0}};
    stfi_gemm_tally all = {0};
    stfi_table table;

    stfi_table_begin(&table, stdout, s->format, columns, COLUMNS);
    for (int i = 0; i < STFI_STRUCK; i++) {
        memset(cell, 0, sizeof cell);
        fill(&o->type[i], types[i], cell);
        stfi_table_row(&table, cell);
        add(&o->type[i], &all);
    }
    fill(&all, "all", cell);
    for (int i = 0; i < WORST - CLEAN_TILES; i++)
        snprintf(cell[CLEAN_TILES + i], STFI_CELL_BYTES, "%" PRId64, counts[i]);
    snprintf(cell[WORST], STFI_CELL_BYTES, "%.4g", o->worst_error);
    stfi_table_row(&table, cell);
    stfi_table_end(&table);
}

static void print(const session *s)
{
    FILE *file = s->format == STFI_FORMAT_TEXT ? stdout : stderr;
    const stfi_gemm_outcome *o = &s->outcome;
    char word[128];

    stfi_gemm_print(&s->desc, word, sizeof word);
    if (!s->quiet)
        fprintf(
            file,
            "# %s, --ft %s, on %s (%s%s%s), --data %s, --seed %" PRIu64
            ", tiles of %" PRId64 "x%" PRId64 "\n",
            word, stfi_ft_mode_name(s->rig.full.ft.mode), s->info.name,
            s->info.model, s->info.model[0] != '\0' ? ", " : "", s->info.arch,
            s->chance.kind < 0 ? "all" : stfi_gemm_data_name(s->chance.kind),
            s->chance.seed, s->rig.cover.tile_m, s->rig.cover.tile_n);
    print_rows(s);
    fflush(stdout);
    if (!s->quiet)
        fprintf(file,
                "# without faults: largest residual %.3f of its threshold; "
                "looked at again %" PRId64 "\n# %" PRId64
                " executions with faults, %" PRId64 " detected, %" PRId64
                " corrected, %" PRId64 " computed again, %.2f s in all\n",
                o->clean.max_residual, o->clean.rechecked, o->executions,
                o->struck.detected, o->struck.corrected, o->struck.recomputed,
                o->seconds);
    if (s->format == STFI_FORMAT_TEXT)
        printf("%s\n", passed(s) ? "PASS" : "FAIL");
}

/* ------------------------------------------------------------------ phases */

static stf_status choose_data(const char *name, int *kind_p)
{
    *kind_p = stfi_gemm_data_find(name);
    return *kind_p >= 0 || strcmp(name, "all") == 0
               ? STF_OK
               : stfi_error(STF_ERR_ARGUMENT,
                            "--data: there is no %s for matrix products; "
                            "there are normal, uniform, heavy-tails, "
                            "mixed-signs, sparse and all",
                            name);
}

static stf_status prepare(session *s)
{
    const stfi_args *args = s->args;
    stf_status status = stfi_args_protection(args, STF_FT_CORRECT, &s->desc.ft);

    s->format = stfi_format_of(args);
    s->quiet = stfi_args_given(args, STFI_OPT_QUIET);
    s->chance.faults = stfi_args_integer(args, STFI_OPT_TRIALS, DEFAULT_FAULTS);
    s->chance.clean_tiles = stfi_args_integer(args, STFI_OPT_CLEAN, 0);
    s->chance.seed = (uint64_t)stfi_args_integer(args, STFI_OPT_SEED, 1);
    if (status == STF_OK)
        status = choose_data(stfi_args_text(args, STFI_OPT_DATA, "all"),
                             &s->chance.kind);
    if (status != STF_OK)
        return status;
    status =
        stf_device_open(stfi_args_text(args, STFI_OPT_DEVICE, NULL), &s->dev);
    if (status == STF_OK)
        status = stf_device_query(s->dev, &s->info);
    return status == STF_OK ? stfi_gemm_rig_make(s->dev, &s->desc, &s->rig)
                            : status;
}

int stfi_inject_gemm(const stfi_args *args, const stf_gemm_desc *product)
{
    session *s = stfi_session(sizeof *s);
    stf_status status;
    int result = STFI_EXIT_FAILED;

    if (s == NULL)
        return STFI_EXIT_FAILED;
    s->args = args;
    s->desc = *product;
    status = prepare(s);
    if (status == STF_OK) {
        stfi_progress_begin(&s->progress, "inject", (double)s->chance.faults,
                            s->quiet);
        status = stfi_gemm_campaign_run(&s->rig, &s->chance, &s->progress,
                                        &s->outcome);
        stfi_progress_clear(&s->progress);
    }
    if (status == STF_OK)
        print(s);
    if (status != STF_OK)
        result = stfi_exit_of(status);
    else if (passed(s))
        result = STFI_EXIT_OK;
    if (s->rig.dev != NULL)
        stfi_gemm_rig_free(&s->rig);
    stf_device_close(s->dev);
    free(s);
    return result;
}
