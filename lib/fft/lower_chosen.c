/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a choice says about splits and radices, if it is possible. It may come from
 * a file, so nothing in it is taken for granted. */
#include <inttypes.h>

#include "base/status.h"
#include "fft/builder.h"
#include "fft/factor.h"
#include "fft/levels.h"

void stfi_choice_refuse(stfi_builder *b, const char *what, int64_t n)
{
    b->status =
        stfi_error(STF_ERR_UNSUPPORTED,
                   "the choice of %s of %" PRId64 " is not possible", what, n);
}

int stfi_split_chosen(stfi_builder *b, int64_t n, int row, stfi_split *split_p)
{
    const stfi_choice_list *list = stfi_choice_split(b->choice, n);
    stfi_split s = {.count = 0};

    if (list == NULL)
        return 0;
    s.count = list->count;
    for (int i = 0; i < s.count; i++) {
        int64_t max = s.count == 1 && row ? stfi_builder_max_single(b)
                                          : stfi_builder_max_column(b);

        /* A level of one element would be a pass that only copies. */
        if (i < STFI_MAX_LEVELS - 1 && (list->factor[i] > 1 || n == 1)
            && list->factor[i] <= max) {
            s.level[i] = stfi_level_make(b, list->factor[i]);
            if (stfi_level_fits(b, &s.level[i], max))
                continue;
        }
        stfi_choice_refuse(b, "the split", n);
        s.count = 0;
    }
    *split_p = s;
    return 1;
}

static int is_radix(int64_t r)
{
    const stfi_radix *row = NULL;

    for (int i = 0; (row = stfi_radix_at(i)) != NULL && row->r < r; i++)
        ;
    return row != NULL && row->r == r;
}

int stfi_builder_stages(stfi_builder *b, int64_t n, int radix[STFI_MAX_STAGES])
{
    const stfi_choice_list *list = stfi_choice_radices(b->choice, n);
    int fits = list != NULL && list->count <= STFI_MAX_STAGES;

    if (list == NULL)
        return stfi_factor_stages(n, radix, NULL);
    for (int i = 0; i < list->count && fits; i++)
        fits = is_radix(list->factor[i]);
    if (!fits) {
        stfi_choice_refuse(b, "the radices", n);
        return -1;
    }
    for (int i = 0; i < list->count; i++)
        radix[i] = (int)list->factor[i];
    return list->count;
}
