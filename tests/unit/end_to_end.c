/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks on the host, of executions in which something other than a
 * transform goes wrong: the sum of the input, passes that cannot repair what
 * they found, and the signature of a launch. A row says what happens in each
 * launch, and what has to be reported. A wrong sum of the input is made by an
 * input that is wrong from when the launch's signature is asked for, just before the
 * sums, until the first launch. */
#include <math.h>
#include <string.h>

#include "run/fft/fft_plan.h"
#include "tests/tap.h"

enum { POINTS = 8, BATCH = 3, STRUCK = 1, MOST = 3 };

/* What a launch does, one letter each: c nothing wrong, f it makes transform
 * STRUCK wrong, U it cannot repair two groups and leaves the transform wrong, u
 * it says so of a transform that is right, s its signature is wrong, S so is the
 * transform, x the plan passes it another scale. In rows whose letters begin
 * with "=", launches have signatures; in others, sums are made of the arrays. If they
 * begin with "!", the input that is given is the wrong one, and not the sum. */
static const struct row {
    const char *name, *launches;
    double first; /* is added to the input until the first launch */
    stf_ft_mode mode;
    int in_place;
    stf_status status;
    int64_t detected, recomputed, uncorrectable, non_finite;
} rows[] = {
    {"nothing", "c", 0, STF_FT_CORRECT, 0, STF_OK, 0, 0, 0, 0},
    {"a wrong sum of the input", "c", 1, STF_FT_CORRECT, 0, STF_CORRECTED, 1, 1,
     0, 0},
    {"a sum that is infinite", "c", INFINITY, STF_FT_CORRECT, 0, STF_CORRECTED,
     1, 1, 0, 0},
    {"the same, only reported", "c", 1, STF_FT_DETECT, 0, STF_OK, 1, 0, 0, 0},
    {"the same in place", "c", 1, STF_FT_CORRECT, 1, STF_ERR_UNCORRECTED, 1, 0,
     1, 0},
    {"a wrong sum, and a wrong output", "fc", 1, STF_FT_CORRECT, 0,
     STF_ERR_UNCORRECTED, 1, 0, 1, 0},
    {"an input that changes", "!c", 1, STF_FT_CORRECT, 0, STF_ERR_UNCORRECTED,
     2, 1, 1, 0},
    {"an input that changes, and a wrong output", "!fc", 1, STF_FT_CORRECT, 0,
     STF_ERR_UNCORRECTED, 1, 0, 1, 0},
    {"an input that changes in place", "!c", 1, STF_FT_CORRECT, 1,
     STF_ERR_UNCORRECTED, 1, 0, 1, 0},
    {"a wrong output", "fc", 0, STF_FT_CORRECT, 0, STF_CORRECTED, 1, 1, 0, 0},
    {"an output that stays wrong", "ff", 0, STF_FT_CORRECT, 0,
     STF_ERR_UNCORRECTED, 1, 0, 1, 0},
    {"a pass gave up, but not again", "Uc", 0, STF_FT_CORRECT, 0, STF_CORRECTED,
     3, 3, 0, 0},
    {"a pass gave up for nothing", "uc", 0, STF_FT_CORRECT, 0, STF_CORRECTED, 2,
     2, 0, 0},
    {"a pass gave up twice", "uu", 0, STF_FT_CORRECT, 0, STF_ERR_UNCORRECTED, 4,
     0, 4, 0},
    {"a pass gave up, and the output stays wrong", "Uff", 0, STF_FT_CORRECT, 0,
     STF_ERR_UNCORRECTED, 3, 0, 3, 0},
    {"a pass gave up in place", "u", 0, STF_FT_CORRECT, 1, STF_ERR_UNCORRECTED,
     2, 0, 2, 0},
    {"a pass gave up beside a wrong sum", "uc", 1, STF_FT_CORRECT, 0,
     STF_CORRECTED, 3, 3, 0, 0},
    {"signed, nothing", "=c", 0, STF_FT_CORRECT, 0, STF_OK, 0, 0, 0, 0},
    {"a wrong signature", "=sc", 0, STF_FT_CORRECT, 0, STF_CORRECTED, 1, 1, 0,
     0},
    {"a wrong signature twice", "=ssc", 0, STF_FT_CORRECT, 0, STF_CORRECTED, 1,
     1, 0, 0},
    {"a wrong signature each time", "=sss", 0, STF_FT_CORRECT, 0,
     STF_ERR_UNCORRECTED, 1, 0, 1, 0},
    {"a transform that was left out", "=Sc", 0, STF_FT_CORRECT, 0,
     STF_CORRECTED, 1, 1, 0, 0},
    {"the same again, seen by its sums", "=Sfc", 0, STF_FT_CORRECT, 0,
     STF_CORRECTED, 2, 2, 0, 0},
    {"a wrong signature, only reported", "=s", 0, STF_FT_DETECT, 0, STF_OK, 1,
     0, 0, 0},
    {"signed, a pass gave up, but not again", "=Uc", 0, STF_FT_CORRECT, 0,
     STF_CORRECTED, 2, 2, 0, 0},
    {"signed, a pass gave up twice", "=uu", 0, STF_FT_CORRECT, 0,
     STF_ERR_UNCORRECTED, 4, 0, 4, 0},
    {"signed, a pass gave up, and a wrong output", "=Uff", 0, STF_FT_CORRECT, 0,
     STF_ERR_UNCORRECTED, 3, 0, 3, 0},
    {"a launch with another scale", "=xc", 0, STF_FT_CORRECT, 0, STF_CORRECTED,
     1, 1, 0, 0},
    {"in place there are sums", "=c", 0, STF_FT_CORRECT, 1, STF_OK, 0, 0, 0, 0},
};

enum { GIVEN_UP = 2 };

static const stfi_backend *own;
static const struct row *now;
static int launches;
static double *array; /* the input of the execution */
static int64_t given_up;

static int is_signed(void)
{
    return now->launches[0] == '=';
}

static int is_given_wrong(void)
{
    return now->launches[0] == '!';
}

static const char *letters(void)
{
    return now->launches + (is_signed() || is_given_wrong());
}

static int count_letters(void)
{
    return (int)strlen(letters());
}

static int signature_scripted(const stfi_exec *x, const stfi_buffers *b,
                              uint64_t *sum_p)
{
    if (launches == 0)
        array[2 * POINTS * STRUCK] = 1 + now->first;
    return is_signed() && own->fft->signature(x, b, sum_p);
}

static stf_status launch_scripted(stfi_exec *x, const stfi_buffers *b,
                                  void *stream)
{
    char what = launches < count_letters() ? letters()[launches] : '?';
    double *in = array + 2 * POINTS * STRUCK, *out = b->out;
    stf_status status;

    if (launches++ == 0)
        in[0] = 1;
    status = own->fft->launch(x, b, stream);
    if (what == 'f' || what == 'U' || what == 'S')
        out[2 * POINTS * STRUCK] += what == 'f' ? 1 : 2;
    if (what == 's' || what == 'S')
        b->signature->sum++;
    if (what != 'u' && what != 'U')
        return status;
    given_up += GIVEN_UP;
    *b->failed = GIVEN_UP;
    return STF_ERR_UNCORRECTED;
}

/* The passes' ledger: what the script let them give up. */
static stf_status ledger_scripted(stfi_exec *x, int reset, stfi_ft_ledger *l)
{
    (void)x;
    memset(l, 0, sizeof *l);
    l->detected = l->uncorrectable = given_up;
    if (reset)
        given_up = 0;
    return STF_OK;
}

static int is_as(const stf_ft_report *r, const struct row *row)
{
    return r->detected == row->detected && r->recomputed == row->recomputed
           && r->uncorrectable == row->uncorrectable
           && r->non_finite_input == row->non_finite && r->rechecked == 0
           && r->overflowed == 0;
}

static void run_row(stf_plan *plan, const struct row *row)
{
    double in[2 * POINTS * BATCH], out[2 * POINTS * BATCH];
    stfi_fft_plan *fft;
    stf_ft_report r;
    stf_status status, reported;

    stfi_fft_plan_get(plan, "a test", &fft);
    for (int i = 0; i < 2 * POINTS * BATCH; i++)
        in[i] = i % 5 - 2;
    now = row;
    in[2 * POINTS * STRUCK] = is_given_wrong() ? 1 + row->first : 1;
    array = in;
    launches = 0;
    if (letters()[0] == 'x')
        fft->desc.scale_forward = 3;
    status = stf_execute(plan, STF_FORWARD, in, row->in_place ? in : out);
    fft->desc.scale_forward = 1;
    reported = stf_plan_ft_report(plan, &r);
    if (!tap_ok(
            status == row->status && is_as(&r, row)
                && launches == count_letters()
                && reported
                       == (row->uncorrectable ? STF_ERR_UNCORRECTED : STF_OK),
            "%s", row->name))
        tap_diag("status %d, report %d, %d launches, detected %d, recomputed "
                 "%d, uncorrectable %d, not finite %d, rechecked %d",
                 status, reported, launches, (int)r.detected, (int)r.recomputed,
                 (int)r.uncorrectable, (int)r.non_finite_input,
                 (int)r.rechecked);
    stf_plan_ft_reset(plan);
}

static stf_status make_plan(stf_device *dev, stf_ft_mode mode,
                            stf_plan **plan_p)
{
    stf_fft_desc d = stf_fft_desc_default();

    d.precision = STF_F64;
    d.n[0] = POINTS;
    d.batch = BATCH;
    d.ft.mode = mode;
    d.ft.end_to_end = 1;
    return stf_plan_fft(dev, &d, plan_p);
}

int main(void)
{
    const stf_ft_mode modes[] = {STF_FT_DETECT, STF_FT_CORRECT};
    stfi_backend scripted;
    stfi_fft_ops fft;
    stf_device *dev;

    tap_begin("end_to_end");
    if (stf_device_open("cpu", &dev))
        return tap_ok(0, "%s", stf_error_message()), tap_end();
    own = dev->backend;
    scripted = *own;
    fft = *own->fft;
    fft.launch = launch_scripted;
    fft.ledger = ledger_scripted;
    fft.signature = signature_scripted;
    fft.may_check_whole = NULL; /* transforms as a whole have no other checks */
    scripted.fft = &fft;
    dev->backend = &scripted;
    for (int m = 0; m < 2; m++) {
        stf_plan *plan;
        if (!tap_ok(!make_plan(dev, modes[m], &plan), "a plan"))
            continue;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (rows[i].mode == modes[m])
                run_row(plan, &rows[i]);
        stf_plan_destroy(plan);
    }
    dev->backend = own;
    stf_device_close(dev);
    return tap_end();
}
