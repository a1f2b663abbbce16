/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a matrix product must do with special values, sizes and places: mostly
 * what BLAS says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "tests/gemm/rig.h"
#include "tests/gemm/trap_rows.h"
#include "tests/tap.h"

enum { M = 37, N = 29, K = 19 };

static stf_gemm_desc square(int64_t m, int64_t n, int64_t k)
{
    stf_gemm_desc d = stf_gemm_desc_default();

    d.m = m;
    d.n = n;
    d.k = k;
    return d;
}

/* Makes arrays and plan of a descriptor. */
static int open_rig(stf_device *dev, const stf_gemm_desc *d, rig *r,
                    stf_plan **plan_p)
{
    *plan_p = NULL;
    return rig_make(r, d, 0, -1, tap_seed())
           && stf_plan_gemm(dev, d, plan_p) == STF_OK;
}

static void close_rig(rig *r, stf_plan *plan)
{
    stf_plan_destroy(plan);
    rig_free(r);
}

/* ------------------------------------------------------------------- sizes */

/* Without elements there is nothing to do and nothing to point to. */
static void test_empty(stf_device *dev)
{
    static const int64_t sizes[][3] = {{0, 5, 5}, {5, 0, 5}, {0, 0, 0}};
    const float one = 1, two = 2;
    float c[6] = {1, 2, 3, 4, 5, 6};
    stf_gemm_desc d = square(2, 3, 0);
    stf_plan *plan = NULL;

    for (int i = 0; i < 3; i++) {
        stf_gemm_desc e = square(sizes[i][0], sizes[i][1], sizes[i][2]);
        tap_ok(stf_plan_gemm(dev, &e, &plan) == STF_OK
                   && stf_execute_gemm(plan, NULL, NULL, NULL, NULL, NULL)
                          == STF_OK,
               "m %d, n %d: nothing to do", (int)e.m, (int)e.n);
        stf_plan_destroy(plan);
    }
    tap_ok(stf_plan_gemm(dev, &d, &plan) == STF_OK
               && stf_execute_gemm(plan, &one, NULL, NULL, &two, c) == STF_OK
               && c[0] == 2 && c[5] == 12,
           "k = 0: C = beta C, without A and B");
    stf_plan_destroy(plan);
}

/* Leading dimensions and offsets beyond 2^31 elements: memory that is reserved,
 * of which only a few pages are touched. */
static void test_far(stf_device *dev)
{
    enum { FAR = 3 };
    const int64_t ld = (int64_t)1 << 31;
    const size_t bytes = ((size_t)ld * (FAR - 1) + 64) * sizeof(float);
    const float one = 1, zero = 0;
    stf_gemm_desc d = square(2, FAR, FAR);
    stf_plan *plan = NULL;
    float *far[3];
    int right;

    for (int i = 0; i < 3; i++)
        far[i] = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (far[0] == MAP_FAILED || far[1] == MAP_FAILED || far[2] == MAP_FAILED) {
        tap_skip("no room to reserve", "offsets beyond 2^31");
    } else {
        d.lda = d.ldb = d.ldc = ld;
        for (int64_t j = 0; j < FAR; j++)
            for (int64_t i = 0; i < FAR; i++) {
                far[0][i + j * ld] = (float)(i + j);
                far[1][i + j * ld] = i == j ? 2 : 0;
            }
        right = stf_plan_gemm(dev, &d, &plan) == STF_OK
                && stf_execute_gemm(plan, &one, far[0], far[1], &zero, far[2])
                       == STF_OK;
        for (int64_t j = 0; j < FAR; j++)
            for (int64_t i = 0; i < FAR; i++)
                right &= far[2][i + j * ld] == (i < 2 ? 2 * (float)(i + j) : 0);
        tap_ok(right, "leading dimensions of 2^31 elements");
        stf_plan_destroy(plan);
    }
    for (int i = 0; i < 3; i++)
        if (far[i] != MAP_FAILED)
            munmap(far[i], bytes);
}

/* ---------------------------------------------------------------- overlaps */

/* Matrices in one array of 64 x 64 elements, at different places. */
static void test_overlaps(stf_device *dev)
{
    enum { LD = 64 };
    const struct {
        const char *what;
        int64_t a, b, c; /* where these begin */
        stf_status status;
    } rows[] = {
        {"parts of one matrix, as LU has them", 8, 8 * LD, 8 + 8 * LD, STF_OK},
        {"A and B may be the same", 8, 8, 40 * LD, STF_OK},
        {"C below A", 0, 32, 8, STF_OK},
        {"C in the last row of A", 0, 32, 7, STF_ERR_ARGUMENT},
        {"C right of A", 0, 32, 8 * LD, STF_OK},
        {"C in the last column of A", 0, 32, 7 * LD, STF_ERR_ARGUMENT},
        {"C in B", 0, 32, 32 - 7 + 7 * LD, STF_ERR_ARGUMENT},
        {"C is A", 0, 32, 0, STF_ERR_ARGUMENT},
    };
    const float one = 1, zero = 0;
    stf_gemm_desc d = square(8, 8, 8);
    stf_plan *plan = NULL;
    float *all = calloc(LD * LD, sizeof *all);

    d.lda = d.ldb = d.ldc = LD;
    if (!tap_ok(all != NULL && stf_plan_gemm(dev, &d, &plan) == STF_OK,
                "a product of parts of an array is planned")) {
        free(all);
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tap_ok(stf_execute_gemm(plan, &one, all + rows[i].a, all + rows[i].b,
                                &zero, all + rows[i].c)
                       == rows[i].status
                   && (rows[i].status == STF_OK
                       || strstr(stf_error_message(), "shares elements")),
               "%s: %s", rows[i].what, stf_status_name(rows[i].status));
    tap_ok(stf_execute_gemm(plan, &zero, all, all, &one, all) == STF_OK,
           "what is not read may be anywhere");
    stf_plan_destroy(plan);
    free(all);
}

/* ------------------------------------------------------------- allocations */

static void test_allocations(stf_device *dev)
{
    stf_gemm_desc d = square(M, N, 1000);
    stf_plan *plan = NULL;
    rig r;

    if (!tap_ok(open_rig(dev, &d, &r, &plan) && stf_plan_workspace(plan) > 0,
                "a plan with a workspace"))
        return;
    stfi_alloc_fail_at(0);
    tap_ok(rig_execute(&r, plan) == STF_OK && stfi_alloc_fail_at(0) == 0,
           "execution allocates nothing");
    close_rig(&r, plan);
    for (long at = 1; at < 20; at++) {
        stf_status status;
        plan = NULL;
        stfi_alloc_fail_at(at);
        status = stf_plan_gemm(dev, &d, &plan);
        stfi_alloc_fail_at(0);
        if (status == STF_OK) {
            tap_ok(at > 2, "a plan is made of %ld allocations", at - 1);
            stf_plan_destroy(plan);
            return;
        }
        tap_ok(status == STF_ERR_MEMORY && plan == NULL,
               "allocation %ld fails: %s", at, stf_error_message());
    }
    tap_ok(0, "a plan is made in the end");
}

/* With a workspace of the caller's. */
static void test_workspace(stf_device *dev)
{
    stf_gemm_desc d = square(M, N, 700);
    stf_plan *plan = NULL;
    void *work = NULL;
    rig_result found;
    rig r;

    tap_ok(open_rig(dev, &d, &r, &plan)
               && stf_malloc(dev, stf_plan_workspace(plan), &work) == STF_OK
               && stf_execute_gemm_on(plan, &r.alpha, r.at[RIG_A], r.at[RIG_B],
                                      &r.beta, r.at[RIG_C], work, NULL)
                      == STF_OK,
           "a product in a workspace of the caller's");
    found = rig_compare(&r);
    tap_ok(found.bound <= 1 && !found.touched, "is right");
    rig_restore(&r);
    tap_ok(stf_execute_gemm_host(plan, &r.alpha, r.at[RIG_A], r.at[RIG_B],
                                 &r.beta, r.at[RIG_C])
               == STF_OK,
           "a product of host arrays");
    found = rig_compare(&r);
    tap_ok(found.bound <= 1 && !found.touched, "is right");
    stf_free(dev, work);
    close_rig(&r, plan);
}

int main(void)
{
    stf_device *dev = NULL;

    tap_begin("gemm/traps");
    if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "the cpu device opens"))
        return tap_end();
    traps_on(dev, "cpu", 1);
    test_empty(dev);
    test_far(dev);
    test_overlaps(dev);
    test_allocations(dev);
    test_workspace(dev);
    stf_device_close(dev);
    return tap_end();
}
