/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* FFTW as a peer, and MKL by its interface of FFTW's functions: shared libraries
 * are opened when they are needed, one per precision, and every layout goes
 * through the guru interface. The header fftw3.h gives constants and types
 * only; nothing is linked. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "support/peers/peer_ops.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "fft/desc.h"

#ifdef HAVE_FFTW3_H

#include <dlfcn.h>
#include <fftw3.h>

/* One guru planner for complex data (with a sign) and one for real data. Plan
 * and array types differ per precision in name only: all are pointers. */
typedef void *plan_complex_fn(int rank, const fftw_iodim64 *dims, int loops,
                              const fftw_iodim64 *loop_dims, void *in,
                              void *out, int sign, unsigned flags);
typedef void *plan_real_fn(int rank, const fftw_iodim64 *dims, int loops,
                           const fftw_iodim64 *loop_dims, void *in, void *out,
                           unsigned flags);

typedef void *plan_r2r_fn(int rank, const fftw_iodim64 *dims, int loops,
                          const fftw_iodim64 *loop_dims, void *in, void *out,
                          const fftw_r2r_kind *kinds, unsigned flags);

/* The functions of one precision's library. */
typedef struct library {
    void *handle;
    void *threads_handle;
    plan_complex_fn *plan_c2c;
    plan_real_fn *plan_r2c;
    plan_real_fn *plan_c2r;
    plan_r2r_fn *plan_r2r;
    void (*execute)(void *plan);
    void (*destroy)(void *plan);
    int (*init_threads)(void);
    void (*plan_with_threads)(int threads);
} library;

/* The precisions, and what the names of their functions begin with. */
static const struct {
    stf_precision precision;
    const char *prefix;
} names[] = {{STF_F32, "fftwf_"}, {STF_F64, "fftw_"}, {STF_F80, "fftwl_"}};

enum { PRECISIONS = sizeof names / sizeof *names, FILES = 3, NAME_BYTES = 64 };

/* A library: the files that it may be in, by precision, and those that its
 * threads may be in. The first that is there is taken. */
typedef struct brand {
    const char *name, *advice;
    const char *files[PRECISIONS][FILES], *threads[PRECISIONS][FILES];
} brand;

static const brand fftw = {
    "fftw",
    "install FFTW 3.3 or newer",
    {{"libfftw3f.so.3"}, {"libfftw3.so.3"}, {"libfftw3l.so.3"}},
    {{"libfftw3f_omp.so.3", "libfftw3f_threads.so.3"},
     {"libfftw3_omp.so.3", "libfftw3_threads.so.3"},
     {"libfftw3l_omp.so.3", "libfftw3l_threads.so.3"}}};

#define MKL_FILES                                          \
    {                                                      \
        "libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so" \
    }
static const brand mkl = {
    "mkl",
    "install oneMKL, and let LD_LIBRARY_PATH name its folder",
    {MKL_FILES, MKL_FILES, {NULL}},
    {MKL_FILES, MKL_FILES, {NULL}}};

typedef struct peer {
    stfi_peer base;
    const brand *brand;
    library libraries[PRECISIONS];
} peer;

typedef struct peer_plan {
    stfi_peer_plan base;
    const library *lib;
    void *plan;
} peer_plan;

static void *open_first(const char *const *files)
{
    void *handle = NULL;

    for (int i = 0; i < FILES && files[i] != NULL && handle == NULL; i++)
        handle = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    return handle;
}

/* FFTW keeps its threads in a library of their own, which exists in one of two
 * builds. Its absence matters only to a plan of several threads. */
static void open_threads(const brand *b, int row, library *lib)
{
    const char *prefix = names[row].prefix;

    lib->threads_handle = open_first(b->threads[row]);
    if (lib->threads_handle == NULL)
        return;
    if (!stfi_peer_symbol(lib->threads_handle, prefix, "init_threads",
                          &lib->init_threads)
        || !stfi_peer_symbol(lib->threads_handle, prefix, "plan_with_nthreads",
                             &lib->plan_with_threads)
        || !lib->init_threads())
        lib->plan_with_threads = NULL;
}

static int has_functions(int row, library *lib)
{
    const char *prefix = names[row].prefix;

    return stfi_peer_symbol(lib->handle, prefix, "plan_guru64_dft",
                            &lib->plan_c2c)
           && stfi_peer_symbol(lib->handle, prefix, "plan_guru64_dft_r2c",
                               &lib->plan_r2c)
           && stfi_peer_symbol(lib->handle, prefix, "plan_guru64_dft_c2r",
                               &lib->plan_c2r)
           && stfi_peer_symbol(lib->handle, prefix, "plan_guru64_r2r",
                               &lib->plan_r2r)
           && stfi_peer_symbol(lib->handle, prefix, "execute", &lib->execute)
           && stfi_peer_symbol(lib->handle, prefix, "destroy_plan",
                               &lib->destroy);
}

static stf_status open_library(const brand *b, int row, library *lib)
{
    if (lib->handle != NULL)
        return STF_OK;
    /* Threads come first: they must be initialised before any plan is made. */
    open_threads(b, row, lib);
    lib->handle = open_first(b->files[row]);
    if (lib->handle == NULL)
        return stfi_error(STF_ERR_IO, "peer %s: %s cannot be loaded (%s); %s",
                          b->name, b->files[row][0], dlerror(), b->advice);
    if (!has_functions(row, lib)) {
        dlclose(lib->handle);
        lib->handle = NULL;
        return stfi_error(STF_ERR_IO,
                          "peer %s: %s lacks the guru64 interface; %s", b->name,
                          b->files[row][0], b->advice);
    }
    return STF_OK;
}

static stf_status open_brand(const brand *b, const stfi_peer_ops *ops,
                             stfi_peer **peer_p)
{
    peer *p = calloc(1, sizeof *p);
    stf_status status;

    if (p == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a peer");
    p->base.ops = ops;
    p->brand = b;
    /* The library of one precision is opened now, so that a missing one is
     * reported at once. */
    status = open_library(b, 1, &p->libraries[1]);
    if (status == STF_OK)
        *peer_p = &p->base;
    else
        free(p);
    return status;
}

static stf_status open_fftw(int device, stfi_peer **peer_p)
{
    (void)device;
    return open_brand(&fftw, &stfi_peer_fftw, peer_p);
}

static stf_status open_mkl(int device, stfi_peer **peer_p)
{
    (void)device;
    return open_brand(&mkl, &stfi_peer_mkl, peer_p);
}

static void close_peer(stfi_peer *base)
{
    /* The libraries stay mapped: their thread pools may outlive a plan. */
    free(base);
}

/* ------------------------------------------------------------------ plans */

static void fill_dims(const stf_fft_desc *full, fftw_iodim64 *dims,
                      fftw_iodim64 *batch)
{
    for (int a = 0; a < full->rank; a++)
        dims[a] = (fftw_iodim64){.n = full->n[a],
                                 .is = full->in.stride[a],
                                 .os = full->out.stride[a]};
    *batch = (fftw_iodim64){
        .n = full->batch, .is = full->in.dist, .os = full->out.dist};
}

/* Plans a real to real transform; NULL if FFTW lacks a kind. */
static void *make_r2r(const library *lib, const stf_fft_desc *full,
                      const fftw_iodim64 *dims, const fftw_iodim64 *batch,
                      void *in, void *out, unsigned flags)
{
    static const fftw_r2r_kind of[] = {
        [STF_DCT1] = FFTW_REDFT00, [STF_DCT2] = FFTW_REDFT10,
        [STF_DCT3] = FFTW_REDFT01, [STF_DCT4] = FFTW_REDFT11,
        [STF_DST1] = FFTW_RODFT00, [STF_DST2] = FFTW_RODFT10,
        [STF_DST3] = FFTW_RODFT01, [STF_DST4] = FFTW_RODFT11,
        [STF_DHT] = FFTW_DHT,      [STF_R2HC] = FFTW_R2HC,
        [STF_HC2R] = FFTW_HC2R,
    };
    fftw_r2r_kind kinds[STF_MAX_RANK];

    for (int a = 0; a < full->rank; a++)
        kinds[a] = of[full->kinds[a]];
    return lib->plan_r2r(full->rank, dims, 1, batch, in, out, kinds, flags);
}

static void *make_plan(const library *lib, const stf_fft_desc *full,
                       stf_direction direction, void *in, void *out,
                       unsigned flags)
{
    fftw_iodim64 dims[STF_MAX_RANK], batch;

    fill_dims(full, dims, &batch);
    if (full->kind == STF_R2C)
        return lib->plan_r2c(full->rank, dims, 1, &batch, in, out, flags);
    if (full->kind == STF_C2R)
        return lib->plan_c2r(full->rank, dims, 1, &batch, in, out, flags);
    if (stfi_kind_is_r2r(full->kind))
        return make_r2r(lib, full, dims, &batch, in, out, flags);
    return lib->plan_c2c(
        full->rank, dims, 1, &batch, in, out,
        direction == STF_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD, flags);
}

/* The checks that can be made before a library is opened. */
static stf_status find_row(const brand *b, const stf_fft_desc *full, int *row_p)
{
    const stfi_type *type = stfi_type_get(full->precision);

    for (int row = 0; row < PRECISIONS; row++)
        if (names[row].precision == full->precision
            && b->files[row][0] != NULL) {
            *row_p = row;
            return STF_OK;
        }
    return stfi_error(STF_ERR_UNSUPPORTED, "peer %s: there is no precision %s",
                      b->name, type != NULL ? type->name : "?");
}

static stf_status plan_fft(stfi_peer *base, const stf_fft_desc *full,
                           stf_direction direction, void *in, void *out,
                           int threads, int measure, stfi_peer_plan **plan_p)
{
    unsigned flags = measure ? FFTW_MEASURE : FFTW_ESTIMATE;
    const brand *b = ((peer *)base)->brand;
    peer_plan *plan;
    library *lib;
    stf_status status;
    int row = 0;

    if ((status = find_row(b, full, &row)) != STF_OK)
        return status;
    lib = &((peer *)base)->libraries[row];
    if ((status = open_library(b, row, lib)) != STF_OK)
        return status;
    if (lib->plan_with_threads != NULL)
        lib->plan_with_threads(threads);
    else if (threads > 1)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "peer %s: %d threads need %s; install it or use 1 "
                          "thread",
                          b->name, threads, b->threads[row][0]);
    plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a peer's plan");
    plan->base.ops = base->ops;
    plan->lib = lib;
    plan->plan =
        make_plan(lib, full, direction, in, out, flags | FFTW_PRESERVE_INPUT);
    /* A C2R transform of several axes cannot preserve its input, so FFTW makes
     * a plan only without that flag. */
    if (plan->plan == NULL)
        plan->plan = make_plan(lib, full, direction, in, out,
                               flags | FFTW_DESTROY_INPUT);
    if (plan->plan == NULL) {
        free(plan);
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "peer %s: it has no plan for this layout", b->name);
    }
    *plan_p = &plan->base;
    return STF_OK;
}

static stf_status execute_plan(stfi_peer_plan *base, void *stream)
{
    peer_plan *plan = (peer_plan *)base;

    (void)stream;
    plan->lib->execute(plan->plan);
    return STF_OK;
}

static void destroy_plan(stfi_peer_plan *base)
{
    peer_plan *plan = (peer_plan *)base;

    plan->lib->destroy(plan->plan);
    free(plan);
}

#define OPS(word)                                                           \
    {                                                                       \
        .name = #word, .backend = "cpu", .open = open_##word,               \
        .close = close_peer, .plan_fft = plan_fft, .execute = execute_plan, \
        .plan_destroy = destroy_plan,                                       \
    }

const stfi_peer_ops stfi_peer_fftw = OPS(fftw);
const stfi_peer_ops stfi_peer_mkl = OPS(mkl);

#else /* !HAVE_FFTW3_H */

static stf_status open_peer(int device, stfi_peer **peer_p)
{
    (void)device, (void)peer_p;
    return stfi_error(STF_ERR_IO,
                      "peers fftw and mkl are not configured: fftw3.h was "
                      "not found when this was built; install FFTW 3 and "
                      "configure --with-fftw3");
}

const stfi_peer_ops stfi_peer_fftw = {
    .name = "fftw",
    .backend = "cpu",
    .open = open_peer,
};

const stfi_peer_ops stfi_peer_mkl = {
    .name = "mkl",
    .backend = "cpu",
    .open = open_peer,
};

#endif
