/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Errors of computed transforms; see accuracy.h. Transforms are gathered into
 * packed arrays, a chunk at a time, so that any layout can be checked in
 * little memory. "Wide" is the type of the reference, F80 or F64. */
#include "tools/verify/accuracy.h"

#include <math.h>
#include <string.h>

#include "support/oracle/naive.h"
#include "base/alloc.h"
#include "base/status.h"
#include "fft/desc.h"
#include "support/problem/component.h"
#include "tools/file/data.h"

/* The number of products that direct sums may cost, which take about 0.1 s. F80
 * data are summed in a wider type, which is about 64 times slower. */
static const double DIRECT_LIMIT = 0x1p23, WIDE_FACTOR = 64.0;

/* SHARED_COUNT: a shorter loop is done by one thread, as waking others would
 * cost more; a longer one is shared in SLICES parts. */
enum { CHUNK_POINTS = 1 << 18, SHARED_COUNT = 1 << 16, SLICES = 64 };

/* A chunk of packed transforms. */
typedef struct chunk {
    stf_fft_desc plain;  /* completed, in the type of the data */
    stf_fft_desc better; /* the same in the wide type */
    int64_t in_count;    /* components of one transform */
    int64_t out_count;
    void *in, *got;    /* type of the data */
    void *wide, *want; /* the wide type */
    stf_plan *plan;
    stfi_peer_plan *peer_plan;
} chunk;

void stfi_accuracy_begin(stfi_accuracy *a, stfi_reference which)
{
    *a = (stfi_accuracy){.which = which};
}

void stfi_accuracy_end(stfi_accuracy *a)
{
    stfi_peer_close(a->fftw);
    stf_device_close(a->cpu);
    *a = (stfi_accuracy){.which = a->which};
}

void stfi_accuracy_reset(stfi_accuracy *a)
{
    a->error2 = a->norm2 = a->absolute = a->relative = 0.0L;
    a->elements = 0.0;
    a->transforms = 0;
}

double stfi_accuracy_error(const stfi_accuracy *a)
{
    if (isnan(a->error2))
        return INFINITY;
    if (a->norm2 == 0.0L)
        return a->error2 == 0.0L ? 0.0 : INFINITY;
    return (double)sqrtl(a->error2 / a->norm2);
}

stfi_error_means stfi_accuracy_means(const stfi_accuracy *a)
{
    const double elements = a->elements > 0.0 ? a->elements : 1.0;

    return (stfi_error_means){(double)a->absolute / elements,
                              (double)a->relative / elements,
                              sqrt((double)a->norm2 / elements)};
}

/* ------------------------------------------------------------- references */

static stfi_reference choose(const stfi_accuracy *a, const stf_fft_desc *full,
                             int64_t every)
{
    double points = 1.0, lengths = 0.0, work;

    if (a->which != STFI_REFERENCE_AUTO)
        return a->which;
    for (int i = 0; i < full->rank; i++) {
        points *= (double)full->n[i];
        lengths += (double)full->n[i];
    }
    work = points * lengths * ceil((double)full->batch / (double)every);
    if (full->precision == STF_F80)
        return work * WIDE_FACTOR <= DIRECT_LIMIT ? STFI_REFERENCE_DIRECT
                                                  : STFI_REFERENCE_FFTW;
    return work <= DIRECT_LIMIT ? STFI_REFERENCE_DIRECT : STFI_REFERENCE_F80;
}

static stf_status prepare_cpu(stfi_accuracy *a, chunk *c)
{
    const char *name = stfi_type_get(c->better.precision)->name;
    stf_status status = STF_OK;

    if (c->plain.precision >= c->better.precision)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "an %s plan is not more "
                          "precise than %s",
                          name, stfi_type_get(c->plain.precision)->name);
    if (a->cpu == NULL)
        status = stf_device_open("cpu", &a->cpu);
    return status == STF_OK ? stf_plan_fft(a->cpu, &c->better, &c->plan)
                            : status;
}

static stf_status prepare_fftw(stfi_accuracy *a, stf_direction direction,
                               chunk *c)
{
    stf_status status = STF_OK;

    if (a->fftw == NULL)
        status = stfi_peer_open("fftw", "cpu", &a->fftw);
    return status == STF_OK
               ? stfi_peer_plan_fft(a->fftw, &c->better, direction, c->wide,
                                    c->want, 1, 0, &c->peer_plan)
               : status;
}

/* Copies the chunk's input to the wide type. */
static void widen(chunk *c)
{
    int64_t count = c->in_count * c->plain.batch;
    const float *narrow = c->in;
    double *wide = c->wide;

    if (c->better.precision != STF_F64) {
        stfi_load_many(c->plain.precision, c->in, 0, count, c->wide);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (count > SHARED_COUNT)
#endif
    for (int64_t i = 0; i < count; i++)
        wide[i] = narrow[i];
}

/* Computes c->want of the whole chunk from c->in. */
static stf_status compute_want(chunk *c, stf_direction direction)
{
    double scale = direction == STF_FORWARD ? c->better.scale_forward
                                            : c->better.scale_inverse;
    int64_t components = c->out_count * c->better.batch;
    long double *want = c->want;
    stf_status status;

    if (c->plan == NULL && c->peer_plan == NULL)
        return stfi_naive_fft(&c->plain, direction, c->in, c->want);
    widen(c);
    if (c->plan != NULL)
        return stf_execute_host(c->plan, direction, c->wide, c->want);
    status = stfi_peer_execute(c->peer_plan, NULL);
    for (int64_t i = 0; scale != 1.0 && i < components; i++)
        want[i] *= scale; /* the peer has no scale factors */
    return status;
}

/* ----------------------------------------------------------------- chunks */

static void chunk_free(chunk *c)
{
    stfi_peer_plan_destroy(c->peer_plan);
    stf_plan_destroy(c->plan);
    stfi_dealloc(c->in);
    stfi_dealloc(c->got);
    stfi_dealloc(c->wide);
    stfi_dealloc(c->want);
}

static stf_status chunk_make(const stf_fft_desc *full, int64_t most,
                             stf_precision wide, chunk *c)
{
    stf_fft_desc d = *full;
    double points = 1.0;
    size_t real = stfi_type_get(full->precision)->bytes;
    size_t wide_real = stfi_type_get(wide)->bytes;
    stf_status status;

    *c = (chunk){.in_count = 1, .out_count = 1};
    for (int a = 0; a < d.rank; a++) {
        points *= (double)d.n[a];
        c->in_count *= stfi_desc_extent(full, a, 0);
        c->out_count *= stfi_desc_extent(full, a, 1);
    }
    c->in_count *= stfi_kind_get(d.kind)->real_in ? 1 : 2;
    c->out_count *= stfi_kind_get(d.kind)->real_out ? 1 : 2;
    d.batch = points > CHUNK_POINTS ? 1 : (int64_t)(CHUNK_POINTS / points);
    if (d.batch > most)
        d.batch = most;
    d.ft = (stf_ft_desc){.mode = STF_FT_OFF};
    memset(&d.in, 0, sizeof d.in);
    memset(&d.out, 0, sizeof d.out);
    if ((status = stfi_desc_complete(&d, &c->plain)) != STF_OK)
        return status;
    c->better = c->plain;
    c->better.precision = wide;
    c->better.compute = STF_COMPUTE_NATIVE;
    if ((status = stfi_alloc((size_t)(c->in_count * d.batch) * real, "a check",
                             &c->in))
            != STF_OK
        || (status =
                stfi_alloc((size_t)c->out_count * real, "a check", &c->got))
               != STF_OK
        || (status = stfi_alloc((size_t)(c->in_count * d.batch) * wide_real,
                                "a check", &c->wide))
               != STF_OK
        || (status = stfi_alloc((size_t)(c->out_count * d.batch) * wide_real,
                                "a check", &c->want))
               != STF_OK)
        chunk_free(c);
    return status;
}

/* Sums of squares of the errors and of the wanted values, and of errors. */
typedef struct squares {
    long double error, norm, absolute, relative;
} squares;

static long double relative_error(long double e, long double want)
{
    e = fabsl(e);
    want = fabsl(want);
    return e < want ? e / want : e > 0.0L ? 1.0L : 0.0L;
}

/* `parts`: components of an element; from and to are multiples of it. */
static squares add_squares(const chunk *c, int64_t i, int parts, int64_t from,
                           int64_t to)
{
    stf_precision plain = c->plain.precision, wide = c->better.precision;
    squares sum = {0.0L, 0.0L, 0.0L, 0.0L};

    for (int64_t k = from; k < to; k += parts) {
        long double square = 0.0L;
        for (int j = 0; j < parts; j++) {
            long double want =
                stfi_type_read(wide, c->want, i * c->out_count + k + j);
            long double e = stfi_type_read(plain, c->got, k + j) - want;
            square += e * e;
            sum.norm += want * want;
            sum.relative += relative_error(e, want);
        }
        sum.error += square;
        sum.absolute += sqrtl(square);
    }
    return sum;
}

/* Each slice has sums of its own, so that the result does not depend on the
 * number of threads or their order. A reduction of long doubles by OpenMP would
 * also need a library of atomics with some compilers. */
static void add_transform(stfi_accuracy *a, const chunk *c, int64_t i)
{
    const int parts = stfi_kind_get(c->plain.kind)->real_out ? 1 : 2;
    const int64_t count = c->out_count, each = count / parts / SLICES * parts;
    int slices = count > SHARED_COUNT ? SLICES : 1;
    squares part[SLICES];

#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (slices > 1)
#endif
    for (int s = 0; s < slices; s++)
        part[s] = add_squares(c, i, parts, slices > 1 ? each * s : 0,
                              s + 1 < slices ? each * (s + 1) : count);
    for (int s = 0; s < slices; s++) {
        a->error2 += part[s].error;
        a->norm2 += part[s].norm;
        a->absolute += part[s].absolute;
        a->relative += part[s].relative;
    }
    a->elements += (double)(count / parts);
    a->transforms++;
}

stf_status stfi_accuracy_add(stfi_accuracy *a, const stf_fft_desc *full,
                             stf_direction direction, const void *in,
                             const void *out, int64_t every)
{
    static const char *const names[] = {
        [STFI_REFERENCE_AUTO] = "",
        [STFI_REFERENCE_DIRECT] = "direct sums",
        [STFI_REFERENCE_F80] = "f80 on the cpu",
        [STFI_REFERENCE_F64] = "f64 on the cpu",
        [STFI_REFERENCE_FFTW] = "FFTW in long double",
    };
    stfi_reference which = choose(a, full, every);
    int64_t total = (full->batch + every - 1) / every;
    chunk c;
    stf_status status = chunk_make(
        full, total, which == STFI_REFERENCE_F64 ? STF_F64 : STF_F80, &c);

    if (status != STF_OK)
        return status;
    if (which == STFI_REFERENCE_F80 || which == STFI_REFERENCE_F64)
        status = prepare_cpu(a, &c);
    if (which == STFI_REFERENCE_FFTW)
        status = prepare_fftw(a, direction, &c);
    for (int64_t t = 0; t < total && status == STF_OK; t += c.plain.batch) {
        int64_t count = total - t < c.plain.batch ? total - t : c.plain.batch;
        for (int64_t i = 0; i < count; i++)
            stfi_data_gather(full, 0, in, (t + i) * every,
                             (char *)c.in
                                 + (size_t)(i * c.in_count)
                                       * stfi_type_get(full->precision)->bytes);
        status = compute_want(&c, direction);
        for (int64_t i = 0; i < count && status == STF_OK; i++) {
            stfi_data_gather(full, 1, out, (t + i) * every, c.got);
            add_transform(a, &c, i);
        }
    }
    chunk_free(&c);
    if (status == STF_OK)
        a->reference = names[which];
    return status;
}
