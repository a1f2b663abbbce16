/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast fft`: transforms a file, and measures how accurate that was. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/oracle/naive.h"
#include "fft/desc.h"
#include "support/problem/component.h"
#include "tools/verify/accuracy.h"
#include "tools/command/command.h"
#include "tools/file/data.h"
#include "tools/command/fft_run.h"
#include "tools/file/npy.h"
#include "tools/file/outfile.h"
#include "tools/command/progress.h"
#include "tools/command/report_lines.h"
#include "tools/command/spectrum.h"

/* At how many points the result is compared, which keeps the command quick. */
static const double CHECK_POINTS = 0x1p22;

enum { PHASES = 5 };

/* ---------------------------------------------------------------- options */

/* Chooses the kind and the direction, from --kind, --inverse and the data. With
 * a kind for each axis, *d_p has as many axes as there are kinds. */
static stf_status choose_kind(const stfi_args *args, stfi_fft_run *r,
                              stf_fft_desc *d_p)
{
    int complex = r->input.array.complex;
    int inverse = stfi_args_given(args, STFI_OPT_INVERSE);
    int given = stfi_args_given(args, STFI_OPT_KIND);
    stf_fft_desc d = stf_fft_desc_default();

    stfi_args_kind(args, complex ? STF_C2C : STF_R2C, &d);
    if (!given && inverse && !complex)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--inverse needs complex data, "
                          "and these are real; --kind c2c takes them as "
                          "complex");
    if (inverse && (d.kind == STF_R2C || stfi_kind_is_r2r(d.kind)))
        stfi_job_invert(&d);
    if (stfi_kind_is_r2r(d.kind) && complex)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--kind %s needs real data, and these are complex",
                          stfi_args_text(args, STFI_OPT_KIND, ""));
    if (d.kind == STF_R2C && complex)
        return stfi_error(STF_ERR_ARGUMENT, "--kind r2c needs real data, and "
                                            "these are complex; use c2c");
    if (d.kind == STF_C2R && !complex)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--kind c2r needs a half spectrum "
                          "of complex numbers, and these are real");
    r->direction = d.kind == STF_C2R || (inverse && d.kind == STF_C2C)
                       ? STF_INVERSE
                       : STF_FORWARD;
    *d_p = d;
    return STF_OK;
}

/* Chooses the axes. If each has a kind of its own, there must be as many. */
static stf_status choose_axes(const stfi_args *args, const stfi_input *input,
                              const stf_fft_desc *d, int axis[STFI_ARRAY_RANK])
{
    const char *text = stfi_args_text(args, STFI_OPT_AXES, input->axes);
    stf_status status = stfi_axes_parse(text, input->array.rank, axis);
    int count = 0;

    for (int a = 0; a < STFI_ARRAY_RANK && status == STF_OK; a++)
        count += axis[a];
    if (status != STF_OK || d->kind != STF_R2R || count == d->rank)
        return status;
    return stfi_error(STF_ERR_ARGUMENT,
                      "--kind %s has %d kind%s, and %d ax%ss of the data "
                      "%s transformed; name a kind for each, or the axes with "
                      "--axes",
                      stfi_args_text(args, STFI_OPT_KIND, ""), (int)d->rank,
                      d->rank == 1 ? "" : "s", count, count == 1 ? "i" : "e",
                      count == 1 ? "is" : "are");
}

/* Parses a scale factor: a number, or one of the usual functions of the number
 * of points. */
static stf_status parse_scale(const char *text, double points, double *scale_p)
{
    char *end;

    if (strcmp(text, "1/n") == 0) {
        *scale_p = 1.0 / points;
        return STF_OK;
    }
    if (strcmp(text, "1/sqrt(n)") == 0) {
        *scale_p = 1.0 / sqrt(points);
        return STF_OK;
    }
    *scale_p = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*scale_p) || *scale_p == 0.0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--scale is \"%s\"; it must be a "
                          "number that is not 0, 1/n or 1/sqrt(n)",
                          text);
    return STF_OK;
}

/* The length that --n gives to the last axis of a C2R; 0 if it gives none. */
static stf_status last_length(const stfi_args *args, stf_kind kind,
                              int64_t *length_p)
{
    const char *text = stfi_args_text(args, STFI_OPT_N, NULL), *end;

    *length_p = 0;
    if (text == NULL)
        return STF_OK;
    if (kind != STF_C2R)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--n is for c2r, whose real "
                          "length a half spectrum does not tell");
    if (stfi_shape_parse(text, length_p, 1, &end) != 1 || *end != '\0')
        return stfi_error(STF_ERR_ARGUMENT,
                          "--n is \"%s\"; it must be the "
                          "length of the last axis",
                          text);
    return STF_OK;
}

static void symmetrise_slices(const stfi_job *job, stfi_array *in)
{
    stf_fft_desc full;

    if (stfi_desc_complete(&job->desc, &full) != STF_OK)
        return;
    for (int64_t i = 0; i < job->slices; i++) {
        int64_t from, to;
        stfi_job_offsets(job, i, &from, &to);
        stfi_data_symmetrise(
            &full,
            (char *)in->data + from * (int64_t)stfi_array_element_bytes(in));
    }
}

/* Refuses outputs that cannot be written, or that would overwrite each other or
 * the input, while nothing is done yet. The result may take the input's place,
 * since that has been read by then. */
static stf_status check_outputs(const stfi_args *args)
{
    const char *in = args->nwords > 0 ? args->word[0] : NULL;
    const char *output = stfi_args_text(args, STFI_OPT_OUTPUT, NULL);
    const char *plot = stfi_args_text(args, STFI_OPT_PLOT, NULL);
    stf_status status = STF_OK;

    if (output != NULL)
        status = stfi_outfile_check(output);
    if (status != STF_OK || plot == NULL)
        return status;
    if (output != NULL && stfi_outfile_same(plot, output))
        return stfi_error(STF_ERR_ARGUMENT, "--output and --plot are the same "
                                            "file");
    if (in != NULL && stfi_outfile_same(plot, in))
        return stfi_error(STF_ERR_ARGUMENT, "--plot would overwrite the input");
    return stfi_outfile_check(plot);
}

/* Reads the data and decides what to do with them. */
static stf_status prepare(const stfi_args *args, stfi_fft_run *r)
{
    const char *scale = stfi_args_text(args, STFI_OPT_SCALE, "1");
    stfi_array *in = &r->input.array;
    stf_fft_desc d = stf_fft_desc_default();
    int axis[STFI_ARRAY_RANK];
    int64_t length = 0;
    stf_status status;

    if ((status = check_outputs(args)) != STF_OK
        || (status = stfi_input_open(args, &r->input)) != STF_OK
        || (status = choose_kind(args, r, &d)) != STF_OK
        || (status = last_length(args, d.kind, &length)) != STF_OK
        || (status = choose_axes(args, &r->input, &d, axis)) != STF_OK
        || (status = stfi_array_convert(in, in->precision, d.kind == STF_C2C))
               != STF_OK
        || (status = stfi_job_make(in, &d, axis, length, &r->job, &r->out))
               != STF_OK
        || (status = parse_scale(scale, stfi_job_logical(&r->job),
                                 &r->job.desc.scale_forward))
               != STF_OK)
        return status;
    r->job.desc.scale_inverse = r->job.desc.scale_forward;
    r->job.desc.threads = (int32_t)stfi_args_integer(args, STFI_OPT_THREADS, 0);
    if ((status = stfi_args_protection(args, STF_FT_DEFAULT, &r->job.desc.ft))
        != STF_OK)
        return status;
    if (d.kind == STF_C2R && stfi_args_given(args, STFI_OPT_RANDOM))
        symmetrise_slices(&r->job, in);
    return STF_OK;
}

/* --------------------------------------------------------------- the work */

static stf_status transform_once(void *arg, double *seconds_p)
{
    stfi_fft_run *r = arg;
    double began = stfi_clock();
    stf_status status =
        stfi_job_run(&r->job, r->plan, r->direction, &r->input.array, &r->out);

    *seconds_p = stfi_clock() - began;
    return status;
}

static stf_status transform(const stfi_args *args, stfi_fft_run *r)
{
    double points;
    stf_status status = stf_plan_fft(r->dev, &r->job.desc, &r->plan);

    if (status == STF_OK)
        status = stfi_array_alloc(&r->out);
    if (status == STF_OK)
        status = stfi_repeat(args, transform_once, r, &r->time);
    if (status != STF_OK)
        return status;
    points = stfi_job_points(&r->job);
    r->gflops = 5e-9 * points * log2(points) * stfi_job_transforms(&r->job)
                / r->time.seconds * (r->job.desc.kind == STF_C2C ? 1.0 : 0.5);
    status = stf_plan_ft_report(r->plan, &r->checks);
    return status == STF_ERR_UNCORRECTED ? STF_OK : status;
}

/* Relative L2 distance of x * factor from `want`. The factor is applied here
 * and not by the plan, whose scale factors are doubles and too coarse for
 * F80. */
static double distance(const stfi_array *x, long double factor,
                       const stfi_array *want)
{
    int64_t count = stfi_array_count(want) * (want->complex ? 2 : 1);
    long double error = 0.0L, norm = 0.0L;

    for (int64_t i = 0; i < count; i++) {
        long double w = stfi_type_read(want->precision, want->data, i);
        long double d = factor * stfi_type_read(x->precision, x->data, i) - w;
        error += d * d;
        norm += w * w;
    }
    if (!isfinite(error))
        return INFINITY;
    return norm > 0.0L    ? (double)sqrtl(error / norm)
           : error > 0.0L ? INFINITY
                          : 0.0;
}

/* Transforms the result back and compares it with the input. */
static stf_status round_trip(stfi_fft_run *r)
{
    stfi_array back;
    stfi_job job;
    stf_plan *plan = NULL;
    long double gain =
        (long double)stfi_job_logical(&r->job) * r->job.desc.scale_forward;
    stf_direction back_to =
        r->direction == STF_FORWARD && !stfi_kind_is_r2r(r->job.desc.kind)
            ? STF_INVERSE
            : STF_FORWARD;
    stf_status status = stfi_job_reverse(&r->job, &r->out, &job, &back);

    if (status == STF_OK)
        status = stf_plan_fft(r->dev, &job.desc, &plan);
    if (status == STF_OK)
        status = stfi_array_alloc(&back);
    if (status == STF_OK) {
        status = stfi_job_run(&job, plan, back_to, &r->out, &back);
        if (status >= STF_OK)
            r->round_trip = distance(&back, 1.0L / gain, &r->input.array);
        stfi_array_free(&back);
    }
    stf_plan_destroy(plan);
    return status < STF_OK ? status : STF_OK;
}

/* Compares the result with a more precise transform. If there are too many
 * transforms, only evenly spaced ones are compared. */
static stf_status compare(stfi_fft_run *r, stfi_progress *progress)
{
    double excess =
        stfi_job_points(&r->job) * stfi_job_transforms(&r->job) / CHECK_POINTS;
    int64_t batch = r->job.desc.batch;
    int64_t every = excess > 1.0 ? (int64_t)ceil(excess) : 1;
    int64_t step = every / batch > 1 ? every / batch : 1;
    size_t in_bytes = stfi_array_element_bytes(&r->input.array);
    size_t out_bytes = stfi_array_element_bytes(&r->out);
    stfi_accuracy a;
    stf_fft_desc full;
    stf_status status = stfi_desc_complete(&r->job.desc, &full);

    stfi_accuracy_begin(&a, STFI_REFERENCE_AUTO);
    for (int64_t i = 0; i < r->job.slices && status == STF_OK; i += step) {
        int64_t from, to;
        stfi_job_offsets(&r->job, i, &from, &to);
        status = stfi_accuracy_add(
            &a, &full, r->direction,
            (const char *)r->input.array.data + from * (int64_t)in_bytes,
            (const char *)r->out.data + to * (int64_t)out_bytes,
            every < batch ? every : batch);
        stfi_progress_update(progress,
                             2.0 + 2.0 * (double)i / (double)r->job.slices,
                             "comparing");
    }
    if (status == STF_OK) {
        r->error = stfi_accuracy_error(&a);
        r->reference = a.reference;
        r->checked = (double)a.transforms;
    }
    r->bound = stfi_naive_bound(&full);
    stfi_accuracy_end(&a);
    return status;
}

/* Makes both measurements of accuracy. A missing reference (long double without
 * FFTW) is reported, but is no failure. */
static stf_status check(stfi_fft_run *r, stfi_progress *progress)
{
    stf_status status = STF_OK;

    r->round_trip = r->error = -1.0;
    r->failed = stfi_checks_unrepaired(&r->checks) > 0;
    if (!stfi_array_finite(&r->input.array)) {
        r->unchecked = "the input has infinities or NaNs";
        return STF_OK;
    }
    /* A half spectrum in a file need not be the spectrum of real data, and then
     * the round trip does not give it back. */
    if (r->job.desc.kind != STF_C2R)
        status = round_trip(r);
    if (status != STF_OK)
        return status;
    stfi_progress_update(progress, 2.0, "comparing");
    status = compare(r, progress);
    if (status == STF_ERR_IO || status == STF_ERR_UNSUPPORTED) {
        r->unchecked = stf_error_message();
        status = STF_OK;
    }
    r->failed = r->failed || r->error > r->bound
                || r->round_trip > stfi_fft_round_trip_bound(r);
    return status;
}

/* ------------------------------------------------------------ the results */

static stf_status write_results(const stfi_args *args, stfi_fft_run *r)
{
    const char *output = stfi_args_text(args, STFI_OPT_OUTPUT, NULL);
    const char *plot = stfi_args_text(args, STFI_OPT_PLOT, NULL);
    int forward = r->direction == STF_FORWARD;
    stf_status status = STF_OK;

    if (output != NULL)
        status = stfi_npy_write(output, &r->out);
    if (status == STF_OK)
        r->output = output;
    /* The spectrum is the output of a forward transform, and the input of an
     * inverse one. */
    if (status == STF_OK && plot != NULL)
        status = stfi_spectrum_plot(
            plot, forward ? &r->out : &r->input.array, r->job.axis,
            r->job.desc.n[r->job.desc.rank - 1], r->input.name);
    if (status == STF_OK)
        r->plot = plot;
    return status;
}

static stf_status work(const stfi_args *args, stfi_fft_run *r)
{
    stfi_progress progress;
    stf_status status;

    stfi_progress_begin(&progress, "fft", PHASES,
                        stfi_args_given(args, STFI_OPT_QUIET));
    status = prepare(args, r);
    if (status == STF_OK)
        status = stf_device_open(stfi_args_text(args, STFI_OPT_DEVICE, NULL),
                                 &r->dev);
    if (status == STF_OK)
        status = stf_device_query(r->dev, &r->info);
    stfi_progress_update(&progress, 0.5, "transforming");
    if (status == STF_OK)
        status = transform(args, r);
    stfi_progress_update(&progress, 1.0, "writing");
    if (status == STF_OK)
        status = write_results(args, r);
    stfi_progress_update(&progress, 1.5, "transforming back");
    if (status == STF_OK)
        status = check(r, &progress);
    stfi_progress_clear(&progress);
    return status;
}

/* Where to report: what standard output goes to may be one of the files. */
static FILE *report_file(const stfi_args *args)
{
    const char *output = stfi_args_text(args, STFI_OPT_OUTPUT, "");
    const char *plot = stfi_args_text(args, STFI_OPT_PLOT, "");

    return stfi_outfile_is_stdout(output) || stfi_outfile_is_stdout(plot)
               ? stderr
               : stdout;
}

static int run(const stfi_args *args)
{
    stfi_fft_run r = {0};
    stf_status status = work(args, &r);
    int result;

    if (status == STF_OK) {
        stfi_format format = stfi_format_of(args);
        if (!stfi_args_given(args, STFI_OPT_QUIET)
            || format != STFI_FORMAT_TEXT)
            stfi_fft_report(&r, format, report_file(args));
        if (stfi_checks_unrepaired(&r.checks) > 0)
            stfi_complain("soft errors were detected and not repaired");
        else if (r.failed)
            stfi_complain("the result is less accurate than its bound");
        result = r.failed ? STFI_EXIT_FAILED : STFI_EXIT_OK;
    } else {
        result = stfi_exit_of(status);
    }
    stf_plan_destroy(r.plan);
    stf_device_close(r.dev);
    stfi_array_free(&r.out);
    stfi_array_free(&r.input.array);
    return result;
}

static const stfi_opt options[] = {
    STFI_OPT_OUTPUT,  STFI_OPT_KIND,  STFI_OPT_INVERSE, STFI_OPT_AXES,
    STFI_OPT_N,       STFI_OPT_SCALE, STFI_OPT_SHAPE,   STFI_OPT_PRECISION,
    STFI_OPT_RANDOM,  STFI_OPT_SEED,  STFI_OPT_PLOT,    STFI_OPT_DEVICE,
    STFI_OPT_THREADS, STFI_OPTS_FT,   STFI_OPT_REPS,    STFI_OPT_CSV,
    STFI_OPT_JSON,    STFI_OPT_QUIET, STFI_OPT_HELP,    STFI_OPT_COUNT};

const stfi_command stfi_cmd_fft = {
    .name = "fft",
    .words = "[IN] [-o OUT]",
    .summary = "Transform a file, and measure how accurate that was",
    .notes = "IN is a .npy file of floating-point numbers, a sound file "
             "(each channel a\nsignal), or raw numbers with --shape. Real "
             "data become half spectra (r2c),\ncomplex data spectra (c2c). "
             "--n is the odd or even length that a c2r's last\naxis has; "
             "without it, the even one. With a kind for each axis, their order "
             "is that of\nthe axes. --precision converts the data first.",
    .max_words = 1,
    .options = options,
    .run = run,
};
