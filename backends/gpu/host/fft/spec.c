/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* From a pass to config.h; see spec.h. */
#include "backends/gpu/host/fft/spec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backends/gpu/host/fft/layout.h"
#include "backends/gpu/kernels/fft/args.h"
#include "base/hash.h"
#include "base/status.h"
#include "ft/weights/sign_pattern.h"
#include "ft/weights/stage.h"
#include "fft/gpu_shape.h"
#include "math/numth.h"
#include "math/roots.h"

static const char *const op_names[] = {
    [STFI_OP_FFT] = "FFT",           [STFI_OP_CONV] = "CONV",
    [STFI_OP_R2C] = "R2C",           [STFI_OP_C2R] = "C2R",
    [STFI_OP_UNTANGLE] = "UNTANGLE", [STFI_OP_TANGLE] = "TANGLE",
    [STFI_OP_R2C_TWO] = "R2C_TWO",   [STFI_OP_C2R_TWO] = "C2R_TWO",
};

static const char *const conv_names[] = {
    [STFI_CONV_NONE] = "NONE",
    [STFI_CONV_RADER] = "RADER",
    [STFI_CONV_BLUESTEIN] = "BLUESTEIN",
    [STFI_CONV_SPREAD] = "SPREAD",
};

static const char *const form_names[] = {
    [STFI_FORM_COMPLEX] = "COMPLEX",
    [STFI_FORM_REAL] = "REAL",
    [STFI_FORM_PAIRS] = "PAIRS",
    [STFI_FORM_HALF] = "HALF",
};

/* Text that grows inside config; `lost` once it did not fit. */
typedef struct writer {
    char *text;
    size_t length, capacity;
    int lost;
} writer;

STFI_PRINTF(2, 3) static void print(writer *w, const char *format, ...)
{
    va_list args;
    int more;

    va_start(args, format);
    more =
        vsnprintf(w->text + w->length, w->capacity - w->length, format, args);
    va_end(args);
    if (more < 0 || (size_t)more >= w->capacity - w->length)
        w->lost = 1;
    else
        w->length += (size_t)more;
}

static void define(writer *w, const char *name, int64_t value)
{
    print(w, "#define STFK_%s %" PRId64 "\n", name, value);
}

static void define_name(writer *w, const char *name, const char *prefix,
                        const char *value)
{
    print(w, "#define STFK_%s %s%s\n", name, prefix, value);
}

static int checks_by_thread(const stfi_pass *p)
{
    return p->check.kind == STFI_CHECK_LANE && p->check.level == STF_FT_THREAD;
}

/* ------------------------------------------------------------ what it does */

static void write_side(writer *w, const char *name, const stfi_pass *p,
                       const stfi_side *side, int across, int staged)
{
    char macro[32];
    int unit = side->form == STFI_FORM_PAIRS ? 2 : 1;

    snprintf(macro, sizeof macro, "%s_FORM", name);
    define_name(w, macro, "FORM_", form_names[side->form]);
    snprintf(macro, sizeof macro, "%s_UNIT", name);
    define(w, macro, side->stride == unit);
    snprintf(macro, sizeof macro, "%s_LIMIT", name);
    define(w, macro, side->limit > 0);
    snprintf(macro, sizeof macro, "%s_ROWS", name);
    define(w, macro, side->rows > 0);
    snprintf(macro, sizeof macro, "%s_CHIRP", name);
    define(w, macro, side->chirp > 0);
    snprintf(macro, sizeof macro, "%s_ADJOIN", name);
    define(w, macro, side->form != STFI_FORM_PAIRS || side->pair == 1);
    snprintf(macro, sizeof macro, "%s_BLOCK", name);
    define(w, macro, side->block);
    snprintf(macro, sizeof macro, "%s_PACKED", name);
    define(w, macro,
           staged && p->op == STFI_OP_FFT && stfi_pass_is_packed(p, side));
    snprintf(macro, sizeof macro, "%s_ACROSS", name);
    define(w, macro, across);
    snprintf(macro, sizeof macro, "%s_STAGED", name);
    define(w, macro, staged);
}

/* Spectra leave block memory, or come to it, by a way of their own. */
static int stores_spectra(const stfi_pass *p)
{
    return p->op == STFI_OP_R2C || p->op == STFI_OP_R2C_TWO;
}

static int loads_spectra(const stfi_pass *p)
{
    return p->op == STFI_OP_C2R || p->op == STFI_OP_C2R_TWO;
}

/* Rader's orders go through block memory too. */
static int is_staged(const stfi_pass *p, int side)
{
    return p->conv == STFI_CONV_RADER
           || (!p->block.split && (p->block.staged & side) != 0);
}

/* Roots that the butterflies of radix r need, those of its factors too. */
static void write_roots(writer *w, int r, uint64_t *done)
{
    if (r < 3 || (*done >> r & 1))
        return;
    *done |= (uint64_t)1 << r;
    print(w, " \\\n X(%d", r);
    for (int k = 0; k < r; k++) {
        long double re, im;
        stfi_root_l((uint64_t)k, (uint64_t)r, &re, &im);
        print(w, ", %.17g, %.17g", (double)re, (double)im);
    }
    print(w, ")");
    for (int d = 2; d < r; d++)
        if (r % d == 0)
            write_roots(w, d, done);
}

static void write_radices(writer *w, const stfi_pass *p)
{
    uint64_t done = 0;

    define(w, "STAGES", p->nstages);
    print(w, "#define STFK_RADICES");
    for (int s = 0; s < p->nstages; s++)
        print(w, "%s %d", s > 0 ? "," : "", p->radix[s]);
    print(w, "\n#define STFK_ROOTS(X)");
    for (int s = 0; s < p->nstages; s++)
        write_roots(w, p->radix[s], &done);
    print(w, "\n");
}

/* Vectors of the butterflies of each radix, where threads check theirs.
 * Errors: MEMORY. */
static stf_status write_checks(writer *w, const stfi_pass *p)
{
    stf_status status = STF_OK;
    uint64_t done = 0;

    print(w, "#define STFK_CHECKS(X)");
    for (int s = 0; s < p->nstages && status == STF_OK; s++) {
        int r = p->radix[s];
        stfi_ft_stage v;
        if (!checks_by_thread(p) || (done >> r & 1))
            continue;
        done |= (uint64_t)1 << r;
        status = stfi_ft_stage_make(r, &v);
        print(w, " \\\n X(%d, %.17g, %.17g", r, stfi_ft_stage_factor(r, 0),
              stfi_ft_stage_factor(r, 1));
        for (int i = 0; i < 2 * r && status == STF_OK; i++)
            print(w, ", %.17g", v.e[i]);
        for (int i = 0; i < 2 * r && status == STF_OK; i++)
            print(w, ", %.17g", v.row[i]);
        print(w, ")");
    }
    print(w, "\n");
    return status;
}

static const char *twiddle_name(const stfi_twiddle *t)
{
    return t->order == 0 ? "NONE" : t->on_load ? "LOAD" : "STORE";
}

/* ------------------------------------------------------ how a block does it */

typedef struct shape {
    int threads; /* per lane */
    int load_across, store_across, load_staged, store_staged;
    int load_interleave,
        store_interleave; /* see backends/gpu/kernels/fft/tile.h */
    int load_sum_interleave,
        store_sum_interleave; /* the same, of what sums of checks go over */
    int wave_sync;
    int sums_shared; /* sums of checks take the place of the exchanges */
    int tiles,
        moments;    /* of a verdict; see backends/gpu/kernels/protect/check.h */
    int persistent; /* see backends/gpu/kernels/protect/persistent.h */
    int pairs;      /* UNTANGLE, TANGLE: no tile */
} shape;

/* Blocks of elements adjoin from lane to lane: neighbouring threads take
 * first a block, then the next lane. */
static int interleave(const stfi_pass *p, const stfi_side *side, int across,
                      int threads)
{
    if (across)
        return 1;
    return side->block > 0 && threads % side->block == 0 && !stores_spectra(p)
               ? (int)side->block
               : threads;
}

static int two_interleave(const stfi_side *side, int threads)
{
    return side->block > 0 && threads % side->block == 0 ? (int)side->block
                                                         : threads;
}

/* The first stage finds its inputs in block memory. */
static int is_staged_before(const stfi_pass *p, const shape *s)
{
    return s->load_staged || loads_spectra(p) || p->conv == STFI_CONV_RADER;
}

/* Where elements sweep through block memory, or spectra leave it, threads
 * that sum them up have one lane each; elsewhere they have what they hold. */
static void set_sum_interleaves(const stfi_pass *p, shape *s)
{
    int swept = p->conv == STFI_CONV_RADER;

    s->load_sum_interleave = s->load_staged || loads_spectra(p)
                                 ? s->store_interleave
                                 : s->load_interleave;
    s->store_sum_interleave = s->store_interleave;
    if (checks_by_thread(p)) { /* by what the first stage has, and the others */
        if (p->op == STFI_OP_R2C)
            s->store_sum_interleave = s->threads;
        if (is_staged_before(p, s))
            s->load_sum_interleave = s->store_sum_interleave;
        return;
    }
    if (swept || p->op == STFI_OP_C2R)
        s->load_sum_interleave = s->load_across ? 1 : s->threads;
    if (swept || p->op == STFI_OP_R2C)
        s->store_sum_interleave = s->store_across ? 1 : s->threads;
    if (p->op == STFI_OP_R2C && s->load_staged)
        s->load_sum_interleave = s->threads;
    if (p->op == STFI_OP_C2R_TWO)
        s->load_sum_interleave = two_interleave(&p->load, s->threads);
    if (p->op == STFI_OP_R2C_TWO)
        s->store_sum_interleave = two_interleave(&p->store, s->threads);
}

static shape get_shape(const stfi_pass *p, const stfi_caps *caps)
{
    shape s = {.threads = p->block.threads / p->block.lanes, .tiles = 1};
    int real = stores_spectra(p) || loads_spectra(p);

    s.pairs = p->op == STFI_OP_UNTANGLE || p->op == STFI_OP_TANGLE;
    if (s.pairs)
        return s;
    s.load_across = stfi_pass_is_across(p, &p->load);
    s.store_across = stfi_pass_is_across(p, &p->store);
    s.load_staged = !loads_spectra(p) && is_staged(p, 1);
    s.store_staged = !stores_spectra(p) && is_staged(p, 2);
    s.load_interleave = interleave(p, &p->load, s.load_across, s.threads);
    s.store_interleave = interleave(p, &p->store, s.store_across, s.threads);
    if (p->op == STFI_OP_R2C_TWO) /* threads stay where they loaded */
        s.store_interleave = s.load_interleave;
    if (p->op == STFI_OP_C2R_TWO)
        s.load_interleave = s.store_interleave;
    s.wave_sync = s.load_interleave == s.threads
                  && s.store_interleave == s.threads && !real
                  && caps->wave % s.threads == 0;
    set_sum_interleaves(p, &s);
    return s;
}

enum { TILE_COUNTER_BYTES = 16 }; /* a block's next tile */
enum { SIGN_BYTES = 16 };         /* with the tile on its way: it has arrived */

/* Where things lie in block memory, in bytes: the exchange at 0. */
typedef struct memory_map {
    uint32_t steps_at, check_at, suspects_at, ahead_at;
    uint32_t tile_counter_at, vectors_at; /* of a persistent block */
    uint32_t total;
    int fine, steps; /* factors of twiddles: F, and R + F + M/F a lane */
} memory_map;

/* Measured on an H200: in columns up to this length gathering the roots of
 * each butterfly costs less than making their factors. */
enum { LONGEST_GATHERED = 1024 };

/* Source: backends/gpu/kernels/fft/memory.h, step_place(). */
static void count_steps(const stfi_pass *p, memory_map *m)
{
    int first = p->twiddle.on_load || p->op == STFI_OP_CONV;
    int radix = p->radix[first ? 0 : p->nstages - 1];
    int butterflies = (int)p->n / radix;

    m->steps = radix;
    if (p->n <= LONGEST_GATHERED)
        return;
    for (m->fine = 1; m->fine * m->fine < butterflies; m->fine *= 2)
        ;
    m->steps = radix + m->fine + (butterflies + m->fine - 1) / m->fine;
}

static uint32_t round_up(uint32_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Residuals of a lane. */
static int count_checks(const stfi_pass *p)
{
    return p->conv == STFI_CONV_SPREAD && !checks_by_thread(p) ? 2 : 1;
}

/* Partial sums of a lane, of reals; backends/gpu/kernels/protect/check.h, summing. */
static int count_partial(const stfi_pass *p, int interleave, int threads,
                         int wave)
{
    int near = STFK_SUM_NEAR(interleave, wave);
    int far = STFK_SUM_FAR(interleave, p->block.lanes, threads, wave);

    return threads / (near * far);
}

/* Sums up to this size have block memory of their own; others share that of
 * the exchanges, for a barrier more. Those of several tiles, which last over
 * the exchanges, are of fewer tiles rather than of more bytes. */
enum { OWN_SUM_BYTES = 2048, TILES_SUM_BYTES = 8192 };

/* Of one tile, or of the sums over tiles. */
static uint32_t sum_bytes(const stfi_pass *p, const shape *s, size_t real_bytes,
                          int wave)
{
    int checks = count_checks(p);
    int load = count_partial(p, s->load_sum_interleave, s->threads, wave);
    int store = count_partial(p, s->store_sum_interleave, s->threads, wave);
    int same = s->load_sum_interleave == s->store_sum_interleave;
    int sums = same && store == 1 ? 0 : (same ? 0 : load) + checks * store;
    int values = s->moments > 0 ? 4 * s->moments - 1 : 3;

    return p->check.kind == STFI_CHECK_LANE
               ? (uint32_t)(p->block.lanes * sums * values)
                     * (uint32_t)real_bytes
               : 0;
}

/* Columns, of which a block has several: their checks' vectors are worth being
 * kept, and the verdict on a tile being given while the next one comes. Tiles
 * are stored before: what they were made of has to be still there. A user's
 * arrays may be one and the same. */
enum { PERSISTENT_LANES = 4 };

static int is_users(stfi_buf buf)
{
    return buf == STFI_BUF_IN || buf == STFI_BUF_OUT;
}

/* What is summed up in waves has its verdict without a barrier anyway. */
static int may_persist(const stfi_pass *p, const shape *s)
{
    return p->check.kind == STFI_CHECK_LANE && !checks_by_thread(p)
           && p->op == STFI_OP_FFT && p->conv == STFI_CONV_NONE && s->tiles == 1
           && !p->gated && !p->block.ahead && p->block.lanes >= PERSISTENT_LANES
           && s->load_across && !s->load_staged && !s->store_staged
           && !s->wave_sync && p->load.buf != p->store.buf
           && !(is_users(p->load.buf) && is_users(p->store.buf));
}

/* Real rows, whose e has no code; persistent blocks keep them by element. */
static int is_ordered(const stfi_pass *p, const shape *s)
{
    return p->check.real_row && !s->persistent;
}

/* Of e, what says what it is: backends/gpu/kernels/protect/check.h, KEPT_E. */
static uint32_t vector_bytes(const stfi_pass *p, size_t real_bytes)
{
    int64_t period = p->check.period;
    int components = p->check.real_row ? 1 : 2;

    return (uint32_t)(p->n * components * (int64_t)real_bytes
                      + (period > 0 ? period : p->n)
                            * (int64_t)sizeof(uint32_t));
}

/* Tiles that are summed up in a wave have their verdict for nothing. */
static void set_tiles(const stfi_pass *p, size_t real_bytes, int wave, shape *s)
{
    uint32_t bytes;

    s->tiles = 1;
    if (p->check.kind != STFI_CHECK_LANE)
        return;
    s->tiles = p->check.transactions;
    if (p->check.scheme != STF_FT_SCHEME_SIGNAL && s->tiles > 1) {
        s->moments = p->check.scheme == STF_FT_SCHEME_TWO_SIDED ? 3 : 1;
        return;
    }
    bytes = sum_bytes(p, s, real_bytes, wave);
    if (bytes == 0)
        s->tiles = 1;
    while (s->tiles > 1 && (uint32_t)s->tiles * bytes > TILES_SUM_BYTES)
        s->tiles /= 2;
}

/* Of all that is kept at once. */
static uint32_t kept_bytes(const stfi_pass *p, const shape *s,
                           size_t real_bytes, int wave)
{
    return sum_bytes(p, s, real_bytes, wave)
           * (uint32_t)(s->moments > 0  ? 1
                        : s->persistent ? 2
                                        : s->tiles);
}

/* Of backends/gpu/kernels/protect/check.h, suspect. */
static size_t suspect_bytes(size_t real_bytes)
{
    size_t bytes = 6 * real_bytes + 3 * sizeof(int);

    return (bytes + real_bytes - 1) / real_bytes * real_bytes;
}

/* Room for the sums of a check, and for what is known of suspects. */
static void map_check(const stfi_pass *p, const shape *s, size_t real_bytes,
                      int wave, memory_map *m)
{
    int checks = count_checks(p);
    uint32_t sums = s->sums_shared ? 0 : kept_bytes(p, s, real_bytes, wave);

    if (p->check.kind != STFI_CHECK_LANE)
        return;
    m->check_at = s->sums_shared ? 0 : round_up(m->total);
    m->suspects_at = round_up(m->total) + round_up(sums);
    m->total =
        m->suspects_at
        + (uint32_t)(p->block.lanes * checks * (int)suspect_bytes(real_bytes));
}

static memory_map map_memory(const stfi_pass *p, const shape *s,
                             size_t real_bytes, uint32_t exchange, int wave)
{
    uint32_t element = 2 * (uint32_t)real_bytes;
    memory_map m = {.steps_at = round_up(exchange)};

    m.total = exchange;
    if (s->pairs)
        return m;
    if (p->twiddle.order > 0) {
        count_steps(p, &m);
        m.total = m.steps_at + (uint32_t)(m.steps * p->block.lanes) * element;
    }
    map_check(p, s, real_bytes, wave, &m);
    if (s->persistent) {
        m.tile_counter_at = round_up(m.total);
        m.vectors_at = m.tile_counter_at + TILE_COUNTER_BYTES;
        m.total = m.vectors_at + vector_bytes(p, real_bytes);
    }
    m.ahead_at = round_up(m.total);
    if (p->block.ahead)
        m.total = m.ahead_at + (uint32_t)(p->n * p->block.lanes) * element
                  + SIGN_BYTES;
    return m;
}

static int choose_layout(const stfi_pass *p, const shape *s, size_t real_bytes,
                         const stfi_caps *caps, stfi_gpu_layout *layout)
{
    memory_map rest = map_memory(p, s, real_bytes, 0, caps->wave);
    int gaps = rest.total == 0 ? 0 /* between what lies there */
               : p->check.kind == STFI_CHECK_LANE ? 64
                                                  : 32;
    stfi_gpu_access access = {
        .n = (int)p->n,
        .extra = p->op == STFI_OP_R2C || p->op == STFI_OP_C2R
                 || p->conv == STFI_CONV_RADER,
        .lanes = p->block.lanes,
        .threads = s->threads,
        .nstages = p->nstages,
        .radix = p->radix,
        .interleave_first =
            s->load_staged ? s->store_interleave : s->load_interleave,
        .interleave = s->store_interleave,
        .sweep = p->op == STFI_OP_R2C_TWO   ? (int)p->store.block
                 : p->op == STFI_OP_C2R_TWO ? (int)p->load.block
                                            : 0,
        .unit_bytes = (int)real_bytes * (p->block.split ? 1 : 2),
        .limit_bytes = caps->block_bytes - (int64_t)rest.total - gaps,
    };

    return stfi_gpu_layout_choose(&access, layout);
}

static int needs_memory(const stfi_pass *p, const shape *s)
{
    return p->nstages > 1 || s->load_staged || s->store_staged
           || s->load_interleave != s->store_interleave || stores_spectra(p)
           || loads_spectra(p);
}

/* Registers that a kernel needs beyond those of its elements. */
static int more_registers(const stfi_pass *p)
{
    int half =
        p->load.form == STFI_FORM_HALF || p->store.form == STFI_FORM_HALF;
    int more = 0;

    if (p->op == STFI_OP_CONV)
        more += 24;
    else if (p->op == STFI_OP_C2R || p->op == STFI_OP_C2R_TWO)
        more += 8;
    else if (p->twiddle.order > 0)
        more += half ? 8
                : stfi_pass_is_across(p, &p->load)
                        && stfi_pass_is_across(p, &p->store)
                    ? 24
                    : 16;
    if (p->load.limit > 0 || p->store.limit > 0)
        more += 16;
    return more;
}

/* What the compiler makes do with, mostly; a kernel that spills is compiled
 * for fewer blocks. */
enum { ENOUGH_REGISTERS = 128, FEW_REGISTERS = 40, SPARE_REGISTERS = 8 };

/* Blocks that fit a multiprocessor by registers: those that kernels do best
 * with, or, fewer registers cost less than being alone, the least. */
static int64_t count_by_registers(const stfi_pass *p, size_t real_bytes,
                                  const stfi_caps *caps)
{
    int largest = 1, least, good;
    int64_t blocks;

    for (int s = 0; s < p->nstages; s++)
        if (p->radix[s] > largest)
            largest = p->radix[s];
    least = stfi_gpu_registers(p->block.elements, largest, real_bytes);
    good = least + more_registers(p);
    if (good < FEW_REGISTERS)
        good += SPARE_REGISTERS;
    if (least <= ENOUGH_REGISTERS && good > ENOUGH_REGISTERS
        && p->op != STFI_OP_CONV)
        good = ENOUGH_REGISTERS;
    blocks = stfi_gpu_blocks(p->block.threads, good, caps);
    return blocks > 1 ? blocks : stfi_gpu_blocks(p->block.threads, least, caps);
}

/* Blocks that fit a multiprocessor: what the compiler may shape registers
 * to. */
static int count_resident(const stfi_pass *p, size_t real_bytes,
                          uint32_t shared, const stfi_caps *caps)
{
    int64_t threads =
        (p->block.threads + caps->wave - 1) / caps->wave * caps->wave;
    int64_t blocks = count_by_registers(p, real_bytes, caps);
    int64_t by_memory =
        shared > 0 ? (caps->block_bytes + 1024) / ((int64_t)shared + 1024) : 32;
    int64_t by_threads = caps->unit_threads / threads;
    /* Left to itself the compiler takes few registers for short tiles, but
     * not for the part of a protected kernel that computes a tile again. */
    int64_t most =
        p->check.kind != STFI_CHECK_NONE && p->block.elements <= 4 ? 32 : 16;

    blocks = blocks < by_memory ? blocks : by_memory;
    blocks = blocks < by_threads ? blocks : by_threads;
    blocks = blocks < most ? blocks : most;
    return blocks > 1 ? (int)blocks : 1;
}

/* See backends/gpu/kernels/protect/check.h. */
static void write_code(writer *w, const stfi_pass *p)
{
    int coded = p->check.period > 0;
    uint64_t turns = 0;
    uint32_t odd = 0;

    for (int i = 0; coded && i < p->block.elements; i++) {
        unsigned digit =
            (unsigned)(stfi_ft_sign_pattern(p->block.elements)[i] - '0');
        turns |= (uint64_t)(digit / 2) << 2 * i;
        odd |= (uint32_t)(digit % 2) << i;
    }
    define(w, "SIGN_PATTERN", coded);
    print(w, "#define STFK_SIGN_PATTERN_TURNS 0x%" PRIx64 "ull\n", turns);
    print(w, "#define STFK_SIGN_PATTERN_ODD 0x%" PRIx32 "u\n", odd);
}

static void write_block(writer *w, const stfi_pass *p, const shape *s,
                        const stfi_gpu_layout *y, const memory_map *m)
{
    define(w, "THREADS", s->threads);
    define(w, "LANES", p->block.lanes);
    define(w, "HELD", p->block.elements);
    define(w, "SPLIT", p->block.split);
    define(w, "WAVE_SYNC", s->wave_sync);
    define(w, "LOAD_INTERLEAVE",
           s->load_interleave > 0 ? s->load_interleave : 1);
    define(w, "STORE_INTERLEAVE",
           s->store_interleave > 0 ? s->store_interleave : 1);
    define(w, "PITCH", y->pitch);
    define(w, "STEP", y->step);
    define(w, "SKEW_XOR", y->exclusive);
    define(w, "SKEW_SHIFT", y->shift);
    define(w, "SKEW_MUL", y->mul);
    define(w, "CHECK", p->check.kind == STFI_CHECK_LANE);
    define(w, "TWICE", p->check.kind == STFI_CHECK_TWICE);
    define(w, "LOAD_SUM_INTERLEAVE",
           s->load_sum_interleave > 0 ? s->load_sum_interleave : 1);
    define(w, "STORE_SUM_INTERLEAVE",
           s->store_sum_interleave > 0 ? s->store_sum_interleave : 1);
    define(w, "CHECK_SHARED", s->sums_shared);
    define(w, "BY_THREAD", checks_by_thread(p));
    write_code(w, p);
    define(w, "REAL_ROW", p->check.real_row);
    define(w, "ORDERED", is_ordered(p, s));
    define(w, "TRANSACTIONS", s->tiles);
    define(w, "MOMENTS", s->moments);
    define(w, "CHECK_AT", m->check_at);
    define(w, "SUSPECTS_AT", m->suspects_at);
    define(w, "PERSISTENT", s->persistent);
    define(w, "VECTORS_AT", m->vectors_at);
    define(w, "TILE_COUNTER_AT", m->tile_counter_at);
    define(w, "GATED", p->gated);
    define(w, "AHEAD", p->block.ahead);
    define(w, "AHEAD_AT", m->ahead_at);
    define(w, "STEPS_AT", m->steps_at);
    define(w, "STEPS_FINE", m->fine);
    define(w, "STEPS", m->steps > 0 ? m->steps : 1);
}

static void write_pass(writer *w, const stfi_pass *p, const shape *s,
                       size_t real_bytes)
{
    define_name(w, "REAL", "", real_bytes > 4 ? "double" : "float");
    define_name(w, "OP", "OP_", op_names[p->op]);
    define_name(w, "CONV", "CONV_", conv_names[p->conv]);
    define(w, "N", p->n);
    define(w, "SIGNAL", p->conv == STFI_CONV_SPREAD ? p->n : p->signal);
    define(w, "NLOOPS", p->nloops);
    define(w, "WIDE", stfi_pass_lanes(p) >= (int64_t)1 << 31);
    write_side(w, "LOAD", p, &p->load, s->load_across, s->load_staged);
    write_side(w, "STORE", p, &p->store, s->store_across, s->store_staged);
    define_name(w, "TWIDDLE", "TWIDDLE_", twiddle_name(&p->twiddle));
    define(w, "TWIDDLE_CONJ", p->twiddle.conjugate);
    define(w, "INVERSE", p->inverse);
    define(w, "SCALED", p->scaled);
    write_radices(w, p);
}

static void write_name(stfi_gpu_spec *spec, const stfi_pass *p,
                       size_t real_bytes)
{
    char radices[64] = "", op[16];
    size_t length = 0;

    snprintf(op, sizeof op, "%s", op_names[p->op]);
    for (char *c = op; *c != '\0'; c++)
        *c = (char)(*c < 'A' || *c > 'Z' ? *c : *c - 'A' + 'a');
    for (int s = 0; s < p->nstages && length < sizeof radices - 8; s++)
        length += (size_t)snprintf(radices + length, sizeof radices - length,
                                   "%s%d", s > 0 ? "x" : "", p->radix[s]);
    snprintf(spec->entry, sizeof spec->entry,
             "stfk_%s_f%d_n%" PRId64 "_r%s_t%d_l%d_%016" PRIx64, op,
             (int)real_bytes * 8, p->n, length > 0 ? radices : "0",
             p->block.threads, p->block.lanes, stfi_hash_text(spec->config));
}

/* The layout of the exchanges, and their bytes; 0 if there is none. */
static int place_exchange(const stfi_pass *p, size_t real_bytes,
                          const stfi_caps *caps, shape *s, stfi_gpu_layout *y,
                          uint32_t *shared_p)
{
    uint32_t sums, bytes = 0;

    sums = sum_bytes(p, s, real_bytes, caps->wave);
    s->sums_shared = sums > OWN_SUM_BYTES && !s->persistent
                     && (s->tiles == 1 || s->moments > 0);
    if (needs_memory(p, s)) {
        if (!choose_layout(p, s, real_bytes, caps, y)) {
            if (sums == 0 || s->sums_shared || s->persistent)
                return 0;
            s->sums_shared = 1;
            if (s->moments == 0)
                s->tiles = 1;
            if (!choose_layout(p, s, real_bytes, caps, y))
                return 0;
        }
        bytes = (uint32_t)y->units * (uint32_t)real_bytes
                * (p->block.split ? 1 : 2);
    }
    if (s->sums_shared && bytes < sums)
        bytes = sums;
    *shared_p = bytes;
    return 1;
}

/* Measured on an H200: of doubles, where three blocks or more fit a
 * multiprocessor, or two with short columns, others compute while one waits,
 * and a persistent block is slower; so it is with 64 registers a thread, or if it leaves
 * the first-level cache too small for the other tables. Source:
 * bench/results/cuda-h200-ft.md. */
enum { PERSISTENT_PAIRED = 512, FULL_THREADS = 1024 };

static int should_persist(const stfi_pass *p, size_t real_bytes, int resident,
                          uint32_t shared, const stfi_caps *caps)
{
    return resident * p->block.threads < FULL_THREADS
           && (real_bytes == 4 || resident == 1
               || (resident == 2 && p->n >= PERSISTENT_PAIRED))
           && 5 * resident * ((int64_t)shared + 1024)
                  <= 4 * (int64_t)caps->block_bytes;
}

/* What lies where in block memory. */
static int place(const stfi_pass *p, size_t real_bytes, const stfi_caps *caps,
                 shape *s, stfi_gpu_layout *y, memory_map *m)
{
    uint32_t shared = 0, without;
    int resident;

    set_tiles(p, real_bytes, caps->wave, s);
    s->persistent =
        may_persist(p, s) && sum_bytes(p, s, real_bytes, caps->wave) > 0;
    if (place_exchange(p, real_bytes, caps, s, y, &shared)) {
        *m = map_memory(p, s, real_bytes, shared, caps->wave);
        without = s->persistent ? m->tile_counter_at : m->total;
        resident = count_resident(p, real_bytes, without, caps);
        if (!s->persistent
            || (count_resident(p, real_bytes, m->total, caps) == resident
                && should_persist(p, real_bytes, resident, m->total, caps)))
            return 1;
    }
    s->persistent = 0;
    if (!place_exchange(p, real_bytes, caps, s, y, &shared))
        return 0;
    *m = map_memory(p, s, real_bytes, shared, caps->wave);
    return 1;
}

stf_status stfi_gpu_spec_make(const stfi_pass *p, stf_precision precision,
                              const stfi_caps *caps, stfi_gpu_spec *spec_p)
{
    size_t real_bytes = stfi_type_get(precision)->bytes;
    shape s = get_shape(p, caps);
    stfi_gpu_layout y = {.step = 1, .conflicts = 1.0};
    writer w = {spec_p->config, 0, sizeof spec_p->config, 0};
    memory_map map = {0};
    stfi_pass own = *p;
    stf_status status;

    if (precision != STF_F32 && precision != STF_F64)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "precision %s is not there on "
                          "GPUs; f32 and f64 are",
                          stfi_type_get(precision)->name);
    if (s.pairs) {
        own.nstages = 1;
        own.radix[0] = 1;
    } else if (!place(p, real_bytes, caps, &s, &y, &map)) {
        return stfi_error(
            STF_ERR_INTERNAL,
            "a tile of %" PRId64 " elements has no layout that fits", p->n);
    }
    write_pass(&w, &own, &s, real_bytes);
    if ((status = write_checks(&w, &own)) != STF_OK)
        return status;
    write_block(&w, &own, &s, &y, &map);
    spec_p->resident = count_resident(p, real_bytes, map.total, caps);
    spec_p->launch =
        (stfi_gpu_launch){0, (uint32_t)p->block.threads, map.total};
    spec_p->lanes = p->block.lanes;
    spec_p->stays = p->block.ahead || s.persistent;
    spec_p->draws = s.persistent;
    spec_p->tiles = s.tiles;
    spec_p->ordered = is_ordered(p, &s);
    spec_p->spill_bytes = s.tiles > 1 ? STFI_GPU_TILES_SPILL_BYTES
                          : p->check.kind != STFI_CHECK_NONE || p->gated
                              ? STFI_GPU_CHECK_SPILL_BYTES
                              : STFI_GPU_SPILL_BYTES;
    write_name(spec_p, &own, real_bytes);
    print(&w, "#define STFK_WAVE %d\n", caps->wave);
    print(&w, "#ifndef STFK_BLOCKS\n#define STFK_BLOCKS %d\n#endif\n",
          spec_p->resident);
    print(&w, "#define STFK_NAME %s\n", spec_p->entry);
    if (w.lost)
        return stfi_error(STF_ERR_INTERNAL, "config.h of %s is too long",
                          spec_p->entry);
    return STF_OK;
}

int stfi_gpu_spec_fewer(int blocks)
{
    return blocks > 4 ? blocks * 3 / 4 : blocks - 1;
}

void stfi_gpu_spec_variant(const stfi_gpu_spec *spec, int blocks,
                           char config[STFI_GPU_VARIANT_BYTES])
{
    if (blocks == spec->resident)
        snprintf(config, STFI_GPU_VARIANT_BYTES, "%s", spec->config);
    else
        snprintf(config, STFI_GPU_VARIANT_BYTES, "#define STFK_BLOCKS %d\n%s",
                 blocks, spec->config);
}
