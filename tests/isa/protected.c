/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The machine code of protected kernels for gfx90a and gfx942, one kind of pass
 * per row of tests/simt/PROTECTED.def, and end-to-end checks. Without faults
 * they raise no alarm and give results within the accuracy contract; a fault
 * that is detected is repaired to the same bits, any other has little effect.
 * With STF_TEST_ONLY only rows are run whose name contains that text. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/device.h"
#include "support/harness/trial.h"
#include "support/oracle/naive.h"
#include "tests/isa/device.h"
#include "tests/report.h"
#include "tests/simt/simt.h"
#include "tests/simt/unit.h"
#include "tests/tap.h"

/* The levels below the last take one of so many rows. Where nothing is suspect,
 * threads do not use more bytes of their stacks. */
enum { QUICK_STEP = 11, NORMAL_STEP = 4, MOST_STACK = 64 };

/* Protection of a row: level, scheme, transactions; compute units (or 0); whether ends
 * are checked, too. */
#define ALONE STF_FT_AUTO, STF_FT_SCHEME_AUTO, 0, 0, 0
#define PERSISTENT(units) STF_FT_AUTO, STF_FT_SCHEME_AUTO, 0, units, 0
#define THREAD STF_FT_THREAD, STF_FT_SCHEME_AUTO, 0, 0, 0
#define SIGNAL(n) STF_FT_AUTO, STF_FT_SCHEME_SIGNAL, n, 0, 0
#define ONE(n) STF_FT_AUTO, STF_FT_SCHEME_ONE_SIDED, n, 0, 0
#define TWO(n) STF_FT_AUTO, STF_FT_SCHEME_TWO_SIDED, n, 0, 0
#define OFFLINE STF_FT_OFFLINE, STF_FT_SCHEME_AUTO, 0, 0, 0
#define END_TO_END STF_FT_AUTO, STF_FT_SCHEME_AUTO, 0, 0, 1

typedef struct row {
    const char *name, *preset; /* of another vendor: only its radix of units is
                                  used here */
    int64_t block_bytes;
    const char *word;
    double scale; /* of the forward transform; 0: 1 */
    stf_ft_level level;
    stf_ft_scheme scheme;
    int transactions;
    int units;
    int end_to_end;
} row;

static const row rows[] = {
#define PROTECTED(name, preset, bytes, word, scale, ...) \
    {name, preset, bytes, word, scale, __VA_ARGS__},
#include "tests/simt/PROTECTED.def"
#undef PROTECTED
    {"end to end", "", 0, "c2c:f32:out:8*40", 0, OFFLINE},
    {"end to end", "", 0, "c2c:f32:out:1000*3", 0, OFFLINE},
    {"end to end, passes", "", 6144, "c2c:f64:out:1800*2", 0, OFFLINE},
    {"end to end, axes", "", 0, "c2c:f32:out:24x35*3", 0, OFFLINE},
    {"end to end, real", "", 0, "r2c:f32:out:60*5", 0, OFFLINE},
    {"end to end, real", "", 0, "c2r:f64:out:45*5", 0, OFFLINE},
    {"end to end, Rader", "", 0, "c2c:f32:out:37*5", 0, OFFLINE},
    {"read again", "", 0, "c2c:f32:out:40*9", 0, END_TO_END},
    {"read again, real", "", 0, "r2c:f32:out:60*5", 0, END_TO_END},
    {"read again, real", "", 0, "r2c:f32:out:10*90", 0, END_TO_END},
    {"read again, real", "", 0, "c2r:f64:out:48*5", 0, END_TO_END},
    {"read again, odd", "", 0, "r2c:f64:out:45*90", 0, END_TO_END},
    {"read again, odd", "", 0, "c2r:f32:out:63*5", 0, END_TO_END},
    {"read again, real kinds", "", 0, "dct2:f32:out:16*40", 0, END_TO_END},
    {"read again, real kinds", "", 0, "dct3:f64:out:60*5", 0, END_TO_END},
    {"read again, Rader", "", 0, "c2c:f32:out:37*5", 0, END_TO_END},
    {"signed, real", "", 6144, "r2c:f32:out:60x48*2", 0, END_TO_END},
    {"signed, real", "", 6144, "c2r:f64:out:30x48*2", 0, END_TO_END},
    {"many registers, radix 31", "", 0, "c2c:f32:out:31*64", 0, ALONE},
    {"many registers, two-sided", "", 0, "c2r:f64:out:32768*2", 0, TWO(8)},
};

enum { ROWS = sizeof rows / sizeof *rows };

static const struct {
    const char *preset, *arch;
} devices[] = {{"mi250x", "gfx90a"}, {"mi300x", "gfx942"}};

/* The state of a row that is being tested. */
typedef struct run {
    const row *row;
    const char *arch;
    stfi_trial trial;
    stf_direction direction;
    stf_device *dev, *cpu;
    stfi_remote guarded;
    char *want; /* the output of a run without faults */
    int noticed, missed, wrong;
    double worst_missed; /* largest relative change of the output */
} run;

static int all_noticed, all_struck;

static const stfi_fenced *output_array(const run *r)
{
    return &r->trial.array[r->trial.problem.in_place ? 0 : 1];
}

static size_t array_bytes(const run *r)
{
    return (size_t)output_array(r)->components * r->trial.component_bytes;
}

static char *output(const run *r)
{
    return output_array(r)->block;
}

static int open_run(const row *w, run *r)
{
    stfi_problem p;
    uint64_t state = tap_seed();

    if (stfi_problem_parse(w->word, &p))
        return 0;
    if (w->scale > 0)
        p.desc.scale_forward = w->scale;
    p.desc.ft.mode = STF_FT_CORRECT;
    p.desc.ft.level = w->level;
    p.desc.ft.scheme = w->scheme;
    p.desc.ft.transactions = w->transactions;
    p.desc.ft.end_to_end = w->end_to_end;
    if (stfi_trial_open(&r->trial, &p, 0, stfi_random_u64(&state)))
        return 0;
    r->direction = p.desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    if (stfi_remote_open(&r->trial, r->dev, &r->guarded))
        return 0;
    r->want = malloc(array_bytes(r));
    return r->want != NULL;
}

static void close_run(run *r)
{
    stfi_remote_close(&r->guarded);
    stfi_trial_close(&r->trial);
    free(r->want);
}

/* Executes the plan once, with a report of this execution. */
static stf_status execute(run *r, stf_ft_report *report)
{
    const stfi_trial *t = &r->trial;
    const stfi_remote *g = &r->guarded;
    stf_status status = stf_plan_ft_reset(g->plan);

    if (status == STF_OK)
        status = stfi_remote_load(t, g);
    if (status == STF_OK)
        status =
            stf_execute(g->plan, r->direction, stfi_remote_element(t, g, 0),
                        stfi_remote_element(t, g, 1));
    if (status == STF_OK)
        status = stfi_remote_fetch(&r->trial, g);
    if (status == STF_OK)
        status = stf_plan_ft_report(g->plan, report);
    return status;
}

/* The L2 norm of the change of the output, relative to the clean output. */
static double change(const run *r)
{
    const stfi_trial *t = &r->trial;
    long double sum = 0, norm = 0;

    for (size_t i = 0; i < array_bytes(r) / t->component_bytes; i++) {
        long double a, b;
        if (!output_array(r)->mine[i])
            continue;
        a = stfi_trial_get(t, r->want, (int64_t)i);
        b = stfi_trial_get(t, output(r), (int64_t)i);
        norm += a * a;
        sum += (a - b) * (a - b);
    }
    return (double)sqrtl(sum / norm);
}

/* The error of the output, in units of the contract's bound. */
static double contract(run *r)
{
    stfi_trial *t = &r->trial;
    long double *want;
    double ratio;

    if (stfi_trial_want(t, r->cpu, r->direction, STFI_SOURCE_AUTO, &want))
        return NAN;
    ratio = (double)stfi_naive_error(&t->full, stfi_trial_array(t, 1), want)
            / stfi_naive_bound(&t->full);
    stfi_trial_free_want(t, want);
    return ratio;
}

static void check_clean(run *r)
{
    const row *w = r->row;
    stf_ft_report report;
    double ratio;
    long stack;

    stfi_trial_reset(&r->trial);
    stfi_isa_forget_stacks();
    if (execute(r, &report)) {
        tap_ok(0, "%s %s: %s: %s", r->arch, w->name, w->word,
               stf_error_message());
        return;
    }
    memcpy(r->want, output(r), array_bytes(r));
    stack = stfi_isa_count().stack_bytes;
    ratio = contract(r);
    tap_ok(ratio <= 1 && report.groups_checked > 0 && report.max_residual < 0.67
               && report_has_only(&report, REPORT_BIT(RECHECKED)),
           "%s %s: %s: %.3f of the bound, no alarm in %" PRId64 " checks",
           r->arch, w->name, w->word, ratio, report.groups_checked);
    if (report.detected > 0 || report.max_residual >= 0.67)
        tap_diag("%" PRId64 " detected, the first in pass %d, the largest "
                 "residual %.3f of its threshold",
                 report.detected, report.first_event.pass, report.max_residual);
    if (report.rechecked == 0)
        tap_ok(stack <= MOST_STACK,
               "%s %s: %s: %ld bytes of stack where nothing is suspect",
               r->arch, w->name, w->word, stack);
}

/* The largest relative change that may go undetected, as in
 * tests/simt/protected.c; an end-to-end check has one sum for all passes. */
static double most_missed(const run *r)
{
    const int several =
        r->row->scheme > STF_FT_SCHEME_SIGNAL ? r->row->transactions : 1;
    const double u = stfi_type_get(r->trial.full.precision)->unit_roundoff;

    return 64 * 2 * sqrt((double)several) * u
           * (r->row->level == STF_FT_OFFLINE ? 4 : 1);
}

static void check_fault(run *r, uint64_t seed)
{
    stf_ft_report report;
    stf_fault f;
    int same;

    stfi_trial_reset(&r->trial);
    if (stf_plan_draw_fault(r->guarded.plan, seed, &f)
        || stf_plan_inject(r->guarded.plan, &f, 1) || execute(r, &report)) {
        tap_diag("%s: %s", r->row->word, stf_error_message());
        r->wrong++;
        return;
    }
    same = !memcmp(r->want, output(r), array_bytes(r));
    all_struck++;
    if (report.detected == 0) {
        double d = same ? 0 : change(r);
        r->missed++;
        r->worst_missed = d > r->worst_missed ? d : r->worst_missed;
        return;
    }
    r->noticed++;
    if (same && report.uncorrectable == 0)
        return;
    tap_diag("%s: seed %" PRIu64 " pass %d stage %d element %" PRId64
             " signal %" PRId64 ": detected %" PRId64 ", recomputed %" PRId64
             ", bits %s",
             r->row->word, seed, f.pass, f.stage, f.element, f.signal,
             report.detected, report.recomputed, same ? "same" : "differ");
    r->wrong++;
}

static void check_faults(run *r)
{
    static const int counts[] = {6, 12, 100};

    for (int i = 0; i < counts[tap_level()]; i++)
        check_fault(r, tap_seed() * 1000003u + (uint64_t)i);
    all_noticed += r->noticed;
    tap_ok(r->wrong == 0 && r->noticed > 0 && r->worst_missed < most_missed(r),
           "%s %s: %s: %d faults noticed and repaired, %d not, worst change "
           "%.3g of at most %.3g",
           r->arch, r->row->name, r->row->word, r->noticed, r->missed,
           r->worst_missed, most_missed(r));
}

static void check_row(const row *w, int d, stf_device *cpu)
{
    stfi_caps caps = *stfi_preset_find(devices[d].preset);
    static run r;

    memset(&r, 0, sizeof r);
    r.row = w;
    r.arch = devices[d].arch;
    r.cpu = cpu;
    if (w->block_bytes > 0 && w->block_bytes < caps.block_bytes)
        caps.block_bytes = w->block_bytes;
    if (w->units > 0)
        caps.units = w->units;
    if (stfi_isa_device_open(&caps, r.arch, &r.dev)) {
        tap_ok(0, "%s: %s", w->name, stf_error_message());
        return;
    }
    (void)stfi_simt_preset(w->preset, &r.dev->unit_radix);
    if (open_run(w, &r)) {
        check_clean(&r);
        check_faults(&r);
    } else {
        tap_ok(0, "%s %s: %s: %s", r.arch, w->name, w->word,
               stf_error_message());
    }
    close_run(&r);
    stf_device_close(r.dev);
}

/* Kernels that come close to all registers are run at every level. */
static int is_taken(int i)
{
    static const int steps[] = {QUICK_STEP, NORMAL_STEP, 1};
    const int step = steps[tap_level()];
    const char *only = getenv("STF_TEST_ONLY");

    if (only != NULL)
        return strstr(rows[i].name, only) != NULL;
    if (strstr(rows[i].name, "many registers") != NULL)
        return tap_takes(i);
    return i % step == 0 && tap_takes(i / step);
}

int main(void)
{
    stf_device *cpu;
    int count = 0;

    tap_begin("isa-protected");
    unsetenv("STEADFAST_PRESET");
    if (stfi_isa_missing() != NULL) {
        tap_skip(stfi_isa_missing(), "protected machine code for GPUs of AMD");
        return tap_end();
    }
    if (!tap_ok(!stf_device_open("cpu", &cpu) && stfi_simt_cache_open(),
                "the references' device and a cache of kernels open"))
        return tap_end();
    for (int i = 0; i < ROWS; i++)
        if (is_taken(i))
            check_row(&rows[i], count++ % 2, cpu);
    tap_ok(count > 0, "%d of %d faults noticed in %d rows", all_noticed,
           all_struck, count);
    tap_diag("%ld kernels, %ld launches, %ld instructions of waves",
             stfi_isa_count().kernels, stfi_isa_count().launches,
             stfi_isa_count().instructions);
    stfi_simt_cache_close();
    stf_device_close(cpu);
    return tap_end();
}
