/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Transforms without faults raise no alarm: stf_check_fft() on all kinds of
 * signals and lengths, at the normal level in ten thousand checks and more. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/ft/signals.h"
#include "tests/report.h"
#include "tests/tap.h"

static const struct {
    const char *kind, *shape;
    tap_level_t level;
} problems[] = {
    {"c2c", "8", TAP_QUICK},
    {"c2c", "16", TAP_NORMAL},
    {"c2c", "64", TAP_QUICK},
    {"c2c", "256", TAP_NORMAL},
    {"c2c", "1024", TAP_QUICK},
    {"c2c", "4096", TAP_NORMAL},
    {"c2c", "8192", TAP_NORMAL},
    {"c2c", "16384", TAP_NORMAL},
    {"c2c", "65536", TAP_NORMAL},
    {"c2c", "1", TAP_QUICK},
    {"c2c", "2", TAP_QUICK},
    {"c2c", "15", TAP_QUICK},
    {"c2c", "105", TAP_NORMAL},
    {"c2c", "1000", TAP_NORMAL},
    {"c2c", "1021", TAP_QUICK},
    {"c2c", "3072", TAP_NORMAL},
    {"c2c", "24x35", TAP_QUICK},
    {"c2c", "64x64", TAP_NORMAL},
    {"c2c", "5x1x12x7", TAP_QUICK},
    {"r2c", "64", TAP_QUICK},
    {"r2c", "105", TAP_QUICK},
    {"r2c", "1024", TAP_NORMAL},
    {"r2c", "1021", TAP_NORMAL},
    {"r2c", "30x44", TAP_QUICK},
    {"r2c", "8x9x15", TAP_NORMAL},
    {"c2r", "64", TAP_QUICK},
    {"c2r", "105", TAP_QUICK},
    {"c2r", "1024", TAP_NORMAL},
    {"c2r", "1021", TAP_NORMAL},
    {"c2r", "30x44", TAP_QUICK},
    {"c2r", "8x9x15", TAP_NORMAL},
    {"dct1", "65", TAP_QUICK},
    {"dct2", "64", TAP_QUICK},
    {"dct3", "105", TAP_QUICK},
    {"dct4", "30x44", TAP_QUICK},
    {"dst1", "1021", TAP_QUICK},
    {"dst2", "30x44", TAP_NORMAL},
    {"dst3", "1", TAP_QUICK},
    {"dst4", "97", TAP_NORMAL},
    {"dht", "8x9x15", TAP_NORMAL},
    {"r2hc", "36", TAP_QUICK},
    {"hc2r", "21", TAP_QUICK},
    {"r2r=dct2+dst3+hc2r", "8x9x14", TAP_QUICK},
};

enum { PROBLEMS = sizeof problems / sizeof *problems };

typedef struct tally {
    int64_t checks, alarms;
    double worst;
    int worst_distribution;
} tally;

static int64_t points_of(const char *shape)
{
    int64_t points = 1, n;
    int used;

    while (sscanf(shape, "%" SCNd64 "%n", &n, &used) == 1) {
        points *= n;
        shape += used + (shape[used] == 'x');
    }
    return points;
}

static int one_batch(stfi_signals *s, int distribution, uint64_t *state,
                     tally *t)
{
    stf_ft_report r;

    if (!stfi_signals_draw(s, distribution, state)
        || !stfi_signals_check(s, &r))
        return 0;
    t->checks += r.groups_checked;
    t->alarms += r.detected;
    if (r.groups_checked != s->d.batch || r.located != r.detected
        || !report_has_only(&r, REPORT_BIT(DETECTED) | REPORT_BIT(LOCATED))
        || (r.first_event.signal >= 0) != (r.detected > 0)
        || !(r.max_residual >= 0))
        return tap_ok(0, "%s: a report that does not fit",
                      stfi_distribution_name(distribution));
    if (r.max_residual > t->worst) {
        t->worst = r.max_residual;
        t->worst_distribution = distribution;
    }
    return 1;
}

static void test_problem(stf_device *dev, int i, const char *precision,
                         stf_direction direction, tally *all)
{
    int64_t most = tap_level() == TAP_QUICK ? 4 : 24;
    int64_t batch = (1 << 18) / points_of(problems[i].shape);
    tally t = {0, 0, 0, 0};
    uint64_t state = tap_seed() + (uint64_t)i;
    stfi_signals s;
    char word[64];
    int k, right;

    batch = batch > most ? most : batch;
    snprintf(word, sizeof word, "%s:%s:%s*%d", problems[i].kind, precision,
             problems[i].shape, (int)batch);
    right = stfi_signals_open(&s, dev, word, direction);
    for (k = 0; k < STFI_DISTRIBUTIONS && right; k++)
        right = one_batch(&s, k, &state, &t);
    stfi_signals_close(&s);
    if (right)
        tap_ok(t.alarms == 0, "%s, %s: %d checks, residuals up to %.2f (%s)",
               word, direction == STF_FORWARD ? "forward" : "inverse",
               (int)t.checks, t.worst,
               stfi_distribution_name(t.worst_distribution));
    all->checks += t.checks;
    all->alarms += t.alarms;
    all->worst = fmax(all->worst, t.worst);
}

int main(void)
{
    tally all = {0, 0, 0, 0};
    stf_device *dev = NULL;
    int i, p;

    tap_begin("ft/clean");
    if (stf_device_open("cpu", &dev))
        return tap_ok(0, "%s", stf_error_message()), tap_end();
    for (i = 0; i < PROBLEMS; i++)
        for (p = 0; p < 3; p++) {
            const char *const precision[] = {"f32", "f64",
                                             i % 2 ? "f16" : "bf16"};
            const char *kind = problems[i].kind;
            if (problems[i].level > tap_level())
                continue;
            if (strcmp(kind, "c2r") != 0)
                test_problem(dev, i, precision[p], STF_FORWARD, &all);
            if (kind[0] == 'c')
                test_problem(dev, i, precision[p], STF_INVERSE, &all);
        }
    stf_device_close(dev);
    /* The largest residual must be near its threshold: a check that finds
     * nothing because its threshold is far too large would be useless. */
    tap_ok(all.alarms == 0 && all.worst > 0.1 && all.worst < 1
               && (tap_level() == TAP_QUICK || all.checks >= 10000),
           "%d checks, %d alarms, residuals up to %.2f of the threshold",
           (int)all.checks, (int)all.alarms, all.worst);
    return tap_end();
}
