/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Faults in plans with an end-to-end check, alone (STF_FT_OFFLINE) or beside
 * the checks of their passes (end_to_end), on the cpu. Each fault that does
 * damage is named, and is repaired unless it strikes in every attempt. */
#include <string.h>

#include "run/device.h"
#include "tests/ft/guarded.h"
#include "tests/tap.h"

/* 1 if the plan of mode DETECT reports the fault exactly when it does damage,
 * and the plan of mode CORRECT repairs it. *damaged_p counts faults with
 * damage. */
static int one_fault(stfi_guarded *detect, stfi_guarded *correct, stf_fault f,
                     int *damaged_p)
{
    stf_ft_report r;
    int damaged, right;

    if (stf_plan_inject(detect->plan, &f, 1)
        || stfi_guarded_run(detect) != STF_OK)
        return 0;
    damaged = !stfi_guarded_is_clean(detect);
    *damaged_p += damaged;
    if (stfi_guarded_report(detect, &r) != STF_OK)
        return 0;
    if (damaged ? !stfi_report_names(&r, &f) || r.recomputed > 0
                      || r.uncorrectable > 0
                : r.detected > 0)
        return 0;
    right = !stf_plan_inject(correct->plan, &f, 1)
            && stfi_guarded_run(correct) == (damaged ? STF_CORRECTED : STF_OK)
            && stfi_guarded_is_clean(correct)
            && stfi_guarded_report(correct, &r) == STF_OK
            && r.groups_checked == correct->s.d.batch;
    if (right && damaged)
        right = stfi_report_names(&r, &f) && r.recomputed == 1;
    /* The fault strikes only once: the next execution is clean. */
    return right && stfi_guarded_run(correct) == STF_OK
           && stfi_guarded_report(correct, &r) == STF_OK && r.detected == 0;
}

/* A fault that strikes each time the transform is computed cannot be repaired,
 * and is reported as such. */
static int one_persistent(stfi_guarded *correct, stf_fault f)
{
    stf_ft_report r;

    f.persistent = 1;
    if (stf_plan_inject(correct->plan, &f, 1)
        || stfi_guarded_run(correct) != STF_ERR_UNCORRECTED
        || stfi_guarded_is_clean(correct))
        return 0;
    return stfi_guarded_report(correct, &r) == STF_ERR_UNCORRECTED
           && stfi_report_names(&r, &f) && r.uncorrectable == 1
           && r.recomputed == 0 && stfi_guarded_run(correct) == STF_OK
           && stfi_guarded_is_clean(correct);
}

static void test_faults(stf_device *dev, const char *word)
{
    int count = tap_level() == TAP_QUICK ? 10 : 60, damaged = 0, i;
    uint64_t state = tap_seed();
    stfi_guarded detect, correct;
    stf_fault f, last;
    int right =
        stfi_guarded_open(&detect, dev, word, STF_FT_DETECT, STF_FT_OFFLINE, 0);

    right = stfi_guarded_open(&correct, dev, word, STF_FT_CORRECT,
                              STF_FT_OFFLINE, 0)
            && right;
    memset(&last, 0, sizeof last);
    for (i = 0; i < count && right; i++) {
        int before = damaged;
        f = stfi_guarded_fault(&detect, &state);
        right = one_fault(&detect, &correct, f, &damaged);
        last = damaged > before ? f : last;
        if (!right)
            tap_diag("pass %d stage %d signal %d element %d", f.pass, f.stage,
                     (int)f.signal, (int)f.element);
    }
    tap_ok(right && 2 * damaged > count,
           "%s: %d faults that do damage, all "
           "named and repaired",
           word, damaged);
    tap_ok(right && one_persistent(&correct, last),
           "%s: but not one that strikes every time", word);
    stfi_guarded_close(&detect);
    stfi_guarded_close(&correct);
}

/* Faults of three transforms in one execution, which are `apart`. */
static void test_several(stf_device *dev, const char *word, int64_t apart)
{
    uint64_t state = tap_seed();
    stf_fault f[3];
    stf_ft_report r;
    stfi_guarded g;
    int64_t last;
    int i, right = stfi_guarded_open(&g, dev, word, STF_FT_CORRECT,
                                     STF_FT_OFFLINE, 0);

    last = g.s.d.batch - 1;
    for (i = 0; i < 3 && right; i++) {
        f[i] = stfi_guarded_fault(&g, &state);
        f[i].signal = last - apart * i;
    }
    right = right && !stf_plan_inject(g.plan, f, 3)
            && stfi_guarded_run(&g) == STF_CORRECTED
            && stfi_guarded_is_clean(&g)
            && stfi_guarded_report(&g, &r) == STF_OK;
    tap_ok(right && r.detected == 3 && r.recomputed == 3
               && r.first_event.signal == last - 2 * apart,
           "%s: three transforms", word);
    f[1].persistent = 1;
    right = right && !stf_plan_inject(g.plan, f, 3)
            && stfi_guarded_run(&g) == STF_ERR_UNCORRECTED
            && stfi_guarded_report(&g, &r) == STF_ERR_UNCORRECTED;
    tap_ok(right && r.detected == 3 && r.recomputed == 2
               && r.uncorrectable == 1,
           "%s: two are repaired, one cannot be", word);
    stfi_guarded_close(&g);
}

/* Neither small nor large data may hide a fault. */
static void test_scales(stf_device *dev, const char *word)
{
    static const double scales[] = {1e-30, 1e30};
    uint64_t state = tap_seed();
    size_t k;

    for (k = 0; k < sizeof scales / sizeof *scales; k++) {
        stf_ft_report r;
        stfi_guarded g;
        stf_fault f;
        int64_t i;
        int right =
            stfi_guarded_open(&g, dev, word, STF_FT_DETECT, STF_FT_OFFLINE, 0);
        int64_t batch = g.s.d.batch;
        for (i = 0; i < batch * g.s.in_count && right; i++)
            stfi_signals_set(&g.s, g.s.in, i,
                             scales[k] * stfi_signals_get(&g.s, g.s.in, i));
        f = stfi_guarded_fault(&g, &state);
        f.magnitude = scales[k];
        right = right && stfi_guarded_run(&g) == STF_OK
                && stfi_guarded_report(&g, &r) == STF_OK
                && stfi_report_is_clean(&r, batch)
                && !stf_plan_inject(g.plan, &f, 1)
                && stfi_guarded_run(&g) == STF_OK
                && stfi_guarded_report(&g, &r) == STF_OK;
        tap_ok(right && stfi_report_names(&r, &f),
               "%s: data and a fault of about %.0e", word, scales[k]);
        stfi_guarded_close(&g);
    }
}

/* -------------------------------------------------------------- end to end */

static void test_end_to_end(stf_device *dev, const char *word)
{
    uint64_t state = tap_seed();
    stf_ft_report alone, both;
    stfi_guarded g, passes;
    stf_fault f;
    int right =
        stfi_guarded_open(&g, dev, word, STF_FT_CORRECT, STF_FT_AUTO, 1);

    right =
        stfi_guarded_open(&passes, dev, word, STF_FT_CORRECT, STF_FT_AUTO, 0)
        && right;
    right = right && stfi_signals_by_passes(passes.plan) == STF_OK
            && stfi_signals_by_passes(g.plan) == STF_OK
            && stfi_guarded_run(&g) == STF_OK
            && stfi_guarded_run(&passes) == STF_OK
            && stfi_guarded_report(&g, &both) == STF_OK
            && stfi_guarded_report(&passes, &alone) == STF_OK;
    tap_ok(
        right && alone.groups_checked > 0
            && stfi_report_is_clean(&both, alone.groups_checked + g.s.d.batch)
            && !memcmp(g.s.out, passes.s.out, g.bytes),
        "%s, end to end: a residual more for each transform", word);
    f = stfi_guarded_fault(&g, &state);
    f.stage = 0;
    right = right && !stf_plan_inject(g.plan, &f, 1)
            && stfi_guarded_run(&g) == STF_CORRECTED
            && stfi_guarded_is_clean(&g)
            && stfi_guarded_report(&g, &both) == STF_OK;
    tap_ok(right && both.detected == 1 && both.recomputed == 1
               && both.first_event.pass == f.pass,
           "%s, end to end: what a pass repairs is not found again", word);
    stfi_guarded_close(&g);
    stfi_guarded_close(&passes);
}

/* --------------------------------------------------- signatures gone wrong */

static const stfi_backend *own;
static int signatures, wrong_ones;

/* The first ones say that something else is expected than what is right. */
static int sign_wrongly(const stfi_exec *x, const stfi_buffers *b,
                        uint64_t *sum_p)
{
    const int is_signed = own->fft->signature(x, b, sum_p);

    *sum_p += signatures++ < wrong_ones;
    return is_signed;
}

/* A fault in what the signature of a launch is expected to be is no fault of the
 * launch: nothing is reported if it is computed right the second time. */
static void test_signatures(stf_device *dev, const char *word)
{
    stfi_guarded g;
    stfi_backend other = *dev->backend;
    stfi_fft_ops fft = *other.fft;
    stf_ft_report r;
    stf_status status[3];
    int right =
        stfi_guarded_open(&g, dev, word, STF_FT_CORRECT, STF_FT_AUTO, 1);

    own = dev->backend;
    fft.signature = sign_wrongly;
    other.fft = &fft;
    dev->backend = &other;
    for (wrong_ones = 0; wrong_ones < 3 && right; wrong_ones++) {
        signatures = 0;
        right = stfi_signals_by_passes(g.plan) == STF_OK;
        status[wrong_ones] = stfi_guarded_run(&g);
        right = right && stfi_guarded_is_clean(&g)
                && stfi_guarded_report(&g, &r) == STF_OK
                && r.detected == (wrong_ones == 2);
    }
    dev->backend = own;
    if (right && signatures == 0)
        tap_skip("there are no vectors", "%s has no signature", word);
    else
        tap_ok(right && status[0] == STF_OK && status[1] == STF_OK
                   && status[2] == STF_CORRECTED,
               "%s: a signature that was expected wrongly", word);
    stfi_guarded_close(&g);
}

/* ------------------------------------------------------- inputs that change */

static char *changing; /* a byte of the input */

/* Changes the input before it is read, as a store to a wrong address may. */
static stf_status launch_of_another(stfi_exec *x, const stfi_buffers *b,
                                    void *stream)
{
    *changing ^= 4;
    return own->fft->launch(x, b, stream);
}

/* The output agrees with the input that is there now, whichever sums are made; it
 * is not that of the input that was given. */
static void test_changes(stf_device *dev, const char *word)
{
    stfi_guarded g;
    stfi_backend other = *dev->backend;
    stfi_fft_ops fft = *other.fft;
    stf_ft_report r;
    int right =
        stfi_guarded_open(&g, dev, word, STF_FT_CORRECT, STF_FT_AUTO, 1);

    own = dev->backend;
    changing = (char *)g.s.in + 7; /* of an exponent */
    fft.launch = launch_of_another;
    other.fft = &fft;
    dev->backend = &other;
    right = right && stfi_signals_by_passes(g.plan) == STF_OK
            && stfi_guarded_run(&g) == STF_ERR_UNCORRECTED
            && stfi_guarded_report(&g, &r) == STF_ERR_UNCORRECTED
            && r.uncorrectable > 0;
    dev->backend = own;
    tap_ok(right, "%s: an input that changes before it is read", word);
    stfi_guarded_close(&g);
}

int main(void)
{
    /* Short transforms, whose sums are made many at a time. */
    static const char *const many[] = {"c2c:f32:16*100", "c2c:f64:60*70",
                                       "r2c:f32:100*40", "c2c:f32:3*70"};
    stf_device *dev = NULL;
    int i;

    tap_begin("ft/offline_faults");
    if (stf_device_open("cpu", &dev))
        return tap_ok(0, "%s", stf_error_message()), tap_end();
    for (i = 0; stfi_guarded_word(i) != NULL; i++)
        test_faults(dev, stfi_guarded_word(i));
    for (i = 0; i < (int)(sizeof many / sizeof *many); i++)
        test_faults(dev, many[i]);
    test_several(dev, "c2c:f32:1024*9", 3);
    test_several(dev, "c2c:f64:20*150", 60);
    test_scales(dev, "c2c:f32:1024*9");
    test_scales(dev, "c2c:f32:16*40");
    test_end_to_end(dev, "c2c:f32:65536*2");
    test_end_to_end(dev, "c2c:f32:64*200");
    test_end_to_end(dev, "r2c:f64:24x36*2");
    test_end_to_end(dev, "c2r:f32:1000*4");
    test_end_to_end(dev, "dct2:f32:1000*4");
    test_end_to_end(dev, "dst3:f64:24x36*2");
    test_signatures(dev, "c2c:f32:1024*4");
    test_changes(dev, "c2c:f64:1000*4");
    test_changes(dev, "dst3:f64:24x36*2");
    stf_device_close(dev);
    return tap_end();
}
