/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A target as libFuzzer calls it. STF_FUZZ_TARGET names it. */
#include "tests/fuzz/fuzz.h"

#define JOINED(a, b) a##b
#define TARGET(name) JOINED(fuzz_, name)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= TARGET(STF_FUZZ_TARGET).most_bytes)
        TARGET(STF_FUZZ_TARGET).run(data, size);
    return 0;
}
