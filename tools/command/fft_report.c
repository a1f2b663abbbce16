/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The report of what `steadfast fft` did; see fft_run.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "fft/desc.h"
#include "run/fft/fft_plan.h"
#include "tools/command/fft_run.h"
#include "tools/command/passes.h"
#include "tools/command/protections.h"
#include "tools/command/report_lines.h"

enum { TEXT_BYTES = 320 };

/* Prints the lengths of one transform as "512x384". */
static void print_lengths(const stf_fft_desc *d, char *text, size_t capacity)
{
    size_t used = 0;

    text[0] = '\0';
    for (int a = 0; a < d->rank && used < capacity; a++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%" PRId64,
                                 a > 0 ? "x" : "", d->n[a]);
}

/* Prints the transformed axes as "0, 2". */
static void print_axes(const stfi_job *job, int rank, char *text,
                       size_t capacity)
{
    size_t used = 0;

    text[0] = '\0';
    for (int a = 0; a < rank && used < capacity; a++)
        if (job->axis[a])
            used += (size_t)snprintf(text + used, capacity - used, "%s%d",
                                     used > 0 ? "," : "", a);
}

static int thread_count(const stfi_fft_run *r)
{
    return r->job.desc.threads > 0 ? r->job.desc.threads : r->info.max_threads;
}

double stfi_fft_round_trip_bound(const stfi_fft_run *r)
{
    return 2.0 * r->bound;
}

/* ------------------------------------------------------------------- text */

static void text_protection(const stfi_fft_run *r, FILE *file)
{
    char place[64];

    snprintf(place, sizeof place, "transform %" PRId64 ", pass %d",
             r->checks.first_event.signal, (int)r->checks.first_event.pass);
    stfi_checks_lines(r->plan->ft.mode, &r->checks, place, file);
}

static void text_accuracy(const stfi_fft_run *r, FILE *file)
{
    if (r->round_trip >= 0.0)
        fprintf(file,
                "round trip  %.3e relative L2 error, there and back; "
                "bound %.3e: %s\n",
                r->round_trip, stfi_fft_round_trip_bound(r),
                stfi_verdict(r->round_trip > stfi_fft_round_trip_bound(r)));
    if (r->error >= 0.0)
        fprintf(file,
                "accuracy    %.3e relative L2 error against %s; "
                "bound %.3e: %s\n",
                r->error, r->reference, r->bound,
                stfi_verdict(r->error > r->bound));
    if (r->error >= 0.0 && r->checked < stfi_job_transforms(&r->job))
        fprintf(file, "            (%.0f of %.0f transforms compared)\n",
                r->checked, stfi_job_transforms(&r->job));
    if (r->unchecked != NULL)
        fprintf(file, "accuracy    not measured: %s\n", r->unchecked);
}

static void print_text(const stfi_fft_run *r, FILE *file)
{
    char text[TEXT_BYTES], axes[64], kind[STFI_KIND_TEXT];
    const stfi_array *in = &r->input.array;

    fprintf(file, "input       %s\n", r->input.name);
    stfi_array_print(in, text, sizeof text);
    fprintf(file, "data        %s", text);
    if (in->rate > 0.0)
        fprintf(file, ", %" PRId64 " channel%s at %g Hz", in->n[0],
                in->n[0] == 1 ? "" : "s", in->rate);
    fprintf(file, "%s%s\n", r->input.note != NULL ? "; " : "",
            r->input.note != NULL ? r->input.note : "");
    print_lengths(&r->job.desc, text, sizeof text);
    print_axes(&r->job, in->rank, axes, sizeof axes);
    stfi_desc_print_kind(&r->job.desc, kind, sizeof kind);
    fprintf(file, "transform   %s %s of %s, along ax%ss %s, %.0f time%s\n",
            kind, r->direction == STF_FORWARD ? "forward" : "inverse", text,
            r->job.desc.rank == 1 ? "i" : "e", axes,
            stfi_job_transforms(&r->job),
            stfi_job_transforms(&r->job) == 1.0 ? "" : "s");
    stfi_device_line(&r->info, thread_count(r), file);
    stfi_passes_print(stfi_fft_plan_of(r->plan)->schedule, text, sizeof text);
    fprintf(file, "schedule    %s\n", text);
    fprintf(file, "time        %.4g ms, %.4g GFLOP/s (median of %d)\n",
            r->time.seconds * 1e3, r->gflops, r->time.executions);
    text_protection(r, file);
    text_accuracy(r, file);
    stfi_array_print(&r->out, text, sizeof text);
    if (r->output != NULL)
        fprintf(file, "output      %s: %s\n", r->output, text);
    if (r->plot != NULL)
        fprintf(file, "plot        %s\n", r->plot);
}

/* ----------------------------------------------------------- CSV and JSON */

enum {
    COLUMN_INPUT,
    COLUMN_DATA,
    COLUMN_NOTE,
    COLUMN_RATE,
    COLUMN_KIND,
    COLUMN_DIRECTION,
    COLUMN_DIMS,
    COLUMN_AXES,
    COLUMN_TRANSFORMS,
    COLUMN_PRECISION,
    COLUMN_DEVICE,
    COLUMN_THREADS,
    COLUMN_SCHEDULE,
    COLUMN_MS,
    COLUMN_GFLOPS,
    COLUMN_FT,
    COLUMN_CHECKSUMS,
    COLUMN_DETECTED,
    COLUMN_REPAIRED,
    COLUMN_ROUND_TRIP,
    COLUMN_ERROR,
    COLUMN_REFERENCE,
    COLUMN_CHECKED,
    COLUMN_BOUND,
    COLUMN_VERDICT,
    COLUMN_OUTPUT,
    COLUMN_PLOT,
    COLUMNS
};

static const stfi_column columns[COLUMNS] = {
    [COLUMN_INPUT] = {"input", 0, 0},
    [COLUMN_DATA] = {"data", 0, 0},
    [COLUMN_NOTE] = {"note", 0, 0},
    [COLUMN_RATE] = {"sample_rate", 1, 0},
    [COLUMN_KIND] = {"kind", 0, 0},
    [COLUMN_DIRECTION] = {"direction", 0, 0},
    [COLUMN_DIMS] = {"dims", 0, 0},
    [COLUMN_AXES] = {"axes", 0, 0},
    [COLUMN_TRANSFORMS] = {"transforms", 1, 0},
    [COLUMN_PRECISION] = {"precision", 0, 0},
    [COLUMN_DEVICE] = {"device", 0, 0},
    [COLUMN_THREADS] = {"threads", 1, 0},
    [COLUMN_SCHEDULE] = {"schedule", 0, 0},
    [COLUMN_MS] = {"ms", 1, 0},
    [COLUMN_GFLOPS] = {"gflops", 1, 0},
    [COLUMN_FT] = {"ft", 0, 0},
    [COLUMN_CHECKSUMS] = {"checksums", 1, 0},
    [COLUMN_DETECTED] = {"detected", 1, 0},
    [COLUMN_REPAIRED] = {"repaired", 1, 0},
    [COLUMN_ROUND_TRIP] = {"round_trip_error", 1, 0},
    [COLUMN_ERROR] = {"rel_l2_error", 1, 0},
    [COLUMN_REFERENCE] = {"reference", 0, 0},
    [COLUMN_CHECKED] = {"transforms_checked", 1, 0},
    [COLUMN_BOUND] = {"bound", 1, 0},
    [COLUMN_VERDICT] = {"verdict", 0, 0},
    [COLUMN_OUTPUT] = {"output", 0, 0},
    [COLUMN_PLOT] = {"plot", 0, 0},
};

static void put_text(char *cell, const char *text)
{
    snprintf(cell, STFI_CELL_BYTES, "%s", text != NULL ? text : "");
}

static void put_error(char *cell, double error)
{
    if (error >= 0.0)
        snprintf(cell, STFI_CELL_BYTES, "%.6e", error);
}

static void fill_work(const stfi_fft_run *r, char (*cell)[STFI_CELL_BYTES])
{
    const stfi_array *in = &r->input.array;

    put_text(cell[COLUMN_INPUT], r->input.name);
    stfi_array_print(in, cell[COLUMN_DATA], STFI_CELL_BYTES);
    put_text(cell[COLUMN_NOTE], r->input.note);
    if (in->rate > 0.0)
        snprintf(cell[COLUMN_RATE], STFI_CELL_BYTES, "%g", in->rate);
    stfi_desc_print_kind(&r->job.desc, cell[COLUMN_KIND], STFI_CELL_BYTES);
    put_text(cell[COLUMN_DIRECTION],
             r->direction == STF_FORWARD ? "forward" : "inverse");
    print_lengths(&r->job.desc, cell[COLUMN_DIMS], STFI_CELL_BYTES);
    print_axes(&r->job, in->rank, cell[COLUMN_AXES], STFI_CELL_BYTES);
    snprintf(cell[COLUMN_TRANSFORMS], STFI_CELL_BYTES, "%.0f",
             stfi_job_transforms(&r->job));
    put_text(cell[COLUMN_PRECISION], stfi_type_get(in->precision)->name);
    put_text(cell[COLUMN_DEVICE], r->info.name);
    snprintf(cell[COLUMN_THREADS], STFI_CELL_BYTES, "%d", thread_count(r));
    stfi_passes_print(stfi_fft_plan_of(r->plan)->schedule,
                      cell[COLUMN_SCHEDULE], STFI_CELL_BYTES);
}

static void fill_results(const stfi_fft_run *r, char (*cell)[STFI_CELL_BYTES])
{
    snprintf(cell[COLUMN_MS], STFI_CELL_BYTES, "%.6g", r->time.seconds * 1e3);
    snprintf(cell[COLUMN_GFLOPS], STFI_CELL_BYTES, "%.4g", r->gflops);
    put_text(cell[COLUMN_FT], stfi_ft_mode_name(r->plan->ft.mode));
    snprintf(cell[COLUMN_CHECKSUMS], STFI_CELL_BYTES, "%" PRId64,
             r->checks.groups_checked);
    snprintf(cell[COLUMN_DETECTED], STFI_CELL_BYTES, "%" PRId64,
             r->checks.detected);
    snprintf(cell[COLUMN_REPAIRED], STFI_CELL_BYTES, "%" PRId64,
             stfi_checks_repaired(&r->checks));
    put_error(cell[COLUMN_ROUND_TRIP], r->round_trip);
    put_error(cell[COLUMN_ERROR], r->error);
    if (r->error >= 0.0) {
        put_text(cell[COLUMN_REFERENCE], r->reference);
        snprintf(cell[COLUMN_CHECKED], STFI_CELL_BYTES, "%.0f", r->checked);
    }
    put_error(cell[COLUMN_BOUND], r->bound);
    put_text(cell[COLUMN_VERDICT],
             r->unchecked != NULL && !r->failed && r->round_trip < 0.0
                 ? "NOT MEASURED"
                 : stfi_verdict(r->failed));
    put_text(cell[COLUMN_OUTPUT], r->output);
    put_text(cell[COLUMN_PLOT], r->plot);
}

void stfi_fft_report(const stfi_fft_run *r, stfi_format format, FILE *file)
{
    char cell[COLUMNS][STFI_CELL_BYTES] = {""};

    if (format == STFI_FORMAT_TEXT) {
        print_text(r, file);
        return;
    }
    fill_work(r, cell);
    fill_results(r, cell);
    stfi_table_record(file, format, columns, COLUMNS, cell);
}
