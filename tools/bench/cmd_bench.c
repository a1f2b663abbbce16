/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast bench`: how fast transforms are, on request beside a peer. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fft/desc.h"
#include "run/device.h"
#include "tools/command/command.h"
#include "tools/bench/bench_gemm.h"
#include "tools/bench/measure.h"
#include "tools/bench/papers.h"
#include "tools/command/problems.h"
#include "tools/command/progress.h"
#include "tools/bench/summary.h"
#include "tools/command/table.h"

enum {
    COLUMN_LIB,
    COLUMN_DEVICE,
    COLUMN_PRECISION,
    COLUMN_KIND,
    COLUMN_DIMS,
    COLUMN_BATCH,
    COLUMN_FT,
    COLUMN_MS,
    COLUMN_GBPS,
    COLUMN_FRACTION,
    COLUMN_GFLOPS,
    COLUMN_ERROR,
    COLUMN_RATIO,
    COLUMN_PEER_ERROR,
    COLUMN_COST,
    COLUMN_PAPER,
    COLUMN_SUITE,
    COLUMNS
};

enum { DEFAULT_ROUNDS = 9 };

static const stfi_column columns[COLUMNS] = {
    [COLUMN_LIB] = {"lib", 0, 9},
    [COLUMN_DEVICE] = {"device", 0, 6},
    [COLUMN_PRECISION] = {"precision", 0, 0},
    [COLUMN_KIND] = {"kind", 0, 4},
    [COLUMN_DIMS] = {"dims", 0, 9},
    [COLUMN_BATCH] = {"batch", 1, 7},
    [COLUMN_FT] = {"ft", 0, 7},
    [COLUMN_MS] = {"ms", 1, 10},
    [COLUMN_GBPS] = {"gbps", 1, 7},
    [COLUMN_FRACTION] = {"fraction_of_copy", 1, 0},
    [COLUMN_GFLOPS] = {"gflops", 1, 8},
    [COLUMN_ERROR] = {"rel_l2_error", 1, 0},
    /* Columns that are printed with a peer only. */
    [COLUMN_RATIO] = {"ratio_to_peer", 1, 0},
    [COLUMN_PEER_ERROR] = {"peer_rel_l2_error", 1, 0},
    /* A column that is printed with several kinds of protection only, and not
     * in CSV, whose readers can compute it from the times. */
    [COLUMN_COST] = {"cost_percent", 1, 0},
    /* A column that is printed with suites of papers only. */
    [COLUMN_PAPER] = {"paper_error", 1, 0},
    /* A column that is printed with a suite only. */
    [COLUMN_SUITE] = {"suite", 0, 0},
};

typedef char cells[COLUMNS][STFI_CELL_BYTES];

/* The state of one run of the command. */
typedef struct session {
    stfi_bench bench;
    stfi_protections protections;
    int told[STFI_MAX_PROTECTIONS]; /* 1: its absence has been reported */
    const char *peer_name;
    int has_suite, has_paper;
    stfi_format format;
    stfi_table table;
    stfi_column shown[COLUMNS]; /* the members of columns[] that are printed */
    stfi_progress progress;
    stfi_summary summary;
    cells cell, row;
    int inverse, quiet;
    stf_status failure; /* status of the last problem that failed */
} session;

/* ------------------------------------------------------------------- rows */

static int is_shown(const session *s, int column)
{
    if (column == COLUMN_SUITE)
        return s->has_suite;
    if (column == COLUMN_PAPER)
        return s->has_paper;
    if (column == COLUMN_COST)
        return s->protections.count > 1 && s->format == STFI_FORMAT_TEXT;
    return column < COLUMN_RATIO || s->peer_name != NULL;
}

static void begin_table(session *s)
{
    int count = 0;

    for (int c = 0; c < COLUMNS; c++)
        if (is_shown(s, c))
            s->shown[count++] = columns[c];
    stfi_table_begin(&s->table, stdout, s->format, s->shown, count);
}

static void print_cells(session *s)
{
    int count = 0;

    for (int c = 0; c < COLUMNS; c++)
        if (is_shown(s, c))
            memcpy(s->row[count++], s->cell[c], STFI_CELL_BYTES);
    stfi_table_row(&s->table, s->row);
}

/* The usual count of operations: 5 N log2 N, half of it for real data. */
static double giga_flops(const stf_fft_desc *d, double seconds)
{
    double points = 1.0;

    for (int a = 0; a < d->rank; a++)
        points *= (double)d->n[a];
    return 5e-9 * points * log2(points) * (double)d->batch / seconds
           * (d->kind == STF_C2C ? 1.0 : 0.5);
}

static void put_error(char *cell, double error)
{
    if (error >= 0.0)
        snprintf(cell, STFI_CELL_BYTES, "%.3e", error);
}

static void put_problem(const session *s, const stf_fft_desc *d, cells cell)
{
    size_t used = 0;

    snprintf(cell[COLUMN_DEVICE], STFI_CELL_BYTES, "%s", s->bench.info.name);
    snprintf(cell[COLUMN_PRECISION], STFI_CELL_BYTES, "%s%s%s",
             stfi_type_get(d->precision)->name,
             d->compute == STF_COMPUTE_NATIVE ? "" : ":",
             d->compute == STF_COMPUTE_NATIVE
                 ? ""
                 : stfi_problem_compute_name(d->compute));
    snprintf(cell[COLUMN_KIND], STFI_CELL_BYTES, "%s",
             stfi_kind_get(d->kind)->name);
    for (int a = 0; a < d->rank; a++)
        used +=
            (size_t)snprintf(cell[COLUMN_DIMS] + used, STFI_CELL_BYTES - used,
                             "%s%" PRId64, a > 0 ? "x" : "", d->n[a]);
    snprintf(cell[COLUMN_BATCH], STFI_CELL_BYTES, "%" PRId64, d->batch);
}

/* The error in the measure of the paper whose shapes a suite repeats. */
static void put_paper(const stfi_listed *item, const stfi_timing *timing,
                      char *cell)
{
    const stfi_paper *paper = stfi_paper_of(item->group);
    double points = 1.0;

    if (paper == NULL || timing->error < 0.0)
        return;
    for (int a = 0; a < item->problem.desc.rank; a++)
        points *= (double)item->problem.desc.n[a];
    snprintf(cell, STFI_CELL_BYTES, "%.3e",
             stfi_paper_error(paper, &timing->means, points));
}

static double fraction_of_copy(const stfi_measurement *m,
                               const stfi_timing *timing)
{
    return m->copy_bandwidth > 0.0
               ? m->bytes / timing->seconds / m->copy_bandwidth
               : 0.0;
}

static void put_timing(const stf_fft_desc *d, const stfi_measurement *m,
                       const stfi_timing *timing, cells cell)
{
    snprintf(cell[COLUMN_MS], STFI_CELL_BYTES, "%.6g", timing->seconds * 1e3);
    snprintf(cell[COLUMN_GBPS], STFI_CELL_BYTES, "%.4g",
             m->bytes / timing->seconds * 1e-9);
    if (m->copy_bandwidth > 0.0)
        snprintf(cell[COLUMN_FRACTION], STFI_CELL_BYTES, "%.4f",
                 fraction_of_copy(m, timing));
    snprintf(cell[COLUMN_GFLOPS], STFI_CELL_BYTES, "%.4g",
             giga_flops(d, timing->seconds));
    put_error(cell[COLUMN_ERROR], timing->error);
}

/* How fast our i-th protection is, relative to no protection; 0 if no
 * protection was not measured, or is itself the i-th. */
static double speed_of(const session *s, const stfi_measurement *m, int i)
{
    return i > 0 && s->protections.item[0].ft.mode == STF_FT_OFF
                   && m->ours[i].seconds > 0.0
               ? m->ours[0].seconds / m->ours[i].seconds
               : 0.0;
}

static const char *ft_name(const session *s, const stfi_measurement *m, int i)
{
    const stfi_protection *p = &s->protections.item[i];

    return p->ft.mode == STF_FT_DEFAULT ? stfi_ft_mode_name(m->ours[i].mode)
                                        : p->name;
}

static void print_ours(session *s, const stfi_listed *item, const char *word,
                       const stfi_measurement *m, int i)
{
    const stf_fft_desc *d = &item->problem.desc;
    const stfi_timing *ours = &m->ours[i];
    double ratio = m->peer.seconds / ours->seconds, speed = speed_of(s, m, i);

    memset(s->cell, 0, sizeof s->cell);
    put_problem(s, d, s->cell);
    put_timing(d, m, ours, s->cell);
    snprintf(s->cell[COLUMN_LIB], STFI_CELL_BYTES, "steadfast");
    snprintf(s->cell[COLUMN_FT], STFI_CELL_BYTES, "%s", ft_name(s, m, i));
    snprintf(s->cell[COLUMN_SUITE], STFI_CELL_BYTES, "%s", item->group);
    if (ratio > 0.0)
        snprintf(s->cell[COLUMN_RATIO], STFI_CELL_BYTES, "%.4f", ratio);
    if (speed > 0.0)
        snprintf(s->cell[COLUMN_COST], STFI_CELL_BYTES, "%.1f",
                 100.0 * (1.0 / speed - 1.0));
    put_error(s->cell[COLUMN_PEER_ERROR], m->peer.error);
    put_paper(item, ours, s->cell[COLUMN_PAPER]);
    print_cells(s);
    stfi_summary_add(&s->summary, item->group, ft_name(s, m, i), word,
                     fraction_of_copy(m, ours), ratio, speed);
}

static void print_peer(session *s, const stfi_listed *item,
                       const stfi_measurement *m)
{
    const stf_fft_desc *d = &item->problem.desc;

    memset(s->cell, 0, sizeof s->cell);
    put_problem(s, d, s->cell);
    put_timing(d, m, &m->peer, s->cell);
    snprintf(s->cell[COLUMN_LIB], STFI_CELL_BYTES, "%s", s->peer_name);
    snprintf(s->cell[COLUMN_FT], STFI_CELL_BYTES, "off");
    snprintf(s->cell[COLUMN_SUITE], STFI_CELL_BYTES, "%s", item->group);
    s->cell[COLUMN_ERROR][0] = '\0';
    put_paper(item, &m->peer, s->cell[COLUMN_PAPER]);
    print_cells(s);
}

/* Prints a row for each measurement that succeeded, and says why others failed.
 * A protection that was named must be there; if one that only `all` includes is
 * not supported, this is said once per run. */
static void tell(session *s, const stfi_listed *item, const char *word,
                 const stfi_measurement *m)
{
    for (int i = 0; i < s->protections.count; i++) {
        const stfi_timing *ours = &m->ours[i];
        int optional = s->protections.item[i].optional
                       && ours->status == STF_ERR_UNSUPPORTED;

        if (ours->seconds > 0.0)
            print_ours(s, item, word, m, i);
        else if (!optional)
            s->failure = ours->status;
        if (ours->failure[0] != '\0'
            && !(optional && (s->quiet || s->told[i]++)))
            stfi_complain("%s: %s: %s", word, ft_name(s, m, i), ours->failure);
    }
    if (m->peer.seconds > 0.0)
        print_peer(s, item, m);
    else if (m->peer.failure[0] != '\0')
        stfi_complain("%s: %s", word, m->peer.failure);
    fflush(stdout);
}

/* Measures one problem. If it fails, this is reported, and the run goes on. */
static void bench_one(session *s, const stfi_listed *item)
{
    const stf_fft_desc *d = &item->problem.desc;
    stf_direction direction =
        d->kind == STF_C2R || (d->kind == STF_C2C && s->inverse) ? STF_INVERSE
                                                                 : STF_FORWARD;
    char word[256];
    stfi_measurement m;
    stf_status status =
        stfi_measure(&s->bench, &item->problem, direction, &s->protections, &m);

    stfi_progress_clear(&s->progress);
    stfi_problem_print(&item->problem, word, sizeof word);
    if (status == STF_OK) {
        tell(s, item, word, &m);
    } else {
        stfi_complain("%s: %s", word, stf_error_message());
        s->failure = status;
    }
}

/* ---------------------------------------------------------------- session */

static void print_head(const session *s, FILE *file)
{
    const stf_device_info *d = &s->bench.info;

    fprintf(file, "# %s (%s%s%s), %d thread%s; medians of %d rounds%s%s\n",
            d->name, d->model, d->model[0] != '\0' ? ", " : "", d->arch,
            s->bench.threads, s->bench.threads == 1 ? "" : "s", s->bench.rounds,
            s->peer_name != NULL ? ", in turn with " : "",
            s->peer_name != NULL ? s->peer_name : "");
}

static void print_copies(const session *s, FILE *file)
{
    const stfi_copies *c = &s->bench.copies;

    if (c->count == 1)
        fprintf(file, "# copy: %.4g GB/s, read + written, of %zu bytes\n",
                c->known[0].bandwidth * 1e-9, c->known[0].bytes);
}

static void run_list(session *s, const stfi_problems *list)
{
    FILE *file = s->format == STFI_FORMAT_TEXT ? stdout : stderr;

    for (int i = 0; i < list->count; i++) {
        s->has_suite |= list->item[i].group[0] != '\0';
        s->has_paper |= stfi_paper_of(list->item[i].group) != NULL;
    }
    if (!s->quiet)
        print_head(s, file);
    begin_table(s);
    stfi_progress_begin(&s->progress, "bench", list->count, s->quiet);
    for (int i = 0; i < list->count; i++) {
        char word[256];
        stfi_problem_print(&list->item[i].problem, word, sizeof word);
        stfi_progress_update(&s->progress, i, word);
        bench_one(s, &list->item[i]);
    }
    stfi_progress_clear(&s->progress);
    stfi_table_end(&s->table);
    if (s->format == STFI_FORMAT_JSON)
        putchar('\n');
    fflush(stdout);
    if (s->quiet)
        return;
    print_copies(s, file);
    stfi_summary_print(&s->summary, s->peer_name, file);
}

static stf_status open_session(const stfi_args *args, session *s)
{
    stfi_bench *b = &s->bench;
    stf_status status =
        stf_device_open(stfi_args_text(args, STFI_OPT_DEVICE, NULL), &b->dev);

    if (status == STF_OK)
        status = stf_device_query(b->dev, &b->info);
    if (status != STF_OK)
        return status;
    b->dev->unit_radix = (int)stfi_args_integer(args, STFI_OPT_UNIT_RADIX, 0);
    stfi_arena_begin(&b->arena, b->dev);
    b->rounds = (int)stfi_args_integer(args, STFI_OPT_REPS, DEFAULT_ROUNDS);
    if (b->rounds > STFI_MAX_ROUNDS)
        b->rounds = STFI_MAX_ROUNDS;
    b->threads = (int)stfi_args_integer(args, STFI_OPT_THREADS, 0);
    if (b->threads == 0)
        b->threads = b->info.max_threads > 0 ? b->info.max_threads : 1;
    b->seed = (uint64_t)stfi_args_integer(args, STFI_OPT_SEED, 1);
    s->inverse = stfi_args_given(args, STFI_OPT_INVERSE);
    s->quiet = stfi_args_given(args, STFI_OPT_QUIET);
    s->protections = stfi_protections_of(args);
    s->format = stfi_format_of(args);
    s->peer_name = stfi_args_text(args, STFI_OPT_PEER, NULL);
    return s->peer_name == NULL
               ? STF_OK
               : stfi_peer_open(s->peer_name, b->info.name, &b->peer);
}

static void close_session(session *s)
{
    if (s->bench.dev != NULL)
        stfi_arena_end(&s->bench.arena);
    stfi_accuracy_end(&s->bench.accuracy);
    stfi_summary_end(&s->summary);
    stfi_peer_close(s->bench.peer);
    stf_device_close(s->bench.dev);
    free(s);
}

static int bench_transforms(const stfi_args *args, const stfi_problems *list)
{
    session *s = stfi_session(sizeof *s);
    stf_status status;
    int result;

    if (s == NULL)
        return STFI_EXIT_FAILED;
    stfi_accuracy_begin(&s->bench.accuracy, STFI_REFERENCE_AUTO);
    status = open_session(args, s);
    if (status == STF_OK)
        run_list(s, list);
    if (status != STF_OK)
        result = stfi_exit_of(status);
    else
        result = s->failure == STF_ERR_ARGUMENT ? STFI_EXIT_USAGE
                 : s->failure != STF_OK         ? STFI_EXIT_FAILED
                                                : STFI_EXIT_OK;
    close_session(s);
    return result;
}

/* Transforms and matrix products have tables with columns of their own, and no
 * peer computes both. */
static stf_status check_mixture(const stfi_args *args)
{
    if (stfi_format_of(args) != STFI_FORMAT_TEXT)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--csv and --json have one table, and the columns of "
                          "transforms and of matrix products differ; measure "
                          "them apart");
    if (stfi_args_given(args, STFI_OPT_PEER))
        return stfi_error(STF_ERR_ARGUMENT,
                          "--peer is a library of transforms or one of matrix "
                          "products; measure them apart");
    return STF_OK;
}

static int run(const stfi_args *args)
{
    stfi_problems list = {0, 0, NULL}, products = {0, 0, NULL};
    stf_status status = stfi_problems_of(args, &list);
    int result = STFI_EXIT_OK;

    if (status == STF_OK)
        status = stfi_problems_split(&list, &products);
    if (status == STF_OK && list.count > 0 && products.count > 0)
        status = check_mixture(args);
    if (status != STF_OK)
        result = stfi_exit_of(status);
    if (status == STF_OK && list.count > 0)
        result = bench_transforms(args, &list);
    if (status == STF_OK && products.count > 0) {
        int other = stfi_bench_gemm(args, &products);
        result = other > result ? other : result;
    }
    stfi_problems_free(&list);
    stfi_problems_free(&products);
    return result;
}

static const stfi_opt options[] = {
    STFI_OPTS_PROBLEM, STFI_OPT_UNIT_RADIX, STFI_OPT_INVERSE,
    STFI_OPT_ELEMENTS, STFI_OPT_BYTES,      STFI_OPTS_FT,
    STFI_OPT_PROBLEMS, STFI_OPT_SUITE,      STFI_OPT_DRAWS,
    STFI_OPT_PEER,     STFI_OPT_REPS,       STFI_OPT_SEED,
    STFI_OPTS_TABLE,   STFI_OPT_COUNT};

const stfi_command stfi_cmd_bench = {
    .name = "bench",
    .words = "[PROBLEM]...",
    .summary = "Time transforms, beside another library if asked",
    .notes = "PROBLEM is a word such as c2c:f32:out:360x7*4. Without a "
             "batch, --n and --suite\nrun about --elements elements in all, "
             "or --bytes an array. On a GPU, times are the\ndevice's, and a "
             "single transform is replayed as a graph. ratio_to_peer is the\n"
             "peer's time over ours. --ft off,correct measures both in turn "
             "and tells the\ncost; --ft all does so for every kind of "
             "protection that the device has.\nWords such as "
             "gemm:f32:nt:1000x777x3000*4 are matrix products, whose table "
             "follows that of\ntransforms.",
    .max_words = 1 << 20,
    .options = options,
    .run = run,
};
