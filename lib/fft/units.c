/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lowering: what matrix units compute; see units.h. */
#include "fft/units.h"

#include "fft/gpu_shape.h"

/* What units multiply for each precision, and who asks for it and offers it. */
typedef struct unit_of {
    stf_precision precision;
    stf_compute compute;
    int caps;
    stfi_unit unit;
} unit_of;

static const unit_of units[] = {
    {STF_F16, STF_COMPUTE_TENSOR, STFI_MATRIX_F16, STFI_UNIT_F16},
    {STF_BF16, STF_COMPUTE_TENSOR, STFI_MATRIX_BF16, STFI_UNIT_BF16},
    {STF_F32, STF_COMPUTE_SPLIT, STFI_MATRIX_F16 | STFI_MATRIX_PIECES,
     STFI_UNIT_SPLIT},
    {STF_F64, STF_COMPUTE_NATIVE, 0, STFI_UNIT_SPLIT},
};

/* Returns the precision's row; the last one is for all that have no units. */
static const unit_of *unit_row(const stfi_builder *b)
{
    const unit_of *row = units;

    while (row->precision != b->desc->precision && row->caps != 0)
        row++;
    return row;
}

stfi_unit stfi_units_multiply(const stfi_builder *b)
{
    return unit_row(b)->unit;
}

/* Returns 1 if matrix units are asked for, and the device has them. */
static int units_are_there(const stfi_builder *b)
{
    return b->desc->compute == unit_row(b)->compute
           && (b->caps->matrix & unit_row(b)->caps) != 0;
}

int stfi_units_may_compute(const stfi_builder *b, const stfi_pass *p)
{
    const stfi_check check = stfi_check_of(&b->desc->ft, p->op);

    return units_are_there(b) && !stfi_op_is_conv(p->op)
           && !(check.kind == STFI_CHECK_LANE && check.level == STF_FT_THREAD);
}

int stfi_units_may_load(const stfi_builder *b, const stfi_pass *p)
{
    return b->desc->ft.mode == STF_FT_OFF && !b->desc->ft.end_to_end
           && b->stored_bytes == 2 && !p->wide_work && p->op == STFI_OP_FFT
           && p->load.form == STFI_FORM_COMPLEX
           && p->load.order == STFI_ORDER_NONE && p->load.chirp == 0
           && p->load.limit == 0 && p->signal == p->n
           && !(p->twiddle.order > 0 && p->twiddle.on_load);
}

/* Returns 1 if a side has rows whose elements are memory's, as they are. */
static int is_plain_row(const stfi_side *side)
{
    return side->form == STFI_FORM_COMPLEX && side->order == STFI_ORDER_NONE
           && side->stride == 1 && side->chirp == 0 && side->limit == 0
           && side->rows == 0 && side->block == 0
           && side->turn == STFI_TURN_NONE;
}

int stfi_units_have_rows(const stfi_builder *b, int64_t n,
                         const stfi_side *load, const stfi_side *store)
{
    const stfi_gpu_tile tile = {.n = n};
    stfi_gpu_shape shape;

    return b->caps->gpu && units_are_there(b) && b->desc->ft.mode == STF_FT_OFF
           && !b->desc->ft.end_to_end && b->stored_bytes == 2
           && is_plain_row(load) && is_plain_row(store)
           && stfi_gpu_shape_unit_rows(&tile, b->caps, &shape);
}

int stfi_units_may_keep_halves(const stfi_builder *b, const stfi_pass *p)
{
    return p->op == STFI_OP_FFT && p->signal == p->n && !p->wide_work
           && p->twiddle.order == 0
           && stfi_units_have_rows(b, p->n, &p->load, &p->store);
}
