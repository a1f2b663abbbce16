/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Faults in protected matrix products: those that matter are found, and
 * repaired to the bits of a product without faults; in mode DETECT, C is as
 * computed.
 *
 * The threshold for repair is about 11 times the rounding error of a row of C.
 * So an error of one element of a row is always found if it is 32 times as
 * large. A wrong element of A in a register changes several elements of a row
 * by amounts of both signs, which have to cancel under two vectors of signs to
 * be missed: at 64 times the row's error, this happens in 2 of 100 such faults,
 * and the larger, the less. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/gemm/rig.h"
#include "tests/tap.h"

/* A product with plans of each mode, and C as it is without faults. */
typedef struct subject {
    stf_gemm_desc d;
    rig r;
    stf_plan *plan[STF_FT_CORRECT + 1];
    long double *clean;
    /* Of rounding, L2, by member and line of C. A line is a row, or a column if
     * the matrices are row-major and so multiplied as their transposes. */
    long double *error;
} subject;

static int64_t lines_of(const subject *s)
{
    return s->d.order == STF_ROW_MAJOR ? s->d.n : s->d.m;
}

static int64_t length_of(const subject *s)
{
    return s->d.order == STF_ROW_MAJOR ? s->d.m : s->d.n;
}

/* Element e of a line. */
static long double get(const subject *s, int64_t b, int64_t line, int64_t e)
{
    return s->d.order == STF_ROW_MAJOR ? rig_get(&s->r, RIG_C, b, e, line)
                                       : rig_get(&s->r, RIG_C, b, line, e);
}

static long double *clean(const subject *s, int64_t b, int64_t line, int64_t e)
{
    return s->clean + (b * lines_of(s) + line) * length_of(s) + e;
}

/* Gets C without faults, and its rounding errors. */
static void measure(subject *s)
{
    const char *before =
        (const char *)s->r.before
        + ((const char *)s->r.at[RIG_C] - (const char *)s->r.memory[RIG_C]);
    const stfi_naive_gemm naive = {&s->r.full,
                                   &s->r.alpha,
                                   s->r.at[RIG_A],
                                   s->r.at[RIG_B],
                                   &s->r.beta,
                                   before,
                                   0};

    const int turned = s->d.order == STF_ROW_MAJOR;

    for (int64_t b = 0; b < s->d.batch; b++)
        for (int64_t i = 0; i < lines_of(s); i++) {
            long double total = 0;
            for (int64_t j = 0; j < length_of(s); j++) {
                stfi_naive_element want = stfi_naive_gemm_at(
                    &naive, b, turned ? j : i, turned ? i : j);
                long double x = get(s, b, i, j), e = x - want.value;
                *clean(s, b, i, j) = x;
                total += e * e;
            }
            s->error[b * lines_of(s) + i] = sqrtl(total);
        }
}

static int open_subject(stf_device *dev, subject *s, stf_gemm_desc d,
                        double low)
{
    const size_t elements = (size_t)(d.batch * d.m * d.n);
    int right;

    memset(s, 0, sizeof *s);
    s->d = d;
    s->clean = malloc(elements * sizeof *s->clean);
    s->error = malloc(elements * sizeof *s->error);
    right = rig_make(&s->r, &d, 0, low, tap_seed()) && s->clean != NULL
            && s->error != NULL;
    for (int mode = STF_FT_OFF; mode <= STF_FT_CORRECT && right; mode++) {
        d.ft.mode = (stf_ft_mode)mode;
        right = stf_plan_gemm(dev, &d, &s->plan[mode]) == STF_OK;
    }
    if (right && rig_execute(&s->r, s->plan[STF_FT_OFF]) == STF_OK)
        measure(s);
    return right;
}

static void close_subject(subject *s)
{
    for (int mode = STF_FT_OFF; mode <= STF_FT_CORRECT; mode++)
        stf_plan_destroy(s->plan[mode]);
    rig_free(&s->r);
    free(s->clean);
    free(s->error);
}

/* The largest change of a line, relative to its rounding error. */
static double change(const subject *s)
{
    double most = 0;

    for (int64_t b = 0; b < s->d.batch; b++)
        for (int64_t i = 0; i < lines_of(s); i++) {
            long double total = 0;
            double ratio = 0;
            for (int64_t j = 0; j < length_of(s); j++) {
                long double e = get(s, b, i, j) - *clean(s, b, i, j);
                total += e * e;
            }
            if (total != 0)
                ratio = (double)(sqrtl(total) / s->error[b * lines_of(s) + i]);
            if (!(ratio <= most))
                most = isnan(ratio) ? INFINITY : ratio;
        }
    return most;
}

/* Executes in a mode with a fault. */
static stf_status suffer(subject *s, stf_ft_mode mode, const stf_fault *fault,
                         stf_ft_report *report)
{
    stf_plan *plan = s->plan[mode];
    stf_status status;

    stf_plan_ft_reset(plan);
    if (stf_plan_inject(plan, fault, 1) != STF_OK)
        tap_diag("%s", stf_error_message());
    rig_restore(&s->r);
    status = rig_execute(&s->r, plan);
    stf_plan_ft_report(plan, report);
    return status;
}

/* ------------------------------------------------------------ random flips */

typedef struct tally {
    int trials, found, wrong;
    int missed_16, missed_32; /* errors of single elements in a row */
    int large, missed_64;     /* of several elements */
} tally;

/* 1 if the fault is in an element of A, as the columns of C have it. */
static int is_spread(const subject *s, const stf_fault *f)
{
    return f->component == (s->d.order == STF_ROW_MAJOR ? 2 : 1);
}

static void count(const subject *s, const stf_fault *f, double size, int found,
                  tally *t)
{
    t->trials++;
    t->found += found;
    if (is_spread(s, f)) {
        t->large += size >= 64;
        t->missed_64 += size >= 64 && !found;
        return;
    }
    t->missed_16 += size >= 16 && !found;
    t->missed_32 += size >= 32 && !found;
}

static void tell(const stf_fault *f, double size, const char *what)
{
    tap_diag("%s: signal %d element %d step %d component %d bit %d, %g times "
             "the row's error",
             what, (int)f->signal, (int)f->element, (int)f->stage,
             (int)f->component, (int)f->bit, size);
}

static void try_fault(subject *s, const stf_fault *f, tally *t)
{
    stf_ft_report detect, correct;
    stf_status status;
    double size;

    suffer(s, STF_FT_DETECT, f, &detect);
    size = change(s);
    status = suffer(s, STF_FT_CORRECT, f, &correct);
    count(s, f, size, correct.recomputed > 0, t);
    if (correct.recomputed == 0 && size >= 32)
        tell(f, size, "missed");
    if (change(s) != (correct.recomputed > 0 ? 0 : size)
        || (status == STF_CORRECTED) != (correct.recomputed > 0)
        || correct.uncorrectable > 0 || detect.recomputed > 0
        || (detect.detected > 0 && correct.recomputed == 0)) {
        t->wrong++;
        tell(f, size, "not repaired");
    }
}

static const struct {
    stf_precision precision;
    stf_order order;
    int64_t m, n, k, batch;
    double low;
    stf_ft_level level;
} products[] = {
    {STF_F32, STF_COLUMN_MAJOR, 70, 90, 130, 1, -1, STF_FT_BLOCK},
    {STF_F32, STF_ROW_MAJOR, 33, 61, 500, 2, -1, STF_FT_BLOCK},
    {STF_F32, STF_COLUMN_MAJOR, 64, 128, 64, 1, 0, STF_FT_BLOCK},
    {STF_F64, STF_COLUMN_MAJOR, 70, 90, 130, 1, -1, STF_FT_BLOCK},
    {STF_F64, STF_ROW_MAJOR, 90, 31, 300, 1, 0, STF_FT_BLOCK},
    {STF_F32, STF_COLUMN_MAJOR, 70, 90, 500, 1, -1, STF_FT_OFFLINE},
    {STF_F64, STF_ROW_MAJOR, 33, 61, 130, 2, 0, STF_FT_OFFLINE},
};

static void test_flips(stf_device *dev)
{
    static const int counts[] = {100, 1000, 20000};

    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        stf_gemm_desc d = stf_gemm_desc_default();
        uint64_t state = tap_seed() + i;
        tally t = {0};
        subject s;
        d.precision = d.precision_c = products[i].precision;
        d.order = products[i].order;
        d.m = products[i].m;
        d.n = products[i].n;
        d.k = products[i].k;
        d.batch = products[i].batch;
        d.threads = 1 + (int32_t)(i % 2);
        d.ft.level = products[i].level;
        if (!tap_ok(open_subject(dev, &s, d, products[i].low),
                    "plans are made")) {
            close_subject(&s);
            continue;
        }
        for (int n = 0; n < counts[tap_level()]; n++) {
            stf_fault f;
            stf_plan_draw_fault(s.plan[STF_FT_CORRECT], stfi_random_u64(&state),
                                &f);
            try_fault(&s, &f, &t);
        }
        tap_ok(t.missed_32 == 0 && t.missed_64 <= 1 + t.large / 100
                   && t.wrong == 0 && t.found * 5 > t.trials,
               "f%d %dx%dx%d, level %d: of %d flips %d are found and repaired; "
               "missed "
               "are %d of 16 times a row's error, %d of 32 times, and of %d in "
               "A of 64 times %d",
               products[i].precision == STF_F32 ? 32 : 64, (int)d.m, (int)d.n,
               (int)d.k, (int)d.ft.level, t.trials, t.found, t.missed_16,
               t.missed_32, t.large, t.missed_64);
        close_subject(&s);
    }
}

/* ----------------------------------------------------------- chosen faults */

static const struct {
    const char *what;
    stf_fault fault;
    stf_status status;
} chosen[] = {
    {"an accumulator", {.element = 77, .bit = 30}, STF_CORRECTED},
    {"the last step", {.element = 99, .stage = 29, .bit = 29}, STF_CORRECTED},
    {"the sign", {.element = 99, .stage = 29, .bit = 31}, STF_CORRECTED},
    {"A",
     {.element = 5, .stage = 12, .component = 1, .bit = 30},
     STF_CORRECTED},
    {"B",
     {.element = 5, .stage = 12, .component = 2, .bit = 30},
     STF_CORRECTED},
    {"a checksum", {.element = 5, .component = 3, .bit = 30}, STF_CORRECTED},
    {"an element of C when it is made",
     {.element = 1999, .component = 4, .bit = 30},
     STF_CORRECTED},
    {"one of a whole micro tile",
     {.element = 43, .component = 4, .bit = 30},
     STF_CORRECTED},
    {"what is added",
     {.element = 7, .bit = -1, .magnitude = 1e6},
     STF_CORRECTED},
    {"Inf", {.element = 7, .bit = -1, .magnitude = 1e300}, STF_CORRECTED},
    {"a damaged unit",
     {.element = 7, .bit = -1, .magnitude = 1e6, .persistent = 1},
     STF_ERR_UNCORRECTED},
};

/* With beta = 0, C is not read. */
static void test_chosen(stf_device *dev, double beta)
{
    stf_gemm_desc d = stf_gemm_desc_default();
    subject s;

    d.m = 40;
    d.n = 50;
    d.k = 30;
    if (!tap_ok(open_subject(dev, &s, d, -1), "plans are made")) {
        close_subject(&s);
        return;
    }
    rig_scalars(&s.r, 1.5, beta);
    rig_restore(&s.r);
    tap_ok(rig_execute(&s.r, s.plan[STF_FT_OFF]) == STF_OK, "beta is %g", beta);
    measure(&s);
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        const int repaired = chosen[i].status == STF_CORRECTED;
        stf_ft_report r;
        int right = suffer(&s, STF_FT_DETECT, &chosen[i].fault, &r) == STF_OK
                    && r.detected == 1 && r.recomputed == 0
                    && r.first_event.signal == 0
                    && (change(&s) > 64 || chosen[i].fault.component == 3);
        right &=
            suffer(&s, STF_FT_CORRECT, &chosen[i].fault, &r) == chosen[i].status
            && r.detected == 1 && r.recomputed == repaired
            && r.uncorrectable == !repaired && (change(&s) == 0) == repaired;
        rig_restore(&s.r);
        right &= rig_execute(&s.r, s.plan[STF_FT_CORRECT]) == STF_OK
                 && change(&s) == 0;
        tap_ok(right, "%s: %s", chosen[i].what,
               stf_status_name(chosen[i].status));
    }
    close_subject(&s);
}

/* A product that is checked as a whole. The checksum's fault is none of C. */
static void test_offline(stf_device *dev)
{
    const struct {
        const char *what;
        stf_fault fault;
        stf_status status;
        int64_t detected, rechecked;
    } rows[] = {
        {"an accumulator", {.element = 77, .bit = 30}, STF_CORRECTED, 1, 0},
        {"C", {.element = 77, .component = 4, .bit = 30}, STF_CORRECTED, 1, 0},
        {"a checksum", {.element = 5, .component = 3, .bit = 30}, STF_OK, 0, 1},
        {"a damaged unit",
         {.element = 7, .bit = -1, .magnitude = 1e6, .persistent = 1},
         STF_ERR_UNCORRECTED,
         1,
         0},
    };
    stf_gemm_desc d = stf_gemm_desc_default();
    subject s;

    d.m = 40;
    d.n = 50;
    d.k = 30;
    d.ft.level = STF_FT_OFFLINE;
    if (tap_ok(open_subject(dev, &s, d, -1), "plans are made"))
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            stf_ft_report r;
            int right =
                suffer(&s, STF_FT_CORRECT, &rows[i].fault, &r) == rows[i].status
                && r.detected == rows[i].detected
                && r.rechecked == rows[i].rechecked && r.groups_checked == 1;
            right &= rows[i].fault.persistent || change(&s) == 0;
            right &= suffer(&s, STF_FT_DETECT, &rows[i].fault, &r) == STF_OK
                     && r.detected == rows[i].detected && r.recomputed == 0
                     && (change(&s) > 64) == (rows[i].fault.component != 3);
            tap_ok(right, "checked as a whole, %s: %s", rows[i].what,
                   stf_status_name(rows[i].status));
        }
    close_subject(&s);
}

static void test_refused(stf_device *dev)
{
    static const struct {
        const char *text;
        stf_fault fault;
    } rows[] = {
        {"fault.pass is 1", {.pass = 1}},
        {"fault.signal is 2", {.signal = 2}},
        {"fault.element is 24", {.element = 24}},
        {"fault.stage is 5", {.stage = 5}},
        {"fault.component is 5", {.component = 5}},
        {"fault.bit is 32", {.bit = 32}},
        {"fault.persistent is 2", {.persistent = 2}},
        {"fault.magnitude is nan", {.bit = -1, .magnitude = NAN}},
    };
    stf_gemm_desc d = stf_gemm_desc_default();
    stf_plan *plan = NULL;

    d.m = 4;
    d.n = 6;
    d.k = 5;
    d.batch = 2;
    d.ft.mode = STF_FT_CORRECT;
    tap_ok(stf_plan_gemm(dev, &d, &plan) == STF_OK, "a plan");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tap_ok(stf_plan_inject(plan, &rows[i].fault, 1) == STF_ERR_ARGUMENT
                   && strstr(stf_error_message(), rows[i].text),
               "refused: %s", stf_error_message());
    stf_plan_destroy(plan);
}

int main(void)
{
    stf_device *dev = NULL;

    tap_begin("gemm/flips");
    if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "the cpu device opens"))
        return tap_end();
    test_chosen(dev, -0.75);
    test_chosen(dev, 0);
    test_flips(dev);
    test_offline(dev);
    test_refused(dev);
    stf_device_close(dev);
    return tap_end();
}
