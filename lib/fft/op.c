/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tables of operations and convolutions; see op.h. */
#include "fft/op.h"

#include <string.h>

#define HAS_SPECTRA(lane) \
    ((lane) == STFI_LANE_SPECTRUM || (lane) == STFI_LANE_TWO_SPECTRA)
#define HAS_TWO(lane) \
    ((lane) == STFI_LANE_TWO_REALS || (lane) == STFI_LANE_TWO_SPECTRA)

static const stfi_op_row ops[] = {
#define STFI_OP(id, name_, word_, from, to, tiles, kind, points_, half_, \
                depth_, make, put, enter)                                \
    [STFI_OP_##id] = {.name = name_,                                     \
                      .word = word_,                                     \
                      .macro = #id,                                      \
                      .loads = STFI_LANE_##from,                         \
                      .stores = STFI_LANE_##to,                          \
                      .transforms = tiles,                               \
                      .real = STFI_LANE_##from != STFI_LANE_COMPLEX      \
                              || STFI_LANE_##to != STFI_LANE_COMPLEX,    \
                      .two = HAS_TWO(STFI_LANE_##from),                  \
                      .loads_spectra = HAS_SPECTRA(STFI_LANE_##from),    \
                      .stores_spectra = HAS_SPECTRA(STFI_LANE_##to),     \
                      .check = STFI_CHECK_##kind,                        \
                      .points = points_,                                 \
                      .half = half_,                                     \
                      .depth = depth_},
#include "fft/ops.def"
#undef STFI_OP
};

static const stfi_conv_row convs[] = {
#define STFI_CONV(id, name, make, put, enter) [STFI_CONV_##id] = {name, #id},
#include "fft/ops.def"
#undef STFI_CONV
};

const stfi_op_row *stfi_op_get(stfi_op op)
{
    return &ops[op];
}

const stfi_conv_row *stfi_conv_get(stfi_conv conv)
{
    return &convs[conv];
}

int stfi_op_find(const char *name)
{
    for (int i = 0; i < STFI_OPS; i++)
        if (strcmp(ops[i].name, name) == 0)
            return i;
    return -1;
}

int stfi_conv_find(const char *name)
{
    for (int i = 0; i < STFI_CONVS; i++)
        if (strcmp(convs[i].name, name) == 0)
            return i;
    return -1;
}
