/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Makes the maps and roots of real to real transforms; see cpu_maps.h. */
#include "backends/cpu/fft/cpu_maps.h"

#include <string.h>

#include "base/alloc.h"
#include "fft/place.h"
#include "fft/tables/complex_table.h"
#include "fft/tables/turn.h"

static int is_whole(const stfi_pass *p, const stfi_side *side)
{
    for (int l = 0; l < p->nloops; l++)
        if (side->index.loop[l] != 0)
            return 0;
    return side->index.elem == 1;
}

int stfi_cpu_is_straight(const stfi_pass *p)
{
    int op = p->op == STFI_OP_R2C || p->op == STFI_OP_C2R
             || (p->op == STFI_OP_FFT && p->twiddle.order == 0);

    return op && is_whole(p, &p->load) && is_whole(p, &p->store)
           && (p->load.order != STFI_ORDER_NONE
               || p->store.order != STFI_ORDER_NONE);
}

/* A side whose map is being made. */
typedef struct maker {
    const stfi_side *side;
    const uint32_t *pos; /* places of elements in the tile; NULL: in order */
    int64_t n;           /* elements of the tile */
    uint32_t *map;       /* [2 * span]: second places are in the second half */
} maker;

/* Maps component c of element e to logical real m. */
static void map_real(const maker *k, int64_t m, int64_t e, int c, int negative)
{
    stfi_place at = stfi_place_of(k->side, m);
    int64_t place = k->pos != NULL && e < k->n ? (int64_t)k->pos[e] : e;
    uint32_t *entry = &k->map[at.at];

    if (at.sign == 0)
        return;
    if (*entry != STFI_CPU_NOWHERE)
        entry += k->side->span;
    *entry = (uint32_t)(4 * place + 2 * c) + ((at.sign < 0) != negative);
}

static void fill_map(const maker *k)
{
    const stfi_side *side = k->side;
    int imag = side->turn == STFI_TURN_IMAG;
    int mirrored =
        side->order == STFI_ORDER_EVEN || side->order == STFI_ORDER_ODD;

    memset(k->map, 0xff, 2 * (size_t)side->span * sizeof *k->map);
    if (side->form == STFI_FORM_PAIRS)
        for (int64_t m = 0; m < 2 * k->n; m++)
            map_real(k, m, m / 2, (int)(m % 2), 0);
    else if (side->form == STFI_FORM_REAL)
        for (int64_t m = 0; m < (mirrored ? k->n + 1 : k->n); m++)
            map_real(k, m, m, imag, imag);
    else
        for (int64_t i = 0; 2 * i <= side->full; i++) {
            map_real(k, i, i, 0, 0);
            if (i > 0 && 2 * i < side->full)
                map_real(k, side->full - i, i, 1, 0);
        }
}

static stf_status make_map(const stfi_cpu_pass *cp, const stfi_side *side,
                           const uint32_t *pos, uint32_t **map_p)
{
    void *mem;
    stf_status status;

    if (side->order == STFI_ORDER_NONE)
        return STF_OK;
    status = stfi_alloc_raw(2 * (size_t)side->span * sizeof **map_p,
                            "the plan's tables", &mem);
    if (status != STF_OK)
        return status;
    *map_p = mem;
    fill_map(&(maker){side, pos, cp->p.n, mem});
    return STF_OK;
}

/* Makes the pairs of roots that separate_quarter() takes. */
static stf_status make_pairs(stfi_cpu_pass *cp, int64_t span,
                             stf_precision precision)
{
    const int64_t count = cp->p.n / 2 + 1;
    stf_status status = stfi_complex_alloc(2 * count, precision, &cp->turn);

    return status != STF_OK
               ? status
               : stfi_table_quarter_pairs(4 * span, count, precision, cp->turn);
}

static stf_status make_turn(stfi_cpu_pass *cp, stf_precision precision)
{
    const stfi_side *side = stfi_turn_side(&cp->p);
    stf_status status;

    if (side == NULL)
        return STF_OK;
    if (stfi_cpu_is_straight(&cp->p) && cp->p.op != STFI_OP_FFT)
        return make_pairs(cp, side->span, precision);
    status = stfi_complex_alloc(stfi_turn_count(side), precision, &cp->turn);
    return status != STF_OK ? status
                            : stfi_table_turn(side, precision, cp->turn);
}

stf_status stfi_cpu_maps_make(stfi_cpu_pass *cp, stf_precision precision)
{
    const stfi_pass *p = &cp->p;
    stf_status status = make_turn(cp, precision);

    if (status != STF_OK || !stfi_cpu_is_straight(p))
        return status;
    cp->straight = 1;
    status = make_map(cp, &p->load, cp->pos, &cp->load_map);
    return status != STF_OK ? status
                            : make_map(cp, &p->store, NULL, &cp->store_map);
}
