/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kinds of protection; see protections.h. */
#include "tools/command/protections.h"

#include <string.h>

static const stfi_protection all[] = {
#define STFI_PROTECTION(name, mode, level, scheme, transactions)              \
    {name,                                                                    \
     {STF_FT_##mode, STF_FT_##level, STF_FT_SCHEME_##scheme, transactions, 0, \
      0.0},                                                                   \
     1},
#include "bench/protections.def"
#undef STFI_PROTECTION
};

static const stfi_protection all_of_gemm[] = {
#define STFI_PROTECTION(name, mode, level, scheme, transactions)              \
    {name,                                                                    \
     {STF_FT_##mode, STF_FT_##level, STF_FT_SCHEME_##scheme, transactions, 0, \
      0.0},                                                                   \
     1},
#include "bench/gemm_protections.def"
#undef STFI_PROTECTION
};

enum {
    ALL = sizeof all / sizeof *all,
    ALL_OF_GEMM = sizeof all_of_gemm / sizeof *all_of_gemm,
    MODES = 3
};

_Static_assert((int)ALL + (int)MODES <= (int)STFI_MAX_PROTECTIONS,
               "there is room for all");

const char *stfi_ft_mode_name(stf_ft_mode mode)
{
    static const char *const names[] = {
        [STF_FT_DEFAULT] = "default",
        [STF_FT_OFF] = "off",
        [STF_FT_DETECT] = "detect",
        [STF_FT_CORRECT] = "correct",
    };
    return (size_t)mode < sizeof names / sizeof *names ? names[mode] : "?";
}

static void add(stfi_protections *list, const stfi_protection *p)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->item[i].name, p->name) == 0)
            return;
    list->item[list->count++] = *p;
}

static stfi_protections choose(const stfi_args *args, int64_t modes,
                               const stfi_protection *every, int count)
{
    stfi_protections list = {.count = 0};

    if ((modes & (int64_t)1 << STFI_FT_ALL) != 0)
        modes |= (int64_t)1 << STF_FT_OFF; /* `all` begins with it */
    for (int mode = STF_FT_DEFAULT; mode <= STF_FT_CORRECT; mode++) {
        stfi_protection p = {.name = stfi_ft_mode_name((stf_ft_mode)mode)};

        if ((modes & (int64_t)1 << mode) == 0)
            continue;
        p.ft = stfi_args_ft(args);
        p.ft.mode = (stf_ft_mode)mode;
        add(&list, &p);
    }
    for (int i = 0; i < count && (modes & (int64_t)1 << STFI_FT_ALL) != 0; i++)
        add(&list, &every[i]);
    return list;
}

stfi_protections stfi_protections_of(const stfi_args *args)
{
    return choose(
        args,
        stfi_args_integer(args, STFI_OPT_FT, (int64_t)1 << STF_FT_DEFAULT), all,
        ALL);
}

stfi_protections stfi_gemm_protections_of(const stfi_args *args, int every)
{
    const int64_t missing = (int64_t)1
                            << (every ? (int)STFI_FT_ALL : (int)STF_FT_DEFAULT);

    return choose(args, stfi_args_integer(args, STFI_OPT_FT, missing),
                  all_of_gemm, ALL_OF_GEMM);
}
