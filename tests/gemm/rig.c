/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products in watched memory; see rig.h. */
#include "tests/gemm/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/type.h"
#include "gemm/gemm_desc.h"
#include "run/device.h"
#include "support/problem/distribution.h"

static const char names[] = {'a', 'b', 'c'};

static int64_t rows_of(const stf_gemm_desc *d, int matrix)
{
    return matrix == RIG_B ? d->k : d->m;
}

static int64_t columns_of(const stf_gemm_desc *d, int matrix)
{
    return matrix == RIG_A ? d->k : d->n;
}

/* Elements from the first to the last of the batch, and how many of them lie
 * before those of member 0. */
static int64_t span_of(const stf_gemm_desc *d, int matrix, int64_t *before_p)
{
    int64_t rows = rows_of(d, matrix), columns = columns_of(d, matrix);
    int64_t dist = matrix == RIG_A   ? d->dist_a
                   : matrix == RIG_B ? d->dist_b
                                     : d->dist_c;
    int64_t steps = (d->batch - 1) * (dist < 0 ? -dist : dist);

    *before_p = dist < 0 ? steps : 0;
    return rows == 0 || columns == 0
               ? 0
               : steps + 1
                     + stfi_naive_gemm_place(d, names[matrix], 0, rows - 1,
                                             columns - 1);
}

static stf_precision type_of(const stf_gemm_desc *d, int matrix)
{
    return matrix == RIG_C ? d->precision_c : d->precision;
}

long double rig_get(const rig *r, int matrix, int64_t member, int64_t i,
                    int64_t j)
{
    return stfi_type_read(
        type_of(&r->full, matrix), r->at[matrix],
        stfi_naive_gemm_place(&r->full, names[matrix], member, i, j));
}

void rig_set(rig *r, int matrix, int64_t member, int64_t i, int64_t j,
             long double value)
{
    stfi_type_write(
        type_of(&r->full, matrix), r->at[matrix],
        stfi_naive_gemm_place(&r->full, names[matrix], member, i, j), value);
}

static int make_array(rig *r, int matrix, int shift, double low,
                      uint64_t *state)
{
    const stf_gemm_desc *d = &r->full;
    int64_t before, count = span_of(d, matrix, &before) + shift;

    r->size[matrix] = (size_t)count * r->bytes[matrix];
    r->memory[matrix] = malloc(r->size[matrix] + 1);
    if (r->memory[matrix] == NULL)
        return 0;
    for (int64_t i = 0; i < count; i++)
        stfi_type_write(type_of(d, matrix), r->memory[matrix], i, NAN);
    r->at[matrix] =
        (char *)r->memory[matrix] + (size_t)(shift + before) * r->bytes[matrix];
    for (int64_t b = 0; b < d->batch; b++)
        for (int64_t j = 0; j < columns_of(d, matrix); j++)
            for (int64_t i = 0; i < rows_of(d, matrix); i++)
                rig_set(r, matrix, b, i, j, stfi_random_uniform(low, 1, state));
    return 1;
}

int rig_make(rig *r, const stf_gemm_desc *d, int shift, double low,
             uint64_t seed)
{
    memset(r, 0, sizeof *r);
    if (stfi_gemm_desc_complete(d, &r->full) != STF_OK)
        return 0;
    for (int matrix = RIG_A; matrix <= RIG_C; matrix++)
        r->bytes[matrix] = stfi_type_get(type_of(d, matrix))->bytes;
    for (int matrix = RIG_A; matrix <= RIG_C; matrix++)
        if (!make_array(r, matrix, shift, low, &seed))
            return 0;
    r->before = malloc(r->size[RIG_C] + 1);
    if (r->before == NULL)
        return 0;
    memcpy(r->before, r->memory[RIG_C], r->size[RIG_C]);
    rig_scalars(r, 1, 0);
    return 1;
}

void rig_free(rig *r)
{
    for (int matrix = RIG_A; matrix <= RIG_C; matrix++)
        free(r->memory[matrix]);
    free(r->before);
}

void rig_scalars(rig *r, double alpha, double beta)
{
    const stf_precision math = stfi_type_arithmetic(r->full.precision)->id;

    stfi_type_write(math, &r->alpha, 0, alpha);
    stfi_type_write(math, &r->beta, 0, beta);
}

void rig_restore(rig *r)
{
    memcpy(r->memory[RIG_C], r->before, r->size[RIG_C]);
}

stf_status rig_execute(rig *r, stf_plan *plan)
{
    return stf_execute_gemm(plan, &r->alpha, r->at[RIG_A], r->at[RIG_B],
                            &r->beta, r->at[RIG_C]);
}

/* ----------------------------------------------------------------- devices */

/* Copies the arrays to a device, in front of which lie as many elements as on
 * the host, so that they are aligned alike. */
static stf_status to_device(rig *r, stf_device *dev, char *at[3],
                            void *memory[3])
{
    stf_status status = STF_OK;

    for (int i = RIG_A; i <= RIG_C && status == STF_OK; i++) {
        status = stf_malloc(dev, r->size[i] + 1, &memory[i]);
        if (status == STF_OK)
            status = dev->backend->device->mem_copy(dev->ctx, memory[i],
                                                    r->memory[i], r->size[i],
                                                    STFI_TO_DEVICE, NULL);
        at[i] = (char *)memory[i] + ((char *)r->at[i] - (char *)r->memory[i]);
    }
    return status;
}

stf_status rig_execute_on(rig *r, stf_plan *plan, stf_device *dev)
{
    const size_t scalar = sizeof(rig_scalar);
    const void *alpha = &r->alpha, *beta = &r->beta;
    void *memory[3] = {NULL}, *scalars = NULL;
    char *at[3] = {NULL};
    stf_status status = to_device(r, dev, at, memory);

    if (status == STF_OK && r->full.scalars == STF_ON_DEVICE) {
        rig_scalar both[2] = {r->alpha, r->beta};
        status = stf_malloc(dev, sizeof both, &scalars);
        if (status == STF_OK)
            status = dev->backend->device->mem_copy(
                dev->ctx, scalars, both, sizeof both, STFI_TO_DEVICE, NULL);
        alpha = scalars;
        beta = (char *)scalars + scalar;
    }
    if (status == STF_OK)
        status = stf_execute_gemm(plan, alpha, at[RIG_A], at[RIG_B], beta,
                                  at[RIG_C]);
    if (status >= STF_OK) {
        stf_status copied = dev->backend->device->mem_copy(
            dev->ctx, r->memory[RIG_C], memory[RIG_C], r->size[RIG_C],
            STFI_TO_HOST, NULL);
        status = copied != STF_OK ? copied : status;
    }
    for (int i = RIG_A; i <= RIG_C; i++)
        stf_free(dev, memory[i]);
    stf_free(dev, scalars);
    return status;
}

/* -------------------------------------------------------------- comparison */

static void raise(double *most, long double error, long double bound)
{
    double ratio = error == 0 ? 0 : (double)(error / bound);

    if (!(ratio <= *most))
        *most = isnan(ratio) ? INFINITY : ratio;
}

/* Tells whether anything but the elements of C differs from before. */
static int is_touched(const rig *r)
{
    rig copy = *r;
    int touched;

    copy.memory[RIG_C] = malloc(r->size[RIG_C] + 1);
    if (copy.memory[RIG_C] == NULL)
        return 1;
    memcpy(copy.memory[RIG_C], r->before, r->size[RIG_C]);
    copy.at[RIG_C] = (char *)copy.memory[RIG_C]
                     + ((char *)r->at[RIG_C] - (char *)r->memory[RIG_C]);
    for (int64_t b = 0; b < r->full.batch; b++)
        for (int64_t j = 0; j < r->full.n; j++)
            for (int64_t i = 0; i < r->full.m; i++)
                rig_set(&copy, RIG_C, b, i, j, rig_get(r, RIG_C, b, i, j));
    touched = 0;
    for (size_t i = 0; i < r->size[RIG_C] / r->bytes[RIG_C]; i++) {
        long double x =
            stfi_type_read(r->full.precision_c, r->memory[RIG_C], (int64_t)i);
        long double y =
            stfi_type_read(r->full.precision_c, copy.memory[RIG_C], (int64_t)i);
        touched |= !(x == y || (isnan(x) && isnan(y)));
    }
    free(copy.memory[RIG_C]);
    return touched;
}

rig_result rig_compare(const rig *r)
{
    const size_t offset =
        (size_t)((char *)r->at[RIG_C] - (char *)r->memory[RIG_C]);
    const stfi_naive_gemm naive = {
        &r->full,     &r->alpha, r->at[RIG_A],
        r->at[RIG_B], &r->beta,  (char *)r->before + offset,
        r->cuts,
    };
    rig_result result = {.touched = is_touched(r)};

    for (int64_t b = 0; b < r->full.batch; b++)
        for (int64_t j = 0; j < r->full.n; j++)
            for (int64_t i = 0; i < r->full.m; i++) {
                stfi_naive_element e = stfi_naive_gemm_at(&naive, b, i, j);
                long double error = fabsl(rig_get(r, RIG_C, b, i, j) - e.value);
                raise(&result.bound, error, e.bound);
                raise(&result.usual, error, e.usual);
            }
    return result;
}
