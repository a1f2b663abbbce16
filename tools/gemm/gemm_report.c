/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The report of what `steadfast gemm` did; see gemm_run.h. */
#include <inttypes.h>
#include <string.h>

#include "base/type.h"
#include "run/plan.h"
#include "support/problem/gemm_problem.h"
#include "tools/command/protections.h"
#include "tools/command/report_lines.h"
#include "tools/gemm/gemm_run.h"

enum { TEXT_BYTES = 320 };

static int thread_count(const stfi_gemm_run *r)
{
    return r->desc.threads > 0 ? r->desc.threads : r->info.max_threads;
}

/* ------------------------------------------------------------------- text */

static void print_input(const char *label, const stfi_input *in, FILE *file)
{
    char text[TEXT_BYTES];

    if (in->name == NULL)
        return;
    stfi_array_print(&in->array, text, sizeof text);
    fprintf(file, "%-10s  %s: %s%s%s\n", label, in->name, text,
            in->note != NULL ? "; " : "", in->note != NULL ? in->note : "");
}

void stfi_gemm_report_counters(const stfi_gemm_run *r, FILE *file)
{
    const stf_ft_report *c = &r->checks;
    const struct {
        const char *name;
        int64_t count;
    } rows[] = {
        {"tiles checked", c->groups_checked},
        {"detected", c->detected},
        {"located", c->located},
        {"corrected", c->corrected},
        {"computed again", c->recomputed},
        {"uncorrectable", c->uncorrectable},
        {"rounding after a second look", c->rechecked},
        {"not to be checked", c->non_finite_input},
        {"overflowed", c->overflowed},
    };

    fprintf(file, "checks      --ft %s, in %d execution%s\n",
            stfi_ft_mode_name(r->plan->ft.mode), r->executed,
            r->executed == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(file, "            %-28s  %" PRId64 "\n", rows[i].name,
                rows[i].count);
    fprintf(file, "            %-28s  %.3f of its threshold\n",
            "largest residual", c->max_residual);
}

static void print_accuracy(const stfi_gemm_run *r, FILE *file)
{
    const stfi_gemm_accuracy *a = &r->accuracy;

    if (r->unchecked != NULL)
        fprintf(file, "accuracy    not measured: %s\n", r->unchecked);
    else
        fprintf(file,
                "accuracy    %.3e relative L2 error of %" PRId64
                " elements against the definition; bound %.3e: %s\n",
                a->error, a->samples, a->bound, stfi_verdict(a->outside));
}

static void print_text(const stfi_gemm_run *r, int counters, FILE *file)
{
    char text[TEXT_BYTES], place[64];

    print_input("A", &r->a, file);
    print_input("B", &r->b, file);
    print_input("C", &r->c, file);
    stfi_gemm_print(&r->desc, text, sizeof text);
    fprintf(file, "product     %s, alpha %Lg, beta %Lg\n", text, r->alpha,
            r->beta);
    stfi_device_line(&r->info, thread_count(r), file);
    fprintf(file, "time        %.4g ms, %.4g GFLOP/s (median of %d)\n",
            r->time.seconds * 1e3, r->gflops, r->time.executions);
    snprintf(place, sizeof place, "product %" PRId64,
             r->checks.first_event.signal);
    stfi_checks_lines(r->plan->ft.mode, &r->checks, place, file);
    if (counters)
        stfi_gemm_report_counters(r, file);
    print_accuracy(r, file);
    stfi_array_print(&r->out, text, sizeof text);
    if (r->output != NULL)
        fprintf(file, "output      %s: %s\n", r->output, text);
}

/* ----------------------------------------------------------- CSV and JSON */

enum {
    COLUMN_A,
    COLUMN_B,
    COLUMN_C,
    COLUMN_PROBLEM,
    COLUMN_ALPHA,
    COLUMN_BETA,
    COLUMN_DEVICE,
    COLUMN_THREADS,
    COLUMN_MS,
    COLUMN_GFLOPS,
    COLUMN_FT,
    COLUMN_CHECKSUMS,
    COLUMN_DETECTED,
    COLUMN_LOCATED,
    COLUMN_CORRECTED,
    COLUMN_RECOMPUTED,
    COLUMN_UNCORRECTABLE,
    COLUMN_RECHECKED,
    COLUMN_RESIDUAL,
    COLUMN_ERROR,
    COLUMN_CHECKED,
    COLUMN_BOUND,
    COLUMN_VERDICT,
    COLUMN_OUTPUT,
    COLUMNS
};

static const stfi_column columns[COLUMNS] = {
    [COLUMN_A] = {"a", 0, 0},
    [COLUMN_B] = {"b", 0, 0},
    [COLUMN_C] = {"c", 0, 0},
    [COLUMN_PROBLEM] = {"problem", 0, 0},
    [COLUMN_ALPHA] = {"alpha", 1, 0},
    [COLUMN_BETA] = {"beta", 1, 0},
    [COLUMN_DEVICE] = {"device", 0, 0},
    [COLUMN_THREADS] = {"threads", 1, 0},
    [COLUMN_MS] = {"ms", 1, 0},
    [COLUMN_GFLOPS] = {"gflops", 1, 0},
    [COLUMN_FT] = {"ft", 0, 0},
    [COLUMN_CHECKSUMS] = {"checksums", 1, 0},
    [COLUMN_DETECTED] = {"detected", 1, 0},
    [COLUMN_LOCATED] = {"located", 1, 0},
    [COLUMN_CORRECTED] = {"corrected", 1, 0},
    [COLUMN_RECOMPUTED] = {"recomputed", 1, 0},
    [COLUMN_UNCORRECTABLE] = {"uncorrectable", 1, 0},
    [COLUMN_RECHECKED] = {"rechecked", 1, 0},
    [COLUMN_RESIDUAL] = {"largest_residual", 1, 0},
    [COLUMN_ERROR] = {"rel_l2_error", 1, 0},
    [COLUMN_CHECKED] = {"elements_checked", 1, 0},
    [COLUMN_BOUND] = {"bound", 1, 0},
    [COLUMN_VERDICT] = {"verdict", 0, 0},
    [COLUMN_OUTPUT] = {"output", 0, 0},
};

static void put_text(char *cell, const char *text)
{
    snprintf(cell, STFI_CELL_BYTES, "%s", text != NULL ? text : "");
}

static void fill_work(const stfi_gemm_run *r, char (*cell)[STFI_CELL_BYTES])
{
    put_text(cell[COLUMN_A], r->a.name);
    put_text(cell[COLUMN_B], r->b.name);
    put_text(cell[COLUMN_C], r->c.name);
    stfi_gemm_print(&r->desc, cell[COLUMN_PROBLEM], STFI_CELL_BYTES);
    snprintf(cell[COLUMN_ALPHA], STFI_CELL_BYTES, "%.17Lg", r->alpha);
    snprintf(cell[COLUMN_BETA], STFI_CELL_BYTES, "%.17Lg", r->beta);
    put_text(cell[COLUMN_DEVICE], r->info.name);
    snprintf(cell[COLUMN_THREADS], STFI_CELL_BYTES, "%d", thread_count(r));
    snprintf(cell[COLUMN_MS], STFI_CELL_BYTES, "%.6g", r->time.seconds * 1e3);
    snprintf(cell[COLUMN_GFLOPS], STFI_CELL_BYTES, "%.4g", r->gflops);
    put_text(cell[COLUMN_OUTPUT], r->output);
}

static void fill_checks(const stfi_gemm_run *r, char (*cell)[STFI_CELL_BYTES])
{
    const stf_ft_report *c = &r->checks;
    const int64_t counts[] = {
        c->groups_checked, c->detected,      c->located,  c->corrected,
        c->recomputed,     c->uncorrectable, c->rechecked};

    put_text(cell[COLUMN_FT], stfi_ft_mode_name(r->plan->ft.mode));
    for (int i = COLUMN_CHECKSUMS; i < COLUMN_RESIDUAL; i++)
        snprintf(cell[i], STFI_CELL_BYTES, "%" PRId64,
                 counts[i - COLUMN_CHECKSUMS]);
    snprintf(cell[COLUMN_RESIDUAL], STFI_CELL_BYTES, "%.6g", c->max_residual);
}

static void fill_accuracy(const stfi_gemm_run *r, char (*cell)[STFI_CELL_BYTES])
{
    const stfi_gemm_accuracy *a = &r->accuracy;

    put_text(cell[COLUMN_VERDICT], r->unchecked != NULL && !r->failed
                                       ? "NOT MEASURED"
                                       : stfi_verdict(r->failed));
    if (r->unchecked != NULL)
        return;
    snprintf(cell[COLUMN_ERROR], STFI_CELL_BYTES, "%.6e", a->error);
    snprintf(cell[COLUMN_CHECKED], STFI_CELL_BYTES, "%" PRId64, a->samples);
    snprintf(cell[COLUMN_BOUND], STFI_CELL_BYTES, "%.6e", a->bound);
}

void stfi_gemm_report(const stfi_gemm_run *r, stfi_format format, int counters,
                      FILE *file)
{
    char cell[COLUMNS][STFI_CELL_BYTES] = {""};

    if (format == STFI_FORMAT_TEXT) {
        print_text(r, counters, file);
        return;
    }
    fill_work(r, cell);
    fill_checks(r, cell);
    fill_accuracy(r, cell);
    stfi_table_record(file, format, columns, COLUMNS, cell);
}
