/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Random input and gathered elements of transforms; see data.h. */
#include "tools/file/data.h"

#include "fft/desc.h"
#include "run/fft/pack.h"
#include "support/problem/component.h"
#include "support/problem/problem.h"

enum { FILL_PART = 1 << 16 };

/* The offset of point number `index`, counted over all axes but the last;
 * *mirror_p is the number of its mirror image, at the negated frequencies. */
static int64_t offset_of(const stf_fft_desc *full, int64_t index,
                         int64_t *mirror_p)
{
    int64_t offset = 0, mirror = 0, weight = 1;

    for (int a = full->rank - 2; a >= 0; a--) {
        int64_t n = full->n[a], i = index % n;
        offset += i * full->in.stride[a];
        mirror += weight * (i == 0 ? 0 : n - i);
        weight *= n;
        index /= n;
    }
    *mirror_p = mirror;
    return offset;
}

/* Makes one plane of one transform conjugate-even; `base` is its element 0. */
static void symmetrise_plane(const stf_fft_desc *full, void *in, int64_t base,
                             int64_t points)
{
    stf_precision type = full->precision;

    for (int64_t i = 0; i < points; i++) {
        int64_t j, again;
        int64_t from = base + offset_of(full, i, &j);
        int64_t to = base + offset_of(full, j, &again);

        if (i == j) {
            stfi_type_write(type, in, 2 * from + 1, 0.0L);
        } else if (i < j) {
            stfi_type_write(type, in, 2 * to,
                            stfi_type_read(type, in, 2 * from));
            stfi_type_write(type, in, 2 * to + 1,
                            -stfi_type_read(type, in, 2 * from + 1));
        }
    }
}

void stfi_data_symmetrise(const stf_fft_desc *full, void *in)
{
    int last = full->rank - 1;
    int64_t n = full->n[last], points = 1;

    for (int a = 0; a < last; a++)
        points *= full->n[a];
    for (int64_t t = 0; t < full->batch; t++) {
        int64_t base = t * full->in.dist;
        symmetrise_plane(full, in, base, points);
        if (n % 2 == 0)
            symmetrise_plane(full, in, base + n / 2 * full->in.stride[last],
                             points);
    }
}

/* Fills memory with random numbers in parallel; the values are those that one
 * thread would draw one after the other. */
static void fill(stf_precision precision, char *memory, int64_t count,
                 uint64_t seed)
{
    int64_t bytes = (int64_t)stfi_type_get(precision)->bytes;

#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (count > FILL_PART)
#endif
    for (int64_t first = 0; first < count; first += FILL_PART) {
        int64_t some = count - first < FILL_PART ? count - first : FILL_PART;
        uint64_t state = seed;

        stfi_random_skip(&state, first);
        stfi_random_fill(precision, memory + first * bytes, some, &state);
    }
}

void stfi_data_fill(const stf_fft_desc *full, void *memory, uint64_t seed)
{
    int64_t lowest, count = stfi_problem_span(full, 0, &lowest);
    size_t bytes = stfi_problem_element_bytes(full, 0);
    int complex = !stfi_kind_get(full->kind)->real_in;

    fill(full->precision, memory, count * (complex ? 2 : 1), seed);
    if (full->kind == STF_C2R)
        stfi_data_symmetrise(full, (char *)memory - lowest * (int64_t)bytes);
}

void stfi_data_gather(const stf_fft_desc *full, int output, const void *from,
                      int64_t transform, void *to)
{
    stfi_pack(full, output, transform, 1, from, to, 1);
}
