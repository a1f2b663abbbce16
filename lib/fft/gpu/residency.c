/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How many blocks a multiprocessor holds; see residency.h. */
#include "fft/gpu/residency.h"

#include "device/tuning.h"
#include "fft/gpu/memory_map.h"

/* What NVIDIA's multiprocessors have. */
enum { PARTS = 4, UNIT_REGISTERS = 65536 };

/* The most elements of a thread that count as few. */
enum { FEW = 4 };

/* The registers that kernels run best with beside the words of rows that stay halves:
 * with fewer of them, threads that have many words keep some in memory. */
enum { BESIDE_WORDS = 48, BESIDE_MANY_WORDS = 96 };

/* Of radix 4 and 2, for where the butterflies of a column are. */
#define MATRIX_REGISTERS(r) ((r) < 8 ? 40 : (r) > 8 ? 24 : 8)

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* --------------------------------------------------------------- registers */

int64_t stfi_gpu_unit_registers(const stfi_caps *caps)
{
    return caps->unit_registers > 0 ? caps->unit_registers : UNIT_REGISTERS;
}

int stfi_gpu_has_more_registers(const stfi_caps *caps)
{
    return stfi_gpu_unit_registers(caps) > UNIT_REGISTERS;
}

int stfi_gpu_is_prime(int r)
{
    for (int d = 2; d * d <= r; d++)
        if (r % d == 0)
            return 0;
    return r > 1;
}

int stfi_gpu_registers(int held, int largest, size_t real_bytes)
{
    int words = (int)real_bytes / 4;
    int copies = largest > 13 && stfi_gpu_is_prime(largest) ? largest : 0;
    int count = words * (4 * held + 2 * copies) - (words * held <= 10 ? 8 : 0);
    int least = 16 + 16 * words;

    return count < least ? least : count > 255 ? 255 : (count + 7) / 8 * 8;
}

/* Returns the registers that stages on matrix units need beyond others: for the
 * words of the matrix, and those of a product. A second piece doubles them. */
static int matrix_registers(const stfi_gpu_config *c)
{
    int more = 0;

    for (int s = 0; s < c->radices.count; s++)
        if (c->matrix >> s & 1 && MATRIX_REGISTERS(c->radices.radix[s]) > more)
            more = MATRIX_REGISTERS(c->radices.radix[s]);
    return c->unit == STFI_UNIT_SPLIT ? more : more / 2;
}

/* Returns the registers that a kernel needs beyond those for its elements. */
static int more_registers(const stfi_gpu_config *c, const stfi_tuning *t)
{
    int half =
        c->load_form == STFI_FORM_HALF || c->store_form == STFI_FORM_HALF;
    int more = 0;

    if (c->op == STFI_OP_CONV)
        more += t->convolution_registers;
    else if (c->op == STFI_OP_C2R || c->op == STFI_OP_C2R_TWO
             || (c->op == STFI_OP_R2C_TWO && c->store_form == STFI_FORM_HC))
        more += t->joining_registers;
    else if (c->twiddle != STFI_TWIDDLE_NONE)
        more += half                                ? t->half_registers
                : c->load_across && c->store_across ? t->across_registers
                                                    : t->twiddle_registers;
    if (c->load_limit || c->store_limit)
        more += t->limit_registers;
    return more;
}

/* Returns the registers that it needs beside those of any estimate. */
static int own_registers(const stfi_gpu_config *c, const stfi_tuning *t)
{
    int more = 0;

    if (c->check && !c->by_thread && c->op == STFI_OP_C2R)
        more += t->checked_c2r_registers[stfi_gpu_config_real(c) > 4];
    if (c->check && !c->by_thread && c->op == STFI_OP_R2C)
        more += t->checked_r2c_registers;
    if ((c->load_swapped || c->store_swapped || c->op == STFI_OP_C2R)
        && (c->n & (c->n - 1)) != 0)
        more += t->odd_registers;
    return more;
}

/* Returns how many blocks get their registers at once: each part of a
 * multiprocessor has the registers for its share of the waves. */
static int64_t blocks_of(int64_t threads, int registers, const stfi_caps *caps)
{
    int64_t waves = ceil_div(threads, caps->wave);
    int64_t parts = caps->parts > 0 ? caps->parts : PARTS;
    int64_t of_part =
        stfi_gpu_unit_registers(caps) / parts / (registers * caps->wave);

    return parts * of_part / waves;
}

/* Returns 1 for unprotected kernels of halves, which move half as many bytes for
 * each instruction, so that more blocks pay. The words of a matrix need registers
 * that such a bound does not have. */
static int is_plain_half(const stfi_gpu_config *c)
{
    return c->load_stored < STF_F32 && c->store_stored < STF_F32 && !c->check
           && !c->twice && (c->matrix == 0 || c->direct || c->unit_rows);
}

/* Returns the registers that protected kernels of doubles need on devices with more of
 * them than NVIDIA's, if a thread has a whole lane of reals that it turns: the
 * compilers of these do not count how often a kernel accesses its stack, so none is
 * compiled again for fewer blocks. */
static int turning_registers(const stfi_gpu_config *c, const stfi_caps *caps)
{
    enum { TURNING = 72 };

    return c->check && c->threads == 1 && stfi_gpu_config_real(c) > 4
                   && (c->load_order != STFI_ORDER_NONE
                       || c->store_order != STFI_ORDER_NONE)
                   && stfi_gpu_has_more_registers(caps)
               ? TURNING
               : 0;
}

/* Returns the registers that kernels need on such devices if functions that are not
 * inlined multiply by units: these take registers of the kind that is meant for
 * matrices in addition to the kernel's own. */
static int called_registers(const stfi_gpu_config *c, const stfi_caps *caps)
{
    enum { CALLED = 72 };

    return c->matrix != 0 && (c->check || c->twice || c->gated)
                   && stfi_gpu_has_more_registers(caps)
               ? CALLED
               : 0;
}

/* Returns the most registers of unprotected kernels of halves. */
static int half_registers(const stfi_gpu_config *c, int largest,
                          const stfi_tuning *t)
{
    if (c->unit_rows)
        return (int)c->held
               + (c->held > t->f16_held_good_long ? BESIDE_MANY_WORDS
                                                  : BESIDE_WORDS);
    if (c->direct)
        return t->f16_registers_more;
    return c->held > t->f16_held_good
                   && (c->held > largest || c->radices.count > 2)
               ? t->f16_registers_most
               : t->f16_registers;
}

static int largest_radix(const stfi_gpu_config *c)
{
    int largest = 1;

    for (int s = 0; s < c->radices.count; s++)
        if (c->radices.radix[s] > largest)
            largest = c->radices.radix[s];
    return largest;
}

/* Returns the registers below which a kernel's elements do not fit. */
static int least_registers(const stfi_gpu_config *c)
{
    return stfi_gpu_registers((int)c->held, largest_radix(c),
                              (size_t)stfi_gpu_config_real(c))
           + matrix_registers(c);
}

/* Returns how many blocks fit by registers. The estimate is what kernels run
 * best with; if only one block would fit, the least registers count, because
 * fewer registers cost less than being alone. */
static int64_t by_registers(const stfi_gpu_config *c, const stfi_caps *caps)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    int64_t threads = c->threads * c->lanes, blocks;
    int largest = largest_radix(c), least = least_registers(c), good;

    good = least + more_registers(c, t);
    if (good < t->few_registers)
        good += t->spare_registers;
    good += own_registers(c, t);
    if (least <= t->enough_registers && good > t->enough_registers
        && c->op != STFI_OP_CONV)
        good = t->enough_registers;
    if (is_plain_half(c) && c->op == STFI_OP_FFT)
        good = (int)lesser(good, half_registers(c, largest, t));
    good += turning_registers(c, caps) + called_registers(c, caps);
    blocks = blocks_of(threads, good, caps);
    return blocks > 1 ? blocks : blocks_of(threads, least, caps);
}

/* Returns the bytes that a thread of the kernel may keep outside of its registers. */
static int64_t spill_bytes(const stfi_gpu_config *c, const stfi_tuning *t)
{
    return c->check || c->twice || c->gated || c->from_memory
               ? t->spill_bytes_checked
               : t->spill_bytes;
}

/* ------------------------------------------------------------------ blocks */

int stfi_gpu_is_alone(int64_t threads, int64_t bytes, int registers,
                      int twiddle, const stfi_caps *caps)
{
    const stfi_tuning *t = stfi_tuning_of(caps);

    if (twiddle && registers < t->enough_registers)
        registers += t->twiddle_registers;
    return blocks_of(threads, registers, caps) < 2
           || 2 * bytes > caps->block_bytes;
}

int stfi_gpu_has_company(const stfi_gpu_config *c, int blocks,
                         const stfi_tuning *t)
{
    int doubles = stfi_gpu_config_real(c) > 4;
    int few = doubles && c->n < t->persistent_paired ? 1 : 2;

    return blocks > few && (doubles || c->load_stored < STF_F32);
}

static int is_protected(const stfi_gpu_config *c)
{
    return c->check || c->twice;
}

/* Returns how many blocks fit by all but registers. */
static int64_t by_room(const stfi_gpu_config *c, int64_t shared_bytes,
                       const stfi_caps *caps)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    const int protected = is_protected(c);
    int64_t threads = ceil_div(c->threads * c->lanes, caps->wave) * caps->wave;
    int64_t blocks = stfi_caps_blocks(
        caps, shared_bytes + (protected ? caps->static_bytes : 0));

    blocks = lesser(blocks, caps->unit_threads / threads);
    return lesser(blocks, is_plain_half(c) ? t->f16_resident_most
                          : protected && c->held <= FEW
                              ? t->resident_most_checked
                              : t->resident_most);
}

int stfi_gpu_resident(const stfi_gpu_config *c, int64_t shared_bytes,
                      const stfi_caps *caps)
{
    int64_t blocks =
        lesser(by_registers(c, caps), by_room(c, shared_bytes, caps));

    return blocks > 1 ? (int)blocks : 1;
}

/* Returns the blocks that a protected kernel may have beyond what the estimate of its
 * registers allows, and what these may spill. */
static int64_t hoped_blocks(const stfi_gpu_config *c, const stfi_caps *caps,
                            int64_t *spills_p)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    const int joins = c->op == STFI_OP_C2R || c->op == STFI_OP_C2R_TWO;

    if (c->held <= 2) {
        *spills_p = t->spills_hoped_few;
        return c->resident * 4 / 3;
    }
    if (c->resident == 1) {
        *spills_p = t->spills_alone[stfi_gpu_config_real(c) > 4];
        return blocks_of(c->threads * c->lanes, least_registers(c) * 3 / 4,
                         caps)
                       > 1
                   ? 2
                   : 1;
    }
    *spills_p = t->spills_hoped_c2r;
    return joins && c->threads > 1 && c->held > FEW ? c->resident + 2
                                                    : c->resident;
}

/* Returns how many blocks of a launch of so many tiles a multiprocessor gets at
 * once, if `fit` fit; a power of two below that, so that kernels for other numbers of
 * tiles are mostly the same. */
static int64_t count_coming(const stfi_gpu_config *c, int64_t tiles,
                            int64_t fit, const stfi_caps *caps)
{
    const int64_t blocks = ceil_div(tiles, c->transactions);
    int64_t coming = 1;

    if (stfi_gpu_has_more_registers(caps))
        return fit;
    while (coming < fit && coming * caps->units < blocks)
        coming *= 2;
    return lesser(coming, fit);
}

/* Returns 1 if a verdict is the last for which threads wait for each other, and sums of
 * one lane that is computed once. */
static int ends_with_verdict(const stfi_gpu_config *c)
{
    const int is_row =
        c->op == STFI_OP_FFT || c->op == STFI_OP_R2C || c->op == STFI_OP_C2R;

    return is_row && c->conv == STFI_CONV_NONE && c->lanes == 1
           && c->transactions == 1 && !c->persistent && !c->ahead
           && !c->from_memory && !c->is_signed && !c->gated && !c->store_staged
           && !c->store_rows;
}

/* Returns 1 if each wave of a block makes the verdict on its tile for itself, so that no
 * thread waits for another one's answer. This pays where a multiprocessor has one block,
 * which has nobody else to wait for (0.92 to 0.97 of the time of one row on an H200),
 * and takes some instructions more, so that many tiles gain nothing (0.91 to 1.09, 1.00
 * in the mean). A block has one lane then, and no barrier after the verdict:
 * backends/gpu/kernels/protect/each_wave.h. Devices that vote by way of block memory
 * have no barrier that counts. */
static int judges_by_wave(const stfi_gpu_config *c, int64_t tiles,
                          const stfi_caps *caps)
{
    return c->check && !c->by_thread && tiles <= caps->units
           && ceil_div(c->threads, c->wave)
                  <= stfi_tuning_of(caps)->judging_waves
           && stfi_gpu_sum_bytes(c) > 0 && caps->static_bytes == 0
           && ends_with_verdict(c);
}

void stfi_gpu_settle_blocks(stfi_gpu_config *c, int64_t tiles,
                            const stfi_caps *caps)
{
    const stfi_tuning *t = stfi_tuning_of(caps);
    const int64_t fit = stfi_gpu_resident(c, c->shared_bytes, caps);
    int64_t hoped, spills;

    c->resident = count_coming(c, tiles, fit, caps);
    c->hoped = c->resident;
    c->each_wave = judges_by_wave(c, tiles, caps);
    c->spill_bytes = spill_bytes(c, t);
    c->spills_most = t->spills_most;
    if (!is_protected(c) || stfi_gpu_has_more_registers(caps))
        return;
    if (c->held > FEW)
        c->spills_most = c->resident > 2
                             ? t->spills_checked
                             : t->spills_alone[stfi_gpu_config_real(c) > 4];
    if (c->resident < fit) /* registers are not lacking */
        return;
    hoped = lesser(hoped_blocks(c, caps, &spills),
                   by_room(c, c->shared_bytes, caps));
    if (hoped > c->resident) {
        c->hoped = hoped;
        c->spills_hoped = spills;
    }
}

int64_t stfi_gpu_count_tiles(const stfi_pass *p)
{
    const int64_t lanes = stfi_pass_lanes(p);

    return stfi_op_is_pairs(p->op) ? lanes * p->n
                                   : ceil_div(lanes, p->block.lanes);
}
