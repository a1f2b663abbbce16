/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tests that what is flipped in a frame is what the processor then has. */
#ifndef STFI_TESTS_FLIP_REGISTERS_H
#define STFI_TESTS_FLIP_REGISTERS_H

void test_registers(void);

#endif
