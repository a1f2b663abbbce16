/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Products without a plan: arguments as cblas has them, plans that the device
 * keeps, calls from several threads, and nothing left at the end. */
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "steadfast.h"
#include "tests/tap.h"

enum { M = 5, N = 7, K = 3, LD = 9 };

/* C of one element, in either order, by the definition. */
#define DEFINE_TEST(name, call, real)                                         \
    static int name(stf_device *dev, stf_order order, stf_transpose ta,       \
                    stf_transpose tb)                                         \
    {                                                                         \
        real a[LD * LD], b[LD * LD], c[LD * LD];                              \
        int row_major = order == STF_ROW_MAJOR, right;                        \
        for (int i = 0; i < LD * LD; i++) {                                   \
            a[i] = (real)(i % 11) - 4;                                        \
            b[i] = (real)(i % 7) - 3;                                         \
            c[i] = (real)i;                                                   \
        }                                                                     \
        right = call(dev, order, ta, tb, M, N, K, 2, a, LD, b, LD, -1, c, LD) \
                == STF_OK;                                                    \
        for (int i = 0; i < M; i++)                                           \
            for (int j = 0; j < N; j++) {                                     \
                int at = row_major ? i * LD + j : i + j * LD;                 \
                real want = -(real)at;                                        \
                for (int p = 0; p < K; p++)                                   \
                    want +=                                                   \
                        2                                                     \
                        * a[row_major == (ta == STF_NOTRANS) ? i * LD + p     \
                                                             : i + p * LD]    \
                        * b[row_major == (tb == STF_NOTRANS) ? p * LD + j     \
                                                             : p + j * LD];   \
                right &= c[at] == want;                                       \
            }                                                                 \
        return right;                                                         \
    }

DEFINE_TEST(is_sgemm_right, stf_sgemm, float)
DEFINE_TEST(is_dgemm_right, stf_dgemm, double)

static void test_arguments(stf_device *dev)
{
    for (int i = 0; i < 8; i++) {
        stf_order order = (stf_order)(i & 1);
        stf_transpose ta = (stf_transpose)(i >> 1 & 1);
        stf_transpose tb = i >> 2 ? STF_CONJTRANS : STF_NOTRANS;
        tap_ok(is_sgemm_right(dev, order, ta, tb)
                   && is_dgemm_right(dev, order, ta, tb),
               "order %d, transposes %d and %d", (int)order, (int)ta, (int)tb);
    }
}

/* More plans than are kept; those that are there again allocate nothing. */
static void test_kept(stf_device *dev)
{
    float a[100], b[100], c[100];
    long made;
    int right = 1;

    for (int i = 0; i < 100; i++)
        a[i] = b[i] = 1;
    for (int64_t k = 1; k <= 100; k++)
        right &= stf_sgemm(dev, STF_COLUMN_MAJOR, STF_NOTRANS, STF_NOTRANS, 1,
                           1, k, 1, a, 0, b, 0, 0, c, 0)
                     == STF_OK
                 && c[0] == (float)k;
    tap_ok(right, "100 different products");
    stfi_alloc_fail_at(0);
    for (int64_t k = 37; k <= 100; k++)
        right &= stf_sgemm(dev, STF_COLUMN_MAJOR, STF_NOTRANS, STF_NOTRANS, 1,
                           1, k, 1, a, 0, b, 0, 0, c, 0)
                     == STF_OK
                 && c[0] == (float)k;
    made = stfi_alloc_fail_at(0);
    tap_ok(right && made == 0, "the last 64 again: %ld allocations", made);
    right = stf_sgemm(dev, STF_COLUMN_MAJOR, STF_NOTRANS, STF_NOTRANS, 1, 1, 36,
                      1, a, 0, b, 0, 0, c, 0)
            == STF_OK;
    made = stfi_alloc_fail_at(0);
    tap_ok(right && made > 0 && c[0] == 36, "an earlier one is made again");
}

typedef struct job {
    stf_device *dev;
    int right;
} job;

static void *work(void *arg)
{
    job *j = arg;

    for (int i = 0; i < 200; i++)
        j->right &= is_sgemm_right(j->dev, (stf_order)(i & 1), STF_NOTRANS,
                                   (stf_transpose)(i >> 1 & 1));
    return NULL;
}

static void test_threads(stf_device *dev)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    job jobs[THREADS];
    int right = 1, started = 0;

    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){dev, 1};
        started += pthread_create(&thread[i], NULL, work, &jobs[i]) == 0;
    }
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        right &= jobs[i].right;
    tap_ok(right && started == THREADS, "%d threads at once", started);
}

static void test_refused(stf_device *dev)
{
    float x[4] = {1, 1, 1, 1}, c[4] = {7, 7, 7, 7};

    tap_ok(stf_sgemm(NULL, STF_COLUMN_MAJOR, STF_NOTRANS, STF_NOTRANS, 2, 2, 2,
                     1, x, 2, x, 2, 0, c, 2)
                   == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "dev"),
           "no device");
    tap_ok(stf_sgemm(dev, STF_COLUMN_MAJOR, STF_NOTRANS, STF_NOTRANS, 2, 2, 2,
                     1, NULL, 2, x, 2, 0, c, 2)
                   == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "a is NULL"),
           "no A");
    tap_ok(stf_sgemm(dev, STF_COLUMN_MAJOR, STF_NOTRANS, STF_NOTRANS, 2, -2, 2,
                     1, x, 2, x, 2, 0, c, 2)
                   == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "n is -2"),
           "a negative size");
    tap_ok(stf_sgemm(dev, STF_COLUMN_MAJOR, STF_NOTRANS, STF_NOTRANS, 2, 2, 2,
                     1, x, 1, x, 2, 0, c, 2)
                   == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "lda is 1"),
           "a leading dimension that is too small");
    tap_ok(stf_sgemm(dev, STF_COLUMN_MAJOR, STF_NOTRANS, STF_NOTRANS, 2, 2, 2,
                     1, x, 2, x, 2, 0, x, 2)
                   == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "shares elements"),
           "C is A");
    tap_ok(c[0] == 7 && c[3] == 7, "nothing was written");
    tap_ok(stf_sgemm(dev, STF_COLUMN_MAJOR, STF_NOTRANS, STF_NOTRANS, 0, 2, 2,
                     1, NULL, 0, NULL, 0, 0, NULL, 0)
               == STF_OK,
           "nothing to do");
}

int main(void)
{
    stf_device *dev = NULL;

    tap_begin("gemm/kept");
    if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "the cpu device opens"))
        return tap_end();
    test_refused(dev);
    test_arguments(dev);
    test_kept(dev);
    test_threads(dev);
    stf_device_close(dev);
    return tap_end();
}
