/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Flips one bit of one component of one output. Every flip that matters must be
 * found, in its own transform and in no other.
 *
 * A flip matters if it changes the output by 64 times its rounding error or
 * more. That error is measured against an F80 transform. It is taken as at
 * least 0.2 sqrt(L) u of the output, since some signals (an impulse, a
 * constant) are transformed nearly without error. A signal of zeros has no such
 * measure (see check.c for that). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/ft/signals.h"
#include "tests/tap.h"

static const char *const words[] = {
    "c2c:f32:8*5",     "c2c:f64:8*5",      "c2c:f32:64*3",
    "c2c:f64:64*3",    "c2c:f32:105*3",    "c2c:f64:1000*2",
    "c2c:f32:1024*2",  "c2c:f64:1024*2",   "c2c:f32:1021*2",
    "c2c:f64:1021*2",  "c2c:f32:3072*1",   "c2c:f32:24x35*2",
    "c2c:f64:5x7x9*2", "r2c:f32:64*3",     "r2c:f64:105*3",
    "r2c:f32:1024*2",  "r2c:f64:30x44*1",  "c2r:f32:64*3",
    "c2r:f64:105*3",   "c2r:f32:1024*2",   "c2r:f64:30x44*1",
    "dct2:f32:64*3",   "dct1:f64:105*3",   "dst4:f32:30x44*1",
    "hc2r:f64:100*2",  "c2c:f16:64*3",     "c2c:bf16:1000*2",
    "r2c:f16:105*3",   "c2r:bf16:30x44*1", "dct2:f16:64*3",
    "dct3:f64:105*3",  "dct4:f32:64*3",    "dct4:f64:105*3",
    "dst1:f32:105*3",  "dst2:f64:64*3",    "dst3:f32:30x44*1",
    "dht:f64:105*3",   "r2hc:f32:64*3",    "r2r=dct1+dst4:f64:13x12*2",
};

enum { WORDS = sizeof words / sizeof *words };

/* The least rounding error, in units of sqrt(L) u. */
static const double LEAST_ERROR = 0.2;

typedef struct tally {
    int flips, matter, found, missed, innocent, non_finite;
} tally;

static void flip(const stfi_signals *s, int64_t i, int bit)
{
    unsigned char *at = (unsigned char *)s->out + (size_t)i * s->bytes;
    uint64_t one = (uint64_t)1 << bit, value = 0;
    uint32_t one32 = (uint32_t)one, value32 = 0;

    if (s->bytes == sizeof(uint16_t)) {
        at[bit / 8] ^= (unsigned char)(1 << bit % 8);
        return;
    }

    if (s->bytes == sizeof value32) {
        memcpy(&value32, at, sizeof value32);
        value32 ^= one32;
        memcpy(at, &value32, sizeof value32);
        return;
    }
    memcpy(&value, at, sizeof value);
    value ^= one;
    memcpy(at, &value, sizeof value);
}

static int one_flip(const stfi_signals *s, const double *error, uint64_t *state,
                    tally *t)
{
    int64_t i = (int64_t)(stfi_random_u64(state)
                          % (uint64_t)(s->out_count * s->d.batch));
    int bit = (int)(stfi_random_u64(state) % (8 * s->bytes));
    int64_t signal = i / s->out_count;
    double before = stfi_signals_get(s, s->out, i), change;
    stf_ft_report r;
    int right;

    flip(s, i, bit);
    change = fabs(stfi_signals_get(s, s->out, i) - before);
    right = stfi_signals_check(s, &r);
    flip(s, i, bit);
    t->flips++;
    if (!(change < 64 * error[signal])) {
        t->matter++;
        t->missed += r.detected == 0;
    }
    t->non_finite += !isfinite(change);
    t->found += r.detected > 0;
    t->innocent +=
        r.detected > 1 || (r.detected == 1 && r.first_event.signal != signal);
    return right;
}

/* Flips bits of data of each distribution. Denormal data have much larger errors, as
 * they have few digits. Returns 0 on failure. */
static int one_round(stfi_signals *s, uint64_t *state, tally *t)
{
    const int count = tap_level() == TAP_QUICK ? 10 : 60;
    double error[8];
    int right = 1;

    for (int k = 0; k < STFI_DISTRIBUTIONS && right; k++) {
        if (!strcmp(stfi_distribution_name(k), "denormal"))
            continue;
        right = stfi_signals_draw(s, k, state)
                && stfi_signals_measure(s, s->out, LEAST_ERROR, error);
        for (int i = 0; i < count && right; i++)
            right = one_flip(s, error, state, t);
    }
    return right;
}

/* Few bits of a half are large beside its rounding errors: as long as too few flips
 * of a word matter, there are more, up to MOST_ROUNDS times as many. */
static void test_word(stf_device *dev, const char *word,
                      stf_direction direction, tally *all)
{
    enum { MOST_ROUNDS = 8 };
    tally t = {0, 0, 0, 0, 0, 0};
    uint64_t state = tap_seed();
    stfi_signals s;
    int right = stfi_signals_open(&s, dev, word, direction), least = 0;

    for (int i = 0; i < MOST_ROUNDS && right && t.matter <= least; i++) {
        right = one_round(&s, &state, &t);
        least = i == 0 ? t.flips / (s.bytes == 2 ? 10 : 5) : least;
    }
    stfi_signals_close(&s);
    if (right)
        tap_ok(!t.missed && !t.innocent && t.matter > least,
               "%s, %s: %d flips, %d matter, %d found, %d missed, %d "
               "innocent",
               word, direction == STF_FORWARD ? "forward" : "inverse", t.flips,
               t.matter, t.found, t.missed, t.innocent);
    all->flips += t.flips;
    all->matter += t.matter;
    all->missed += t.missed;
    all->non_finite += t.non_finite;
}

int main(void)
{
    tally all = {0, 0, 0, 0, 0, 0};
    stf_device *dev = NULL;
    int i;

    tap_begin("ft/flips");
    if (stf_device_open("cpu", &dev))
        return tap_ok(0, "%s", stf_error_message()), tap_end();
    for (i = 0; i < WORDS; i++) {
        if (strncmp(words[i], "c2r", 3) != 0)
            test_word(dev, words[i], STF_FORWARD, &all);
        if (words[i][0] == 'c')
            test_word(dev, words[i], STF_INVERSE, &all);
    }
    stf_device_close(dev);
    tap_ok(all.missed == 0 && all.matter > 0,
           "%d flips, %d matter (%d of "
           "them not finite), %d missed",
           all.flips, all.matter, all.non_finite, all.missed);
    return tap_end();
}
