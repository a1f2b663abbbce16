/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Vectors of single butterflies; see stage.h. */
#include "ft/weights/stage.h"

#include <math.h>
#include <pthread.h>

#include "ft/weights/butterfly_network.h"
#include "ft/weights/optimise.h"
#include "math/roots.h"

static void make_row(int radix, stfi_ft_stage *s)
{
    for (int j = 0; j < radix; j++) {
        long double re = 0, im = 0;
        for (int k = 0; k < radix; k++) {
            long double c, d;
            stfi_root_l((uint64_t)(j * k % radix), (uint64_t)radix, &c, &d);
            re += s->e[2 * k] * c - s->e[2 * k + 1] * d;
            im += s->e[2 * k] * d + s->e[2 * k + 1] * c;
        }
        s->row[2 * j] = (double)re;
        s->row[2 * j + 1] = (double)im;
    }
}

/* The vectors that were made so far. A plan asks for those of each of its
 * stages, and there are few radices, so they are kept as long as the process
 * lives. */
static struct {
    pthread_mutex_t lock;
    int is_made[STFI_FT_LARGEST_RADIX + 1];
    stfi_ft_stage stage[STFI_FT_LARGEST_RADIX + 1];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Takes the vectors of a radix if they are kept; returns 0 otherwise. */
static int take(int radix, stfi_ft_stage *stage_p)
{
    int is_made;

    pthread_mutex_lock(&kept.lock);
    is_made = kept.is_made[radix];
    if (is_made)
        *stage_p = kept.stage[radix];
    pthread_mutex_unlock(&kept.lock);
    return is_made;
}

static void keep(int radix, const stfi_ft_stage *stage)
{
    pthread_mutex_lock(&kept.lock);
    kept.stage[radix] = *stage;
    kept.is_made[radix] = 1;
    pthread_mutex_unlock(&kept.lock);
}

/* The vectors are made without holding the lock, so that nobody waits for those
 * of another radix. */
stf_status stfi_ft_stage_make(int radix, stfi_ft_stage *stage_p)
{
    stfi_network_shape shape =
        stfi_network_shape_make(STFI_OP_FFT, STFI_CONV_NONE, radix, 1, &radix);
    float e[2 * STFI_FT_LARGEST_RADIX];
    stfi_ft_stage made = {.e = {0}};
    stf_status status;

    if (take(radix, stage_p))
        return STF_OK;
    status = stfi_ft_optimised_vector(&shape, radix, e);
    if (status != STF_OK)
        return status;
    for (int i = 0; i < 2 * radix; i++)
        made.e[i] = (double)e[i];
    make_row(radix, &made);
    keep(radix, &made);
    *stage_p = made;
    return STF_OK;
}

double stfi_ft_stage_factor(int radix, int twiddled)
{
    double r = radix;

    return sqrt(r * (1 + log2(r) + (twiddled != 0))) + r;
}
