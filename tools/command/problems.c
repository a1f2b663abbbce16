/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lists of problems; see problems.h. */
#include "tools/command/problems.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "fft/desc.h"
#include "support/problem/gemm_problem.h"
#include "tools/bench/gemm_suite.h"
#include "tools/command/product_options.h"
#include "tools/command/random_problem.h"

/* How a batch is chosen that is not given: by a number of elements, by a number
 * of bytes, or as one transform. */
typedef enum batch_size { ELEMENTS, BYTES, ONE } batch_size;

static const struct {
    const char *group;
    const char *fields;
    const char *shapes;
    batch_size size;
} suites[] = {
#define STFI_BENCH(suite, fields, shapes, size) {suite, fields, shapes, size},
#include "bench/problems.def"
#undef STFI_BENCH
};

enum { SUITE_ROWS = sizeof suites / sizeof *suites, LINE_BYTES = 512 };

static const int64_t DEFAULT_ELEMENTS = 1 << 20, DEFAULT_BYTES = 1 << 30,
                     RANDOM_BYTES = 1 << 28, RANDOM_POINTS = 10000000;

enum { RANDOM_DRAWS = 300 };

void stfi_args_effort(const stfi_args *args, stf_effort *effort_p,
                      double *seconds_p)
{
    *effort_p = (stf_effort)stfi_args_integer(args, STFI_OPT_EFFORT, 0);
    *seconds_p =
        strtod(stfi_args_text(args, STFI_OPT_EFFORT_SECONDS, "0"), NULL);
}

/* The problem that the options alone describe. */
static stfi_problem defaults(const stfi_args *args)
{
    stfi_problem p = {.desc = stf_fft_desc_default()};

    p.axes = stfi_args_kind(args, STF_C2C, &p.desc);
    p.desc.precision =
        (stf_precision)stfi_args_integer(args, STFI_OPT_PRECISION, STF_F32);
    p.desc.compute = (stf_compute)stfi_args_integer(args, STFI_OPT_COMPUTE, 0);
    stfi_args_effort(args, &p.desc.effort, &p.desc.effort_seconds);
    p.desc.threads = (int32_t)stfi_args_integer(args, STFI_OPT_THREADS, 0);
    p.in_place = stfi_args_given(args, STFI_OPT_IN_PLACE);
    return p;
}

/* Refuses shapes for which --kind has too many or too few kinds. */
static stf_status check_axes(const stfi_problem *p)
{
    if (p->desc.kind != STF_R2R || p->axes == p->desc.rank)
        return STF_OK;
    return stfi_error(STF_ERR_ARGUMENT,
                      "--kind has %d kind%s, and a problem %d length%s; r2r= "
                      "takes one kind for each length",
                      p->axes, p->axes == 1 ? "" : "s", (int)p->desc.rank,
                      p->desc.rank == 1 ? "" : "s");
}

/* Bytes of the longer array of one transform. */
static double transform_bytes(const stf_fft_desc *d)
{
    double most = 0.0;

    for (int output = 0; output < 2; output++) {
        double bytes = (double)stfi_problem_element_bytes(d, output);
        for (int a = 0; a < d->rank; a++)
            bytes *= (double)stfi_desc_extent(d, a, output);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Chooses the batch by the options and `size`; it is at least 1. */
static int64_t choose_batch(const stfi_args *args, const stf_fft_desc *d,
                            batch_size size)
{
    int64_t batch = stfi_args_integer(args, STFI_OPT_BATCH, 0);
    double all, points = 1.0;

    if (batch > 0)
        return batch;
    if (size == ONE)
        return 1;
    for (int a = 0; a < d->rank; a++)
        points *= (double)d->n[a];
    if (size == BYTES || stfi_args_given(args, STFI_OPT_BYTES))
        all = (double)stfi_args_integer(args, STFI_OPT_BYTES, DEFAULT_BYTES)
              / transform_bytes(d);
    else
        all =
            (double)stfi_args_integer(args, STFI_OPT_ELEMENTS, DEFAULT_ELEMENTS)
            / points;
    return all >= 1.0 ? (int64_t)all : 1;
}

/* Parses a word. Its fields take precedence over the options. Without a batch
 * it is one transform, unless --batch, --bytes or --elements say otherwise. */
static stf_status parse_word(const stfi_args *args, const char *word,
                             stfi_problem *p_p)
{
    stfi_problem base = defaults(args), p;
    stf_status status = stfi_problem_parse(word, &p);
    int many = stfi_args_given(args, STFI_OPT_BYTES)
               || stfi_args_given(args, STFI_OPT_ELEMENTS);

    if (status != STF_OK)
        return status;
    /* Parsing fills in defaults, so only the text shows which fields the word
     * has. A word without a ':' takes kind and precision from the options. */
    if (strchr(word, ':') == NULL) {
        p.desc.kind = base.desc.kind;
        memcpy(p.desc.kinds, base.desc.kinds, sizeof p.desc.kinds);
        p.axes = base.axes;
        p.desc.precision = base.desc.precision;
    }
    if ((status = check_axes(&p)) != STF_OK)
        return status;
    if (stfi_args_given(args, STFI_OPT_COMPUTE))
        p.desc.compute = base.desc.compute;
    if (stfi_args_given(args, STFI_OPT_EFFORT))
        p.desc.effort = base.desc.effort;
    p.desc.effort_seconds = base.desc.effort_seconds;
    p.in_place = p.in_place || base.in_place;
    p.desc.threads = base.desc.threads;
    if (strchr(word, '*') == NULL)
        p.desc.batch = choose_batch(args, &p.desc, many ? ELEMENTS : ONE);
    stfi_problem_lay_out(&p);
    *p_p = p;
    return STF_OK;
}

static stf_status set_shape(const char *text, stfi_problem *p,
                            const char **end_p)
{
    p->desc.rank = stfi_shape_parse(text, p->desc.n, STF_MAX_RANK, end_p);
    return p->desc.rank > 0
               ? STF_OK
               : stfi_error(STF_ERR_ARGUMENT, "\"%s\" is not a shape", text);
}

stf_status stfi_problem_of(const stfi_args *args, stf_ft_mode missing,
                           stfi_problem *p_p)
{
    const char *text = stfi_args_text(args, STFI_OPT_N, NULL), *end;
    stfi_problem p;
    stf_status status;

    if ((args->nwords > 0) == (text != NULL))
        return stfi_error(
            STF_ERR_ARGUMENT,
            text != NULL ? "a problem word and --n exclude each other"
                         : "there is no problem; use --n, or a word such as "
                           "c2c:f32:out:360x7*4");
    if (text == NULL) {
        status = parse_word(args, args->word[0], &p);
    } else {
        p = defaults(args);
        status = set_shape(text, &p, &end);
        p.desc.batch = stfi_args_integer(args, STFI_OPT_BATCH, 0);
        if (p.desc.batch == 0)
            p.desc.batch = 1;
        if (status == STF_OK && *end != '\0')
            status = stfi_error(STF_ERR_ARGUMENT,
                                "--n is \"%s\"; it must be "
                                "one shape here",
                                text);
        if (status == STF_OK)
            status = check_axes(&p);
    }
    if (status == STF_OK)
        status = stfi_args_protection(args, missing, &p.desc.ft);
    if (status == STF_OK)
        *p_p = p;
    return status;
}

/* ------------------------------------------------------------------ lists */

static stf_status append_item(stfi_problems *list, const stfi_listed *added)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : 16;
        stfi_listed *item =
            realloc(list->item, (size_t)capacity * sizeof *item);
        if (item == NULL)
            return stfi_error(STF_ERR_MEMORY, "out of memory for the list of "
                                              "problems");
        list->item = item;
        list->capacity = capacity;
    }
    list->item[list->count++] = *added;
    return STF_OK;
}

static stf_status append(stfi_problems *list, const stfi_problem *p,
                         const char *group)
{
    const stfi_listed added = {.problem = *p, .group = group};

    return append_item(list, &added);
}

static stf_status append_product(const stfi_args *args, const char *word,
                                 const char *group, stfi_problems *list)
{
    stfi_listed added = {.is_product = 1, .group = group};
    stf_status status = stfi_args_product(args, word, &added.product);

    return status == STF_OK ? append_item(list, &added) : status;
}

static stf_status append_word(const stfi_args *args, const char *word,
                              stfi_problems *list)
{
    stfi_listed added = {.group = "", .has_batch = strchr(word, '*') != NULL};
    stf_status status;

    if (stfi_gemm_word(word))
        return append_product(args, word, "", list);
    status = parse_word(args, word, &added.problem);
    return status == STF_OK ? append_item(list, &added) : status;
}

/* Parses "2^3..10", up to its end or a comma, which stands for the powers of
 * two from 8 to 1024. Returns 0 for anything else. */
static int parse_powers(const char *text, int *low_p, int *high_p,
                        const char **end_p)
{
    int length = 0;

    if (sscanf(text, "2^%d..%d%n", low_p, high_p, &length) < 2 || *low_p < 0
        || *high_p > 62)
        return 0;
    *end_p = text + length;
    return **end_p == '\0' || **end_p == ',';
}

/* Appends the problems of one list of shapes; `like` has everything but the
 * shape and the batch. */
static stf_status append_shapes(const stfi_args *args, const char *text,
                                const stfi_problem *like, batch_size size,
                                const char *group, stfi_problems *list)
{
    stf_status status = STF_OK;
    int low, high;

    for (; status == STF_OK; text++) {
        stfi_problem p = *like;

        if (parse_powers(text, &low, &high, &text)) {
            p.desc.rank = 1;
        } else {
            status = set_shape(text, &p, &text);
            low = high = 0;
        }
        if (status == STF_OK)
            status = check_axes(&p);
        for (; low <= high && status == STF_OK; low++) {
            if (high > 0)
                p.desc.n[0] = (int64_t)1 << low;
            p.desc.batch = choose_batch(args, &p.desc, size);
            stfi_problem_lay_out(&p);
            status = append(list, &p, group);
        }
        if (*text == '\0')
            break;
    }
    return status;
}

/* Sets what a text such as "c2c:f32:native" tells; the shape is set later. */
static stf_status set_fields(const char *fields, stfi_problem *p)
{
    char word[LINE_BYTES];

    if (fields[0] == '\0')
        return STF_OK;
    snprintf(word, sizeof word, "%s:1", fields);
    return stfi_problem_take(word, p);
}

/* 1 if the group's name begins with the suite's name, as whole words. */
static int is_of_suite(const char *group, const char *suite)
{
    size_t length = strlen(suite);

    return strncmp(group, suite, length) == 0
           && (group[length] == '\0' || group[length] == '-');
}

/* What --elements or --bytes hold bounds the lengths too, so that a machine
 * with little memory or time can draw short ones. */
static stfi_draw draw_of(const stfi_args *args)
{
    int64_t points = stfi_args_integer(args, STFI_OPT_ELEMENTS, RANDOM_POINTS);
    int64_t bytes = stfi_args_integer(args, STFI_OPT_BYTES, RANDOM_BYTES);
    stfi_draw draw = {.any_kind = !stfi_args_given(args, STFI_OPT_KIND),
                      .any_precision =
                          !stfi_args_given(args, STFI_OPT_PRECISION),
                      .like = defaults(args)};

    /* Sixteen bytes are an element of the widest type that is drawn. */
    if (points > bytes / 16)
        points = bytes / 16;
    if (points > RANDOM_POINTS)
        points = RANDOM_POINTS;
    draw.points = points > 8 ? (double)points : 8.0;
    return draw;
}

/* How many transforms fill --elements or --bytes. */
static int64_t random_batch(const stfi_args *args, const stf_fft_desc *d)
{
    double bytes =
        (double)stfi_args_integer(args, STFI_OPT_BYTES, RANDOM_BYTES);

    if (stfi_args_given(args, STFI_OPT_ELEMENTS)
        && !stfi_args_given(args, STFI_OPT_BYTES))
        return choose_batch(args, d, ELEMENTS);
    bytes /= transform_bytes(d);
    return bytes >= 1.0 ? (int64_t)bytes : 1;
}

static stf_status append_random(const stfi_args *args, stfi_problems *list)
{
    int64_t count = stfi_args_integer(args, STFI_OPT_DRAWS, RANDOM_DRAWS);
    uint64_t state = (uint64_t)stfi_args_integer(args, STFI_OPT_SEED, 1);
    const stfi_draw draw = draw_of(args);
    stf_status status = STF_OK;

    if (draw.like.axes > 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--suite random draws one to three axes; --kind must "
                          "be one kind for all of them there, such as dct2");
    for (int64_t i = 0; i < count && status == STF_OK; i++) {
        stfi_problem p = stfi_random_problem(&draw, &state);

        if (p.desc.batch == 0)
            p.desc.batch = random_batch(args, &p.desc);
        status = append(list, &p, stfi_random_group(&p.desc));
    }
    return status;
}

static stf_status append_products(const stfi_args *args, const char *suite,
                                  stfi_problems *list)
{
    char word[LINE_BYTES];
    const char *group;
    stf_status status = STF_OK;

    for (int i = 0;
         status == STF_OK
         && stfi_gemm_suite_word(suite, i, word, sizeof word, &group);
         i++)
        status = append_product(args, word, group, list);
    return status;
}

static stf_status append_suite(const stfi_args *args, const char *name,
                               stfi_problems *list)
{
    int before = list->count;
    stf_status status = STF_OK;

    if (strcmp(name, "random") == 0)
        return append_random(args, list);
    if (stfi_gemm_suite_is(name))
        return append_products(args, name, list);
    for (int i = 0; i < SUITE_ROWS && status == STF_OK; i++) {
        stfi_problem p = defaults(args);

        if (!is_of_suite(suites[i].group, name))
            continue;
        status = set_fields(suites[i].fields, &p);
        if (status == STF_OK)
            status = append_shapes(args, suites[i].shapes, &p, suites[i].size,
                                   suites[i].group, list);
    }
    if (status == STF_OK && list->count == before)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--suite is \"%s\"; there is cpu,"
                          " r2r, ft, ft-sgemm, tcfft, splitfft, random, and "
                          "cuda with its parts, such as cuda-pow2-f32",
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
    const stfi_problem like = defaults(args);
    stfi_problems list = {0, 0, NULL};
    stf_status status = STF_OK;

    for (int i = 0; i < args->nwords && status == STF_OK; i++)
        status = append_word(args, args->word[i], &list);
    if (status == STF_OK && n != NULL)
        status = append_shapes(args, n, &like, ELEMENTS, "", &list);
    if (status == STF_OK && file != NULL)
        status = append_file(args, file, &list);
    if (status == STF_OK && suite != NULL)
        status = append_suite(args, suite, &list);
    if (status == STF_OK && list.count == 0)
        status =
            stfi_error(STF_ERR_ARGUMENT, "there is no problem; use --n, "
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

stf_status stfi_problems_split(stfi_problems *list, stfi_problems *products_p)
{
    stfi_problems products = {0, 0, NULL};
    stf_status status = STF_OK;
    int kept = 0;

    for (int i = 0; i < list->count && status == STF_OK; i++)
        if (list->item[i].is_product)
            status = append_item(&products, &list->item[i]);
    if (status != STF_OK) {
        stfi_problems_free(&products);
        return status;
    }
    for (int i = 0; i < list->count; i++)
        if (!list->item[i].is_product)
            list->item[kept++] = list->item[i];
    list->count = kept;
    *products_p = products;
    return STF_OK;
}

void stfi_listed_print(const stfi_listed *item, char *text, size_t capacity)
{
    if (item->is_product)
        stfi_gemm_print(&item->product, text, capacity);
    else
        stfi_problem_print(&item->problem, text, capacity);
}
