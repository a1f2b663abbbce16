/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Uploading weights to device memory; see weights.h. */
#include "run/end_to_end/weights.h"

#include <string.h>

#include "base/alloc.h"
#include "fft/desc.h"

static stf_status upload(const stf_device *dev, const void *data, size_t bytes,
                         void **copy_p)
{
    const stfi_backend *backend = dev->backend;
    stf_status status = backend->device->mem_alloc(dev->ctx, bytes, copy_p);

    return status != STF_OK
               ? status
               : backend->device->mem_copy(dev->ctx, *copy_p, data, bytes,
                                           STFI_TO_DEVICE, NULL);
}

/* Packs element k of e: two numbers of eight bits each, which bfloat16 holds
 * exactly. */
static uint32_t pack(const stfi_ft_vector *v, int64_t k)
{
    stf_precision sums = stfi_type_get(v->key.precision)->sums;
    uint32_t bits[2];

    for (int c = 0; c < 2; c++) {
        float part = (float)stfi_type_read(sums, v->e, 2 * k + c);
        memcpy(&bits[c], &part, sizeof part);
    }
    return bits[0] >> 16 | (bits[1] & 0xffff0000u);
}

static stf_status upload_phases(const stf_device *dev, const stfi_ft_vector *v,
                                void **copy_p)
{
    size_t bytes = (size_t)v->count * sizeof(uint32_t);
    uint32_t *packed;
    void *memory;
    stf_status status = stfi_alloc_raw(bytes, "a check's weights", &memory);

    if (status != STF_OK)
        return status;
    packed = memory;
    for (int64_t k = 0; k < v->count; k++)
        packed[k] = pack(v, k);
    status = upload(dev, packed, bytes, copy_p);
    stfi_dealloc(packed);
    return status;
}

/* Finds the number of a vector's table, and uploads the vector if it has
 * none. */
static stf_status find_table(const stf_device *dev, stfi_e2e_weights *w,
                             const stfi_ft_vector *v, int *at_p)
{
    size_t element = 2 * stfi_type_sums(v->key.precision)->bytes;
    stf_status status;
    int at = 0;

    while (at < w->count && w->table[at].vector != v)
        at++;
    *at_p = at;
    if (at < w->count)
        return STF_OK;
    w->table[at].vector = v;
    w->count++;
    status = upload_phases(dev, v, &w->table[at].e);
    return status != STF_OK
               ? status
               : upload(dev, v->row, (size_t)(v->key.n + 1) * element,
                        &w->table[at].row);
}

stf_status stfi_e2e_weights_move(const stf_device *dev,
                                 stfi_e2e_weights *weights,
                                 stfi_ft_offline *check)
{
    stf_status status = STF_OK;
    int at;

    for (int a = 0; a < check->in.rank && status == STF_OK; a++) {
        status = find_table(dev, weights, check->vector[a], &at);
        check->in.weight[a] = weights->table[at].row;
        check->out.weight[a] = weights->table[at].e;
    }
    return status;
}

void stfi_e2e_weights_free(const stf_device *dev, stfi_e2e_weights *weights)
{
    for (int i = 0; i < weights->count; i++) {
        dev->backend->device->mem_free(dev->ctx, weights->table[i].e);
        dev->backend->device->mem_free(dev->ctx, weights->table[i].row);
    }
    weights->count = 0;
}

size_t stfi_e2e_desc_bytes(const stf_device *dev, const stf_fft_desc *full)
{
    int64_t most = 0;

    for (int output = 0; output < 2; output++) {
        int64_t elements = 1;
        for (int a = 0; a < full->rank; a++)
            elements *= stfi_desc_extent(full, a, output);
        most = elements > most ? elements : most;
    }
    return dev->backend->e2e->bytes(most, full->batch);
}
