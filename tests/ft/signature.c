/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Signatures of launches on the cpu: which plans have one, and that it is the
 * expected one without faults, on one thread and on several, forward and
 * backward. Then passes are run one by one, with
 * something wrong between them that no pass notices: each such fault changes the
 * signature. */
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/cpu_executable.h"
#include "backends/cpu/fft/cpu_tables.h"
#include "backends/cpu/protect/cpu_signature.h"
#include "backends/cpu/sums/row_sums_isa.h"
#include "base/type.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

static const struct {
    const char *word;
    int is_signed;
} problems[] = {
    {"c2c:f32:8*41", 1},    {"c2c:f64:1*3", 1},      {"c2c:f32:1024*9", 1},
    {"c2c:f64:1021*3", 1},  {"c2c:f32:65536*2", 1},  {"c2c:f32:65521*1", 1},
    {"c2c:f64:24x35*3", 1}, {"c2c:f32:5x7x9*4", 1},  {"c2c:f32:32x30x28*3", 1},
    {"c2c:f64:37x41*2", 1}, {"c2c:f16:64*40", 1},    {"r2c:f32:64*7", 1},
    {"c2r:f64:105*4", 1},   {"dct2:f32:64*7", 1},    {"dst1:f64:105*4", 1},
    {"c2c:f16:24x35*3", 0}, {"r2c:f32:131072*1", 0}, {"r2c:f64:24x36*2", 0},
};

/* A plan with its arrays, and buffers for a launch. */
typedef struct rig {
    stf_device *dev;
    stf_plan *plan;
    const stfi_fft_plan *fft;
    char *in, *out, *work;
    stfi_buffers b;
} rig;

static char *room(size_t bytes)
{
    char *p = aligned_alloc(64, (bytes / 64 + 1) * 64);

    if (p != NULL)
        memset(p, 0, bytes);
    return p;
}

/* Transforms of a batch are neighbours, element by element. */
static void interleave(const stf_fft_desc *d, stf_layout *l)
{
    int64_t stride = d->batch;

    l->dist = 1;
    for (int a = d->rank - 1; a >= 0; a--) {
        l->stride[a] = stride;
        stride *= d->n[a];
    }
}

static int rig_open(rig *r, const char *word, int threads, int interleaved)
{
    stfi_problem p;
    stf_fft_desc d;
    size_t bytes;

    memset(r, 0, sizeof *r);
    if (stfi_problem_parse(word, &p))
        return tap_ok(0, "%s: %s", word, stf_error_message());
    d = p.desc;
    d.threads = threads;
    d.ft.mode = STF_FT_CORRECT;
    d.ft.end_to_end = 1;
    if (interleaved)
        interleave(&d, &d.in);
    if (stf_device_open("cpu", &r->dev) || stf_plan_fft(r->dev, &d, &r->plan))
        return tap_ok(0, "%s: %s", word, stf_error_message());
    r->fft = stfi_fft_plan_of(r->plan);
    bytes = (size_t)d.batch * 4 * sizeof(double);
    for (int a = 0; a < d.rank; a++)
        bytes *= (size_t)d.n[a] + 2;
    r->in = room(bytes);
    r->out = room(bytes);
    r->work = room(r->dev->backend->fft->workspace(r->fft->exec));
    for (size_t i = 0; r->in != NULL && i < bytes; i++)
        r->in[i] = (char)(i * i % 61); /* small numbers in all precisions */
    r->b = (stfi_buffers){.in = r->in, .out = r->out, .work = r->work};
    stfi_fft_plan_direct(r->fft, STF_FORWARD, &r->b);
    return r->in != NULL && r->out != NULL && r->work != NULL;
}

static void rig_close(rig *r)
{
    stf_plan_destroy(r->plan);
    stf_device_close(r->dev);
    free(r->in);
    free(r->out);
    free(r->work);
}

/* ---------------------------------------------------------------- launches */

/* 1 if a launch leaves the signature that is expected of it. */
static int is_expected(rig *r)
{
    const stfi_fft_ops *fft = r->dev->backend->fft;
    stfi_signature s = {.sum = 0};
    uint64_t sum;

    r->b.signature = &s;
    return fft->signature(r->fft->exec, &r->b, &sum)
           && fft->launch(r->fft->exec, &r->b, NULL) == STF_OK && s.sum == sum;
}

/* 1 if buffers that differ in something have another signature. */
static int is_telling(rig *r)
{
    const stfi_fft_ops *fft = r->dev->backend->fft;
    stfi_buffers other[5] = {r->b, r->b, r->b, r->b, r->b};
    uint64_t sum, another;

    other[0].in = r->in + 64;
    other[1].out = r->out + 64;
    other[2].scale = 2 * r->b.scale;
    other[3].inverse = !r->b.inverse;
    other[4].scale = 0x1p-256 * r->b.scale; /* one bit, the fourth highest */
    fft->signature(r->fft->exec, &r->b, &sum);
    for (int i = 0; i < 5; i++) {
        fft->signature(r->fft->exec, &other[i], &another);
        if (another == sum)
            return 0;
    }
    return 1;
}

/* 1 if the device computes without vectors. Its plans may have other passes. */
static int is_plain(const rig *r)
{
    return stfi_cpu_row_sums_find(stfi_cpu_isa_at(0),
                                  r->fft->schedule->precision)
           == NULL;
}

static int is_complex(const char *word)
{
    return strncmp(word, "c2c", 3) == 0;
}

static void test_launches(const char *word, int is_signed, int threads,
                          int interleaved)
{
    rig r;
    uint64_t sum;
    int right = rig_open(&r, word, threads, interleaved);

    if (right && !is_signed && is_plain(&r)) {
        tap_skip("there are no vectors", "%s has no signature", word);
    } else if (right && !is_signed) {
        tap_ok(!r.dev->backend->fft->signature(r.fft->exec, &r.b, &sum),
               "%s has no signature", word);
    } else if (right) {
        right = is_expected(&r) && is_telling(&r);
        if (is_complex(word)) {
            stfi_fft_plan_direct(r.fft, STF_INVERSE, &r.b);
            right &= is_expected(&r);
        }
        tap_ok(right, "%s, %d threads%s: signatures as expected", word, threads,
               interleaved ? ", interleaved" : "");
    }
    rig_close(&r);
}

/* A table that was damaged shows in all launches until it is as it was. */
static void test_tables(const char *word)
{
    rig r;
    int right = rig_open(&r, word, 1, 0), other;
    unsigned char *table = right ? r.fft->exec->pass[0].tw_fine : NULL;

    right = right && table != NULL && is_expected(&r);
    if (right) {
        table[40] ^= 4;
        other = !is_expected(&r);
        table[40] ^= 4;
        right = other && is_expected(&r);
    }
    if (r.fft != NULL && is_plain(&r))
        tap_skip("there are no vectors", "%s: a bit of a table", word);
    else
        tap_ok(right, "%s: a bit of a table", word);
    rig_close(&r);
}

/* ------------------------------------------------------------------ passes */

/* What is wrong with a run of two passes. */
typedef enum wrong {
    NOTHING,
    A_BIT_BETWEEN,
    A_TILE_LEFT_OUT_BEFORE,
    A_TILE_LEFT_OUT_AFTER,
    A_TILE_TWICE,
    A_STEP_OF_THE_INPUT,
    A_SCALE,
    WRONGS
} wrong;

static const char *const wrong_name[] = {"nothing",
                                         "a bit between passes",
                                         "a tile left out before",
                                         "a tile left out after",
                                         "a tile computed twice",
                                         "another place of the input",
                                         "another scale"};

/* Passes of a schedule, with the sum of what their runs have signed. */
typedef struct chain {
    const rig *r;
    int count;
    stfi_cpu_pass pass[STFI_MAX_PASSES];
    stfi_cpu_log log;
    stfi_cpu_watch watch;
    void *scratch;
} chain;

static int chain_open(chain *c, const rig *r)
{
    const stfi_schedule *s = r->fft->schedule;
    const char *isa = stfi_cpu_isa_at(0);
    size_t bytes = 0;

    memset(c, 0, sizeof *c);
    c->r = r;
    for (; c->count < s->npasses; c->count++) {
        stfi_cpu_pass *cp = &c->pass[c->count];
        size_t needs;
        if (stfi_cpu_pass_create(&s->pass[c->count], s->precision, c->pass,
                                 c->count, NULL, cp)
            != STF_OK)
            return 0;
        cp->load_format = cp->store_format = s->precision;
        cp->kernels = stfi_cpu_kernels_choose(isa, s->precision, &cp->p);
        needs = cp->kernels->scratch_bytes(cp);
        bytes = needs > bytes ? needs : bytes;
    }
    c->scratch = room(bytes);
    return c->scratch != NULL && stfi_cpu_log_init(&c->log) == STF_OK
           && stfi_cpu_sign_passes(c->pass, c->count, s->precision);
}

static void chain_close(chain *c)
{
    for (int i = 0; i < c->count; i++)
        stfi_cpu_pass_destroy(&c->pass[i]);
    stfi_cpu_log_destroy(&c->log);
    free(c->scratch);
}

static stfi_cpu_run run_of(chain *c, int i)
{
    const rig *r = c->r;

    return (stfi_cpu_run){.src = i == 0 ? r->in : r->work,
                          .dst = i == 0 ? r->work : r->out,
                          .scratch = c->scratch,
                          .batch = 1,
                          .scale = 1,
                          .watch = &c->watch};
}

/* Runs both passes, with something wrong, and returns 1 if the signature is
 * right. */
static int run_passes(chain *c, wrong what, uint64_t chance)
{
    const rig *r = c->r;
    size_t work = stfi_schedule_slot_bytes(r->fft->schedule, 0);
    uint64_t expected = 0;
    stfi_ft_result result = {.failed = 0};

    c->watch = (stfi_cpu_watch){
        .log = &c->log, .result = &result, .batch = 1, .is_signed = 1};
    for (int i = 0; i < 2; i++) {
        const stfi_cpu_pass *cp = &c->pass[i];
        int64_t lanes = stfi_pass_lanes(&cp->p), tile = cp->kernels->lanes;
        int64_t skipped =
            what == (i == 0 ? A_TILE_LEFT_OUT_BEFORE : A_TILE_LEFT_OUT_AFTER)
                ? tile
                : 0;
        stfi_cpu_run run = run_of(c, i);
        expected += stfi_cpu_sign(cp, &run);
        if (i == 0 && what == A_STEP_OF_THE_INPUT)
            run.src = r->in + 64;
        if (i == 1 && what == A_SCALE)
            run.scale = 2;
        if (i == 1 && what == A_BIT_BETWEEN)
            r->work[chance % work] ^= (char)(1 << chance / work % 8);
        cp->kernels->run(cp, &run, 0, lanes - skipped);
        if (i == 0 && what == A_TILE_TWICE)
            cp->kernels->run(cp, &run, tile, 2 * tile);
    }
    return c->watch.signature == expected;
}

static void test_passes(const char *word)
{
    int trials = tap_level() == TAP_QUICK ? 20 : 200;
    uint64_t state = tap_seed();
    chain c;
    rig r;
    int right = rig_open(&r, word, 1, 0) && chain_open(&c, &r);

    if (right && c.count != 2 && is_plain(&r)) {
        tap_skip("there are no vectors", "%s has two passes", word);
        chain_close(&c);
        rig_close(&r);
        return;
    }
    right &= tap_ok(right && c.count == 2, "%s has two passes", word);
    for (wrong what = NOTHING; what < WRONGS && right; what++) {
        int count = what == A_BIT_BETWEEN ? trials : 1, found = 0;
        for (int i = 0; i < count; i++)
            found += !run_passes(&c, what, stfi_random_u64(&state));
        tap_ok(found == (what == NOTHING ? 0 : count), "%s: %s", word,
               wrong_name[what]);
    }
    if (right)
        chain_close(&c);
    rig_close(&r);
}

int main(void)
{
    tap_begin("ft/signature");
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        const char *word = problems[i].word;
        int is_signed = problems[i].is_signed;
        for (int threads = 1; threads <= 2; threads++)
            test_launches(word, is_signed, threads, 0);
        if (is_complex(word))
            test_launches(word, is_signed, 1, 1);
    }
    test_tables("c2c:f32:10000*1");
    test_passes("c2c:f32:10000*1");
    test_passes("c2c:f64:65536*1");
    return tap_end();
}
