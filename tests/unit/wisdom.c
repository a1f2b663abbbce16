/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Wisdom as text and as lists: what is read, what is ignored, what is refused;
 * the public calls; and memory that runs out. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/tap.h"
#include "tests/unit/wisdom_rig.h"

enum { BIG = 2 << 20 };

static char text[BIG];

/* -------------------------------------------------------------------- text */

/* Texts after the first line; how many lines are taken and ignored, and which is
 * the first of these. */
static const struct {
    const char *name, *lines;
    int64_t taken, ignored, first;
} texts[] = {
    {"no line", "", 0, 0, 0},
    {"entries", "a 1\nb 2 3\n", 2, 0, 0},
    {"no newline at the end", "a 1\nb 2", 2, 0, 0},
    {"comments and empty lines", "# x\n\na 1\n\n#\n", 1, 0, 0},
    {"no value", "a 1\nb\nc \n", 1, 2, 3},
    {"two spaces", "a  1\n", 0, 1, 2},
    {"a space at the end", "a 1 \n", 0, 1, 2},
    {"no key", " 1\n", 0, 1, 2},
    {"lines of another system", "a 1\r\n", 0, 1, 2},
    {"a tab", "a\t1\nb 1\t2\n", 0, 2, 2},
    {"a letter beyond ASCII", "\303\244 1\na \303\244\nb 1\n", 1, 2, 2},
    {"a key twice", "a 1\nb 1\na 2\n", 3, 0, 0},
};

static void test_texts(void)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        stfi_wisdom_list list = {0, 0, 0, NULL};
        stfi_wisdom_tally tally = {-1, -1, -1};
        char all[256];
        stf_status status;

        snprintf(all, sizeof all, "%s%s", STFI_WISDOM_HEAD, texts[i].lines);
        status = stfi_wisdom_list_read(&list, all, strlen(all), &tally);
        tap_ok(status == STF_OK && tally.taken == texts[i].taken
                   && tally.ignored == texts[i].ignored
                   && tally.first_ignored == texts[i].first,
               "%s: %d taken, %d ignored, line %d", texts[i].name,
               (int)tally.taken, (int)tally.ignored, (int)tally.first_ignored);
        stfi_wisdom_list_clear(&list);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *name, *all;
        size_t bytes; /* 0: the length */
    } rows[] = {
        {"an empty text", "", 0},
        {"half of the first line", "steadfast-wis", 0},
        {"another format", "steadfast-wisdom 2\na 1\n", 0},
        {"something else", "(fftw-3.3.10 fftw_wisdom\n", 0},
        {"more than there may be", text, BIG},
    };

    memset(text, '#', sizeof text);
    memcpy(text, STFI_WISDOM_HEAD, sizeof STFI_WISDOM_HEAD - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t bytes = rows[i].bytes > 0 ? rows[i].bytes : strlen(rows[i].all);
        stfi_wisdom_list list = {0, 0, 0, NULL};
        stfi_wisdom_tally tally;

        tap_ok(stfi_wisdom_list_read(&list, rows[i].all, bytes, &tally)
                       == STF_ERR_ARGUMENT
                   && list.count == 0
                   && strstr(stf_error_message(), "wisdom") != NULL,
               "refused: %s", rows[i].name);
    }
}

static void test_list(void)
{
    stfi_wisdom_list list = {0, 0, 0, NULL}, again = {0, 0, 0, NULL};
    stfi_wisdom_tally tally;
    char key[16], value[STFI_WISDOM_TEXT_BYTES];
    size_t bytes;
    int fine = 1;

    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    for (int i = 0; i < 4000; i++) {
        snprintf(key, sizeof key, "k%d", i);
        fine = stfi_wisdom_list_put(&list, key, value) == STF_OK && fine;
    }
    bytes = stfi_wisdom_list_print(&list, text, sizeof text);
    tap_ok(fine && bytes <= STFI_WISDOM_MOST_BYTES && list.count > 2000
               && stfi_wisdom_list_find(&list, "k0") == NULL
               && stfi_wisdom_list_find(&list, "k3999") != NULL,
           "the oldest of 4000 entries go: %d are left in %zu bytes",
           list.count, bytes);
    tap_ok(stfi_wisdom_list_read(&again, text, bytes, &tally) == STF_OK
               && tally.taken == list.count && again.bytes == list.bytes,
           "what is printed is read");
    tap_ok(stfi_wisdom_list_put(&again, "k3999", "new") == STF_OK
               && again.count == list.count
               && strcmp(stfi_wisdom_list_find(&again, "k3999"), "new") == 0,
           "a new value replaces the old one");
    tap_ok(stfi_wisdom_list_put(&again, "a b", "c") == STF_ERR_ARGUMENT
               && stfi_wisdom_list_put(&again, "#a", "c") == STF_ERR_ARGUMENT
               && stfi_wisdom_list_put(&again, "a", "") == STF_ERR_ARGUMENT
               && stfi_wisdom_list_put(&again, text, "c") == STF_ERR_ARGUMENT,
           "no key, no value");
    stfi_wisdom_list_clear(&list);
    stfi_wisdom_list_clear(&again);
}

/* ------------------------------------------------------------ public calls */

static int exports(const void *arg)
{
    size_t bytes = 0;
    int64_t taken = -1, ignored = -1;
    int fine;

    (void)arg;
    fine = stf_wisdom_import(STFI_WISDOM_HEAD "a 7\nrubbish\nc 3\n", &taken,
                             &ignored)
               == STF_OK
           && taken == 2 && ignored == 1 && wisdom_knows("a", "7")
           && wisdom_knows("b", "2")
           && stf_wisdom_export(NULL, 0, &bytes) == STF_OK
           && stf_wisdom_export(text, bytes - 1, NULL) == STF_ERR_ARGUMENT
           && stf_wisdom_export(text, bytes, NULL) == STF_OK
           && strcmp(text, STFI_WISDOM_HEAD "b 2\na 7\nc 3\n") == 0;
    fine = fine && stf_wisdom_export_file(wisdom_path("user/out")) == STF_OK;
    stf_wisdom_forget();
    fine =
        fine && wisdom_knows("a", NULL)
        && stf_wisdom_import_file(wisdom_path("user/out"), NULL, NULL) == STF_OK
        && wisdom_knows("a", "7");
    return fine;
}

/* The file of an export is read; what is no file of wisdom is an error here. */
static void test_calls(void)
{
    wisdom_fresh();
    wisdom_put_user("a 1\nb 2\n");
    tap_ok(wisdom_in_child(exports, NULL), "export, import and forget");
    tap_ok(wisdom_in_child(wisdom_knows_a, "") == 0
               && wisdom_in_child(wisdom_learns, ""),
           "the user's file has nothing of that");
    tap_ok(stf_wisdom_import("x 1\n", NULL, NULL) == STF_ERR_ARGUMENT
               && stf_wisdom_import(NULL, NULL, NULL) == STF_ERR_ARGUMENT
               && stf_wisdom_export(NULL, 8, NULL) == STF_ERR_ARGUMENT
               && stf_wisdom_export(NULL, 0, NULL) == STF_ERR_ARGUMENT
               && stf_wisdom_export_file(NULL) == STF_ERR_ARGUMENT
               && stf_wisdom_import_file(NULL, NULL, NULL) == STF_ERR_ARGUMENT,
           "wrong arguments");
    tap_ok(stf_wisdom_import_file(wisdom_path("none"), NULL, NULL) == STF_ERR_IO
               && strstr(stf_error_message(), "none: No such") != NULL
               && stf_wisdom_import_file(wisdom_folder, NULL, NULL)
                      == STF_ERR_IO
               && stf_wisdom_export_file("/dev/null/x") == STF_ERR_IO
               && stf_wisdom_export_file(wisdom_path("user/")) == STF_ERR_IO,
           "files that are not there");
}

/* Every allocation of a learning process fails once. */
static int runs_out(const void *arg)
{
    long count = 0, made = 0;

    (void)arg;
    do {
        stf_status status;

        stfi_alloc_fail_at(++count);
        status = stfi_wisdom_learn("m", "1");
        made = stfi_alloc_fail_at(0);
        if (status != STF_OK && status != STF_ERR_MEMORY)
            return 0;
    } while (made >= count && count < 1000);
    return count > 5 && count < 1000 && wisdom_learns("")
           && wisdom_knows("m", "1") && wisdom_knows("a", "1");
}

int main(void)
{
    tap_begin("wisdom");
    if (!tap_ok(wisdom_begin(), "a directory of its own"))
        return tap_end();
    test_texts();
    test_refused();
    test_list();
    test_calls();
    wisdom_fresh();
    wisdom_put_user("a 1\n");
    tap_ok(wisdom_in_child(runs_out, NULL)
               && wisdom_in_child(wisdom_knows_x, ""),
           "memory that runs out: the file is whole");
    wisdom_end();
    return tap_end();
}
