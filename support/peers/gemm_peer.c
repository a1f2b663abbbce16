/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* OpenBLAS and cuBLAS as peers. Their few types and values are written down
 * here, so that neither is needed to build.
 * Source: the interface of CBLAS; the cuBLAS manual, CUDA 13.0. */
#include "support/peers/gemm_peer.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "support/peers/peer_ops.h"

enum { CBLAS_COLUMN_MAJOR = 102, CBLAS_NOTRANS = 111, CBLAS_TRANS = 112 };

typedef void cblas_sgemm_fn(int order, int transa, int transb, int m, int n,
                            int k, float alpha, const float *a, int lda,
                            const float *b, int ldb, float beta, float *c,
                            int ldc);
typedef void cblas_dgemm_fn(int order, int transa, int transb, int m, int n,
                            int k, double alpha, const double *a, int lda,
                            const double *b, int ldb, double beta, double *c,
                            int ldc);
/* Both precisions have the same types of arguments but for pointers. */
typedef int cublas_gemm_fn(void *handle, int transa, int transb, int m, int n,
                           int k, const void *alpha, const void *a, int lda,
                           long long dist_a, const void *b, int ldb,
                           long long dist_b, const void *beta, void *c, int ldc,
                           long long dist_c, int batch);

/* For any types of A, B and C, and arithmetic in F32. */
typedef int cublas_gemm_ex_fn(void *handle, int transa, int transb, int m,
                              int n, int k, const void *alpha, const void *a,
                              int type_a, int lda, long long dist_a,
                              const void *b, int type_b, int ldb,
                              long long dist_b, const void *beta, void *c,
                              int type_c, int ldc, long long dist_c, int batch,
                              int compute, int algorithm);
enum { CUBLAS_COMPUTE_32F = 68, CUBLAS_GEMM_DEFAULT = -1 };

struct stfi_gemm_peer {
    int on_gpu;
    cblas_sgemm_fn *sgemm;
    cblas_dgemm_fn *dgemm;
    void *handle;
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    cublas_gemm_fn *gemm[2];    /* F32, F64 */
    cublas_gemm_ex_fn *gemm_ex; /* halves */
};

typedef struct library {
    const char *name, *backend;
    const char *file[4]; /* ends with NULL */
} library;

static const library libraries[] = {
    {"openblas", "cpu", {"libopenblas.so.0", "libopenblas.so", NULL}},
    {"cublas", "cuda", {"libcublas.so.13", "libcublas.so.12", NULL}},
};

static const library *find(const char *name)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strcmp(libraries[i].name, name) == 0)
            return &libraries[i];
    return NULL;
}

/* ---------------------------------------------------------------- opening */

static stf_status lacks(const char *name)
{
    return stfi_error(STF_ERR_IO, "peer %s lacks a function that is needed",
                      name);
}

static stf_status open_openblas(void *lib, int threads, stfi_gemm_peer *p)
{
    void (*set_threads)(int);

    if (!stfi_peer_symbol(lib, "cblas_", "sgemm", &p->sgemm)
        || !stfi_peer_symbol(lib, "cblas_", "dgemm", &p->dgemm))
        return lacks("openblas");
    if (threads > 0
        && stfi_peer_symbol(lib, "openblas_", "set_num_threads", &set_threads))
        set_threads(threads);
    return STF_OK;
}

static stf_status open_cublas(void *lib, stfi_gemm_peer *p)
{
    int (*create)(void **handle);

    if (!stfi_peer_symbol(lib, "cublas", "Create_v2", &create)
        || !stfi_peer_symbol(lib, "cublas", "Destroy_v2", &p->destroy)
        || !stfi_peer_symbol(lib, "cublas", "SetStream_v2", &p->set_stream)
        || !stfi_peer_symbol(lib, "cublas", "SgemmStridedBatched", &p->gemm[0])
        || !stfi_peer_symbol(lib, "cublas", "DgemmStridedBatched", &p->gemm[1])
        || !stfi_peer_symbol(lib, "cublas", "GemmStridedBatchedEx",
                             &p->gemm_ex))
        return lacks("cublas");
    p->on_gpu = 1;
    return create(&p->handle) == 0
               ? STF_OK
               : stfi_error(STF_ERR_DEVICE, "peer cublas: cublasCreate failed");
}

static void *load(const library *l)
{
    void *lib = NULL;

    for (int i = 0; l->file[i] != NULL && lib == NULL; i++)
        lib = dlopen(l->file[i], RTLD_NOW | RTLD_LOCAL);
    return lib;
}

stf_status stfi_gemm_peer_open(const char *name, const char *device,
                               int threads, stfi_gemm_peer **peer_p)
{
    const library *l = find(name);
    stfi_gemm_peer *p;
    stf_status status;
    void *lib;

    if (l == NULL)
        return stfi_error(STF_ERR_ARGUMENT,
                          "peer \"%s\" is not known for matrix products; there "
                          "are openblas, cublas",
                          name);
    if (strncmp(device, l->backend, strlen(l->backend)) != 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "peer %s runs on %s, and the device is %s", name,
                          l->backend, device);
    lib = load(l);
    if (lib == NULL)
        return stfi_error(STF_ERR_IO, "peer %s: %s cannot be loaded (%s)", name,
                          l->file[0], dlerror());
    p = calloc(1, sizeof *p);
    if (p == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a peer");
    status = strcmp(name, "cublas") == 0 ? open_cublas(lib, p)
                                         : open_openblas(lib, threads, p);
    if (status == STF_OK)
        *peer_p = p;
    else
        free(p);
    return status;
}

void stfi_gemm_peer_close(stfi_gemm_peer *p)
{
    if (p == NULL)
        return;
    if (p->handle != NULL)
        p->destroy(p->handle);
    free(p);
}

/* -------------------------------------------------------------- execution */

static int is_half(stf_precision precision)
{
    return precision == STF_F16 || precision == STF_BF16;
}

int stfi_gemm_peer_can(const stfi_gemm_peer *p, const stf_gemm_desc *d)
{
    const int64_t most = INT32_MAX;

    return (d->precision == STF_F32 || d->precision == STF_F64
            || (p->on_gpu && is_half(d->precision)))
           && d->order == STF_COLUMN_MAJOR && d->m <= most && d->n <= most
           && d->k <= most && d->lda <= most && d->ldb <= most && d->ldc <= most
           && d->batch <= most;
}

/* As the CUDA toolkit numbers types. */
static int cuda_type(stf_precision precision)
{
    return precision == STF_F16 ? 2 : precision == STF_BF16 ? 14 : 0;
}

static int run_cublas_half(const stfi_gemm_peer *p, const stf_gemm_desc *d,
                           const void *a, const void *b, void *c)
{
    static const float one = 1, zero = 0;
    const int type = cuda_type(d->precision);

    return p->gemm_ex(p->handle, d->transa != STF_NOTRANS,
                      d->transb != STF_NOTRANS, (int)d->m, (int)d->n, (int)d->k,
                      &one, a, type, (int)d->lda, d->dist_a, b, type,
                      (int)d->ldb, d->dist_b, &zero, c,
                      cuda_type(d->precision_c), (int)d->ldc, d->dist_c,
                      (int)d->batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

static stf_status run_cublas(const stfi_gemm_peer *p, const stf_gemm_desc *d,
                             const void *a, const void *b, void *c,
                             void *stream)
{
    static const float one = 1, zero = 0;
    static const double one_wide = 1, zero_wide = 0;
    const int wide = d->precision == STF_F64;
    const void *alpha = wide ? (const void *)&one_wide : &one;
    const void *beta = wide ? (const void *)&zero_wide : &zero;
    int result = p->set_stream(p->handle, stream);

    if (result == 0 && is_half(d->precision))
        result = run_cublas_half(p, d, a, b, c);
    else if (result == 0)
        result = p->gemm[wide](p->handle, d->transa != STF_NOTRANS,
                               d->transb != STF_NOTRANS, (int)d->m, (int)d->n,
                               (int)d->k, alpha, a, (int)d->lda, d->dist_a, b,
                               (int)d->ldb, d->dist_b, beta, c, (int)d->ldc,
                               d->dist_c, (int)d->batch);
    return result == 0
               ? STF_OK
               : stfi_error(STF_ERR_DEVICE, "peer cublas: result %d", result);
}

static void run_openblas(const stfi_gemm_peer *p, const stf_gemm_desc *d,
                         const void *a, const void *b, void *c)
{
    const int ta = d->transa != STF_NOTRANS ? CBLAS_TRANS : CBLAS_NOTRANS;
    const int tb = d->transb != STF_NOTRANS ? CBLAS_TRANS : CBLAS_NOTRANS;
    const int m = (int)d->m, n = (int)d->n, k = (int)d->k;

    for (int64_t i = 0; i < d->batch; i++)
        if (d->precision == STF_F32)
            p->sgemm(CBLAS_COLUMN_MAJOR, ta, tb, m, n, k, 1,
                     (const float *)a + i * d->dist_a, (int)d->lda,
                     (const float *)b + i * d->dist_b, (int)d->ldb, 0,
                     (float *)c + i * d->dist_c, (int)d->ldc);
        else
            p->dgemm(CBLAS_COLUMN_MAJOR, ta, tb, m, n, k, 1,
                     (const double *)a + i * d->dist_a, (int)d->lda,
                     (const double *)b + i * d->dist_b, (int)d->ldb, 0,
                     (double *)c + i * d->dist_c, (int)d->ldc);
}

stf_status stfi_gemm_peer_execute(stfi_gemm_peer *p, const stf_gemm_desc *d,
                                  const void *a, const void *b, void *c,
                                  void *stream)
{
    if (p->on_gpu)
        return run_cublas(p, d, a, b, c, stream);
    run_openblas(p, d, a, b, c);
    return STF_OK;
}
