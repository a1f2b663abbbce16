/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A program that was written for cblas_sgemm(), and the few lines that give it
 * products that check themselves: it is compiled with this definition in front
 * of it, and STEADFAST_FT says what is checked.
 *
 * Usage: STEADFAST_FT=correct sgemm */
#include <stdio.h>
#include <stdlib.h>

#include "steadfast.h"

/* ---------------------------------------------- what replaces the library's */

enum {
    CblasRowMajor = 101,
    CblasColMajor = 102,
    CblasNoTrans = 111,
    CblasTrans = 112
};

/* The device is opened by the first call and stays open. Products on it may be
 * computed by several threads at once, but this opens it in one of them. */
static stf_device *device(void)
{
    static stf_device *dev;

    if (dev == NULL && stf_device_open("cpu", &dev) != STF_OK) {
        fprintf(stderr, "sgemm: %s\n", stf_error_message());
        exit(1);
    }
    return dev;
}

static void cblas_sgemm(int order, int transa, int transb, int m, int n, int k,
                        float alpha, const float *a, int lda, const float *b,
                        int ldb, float beta, float *c, int ldc)
{
    stf_status status = stf_sgemm(
        device(), order == CblasRowMajor ? STF_ROW_MAJOR : STF_COLUMN_MAJOR,
        transa == CblasNoTrans ? STF_NOTRANS : STF_TRANS,
        transb == CblasNoTrans ? STF_NOTRANS : STF_TRANS, m, n, k, alpha, a,
        lda, b, ldb, beta, c, ldc);

    if (status < STF_OK) { /* also a soft error that could not be repaired */
        fprintf(stderr, "sgemm: %s\n", stf_error_message());
        exit(1);
    }
}

/* ------------------------------------------------------- the program itself */

enum { N = 6 };

/* Squares a matrix whose powers are known: row i, column j of the k-th power of
 * this one is the number of paths of length k from i to j on a ring. */
int main(void)
{
    static const float expected[N] = {6, 0, 5, 0, 5, 0};
    float a[N * N] = {0}, square[N * N] = {0}, fourth[N * N] = {0};
    int wrong = 0;

    for (int i = 0; i < N; i++)
        a[i * N + (i + 1) % N] = a[i * N + (i + N - 1) % N] = 1;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, N, N, N, 1, a, N, a, N,
                0, square, N);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, square,
                N, square, N, 0, fourth, N);
    printf("paths of length 4 from the first place of a ring of %d:", N);
    for (int j = 0; j < N; j++) {
        printf(" %g", (double)fourth[j]);
        wrong |= fourth[j] != expected[j];
    }
    printf("\n");
    return wrong;
}
