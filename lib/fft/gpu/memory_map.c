/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The map of a block's memory; see memory_map.h. From 0 on: the exchanges,
 * twiddle factors, exponents of balanced signals, sums of checks, suspects,
 * what a persistent block keeps, and the tile that is loaded ahead. */
#include "fft/gpu/memory_map.h"

#include "fft/gpu/residency.h"

enum {
    TILE_COUNTER_BYTES = 16, /* the number of a persistent block's next tile */
    SIGN_BYTES = 16          /* signals that the tile loaded ahead has
                                arrived */
};

static int64_t round_up(int64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* ------------------------------------------------------------------ checks */

static int lowest_bit(int x)
{
    return x & -x;
}

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

int stfi_gpu_partial_sums(int interleave, int lanes, int threads, int wave,
                          int most)
{
    int near = lesser(lowest_bit(interleave), most), far = 1;
    int across = interleave * lanes;

    if (lowest_bit(across) == across && across < wave)
        far = lesser(lesser(wave / across, lowest_bit(threads / interleave)),
                     most / near);
    return threads / (near * far);
}

/* Returns how many residuals a lane has. */
static int count_checks(const stfi_gpu_config *c)
{
    return c->conv == STFI_CONV_SPREAD && !c->by_thread ? 2 : 1;
}

static int count_partial(const stfi_gpu_config *c, int64_t interleave)
{
    return stfi_gpu_partial_sums((int)interleave, (int)c->lanes,
                                 (int)c->threads, (int)c->wave,
                                 (int)c->sum_together);
}

int64_t stfi_gpu_sum_bytes(const stfi_gpu_config *c)
{
    int load = count_partial(c, c->load_sum_interleave);
    int store = count_partial(c, c->store_sum_interleave);
    int same = c->load_sum_interleave == c->store_sum_interleave;
    int64_t values = c->moments > 0 ? 4 * c->moments - 1 : 3;
    int sums =
        same && store == 1 ? 0 : (same ? 0 : load) + count_checks(c) * store;

    return c->check ? c->lanes * sums * values * stfi_gpu_config_real(c) : 0;
}

/* Returns the bytes of all sums that exist at the same time: a persistent block
 * sums up the next tile while it judges one. */
static int64_t kept_bytes(const stfi_gpu_config *c)
{
    return stfi_gpu_sum_bytes(c)
           * (c->moments > 0  ? 1
              : c->persistent ? 2
                              : c->transactions);
}

/* Returns the bytes of the state of a suspect. Source:
 * backends/gpu/kernels/protect/trial.h, suspect. */
static int64_t suspect_bytes(int64_t real_bytes)
{
    int64_t bytes = 6 * real_bytes + 7;

    return (bytes + real_bytes - 1) / real_bytes * real_bytes;
}

/* Places the sums of a check and the state of suspects. */
static void map_check(stfi_gpu_config *c)
{
    int64_t sums = c->check_shared ? 0 : kept_bytes(c);

    if (!c->check)
        return;
    c->check_at = c->check_shared ? 0 : round_up(c->shared_bytes);
    c->suspects_at = round_up(c->shared_bytes) + round_up(sums);
    c->shared_bytes =
        c->suspects_at
        + c->lanes * count_checks(c) * suspect_bytes(stfi_gpu_config_real(c));
}

/* Returns the bytes of a check's vectors that a persistent block keeps: the
 * row, and e for each element, or for each element that the sign pattern leaves
 * free: a real, or a word. Source: backends/gpu/kernels/protect/vectors.h,
 * KEPT_E, stored_phase. */
static int64_t vector_bytes(const stfi_gpu_config *c)
{
    int64_t unit = stfi_gpu_config_real(c);
    int components = c->real_row ? 1 : 2;

    return c->n * components * unit
           + (c->sign_pattern ? c->threads : c->n)
                 * (c->real_e ? unit : (int64_t)sizeof(uint32_t));
}

/* --------------------------------------------------------------------- all */

/* Computes the number of twiddle factors per lane, R + F + M/F: one for each of
 * the R inputs of a butterfly, one for each of F adjacent butterflies, and one
 * for every F-th of the M butterflies. Source:
 * backends/gpu/kernels/fft/twiddles.h, step_place(). */
static void count_steps(const stfi_tuning *tuning, stfi_gpu_config *c)
{
    int first = c->twiddle == STFI_TWIDDLE_LOAD || c->op == STFI_OP_CONV;
    int radix = c->radices.radix[first ? 0 : c->radices.count - 1];
    int64_t butterflies = c->n / radix;

    c->steps = radix;
    if (c->n <= tuning->longest_gathered)
        return;
    for (c->steps_fine = 1; c->steps_fine * c->steps_fine < butterflies;
         c->steps_fine *= 2)
        ;
    c->steps = radix + c->steps_fine
               + (butterflies + c->steps_fine - 1) / c->steps_fine;
}

/* Returns the bytes of the tile that is loaded ahead. Source:
 * backends/gpu/kernels/fft/ahead.h, TILE_BYTES. */
static int64_t arriving_bytes(const stfi_gpu_config *c)
{
    const stfi_type *type = stfi_type_get((stf_precision)c->load_stored);

    return c->n * c->lanes * 2 * (int64_t)type->bytes;
}

/* About how many instructions a wave takes to exchange and add the numbers of a sum,
 * or to read and add them, and for a verdict. */
enum { EXCHANGE_COST = 6, VERDICT_COST = 60 };

/* Returns the instructions of the waves that add up `partial` sums of each lane, if
 * these are to be few. Source: backends/gpu/kernels/protect/sums.h, best_reducers(). */
static int reducing_cost(const stfi_gpu_config *c, int partial)
{
    int least = 0;

    for (int r = 1;
         r == 1 || (r <= c->threads && r <= c->wave && 2 * r <= partial);
         r *= 2) {
        int waves = ((int)c->lanes * r + (int)c->wave - 1) / (int)c->wave;
        int additions = (partial + r - 1) / r;
        for (int m = 1; m < r; m *= 2)
            additions++;
        int cost = waves * (VERDICT_COST + EXCHANGE_COST * additions);
        least = r == 1 || cost < least ? cost : least;
    }
    return least;
}

/* Returns the instructions by which a block adds up the sums of its threads. */
static int adding_cost(const stfi_gpu_config *c)
{
    int load = count_partial(c, c->load_sum_interleave);
    int store = count_partial(c, c->store_sum_interleave);
    int waves = (int)((c->threads * c->lanes + c->wave - 1) / c->wave),
        exchanges = 0;

    for (int m = 2 * store; m <= c->threads; m *= 2)
        exchanges++;
    if (c->load_sum_interleave != c->store_sum_interleave)
        for (int m = 2 * load; m <= c->threads; m *= 2)
            exchanges++;
    return waves * exchanges * EXCHANGE_COST
           + reducing_cost(c, load > store ? load : store);
}

/* Returns 1 if as many blocks are resident with so many bytes of block memory. */
static int keeps_blocks(const stfi_gpu_config *c, int64_t bytes,
                        const stfi_caps *caps)
{
    return stfi_gpu_resident(c, bytes, caps)
           == stfi_gpu_resident(c, c->shared_bytes, caps);
}

/* Returns 1 if sums with so many more bytes have block memory of their own, and as
 * many blocks are resident. */
static int is_room(const stfi_gpu_config *c, int64_t bytes,
                   const stfi_caps *caps)
{
    int64_t more = bytes - stfi_gpu_sum_bytes(c);

    return bytes <= stfi_tuning_of(caps)->own_sum_bytes
           && stfi_gpu_resident(c, c->shared_bytes, caps) > 1
           && keeps_blocks(c, c->shared_bytes + more, caps);
}

int stfi_gpu_choose_sums(const stfi_caps *caps, stfi_gpu_config *c)
{
    stfi_gpu_config other = *c;
    int least, best = (int)c->sum_together;

    if (stfi_gpu_sum_bytes(c) == 0 || c->transactions > 1 || c->check_shared)
        return 0;
    least = adding_cost(c);
    for (other.sum_together = c->wave / 2; other.sum_together > 0;
         other.sum_together /= 2)
        if (adding_cost(&other) < least
            && is_room(c, stfi_gpu_sum_bytes(&other), caps)) {
            best = (int)other.sum_together;
            least = adding_cost(&other);
        }
    if (best == c->sum_together)
        return 0;
    c->sum_together = best;
    return 1;
}

int64_t stfi_gpu_rows_of_two_bytes(const stfi_gpu_config *c)
{
    const stfi_op_row *op = stfi_op_get(c->op);
    const int in_run = (op->loads_spectra && c->load_packed)
                       || (op->stores_spectra && c->store_packed)
                       || (op->two && c->row_gap > 0);

    return in_run ? c->lanes * (c->n / 2 + 1) * 4 * stfi_gpu_config_real(c) : 0;
}

/* Rows that stay halves have places of their own (kernels/fft/row_words.h). Columns whose
 * first stage has no exchange may be stored as rows, each of which begins eight banks
 * behind the one before. */
int stfi_gpu_lay_half_rows(stfi_gpu_config *c, int64_t *bytes_p)
{
    enum { WORD = 4, BANKS = 8 };

    if (!c->unit_rows && !(c->direct && c->load_across && !c->store_across))
        return 0;
    c->pitch = c->unit_rows ? c->n : c->n + BANKS;
    c->step = 1;
    c->swizzle = c->skew_xor = c->skew_shift = c->skew_mul = 0;
    *bytes_p = WORD * c->pitch * c->lanes;
    return 1;
}

/* Returns the bytes of the exponents and norms of two signals, and of the powers of
 * two that follow from them. Source: backends/gpu/kernels/fft/balance.h, peaks(),
 * powers_back(), powers_up(). */
static int64_t balance_bytes(const stfi_gpu_config *c)
{
    const int64_t powers = c->check ? 2 : 1;

    return c->lanes * 2
           * (2 * (int64_t)sizeof(uint32_t) + powers * stfi_gpu_config_real(c));
}

void stfi_gpu_map_memory(int64_t exchange, const stfi_tuning *tuning,
                         stfi_gpu_config *c)
{
    int64_t element = 2 * stfi_gpu_config_real(c);

    c->steps = 1;
    c->steps_fine = 0;
    c->check_at = c->suspects_at = c->tile_counter_at = c->vectors_at = 0;
    c->balance_at = 0;
    c->steps_at = round_up(exchange);
    c->shared_bytes = exchange;
    if (c->twiddle != STFI_TWIDDLE_NONE) {
        count_steps(tuning, c);
        c->shared_bytes = c->steps_at + c->steps * c->lanes * element;
    }
    if (c->balanced) {
        c->balance_at = round_up(c->shared_bytes);
        c->shared_bytes = c->balance_at + balance_bytes(c);
    }
    map_check(c);
    if (c->persistent) {
        c->tile_counter_at = round_up(c->shared_bytes);
        c->vectors_at = c->tile_counter_at + TILE_COUNTER_BYTES;
        c->shared_bytes = c->vectors_at + vector_bytes(c);
    }
    c->ahead_at = round_up(c->shared_bytes);
    if (c->ahead)
        c->shared_bytes = c->ahead_at + arriving_bytes(c) + SIGN_BYTES;
}

void stfi_gpu_separate_sums(int64_t exchange, const stfi_caps *caps,
                            stfi_gpu_config *c)
{
    const stfi_tuning *tuning = stfi_tuning_of(caps);
    stfi_gpu_config own = *c;

    if (!c->check_shared || c->lanes > tuning->own_sum_lanes)
        return;
    own.check_shared = 0;
    stfi_gpu_map_memory(exchange, tuning, &own);
    if (own.shared_bytes <= caps->block_bytes - caps->static_bytes
        && keeps_blocks(c, own.shared_bytes, caps))
        *c = own;
}
