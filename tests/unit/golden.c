/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compares the text of schedules with tests/golden/<preset>.txt, which has a
 * section for each problem. STF_GOLDEN_UPDATE=1 writes the files anew: read the
 * difference before you keep it. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "fft/schedule_text.h"
#include "tests/unit/golden.h"

enum { SECTION_BYTES = 1 << 16, FILE_BYTES = 1 << 21, PATH_BYTES = 1024 };

static const char *source_path(const char *preset, char *path)
{
    const char *top = getenv("top_srcdir");
    const char *dir = getenv("srcdir");

    snprintf(path, PATH_BYTES, "%s/tests/golden/%s.txt",
             top   ? top
             : dir ? dir
                   : ".",
             preset);
    return path;
}

/* Writes "== word\n" and the schedule; returns 0 on failure. */
static int write_section(const golden *g, const stfi_caps *caps, char *text)
{
    static stfi_schedule s;
    stf_status status = golden_lower(g, caps, &s);
    size_t used, need;

    used = (size_t)snprintf(text, SECTION_BYTES, "== %s%s%s\n", g->problem,
                            g->mode[0] ? " " : "", g->mode);
    if (status) {
        snprintf(text + used, SECTION_BYTES - used, "%s\n",
                 stf_error_message());
        return 0;
    }
    need = stfi_schedule_print(&s, text + used, SECTION_BYTES - used);
    return need < SECTION_BYTES - used;
}

static int update(const stfi_caps *caps)
{
    static char text[SECTION_BYTES];
    char path[PATH_BYTES];
    FILE *file = fopen(source_path(caps->name, path), "w");
    int i, right = file != NULL;

    for (i = 0; i < GOLDENS && right; i++) {
        right = write_section(&goldens[i], caps, text);
        if (!right)
            tap_diag("%s", text);
        right = right && fputs(text, file) >= 0;
    }
    if (file && fclose(file))
        right = 0;
    return right;
}

/* Reads a whole file; returns 0 if it cannot be read. */
static int slurp(const char *path, char *text)
{
    FILE *file = fopen(path, "r");
    size_t got;

    if (!file) {
        tap_diag("%s: %s", path, strerror(errno));
        return 0;
    }
    got = fread(text, 1, FILE_BYTES - 1, file);
    text[got] = 0;
    fclose(file);
    return got < FILE_BYTES - 1;
}

/* Prints the first lines that differ. */
static void explain(const char *got, const char *want)
{
    while (*got && *want) {
        size_t a = strcspn(got, "\n"), b = strcspn(want, "\n");
        if (a != b || memcmp(got, want, a))
            break;
        got += a + (got[a] != 0);
        want += b + (want[b] != 0);
    }
    tap_diag("want: %.*s", (int)strcspn(want, "\n"), want);
    tap_diag("got:  %.*s", (int)strcspn(got, "\n"), got);
}

/* Compares a section with the section of the file that has the same heading. */
static void compare(const char *preset, const golden *g, const char *got,
                    const char *file)
{
    size_t heading = strcspn(got, "\n") + 1;
    const char *at = file, *end;
    int same;

    while ((at = strstr(at, "== ")) != NULL && strncmp(at, got, heading))
        at += 3;
    if (!at) {
        tap_ok(0, "%s: %s %s is in the file", preset, g->problem, g->mode);
        return;
    }
    end = strstr(at + heading, "\n== ");
    end = end ? end + 1 : at + strlen(at);
    same = strlen(got) == (size_t)(end - at) && !memcmp(got, at, strlen(got));
    tap_ok(same, "%s: %s %s", preset, g->problem, g->mode);
    if (!same)
        explain(got, at);
}

static void check_preset(const stfi_caps *caps)
{
    static char section[SECTION_BYTES], file[FILE_BYTES];
    char path[PATH_BYTES];
    int i;

    if (!slurp(source_path(caps->name, path), file)) {
        tap_ok(0, "%s: its golden file is there", caps->name);
        return;
    }
    for (i = 0; i < GOLDENS; i++) {
        if (write_section(&goldens[i], caps, section))
            compare(caps->name, &goldens[i], section, file);
        else
            tap_ok(0, "%s: %s", caps->name, section);
    }
}

int main(void)
{
    const char *wish = getenv("STF_GOLDEN_UPDATE");
    const stfi_caps *caps;
    int i;

    tap_begin("golden");
    for (i = 0; (caps = stfi_preset_at(i)) != NULL; i++) {
        if (wish && *wish && strcmp(wish, "0"))
            tap_ok(update(caps), "%s: written", caps->name);
        else
            check_preset(caps);
    }
    return tap_end();
}
