/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Where the reals of a side with an order lie: place() against its inverse, which
 * is written down here by what each order is for. */
#include <math.h>
#include <stdlib.h>

#include "fft/place.h"
#include "tests/tap.h"

static const double PI = 3.14159265358979323846;

/* Which logical reals a place has, and their signs; the second one is an image, or
 * -1. */
typedef struct origin {
    int64_t m[2];
    int sign[2];
} origin;

/* Even places rise from 0, odd ones fall. */
static origin of_fold(int64_t n, int64_t at)
{
    return (origin){{at % 2 == 0 ? at / 2 : n - (at + 1) / 2, -1}, {1, 0}};
}

/* Elements are pairs of the reals that are equally far from the ends. */
static origin of_ends(int64_t n, int64_t at)
{
    return (origin){{at % 2 == 0 ? at : n - at, -1}, {1, 0}};
}

/* Both ends are their own images. */
static origin of_even(int64_t n, int64_t at)
{
    int own = at == 0 || at == n - 1;

    return (origin){{at, own ? -1 : 2 * (n - 1) - at}, {1, 1}};
}

static origin of_odd(int64_t n, int64_t at)
{
    return (origin){{at + 1, 2 * (n + 1) - (at + 1)}, {1, -1}};
}

static origin of_plain(int64_t n, int64_t at)
{
    (void)n;
    return (origin){{at, -1}, {1, 0}};
}

static const struct {
    const char *name;
    stfi_order order;
    int parity; /* 0: of even n only; 1: of any */
    int extra;  /* logical reals: n or, if images is 1, 2 (n + extra) */
    int images;
    origin (*of)(int64_t n, int64_t at);
} orders[] = {
    {"plain", STFI_ORDER_PLAIN, 1, 0, 0, of_plain},
    {"fold", STFI_ORDER_FOLD, 1, 0, 0, of_fold},
    {"ends", STFI_ORDER_ENDS, 0, 0, 0, of_ends},
    {"even", STFI_ORDER_EVEN, 1, -1, 1, of_even},
    {"odd", STFI_ORDER_ODD, 1, 1, 1, of_odd},
};

/* 1 if real m, and no other one, is where its origin says. */
static int agrees(const stfi_side *side, const origin *o, int i, int64_t at)
{
    const int64_t to = side->reversed ? side->span - 1 - at : at;
    const int flips = side->alternate && to % 2 != 0;
    stfi_place p;

    if (o->m[i] < 0)
        return 1;
    p = stfi_place_of(side, o->m[i]);
    return p.at == to && p.sign == (flips ? -o->sign[i] : o->sign[i]);
}

/* Returns the first length up to 40 at which place() is not the inverse, or 0. */
static int64_t differs(size_t row, int reversed, int alternate)
{
    for (int64_t n = 2; n <= 40; n++) {
        stfi_side side = {.order = orders[row].order,
                          .span = n,
                          .reversed = reversed,
                          .alternate = alternate};
        int64_t reals = orders[row].images ? 2 * (n + orders[row].extra) : n;
        int64_t found = 0;
        if (n % 2 != 0 && orders[row].parity == 0)
            continue;
        for (int64_t at = 0; at < n; at++) {
            origin o = orders[row].of(n, at);
            if (!agrees(&side, &o, 0, at) || !agrees(&side, &o, 1, at))
                return n;
        }
        for (int64_t m = 0; m < reals; m++)
            found += stfi_place_of(&side, m).sign != 0;
        if (found != (orders[row].order == STFI_ORDER_ODD ? reals - 2 : reals))
            return n;
    }
    return 0;
}

/* Returns how far DCT4 of an odd n by a Hartley transform between EIGHTH and
 * EIGHTH_BACK is from its definition. */
static double eighth_error(int64_t n)
{
    const stfi_side in = {.order = STFI_ORDER_EIGHTH, .span = n};
    const stfi_side out = {.order = STFI_ORDER_EIGHTH_BACK, .span = n};
    double x[64], y[64] = {0}, worst = 0;

    for (int64_t j = 0; j < n; j++)
        x[j] = 1 + sin(3.0 * (double)j);
    for (int64_t f = 0; f < n; f++) {
        const stfi_place to = stfi_place_of(&out, f);
        for (int64_t q = 0; q < n; q++) {
            const stfi_place from = stfi_place_of(&in, q);
            const double angle = 2 * PI * (double)(q * f % n) / (double)n;
            y[to.at] += sqrt(2) * to.sign * from.sign * x[from.at]
                        * (cos(angle) + sin(angle));
        }
    }
    for (int64_t k = 0; k < n; k++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum +=
                2 * x[j]
                * cos(PI * ((double)j + 0.5) * ((double)k + 0.5) / (double)n);
        worst = fmax(worst, fabs(sum - y[k]));
    }
    return worst;
}

int main(void)
{
    double worst = 0;

    tap_begin("place");
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (int how = 0; how < 4; how++) {
            int64_t n = differs(i, how & 1, how >> 1);
            tap_ok(n == 0, "%s%s%s: places and their inverse", orders[i].name,
                   how & 1 ? " reversed" : "", how >> 1 ? " alternate" : "");
            if (n != 0)
                tap_diag("not of %lld reals", (long long)n);
        }
    for (int64_t n = 1; n < 64; n += 2)
        worst = fmax(worst, eighth_error(n));
    tap_ok(worst < 1e-10, "eighth: DCT4 by a Hartley transform: %.1e", worst);
    return tap_end();
}
