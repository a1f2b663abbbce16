/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The features of schedules, one row each; see features.h. */
#include "tests/simt/features.h"

#include <stdio.h>

typedef struct feature {
    const char *name;
    int (*is_there)(const stfi_schedule *s, const stfi_pass *p);
} feature;

static int has_radix_on_units(const stfi_pass *p, int radix)
{
    int found = 0;

    for (int s = 0; s < p->nstages; s++)
        found |= p->radix[s] == radix && (p->matrix >> s & 1) != 0;
    return found;
}

#define FEATURE(id, expression)                               \
    static int id(const stfi_schedule *s, const stfi_pass *p) \
    {                                                         \
        (void)s;                                              \
        (void)p;                                              \
        return (expression) != 0;                             \
    }
#include "tests/simt/features.def"
#undef FEATURE

static const feature features[] = {
#define FEATURE(id, expression) {#id, id},
#include "tests/simt/features.def"
#undef FEATURE
};

enum { FEATURES = sizeof features / sizeof *features };

_Static_assert((int)FEATURES <= (int)STFI_MAX_FEATURES,
               "raise STFI_MAX_FEATURES");

void stfi_features_note(stfi_features *f, const stfi_schedule *s)
{
    int p, i;

    for (p = 0; p < s->npasses; p++)
        for (i = 0; i < FEATURES; i++)
            if (features[i].is_there(s, &s->pass[p]))
                f->seen[stfi_type_get(s->precision)->wide][i] = 1;
}

int stfi_features_missing(const stfi_features *f, int either, char *text,
                          size_t capacity)
{
    size_t used = 0;
    int missing = 0, which, i;

    text[0] = '\0';
    for (which = 0; which < 2; which++)
        for (i = 0; i < FEATURES; i++) {
            if (f->seen[which][i] || (either && f->seen[!which][i]))
                continue;
            missing++;
            if (used < capacity)
                used +=
                    (size_t)snprintf(text + used, capacity - used, "%s %s, ",
                                     which ? "f64" : "f32", features[i].name);
        }
    return missing;
}
