/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A program outside of Steadfast, valid as C and as C++. It transforms 60
 * points there and back with the installed library. */
#include <math.h>
#include <stdio.h>
#include <steadfast.h>

enum { N = 60 };

static int report(const char *what, stf_status status)
{
    fprintf(stderr, "%s: %s: %s\n", what, stf_status_name(status),
            stf_error_message());
    return 1;
}

static double difference(const float *a, const float *b)
{
    double worst = 0;
    int i;

    for (i = 0; i < 2 * N; i++) {
        double d = fabs((double)a[i] - (double)b[i]);

        /* The comparison is negated so that a NaN counts as a difference. */
        if (!(d <= worst))
            worst = d;
    }
    return worst;
}

int main(void)
{
    float in[2 * N], out[2 * N], back[2 * N];
    stf_fft_desc d = stf_fft_desc_default();
    stf_device *dev = NULL;
    stf_plan *plan = NULL;
    stf_status status;
    double worst;
    int i;

    for (i = 0; i < 2 * N; i++)
        in[i] = (float)sin(0.37 * i);
    d.n[0] = N;
    d.scale_inverse = 1.0 / N;

    if ((status = stf_device_open("cpu", &dev)) != STF_OK)
        return report("stf_device_open", status);
    if ((status = stf_plan_fft(dev, &d, &plan)) != STF_OK)
        return report("stf_plan_fft", status);
    if ((status = stf_execute(plan, STF_FORWARD, in, out)) != STF_OK)
        return report("forward", status);
    if ((status = stf_execute(plan, STF_INVERSE, out, back)) != STF_OK)
        return report("inverse", status);
    stf_plan_destroy(plan);
    stf_device_close(dev);

    worst = difference(in, back);
    printf("steadfast %s: there and back within %.1e\n", stf_version(), worst);
    return worst < 1e-5 ? 0 : 1;
}
