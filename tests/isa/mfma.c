/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Products with sums: of matrix units, which add as tests/simt/unit.h says, and of
 * integers of 32 bits, with sums of 64. */
#include <string.h>

#include "tests/isa/isa.h"
#include "tests/simt/unit.h"

/* Half k of those that a lane has in the words of a register pair. */
static uint16_t half_of(uint32_t words[2][ISA_LANES], int lane, int k)
{
    return (uint16_t)(words[k / 2][lane] >> k % 2 * 16);
}

/* A 16 x 16 times a 16 x 16 matrix, of which lane 16 q + g has steps 4 q .. 4 q + 3
 * of row g and of column g, and the sum's rows 4 q .. 4 q + 3 of column g. All
 * lanes take part, whatever EXEC is. */
void isa_run_mfma(isa_wave *w, const isa_instr *i)
{
    enum { STEPS = 16 };
    uint32_t a[2][ISA_LANES], b[2][ISA_LANES], sum[4][ISA_LANES];

    for (int n = 0; n < 4; n++) {
        isa_operand x = i->op[3];
        if (x.kind == ISA_VECTOR)
            x.reg += n;
        isa_get32(w, &x, sum[n]);
        x = i->op[1 + n / 2];
        x.reg += n % 2;
        isa_get32(w, &x, n < 2 ? a[n] : b[n % 2]);
    }
    for (int k = 0; k < 4 * ISA_LANES; k++) {
        const int lane = k / 4, row = lane / 16 * 4 + k % 4;
        uint16_t x[STEPS], y[STEPS];
        float c;
        for (int s = 0; s < STEPS; s++) {
            x[s] = half_of(a, s / 4 * 16 + row, s % 4);
            y[s] = half_of(b, s / 4 * 16 + lane % 16, s % 4);
        }
        memcpy(&c, &sum[k % 4][lane], sizeof c);
        c = stfi_simt_half_sum(i->which, STEPS, c, x, y);
        memcpy(&w->v[i->op[0].reg + k % 4][lane], &c, sizeof c);
    }
}

void isa_run_mad_64(isa_wave *w, const isa_instr *i)
{
    const uint64_t on = isa_exec(w);
    uint32_t x[ISA_LANES], y[ISA_LANES];
    uint64_t z[ISA_LANES], carries = 0;

    isa_get32(w, &i->op[2], x);
    isa_get32(w, &i->op[3], y);
    isa_get64(w, &i->op[4], 0, 0, z);
    for (int k = 0; k < ISA_LANES; k++)
        if (on >> k & 1) {
            const uint64_t a = i->which ? (uint64_t)(int32_t)x[k] : x[k];
            const uint64_t b = i->which ? (uint64_t)(int32_t)y[k] : y[k];
            const uint64_t sum = a * b + z[k];
            isa_put64(w, i, k, sum);
            carries |= (uint64_t)(sum < z[k]) << k;
        }
    isa_put_bits(w, &i->op[1], carries);
}
