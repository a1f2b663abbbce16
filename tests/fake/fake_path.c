/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Where the fake libraries are; see fake_path.h. */
#include "tests/fake/fake_path.h"

#include <stdio.h>
#include <stdlib.h>

const char *fake_path(const char *name)
{
    static char path[1024];
    const char *folder = getenv("top_builddir");

    snprintf(path, sizeof path, "%s/tests/fake/%s",
             folder != NULL ? folder : ".", name);
    return path;
}
