/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast bench`: how fast transforms are, beside a peer if asked. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/desc.h"
#include "tools/command.h"
#include "tools/measure.h"
#include "tools/problems.h"
#include "tools/progress.h"
#include "tools/stats.h"
#include "tools/table.h"

enum {
    COLUMN_LIB, COLUMN_DEVICE, COLUMN_PRECISION, COLUMN_KIND, COLUMN_DIMS,
    COLUMN_BATCH, COLUMN_FT, COLUMN_MS, COLUMN_GBPS, COLUMN_FRACTION,
    COLUMN_GFLOPS, COLUMN_ERROR, COLUMN_RATIO, COLUMNS
};

enum { DEFAULT_ROUNDS = 9 };

/* The last column is there with a peer only. */
static const stfi_column columns[COLUMNS] = {
    [COLUMN_LIB] = {"lib", 0, 9},
    [COLUMN_DEVICE] = {"device", 0, 6},
    [COLUMN_PRECISION] = {"precision", 0, 0},
    [COLUMN_KIND] = {"kind", 0, 4},
    [COLUMN_DIMS] = {"dims", 0, 9},
    [COLUMN_BATCH] = {"batch", 1, 7},
    [COLUMN_FT] = {"ft", 0, 3},
    [COLUMN_MS] = {"ms", 1, 10},
    [COLUMN_GBPS] = {"gbps", 1, 7},
    [COLUMN_FRACTION] = {"fraction_of_copy", 1, 0},
    [COLUMN_GFLOPS] = {"gflops", 1, 8},
    [COLUMN_ERROR] = {"rel_l2_error", 1, 0},
    [COLUMN_RATIO] = {"ratio_to_peer", 1, 0},
};

/* Everything that the run of a list needs. */
typedef struct session {
    stfi_bench bench;
    const char *peer_name;
    stfi_format format;
    stfi_table table;
    stfi_progress progress;
    int inverse;
    double *ratio;          /* [number of problems] */
    int nratios;
} session;

/* ------------------------------------------------------------------- rows */

/* The usual count of operations: 5 N log2 N, half of it for real data. */
static double giga_flops(const stf_fft_desc *d, double seconds)
{
    double points = 1.0;

    for (int a = 0; a < d->rank; a++)
        points *= (double)d->n[a];
    return 5e-9 * points * log2(points) * (double)d->batch / seconds
           * (d->kind == STF_C2C ? 1.0 : 0.5);
}

static void print_row(session *s, const stf_fft_desc *d, const char *lib,
                      const stfi_measurement *m, const stfi_timing *timing,
                      double ratio, char (*cell)[STFI_CELL_BYTES])
{
    double gbps = m->bytes / timing->seconds * 1e-9;
    size_t used = 0;

    memset(cell, 0, COLUMNS * sizeof *cell);
    snprintf(cell[COLUMN_LIB], STFI_CELL_BYTES, "%s", lib);
    snprintf(cell[COLUMN_DEVICE], STFI_CELL_BYTES, "%s", s->bench.info.name);
    snprintf(cell[COLUMN_PRECISION], STFI_CELL_BYTES, "%s",
             stfi_type_get(d->precision)->name);
    snprintf(cell[COLUMN_KIND], STFI_CELL_BYTES, "%s",
             stfi_kind_get(d->kind)->name);
    for (int a = 0; a < d->rank; a++)
        used += (size_t)snprintf(cell[COLUMN_DIMS] + used,
                                 STFI_CELL_BYTES - used, "%s%" PRId64,
                                 a > 0 ? "x" : "", d->n[a]);
    snprintf(cell[COLUMN_BATCH], STFI_CELL_BYTES, "%" PRId64, d->batch);
    snprintf(cell[COLUMN_FT], STFI_CELL_BYTES, "off");
    snprintf(cell[COLUMN_MS], STFI_CELL_BYTES, "%.6g", timing->seconds * 1e3);
    snprintf(cell[COLUMN_GBPS], STFI_CELL_BYTES, "%.4g", gbps);
    if (m->copy_bandwidth > 0.0)
        snprintf(cell[COLUMN_FRACTION], STFI_CELL_BYTES, "%.4f",
                 gbps * 1e9 / m->copy_bandwidth);
    snprintf(cell[COLUMN_GFLOPS], STFI_CELL_BYTES, "%.4g",
             giga_flops(d, timing->seconds));
    if (timing->error >= 0.0)
        snprintf(cell[COLUMN_ERROR], STFI_CELL_BYTES, "%.3e", timing->error);
    if (ratio > 0.0)
        snprintf(cell[COLUMN_RATIO], STFI_CELL_BYTES, "%.4f", ratio);
    stfi_table_row(&s->table, cell);
}

static stf_status bench_one(session *s, const stfi_problem *p,
                            char (*cell)[STFI_CELL_BYTES])
{
    stf_direction direction = p->desc.kind == STF_C2R
                              || (p->desc.kind == STF_C2C && s->inverse)
                              ? STF_INVERSE : STF_FORWARD;
    stfi_measurement m;
    double ratio = 0.0;
    stf_status status = stfi_measure(&s->bench, p, direction, &m);

    stfi_progress_clear(&s->progress);
    if (status != STF_OK)
        return status;
    if (s->peer_name != NULL) {
        ratio = m.peer.seconds / m.ours.seconds;
        s->ratio[s->nratios++] = ratio;
    }
    print_row(s, &p->desc, "steadfast", &m, &m.ours, ratio, cell);
    if (s->peer_name != NULL)
        print_row(s, &p->desc, s->peer_name, &m, &m.peer, 0.0, cell);
    return STF_OK;
}

/* ---------------------------------------------------------------- summary */

static void print_head(const session *s, FILE *file)
{
    const stf_device_info *d = &s->bench.info;

    fprintf(file, "# %s (%s%s%s), %d thread%s; medians of %d rounds%s%s\n",
            d->name, d->model, d->model[0] != '\0' ? ", " : "", d->arch,
            s->bench.threads, s->bench.threads == 1 ? "" : "s",
            s->bench.rounds, s->peer_name != NULL ? ", in turn with " : "",
            s->peer_name != NULL ? s->peer_name : "");
}

static void print_summary(const session *s, FILE *file)
{
    if (s->nratios == 0)
        return;
    fprintf(file, "# time of %s / ours: geometric mean %.3f, minimum %.3f, "
            "%d problem%s\n", s->peer_name,
            stfi_geometric_mean(s->ratio, s->nratios),
            stfi_minimum(s->ratio, s->nratios), s->nratios,
            s->nratios == 1 ? "" : "s");
}

static stf_status run_list(session *s, const stfi_problems *list, int quiet)
{
    FILE *file = s->format == STFI_FORMAT_TEXT ? stdout : stderr;
    char (*cell)[STFI_CELL_BYTES] = calloc(COLUMNS, sizeof *cell);
    stf_status status = STF_OK;

    s->ratio = calloc((size_t)list->count, sizeof *s->ratio);
    if (cell == NULL || s->ratio == NULL) {
        free(cell);
        return stfi_error(STF_ERR_MEMORY, "out of memory for a table");
    }
    if (!quiet)
        print_head(s, file);
    stfi_table_begin(&s->table, stdout, s->format, columns,
                     s->peer_name != NULL ? COLUMNS : COLUMN_RATIO);
    stfi_progress_begin(&s->progress, "bench", list->count, quiet);
    for (int i = 0; i < list->count && status == STF_OK; i++) {
        char word[256];
        stfi_problem_print(&list->item[i], word, sizeof word);
        stfi_progress_update(&s->progress, i, word);
        status = bench_one(s, &list->item[i], cell);
    }
    stfi_progress_clear(&s->progress);
    stfi_table_end(&s->table);
    if (s->format == STFI_FORMAT_JSON)
        putchar('\n');
    fflush(stdout);
    if (status == STF_OK && !quiet)
        print_summary(s, file);
    free(cell);
    return status;
}

static stf_status open_session(const stfi_args *args, session *s)
{
    stfi_bench *b = &s->bench;
    stf_status status = stf_device_open(stfi_args_text(
                            args, STFI_OPT_DEVICE, NULL), &b->dev);

    if (status == STF_OK)
        status = stf_device_query(b->dev, &b->info);
    if (status != STF_OK)
        return status;
    b->rounds = (int)stfi_args_integer(args, STFI_OPT_REPS, DEFAULT_ROUNDS);
    if (b->rounds > STFI_MAX_ROUNDS)
        b->rounds = STFI_MAX_ROUNDS;
    b->threads = (int)stfi_args_integer(args, STFI_OPT_THREADS, 0);
    if (b->threads == 0)
        b->threads = b->info.max_threads > 0 ? b->info.max_threads : 1;
    b->seed = (uint64_t)stfi_args_integer(args, STFI_OPT_SEED, 1);
    s->inverse = stfi_args_given(args, STFI_OPT_INVERSE);
    s->format = stfi_format_of(args);
    s->peer_name = stfi_args_text(args, STFI_OPT_PEER, NULL);
    if (s->peer_name == NULL)
        return STF_OK;
    if (strcmp(b->info.backend, "cpu") != 0)
        return stfi_error(STF_ERR_ARGUMENT, "--peer %s runs on the cpu, and "
                          "--device is %s", s->peer_name, b->info.name);
    return stfi_peer_open(s->peer_name, &b->peer);
}

static int run(const stfi_args *args)
{
    stfi_problems list = {0, 0, NULL};
    session s = {.nratios = 0};
    stf_status status;

    stfi_accuracy_begin(&s.bench.accuracy, STFI_REFERENCE_AUTO);
    status = stfi_problems_of(args, &list);
    if (status == STF_OK)
        status = open_session(args, &s);
    if (status == STF_OK)
        status = run_list(&s, &list, stfi_args_given(args, STFI_OPT_QUIET));
    free(s.ratio);
    stfi_problems_free(&list);
    stfi_accuracy_end(&s.bench.accuracy);
    stfi_peer_close(s.bench.peer);
    stf_device_close(s.bench.dev);
    return status == STF_OK ? STFI_EXIT_OK : stfi_exit_of(status);
}

static const stfi_opt options[] = {
    STFI_OPT_N, STFI_OPT_BATCH, STFI_OPT_ELEMENTS, STFI_OPT_KIND,
    STFI_OPT_PRECISION, STFI_OPT_INVERSE, STFI_OPT_IN_PLACE, STFI_OPT_FT,
    STFI_OPT_PROBLEMS, STFI_OPT_SUITE, STFI_OPT_PEER, STFI_OPT_DEVICE,
    STFI_OPT_THREADS, STFI_OPT_REPS, STFI_OPT_SEED, STFI_OPT_CSV,
    STFI_OPT_JSON, STFI_OPT_QUIET, STFI_OPT_HELP, STFI_OPT_COUNT
};

const stfi_command stfi_cmd_bench = {
    .name = "bench",
    .words = "[PROBLEM]...",
    .summary = "Time transforms, beside another library if asked",
    .notes = "PROBLEM is a word such as c2c:f32:out:360x7*4. Without a "
             "batch, --n and --suite\nrun about --elements elements in all. "
             "ratio_to_peer is the peer's time over ours.",
    .max_words = 1 << 20,
    .options = options,
    .run = run,
};
