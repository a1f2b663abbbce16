/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A whole transform of RADIX elements from W rows to W rows, all in registers:
 * the trip through a tile would cost as much as the butterfly. Included once
 * per radix with RADIX defined, a multiple of W/2. */

INLINE void STFI_CAT(write_rows_, RADIX)(const tile *t, int inverse, const C *x)
{
    UNROLL
    for (int e = 0; e < RADIX; e += W / 2)
        write_square(t, e, inverse, x + e);
}

static void STFI_CAT(rows_, RADIX)(tile *t, int inverse)
{
    C x[RADIX];

    UNROLL
    for (int e = 0; e < RADIX; e += W / 2)
        read_square(t, e, inverse, x + e);
    STFI_CAT(bf_, RADIX)(x);
    STFI_CAT(write_rows_, RADIX)(t, inverse, x);
    t->stored = 1;
}

INLINE C STFI_CAT(weigh_rows_, RADIX)(const sum *w, const C *x, V *power)
{
    chain c[2] = {{.part = {(V){0}}}, {.part = {(V){0}}}};

    UNROLL
    for (int e = 0; e < RADIX; e++)
        chain_add(&c[e % 2], x[e], w + 2 * e, 0, power != NULL);
    UNROLL
    for (int i = 0; i < 4; i++)
        c[0].part[i] += c[1].part[i];
    if (power != NULL)
        *power = c[0].power + c[1].power;
    return (C){c[0].part[0] - c[0].part[1], c[0].part[2] + c[0].part[3]};
}

/* To the tile, and back after faults. */
INLINE void STFI_CAT(spill_, RADIX)(const tile *t, C *x)
{
    const probe *k = t->probe;

    UNROLL
    for (int e = 0; e < RADIX; e++)
        c_store(t->data + e * ELEM, k->ro, k->io, x[e]);
}

INLINE void STFI_CAT(strike_rows_, RADIX)(const tile *t, int stage, C *x)
{
    const probe *k = t->probe;

    STFI_CAT(spill_, RADIX)(t, x);
    strike(t, stage, 0, RADIX, t->data, NULL);
    UNROLL
    for (int e = 0; e < RADIX; e++)
        x[e] = c_load(t->data + e * ELEM, k->ro, k->io);
}

/* The same, checked. A tile that is not clean goes to block memory. */
static void STFI_CAT(checked_rows_, RADIX)(tile *t, int inverse)
{
    probe *k = t->probe;
    int plain = !t->struck && !k->deep && k->attempt == 0;
    C x[RADIX], in;
    V power = {0};

    UNROLL
    for (int e = 0; e < RADIX; e += W / 2)
        read_square(t, e, inverse, x + e);
    in = STFI_CAT(weigh_rows_, RADIX)(k->row, x, &power);
    if (!plain) {
        STFI_CAT(spill_, RADIX)(t, x);
        probe_measure(k, t->data, NULL, RADIX, 1);
        STFI_CAT(strike_rows_, RADIX)(t, 0, x);
    }
    STFI_CAT(bf_, RADIX)(x);
    if (!plain)
        STFI_CAT(strike_rows_, RADIX)(t, 1, x);
    probe_close(k, in, STFI_CAT(weigh_rows_, RADIX)(k->e, x, NULL), power);
    k->settled = plain && (k->grouped || is_clean(k, 0));
    t->stored = k->settled;
    if (k->settled)
        STFI_CAT(write_rows_, RADIX)(t, inverse, x);
    else
        STFI_CAT(spill_, RADIX)(t, x);
}

#undef RADIX
