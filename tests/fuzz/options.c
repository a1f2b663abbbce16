/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads any arguments, which end with bytes 0, as those of a subcommand that
 * takes all options. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "tests/fuzz/fuzz.h"
#include "tools/command/options.h"

enum { MOST_ARGUMENTS = 64, MOST_BYTES = 1024 };

static const stfi_opt all[] = {
#define STFI_OPTION(id, name, letter, type, value, low, high, help) \
    STFI_OPT_##id,
#include "tools/command/options.def"
#undef STFI_OPTION
    STFI_OPT_COUNT};

static const stfi_command command = {.name = "fuzz",
                                     .words = "",
                                     .summary = "",
                                     .notes = "",
                                     .max_words = 8,
                                     .options = all};

/* Uses what was read as the subcommands do. */
static void use(const stfi_args *args)
{
    stf_ft_desc ft = stfi_args_ft(args);
    int64_t n[STF_MAX_RANK];
    const char *end;

    if (stfi_args_protection(args, STF_FT_OFF, &ft) == STF_OK
        && (ft.mode < STF_FT_OFF || ft.mode > STF_FT_CORRECT))
        fuzz_fail("mode %d", (int)ft.mode);
    for (int i = 0; i < args->nwords; i++) {
        int rank = stfi_shape_parse(args->word[i], n, STF_MAX_RANK, &end);
        if (rank < 0 || rank > STF_MAX_RANK)
            fuzz_fail("rank %d", rank);
    }
}

static void run(const uint8_t *data, size_t size)
{
    fuzz_bytes b = {data, size};
    char *text = fuzz_text(&b), *argument[MOST_ARGUMENTS + 1];
    stfi_args args;
    stf_status status;
    int count = 0;

    for (size_t at = 0; at <= size && count < MOST_ARGUMENTS;
         at += strlen(text + at) + 1)
        argument[count++] = text + at;
    argument[count] = NULL;
    status = stfi_options_parse(&command, count, argument, &args);
    if (status == STF_OK)
        use(&args);
    else if (status != STF_ERR_ARGUMENT || stf_error_message()[0] == '\0')
        fuzz_fail("%s: %s", stf_status_name(status), stf_error_message());
    free(text);
}

const fuzz_target fuzz_options = {"options", MOST_BYTES, run};
