/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Options of the command; see options.h. */
#include "tools/command/options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "fft/choice.h"
#include "fft/desc.h"
#include "support/problem/problem.h"

typedef enum value_type {
    TYPE_FLAG,
    TYPE_TEXT,
    TYPE_INTEGER,
    TYPE_BYTES,
    TYPE_NUMBER,
    TYPE_SEED,
    TYPE_KIND,
    TYPE_PRECISION,
    TYPE_COMPUTE,
    TYPE_UNIT_RADIX,
    TYPE_EFFORT,
    TYPE_FT,
    TYPE_FT_LEVEL,
    TYPE_FT_SCHEME,
    TYPE_SHAPES,
    TYPE_COUNT
} value_type;

typedef struct option_row {
    const char *name;
    char letter;
    value_type type;
    const char *value;
    int64_t low, high;
    const char *help;
} option_row;

static const option_row rows[STFI_OPT_COUNT] = {
#define STFI_OPTION(id, name, letter, type, value, low, high, help) \
    [STFI_OPT_##id] = {name, letter, TYPE_##type, value, low, high, help},
#include "tools/command/options.def"
#undef STFI_OPTION
};

/* ----------------------------------------------------------------- values */

static int parse_text(const option_row *row, stfi_value *v)
{
    (void)row;
    return v->text[0] != '\0';
}

static int parse_integer(const option_row *row, stfi_value *v)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(v->text, &end, 10);
    v->integer = value;
    return end != v->text && *end == '\0' && errno == 0 && value >= row->low
           && value <= row->high;
}

/* Parses a number that may end in K, M or G, which are powers of 1024. */
static int parse_bytes(const option_row *row, stfi_value *v)
{
    static const char units[] = "KMG";
    const char *unit;
    char *end;
    long long value;

    errno = 0;
    value = strtoll(v->text, &end, 10);
    if (end == v->text || errno != 0 || value < row->low)
        return 0;
    unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (unit != NULL) {
        int shift = 10 * (int)(unit - units + 1);
        if (value > row->high >> shift)
            return 0;
        value <<= shift;
        end++;
    }
    v->integer = value;
    return *end == '\0';
}

static int parse_number(const option_row *row, stfi_value *v)
{
    char *end;
    double value = strtod(v->text, &end);

    (void)row;
    return end != v->text && *end == '\0' && isfinite(value) && value >= 0.0;
}

static int parse_seed(const option_row *row, stfi_value *v)
{
    char *end;

    (void)row;
    errno = 0;
    v->integer = (int64_t)strtoull(v->text, &end, 0);
    return v->text[0] >= '0' && v->text[0] <= '9' && *end == '\0' && errno == 0;
}

static int parse_kind(const option_row *row, stfi_value *v)
{
    const stfi_kind *kind = stfi_kind_find(v->text);
    stf_kind axis[STF_MAX_RANK];
    int count;

    (void)row;
    if (stfi_problem_is_mixed(v->text)) {
        v->integer = STF_R2R;
        return stfi_problem_kinds(v->text, axis, &count) == STF_OK;
    }
    if (kind != NULL)
        v->integer = kind->id;
    return kind != NULL && kind->id != STF_R2R;
}

static int parse_precision(const option_row *row, stfi_value *v)
{
    const stfi_type *type = stfi_type_find(v->text);

    (void)row;
    if (type != NULL)
        v->integer = type->id;
    return type != NULL;
}

static int parse_compute(const option_row *row, stfi_value *v)
{
    (void)row;
    v->integer = stfi_problem_compute(v->text);
    return v->integer >= 0;
}

static int parse_unit_radix(const option_row *row, stfi_value *v)
{
    v->integer = strtol(v->text, NULL, 10);
    (void)row;
    return strspn(v->text, "0123456789") == strlen(v->text)
           && stfi_choice_is_unit_radix(v->integer);
}

static int parse_effort(const option_row *row, stfi_value *v)
{
    (void)row;
    v->integer = stfi_problem_effort(v->text);
    return v->integer >= 0;
}

/* The index of the name that the text's first `length` characters spell; -1 if
 * there is none. */
static int find_name(const char *const *names, int count, const char *text,
                     size_t length)
{
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0)
            return i;
    return -1;
}

static int parse_ft(const option_row *row, stfi_value *v)
{
    static const char *const names[] = {"off", "detect", "correct", "all"};
    const char *text = v->text;

    (void)row;
    v->integer = 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        int found = find_name(names, 4, text, length);

        if (found < 0)
            return 0;
        v->integer |= (int64_t)1 << (STF_FT_OFF + found);
        if (text[length] == '\0')
            return 1;
        text += length + 1;
    }
}

static int parse_ft_level(const option_row *row, stfi_value *v)
{
    static const char *const names[] = {"auto", "thread", "warp", "block",
                                        "offline"};

    (void)row;
    v->integer = find_name(names, 5, v->text, strlen(v->text));
    return v->integer >= 0;
}

static int parse_ft_scheme(const option_row *row, stfi_value *v)
{
    static const char *const names[] = {"auto", "signal", "one-sided",
                                        "two-sided"};

    (void)row;
    v->integer = find_name(names, 4, v->text, strlen(v->text));
    return v->integer >= 0;
}

int stfi_shape_parse(const char *text, int64_t *n, int most, const char **end_p)
{
    int rank = 0;

    for (;;) {
        char *end;
        long long value;

        errno = 0;
        value = strtoll(text, &end, 10);
        if (*text < '0' || *text > '9' || errno != 0 || value < 1
            || rank == most)
            return 0;
        n[rank++] = value;
        text = end;
        if (*text != 'x')
            break;
        text++;
    }
    *end_p = text;
    return *text == '\0' || *text == ',' ? rank : 0;
}

static int parse_shapes(const option_row *row, stfi_value *v)
{
    const char *text = v->text;
    int64_t n[STF_MAX_RANK];

    (void)row;
    while (stfi_shape_parse(text, n, STF_MAX_RANK, &text) > 0) {
        if (*text == '\0')
            return 1;
        text++;
    }
    return 0;
}

/* For each type: the function that parses a value, and the text that says what
 * a value must be. */
static const struct {
    int (*parse)(const option_row *row, stfi_value *v);
    const char *must;
} types[TYPE_COUNT] = {
    [TYPE_FLAG] = {NULL, ""},
    [TYPE_TEXT] = {parse_text, "some text"},
    [TYPE_INTEGER] = {parse_integer, "an integer"},
    [TYPE_BYTES] = {parse_bytes, "a number of bytes such as 4096, 64M or 1G"},
    [TYPE_NUMBER] = {parse_number, "a number of at least 0"},
    [TYPE_SEED] = {parse_seed, "an integer from 0 to 2^64-1"},
    [TYPE_KIND] = {parse_kind, "a kind of transform: c2c, r2c, c2r, dct1 to "
                               "dct4, dst1 to dst4, dht, r2hc or hc2r; or a "
                               "real to real kind for each axis, such as "
                               "r2r=dct2+dst1"},
    [TYPE_PRECISION] = {parse_precision, "a precision: f16, bf16, f32, f64 or "
                                         "f80"},
    [TYPE_COMPUTE] = {parse_compute, "native, tensor or split"},
    [TYPE_UNIT_RADIX] = {parse_unit_radix, "2, 4, 8 or 16"},
    [TYPE_EFFORT] = {parse_effort, "estimate, measure or exhaustive"},
    [TYPE_FT] = {parse_ft, "off, detect or correct; for bench, all or a list "
                           "such as off,correct too"},
    [TYPE_FT_LEVEL] = {parse_ft_level, "auto, thread, warp, block or "
                                       "offline"},
    [TYPE_FT_SCHEME] = {parse_ft_scheme, "auto, signal, one-sided or "
                                         "two-sided"},
    [TYPE_SHAPES] = {parse_shapes, "lengths such as 1024 or 360x7, up to 8 "
                                   "axes, each at least 1"},
};

static stf_status bad_value(const option_row *row, const char *text)
{
    /* What is wrong with kinds of axes was said when they were parsed. */
    if (row->type == TYPE_KIND && stfi_problem_is_mixed(text))
        return STF_ERR_ARGUMENT;
    if (row->type == TYPE_INTEGER && row->high == INT64_MAX)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--%s is \"%s\"; it must be an "
                          "integer of at least %" PRId64,
                          row->name, text, row->low);
    if (row->type == TYPE_INTEGER)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--%s is \"%s\"; it must be an "
                          "integer from %" PRId64 " to %" PRId64,
                          row->name, text, row->low, row->high);
    return stfi_error(STF_ERR_ARGUMENT, "--%s is \"%s\"; it must be %s",
                      row->name, text, types[row->type].must);
}

/* ---------------------------------------------------------------- parsing */

/* Finds the option that "--name", "--name=value" or "-n" stands for among those
 * of the command; STFI_OPT_COUNT if there is none. *inline_p is the value
 * behind '=', if any. */
static stfi_opt find_option(const stfi_command *command, const char *arg,
                            const char **inline_p)
{
    const stfi_opt *o;

    *inline_p = NULL;
    for (o = command->options; *o != STFI_OPT_COUNT; o++) {
        const option_row *row = &rows[*o];
        size_t length = strlen(row->name);

        if (arg[1] != '-') {
            if (row->letter != 0 && arg[1] == row->letter && arg[2] == '\0')
                return *o;
        } else if (strncmp(arg + 2, row->name, length) == 0
                   && (arg[2 + length] == '\0' || arg[2 + length] == '=')) {
            if (arg[2 + length] == '=')
                *inline_p = arg + 3 + length;
            return *o;
        }
    }
    return STFI_OPT_COUNT;
}

/* Takes the option at argv[*i_p]. If its value is the next argument, *i_p moves
 * there. */
static stf_status take_option(const stfi_command *command, int argc,
                              char **argv, int *i_p, stfi_args *args)
{
    const char *arg = argv[*i_p], *text;
    stfi_opt option = find_option(command, arg, &text);
    const option_row *row;
    stfi_value *v;

    if (option == STFI_OPT_COUNT)
        return stfi_error(STF_ERR_ARGUMENT, "option %s is not known", arg);
    row = &rows[option];
    v = &args->value[option];
    v->given = 1;
    if (row->type == TYPE_FLAG)
        return text == NULL ? STF_OK
                            : stfi_error(STF_ERR_ARGUMENT,
                                         "--%s takes no "
                                         "value",
                                         row->name);
    if (text == NULL) {
        if (*i_p + 1 >= argc)
            return stfi_error(STF_ERR_ARGUMENT, "--%s needs a value: --%s %s",
                              row->name, row->name, row->value);
        text = argv[++*i_p];
    }
    v->text = text;
    return types[row->type].parse(row, v) ? STF_OK : bad_value(row, text);
}

stf_status stfi_options_parse(const stfi_command *command, int argc,
                              char **argv, stfi_args *args_p)
{
    stfi_args args = {.word = argv};
    int only_words = 0;

    for (int i = 0; i < argc; i++) {
        stf_status status;

        if (!only_words && strcmp(argv[i], "--") == 0) {
            only_words = 1;
            continue;
        }
        if (only_words || argv[i][0] != '-' || argv[i][1] == '\0') {
            argv[args.nwords++] = argv[i];
            continue;
        }
        status = take_option(command, argc, argv, &i, &args);
        if (status != STF_OK)
            return status;
    }
    if (!args.value[STFI_OPT_HELP].given && args.nwords > command->max_words)
        return stfi_error(STF_ERR_ARGUMENT, "\"%s\" is one argument too many",
                          args.word[command->max_words]);
    if (stfi_args_given(&args, STFI_OPT_CSV)
        && stfi_args_given(&args, STFI_OPT_JSON))
        return stfi_error(STF_ERR_ARGUMENT, "--csv and --json exclude each "
                                            "other");
    *args_p = args;
    return STF_OK;
}

/* ------------------------------------------------------------------- help */

/* Prints text in lines of at most `width` characters, the first of which
 * starts at the cursor, the others at column `indent`. */
static void print_wrapped(FILE *file, const char *text, int indent, int width)
{
    while ((int)strlen(text) > width) {
        int cut = width;
        while (cut > 0 && text[cut] != ' ')
            cut--;
        if (cut == 0)
            break;
        fprintf(file, "%.*s\n%*s", cut, text, indent, "");
        text += cut + 1;
    }
    fprintf(file, "%s\n", text);
}

void stfi_options_help(const stfi_command *command, FILE *file)
{
    const stfi_opt *o;

    fprintf(file, "Usage: steadfast %s%s%s [OPTION]...\n%s.\n\nOptions:\n",
            command->name, command->words[0] ? " " : "", command->words,
            command->summary);
    for (o = command->options; *o != STFI_OPT_COUNT; o++) {
        const option_row *row = &rows[*o];
        char left[40];
        int n = 0;

        if (row->letter != 0)
            n = snprintf(left, sizeof left, "-%c, ", row->letter);
        else
            n = snprintf(left, sizeof left, "    ");
        snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s", row->name,
                 row->value ? " " : "", row->value ? row->value : "");
        fprintf(file, "  %-24s  ", left);
        print_wrapped(file, row->help, 28, 51);
    }
    if (command->notes[0] != '\0')
        fprintf(file, "\n%s\n", command->notes);
}

/* ----------------------------------------------------------------- access */

int64_t stfi_args_integer(const stfi_args *args, stfi_opt option,
                          int64_t missing)
{
    const stfi_value *v = &args->value[option];
    return v->given ? v->integer : missing;
}

const char *stfi_args_text(const stfi_args *args, stfi_opt option,
                           const char *missing)
{
    const stfi_value *v = &args->value[option];
    return v->given ? v->text : missing;
}

int stfi_args_given(const stfi_args *args, stfi_opt option)
{
    return args->value[option].given;
}

int stfi_args_kind(const stfi_args *args, stf_kind missing, stf_fft_desc *d)
{
    const char *text = stfi_args_text(args, STFI_OPT_KIND, "");
    int count = 0;

    d->kind = (stf_kind)stfi_args_integer(args, STFI_OPT_KIND, missing);
    if (stfi_problem_is_mixed(text)
        && stfi_problem_kinds(text, d->kinds, &count) == STF_OK)
        d->rank = count;
    return count;
}

stf_ft_desc stfi_args_ft(const stfi_args *args)
{
    return (stf_ft_desc){
        .level = (stf_ft_level)stfi_args_integer(args, STFI_OPT_FT_LEVEL,
                                                 STF_FT_AUTO),
        .scheme = (stf_ft_scheme)stfi_args_integer(args, STFI_OPT_FT_SCHEME,
                                                   STF_FT_SCHEME_AUTO),
        .transactions =
            (int32_t)stfi_args_integer(args, STFI_OPT_TRANSACTIONS, 0),
        .end_to_end = stfi_args_given(args, STFI_OPT_END_TO_END),
        .threshold =
            strtod(stfi_args_text(args, STFI_OPT_FT_THRESHOLD, "0"), NULL),
    };
}

stf_status stfi_args_protection(const stfi_args *args, stf_ft_mode missing,
                                stf_ft_desc *ft_p)
{
    int64_t modes = stfi_args_integer(args, STFI_OPT_FT, (int64_t)1 << missing);
    stf_ft_desc ft = stfi_args_ft(args);

    while (ft.mode < STF_FT_CORRECT && modes != (int64_t)1 << ft.mode)
        ft.mode++;
    if (modes != (int64_t)1 << ft.mode)
        return stfi_error(STF_ERR_ARGUMENT,
                          "--ft is \"%s\"; it must be one "
                          "mode here: off, detect or correct",
                          stfi_args_text(args, STFI_OPT_FT, ""));
    *ft_p = ft;
    return STF_OK;
}
