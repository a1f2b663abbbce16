/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Real to real transforms: the last axis first, then the others in place in the
 * output. Along an axis of n reals each kind is a real or a complex transform
 * whose sides place their reals in another order (fft/place.h) and turn their
 * elements:
 *
 *   R2HC, DHT, DCT2, DST2  R2C, whose spectrum is stored as n reals
 *   HC2R, DCT3, DST3       the reverse
 *   DCT4, DST4             n even: a complex transform of n/2 points;
 *                          n odd: a Hartley transform of n reals, without roots
 *   DCT1, DST1             R2C of the even or odd extension of 2(n -+ 1) reals; long
 *                          ones without its half that is an image,
 *                          lower_mirrored.c
 *
 * R2C and C2R of odd lengths, and on a GPU of 2, are complex transforms, on a GPU
 * with two signals in a lane where that pays (lower_two_signals.c), and so are those
 * of DCT4 and DST4. Of even lengths they are complex transforms of half the length
 * with a separating or joining step, in the same tile or in a pass of its own between
 * WORK1 and memory. On a GPU, long ones of the kinds of the first two rows have two
 * passes, lower_real_two.c, of odd lengths only if their reals have no order.
 * Source: [Govindaraju2008], section IV.G; place.h. */
#include "fft/builder.h"

/* How the real side and the spectrum of a kind differ from those of R2C. */
typedef struct row {
    stf_kind kind;
    int from_spectrum;
    stfi_order order; /* of the real side */
    int alternate;    /* of the real side */
    int reversed;     /* of the spectrum */
    stfi_turn turn;
} row;

static const row rows[] = {
    {STF_R2HC, 0, STFI_ORDER_NONE, 0, 0, STFI_TURN_NONE},
    {STF_DHT, 0, STFI_ORDER_NONE, 0, 0, STFI_TURN_CAS},
    {STF_DCT2, 0, STFI_ORDER_FOLD, 0, 0, STFI_TURN_QUARTER},
    {STF_DST2, 0, STFI_ORDER_FOLD, 1, 1, STFI_TURN_QUARTER},
    {STF_HC2R, 1, STFI_ORDER_NONE, 0, 0, STFI_TURN_NONE},
    {STF_DCT3, 1, STFI_ORDER_FOLD, 0, 0, STFI_TURN_QUARTER},
    {STF_DST3, 1, STFI_ORDER_FOLD, 1, 1, STFI_TURN_QUARTER},
};

static const row *find_row(stf_kind kind)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == kind)
            return &rows[i];
    return NULL;
}

/* Gives a side of form REAL and n reals an order. */
static void set_order(stfi_side *side, int64_t n, stfi_order order)
{
    side->order = order;
    side->span = n;
    side->unit = side->stride;
    side->stride = 0;
}

/* Makes the real side of an axis: pairs of reals, unless the transform is
 * whole. In a tile with the whole axis a CPU reads and writes vectors of reals
 * that have an order; without one it would take single reals of odd lengths,
 * columns and short rows. */
static void set_reals(const stfi_builder *b, const stfi_axis *axis,
                      stfi_side *side, const row *r)
{
    int64_t n = axis->n;
    int whole = stfi_real_is_whole(b, n);
    int single = n < 16 || !stfi_builder_is_row(side);

    side->form = whole ? STFI_FORM_REAL : STFI_FORM_PAIRS;
    if (r->order != STFI_ORDER_NONE) {
        set_order(side, n, r->order);
        side->alternate = r->alternate;
    } else if (!b->caps->gpu
               && (whole
                   || (single
                       && stfi_real_fits(b, n / 2,
                                         stfi_axis_lanes(b, axis))))) {
        set_order(side, n, STFI_ORDER_PLAIN);
    } else if (!whole) {
        side->pair = side->stride;
        side->stride *= 2;
    }
}

static void set_spectrum(stfi_side *side, int64_t n, const row *r)
{
    side->form = STFI_FORM_HC;
    side->full = n;
    set_order(side, n, STFI_ORDER_PLAIN);
    side->reversed = r->reversed;
    side->turn = r->turn;
}

/* Makes a side in WORK1 with rows of h complex elements, one for each lane. */
static void set_work(stfi_builder *b, const stfi_axis *axis, int64_t h,
                     stfi_side *side)
{
    int64_t stride = h;

    *side = (stfi_side){.buf = STFI_BUF_WORK1, .stride = 1};
    side->index.elem = 1;
    for (int l = 0; l < axis->nloops; l++) {
        side->loop_stride[l] = stride;
        stride *= axis->loop_n[l];
    }
    stfi_builder_work(b, 1, stride);
}

/* Appends R2C of 2h = axis->n reals. */
static void lower_even(stfi_builder *b, const stfi_axis *axis)
{
    stfi_axis half = *axis, last = *axis;

    half.n = axis->n / 2;
    if (stfi_real_fits(b, half.n, stfi_axis_lanes(b, axis))) {
        stfi_lower_rows(b, axis, STFI_OP_R2C);
        return;
    }
    set_work(b, axis, half.n, &half.store);
    last.load = half.store;
    stfi_lower_axis(b, &half);
    stfi_lower_pairs(b, &last, STFI_OP_UNTANGLE);
}

/* Appends two passes of a GPU for a long axis of even length. Returns 0 if other
 * ways are better. */
static int lower_two(stfi_builder *b, const stfi_axis *axis, const row *r)
{
    stfi_axis two = *axis;
    stfi_side *reals = r->from_spectrum ? &two.store : &two.load;
    stfi_side *spectrum = r->from_spectrum ? &two.load : &two.store;
    double lanes = stfi_axis_lanes(b, axis);

    if (stfi_real_fits(b, axis->n / 2, lanes))
        return 0;
    reals->form = STFI_FORM_REAL;
    if (r->order != STFI_ORDER_NONE)
        set_order(reals, axis->n, r->order);
    reals->alternate = r->alternate;
    set_spectrum(spectrum, axis->n, r);
    return stfi_lower_real_two(b, &two, r->from_spectrum, lanes);
}

/* The same for a long axis of odd length, whose columns have no order: the one in the
 * middle of an odd number would be its own mirror image. */
static int lower_odd(stfi_builder *b, const stfi_axis *axis, const row *r)
{
    return r->order == STFI_ORDER_NONE
           && stfi_lower_real_two(b, axis, r->from_spectrum,
                                  stfi_axis_lanes(b, axis));
}

static void lower_to_spectrum(stfi_builder *b, stfi_axis *axis, const row *r)
{
    int64_t n = axis->n;
    int whole = stfi_real_is_whole(b, n);

    if (!whole && lower_two(b, axis, r))
        return;
    set_reals(b, axis, &axis->load, r);
    set_spectrum(&axis->store, n, r);
    if (!whole) {
        lower_even(b, axis);
        return;
    }
    if (stfi_lower_two_signals(b, axis, 0) || lower_odd(b, axis, r))
        return;
    axis->store.limit = n / 2 + 1;
    stfi_lower_axis(b, axis);
}

static void lower_from_spectrum(stfi_builder *b, stfi_axis *axis, const row *r)
{
    int64_t n = axis->n;
    int whole = stfi_real_is_whole(b, n);
    stfi_axis first;

    if (!whole && lower_two(b, axis, r))
        return;
    set_spectrum(&axis->load, n, r);
    set_reals(b, axis, &axis->store, r);
    if (whole) {
        if (!stfi_lower_two_signals(b, axis, 1) && !lower_odd(b, axis, r))
            stfi_lower_axis(b, axis);
        return;
    }
    if (stfi_real_fits(b, n / 2, stfi_axis_lanes(b, axis))) {
        stfi_lower_rows(b, axis, STFI_OP_C2R);
        return;
    }
    first = *axis;
    set_work(b, axis, n / 2, &first.store);
    stfi_lower_pairs(b, &first, STFI_OP_TANGLE);
    axis->load = first.store;
    axis->n = n / 2;
    stfi_lower_axis(b, axis);
}

static void lower_four(stfi_builder *b, stfi_axis *axis, int sine)
{
    int64_t n = axis->n;
    int odd = n % 2 != 0;

    axis->load.form = odd ? STFI_FORM_REAL : STFI_FORM_PAIRS;
    axis->store.form = odd ? STFI_FORM_HC : STFI_FORM_PAIRS;
    set_order(&axis->load, n, odd ? STFI_ORDER_EIGHTH : STFI_ORDER_ENDS);
    set_order(&axis->store, n, odd ? STFI_ORDER_EIGHTH_BACK : STFI_ORDER_ENDS);
    axis->load.reversed = axis->store.alternate = sine;
    axis->load.turn = odd ? STFI_TURN_NONE : STFI_TURN_FOUR;
    axis->store.turn = odd ? STFI_TURN_EIGHTH : STFI_TURN_FOUR;
    axis->store.full = odd ? n : 0;
    axis->n = odd ? n : n / 2;
    if (odd && stfi_lower_two_signals(b, axis, 0))
        return;
    axis->store.limit = odd ? n / 2 + 1 : 0;
    stfi_lower_axis(b, axis);
}

/* The outputs are the first half of the extension's spectrum. */
static void lower_one(stfi_builder *b, stfi_axis *axis, int sine)
{
    int64_t n = axis->n;
    int64_t extended = 2 * (sine ? n + 1 : n - 1);
    int whole = stfi_real_is_whole(b, extended);
    stfi_order order = sine ? STFI_ORDER_ODD : STFI_ORDER_EVEN;

    axis->load.form = whole ? STFI_FORM_REAL : STFI_FORM_PAIRS;
    axis->store.form = STFI_FORM_REAL;
    set_order(&axis->load, n, order);
    set_order(&axis->store, n, order);
    axis->store.turn = sine ? STFI_TURN_IMAG : STFI_TURN_NONE;
    axis->n = extended;
    if (!whole && stfi_lower_mirrored(b, axis, extended))
        return;
    if (whole) {
        axis->store.limit = extended / 2 + 1;
        stfi_lower_axis(b, axis);
        return;
    }
    lower_even(b, axis);
}

/* Appends the passes of one axis. */
static void lower_kind(stfi_builder *b, stfi_axis *axis, stf_kind kind)
{
    const row *r = find_row(kind);
    int first = b->s->npasses, from = r != NULL && r->from_spectrum;

    if (r != NULL && from)
        lower_from_spectrum(b, axis, r);
    else if (r != NULL)
        lower_to_spectrum(b, axis, r);
    else if (kind == STF_DCT4 || kind == STF_DST4)
        lower_four(b, axis, kind == STF_DST4);
    else
        lower_one(b, axis, kind == STF_DST1);
    for (int i = first; i < b->s->npasses && from; i++)
        b->s->pass[i].backward = 1;
}

/* Axes of one real are factors (stfi_desc_factor()), but for a square root of 2,
 * which not every precision has in a double. */
void stfi_lower_r2r(stfi_builder *b)
{
    const stf_fft_desc *d = b->desc;
    int done = 0, root;

    stfi_desc_factor(d, &root);
    for (int a = d->rank - 1; a >= 0; a--) {
        int single = d->n[a] == 1 && a != root;
        stfi_axis axis;
        if (single && (a > 0 || done))
            continue;
        stfi_builder_axis(b, (stfi_axis_run){a, a}, 0, &axis);
        if (done)
            axis.load = axis.store;
        lower_kind(b, &axis, single ? STF_DHT : d->kinds[a]);
        done = 1;
    }
}
