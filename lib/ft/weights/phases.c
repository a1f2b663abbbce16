/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Phases of left vectors; see phases.h. Levelling is gradient descent by Adam
 * on the phases, with a loss that small weights dominate.
 * Source: D. P. Kingma, J. Ba, "Adam: a method for stochastic optimization",
 *         ICLR 2015, algorithm 1. */
#include "ft/weights/phases.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "ft/weights/sign_pattern.h"
#include "fft/factor.h"

/* Adam: steps, first and last rate, decay of the moments; steps between two
 * looks at the least weight. What keeps the loss of a weight of 0 finite, eps,
 * is large first, so that all weights count, then small, and the least ones do.
 * Short vectors depend on where they start: they have several attempts. */
enum { STEPS = 400, LOOK = 4, ATTEMPTS = 24, ATTEMPTED = 4096 };
/* Mirrored ones have half as many numbers to move, and need more steps. */
enum { MIRRORED_STEPS = 1000, MIRRORED_ATTEMPTED = 2048 };

/* Products of a network's stages that all steps may take; long radices level
 * in fewer steps than the others. */
static const double most_products = 3.5e8;
enum { LEAST_STEPS = 100 };

/* Random e that effects are the mean of: so many, or as many as make so many
 * values. */
enum { DRAWS = 64, SAMPLED = 1 << 16 };
static const float rate_first = 0.2f, rate_last = 0.01f;
static const float mirrored_rate_first = 0.05f, longest = 1.4f;
static const float decay_mean = 0.9f, decay_square = 0.999f;
static const float eps_first = 3.0f, eps_last = 0.005f;

int stfi_ft_has_levelled(int64_t tile)
{
    return tile <= STFI_FT_LEVELLED && stfi_factor_direct(tile);
}

/* A number in [0, 1), by its index. */
static double uniform(uint64_t index)
{
    uint64_t state = index * STFI_RANDOM_STEP;

    return (double)(stfi_random_u64(&state) >> 11) * 0x1p-53;
}

/* To the nearest of the numbers of eight bits, of at most 1 in magnitude, of
 * which both bfloat16 and binary16 hold all. */
static float round_short(float x)
{
    int exponent;
    float step;

    (void)frexpf(x, &exponent);
    step = ldexpf(1, exponent - 8 > -24 ? exponent - 8 : -24);
    return rintf(x / step) * step;
}

/* To the nearest multiple of 1/64 that a signed byte holds, in 64ths. bfloat16
 * and binary16 hold these, too, and codes' sums and differences of two. */
static float round_byte(float x)
{
    return fmaxf(-127, fminf(127, rintf(x * 64))) / 64;
}

/* Numbers from `first` on make the phases. */
static void draw(int64_t n, uint64_t first, float *e)
{
    for (int64_t k = 0; k < n; k++) {
        double angle =
            2 * 3.14159265358979323846 * uniform(first + (uint64_t)k);
        e[2 * k] = round_short((float)cos(angle));
        e[2 * k + 1] = round_short((float)sin(angle));
    }
}

/* ------------------------------------------------------ codes and mirrors */

/* Elements of an e whose first `free` ones say what the others are. */
typedef struct tie {
    int64_t free, count;
    const char *code; /* or NULL */
    int mirrored;
    float length; /* of free elements */
    float (*round)(float);
} tie;

static tie tie_of(const stfi_network_way *way, int64_t count)
{
    tie t = {count, count,
             NULL,  way->real,
             1,     way->op == STFI_OP_FFT ? round_byte : round_short};
    int64_t squares = 0, n = way->period > 0 ? count / way->period : 0;

    if (t.mirrored)
        t.free = count / 2 + 1;
    if (n == 0)
        return t;
    t.free = way->period;
    t.code = stfi_ft_sign_pattern(n);
    for (int64_t i = 0; i < n; i++) {
        stfi_ft_unit g = stfi_ft_sign_pattern_unit(t.code[i]);
        squares += g.re * g.re + g.im * g.im;
    }
    t.length = sqrtf((float)n / (float)squares);
    return t;
}

/* Elements that are their own mirror images are real. */
static int is_own_image(const tie *t, int64_t k)
{
    return k == 0 || 2 * k == t->count;
}

static void mirror(const tie *t, stfi_split e)
{
    for (int64_t k = 0; k < t->free; k++) {
        if (is_own_image(t, k)) {
            e.im[k] = 0;
            continue;
        }
        e.re[t->count - k] = e.re[k];
        e.im[t->count - k] = -e.im[k];
    }
}

/* The elements that are not free. */
static void spread(const tie *t, stfi_split e)
{
    if (t->mirrored) {
        mirror(t, e);
        return;
    }
    for (int64_t k = t->free; k < t->count; k++) {
        stfi_ft_unit g = stfi_ft_sign_pattern_unit(t->code[k / t->free]);
        float re = e.re[k % t->free], im = e.im[k % t->free];
        e.re[k] = (float)g.re * re - (float)g.im * im;
        e.im[k] = (float)g.re * im + (float)g.im * re;
    }
}

/* Of two real elements of length 1 the sum or the difference would be 0. */
static void begin_tied(const tie *t, stfi_split e)
{
    if (t->mirrored) {
        e.re[0] = 1.3f;
        if (t->count % 2 == 0)
            e.re[t->count / 2] = 0.55f;
    }
    for (int64_t k = 0; k < t->free; k++) {
        e.re[k] *= t->length;
        e.im[k] *= t->length;
    }
    spread(t, e);
}

static void round_all(const tie *t, stfi_split e)
{
    for (int64_t k = 0; k < t->free; k++) {
        e.re[k] = t->round(e.re[k]);
        e.im[k] = t->round(e.im[k]);
    }
    spread(t, e);
}

void stfi_ft_phases_random(int64_t n, float *e)
{
    draw(n, 0, e);
}

static void load(stfi_split v, int64_t n, const float *e)
{
    for (int64_t k = 0; k < n; k++) {
        v.re[k] = e[2 * k];
        v.im[k] = e[2 * k + 1];
    }
}

static void store(stfi_split v, int64_t n, float *e)
{
    for (int64_t k = 0; k < n; k++) {
        e[2 * k] = v.re[k];
        e[2 * k + 1] = v.im[k];
    }
}

static float between(float first, float last, float progress)
{
    return first * powf(last / first, progress);
}

/* The loss's derivative by the angle of a free element, and of those that are
 * tied to it. */
static float slope_of(const tie *t, stfi_split e, stfi_split slope, int64_t k)
{
    float sum = 0;

    for (; k < t->count; k += t->free)
        sum += slope.im[k] * e.re[k] - slope.re[k] * e.im[k];
    return 2 * sum;
}

/* What a number changes by in one step, whose slope is g. */
typedef struct adam {
    float by_mean, by_square;
    float *mean, *square; /* [count] */
} adam;

static adam adam_at(int step, float rate, float *mean, float *square)
{
    return (adam){rate / (1 - powf(decay_mean, (float)step)),
                  1 / (1 - powf(decay_square, (float)step)), mean, square};
}

static float adam_change(const adam *a, int64_t k, float g)
{
    float *mean = &a->mean[k], *square = &a->square[k];

    *mean = decay_mean * *mean + (1 - decay_mean) * g;
    *square = decay_square * *square + (1 - decay_square) * (g * g);
    return -a->by_mean * *mean / (sqrtf(a->by_square * *square) + 1e-8f);
}

/* One step: each element of e turns by a small angle. */
static void turn(const tie *t, stfi_split e, stfi_split slope, const adam *a)
{
    for (int64_t k = 0; k < t->free; k++) {
        float s = adam_change(a, k, slope_of(t, e, slope, k));
        float c = 1 - s * s / 2, re, im, length;
        re = e.re[k] * c - e.im[k] * s;
        im = e.re[k] * s + e.im[k] * c;
        length = t->length / sqrtf(re * re + im * im);
        e.re[k] = re * length;
        e.im[k] = im * length;
    }
    spread(t, e);
}

/* The same of mirrored elements, which change in length, too: by twice the
 * slope of one of two images. What is k's for re is n - k's for im. */
static void shift(const tie *t, stfi_split e, stfi_split slope, const adam *a)
{
    float sum = 0, length;

    for (int64_t k = 0; k < t->free; k++) {
        int own = is_own_image(t, k);
        int64_t image = own ? k : t->count - k;
        e.re[k] += adam_change(a, k, slope.re[k] + slope.re[image]);
        if (!own)
            e.im[k] += adam_change(a, image, slope.im[k] - slope.im[image]);
        sum += (own ? 1 : 2) * (e.re[k] * e.re[k] + e.im[k] * e.im[k]);
    }
    length = sqrtf((float)t->count / sum);
    for (int64_t k = 0; k < t->free; k++) {
        float re = e.re[k] * length, im = e.im[k] * length;
        float limit = longest / sqrtf(re * re + im * im);
        e.re[k] = limit < 1 ? re * limit : re;
        e.im[k] = limit < 1 ? im * limit : im;
    }
    mirror(t, e);
}

/* Keeps e of the network, rounded, if its least weight is then better than
 * *best_p. exact[2 * count] is for the time being. */
static void keep_if_better(const tie *t, stfi_network *net, float *exact,
                           double *best_p, float *e)
{
    size_t bytes = 2 * (size_t)net->count * sizeof(float);
    double least;

    if (stfi_network_least(net) <= *best_p)
        return;
    memcpy(exact, net->e.re, bytes);
    round_all(t, net->e);
    stfi_network_forward(net);
    least = stfi_network_least(net);
    if (least > *best_p) {
        *best_p = least;
        store(net->e, net->count, e);
    }
    memcpy(net->e.re, exact, bytes);
    stfi_network_forward(net);
}

/* Radices other than 2 take twice as long for each product. */
static int count_steps(const stfi_network *net)
{
    double products = 0, most = net->way.real ? MIRRORED_STEPS : STEPS;

    for (int s = 0; s < net->nstages; s++)
        products += (double)net->nstreams * (double)net->n * net->stage[s].radix
                    * (1 + (net->stage[s].radix > 2));
    return (int)fmax(LEAST_STEPS, fmin(most, most_products / products));
}

/* Levels e of a network; where that becomes better than *best_p, it goes to
 * `to`. The count first and count next of work[4 * count] are 0. */
static void level(const tie *t, stfi_network *net, float *work, double *best_p,
                  float *to)
{
    const float first = t->mirrored ? mirrored_rate_first : rate_first;
    adam a;
    int steps = count_steps(net);

    for (int step = 1; step <= steps; step++) {
        float progress = (float)step / (float)steps;
        stfi_network_forward(net);
        if (step % LOOK == 0)
            keep_if_better(t, net, work + 2 * net->count, best_p, to);
        stfi_network_backward(net, between(eps_first, eps_last, progress));
        a = adam_at(step, between(first, rate_last, progress), work,
                    work + net->count);
        (t->mirrored ? shift : turn)(t, net->e, net->slope, &a);
    }
}

/* The network of a way, with all effects. start[2 * count] is for the time
 * being. */
static void find_effects(stfi_network *net, float *start)
{
    int64_t draws = net->n < SAMPLED / DRAWS ? SAMPLED / net->n : DRAWS;

    if (!stfi_network_is_estimated(net))
        return;
    for (int64_t i = 0; i < draws; i++) {
        draw(net->count, (uint64_t)(i * net->count), start);
        load(net->e, net->count, start);
        stfi_network_forward(net);
        stfi_network_effect_add(net);
    }
    stfi_network_effect_take(net, (int)draws);
}

/* From several starts, in work[6 * count]. */
static void level_best(stfi_network *net, float *work, float *e)
{
    const int64_t count = net->count;
    const tie t = tie_of(&net->way, count);
    const int64_t attempted = t.mirrored ? MIRRORED_ATTEMPTED : ATTEMPTED;
    float *start = work + 4 * count;
    double best = -1;

    find_effects(net, start);
    for (int64_t i = 0; i == 0 || (i < ATTEMPTS && i * net->n < attempted);
         i++) {
        draw(count, (uint64_t)(i * count), start);
        load(net->e, count, start);
        begin_tied(&t, net->e);
        memset(work, 0, 2 * (size_t)count * sizeof *work);
        level(&t, net, work, &best, e);
    }
}

/* A network, and memory for what is done with it. */
static stf_status open_network(const stfi_network_way *way, int64_t points,
                               stfi_network *net_p, void **work_p)
{
    size_t bytes = 0;
    stf_status status = stfi_network_create(way, points, net_p);

    if (status != STF_OK)
        return status;
    status = stfi_bytes((size_t)net_p->count, 6, sizeof(float),
                        "weights of a checksum", &bytes);
    if (status == STF_OK)
        status = stfi_alloc_raw(bytes, "weights of a checksum", work_p);
    if (status != STF_OK)
        stfi_network_destroy(net_p);
    return status;
}

stf_status stfi_ft_phases_levelled(const stfi_network_way *way, int64_t points,
                                   float *e)
{
    stfi_network net;
    void *work;
    stf_status status = open_network(way, points, &net, &work);

    if (status != STF_OK)
        return status;
    level_best(&net, work, e);
    stfi_dealloc(work);
    stfi_network_destroy(&net);
    return STF_OK;
}

stf_status stfi_ft_least_weight(const stfi_network_way *way, int64_t points,
                                const float *e, double *least_p)
{
    stfi_network net;
    void *work;
    stf_status status = open_network(way, points, &net, &work);

    if (status != STF_OK)
        return status;
    find_effects(&net, work);
    load(net.e, net.count, e);
    stfi_network_forward(&net);
    *least_p = stfi_network_least(&net);
    stfi_dealloc(work);
    stfi_network_destroy(&net);
    return STF_OK;
}
