/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* cuFFT as a peer, on the arrays of a cuda device: loaded at run time, its few
 * types and values written down here, so that neither headers nor libraries
 * of CUDA are needed to build. Its plans live in the device's primary context,
 * which is where this library's arrays are.
 * Source: the cuFFT and CUDA driver manuals, CUDA 13.0. */
#include "support/peers/peer_ops.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/status.h"
#include "fft/desc.h"

typedef void *cu_context;

/* The functions of the driver that are called; each returns 0 on success. */
typedef struct driver {
    int (*init)(unsigned flags);
    int (*device_get)(int *device, int ordinal);
    int (*retain)(cu_context *context, int device);
    int (*release)(int device);
    int (*push)(cu_context context);
    int (*pop)(cu_context *context);
    int (*error_string)(int error, const char **text);
} driver;

/* cuFFT's functions. Its functions for execution differ in the types of their
 * arrays, which are all pointers, and three of them take a direction. */
typedef int execute_complex_fn(int plan, void *in, void *out, int direction);
typedef int execute_real_fn(int plan, void *in, void *out);

typedef struct cufft {
    int (*create)(int *plan);
    int (*destroy)(int plan);
    int (*make_plan)(int plan, int rank, long long *n, long long *inembed,
                     long long istride, long long idist, long long *onembed,
                     long long ostride, long long odist, int type,
                     long long batch, size_t *work_bytes);
    int (*set_stream)(int plan, void *stream);
    int (*make_plan_of)(int plan, int rank, long long *n, long long *inembed,
                        long long istride, long long idist, int in_type,
                        long long *onembed, long long ostride, long long odist,
                        int out_type, long long batch, size_t *work_bytes,
                        int arithmetic);
    execute_complex_fn *c2c, *z2z, *of_halves;
    execute_real_fn *r2c, *d2z, *c2r, *z2d;
} cufft;

enum { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1, CUFFT_RANKS = 3 };

typedef struct peer {
    stfi_peer base;
    driver cu;
    cufft fft;
    int device;
    cu_context context;
} peer;

typedef struct peer_plan {
    stfi_peer_plan base;
    peer *peer;
    int handle;
    void *in, *out;
    int direction;
    execute_complex_fn *execute_complex; /* exactly one of these two is set */
    execute_real_fn *execute_real;
} peer_plan;

/* A function's name, and where its pointer is in its struct. */
typedef struct symbol {
    const char *name;
    size_t offset;
} symbol;

static const symbol driver_symbols[] = {
    {"Init", offsetof(driver, init)},
    {"DeviceGet", offsetof(driver, device_get)},
    {"DevicePrimaryCtxRetain", offsetof(driver, retain)},
    {"DevicePrimaryCtxRelease_v2", offsetof(driver, release)},
    {"CtxPushCurrent_v2", offsetof(driver, push)},
    {"CtxPopCurrent_v2", offsetof(driver, pop)},
    {"GetErrorString", offsetof(driver, error_string)},
    {NULL, 0},
};

static const symbol cufft_symbols[] = {
    {"Create", offsetof(cufft, create)},
    {"Destroy", offsetof(cufft, destroy)},
    {"MakePlanMany64", offsetof(cufft, make_plan)},
    {"XtMakePlanMany", offsetof(cufft, make_plan_of)},
    {"XtExec", offsetof(cufft, of_halves)},
    {"SetStream", offsetof(cufft, set_stream)},
    {"ExecC2C", offsetof(cufft, c2c)},
    {"ExecZ2Z", offsetof(cufft, z2z)},
    {"ExecR2C", offsetof(cufft, r2c)},
    {"ExecD2Z", offsetof(cufft, d2z)},
    {"ExecC2R", offsetof(cufft, c2r)},
    {"ExecZ2D", offsetof(cufft, z2d)},
    {NULL, 0},
};

static const char *const driver_files[] = {"libcuda.so.1", NULL};
static const char *const cufft_files[] = {
    "libcufft.so.12",
    "libcufft.so.11",
    "libcufft.so.10",
    "/usr/local/cuda/lib64/libcufft.so",
    NULL,
};

/* ----------------------------------------------------------------- errors */

/* The results of cuFFT that are about the problem and not about the device; all
 * others become STF_ERR_DEVICE. */
static const struct {
    int result;
    stf_status status;
    const char *text;
} results[] = {
    {0x2, STF_ERR_MEMORY, "out of device memory"},
    {0x3, STF_ERR_UNSUPPORTED, "invalid type"},
    {0x4, STF_ERR_UNSUPPORTED, "invalid value"},
    {0x5, STF_ERR_DEVICE, "internal error"},
    {0x6, STF_ERR_DEVICE, "execution failed"},
    {0x7, STF_ERR_DEVICE, "setup failed"},
    {0x8, STF_ERR_UNSUPPORTED, "invalid size"},
    {0xb, STF_ERR_DEVICE, "invalid device"},
    {0xe, STF_ERR_UNSUPPORTED, "not implemented"},
    {0x10, STF_ERR_UNSUPPORTED, "not supported"},
};

static stf_status check(int result, const char *what)
{
    if (result == 0)
        return STF_OK;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].result == result)
            return stfi_error(results[i].status, "peer cufft: %s: %s", what,
                              results[i].text);
    return stfi_error(STF_ERR_DEVICE, "peer cufft: %s: result %d", what,
                      result);
}

static stf_status check_driver(const peer *p, int error, const char *what)
{
    const char *text = NULL;

    if (error == 0)
        return STF_OK;
    p->cu.error_string(error, &text);
    return stfi_error(STF_ERR_DEVICE, "peer cufft: %s: %s (%d)", what,
                      text != NULL ? text : "unknown error", error);
}

/* ---------------------------------------------------------------- opening */

/* Loads the first of the files that exists, and all functions from it. */
static stf_status load(const char *const *files, const char *prefix,
                       const symbol *symbols, void *functions)
{
    void *library = NULL;

    for (int i = 0; files[i] != NULL && library == NULL; i++)
        library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return stfi_error(STF_ERR_IO, "peer cufft: %s cannot be loaded (%s)",
                          files[0], dlerror());
    for (; symbols->name != NULL; symbols++)
        if (!stfi_peer_symbol(library, prefix, symbols->name,
                              (char *)functions + symbols->offset))
            return stfi_error(STF_ERR_IO, "peer cufft: %s lacks %s%s", files[0],
                              prefix, symbols->name);
    return STF_OK;
}

static stf_status open_context(peer *p, int ordinal)
{
    stf_status status;

    if ((status = check_driver(p, p->cu.init(0), "cuInit")) != STF_OK
        || (status = check_driver(p, p->cu.device_get(&p->device, ordinal),
                                  "cuDeviceGet"))
               != STF_OK)
        return status;
    return check_driver(p, p->cu.retain(&p->context, p->device),
                        "cuDevicePrimaryCtxRetain");
}

static stf_status cufft_open(int device, stfi_peer **peer_p)
{
    peer *p = calloc(1, sizeof *p);
    stf_status status;

    if (p == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a peer");
    p->base.ops = &stfi_peer_cufft;
    /* The libraries are never unloaded, as CUDA libraries do not support this
     * reliably. */
    status = load(cufft_files, "cufft", cufft_symbols, &p->fft);
    if (status == STF_OK)
        status = load(driver_files, "cu", driver_symbols, &p->cu);
    if (status == STF_OK)
        status = open_context(p, device);
    if (status == STF_OK)
        *peer_p = &p->base;
    else
        free(p);
    return status;
}

static void cufft_close(stfi_peer *base)
{
    peer *p = (peer *)base;

    p->cu.release(p->device);
    free(p);
}

/* cuFFT works in the calling thread's current context. enter() makes the
 * context of this library current, leave() restores the caller's. */
static stf_status enter(const peer *p)
{
    return check_driver(p, p->cu.push(p->context), "cuCtxPushCurrent");
}

static void leave(const peer *p)
{
    cu_context ours;

    p->cu.pop(&ours);
}

/* ------------------------------------------------------------------ plans */

/* cuFFT's types and functions for execution, by kind and precision (F32,
 * F64). */
static const struct {
    stf_kind kind;
    int type[2];
    size_t execute[2];
} kinds[] = {
    {STF_C2C, {0x29, 0x69}, {offsetof(cufft, c2c), offsetof(cufft, z2z)}},
    {STF_R2C, {0x2a, 0x6a}, {offsetof(cufft, r2c), offsetof(cufft, d2z)}},
    {STF_C2R, {0x2c, 0x6c}, {offsetof(cufft, c2r), offsetof(cufft, z2d)}},
};

/* CUDA's types of halves, F16 and BF16. Source: library_types.h of CUDA 13.0. */
static const int real_halves[] = {2, 14}, complex_halves[] = {6, 15};

static int is_half(const stf_fft_desc *full)
{
    return full->precision == STF_F16 || full->precision == STF_BF16;
}

/* Finds the row and column of the table. Errors: UNSUPPORTED if the table does
 * not have them. */
static stf_status find_kind(const stf_fft_desc *full, int *row_p, int *column_p)
{
    if (full->rank > CUFFT_RANKS)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "peer cufft: %d axes are more "
                          "than %d",
                          (int)full->rank, CUFFT_RANKS);
    if (full->precision > STF_F64)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "peer cufft: it has no precision %s",
                          stfi_type_get(full->precision)->name);
    *column_p = stfi_type_get(full->precision)->wide;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == full->kind) {
            *row_p = (int)i;
            return STF_OK;
        }
    return stfi_error(STF_ERR_UNSUPPORTED, "peer cufft: only c2c, r2c and "
                                           "c2r are wired up");
}

/* cuFFT describes strides by `embed`, the lengths of the axes of the array that
 * contains the data, so each stride must be a multiple of the next one. It
 * ignores embed[0]. */
static stf_status embed(const stf_fft_desc *full, const stf_layout *layout,
                        long long *lengths)
{
    lengths[0] = full->n[0];
    for (int a = 1; a < full->rank; a++) {
        lengths[a] = layout->stride[a - 1] / layout->stride[a];
        if (layout->stride[a] < 1 || lengths[a] < 1
            || lengths[a] * layout->stride[a] != layout->stride[a - 1])
            return stfi_error(STF_ERR_UNSUPPORTED, "peer cufft: these strides "
                                                   "do not nest");
    }
    return layout->stride[full->rank - 1] >= 1 && layout->dist >= 0
               ? STF_OK
               : stfi_error(STF_ERR_UNSUPPORTED, "peer cufft: negative "
                                                 "strides");
}

/* Calls the function that makes a plan of the kind in a row of the table. */
static int call_make_plan(const peer_plan *plan, const stf_fft_desc *full,
                          int row, int column, long long *n, long long *in,
                          long long *out)
{
    const cufft *fft = &plan->peer->fft;
    const long long apart[2] = {full->in.stride[full->rank - 1],
                                full->out.stride[full->rank - 1]};
    const int bf = full->precision == STF_BF16;
    size_t work_bytes = 0;

    if (is_half(full))
        return fft->make_plan_of(
            plan->handle, full->rank, n, in, apart[0], full->in.dist,
            full->kind == STF_R2C ? real_halves[bf] : complex_halves[bf], out,
            apart[1], full->out.dist,
            full->kind == STF_C2R ? real_halves[bf] : complex_halves[bf],
            full->batch, &work_bytes, complex_halves[bf]);
    return fft->make_plan(plan->handle, full->rank, n, in, apart[0],
                          full->in.dist, out, apart[1], full->out.dist,
                          kinds[row].type[column], full->batch, &work_bytes);
}

static stf_status make_plan(peer_plan *plan, const stf_fft_desc *full, int row,
                            int column)
{
    const cufft *fft = &plan->peer->fft;
    long long n[CUFFT_RANKS], in[CUFFT_RANKS], out[CUFFT_RANKS];
    stf_status status;

    for (int a = 0; a < full->rank; a++)
        n[a] = full->n[a];
    if ((status = embed(full, &full->in, in)) != STF_OK
        || (status = embed(full, &full->out, out)) != STF_OK
        || (status = check(fft->create(&plan->handle), "cufftCreate"))
               != STF_OK)
        return status;
    status =
        check(call_make_plan(plan, full, row, column, n, in, out),
              is_half(full) ? "cufftXtMakePlanMany" : "cufftMakePlanMany64");
    if (status != STF_OK)
        fft->destroy(plan->handle);
    return status;
}

static stf_status cufft_plan_fft(stfi_peer *base, const stf_fft_desc *full,
                                 stf_direction direction, void *in, void *out,
                                 int threads, int measure,
                                 stfi_peer_plan **plan_p)
{
    peer *p = (peer *)base;
    int row = 0, column = 0;
    const char *execute;
    peer_plan *plan;
    stf_status status = find_kind(full, &row, &column);

    (void)threads, (void)measure;
    if (status != STF_OK)
        return status;
    plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return stfi_error(STF_ERR_MEMORY, "out of memory for a peer's plan");
    plan->base.ops = &stfi_peer_cufft;
    plan->peer = p;
    plan->in = in;
    plan->out = out;
    plan->direction = direction == STF_FORWARD ? CUFFT_FORWARD : CUFFT_INVERSE;
    execute = (const char *)&p->fft + kinds[row].execute[column];
    if (is_half(full))
        plan->execute_complex = p->fft.of_halves;
    else if (full->kind == STF_C2C)
        plan->execute_complex = *(execute_complex_fn *const *)execute;
    else
        plan->execute_real = *(execute_real_fn *const *)execute;
    if ((status = enter(p)) == STF_OK) {
        status = make_plan(plan, full, row, column);
        leave(p);
    }
    if (status == STF_OK)
        *plan_p = &plan->base;
    else
        free(plan);
    return status;
}

static stf_status cufft_execute(stfi_peer_plan *base, void *stream)
{
    peer_plan *plan = (peer_plan *)base;
    stf_status status = enter(plan->peer);

    if (status != STF_OK)
        return status;
    status = check(plan->peer->fft.set_stream(plan->handle, stream),
                   "cufftSetStream");
    if (status == STF_OK && plan->execute_complex != NULL)
        status = check(plan->execute_complex(plan->handle, plan->in, plan->out,
                                             plan->direction),
                       "cufftExec");
    else if (status == STF_OK)
        status = check(plan->execute_real(plan->handle, plan->in, plan->out),
                       "cufftExec");
    leave(plan->peer);
    return status;
}

static void cufft_plan_destroy(stfi_peer_plan *base)
{
    peer_plan *plan = (peer_plan *)base;

    if (enter(plan->peer) == STF_OK) {
        plan->peer->fft.destroy(plan->handle);
        leave(plan->peer);
    }
    free(plan);
}

const stfi_peer_ops stfi_peer_cufft = {
    .name = "cufft",
    .backend = "cuda",
    .open = cufft_open,
    .close = cufft_close,
    .plan_fft = cufft_plan_fft,
    .execute = cufft_execute,
    .plan_destroy = cufft_plan_destroy,
};
