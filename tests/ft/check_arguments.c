/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tests that stf_check_fft() refuses wrong arguments with a message that names
 * the argument, and then leaves the report unchanged. */
#include <string.h>

#include "tests/report.h"
#include "tests/tap.h"

/* 1 if the call fails with the status `want` and a message that contains
 * `text`, and leaves the report unchanged. */
static int refused(stf_device *dev, const stf_fft_desc *d,
                   stf_direction direction, const void *in, const void *out,
                   stf_status want, const char *text)
{
    stf_ft_report r, poison;
    stf_status got;
    int right;

    memset(&poison, 0xa5, sizeof poison);
    r = poison;
    got = stf_check_fft(dev, d, direction, in, out, &r);
    right = got == want && strstr(stf_error_message(), text)
            && !memcmp(&r, &poison, sizeof r);
    if (!right)
        tap_diag("got %s, \"%s\"; want \"..%s..\"", stf_status_name(got),
                 stf_error_message(), text);
    return right;
}

static void test_pointers(stf_device *dev)
{
    float in[8] = {0}, out[8] = {0};
    stf_fft_desc d = stf_fft_desc_default();

    d.n[0] = 4;
    tap_ok(refused(NULL, &d, STF_FORWARD, in, out, STF_ERR_ARGUMENT, "dev"),
           "no device");
    tap_ok(refused(dev, NULL, STF_FORWARD, in, out, STF_ERR_ARGUMENT,
                   "descriptor"),
           "no descriptor");
    tap_ok(refused(dev, &d, STF_FORWARD, NULL, out, STF_ERR_ARGUMENT, "in"),
           "no input");
    tap_ok(refused(dev, &d, STF_FORWARD, in, NULL, STF_ERR_ARGUMENT, "out"),
           "no output");
    tap_ok(stf_check_fft(dev, &d, STF_FORWARD, in, out, NULL)
                   == STF_ERR_ARGUMENT
               && strstr(stf_error_message(), "report_p"),
           "no report");
    tap_ok(refused(dev, &d, STF_FORWARD, in, in, STF_ERR_ARGUMENT, "copy"),
           "in place");
    tap_ok(refused(dev, &d, STF_FORWARD, (char *)in + 1, out, STF_ERR_ARGUMENT,
                   "aligned"),
           "a pointer not aligned");
    tap_ok(refused(dev, &d, (stf_direction)0, in, out, STF_ERR_ARGUMENT,
                   "direction"),
           "no direction");
}

static void test_descriptors(stf_device *dev)
{
    float in[8] = {0}, out[8] = {0};
    stf_fft_desc d = stf_fft_desc_default(), wrong;
    stf_ft_report r;

    d.n[0] = 4;
    wrong = d;
    wrong.size_bytes = 8;
    tap_ok(refused(dev, &wrong, STF_FORWARD, in, out, STF_ERR_ARGUMENT,
                   "size_bytes"),
           "a descriptor of another size");
    wrong = d;
    wrong.n[0] = 0;
    tap_ok(refused(dev, &wrong, STF_FORWARD, in, out, STF_ERR_ARGUMENT, "n[0]"),
           "a length of 0");
    wrong = d;
    wrong.ft.mode = (stf_ft_mode)77;
    tap_ok(
        refused(dev, &wrong, STF_FORWARD, in, out, STF_ERR_ARGUMENT, "ft.mode"),
        "a mode that is none");
    wrong = d;
    wrong.ft.threshold = -1;
    tap_ok(refused(dev, &wrong, STF_FORWARD, in, out, STF_ERR_ARGUMENT,
                   "ft.threshold"),
           "a negative threshold");
    wrong = d;
    wrong.kind = STF_R2C;
    tap_ok(refused(dev, &wrong, STF_INVERSE, in, out, STF_ERR_ARGUMENT, "R2C"),
           "an inverse R2C");
    wrong.kind = STF_DCT2;
    tap_ok(refused(dev, &wrong, STF_INVERSE, in, out, STF_ERR_ARGUMENT, "dct3"),
           "an inverse DCT2");
    wrong = d;
    wrong.precision = STF_F80;
    tap_ok(
        refused(dev, &wrong, STF_FORWARD, in, out, STF_ERR_UNSUPPORTED, "f80"),
        "a precision that is not checked");
    tap_ok(stf_check_fft(dev, &d, STF_FORWARD, in, out, &r) == STF_OK
               && r.groups_checked == 1 && report_has_only(&r, 0)
               && r.first_event.signal == -1 && r.max_residual == 0,
           "and nothing wrong");
}

int main(void)
{
    stf_device *dev = NULL;

    tap_begin("ft/check_arguments");
    if (stf_device_open("cpu", &dev))
        return tap_ok(0, "%s", stf_error_message()), tap_end();
    test_pointers(dev);
    test_descriptors(dev);
    stf_device_close(dev);
    return tap_end();
}
