/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Solves A x = b by an LU factorisation in blocks, as LINPACK does, and checks
 * the result as LINPACK does. Nearly all of its work are matrix products,
 * A22 = A22 - L21 U12, which find and repair their own soft errors.
 *
 * Usage: lu [N [FAULTS]]: the order of A, and how many bits to flip on purpose,
 * each in a product of its own. Exit status 0 if the residual is small and
 * every fault was found. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steadfast.h"

enum { BLOCK = 32 };

/* A column-major matrix of order n, and the rows that were exchanged. */
typedef struct problem {
    int n;
    double *a, *factors, *b, *x;
    int *pivot;
} problem;

/* What the products found. */
typedef struct tally {
    long products, faults, detected, recomputed;
} tally;

static int fail(const char *what)
{
    fprintf(stderr, "lu: %s: %s\n", what, stf_error_message());
    return 0;
}

/* Random numbers from -0.5 to 0.5. */
static double draw(unsigned long long *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*state >> 11) * 0x1p-53 - 0.5;
}

static int make_problem(problem *p, int n)
{
    size_t elements = (size_t)n * (size_t)n;
    unsigned long long state = 1;

    p->n = n;
    p->a = malloc(elements * sizeof *p->a);
    p->factors = malloc(elements * sizeof *p->factors);
    p->b = malloc((size_t)n * sizeof *p->b);
    p->x = malloc((size_t)n * sizeof *p->x);
    p->pivot = malloc((size_t)n * sizeof *p->pivot);
    if (p->a == NULL || p->factors == NULL || p->b == NULL || p->x == NULL
        || p->pivot == NULL)
        return 0;
    for (size_t i = 0; i < elements; i++)
        p->a[i] = draw(&state);
    for (int i = 0; i < n; i++)
        p->b[i] = draw(&state);
    memcpy(p->factors, p->a, elements * sizeof *p->a);
    return 1;
}

static void free_problem(problem *p)
{
    free(p->a);
    free(p->factors);
    free(p->b);
    free(p->x);
    free(p->pivot);
}

/* ------------------------------------------------------------------ panels */

static void exchange_rows(double *a, int n, int i, int j)
{
    for (int col = 0; col < n && i != j; col++) {
        double t = a[i + (size_t)col * (size_t)n];
        a[i + (size_t)col * (size_t)n] = a[j + (size_t)col * (size_t)n];
        a[j + (size_t)col * (size_t)n] = t;
    }
}

static int largest_below(const double *column, int from, int n)
{
    int at = from;

    for (int i = from + 1; i < n; i++)
        if (fabs(column[i]) > fabs(column[at]))
            at = i;
    return at;
}

/* Factors columns [k, end), with exchanges of whole rows. Returns 0 if A is
 * singular. */
static int factor_panel(problem *p, int k, int end)
{
    const size_t n = (size_t)p->n;
    double *a = p->factors;

    for (int j = k; j < end; j++) {
        double *column = a + (size_t)j * n;
        p->pivot[j] = largest_below(column, j, p->n);
        exchange_rows(a, p->n, j, p->pivot[j]);
        if (column[j] == 0)
            return 0;
        for (int i = j + 1; i < p->n; i++)
            column[i] /= column[j];
        for (int c = j + 1; c < end; c++)
            for (int i = j + 1; i < p->n; i++)
                a[(size_t)i + (size_t)c * n] -=
                    column[i] * a[(size_t)j + (size_t)c * n];
    }
    return 1;
}

/* Solves L11 U12 = A12 in place. */
static void solve_rows(problem *p, int k, int end)
{
    const size_t n = (size_t)p->n;
    double *a = p->factors;

    for (int c = end; c < p->n; c++)
        for (int j = k; j < end; j++)
            for (int i = j + 1; i < end; i++)
                a[(size_t)i + (size_t)c * n] -=
                    a[(size_t)i + (size_t)j * n] * a[(size_t)j + (size_t)c * n];
}

/* ----------------------------------------------------------------- updates */

/* Flips the largest bit of the fraction of a sum, which rounding never does. */
static stf_status flip_a_bit(stf_plan *plan, const stf_gemm_desc *d)
{
    const stf_fault fault = {
        .element = d->m * d->n / 2, .stage = (int)d->k - 1, .bit = 61};

    return stf_plan_inject(plan, &fault, 1);
}

/* A22 = A22 - L21 U12 */
static int update(problem *p, stf_device *dev, int k, int end, int fault,
                  tally *t)
{
    const size_t n = (size_t)p->n;
    const double minus_one = -1, one = 1;
    double *a = p->factors;
    stf_gemm_desc d = stf_gemm_desc_default();
    stf_ft_report report;
    stf_plan *plan = NULL;
    stf_status status;

    d.precision = d.precision_c = STF_F64;
    d.m = d.n = p->n - end;
    d.k = end - k;
    d.lda = d.ldb = d.ldc = p->n;
    d.ft.mode = STF_FT_CORRECT;
    status = stf_plan_gemm(dev, &d, &plan);
    if (status == STF_OK && fault)
        status = flip_a_bit(plan, &d);
    if (status == STF_OK)
        status = stf_execute_gemm_host(plan, &minus_one,
                                       a + (size_t)end + (size_t)k * n,
                                       a + (size_t)k + (size_t)end * n, &one,
                                       a + (size_t)end + (size_t)end * n);
    if (status >= STF_OK) /* above: a soft error was found and repaired */
        status = stf_plan_ft_report(plan, &report);
    stf_plan_destroy(plan);
    if (status < STF_OK)
        return fail("a product");
    t->products++;
    t->faults += fault;
    t->detected += (long)report.detected;
    t->recomputed += (long)report.recomputed;
    return 1;
}

static int factor(problem *p, stf_device *dev, int faults, tally *t)
{
    for (int k = 0; k < p->n; k += BLOCK) {
        int end = k + BLOCK < p->n ? k + BLOCK : p->n;
        if (!factor_panel(p, k, end))
            return 0;
        solve_rows(p, k, end);
        if (end < p->n && !update(p, dev, k, end, t->faults < faults, t))
            return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------ result */

static void solve(problem *p)
{
    const size_t n = (size_t)p->n;
    const double *a = p->factors;
    double *x = p->x;

    memcpy(x, p->b, n * sizeof *x);
    for (int j = 0; j < p->n; j++) {
        double t = x[j];
        x[j] = x[p->pivot[j]];
        x[p->pivot[j]] = t;
    }
    for (int j = 0; j < p->n; j++)
        for (int i = j + 1; i < p->n; i++)
            x[i] -= a[(size_t)i + (size_t)j * n] * x[j];
    for (int j = p->n - 1; j >= 0; j--) {
        x[j] /= a[(size_t)j + (size_t)j * n];
        for (int i = 0; i < j; i++)
            x[i] -= a[(size_t)i + (size_t)j * n] * x[j];
    }
}

/* ||A x - b|| / (eps (||A|| ||x|| + ||b||) n) in the largest norm, which LINPACK
 * wants below 16. */
static double residual(const problem *p)
{
    double most = 0, norm_a = 0, norm_x = 0, norm_b = 0;

    for (int i = 0; i < p->n; i++) {
        double sum = -p->b[i], row = 0;
        for (int j = 0; j < p->n; j++) {
            double aij = p->a[(size_t)i + (size_t)j * (size_t)p->n];
            sum += aij * p->x[j];
            row += fabs(aij);
        }
        most = fmax(most, isnan(sum) ? INFINITY : fabs(sum));
        norm_a = fmax(norm_a, row);
        norm_x = fmax(norm_x, fabs(p->x[i]));
        norm_b = fmax(norm_b, fabs(p->b[i]));
    }
    return most / (DBL_EPSILON * (norm_a * norm_x + norm_b) * p->n);
}

static int run(problem *p, stf_device *dev, int faults)
{
    tally t = {0, 0, 0, 0};
    double r;

    if (!factor(p, dev, faults, &t))
        return 0;
    solve(p);
    r = residual(p);
    printf(
        "order %d: %ld products, %ld faults on purpose, %ld found, %ld tiles "
        "computed again\n"
        "residual %.4f, %s\n",
        p->n, t.products, t.faults, t.detected, t.recomputed, r,
        r < 16 ? "passed" : "FAILED");
    return r < 16 && t.detected >= t.faults;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 512;
    int faults = argc > 2 ? atoi(argv[2]) : 3, right;
    stf_device *dev = NULL;
    problem p = {0};

    if (n < 1) {
        fprintf(stderr, "usage: lu [N [FAULTS]]\n");
        return 2;
    }
    if (stf_device_open(NULL, &dev) != STF_OK)
        return !fail("no device");
    right = make_problem(&p, n) && run(&p, dev, faults);
    free_problem(&p);
    stf_device_close(dev);
    return right ? 0 : 1;
}
