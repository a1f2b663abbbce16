/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lists of radices; see gpu_radices.h. */
#include "fft/gpu_radices.h"

#include "device/tuning.h"
#include "fft/gpu/residency.h"
#include "fft/gpu_shape_cost.h"

/* A list that is being made, axis by axis. */
typedef struct search {
    const stfi_gpu_tile *tile;
    const stfi_tuning *tuning;
    const stfi_gpu_radices_use *use;
    int count;
    int radix[STFI_GPU_STAGES];
    unsigned char axis[STFI_GPU_STAGES];
    double ops;
} search;

static int count_axes(const stfi_gpu_tile *tile)
{
    return tile->axes != NULL ? tile->axes->count : 1;
}

/* Returns the product of the axes after one. */
static int64_t rest_after(const stfi_gpu_tile *tile, int axis)
{
    int64_t rest = 1;

    for (int a = axis + 1; a < count_axes(tile); a++)
        rest *= tile->axes->n[a];
    return rest;
}

/* Puts the radices into the order of stages, and has the list taken. */
static void take(const search *s)
{
    stfi_gpu_radices r = {.count = s->count, .largest = 1, .ops = s->ops};
    int outer = 0;

    while (outer < s->count && s->axis[outer] == 0)
        outer++;
    r.sorts = outer == 1 && s->count > 1;
    for (int i = 0; i < s->count; i++) {
        const int stage = i == 0 && !r.sorts ? 0
                          : i < outer        ? s->count - outer + i
                                             : i - outer + !r.sorts;
        r.radix[stage] = s->radix[i];
        r.axis[stage] = s->axis[i];
        r.largest = s->radix[i] > r.largest ? s->radix[i] : r.largest;
    }
    s->use->take(s->use->arg, &r);
}

/* Returns 1 if a stage may have the radix. */
static int is_allowed(const search *s, int r)
{
    const int is_double = stfi_gpu_is_double(s->tile->real_bytes);
    const int units = s->tile->unit_radix;

    return !(s->tile->matrix && r > STFI_GPU_MATRIX_RADIX)
           && !(units > 0 && r % 2 == 0 && (r > units || !stfi_gpu_is_even(r)))
           && !(r > s->tuning->largest_direct[is_double]
                && stfi_gpu_is_prime(r));
}

static void try_axis(search *s, int axis);

/* Tries all products of radices for the rest of an axis, up to row `top`. */
static void try_radices(search *s, int axis, int64_t rest, int top)
{
    const stfi_tuning *t = s->tuning;
    const int most =
        s->tile->unit_radix > 0 ? STFI_GPU_STAGES : STFI_GPU_STAGES_MOST;

    if (rest == 1) {
        try_axis(s, axis + 1);
        return;
    }
    for (int i = top;
         i >= 0 && s->count < most
         && s->use->may_go_on(s->use->arg, s->ops,
                              rest * rest_after(s->tile, axis), s->count);
         i--) {
        const stfi_radix_cost *radix = &t->radices[i];
        const double before = s->ops;
        if (rest % radix->r != 0 || !is_allowed(s, radix->r))
            continue;
        s->radix[s->count] = radix->r;
        s->axis[s->count++] = (unsigned char)axis;
        s->ops += radix->ops + t->twiddle_cost;
        if (s->tile->far && s->tile->n <= t->long_column
            && radix->r > t->long_butterfly)
            s->ops += t->far_cost;
        try_radices(s, axis, rest / radix->r, i);
        s->count--;
        s->ops = before;
    }
}

/* Tries all radices of an axis and of those that follow. */
static void try_axis(search *s, int axis)
{
    const stfi_axes *axes = s->tile->axes;

    if (axis == count_axes(s->tile))
        take(s);
    else
        try_radices(s, axis, axes != NULL ? axes->n[axis] : s->tile->n,
                    s->tuning->radices_count - 1);
}

void stfi_gpu_each_radices(const stfi_gpu_tile *tile, const stfi_caps *caps,
                           const stfi_gpu_radices_use *use)
{
    search s = {.tile = tile, .tuning = stfi_tuning_of(caps), .use = use};

    try_axis(&s, 0);
}

void stfi_gpu_radices_reverse(int *radix, int count)
{
    for (int i = 0; i < count / 2; i++) {
        int t = radix[i];
        radix[i] = radix[count - 1 - i];
        radix[count - 1 - i] = t;
    }
}
