/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Suites of matrix products; see gemm_suite.h. */
#include "tools/bench/gemm_suite.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *group, *kind, *shapes;
} suites[] = {
#define STFI_GEMM_SUITE(group, kind, shapes) {group, kind, shapes},
#define STFI_GEMM_QUOTED(group, what, t4, a100)
#include "bench/gemm_suites.def"
#undef STFI_GEMM_SUITE
#undef STFI_GEMM_QUOTED
};

static const struct {
    const char *group, *what, *t4, *a100;
} quoted[] = {
#define STFI_GEMM_SUITE(group, kind, shapes)
#define STFI_GEMM_QUOTED(group, what, t4, a100) {group, what, t4, a100},
#include "bench/gemm_suites.def"
#undef STFI_GEMM_SUITE
#undef STFI_GEMM_QUOTED
};

enum {
    SUITES = sizeof suites / sizeof *suites,
    QUOTED = sizeof quoted / sizeof *quoted,
    ROWS =
        sizeof((stfi_gemm_means *)0)->row / sizeof *((stfi_gemm_means *)0)->row
};

/* Whether a group's name begins with this one, as whole words. */
static int is_part(const char *group, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(group, name, length) == 0
           && (group[length] == '\0' || group[length] == '-');
}

int stfi_gemm_suite_is(const char *name)
{
    int i = 0;

    while (i < SUITES && !is_part(suites[i].group, name))
        i++;
    return i < SUITES && strncmp(name, "ft-sgemm", strlen("ft-sgemm")) == 0;
}

int stfi_gemm_suite_word(const char *name, int i, char *word, size_t capacity,
                         const char **group_p)
{
    for (int s = 0; s < SUITES; s++) {
        const char *at = suites[s].shapes;
        if (!is_part(suites[s].group, name))
            continue;
        for (; *at != '\0'; i--) {
            const size_t length = strcspn(at, " ");
            if (i == 0) {
                snprintf(word, capacity, "gemm:%s:%.*s", suites[s].kind,
                         (int)length, at);
                *group_p = suites[s].group;
                return 1;
            }
            at += length;
            at += strspn(at, " ");
        }
    }
    return 0;
}

void stfi_gemm_means_add(stfi_gemm_means *m, const char *group, const char *ft,
                         double cost, double peer)
{
    int i = 0;

    while (i < m->rows
           && (strcmp(m->row[i].group, group) != 0
               || strcmp(m->row[i].ft, ft) != 0))
        i++;
    if (i == ROWS)
        return;
    if (i == m->rows) {
        memset(&m->row[i], 0, sizeof m->row[i]);
        m->row[i].group = group;
        snprintf(m->row[i].ft, sizeof m->row[i].ft, "%s", ft);
        m->rows++;
    }
    m->row[i].products++;
    m->row[i].cost += log(cost);
    m->row[i].beside_peer += peer > 0;
    m->row[i].peer += peer > 0 ? log(peer) : 0;
}

void stfi_gemm_means_print(const stfi_gemm_means *m, FILE *file)
{
    const char *group = "";

    for (int i = 0; i < m->rows; i++) {
        const int n = m->row[i].products, peers = m->row[i].beside_peer;
        group = m->row[i].group;
        fprintf(file, "# %s, %s: %d products, cost in the mean %.1f %%", group,
                m->row[i].ft, n, 100 * (exp(m->row[i].cost / n) - 1));
        if (peers > 0)
            fprintf(file, ", the peer's time over ours %.3f",
                    exp(m->row[i].peer / peers));
        fputc('\n', file);
        if (i + 1 < m->rows && strcmp(m->row[i + 1].group, group) == 0)
            continue;
        for (int q = 0; q < QUOTED; q++)
            if (strcmp(quoted[q].group, group) == 0)
                fprintf(file,
                        "#   quoted from [FT-SGEMM]: %s: T4 %s, A100 %s\n",
                        quoted[q].what, quoted[q].t4, quoted[q].a100);
    }
}
