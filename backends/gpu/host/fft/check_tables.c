/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tables of a pass's check: the weights of its sums, and the phases of its
 * results; see table_maker.h. */
#include "backends/gpu/host/fft/table_maker.h"

#include <string.h>

#include "backends/cpu/protect/cpu_places.h"
#include "fft/tables/complex_table.h"
#include "ft/weights/vector_form.h"

/* Component i of e, whose value is exact as a float in every precision. */
static float phase(stf_precision precision, const void *e, int64_t i)
{
    return (float)stfi_type_read(precision, e, i);
}

/* Packs both components of element k, times a power of two, into four bytes: the
 * upper half of each float, which is exact since components have at most eight
 * significant bits. */
static uint32_t pack_phase(stf_precision precision, const void *e, int64_t k,
                           float factor)
{
    uint32_t bits[2];

    for (int c = 0; c < 2; c++) {
        float v = factor * phase(precision, e, 2 * k + c);
        memcpy(&bits[c], &v, sizeof v);
    }
    return bits[0] >> 16 | (bits[1] & 0xffff0000u);
}

/* Makes a real vector e. */
static void make_real_phases(stfi_gpu_table_maker *m)
{
    const size_t bytes = m->sums->bytes;
    const int64_t count = m->p->check.points;
    char *e = stfi_gpu_new_table(m, count, bytes, &m->args->check.e);

    for (int64_t k = 0; e != NULL && k < count; k++)
        memcpy(e + (size_t)k * bytes,
               (const char *)m->p->check.e + 2 * (size_t)k * bytes, bytes);
}

/* Makes the vector e in the order of its elements, in four bytes each. */
static void make_phases(stfi_gpu_table_maker *m)
{
    const stfi_check *check = &m->p->check;
    int64_t count = stfi_ft_is_folded(m->p) ? m->p->n
                    : check->half           ? check->points / 2 + 1
                                            : check->points;
    uint32_t *e = stfi_gpu_new_table(m, count, sizeof *e, &m->args->check.e);

    for (int64_t k = 0; e != NULL && k < count; k++)
        e[k] = pack_phase(m->sums->id, check->e, k, 1);
}

/* Makes the weights of the elements of a half-complex spectrum that are turned by
 * quarters while they are made; kernels/fft/placed.h, is_quarter(). */
static void make_turned_phases(stfi_gpu_table_maker *m)
{
    int64_t count = m->p->check.points / 2 + 1;
    void *e =
        stfi_gpu_new_table(m, count, 2 * m->sums->bytes, &m->args->check.e);

    for (int64_t k = 0; e != NULL && k < count; k++) {
        long double re, im;
        stfi_cpu_places_result_weight(m->p, m->sums->id, k, &re, &im);
        stfi_complex_put(m->sums->id, e, k, re, im);
    }
}

/* Bytes of an element of the row; a real row has no imaginary parts. */
static size_t weight_bytes(const stfi_gpu_table_maker *m)
{
    return m->sums->bytes * (m->p->check.real_row ? 1 : 2);
}

static void copy_weight(const stfi_gpu_table_maker *m, int64_t k, void *to,
                        int64_t i)
{
    memcpy((char *)to + (size_t)i * weight_bytes(m),
           (const char *)m->p->check.row + 2 * (size_t)k * m->sums->bytes,
           weight_bytes(m));
}

/* Makes the weights of the reals of a half-complex load of C2R or C2R_TWO. */
static void make_row_of_reals(stfi_gpu_table_maker *m)
{
    int64_t count = m->p->check.points;
    void *row =
        stfi_gpu_new_table(m, count, weight_bytes(m), &m->args->check.row);

    for (int64_t k = 0; row != NULL && k < count; k++) {
        long double re, im;
        stfi_cpu_places_weight(m->p, m->sums->id, k, &re, &im);
        stfi_complex_put(m->sums->id, row, k, re, im);
    }
}

/* Makes the weights of the elements of half a spectrum X of T points, whose terms
 * are row[-k] X[k] + row[k] conj X[k]: a pair for each element, row[-k] + row[k] for
 * its real part and i (row[-k] - row[k]) for the imaginary one. The first element,
 * and the last one of an even T, are real and count half. */
static void make_row_of_halves(stfi_gpu_table_maker *m)
{
    const int64_t points = m->p->check.points, count = points / 2 + 1;
    const void *from = m->p->check.row;
    const stf_precision id = m->sums->id;
    void *row =
        stfi_gpu_new_table(m, 2 * count, weight_bytes(m), &m->args->check.row);

    for (int64_t k = 0; row != NULL && k < count; k++) {
        const int64_t mirror = (points - k) % points;
        const int whole = k != mirror;
        long double re = stfi_type_read(id, from, 2 * k),
                    im = stfi_type_read(id, from, 2 * k + 1),
                    other_re = stfi_type_read(id, from, 2 * mirror),
                    other_im = stfi_type_read(id, from, 2 * mirror + 1);

        stfi_complex_put(id, row, 2 * k, whole ? other_re + re : re,
                         whole ? other_im + im : im);
        stfi_complex_put(id, row, 2 * k + 1, im - other_im, other_re - re);
    }
}

/* Makes the weights of the pairs k, N - k of half a spectrum that C2R joins: r[N - k] +
 * r[k] and r[N - k] - r[k]. Elements that are alone are joined to twice themselves, or,
 * at the ends, to what they both are. */
static void make_row_of_pairs(stfi_gpu_table_maker *m)
{
    const int64_t n = m->p->n, count = n / 2 + 1;
    const void *from = m->p->check.row;
    const stf_precision id = m->sums->id;
    void *row =
        stfi_gpu_new_table(m, count, 2 * m->sums->bytes, &m->args->check.row);

    for (int64_t k = 0; row != NULL && k < count; k++) {
        long double one = stfi_type_read(id, from, 2 * k),
                    other = stfi_type_read(id, from, 2 * (n - k));

        stfi_complex_put(id, row, k, k > 0 ? other + one : one, other - one);
    }
}

/* Makes e for the pairs that R2C separates. Element 0 counts as half, since it makes
 * both ends. */
static void make_pair_phases(stfi_gpu_table_maker *m)
{
    const int64_t count = m->p->n / 2 + 1;
    uint32_t *e = stfi_gpu_new_table(m, count, sizeof *e, &m->args->check.e);

    for (int64_t k = 0; e != NULL && k < count; k++)
        e[k] = pack_phase(m->sums->id, m->p->check.e, k, k > 0 ? 1 : 0.5f);
}

static void make_row(stfi_gpu_table_maker *m)
{
    int64_t count = stfi_ft_is_folded(m->p) ? m->p->n : m->p->check.points + 1;
    void *row =
        stfi_gpu_new_table(m, count, weight_bytes(m), &m->args->check.row);

    for (int64_t k = 0; row != NULL && k < count; k++)
        copy_weight(m, k, row, k);
}

/* The order of registers: the weights for registers i = 0, 1, ... of a thread
 * are grouped in quads of 16 bytes, and quad q of all threads of a lane lie
 * side by side. So a thread loads 16 bytes at a time, and neighbouring threads
 * load neighbouring quads.
 * Source: backends/gpu/kernels/protect/trial.h, row_held, e_held. */
enum { QUAD_BYTES = 16 };

typedef struct order {
    int threads, held; /* threads per lane, elements per thread */
    int per_quad;
} order;

static order order_of(const stfi_pass *p, size_t each)
{
    return (order){p->block.threads / p->block.lanes, p->block.elements,
                   QUAD_BYTES / (int)each};
}

static int64_t order_count(const order *o)
{
    int quads = (o->held + o->per_quad - 1) / o->per_quad;

    return (int64_t)quads * o->threads * o->per_quad;
}

static int64_t order_place(const order *o, int t, int i)
{
    return ((int64_t)(i / o->per_quad) * o->threads + t) * o->per_quad
           + i % o->per_quad;
}

/* The element that thread t holds in register i before or after a stage of that
 * radix; -1 if it holds none there.
 * Source: backends/gpu/kernels/fft/tile.h, each_held(). */
static int64_t held_element(const stfi_gpu_table_maker *m, int radix,
                            int threads, int t, int i)
{
    int64_t gap = m->p->n / radix, b = t + (int64_t)(i / radix) * threads;

    return b < gap ? b + i % radix * gap : -1;
}

/* Component i in units of 1/64, plus 128, so that an unsigned byte holds it. */
static uint8_t phase_byte(stf_precision precision, const void *e, int64_t i)
{
    return (uint8_t)(128 + (int)(64 * phase(precision, e, i)));
}

static void make_ordered_phases(stfi_gpu_table_maker *m)
{
    const void *from = m->p->check.e;
    order o = order_of(m->p, 2);
    int radix = m->p->radix[m->p->nstages - 1];
    uint8_t *e = stfi_gpu_new_table(m, order_count(&o), 2, &m->args->check.e);

    if (e == NULL)
        return;
    memset(e, 0, 2 * (size_t)order_count(&o));
    for (int t = 0; t < o.threads; t++)
        for (int i = 0; i < o.held; i++) {
            int64_t k = held_element(m, radix, o.threads, t, i);
            for (int c = 0; k >= 0 && c < 2; c++)
                e[2 * order_place(&o, t, i) + c] =
                    phase_byte(m->sums->id, from, 2 * k + c);
        }
}

static void make_ordered_row(stfi_gpu_table_maker *m)
{
    order o = order_of(m->p, weight_bytes(m));
    void *row = stfi_gpu_new_table(m, order_count(&o), weight_bytes(m),
                                   &m->args->check.row);

    if (row == NULL)
        return;
    memset(row, 0, (size_t)order_count(&o) * weight_bytes(m));
    for (int t = 0; t < o.threads; t++)
        for (int i = 0; i < o.held; i++) {
            int64_t k = held_element(m, m->p->radix[0], o.threads, t, i);
            if (k >= 0)
                copy_weight(m, k, row, order_place(&o, t, i));
        }
}

void stfi_gpu_make_check(stfi_gpu_table_maker *m, int ordered)
{
    const int folded = stfi_ft_is_folded(m->p);
    const int turned =
        m->p->op == STFI_OP_R2C && m->p->store.turn == STFI_TURN_QUARTER;

    if (m->p->check.kind != STFI_CHECK_LANE || m->status != STF_OK)
        return;
    (ordered                             ? make_ordered_phases
     : m->p->check.real_e                ? make_real_phases
     : turned                            ? make_turned_phases
     : folded && m->p->op == STFI_OP_R2C ? make_pair_phases
                                         : make_phases)(m);
    if (!stfi_op_get(m->p->op)->loads_spectra)
        (ordered ? make_ordered_row : make_row)(m);
    else if (m->p->load.form == STFI_FORM_HC)
        make_row_of_reals(m);
    else
        (folded ? make_row_of_pairs : make_row_of_halves)(m);
}
