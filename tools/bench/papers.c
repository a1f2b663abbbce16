/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Papers whose shapes and errors are repeated; see papers.h. */
#include "tools/bench/papers.h"

#include <math.h>
#include <string.h>

/* Errors of components relative to what they should be, at most 1 each, those of
 * both components of an element added, in percent.
 * Source: [tcFFT], section 5.1, equation 5; limit and sum as in its authors' program,
 * which its table 4 agrees with. */
static double mean_relative(const stfi_error_means *m, double points)
{
    (void)points;
    return 100.0 * m->relative;
}

/* Absolute values of errors, in units of the bound of uniformly distributed data.
 * Ours are normally distributed: the bound is that of uniform data with the same
 * mean square. The transform has the mean square of its input times the points.
 * Source: [SplitFFT], section 6, equations 10 and 11, whose sum we take for a mean:
 * its tables' errors do not grow with the batch. */
static double mean_by_bound(const stfi_error_means *m, double points)
{
    return m->absolute / (m->size * sqrt(1.5 / points));
}

static const stfi_paper papers[] = {
#define STFI_PAPER(suite, paper, unit, measure) {suite, paper, unit, measure},
#define STFI_QUOTED(group, what, figures)
#include "bench/papers.def"
#undef STFI_QUOTED
#undef STFI_PAPER
};

static const struct {
    const char *group, *what, *figures;
} quoted[] = {
#define STFI_PAPER(suite, paper, unit, measure)
#define STFI_QUOTED(group, what, figures) {group, what, figures},
#include "bench/papers.def"
#undef STFI_QUOTED
#undef STFI_PAPER
};

enum {
    PAPERS = sizeof papers / sizeof *papers,
    QUOTED = sizeof quoted / sizeof *quoted
};

const stfi_paper *stfi_paper_of(const char *group)
{
    for (int i = 0; i < PAPERS; i++) {
        size_t length = strlen(papers[i].suite);
        if (strncmp(group, papers[i].suite, length) == 0
            && group[length] == '-')
            return &papers[i];
    }
    return NULL;
}

double stfi_paper_error(const stfi_paper *paper, const stfi_error_means *means,
                        double points)
{
    return paper->error(means, points);
}

void stfi_paper_quote(const char *group, FILE *file)
{
    const stfi_paper *paper = stfi_paper_of(group);

    if (paper == NULL)
        return;
    fprintf(file, "#   paper_error is %s's: %s\n", paper->name, paper->unit);
    for (int i = 0; i < QUOTED; i++)
        if (strcmp(quoted[i].group, group) == 0)
            fprintf(file, "#   quoted from %s: %s: %s\n", paper->name,
                    quoted[i].what, quoted[i].figures);
}
