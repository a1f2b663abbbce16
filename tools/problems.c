/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lists of problems; see problems.h. */
#include "tools/problems.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

static const struct {
    const char *suite;
    const char *shape;
} suites[] = {
#define STFI_BENCH(suite, shape) {suite, shape},
#include "bench/problems.def"
#undef STFI_BENCH
};

enum { SUITE_ROWS = sizeof suites / sizeof *suites, LINE_BYTES = 512 };

/* What the options alone say. */
static stfi_problem defaults(const stfi_args *args)
{
    stfi_problem p = {.desc = stf_fft_desc_default()};

    p.desc.kind = (stf_kind)stfi_args_integer(args, STFI_OPT_KIND, STF_C2C);
    p.desc.precision = (stf_precision)stfi_args_integer(
        args, STFI_OPT_PRECISION, STF_F32);
    p.desc.threads = (int32_t)stfi_args_integer(args, STFI_OPT_THREADS, 0);
    p.desc.ft.mode = (stf_ft_mode)stfi_args_integer(args, STFI_OPT_FT,
                                                    STF_FT_DEFAULT);
    p.in_place = stfi_args_given(args, STFI_OPT_IN_PLACE);
    return p;
}

/* Parses a word, whose fields win over the options. */
static stf_status parse_word(const stfi_args *args, const char *word,
                             stfi_problem *p_p)
{
    stfi_problem base = defaults(args), p;
    stf_status status = stfi_problem_parse(word, &p);
    int64_t batch = stfi_args_integer(args, STFI_OPT_BATCH, 0);

    if (status != STF_OK)
        return status;
    /* A word tells its defaults from what it names only by its text. */
    if (strchr(word, ':') == NULL) {
        p.desc.kind = base.desc.kind;
        p.desc.precision = base.desc.precision;
    }
    p.in_place = p.in_place || base.in_place;
    p.desc.threads = base.desc.threads;
    p.desc.ft = base.desc.ft;
    if (strchr(word, '*') == NULL && batch > 0)
        p.desc.batch = batch;
    *p_p = p;
    return STF_OK;
}

/* Sets shape and batch; batch 0 means as many as make `elements`. */
static stf_status set_shape(const char *text, int64_t batch, int64_t elements,
                            stfi_problem *p, const char **end_p)
{
    double points = 1.0;

    p->desc.rank = stfi_shape_parse(text, p->desc.n, STF_MAX_RANK, end_p);
    if (p->desc.rank == 0)
        return stfi_error(STF_ERR_ARGUMENT, "\"%s\" is not a shape", text);
    for (int a = 0; a < p->desc.rank; a++)
        points *= (double)p->desc.n[a];
    p->desc.batch = batch > 0 ? batch
                    : points >= (double)elements
                      ? 1 : (int64_t)((double)elements / points);
    return STF_OK;
}

stf_status stfi_problem_of(const stfi_args *args, stfi_problem *p_p)
{
    const char *text = stfi_args_text(args, STFI_OPT_N, NULL), *end;
    stf_status status;

    if ((args->nwords > 0) == (text != NULL))
        return stfi_error(STF_ERR_ARGUMENT, text != NULL
                          ? "a problem word and --n exclude each other"
                          : "there is no problem; use --n, or a word such as "
                            "c2c:f32:out:360x7*4");
    if (text == NULL)
        return parse_word(args, args->word[0], p_p);
    *p_p = defaults(args);
    status = set_shape(text, stfi_args_integer(args, STFI_OPT_BATCH, 0), 1,
                       p_p, &end);
    if (status == STF_OK && *end != '\0')
        status = stfi_error(STF_ERR_ARGUMENT, "--n is \"%s\"; it must be one "
                            "shape here", text);
    return status;
}

/* ------------------------------------------------------------------ lists */

static stf_status append(stfi_problems *list, const stfi_problem *p)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : 16;
        stfi_problem *item = realloc(list->item, (size_t)capacity
                                     * sizeof *item);
        if (item == NULL)
            return stfi_error(STF_ERR_MEMORY, "out of memory for the list of "
                              "problems");
        list->item = item;
        list->capacity = capacity;
    }
    list->item[list->count++] = *p;
    return STF_OK;
}

static stf_status append_word(const stfi_args *args, const char *word,
                              stfi_problems *list)
{
    stfi_problem p;
    stf_status status = parse_word(args, word, &p);
    return status == STF_OK ? append(list, &p) : status;
}

static stf_status append_shapes(const stfi_args *args, const char *text,
                                stfi_problems *list)
{
    int64_t batch = stfi_args_integer(args, STFI_OPT_BATCH, 0);
    int64_t elements = stfi_args_integer(args, STFI_OPT_ELEMENTS, 1 << 20);

    for (;;) {
        stfi_problem p = defaults(args);
        stf_status status = set_shape(text, batch, elements, &p, &text);
        if (status == STF_OK)
            status = append(list, &p);
        if (status != STF_OK || *text == '\0')
            return status;
        text++;
    }
}

static stf_status append_suite(const stfi_args *args, const char *name,
                               stfi_problems *list)
{
    int before = list->count;
    stf_status status = STF_OK;

    for (int i = 0; i < SUITE_ROWS && status == STF_OK; i++)
        if (strcmp(suites[i].suite, name) == 0)
            status = append_shapes(args, suites[i].shape, list);
    if (status == STF_OK && list->count == before)
        return stfi_error(STF_ERR_ARGUMENT, "--suite is \"%s\"; there is cpu",
                          name);
    return status;
}

static stf_status append_file(const stfi_args *args, const char *path,
                              stfi_problems *list)
{
    char line[LINE_BYTES];
    FILE *file = fopen(path, "r");
    stf_status status = STF_OK;

    if (file == NULL)
        return stfi_error(STF_ERR_IO, "%s cannot be read: %s", path,
                          strerror(errno));
    while (status == STF_OK && fgets(line, sizeof line, file) != NULL) {
        char *word = line + strspn(line, " \t\r\n");
        word[strcspn(word, "# \t\r\n")] = '\0';
        if (*word != '\0')
            status = append_word(args, word, list);
    }
    if (status == STF_OK && ferror(file))
        status = stfi_error(STF_ERR_IO, "%s cannot be read: %s", path,
                            strerror(errno));
    fclose(file);
    return status;
}

stf_status stfi_problems_of(const stfi_args *args, stfi_problems *list_p)
{
    const char *n = stfi_args_text(args, STFI_OPT_N, NULL);
    const char *file = stfi_args_text(args, STFI_OPT_PROBLEMS, NULL);
    const char *suite = stfi_args_text(args, STFI_OPT_SUITE, NULL);
    stfi_problems list = {0, 0, NULL};
    stf_status status = STF_OK;

    for (int i = 0; i < args->nwords && status == STF_OK; i++)
        status = append_word(args, args->word[i], &list);
    if (status == STF_OK && n != NULL)
        status = append_shapes(args, n, &list);
    if (status == STF_OK && file != NULL)
        status = append_file(args, file, &list);
    if (status == STF_OK && suite != NULL)
        status = append_suite(args, suite, &list);
    if (status == STF_OK && list.count == 0)
        status = stfi_error(STF_ERR_ARGUMENT, "there is no problem; use --n, "
                            "--suite, --problems or words such as "
                            "c2c:f32:out:1024*16");
    if (status == STF_OK)
        *list_p = list;
    else
        stfi_problems_free(&list);
    return status;
}

void stfi_problems_free(stfi_problems *list)
{
    free(list->item);
    *list = (stfi_problems){0, 0, NULL};
}
