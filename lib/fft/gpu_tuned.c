/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Shapes that were measured; see gpu_tuned.h. */
#include "fft/gpu_tuned.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

static const stfi_tuned_shape rows[] = {
#define STFI_TUNED(lengths, traits, threads, radices) \
    {"h200", lengths, traits, threads, radices},
#include "fft/tuned/h200.def"
#undef STFI_TUNED
    {NULL, NULL, 0, 0, NULL}, /* where no device has a table */
};

/* A number's place among the powers of two, in few bits. */
static uint32_t log2_of(int64_t x)
{
    uint32_t log = 0;

    while (x > 1 && log < 15) {
        x /= 2;
        log++;
    }
    return log;
}

uint32_t stfi_gpu_tile_traits(const stfi_gpu_tile *t)
{
    const int is[] = {
        t->real_bytes == 8,
        t->stored_bytes == 2,
        t->load_across,
        t->store_across,
        t->far,
        t->whole,
        t->extra > 0,
        t->conv,
        t->twiddle,
        t->rising,
        t->run,
        t->store_run,
        t->halves,
        t->one_real,
        t->orders,
        t->reals,
        t->quads,
        t->store_quads,
        t->checked,
        t->swaps & 1,
        t->swaps >> 1 & 1,
        t->matrix,
    };
    const uint32_t count = sizeof is / sizeof *is;
    uint32_t bits = 0;

    for (uint32_t i = 0; i < count; i++)
        bits |= (uint32_t)(is[i] != 0) << i;
    bits |= log2_of(t->grain) << count;
    return bits | (t->width > 0 ? 1 + log2_of(t->width) : 0) << (count + 4);
}

/* Returns 1 if the pass has more data than the device's cache: of others, how many
 * tiles there are decides, too. */
static int fills_device(const stfi_gpu_tile *t, const stfi_caps *caps)
{
    return (double)t->lanes * (double)t->n * 2.0 * (double)t->stored_bytes
           >= (double)caps->l2_bytes;
}

/* Prints the length of a tile, or those of its axes. */
static void print_lengths(stfi_text *w, int64_t n, const stfi_axes *axes)
{
    const int several = axes != NULL && axes->count > 0;

    for (int a = 0; several && a < axes->count; a++)
        stfi_text_put(w, a > 0 ? "x%" PRId64 : "%" PRId64, axes->n[a]);
    if (!several)
        stfi_text_put(w, "%" PRId64, n);
}

const stfi_tuned_shape *stfi_gpu_tuned_find(const stfi_gpu_tile *tile,
                                            const stfi_caps *caps)
{
    char lengths[STFI_TUNED_TEXT] = "";
    stfi_text w = {lengths, sizeof lengths, 0};
    uint32_t traits;

    if (!fills_device(tile, caps))
        return NULL;
    traits = stfi_gpu_tile_traits(tile);
    print_lengths(&w, tile->n, tile->axes);
    for (const stfi_tuned_shape *r = rows; r->device != NULL; r++)
        if (r->traits == traits && strcmp(r->lengths, lengths) == 0
            && strcmp(r->device, caps->name) == 0)
            return r;
    return NULL;
}

static void print_radices(stfi_text *w, const int *radix, int count)
{
    for (int i = 0; i < count; i++)
        stfi_text_put(w, i > 0 ? "x%d" : "%d", radix[i]);
}

/* Returns 1 if the row names that shape. */
static int names(const stfi_tuned_shape *row, const stfi_gpu_shape *shape)
{
    char text[STFI_TUNED_TEXT] = "";
    stfi_text w = {text, sizeof text, 0};

    print_radices(&w, shape->radix, shape->nstages);
    return row->threads == shape->threads && strcmp(row->radices, text) == 0;
}

void stfi_gpu_tuned_put_first(const stfi_tuned_shape *row,
                              stfi_gpu_shape *shape, int count)
{
    stfi_gpu_shape one;
    int at = 0;

    if (row == NULL)
        return;
    while (at < count && !names(row, &shape[at]))
        at++;
    if (at == count)
        return;
    one = shape[at];
    memmove(shape + 1, shape, (size_t)at * sizeof *shape);
    shape[0] = one;
}

void stfi_gpu_tuned_print(const stfi_pass *p, char text[STFI_TUNED_TEXT])
{
    stfi_text w = {text, STFI_TUNED_TEXT, 0};

    text[0] = '\0';
    if (p->nstages == 0 || p->block.lanes == 0)
        return;
    stfi_text_put(&w, "STFI_TUNED(\"");
    print_lengths(&w, p->n, &p->axes);
    stfi_text_put(&w, "\", 0x%" PRIx32 ", %d, \"", p->block.traits,
                  (int)(p->block.threads / p->block.lanes));
    print_radices(&w, p->radix, p->nstages);
    stfi_text_put(&w, "\")");
}
