/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Transforms W rows of RADIX elements in registers, because a trip through the
 * tile would cost as much as the butterfly. This file is included once per
 * radix, with RADIX defined as a multiple of W/2. */

#define OF_RADIX(name) STFI_CAT(STFI_CAT(name, _), RADIX)

INLINE void OF_RADIX(write_rows)(const tile *t, int inverse, const C *x)
{
    UNROLL
    for (int e = 0; e < RADIX; e += W / 2)
        write_square(t, e, inverse, x + e);
}

static void OF_RADIX(rows)(tile *t, int inverse)
{
    C x[RADIX];

    UNROLL
    for (int e = 0; e < RADIX; e += W / 2)
        read_square(t, e, inverse, x + e);
    OF_RADIX(bf)(x);
    OF_RADIX(write_rows)(t, inverse, x);
    t->stored = 1;
}

INLINE C OF_RADIX(weigh_rows)(const sum *w, const C *x, V *power)
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

/* Writes the elements to the tile. */
INLINE void OF_RADIX(spill)(const tile *t, C *x)
{
    const probe *k = t->probe;

    UNROLL
    for (int e = 0; e < RADIX; e++)
        c_store(t->data + e * ELEM, k->ro, k->io, x[e]);
}

INLINE void OF_RADIX(strike_rows)(const tile *t, int stage, C *x)
{
    const probe *k = t->probe;

    OF_RADIX(spill)(t, x);
    strike(t, stage, 0, RADIX, t->data, NULL);
    UNROLL
    for (int e = 0; e < RADIX; e++)
        x[e] = c_load(t->data + e * ELEM, k->ro, k->io);
}

/* As the unchecked function, with a residual. Results are stored at once if no
 * lane has to be judged by itself any more, and are written to the tile in
 * block memory otherwise. */
static void OF_RADIX(checked_rows)(tile *t, int inverse)
{
    probe *k = t->probe;
    int plain = !t->struck && !k->deep && k->attempt == 0;
    C x[RADIX], in;
    V power = {0};

    UNROLL
    for (int e = 0; e < RADIX; e += W / 2)
        read_square(t, e, inverse, x + e);
    in = OF_RADIX(weigh_rows)(k->row, x, &power);
    if (!plain) {
        OF_RADIX(spill)(t, x);
        probe_measure(k, t->data, NULL, RADIX, 1);
        OF_RADIX(strike_rows)(t, 0, x);
    }
    OF_RADIX(bf)(x);
    if (!plain)
        OF_RADIX(strike_rows)(t, 1, x);
    probe_close(k, in, OF_RADIX(weigh_rows)(k->e, x, NULL), power);
    k->settled = plain && (k->grouped || is_clean(k, 0));
    t->stored = k->settled;
    if (k->settled)
        OF_RADIX(write_rows)(t, inverse, x);
    else
        OF_RADIX(spill)(t, x);
}

#undef OF_RADIX
#undef RADIX
