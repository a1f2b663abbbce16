/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* FFTW as a peer: its shared libraries are opened when they are needed, one
 * per precision, and every layout goes through its guru interface. The header
 * fftw3.h gives constants and types only; nothing of FFTW is linked. */
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

/* The names of FFTW's library and symbols for each precision. */
static const struct {
    stf_precision precision;
    const char *prefix; /* prefix of its symbols and, after "lib", of its file
                         * names */
    const char *stem;
} names[] = {
    {STF_F32, "fftwf_", "libfftw3f"},
    {STF_F64, "fftw_", "libfftw3"},
    {STF_F80, "fftwl_", "libfftw3l"},
};

enum { PRECISIONS = sizeof names / sizeof *names, NAME_BYTES = 64 };

typedef struct peer {
    stfi_peer base;
    library libraries[PRECISIONS];
} peer;

typedef struct peer_plan {
    stfi_peer_plan base;
    const library *lib;
    void *plan;
} peer_plan;

/* FFTW keeps its threads in a library of their own, which exists in one of two
 * builds. Its absence matters only to a plan of several threads. */
static void open_threads(int row, library *lib)
{
    static const char *const builds[] = {"_omp", "_threads"};
    const char *prefix = names[row].prefix;

    for (size_t i = 0; i < 2 && lib->threads_handle == NULL; i++) {
        char file[NAME_BYTES];
        snprintf(file, sizeof file, "%s%s.so.3", names[row].stem, builds[i]);
        lib->threads_handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    }
    if (lib->threads_handle == NULL)
        return;
    if (!stfi_peer_symbol(lib->threads_handle, prefix, "init_threads",
                          &lib->init_threads)
        || !stfi_peer_symbol(lib->threads_handle, prefix, "plan_with_nthreads",
                             &lib->plan_with_threads)
        || !lib->init_threads())
        lib->plan_with_threads = NULL;
}

static stf_status open_library(int row, library *lib)
{
    const char *prefix = names[row].prefix;
    char file[NAME_BYTES];

    if (lib->handle != NULL)
        return STF_OK;
    /* Threads come first: they must be initialised before any plan is made. */
    open_threads(row, lib);
    snprintf(file, sizeof file, "%s.so.3", names[row].stem);
    lib->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (lib->handle == NULL)
        return stfi_error(STF_ERR_IO,
                          "peer fftw: %s cannot be loaded (%s); "
                          "install FFTW 3",
                          file, dlerror());
    if (!stfi_peer_symbol(lib->handle, prefix, "plan_guru64_dft",
                          &lib->plan_c2c)
        || !stfi_peer_symbol(lib->handle, prefix, "plan_guru64_dft_r2c",
                             &lib->plan_r2c)
        || !stfi_peer_symbol(lib->handle, prefix, "plan_guru64_dft_c2r",
                             &lib->plan_c2r)
        || !stfi_peer_symbol(lib->handle, prefix, "plan_guru64_r2r",
                             &lib->plan_r2r)
        || !stfi_peer_symbol(lib->handle, prefix, "execute", &lib->execute)
        || !stfi_peer_symbol(lib->handle, prefix, "destroy_plan",
                             &lib->destroy)) {
        dlclose(lib->handle);
        lib->handle = NULL;
        return stfi_error(STF_ERR_IO,
                          "peer fftw: %s lacks the guru64 "
                          "interface; FFTW 3.3 or newer is needed",
                          file);
    }
    return STF_OK;
}

static stf_status open_peer(int device, stfi_peer **peer_p)
{
    peer *p = calloc(1, sizeof *p);
    stf_status status;

    (void)device;
    if (p == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a peer");
    p->base.ops = &stfi_peer_fftw;
    /* The library of one precision is opened now, so that a missing FFTW is
     * reported at once. */
    status = open_library(1, &p->libraries[1]);
    if (status == STF_OK)
        *peer_p = &p->base;
    else
        free(p);
    return status;
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

/* The checks that can be made before a library of FFTW is opened. */
static stf_status find_row(const stf_fft_desc *full, int *row_p)
{
    const stfi_type *type = stfi_type_get(full->precision);

    for (int row = 0; row < PRECISIONS; row++)
        if (names[row].precision == full->precision) {
            *row_p = row;
            return STF_OK;
        }
    return stfi_error(STF_ERR_UNSUPPORTED,
                      "peer fftw: there is no precision "
                      "%s",
                      type != NULL ? type->name : "?");
}

static stf_status plan_fft(stfi_peer *base, const stf_fft_desc *full,
                           stf_direction direction, void *in, void *out,
                           int threads, int measure, stfi_peer_plan **plan_p)
{
    unsigned flags = measure ? FFTW_MEASURE : FFTW_ESTIMATE;
    peer_plan *plan;
    library *lib;
    stf_status status;
    int row = 0;

    if ((status = find_row(full, &row)) != STF_OK)
        return status;
    lib = &((peer *)base)->libraries[row];
    if ((status = open_library(row, lib)) != STF_OK)
        return status;
    if (lib->plan_with_threads != NULL)
        lib->plan_with_threads(threads);
    else if (threads > 1)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "peer fftw: %d threads need "
                          "%s_omp.so.3 or %s_threads.so.3; install them or "
                          "use 1 thread",
                          threads, names[row].stem, names[row].stem);
    plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a peer's plan");
    plan->base.ops = &stfi_peer_fftw;
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
        return stfi_error(STF_ERR_UNSUPPORTED, "peer fftw: it has no plan for "
                                               "this layout");
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

const stfi_peer_ops stfi_peer_fftw = {
    .name = "fftw",
    .backend = "cpu",
    .open = open_peer,
    .close = close_peer,
    .plan_fft = plan_fft,
    .execute = execute_plan,
    .plan_destroy = destroy_plan,
};

#else /* !HAVE_FFTW3_H */

static stf_status open_peer(int device, stfi_peer **peer_p)
{
    (void)device, (void)peer_p;
    return stfi_error(STF_ERR_IO,
                      "peer fftw is not configured: fftw3.h was "
                      "not found when this was built; install FFTW 3 and "
                      "configure --with-fftw3");
}

const stfi_peer_ops stfi_peer_fftw = {
    .name = "fftw",
    .backend = "cpu",
    .open = open_peer,
};

#endif
