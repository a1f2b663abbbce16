/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Arrays in memory; see array.h. */
#include "tools/file/array.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/status.h"
#include "fft/desc.h"
#include "support/problem/component.h"

int64_t stfi_array_count(const stfi_array *a)
{
    int64_t count = 1;
    for (int i = 0; i < a->rank; i++)
        count *= a->n[i];
    return count;
}

size_t stfi_array_element_bytes(const stfi_array *a)
{
    return stfi_type_get(a->precision)->bytes * (a->complex ? 2 : 1);
}

stf_status stfi_array_bytes(const stfi_array *a, size_t *bytes_p)
{
    size_t bytes = stfi_array_element_bytes(a);
    stf_status status = STF_OK;

    for (int i = 0; i < a->rank && status == STF_OK; i++)
        status = stfi_bytes(bytes, (size_t)a->n[i], 1, "the array", &bytes);
    if (status == STF_OK && bytes > INT64_MAX / 16)
        status = stfi_error(STF_ERR_MEMORY,
                            "the array: %zu bytes are too "
                            "many",
                            bytes);
    if (status == STF_OK)
        *bytes_p = bytes;
    return status;
}

stf_status stfi_array_alloc(stfi_array *a)
{
    size_t bytes;
    stf_status status = stfi_array_bytes(a, &bytes);

    a->data = NULL;
    return status == STF_OK ? stfi_alloc_raw(bytes, "the array", &a->data)
                            : status;
}

void stfi_array_free(stfi_array *a)
{
    stfi_dealloc(a->data);
    a->data = NULL;
}

/* ------------------------------------------------------------- components */

stf_status stfi_array_convert(stfi_array *a, stf_precision precision,
                              int complex)
{
    int widen = complex && !a->complex;
    int64_t count = stfi_array_count(a) * (a->complex ? 2 : 1);
    stfi_array to = *a;
    stf_status status;

    if (precision == a->precision && !widen)
        return STF_OK;
    to.precision = precision;
    to.complex = a->complex || complex;
    status = stfi_array_alloc(&to);
    if (status != STF_OK)
        return status;
    for (int64_t i = 0; i < count; i++) {
        stfi_type_write(precision, to.data, widen ? 2 * i : i,
                        stfi_type_read(a->precision, a->data, i));
        if (widen)
            stfi_type_write(precision, to.data, 2 * i + 1, 0.0L);
    }
    stfi_array_free(a);
    *a = to;
    return STF_OK;
}

int stfi_array_finite(const stfi_array *a)
{
    int64_t count = stfi_array_count(a) * (a->complex ? 2 : 1);

    for (int64_t i = 0; i < count; i++)
        if (!isfinite(stfi_type_read(a->precision, a->data, i)))
            return 0;
    return 1;
}

int stfi_array_print(const stfi_array *a, char *text, size_t capacity)
{
    char shape[STFI_ARRAY_RANK * 21 + 1] = "";
    size_t used = 0;

    for (int i = 0; i < a->rank; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used,
                                 "%s%" PRId64, i > 0 ? "x" : "", a->n[i]);
    return snprintf(text, capacity, "%s %s %s", shape,
                    a->complex ? "complex" : "real",
                    stfi_type_get(a->precision)->name);
}
