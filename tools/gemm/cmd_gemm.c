/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast gemm`: multiplies matrices in files, and compares some elements with
 * the definition. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/type.h"
#include "gemm/gemm_desc.h"
#include "tools/command/command.h"
#include "tools/command/progress.h"
#include "tools/command/report_lines.h"
#include "tools/file/npy.h"
#include "tools/file/outfile.h"
#include "tools/gemm/gemm_run.h"

enum { PHASES = 4 };

/* ---------------------------------------------------------------- options */

static stf_status parse_scalar(const stfi_args *args, stfi_opt option,
                               const char *name, long double *scalar)
{
    const char *text = stfi_args_text(args, option, NULL);
    char *end;

    if (text == NULL)
        return STF_OK;
    *scalar = strtold(text, &end);
    return end != text && *end == '\0' && isfinite(*scalar)
               ? STF_OK
               : stfi_error(STF_ERR_ARGUMENT,
                            "--%s is \"%s\"; it must be a number", name, text);
}

/* Reads the factors: alpha is 1, and beta 1 or, without a C to add, 0. */
static stf_status parse_scalars(const stfi_args *args, stfi_gemm_run *r)
{
    const int adds = stfi_args_given(args, STFI_OPT_ADD);
    stf_status status;

    r->alpha = 1;
    r->beta = adds;
    if (!adds && stfi_args_given(args, STFI_OPT_BETA))
        return stfi_error(STF_ERR_ARGUMENT,
                          "--beta multiplies the C that --add names, and "
                          "there is no --add");
    status = parse_scalar(args, STFI_OPT_ALPHA, "alpha", &r->alpha);
    return status == STF_OK
               ? parse_scalar(args, STFI_OPT_BETA, "beta", &r->beta)
               : status;
}

/* Reads A and B, as they are or in the precision that is asked for. */
static stf_status read_factors(const stfi_args *args, stfi_gemm_run *r)
{
    const stf_precision wanted =
        (stf_precision)stfi_args_integer(args, STFI_OPT_PRECISION, STF_F32);
    const stf_precision *as =
        stfi_args_given(args, STFI_OPT_PRECISION) ? &wanted : NULL;
    stf_status status;

    if (args->nwords < 2)
        return stfi_error(STF_ERR_ARGUMENT,
                          "there is no %s; name two files, those of A and B",
                          args->nwords == 0 ? "input" : "B");
    if ((status = stfi_input_read(args, args->word[0], as, &r->a)) != STF_OK
        || (status = stfi_input_read(args, args->word[1], as, &r->b)) != STF_OK)
        return status;
    if (r->a.array.precision != r->b.array.precision)
        return stfi_error(STF_ERR_ARGUMENT,
                          "A is %s and B %s; --precision converts both",
                          stfi_type_get(r->a.array.precision)->name,
                          stfi_type_get(r->b.array.precision)->name);
    r->desc.precision = r->a.array.precision;
    r->desc.precision_c = (stf_precision)stfi_args_integer(
        args, STFI_OPT_PRECISION_C, r->desc.precision);
    return STF_OK;
}

/* Reads the C that is added, if there is one. */
static stf_status read_added(const stfi_args *args, stfi_gemm_run *r)
{
    const char *path = stfi_args_text(args, STFI_OPT_ADD, NULL);
    const int converts = stfi_args_given(args, STFI_OPT_PRECISION)
                         || stfi_args_given(args, STFI_OPT_PRECISION_C);
    stf_status status;

    if (path == NULL)
        return STF_OK;
    status = stfi_input_read(args, path, converts ? &r->desc.precision_c : NULL,
                             &r->c);
    if (status != STF_OK || r->c.array.precision == r->desc.precision_c)
        return status;
    return stfi_error(STF_ERR_ARGUMENT,
                      "C is %s, and the product %s; --precision or "
                      "--precision-c converts it",
                      stfi_type_get(r->c.array.precision)->name,
                      stfi_type_get(r->desc.precision_c)->name);
}

/* ----------------------------------------------------------------- shapes */

/* What a file has: `batch` matrices, of rank 3, or one, of rank 2. */
typedef struct shape {
    int rank;
    int64_t batch, rows, columns;
} shape;

static stf_status shape_of(const stfi_input *in, const char *name, int turned,
                           shape *shape_p)
{
    const stfi_array *a = &in->array;
    const int64_t *n = a->n + a->rank - 2;
    char text[320];

    stfi_array_print(a, text, sizeof text);
    if (a->complex)
        return stfi_error(STF_ERR_ARGUMENT,
                          "%s is %s; matrix products are of real numbers", name,
                          text);
    if (a->rank != 2 && a->rank != 3)
        return stfi_error(STF_ERR_ARGUMENT,
                          "%s is %s; a matrix has two axes, and a batch of "
                          "them three",
                          name, text);
    *shape_p = (shape){.rank = a->rank,
                       .batch = a->rank == 3 ? a->n[0] : 1,
                       .rows = n[turned],
                       .columns = n[!turned]};
    return STF_OK;
}

static stf_status check_factors(const shape *a, const shape *b)
{
    if (a->columns != b->rows)
        return stfi_error(STF_ERR_ARGUMENT,
                          "op(A) is %lldx%lld and op(B) %lldx%lld: the first "
                          "must have as many columns as the second has rows",
                          (long long)a->rows, (long long)a->columns,
                          (long long)b->rows, (long long)b->columns);
    if (a->batch != b->batch && a->batch != 1 && b->batch != 1)
        return stfi_error(STF_ERR_ARGUMENT,
                          "there are %lld matrices A and %lld matrices B; one "
                          "for all, or as many of both, can be multiplied",
                          (long long)a->batch, (long long)b->batch);
    return STF_OK;
}

/* Decides what is multiplied, and the shape of the result. A single matrix is that
 * of the whole batch. */
static stf_status take_shapes(const stfi_args *args, stfi_gemm_run *r)
{
    const int turn_a = stfi_args_given(args, STFI_OPT_TRANSPOSE_A);
    const int turn_b = stfi_args_given(args, STFI_OPT_TRANSPOSE_B);
    stf_gemm_desc *d = &r->desc;
    shape a, b;
    stf_status status = shape_of(&r->a, "A", turn_a, &a);

    if (status == STF_OK)
        status = shape_of(&r->b, "B", turn_b, &b);
    if (status == STF_OK)
        status = check_factors(&a, &b);
    if (status != STF_OK)
        return status;
    d->order = STF_ROW_MAJOR;
    d->transa = turn_a ? STF_TRANS : STF_NOTRANS;
    d->transb = turn_b ? STF_TRANS : STF_NOTRANS;
    d->m = a.rows;
    d->n = b.columns;
    d->k = a.columns;
    d->batch = a.batch > b.batch ? a.batch : b.batch;
    d->dist_a = a.batch < d->batch ? STF_SHARED : 0;
    d->dist_b = b.batch < d->batch ? STF_SHARED : 0;
    r->out = (stfi_array){.precision = d->precision_c,
                          .rank = a.rank > b.rank ? a.rank : b.rank,
                          .n = {d->batch}};
    r->out.n[r->out.rank - 2] = d->m;
    r->out.n[r->out.rank - 1] = d->n;
    return STF_OK;
}

static stf_status check_added(const stfi_gemm_run *r)
{
    const stfi_array *c = &r->c.array, *out = &r->out;
    char text[320], wanted[320];

    if (r->c.name == NULL
        || (!c->complex && c->rank == out->rank
            && memcmp(c->n, out->n, (size_t)out->rank * sizeof *c->n) == 0))
        return STF_OK;
    stfi_array_print(c, text, sizeof text);
    stfi_array_print(out, wanted, sizeof wanted);
    return stfi_error(STF_ERR_ARGUMENT, "C is %s, and the product %s", text,
                      wanted);
}

/* Reads the matrices and decides what to do with them. */
static stf_status prepare(const stfi_args *args, stfi_gemm_run *r)
{
    const char *output = stfi_args_text(args, STFI_OPT_OUTPUT, NULL);
    stf_status status = STF_OK;

    r->desc = stf_gemm_desc_default();
    if (output != NULL)
        status = stfi_outfile_check(output);
    if (status != STF_OK || (status = parse_scalars(args, r)) != STF_OK
        || (status = read_factors(args, r)) != STF_OK
        || (status = read_added(args, r)) != STF_OK
        || (status = take_shapes(args, r)) != STF_OK
        || (status = check_added(r)) != STF_OK)
        return status;
    r->desc.compute = (stf_compute)stfi_args_integer(args, STFI_OPT_COMPUTE, 0);
    r->desc.threads = (int32_t)stfi_args_integer(args, STFI_OPT_THREADS, 0);
    return stfi_args_protection(args, STF_FT_DEFAULT, &r->desc.ft);
}

/* --------------------------------------------------------------- the work */

/* A number of any precision. */
typedef union scalar {
    float f32;
    double f64;
    long double f80;
} scalar;

/* Rounds a factor to the precision that is computed in. */
static scalar to_arithmetic(const stfi_gemm_run *r, long double *x)
{
    const stf_precision math = stfi_type_arithmetic(r->desc.precision)->id;
    scalar s;

    stfi_type_write(math, &s, 0, *x);
    *x = stfi_type_read(math, &s, 0);
    return s;
}

/* Each execution begins with C as it was, which is no part of its time. */
static stf_status multiply(void *arg, double *seconds_p)
{
    stfi_gemm_run *r = arg;
    const scalar alpha = to_arithmetic(r, &r->alpha);
    const scalar beta = to_arithmetic(r, &r->beta);
    size_t bytes;
    double began;
    stf_status status = stfi_array_bytes(&r->out, &bytes);

    if (status != STF_OK)
        return status;
    if (r->c.name != NULL)
        memcpy(r->out.data, r->c.array.data, bytes);
    began = stfi_clock();
    status = stf_execute_gemm_host(r->plan, &alpha, r->a.array.data,
                                   r->b.array.data, &beta, r->out.data);
    *seconds_p = stfi_clock() - began;
    r->executed++;
    return status;
}

static stf_status execute(const stfi_args *args, stfi_gemm_run *r)
{
    const stf_gemm_desc *d = &r->desc;
    stf_status status = stf_plan_gemm(r->dev, d, &r->plan);

    if (status == STF_OK)
        status = stfi_array_alloc(&r->out);
    if (status == STF_OK)
        status = stfi_repeat(args, multiply, r, &r->time);
    if (status != STF_OK)
        return status;
    r->gflops = 2e-9 * (double)d->m * (double)d->n * (double)d->k
                * (double)d->batch / r->time.seconds;
    status = stf_plan_ft_report(r->plan, &r->checks);
    return status == STF_ERR_UNCORRECTED ? STF_OK : status;
}

static int is_finite(const stfi_gemm_run *r)
{
    return stfi_array_finite(&r->a.array) && stfi_array_finite(&r->b.array)
           && (r->c.name == NULL || stfi_array_finite(&r->c.array));
}

/* Compares some elements with the definition. */
static stf_status check(stfi_gemm_run *r)
{
    scalar alpha = to_arithmetic(r, &r->alpha);
    scalar beta = to_arithmetic(r, &r->beta);
    stfi_naive_gemm naive = {
        .alpha = &alpha, .a = r->a.array.data, .b = r->b.array.data};
    stf_gemm_desc full;
    stf_status status = stfi_gemm_desc_complete(&r->desc, &full);

    r->failed = stfi_checks_unrepaired(&r->checks) > 0;
    if (status != STF_OK)
        return status;
    if (!is_finite(r)) {
        r->unchecked = "the input has infinities or NaNs";
        return STF_OK;
    }
    naive.full = &full;
    naive.beta = &beta;
    naive.c = r->c.array.data;
    naive.cuts = stfi_gemm_cuts(r->plan);
    r->accuracy = stfi_gemm_compare(&naive, r->out.data);
    if (r->accuracy.samples == 0)
        r->unchecked = "the elements that were looked at have overflowed";
    r->failed = r->failed || r->accuracy.outside;
    return STF_OK;
}

static stf_status work(const stfi_args *args, stfi_gemm_run *r)
{
    const char *output = stfi_args_text(args, STFI_OPT_OUTPUT, NULL);
    stfi_progress progress;
    stf_status status;

    stfi_progress_begin(&progress, "gemm", PHASES,
                        stfi_args_given(args, STFI_OPT_QUIET));
    status = prepare(args, r);
    if (status == STF_OK)
        status = stf_device_open(stfi_args_text(args, STFI_OPT_DEVICE, NULL),
                                 &r->dev);
    if (status == STF_OK)
        status = stf_device_query(r->dev, &r->info);
    stfi_progress_update(&progress, 1.0, "multiplying");
    if (status == STF_OK)
        status = execute(args, r);
    stfi_progress_update(&progress, 2.0, "writing");
    if (status == STF_OK && output != NULL)
        status = stfi_npy_write(output, &r->out);
    r->output = output;
    stfi_progress_update(&progress, 3.0, "comparing");
    if (status == STF_OK)
        status = check(r);
    stfi_progress_clear(&progress);
    return status;
}

/* Reports on standard output, unless that is what the result goes to. */
static void report(const stfi_args *args, const stfi_gemm_run *r)
{
    const int to_stdout =
        stfi_outfile_is_stdout(stfi_args_text(args, STFI_OPT_OUTPUT, ""));
    const int counters = stfi_args_given(args, STFI_OPT_REPORT);
    FILE *file = to_stdout ? stderr : stdout;
    const stfi_format format = stfi_format_of(args);

    if (!stfi_args_given(args, STFI_OPT_QUIET) || format != STFI_FORMAT_TEXT)
        stfi_gemm_report(r, format, counters, file);
    else if (counters)
        stfi_gemm_report_counters(r, file);
    if (stfi_checks_unrepaired(&r->checks) > 0)
        stfi_complain("soft errors were detected and not repaired");
    else if (r->failed)
        stfi_complain("the result is less accurate than its bound");
}

static int run(const stfi_args *args)
{
    stfi_gemm_run r = {.executed = 0};
    stf_status status = work(args, &r);
    int result = STFI_EXIT_FAILED;

    if (status == STF_OK)
        report(args, &r);
    if (status != STF_OK)
        result = stfi_exit_of(status);
    else if (!r.failed)
        result = STFI_EXIT_OK;
    stf_plan_destroy(r.plan);
    stf_device_close(r.dev);
    stfi_array_free(&r.out);
    stfi_array_free(&r.a.array);
    stfi_array_free(&r.b.array);
    stfi_array_free(&r.c.array);
    return result;
}

static const stfi_opt options[] = {
    STFI_OPT_OUTPUT,    STFI_OPT_TRANSPOSE_A, STFI_OPT_TRANSPOSE_B,
    STFI_OPT_ALPHA,     STFI_OPT_ADD,         STFI_OPT_BETA,
    STFI_OPT_PRECISION, STFI_OPT_PRECISION_C, STFI_OPT_COMPUTE,
    STFI_OPT_DEVICE,    STFI_OPT_THREADS,     STFI_OPTS_FT,
    STFI_OPT_REPORT,    STFI_OPT_REPS,        STFI_OPT_CSV,
    STFI_OPT_JSON,      STFI_OPT_QUIET,       STFI_OPT_HELP,
    STFI_OPT_COUNT};

const stfi_command stfi_cmd_gemm = {
    .name = "gemm",
    .words = "A B [-o OUT]",
    .summary = "Multiply matrices in files, and compare with the definition",
    .notes = "OUT = alpha op(A) op(B) + beta C, where op() is a transpose if "
             "it is asked for.\nA, B and C are files as fft reads them, of "
             "real numbers of one type: matrices\n(rows, columns), or batches "
             "of them (number, rows, columns), where one matrix\nstands for "
             "all of a batch. --precision converts them first.",
    .max_words = 2,
    .options = options,
    .run = run,
};
