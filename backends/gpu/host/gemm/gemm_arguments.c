/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The arguments of the kernels of a matrix product: layouts, scalars, thresholds,
 * places in the workspace. */
#include "backends/gpu/host/gemm/gemm_parts.h"
#include "base/type.h"

static int is_aligned(const void *base, int64_t step, int64_t dist,
                      size_t bytes, int to)
{
    return (uintptr_t)base % (uintptr_t)to == 0
           && step * (int64_t)bytes % to == 0
           && dist * (int64_t)bytes % to == 0;
}

int stfi_gpu_gemm_neighbours(const stfi_gemm_exec *e)
{
    return stfi_gemm_unit_get(e->tiling.tile.unit)->halves
               ? 2
               : 16 / (int)e->type->bytes;
}

/* The bytes of C that a thread stores at once. */
static int run_bytes(const stfi_gemm_exec *e)
{
    return stfi_gemm_unit_get(e->tiling.tile.unit)->groups
               ? 16
               : stfi_gpu_gemm_neighbours(e) * (int)e->bytes_c;
}

/* 1 if matrix units multiply halves that A and B are, as they lie in memory. */
static int has_halves(const stfi_gemm_exec *e)
{
    const stfi_gemm_unit *unit = stfi_gemm_unit_get(e->tiling.tile.unit);

    return unit->halves && !unit->splits;
}

int stfi_gpu_gemm_cut_of(const stfi_gemm_exec *e)
{
    return has_halves(e) ? stfi_gpu_gemm_cut(e->ctx->arch) : 0;
}

int64_t stfi_gpu_gemm_weighed_length(const stfi_gemm_exec *e)
{
    const int64_t steps = STFK_GEMM_WHOLE_STEPS;

    return (e->gemm.k + steps - 1) / steps * steps;
}

double stfi_gpu_gemm_weighed_bytes(const stfi_gemm_exec *e)
{
    return (double)stfi_gpu_gemm_weighed_length(e)
           * (stfi_gpu_gemm_unit_sums(&e->gemm, &e->tiling)
                  ? STFK_GEMM_UNIT_ROWS * (double)sizeof(uint16_t)
                  : STFK_GEMM_VECTORS * (double)e->type->bytes);
}

static stfk_gemm_operand operand_of(const stfi_gemm_exec *e, const void *base,
                                    int64_t across, int64_t along, int64_t dist)
{
    const int half = has_halves(e);

    return (stfk_gemm_operand){
        .base = base,
        .across = across,
        .along = along,
        .dist = dist,
        .wide = (across == 1 || half)
                && is_aligned(base, across == 1 ? along : across, dist,
                              e->bytes_ab, 16),
        .shared = dist == 0,
    };
}

static double read_scalar(const stfi_gemm_exec *e, const void *at)
{
    return (double)stfi_type_read(e->type->id, at, 0);
}

/* Rounding errors of a chain of so many steps, squared and in units of those of
 * one. Matrix units of halves cut off, which is coherent: so many such errors
 * count as their square. If they make what is expected, too, or a product of its own
 * does, that is another such chain, whose sums are in the mean not larger than the
 * square root of S_j; made beside the product it is in many parts, which count
 * little. */
static double chain_of(const stfi_gemm_exec *e, double steps)
{
    const int cut = stfi_gpu_gemm_cut_of(e);
    const double cuts = cut > 0 ? steps / cut : 0;
    const double expected =
        e->tiling.apart ? (double)e->predict->tiling.part : 0;

    if (cut > 0 && stfi_gpu_gemm_unit_sums(&e->gemm, &e->tiling))
        return (steps + 16 + cuts * cuts / 2) * 2;
    return steps + 16 + cuts * cuts / 2 + (expected < steps ? expected : steps);
}

static void set_check(const stfi_gemm_exec *e, char *work, stfk_gemm *args)
{
    const double own = e->gemm.ft.threshold;
    const double part = (double)e->tiling.part, k = (double)e->gemm.k;
    const double steps = part < k ? part : k;

    args->weighed = work + e->work.weighed;
    args->norm_a = (double *)(void *)(work + e->work.norm_a);
    args->norm_b = (double *)(void *)(work + e->work.norm_b);
    args->chunks = e->chunks;
    args->encode_a =
        e->members_a * e->tiling.tiles_m * e->chunks * STFK_GEMM_PIECES;
    args->factor = own > 0 ? own : 6 * e->type->unit_roundoff;
    args->chain = own > 0 ? 0 : chain_of(e, steps);
    args->floor = 2 * (steps + 2 * e->tiling.tile.m) * (double)e->type->least;
    args->unit = e->type->unit_roundoff
                 * (stfi_gemm_unit_get(e->tiling.tile.unit)->halves ? 2 : 1);
    args->least = (double)e->type->least;
    args->ledger = e->guard.ledger;
    args->odd = (unsigned *)(void *)(work + e->work.odd);
    args->found = work + e->work.found;
    args->fault = e->fault;
    if (e->predict != NULL)
        stfi_gpu_gemm_set_predict(e, work, args);
}

void stfi_gpu_gemm_lay_out_halves(const stfi_gemm_exec *e, work_map *w)
{
    const stfi_gemm_tiling *t = &e->tiling;
    const double lines_a =
        (double)e->members_a * (double)t->tiles_m * t->tile.m;
    const double lines_b =
        (double)e->members_b * (double)t->tiles_n * t->tile.n;
    const double bytes = 4 * (double)t->length; /* of both halves of a row */
    const double each = sizeof(int) * (1 + 1.0 / STFK_GEMM_LINES);

    w->half_a = stfi_gpu_gemm_add_part(&w->total, lines_a * bytes);
    w->half_b = stfi_gpu_gemm_add_part(&w->total, lines_b * bytes);
    w->exponent_a = stfi_gpu_gemm_add_part(&w->total, lines_a * each);
    w->exponent_b = stfi_gpu_gemm_add_part(&w->total, lines_b * each);
}

static stfk_gemm_halves halves_of(char *work, size_t half, size_t exponent,
                                  int64_t members, int64_t lines,
                                  int64_t length)
{
    return (stfk_gemm_halves){
        .base = work + half,
        .exponent = (int *)(void *)(work + exponent),
        .most = (int *)(void *)(work + exponent) + members * lines,
        .lines = lines,
        .length = length,
        .lower = members * lines * length,
    };
}

static void set_halves(const stfi_gemm_exec *e, char *work, stfk_gemm *args)
{
    const stfi_gemm_tiling *t = &e->tiling;
    const work_map *w = &e->work;

    args->half_a = halves_of(work, w->half_a, w->exponent_a, e->members_a,
                             t->tiles_m * t->tile.m, t->length);
    args->half_b = halves_of(work, w->half_b, w->exponent_b, e->members_b,
                             t->tiles_n * t->tile.n, t->length);
}

stfk_gemm stfi_gpu_gemm_args(const stfi_gemm_exec *e, const stfi_gemm_arrays *x)
{
    const stfi_gemm *g = &e->gemm;
    const stfi_gemm_tiling *t = &e->tiling;
    const int64_t dist_c = g->batch > 1 ? g->c.dist : 0;
    stfk_gemm args = {
        .a = operand_of(e, x->a, g->a.row, g->a.col, g->a.dist),
        .b = operand_of(e, x->b, g->b.col, g->b.row, g->b.dist),
        .c = x->c,
        .ldc = g->c.col,
        .dist_c = dist_c,
        .m = g->m,
        .n = g->n,
        .k = x->a == NULL ? 0 : g->k,
        .batch = g->batch,
        .c_wide = is_aligned(x->c, g->c.col, dist_c, e->bytes_c, run_bytes(e)),
        .tiles_m = t->tiles_m,
        .tiles_n = t->tiles_n,
        .parts = t->parts,
        .part = t->part,
        .partial = t->parts > 1 ? x->work : NULL,
    };

    if (g->on_device) {
        args.alpha_at = x->alpha;
        args.beta_at = x->beta;
    } else {
        args.alpha = read_scalar(e, x->alpha);
        args.beta = read_scalar(e, x->beta);
    }
    if (e->checked)
        set_check(e, x->work, &args);
    if (stfi_gemm_unit_get(t->tile.unit)->splits)
        set_halves(e, x->work, &args);
    return args;
}
