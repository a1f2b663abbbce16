/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The devices of tests; see devices.h. */
#include "tests/devices.h"

#include <stdlib.h>
#include <string.h>

#include "support/harness/far.h"
#include "tests/tap.h"

enum { MOST_DEVICES = 64 };

int stfi_device_is_cpu(const stf_device_info *info)
{
    return !strcmp(info->backend, "cpu");
}

int stfi_device_is_gpu(const stf_device_info *info)
{
    return !stfi_device_is_cpu(info) && strcmp(info->backend, "far");
}

int stfi_device_takes(const stf_device_info *info, int i, int step)
{
    return tap_level() > TAP_QUICK || !stfi_device_is_gpu(info)
           || i % step == 0;
}

/* 1 if STF_REQUIRE_BACKENDS, words between blanks, holds the name. */
static int is_required(const char *backend)
{
    const char *list = getenv("STF_REQUIRE_BACKENDS");
    size_t length;

    for (; list && *list; list += length) {
        list += strspn(list, " ,");
        length = strcspn(list, " ,");
        if (length && length == strlen(backend)
            && !strncmp(list, backend, length))
            return 1;
    }
    return 0;
}

static void visit_device(const stf_device_info *info,
                         stfi_device_visitor *visit, void *context)
{
    stf_device *dev = NULL;

    if (!info->available && is_required(info->backend)) {
        tap_ok(0, "%s is required: %s", info->name, info->reason);
    } else if (!info->available) {
        tap_skip(info->reason, "%s", info->name);
    } else if (tap_ok(!stf_device_open(info->name, &dev), "%s opens",
                      info->name)) {
        visit(context, dev, info);
        stf_device_close(dev);
    } else {
        tap_diag("%s", stf_error_message());
    }
}

static void visit_far(stfi_device_visitor *visit, void *context)
{
    stf_device_info info;
    stf_device *dev = NULL;

    if (!tap_ok(!stfi_far_open("h200", &dev) && !stf_device_query(dev, &info),
                "a far device opens"))
        return;
    visit(context, dev, &info);
    stf_device_close(dev);
}

void stfi_devices_each(stfi_device_visitor *visit, void *context)
{
    static stf_device_info list[MOST_DEVICES];
    int count = stf_device_list(list, MOST_DEVICES), i;

    for (i = 0; i < count && i < MOST_DEVICES; i++)
        visit_device(&list[i], visit, context);
    visit_far(visit, context);
}
