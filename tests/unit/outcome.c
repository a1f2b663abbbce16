/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The outcomes of checks: every sequence of up to three looks at a residual is
 * compared with a table. The sequences are run through the state machine
 * itself, the host's functions, what passes of the cpu do about a suspect tile,
 * and end-to-end checks of a plan whose executions go wrong as the sequence
 * says. */
#include <math.h>
#include <string.h>

#include "backends/cpu/protect/cpu_check.h"
#include "ft/finding.h"
#include "run/fft/fft_plan.h"
#include "tests/report.h"
#include "tests/tap.h"

/* One letter for each look: c clean, s suspect, f faulty, i faulty and
 * infinite, u the input is not finite; = the same residual as in the look
 * before. In a row of this table, ? stands for s, f or i. */
static const struct row {
    const char *looks;
    stfi_ft_outcome outcome;
} rows[] = {
    {"c", STFI_FT_CHECKED},         {"u", STFI_FT_NON_FINITE},
    {"?c", STFI_FT_RECOMPUTED},     {"?u", STFI_FT_NON_FINITE},
    {"s=", STFI_FT_RECHECKED},      {"f=", STFI_FT_UNCORRECTABLE},
    {"i=", STFI_FT_OVERFLOWED},     {"??c", STFI_FT_RECOMPUTED},
    {"??u", STFI_FT_NON_FINITE},    {"?s=", STFI_FT_RECOMPUTED},
    {"?f=", STFI_FT_UNCORRECTABLE}, {"?i=", STFI_FT_OVERFLOWED},
    {"???", STFI_FT_UNCORRECTABLE},
};

/* The outcome of one look if nothing is computed again: when faults are only
 * reported, and when they were to be repaired. */
static const struct once {
    const char *look;
    stfi_ft_outcome report, repair;
} onces[] = {
    {"c", STFI_FT_CHECKED, STFI_FT_CHECKED},
    {"s", STFI_FT_CHECKED, STFI_FT_CHECKED},
    {"f", STFI_FT_DETECTED, STFI_FT_UNCORRECTABLE},
    {"i", STFI_FT_DETECTED, STFI_FT_UNCORRECTABLE},
    {"u", STFI_FT_NON_FINITE, STFI_FT_NON_FINITE},
};

/* What is counted for each outcome; the gravest outcome comes first. */
static const struct counted {
    stfi_ft_outcome outcome;
    unsigned bits;
} counted[] = {
    {STFI_FT_UNCORRECTABLE,
     REPORT_BIT(UNCORRECTABLE) | REPORT_BIT(DETECTED) | REPORT_BIT(LOCATED)},
    {STFI_FT_RECOMPUTED,
     REPORT_BIT(RECOMPUTED) | REPORT_BIT(DETECTED) | REPORT_BIT(LOCATED)},
    {STFI_FT_DETECTED, REPORT_BIT(DETECTED) | REPORT_BIT(LOCATED)},
    {STFI_FT_OVERFLOWED, REPORT_BIT(OVERFLOWED)},
    {STFI_FT_NON_FINITE, REPORT_BIT(NON_FINITE)},
    {STFI_FT_RECHECKED, REPORT_BIT(RECHECKED)},
    {STFI_FT_CHECKED, 0},
};

enum {
    LOOKS = 3,
    SEQUENCES = 65, /* they end where they are settled, or after LOOKS */
    ROWS = sizeof rows / sizeof *rows,
    OUTCOMES = sizeof counted / sizeof *counted
};

static unsigned bits_of(stfi_ft_outcome outcome)
{
    for (int i = 0; i < OUTCOMES; i++)
        if (counted[i].outcome == outcome)
            return counted[i].bits;
    return ~0u;
}

/* ------------------------------------------------------------ the sequences */

static char sequence[SEQUENCES][LOOKS + 1];
static int sequences;

static int goes_on(char look)
{
    return strchr("sfi", look) != NULL;
}

static void add_sequences(const char *start)
{
    const char *const next = "csfiu=";
    size_t length = strlen(start);
    char longer[LOOKS + 1];

    if (length == LOOKS || (length > 0 && !goes_on(start[length - 1]))) {
        if (sequences < SEQUENCES)
            memcpy(sequence[sequences], start, length + 1);
        sequences++;
        return;
    }
    memcpy(longer, start, length);
    longer[length + 1] = '\0';
    for (const char *p = next; *p != '\0'; p++) {
        longer[length] = *p;
        if (*p != '=' || length > 0)
            add_sequences(longer);
    }
}

static int is_of(const char *looks, const char *row)
{
    size_t i = 0;

    while (row[i] != '\0' && looks[i] != '\0'
           && (row[i] == looks[i] || (row[i] == '?' && goes_on(looks[i]))))
        i++;
    return row[i] == looks[i];
}

/* The only row that fits the sequence; NULL if none fits, or several. */
static const struct row *row_of(const char *looks)
{
    const struct row *found = NULL;
    int count = 0;

    for (int i = 0; i < ROWS; i++)
        if (is_of(looks, rows[i].looks)) {
            found = &rows[i];
            count++;
        }
    return count == 1 ? found : NULL;
}

/* Look i of the sequence, with `=` replaced; *from_p is the look that it
 * repeats. */
static char look_at(const char *looks, int i, int *from_p)
{
    while (looks[i] == '=')
        i--;
    *from_p = i;
    return looks[i];
}

/* ------------------------------------------------------------- the machine */

static int observe(const char *looks, stfi_ft_state *s)
{
    static const stfi_ft_verdict verdicts[] = {
        ['c'] = STFI_FT_CLEAN,        ['s'] = STFI_FT_SUSPICIOUS,
        ['f'] = STFI_FT_FAULTY,       ['i'] = STFI_FT_FAULTY,
        ['u'] = STFI_FT_UNVERIFIABLE,
    };
    int length = (int)strlen(looks), right = 1, from;

    memset(s, 0, sizeof *s);
    for (int i = 0; i < length; i++) {
        right &= i == 0 || !stfi_ft_is_settled(s);
        stfi_ft_observe(s, verdicts[(int)look_at(looks, i, &from)],
                        looks[i] == '=');
    }
    return right && stfi_ft_is_settled(s) == !goes_on(looks[length - 1]);
}

static int finite_at_end(const char *looks)
{
    int from;

    return look_at(looks, (int)strlen(looks) - 1, &from) != 'i';
}

static int by_machine(const char *looks, const struct row *row)
{
    stfi_ft_state s;

    return observe(looks, &s)
           && stfi_ft_conclude(&s, STFI_FT_REPEAT, 1, finite_at_end(looks))
                  == row->outcome;
}

static void test_once(void)
{
    int right = 1;
    stfi_ft_state s;

    for (size_t i = 0; i < sizeof onces / sizeof *onces; i++) {
        const struct once *o = &onces[i];
        int above = *o->look != 's', finite = *o->look != 'i';
        right &= observe(o->look, &s)
                 && stfi_ft_conclude(&s, STFI_FT_REPORT_ONLY, above, finite)
                        == o->report
                 && stfi_ft_conclude(&s, STFI_FT_NO_INPUT, above, finite)
                        == o->repair;
    }
    for (int above = 0; above < 2; above++)
        right &= observe("fc", &s)
                 && stfi_ft_conclude(&s, STFI_FT_NO_INPUT, above, 1)
                        == STFI_FT_RECOMPUTED;
    tap_ok(right, "nothing computed again");
    tap_ok(stfi_ft_conclude_twice(STFI_FT_REPORT_ONLY, 0) == STFI_FT_DETECTED
               && stfi_ft_conclude_twice(STFI_FT_REPEAT, 1)
                      == STFI_FT_RECOMPUTED
               && stfi_ft_conclude_twice(STFI_FT_REPEAT, 0)
                      == STFI_FT_UNCORRECTABLE,
           "what is computed twice");
    tap_ok(stfi_ft_conclude_mended(STFI_FT_REPEAT, 1) == STFI_FT_RECOMPUTED
               && stfi_ft_conclude_mended(STFI_FT_REPEAT, 0)
                      == STFI_FT_RECHECKED
               && stfi_ft_conclude_mended(STFI_FT_REPORT_ONLY, 1)
                      == STFI_FT_DETECTED
               && stfi_ft_conclude_mended(STFI_FT_REPORT_ONLY, 0)
                      == STFI_FT_CHECKED,
           "what is right when computed again, and was judged otherwise");
}

static unsigned ledger_bits(const stfi_ft_ledger *l)
{
    stf_ft_report r;

    stfi_ft_report_clear(&r);
    stfi_ft_ledger_report(l, &r);
    return report_bits(&r) & ~(REPORT_BIT(CHECKED) | REPORT_BIT(MAX_RESIDUAL));
}

static void test_notes(void)
{
    const stf_ft_event event = {.pass = 1, .signal = 2, .residual = 3};
    int right = 1;

    for (int i = 0; i < OUTCOMES - 1; i++) {
        stfi_ft_outcome outcome = counted[i].outcome;
        stfi_ft_ledger l = {.checked = 0};
        stfi_ft_result result = {.failed = 0};
        stfi_ft_note(&l, &result, outcome, &event, 1);
        right &= ledger_bits(&l) == counted[i].bits
                 && l.events == stfi_ft_is_fault(outcome)
                 && result.failed == (outcome == STFI_FT_UNCORRECTABLE)
                 && result.repaired == (outcome == STFI_FT_RECOMPUTED)
                 && stfi_ft_is_graver(outcome, counted[i + 1].outcome)
                 && !stfi_ft_is_graver(counted[i + 1].outcome, outcome);
    }
    tap_ok(right, "what is counted of each outcome, and which is graver");
}

/* ------------------------------------------------------------ host's looks */

/* Residuals that are compared with a norm of 1: below 3 is clean, above 6
 * faulty. */
static stfi_ft_group group_of(const char *looks, int i)
{
    int from;
    char look = look_at(looks, i, &from);
    stfi_ft_group g = {0, 0.125L * (long double)from, 1, 1};

    g.re = look == 'c'   ? 1
           : look == 's' ? 4.5L
           : look == 'i' ? (long double)INFINITY
                         : 20;
    g.norm = look == 'u' ? (long double)NAN : 1;
    return g;
}

static const stfi_ft_bound bound = {1, 0};

static int by_looks(const char *looks, const struct row *row)
{
    stfi_ft_history h = {.ratio = 0};

    for (int i = 0; looks[i] != '\0'; i++) {
        stfi_ft_group g = group_of(looks, i);
        stfi_ft_look(&bound, &g, &h);
    }
    return stfi_ft_find(&h, STFI_FT_REPEAT) == row->outcome;
}

/* ------------------------------------------------------------ cpu's passes */

/* Passes of the cpu look once more than others do: after the end of the
 * sequence, the last group comes again with another residual. */
static void next_group(void *looks, int attempt, stfi_cpu_group *group)
{
    const char *text = looks;
    int last = (int)strlen(text) - 1;
    stfi_ft_group g = group_of(text, attempt < last ? attempt : last);

    if (attempt > last)
        g.im += 1;
    *group = (stfi_cpu_group){g.re, g.im, g.norm, g.unit};
}

static int by_pass(char *looks, const struct row *row)
{
    stfi_pass pass = {.check = {.correct = 1}};
    stfi_cpu_log log;
    stfi_ft_result result = {.failed = 0};
    stfi_cpu_watch watch = {.log = &log, .result = &result, .batch = 1};
    stfi_cpu_suspect s = {
        .p = &pass,
        .watch = &watch,
        .bound = bound,
        .lanes = 1,
        .count = 1,
        .again = next_group,
        .tile = looks,
    };
    stfi_ft_ledger l;

    if (stfi_cpu_log_init(&log))
        return 0;
    next_group(looks, 0, &s.group[0][0]);
    stfi_cpu_settle(&s);
    stfi_cpu_log_read(&log, 0, &l);
    stfi_cpu_log_destroy(&log);
    return ledger_bits(&l) == bits_of(row->outcome)
           && result.failed == (row->outcome == STFI_FT_UNCORRECTABLE)
           && result.repaired == (row->outcome == STFI_FT_RECOMPUTED);
}

/* --------------------------------------------------- from input to output */

enum { POINTS = 8 };

static const stfi_backend *own;
static const char *script;
static int launches;
static double slope; /* the limits of residuals are 3 and 6 times this */

/* Executes, then makes element 0 of the output wrong as the script says. */
static stf_status launch_wrong(stfi_exec *x, const stfi_buffers *b,
                               void *stream)
{
    stf_status status = own->fft->launch(x, b, stream);
    double *out = b->out;
    int from;
    char look =
        launches < (int)strlen(script) ? look_at(script, launches, &from) : 'c';

    launches++;
    if (look == 's' || look == 'f')
        out[0] += (look == 's' ? 4.5 : 20) * slope * (1 + 0.05 * from);
    if (look == 'i')
        out[0] = from % 2 ? -INFINITY : INFINITY;
    return status;
}

static int by_plan(stf_plan *plan, const char *looks, const struct row *row)
{
    const double nan_first = *looks == 'u' ? NAN : 1;
    double in[2 * POINTS] = {1, 2, 3, -4, 5, 6, -7, 8}, out[2 * POINTS];
    stf_ft_report r;
    stf_status status,
        want = row->outcome == STFI_FT_UNCORRECTABLE ? STF_ERR_UNCORRECTED
               : row->outcome == STFI_FT_RECOMPUTED  ? STF_CORRECTED
                                                     : STF_OK;

    in[0] *= nan_first;
    script = looks;
    launches = 0;
    status = stf_execute(plan, STF_FORWARD, in, out);
    stf_plan_ft_report(plan, &r);
    stf_plan_ft_reset(plan);
    return status == want && launches == (int)strlen(looks)
           && (report_bits(&r)
               & ~(REPORT_BIT(CHECKED) | REPORT_BIT(MAX_RESIDUAL)))
                  == bits_of(row->outcome);
}

/* The sums of the input are not computed again while residuals are the same, so
 * an input that was finite in the first look does not become NaN later. */
static int may_happen(const char *looks)
{
    return strchr(looks, 'u') == NULL || *looks == 'u';
}

static void test_plan(void)
{
    static const double norm = 14.282856857085701; /* norm of by_plan()'s
                                                    * input */
    stf_fft_desc d = stf_fft_desc_default();
    stfi_backend wrong;
    stfi_fft_ops wrong_fft;
    stf_device *dev;
    stf_plan *plan;
    int right = 1;

    d.precision = STF_F64;
    d.rank = 1;
    d.n[0] = POINTS;
    d.ft.mode = STF_FT_CORRECT;
    d.ft.level = STF_FT_OFFLINE;
    if (stf_device_open("cpu", &dev) || stf_plan_fft(dev, &d, &plan)) {
        tap_ok(0, "no plan: %s", stf_error_message());
        return;
    }
    slope =
        norm * (double)stfi_ft_bound_of(&stfi_fft_plan_of(plan)->desc, 1).slope;
    own = dev->backend;
    wrong = *own;
    wrong_fft = *own->fft;
    wrong_fft.launch = launch_wrong;
    wrong.fft = &wrong_fft;
    dev->backend = &wrong;
    for (int i = 0; i < sequences; i++)
        if (may_happen(sequence[i])
            && !by_plan(plan, sequence[i], row_of(sequence[i]))) {
            tap_diag("%s, after %d launches", sequence[i], launches);
            right = 0;
        }
    dev->backend = own;
    tap_ok(right, "every sequence, of executions of a plan");
    stf_plan_destroy(plan);
    stf_device_close(dev);
}

/* ------------------------------------------------------------------------- */

static void test_sequences(void)
{
    int rowless = 0, machine = 1, looks = 1, pass = 1;

    for (int i = 0; i < SEQUENCES; i++) {
        const struct row *row = row_of(sequence[i]);
        if (row == NULL) {
            tap_diag("%s has no row, or two", sequence[i]);
            rowless++;
            continue;
        }
        machine &= by_machine(sequence[i], row);
        looks &= by_looks(sequence[i], row);
        pass &= by_pass(sequence[i], row);
    }
    tap_ok(rowless == 0, "every sequence has its row");
    tap_ok(machine, "every sequence, by the machine");
    tap_ok(looks, "every sequence, by the host's looks");
    tap_ok(pass, "every sequence, by a pass of the cpu");
}

int main(void)
{
    tap_begin("outcome");
    add_sequences("");
    if (tap_ok(sequences == SEQUENCES, "%d sequences", sequences)) {
        test_sequences();
        test_plan();
    }
    test_once();
    test_notes();
    return tap_end();
}
