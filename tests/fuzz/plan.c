/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans any descriptor for any device. It is refused with a message, or has a
 * schedule that can be printed. */
#include <string.h>

#include "base/status.h"
#include "device/caps.h"
#include "fft/desc.h"
#include "fft/lower.h"
#include "fft/schedule_text.h"
#include "ft/instrument.h"
#include "tests/fuzz/desc.h"

enum { TEXT_BYTES = 1 << 16 };

static const stfi_caps *any_preset(fuzz_bytes *b)
{
    int count = 0;

    while (stfi_preset_at(count) != NULL)
        count++;
    return stfi_preset_at(fuzz_below(b, count));
}

static void expect_refusal(stf_status status, const char *what)
{
    if (status != STF_ERR_ARGUMENT && status != STF_ERR_UNSUPPORTED
        && status != STF_ERR_MEMORY)
        fuzz_fail("%s: %s: %s", what, stf_status_name(status),
                  stf_error_message());
    if (stf_error_message()[0] == '\0')
        fuzz_fail("%s: refused without a message", what);
}

static void run(const uint8_t *data, size_t size)
{
    static stfi_schedule s;
    static char text[TEXT_BYTES];
    fuzz_bytes b = {data, size};
    const stfi_caps *caps = any_preset(&b);
    char name[512];
    stf_fft_desc d, full;
    stf_status status;

    fuzz_desc(&b, &d);
    status = stfi_desc_complete(&d, &full);
    if (status != STF_OK) {
        expect_refusal(status, caps->name);
        return;
    }
    stfi_desc_print(&full, name, sizeof name);
    status = stfi_lower(&full, caps, full.threads > 0 ? full.threads : 2, &s);
    if (status != STF_OK) {
        expect_refusal(status, name);
        return;
    }
    stfi_ft_mark(&full.ft, &s);
    if (stfi_schedule_print(&s, text, sizeof text) >= sizeof text)
        fuzz_fail("%s: %s: a text of %d bytes is too short", caps->name, name,
                  TEXT_BYTES);
    if (strstr(text, "internal") != NULL)
        fuzz_fail("%s: %s: %s", caps->name, name, text);
}

const fuzz_target fuzz_plan = {"plan", 512, run};
