/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Times matrix products; see bench_gemm.h. Plans and the peer are measured
 * alternately on the same arrays, and results are compared with the definition
 * in some elements. */
#include "tools/bench/bench_gemm.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/type.h"
#include "gemm/gemm_desc.h"
#include "run/queue.h"
#include "support/oracle/naive_gemm.h"
#include "support/peers/gemm_peer.h"
#include "support/problem/distribution.h"
#include "support/problem/gemm_problem.h"
#include "tools/bench/gemm_suite.h"
#include "tools/command/command.h"
#include "tools/command/protections.h"
#include "tools/command/stats.h"
#include "tools/command/table.h"

enum { LIB, DEVICE, PROBLEM, FT, MS, GFLOPS, ERROR, RATIO, COST, COLUMNS };

enum { A, B, C, ARRAYS };
enum { MOST_ROUNDS = 101, DEFAULT_ROUNDS = 7, SAMPLES = 64 };

static const double ROUND_SECONDS = 0.05;

static const stfi_column columns[COLUMNS] = {
    [LIB] = {"lib", 0, 9},
    [DEVICE] = {"device", 0, 6},
    [PROBLEM] = {"problem", 0, 34},
    [FT] = {"ft", 0, 7},
    [MS] = {"ms", 1, 10},
    [GFLOPS] = {"gflops", 1, 8},
    [ERROR] = {"error_of_usual", 1, 0}, /* of naive_gemm.h */
    [RATIO] = {"ratio_to_peer", 1, 0},
    [COST] = {"cost_percent", 1, 0},
};

/* One who computes the product: one of our plans, or the peer. */
typedef struct runner {
    const struct bench *bench;
    stf_plan *plan; /* NULL: the peer */
    const char *ft;
    int count; /* executions of a round */
    double seconds[MOST_ROUNDS];
    double median, error;
} runner;

typedef struct bench {
    stf_device *dev;
    stf_device_info info;
    stfi_gemm_peer *peer;
    const char *peer_name;
    stfi_protections protections;
    int rounds, threads;
    stf_gemm_desc full;
    void *host[ARRAYS], *array[ARRAYS];
    size_t bytes[ARRAYS];
    runner runner[STFI_MAX_PROTECTIONS + 1];
    int runners;
    stfi_table table;
    stfi_gemm_means means;
} bench;

/* ------------------------------------------------------------------ arrays */

static int64_t elements_of(const stf_gemm_desc *d, int array)
{
    const int64_t each[] = {d->m * d->k, d->k * d->n, d->m * d->n};

    return each[array] * d->batch;
}

static void free_arrays(bench *b)
{
    for (int i = 0; i < ARRAYS; i++) {
        stf_free(b->dev, b->array[i]);
        free(b->host[i]);
        b->array[i] = b->host[i] = NULL;
    }
}

/* Uniform random numbers from -1 to 1. */
static stf_status make_arrays(bench *b, uint64_t seed)
{
    stf_status status = STF_OK;

    for (int i = 0; i < ARRAYS && status == STF_OK; i++) {
        const int64_t count = elements_of(&b->full, i);
        const stf_precision type =
            i == C ? b->full.precision_c : b->full.precision;
        b->bytes[i] = (size_t)count * stfi_type_get(type)->bytes;
        b->host[i] = malloc(b->bytes[i]);
        if (b->host[i] == NULL)
            return STF_ERR_MEMORY;
        for (int64_t j = 0; j < count; j++)
            stfi_type_write(type, b->host[i], j,
                            stfi_random_uniform(-1, 1, &seed));
        status = stf_malloc(b->dev, b->bytes[i], &b->array[i]);
        if (status == STF_OK)
            status = b->dev->backend->device->mem_copy(b->dev->ctx, b->array[i],
                                                       b->host[i], b->bytes[i],
                                                       STFI_TO_DEVICE, NULL);
    }
    return status;
}

/* The largest error of some elements of the result. */
static double error_of(bench *b)
{
    static const long double one = 1, zero = 0;
    const stf_gemm_desc *d = &b->full;
    union {
        float f;
        double d;
        long double l;
    } alpha, beta;
    const stfi_naive_gemm naive = {d,     &alpha,     b->host[A], b->host[B],
                                   &beta, b->host[C], 0};
    uint64_t state = 1;
    double worst = 0;

    stfi_type_write(stfi_type_arithmetic(d->precision)->id, &alpha, 0, one);
    stfi_type_write(stfi_type_arithmetic(d->precision)->id, &beta, 0, zero);
    if (b->dev->backend->device->mem_copy(b->dev->ctx, b->host[C], b->array[C],
                                          b->bytes[C], STFI_TO_HOST, NULL)
        != STF_OK)
        return NAN;
    for (int s = 0; s < SAMPLES; s++) {
        const int64_t m =
            (int64_t)(stfi_random_u64(&state) % (uint64_t)d->batch);
        const int64_t i = (int64_t)(stfi_random_u64(&state) % (uint64_t)d->m);
        const int64_t j = (int64_t)(stfi_random_u64(&state) % (uint64_t)d->n);
        const stfi_naive_element e = stfi_naive_gemm_at(&naive, m, i, j);
        const long double x = stfi_type_read(
            d->precision_c, b->host[C], stfi_naive_gemm_place(d, 'c', m, i, j));
        const double error = (double)(fabsl(x - e.value) / e.usual);
        worst = !(error <= worst) ? error : worst;
    }
    return worst;
}

/* ------------------------------------------------------------------ timing */

static stf_status execute(void *arg, void *stream)
{
    static const float one = 1, zero = 0;
    static const double one_wide = 1, zero_wide = 0;
    static const long double one_long = 1, zero_long = 0;
    const runner *r = arg;
    const bench *b = r->bench;
    const void *ones[] = {&one, &one_wide, &one_long};
    const void *zeros[] = {&zero, &zero_wide, &zero_long};
    const stf_precision math = stfi_type_arithmetic(b->full.precision)->id;
    const int type = math == STF_F32 ? 0 : math == STF_F64 ? 1 : 2;

    stf_status status;

    if (r->plan == NULL)
        return stfi_gemm_peer_execute(b->peer, &b->full, b->array[A],
                                      b->array[B], b->array[C], stream);
    status = stf_execute_gemm_on(r->plan, ones[type], b->array[A], b->array[B],
                                 zeros[type], b->array[C], NULL, stream);
    return status > STF_OK ? STF_OK : status; /* a fault was repaired */
}

static stf_status time_all(bench *b)
{
    stf_status status = STF_OK;
    double seconds = 0;

    for (int i = 0; i < b->runners && status == STF_OK; i++) {
        runner *r = &b->runner[i];
        status = stfi_time_work(b->dev, execute, r, 1, 0, &seconds);
        if (status == STF_OK)
            r->error = error_of(b);
        if (status == STF_OK)
            status = stfi_time_work(b->dev, execute, r, 1, 0, &seconds);
        r->count = seconds < ROUND_SECONDS
                       ? (int)(ROUND_SECONDS / (seconds + 1e-6)) + 1
                       : 1;
    }
    for (int round = 0; round < b->rounds; round++)
        for (int i = 0; i < b->runners && status == STF_OK; i++) {
            runner *r = &b->runner[i];
            status = stfi_time_work(b->dev, execute, r, r->count, 0, &seconds);
            r->seconds[round] = seconds / r->count;
        }
    for (int i = 0; i < b->runners && status == STF_OK; i++)
        b->runner[i].median = stfi_median(b->runner[i].seconds, b->rounds);
    return status;
}

/* ----------------------------------------------------------------- results */

static void print_row(bench *b, const runner *r)
{
    const stf_gemm_desc *d = &b->full;
    const runner *first = &b->runner[0], *last = &b->runner[b->runners - 1];
    const double flops =
        2e-9 * (double)d->m * (double)d->n * (double)d->k * (double)d->batch;
    char cell[COLUMNS][STFI_CELL_BYTES] = {{0}};

    snprintf(cell[LIB], STFI_CELL_BYTES, "%s",
             r->plan != NULL ? "steadfast" : b->peer_name);
    snprintf(cell[DEVICE], STFI_CELL_BYTES, "%s", b->info.name);
    stfi_gemm_print(d, cell[PROBLEM], STFI_CELL_BYTES);
    snprintf(cell[FT], STFI_CELL_BYTES, "%s", r->ft);
    snprintf(cell[MS], STFI_CELL_BYTES, "%.6g", r->median * 1e3);
    snprintf(cell[GFLOPS], STFI_CELL_BYTES, "%.5g", flops / r->median);
    snprintf(cell[ERROR], STFI_CELL_BYTES, "%.3f", r->error);
    if (last->plan == NULL && r != last)
        snprintf(cell[RATIO], STFI_CELL_BYTES, "%.4f",
                 last->median / r->median);
    if (r != first && r->plan != NULL && strcmp(first->ft, "off") == 0)
        snprintf(cell[COST], STFI_CELL_BYTES, "%.1f",
                 100 * (r->median / first->median - 1));
    stfi_table_row(&b->table, cell);
    fflush(stdout);
}

static stf_status add_plans(bench *b, stf_gemm_desc *d)
{
    for (int i = 0; i < b->protections.count; i++) {
        const stfi_protection *p = &b->protections.item[i];
        runner *r = &b->runner[b->runners];
        stf_status status;
        d->ft = p->ft;
        memset(r, 0, sizeof *r);
        status = stf_plan_gemm(b->dev, d, &r->plan);
        if (status == STF_ERR_UNSUPPORTED && p->optional)
            continue;
        if (status != STF_OK)
            return status;
        r->bench = b;
        r->ft = p->ft.mode == STF_FT_DEFAULT ? "default" : p->name;
        b->runners++;
    }
    return STF_OK;
}

/* Adds what was measured to the means of a group. */
static void add_means(bench *b, const char *group)
{
    const runner *first = &b->runner[0], *last = &b->runner[b->runners - 1];

    for (int i = 0; i < b->runners; i++) {
        const runner *r = &b->runner[i];
        if (r->plan != NULL)
            stfi_gemm_means_add(
                &b->means, group, r->ft, r->median / first->median,
                last->plan == NULL ? last->median / r->median : 0);
    }
}

static stf_status bench_one(bench *b, const stfi_listed *item, uint64_t seed)
{
    stf_gemm_desc d = item->product;
    stf_status status;

    b->runners = 0;
    d.threads = b->threads;
    status = stfi_gemm_desc_complete(&d, &b->full);
    if (status == STF_OK)
        status = make_arrays(b, seed);
    if (status == STF_OK)
        status = add_plans(b, &d);
    if (status == STF_OK && b->peer != NULL
        && stfi_gemm_peer_can(b->peer, &b->full))
        b->runner[b->runners++] = (runner){.bench = b, .ft = "off"};
    if (status == STF_OK)
        status = time_all(b);
    for (int i = 0; i < b->runners; i++) {
        if (status == STF_OK)
            print_row(b, &b->runner[i]);
    }
    if (status == STF_OK && item->group[0] != '\0')
        add_means(b, item->group);
    for (int i = 0; i < b->runners; i++)
        stf_plan_destroy(b->runner[i].plan);
    free_arrays(b);
    return status;
}

/* ----------------------------------------------------------------- session */

static stf_status open_bench(const stfi_args *args, bench *b)
{
    stf_status status =
        stf_device_open(stfi_args_text(args, STFI_OPT_DEVICE, NULL), &b->dev);

    if (status == STF_OK)
        status = stf_device_query(b->dev, &b->info);
    if (status != STF_OK)
        return status;
    b->rounds = (int)stfi_args_integer(args, STFI_OPT_REPS, DEFAULT_ROUNDS);
    if (b->rounds > MOST_ROUNDS)
        b->rounds = MOST_ROUNDS;
    b->threads = (int)stfi_args_integer(args, STFI_OPT_THREADS, 0);
    b->protections = stfi_gemm_protections_of(
        args, stfi_gemm_suite_is(stfi_args_text(args, STFI_OPT_SUITE, "")));
    b->peer_name = stfi_args_text(args, STFI_OPT_PEER, NULL);
    return b->peer_name == NULL
               ? STF_OK
               : stfi_gemm_peer_open(b->peer_name, b->info.name, b->threads,
                                     &b->peer);
}

/* Measures one after the other. Returns the status of the last one that failed,
 * which is no reason not to go on. */
static stf_status run_list(bench *b, const stfi_args *args,
                           const stfi_problems *products)
{
    const uint64_t seed = (uint64_t)stfi_args_integer(args, STFI_OPT_SEED, 1);
    stf_status failure = STF_OK;

    stfi_table_begin(&b->table, stdout, stfi_format_of(args), columns, COLUMNS);
    for (int i = 0; i < products->count; i++) {
        char word[STFI_CELL_BYTES];
        const stf_status one = bench_one(b, &products->item[i], seed);

        if (one == STF_OK)
            continue;
        stfi_listed_print(&products->item[i], word, sizeof word);
        stfi_complain("%s: %s", word, stf_error_message());
        failure = one;
    }
    stfi_table_end(&b->table);
    return failure;
}

int stfi_bench_gemm(const stfi_args *args, const stfi_problems *products)
{
    bench *b = stfi_session(sizeof *b);
    stf_status status, failure = STF_OK;

    if (b == NULL)
        return STFI_EXIT_FAILED;
    status = open_bench(args, b);
    if (status == STF_OK)
        failure = run_list(b, args, products);
    if (!stfi_args_given(args, STFI_OPT_QUIET))
        stfi_gemm_means_print(
            &b->means,
            stfi_format_of(args) == STFI_FORMAT_TEXT ? stdout : stderr);
    stfi_gemm_peer_close(b->peer);
    stf_device_close(b->dev);
    free(b);
    return status != STF_OK              ? stfi_exit_of(status)
           : failure == STF_ERR_ARGUMENT ? STFI_EXIT_USAGE
           : failure != STF_OK           ? STFI_EXIT_FAILED
                                         : STFI_EXIT_OK;
}
