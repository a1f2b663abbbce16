/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast wisdom`: the user's file of wisdom, shown, copied, added to and
 * emptied. */
#include <inttypes.h>
#include <string.h>

#include "tools/command/command.h"
#include "wisdom/user_file.h"

/* Reads the user's file. Complains about one that cannot be used; one that is
 * absent is empty. */
static stf_status read_user(stfi_wisdom_place *place, stfi_wisdom_list *list)
{
    stfi_wisdom_tally tally;
    stf_status status;

    stfi_wisdom_place_find(place);
    status = stfi_wisdom_place_read(place, list, &tally);
    if (status != STF_OK)
        return status;
    if (place->reason[0] != '\0' && !place->absent)
        return stfi_error(STF_ERR_IO, "%s%s%s is not used: %s", place->folder,
                          place->name[0] != '\0' ? "/" : "the user's file",
                          place->name, place->reason);
    if (tally.ignored > 0)
        stfi_complain("%" PRId64 " lines of %s/%s are ignored, the first is "
                      "line %" PRId64,
                      tally.ignored, place->folder, place->name,
                      tally.first_ignored);
    return STF_OK;
}

static void print_entries(const stfi_wisdom_list *list)
{
    for (int i = 0; i < list->count; i++)
        printf("%s %s\n", list->entry[i].key, list->entry[i].value);
}

static int run_show(const stfi_args *args)
{
    stfi_wisdom_list list = {0, 0, 0, NULL};
    static stfi_wisdom_place place;
    stf_status status = read_user(&place, &list);

    if (status == STF_OK && !stfi_args_given(args, STFI_OPT_QUIET))
        printf("%s/%s: %d entries%s\n", place.folder, place.name, list.count,
               place.absent ? ", as it is not there" : "");
    print_entries(&list);
    stfi_wisdom_list_clear(&list);
    return status == STF_OK ? STFI_EXIT_OK : stfi_exit_of(status);
}

/* To a file, or to standard output. */
static int run_export(const stfi_args *args)
{
    stfi_wisdom_list list = {0, 0, 0, NULL};
    static stfi_wisdom_place place;
    stf_status status = read_user(&place, &list);

    if (status == STF_OK && args->nwords > 0)
        status = stfi_wisdom_write_file(args->word[0], &list);
    else if (status == STF_OK)
        printf("%s", STFI_WISDOM_HEAD);
    if (args->nwords == 0)
        print_entries(&list);
    stfi_wisdom_list_clear(&list);
    return status == STF_OK ? STFI_EXIT_OK : stfi_exit_of(status);
}

/* What is no wisdom is no bad usage, unlike other wrong arguments. */
static int exit_of_file(stf_status status)
{
    if (status == STF_OK)
        return STFI_EXIT_OK;
    stfi_complain("%s", stf_error_message());
    return STFI_EXIT_FAILED;
}

static int run_import(const stfi_args *args)
{
    stfi_wisdom_list list = {0, 0, 0, NULL};
    static stfi_wisdom_place place;
    stfi_wisdom_tally tally;
    stf_status status;

    if (args->nwords == 0)
        return stfi_usage("import which file?");
    status = stfi_wisdom_read_file(args->word[0], &list, &tally);
    if (status == STF_OK) {
        stfi_wisdom_place_find(&place);
        status = stfi_wisdom_place_merge(&place, &list);
    }
    if (status == STF_OK && !stfi_args_given(args, STFI_OPT_QUIET))
        printf("%" PRId64 " lines taken, %" PRId64 " ignored\n", tally.taken,
               tally.ignored);
    stfi_wisdom_list_clear(&list);
    return exit_of_file(status);
}

static int run_forget(const stfi_args *args)
{
    static stfi_wisdom_place place;
    stf_status status;

    (void)args;
    stfi_wisdom_place_find(&place);
    status = stfi_wisdom_place_empty(&place);
    return place.absent ? STFI_EXIT_OK : exit_of_file(status);
}

static const struct {
    const char *name;
    int words; /* the most that may follow */
    int (*run)(const stfi_args *args);
} actions[] = {
    {"show", 0, run_show},
    {"export", 1, run_export},
    {"import", 1, run_import},
    {"forget", 0, run_forget},
};

static int run(const stfi_args *args)
{
    stfi_args rest = *args;

    if (args->nwords == 0)
        return run_show(&rest);
    rest.word++;
    rest.nwords--;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(args->word[0], actions[i].name) != 0)
            continue;
        if (rest.nwords > actions[i].words)
            return stfi_usage("\"%s\" is one argument too many",
                              rest.word[actions[i].words]);
        return actions[i].run(&rest);
    }
    return stfi_usage("\"%s\" is not show, export, import or forget",
                      args->word[0]);
}

static const stfi_opt options[] = {STFI_OPT_QUIET, STFI_OPT_HELP,
                                   STFI_OPT_COUNT};

const stfi_command stfi_cmd_wisdom = {
    .name = "wisdom",
    .words = "[show|export [FILE]|import FILE|forget]",
    .summary = "Show, copy, add to or empty the file of measured plans",
    .notes = "The file is what STEADFAST_WISDOM names, or wisdom in the folder "
             "of the user's\ncache. import adds what FILE has, and takes "
             "precedence; forget removes all\nentries. `steadfast tune` "
             "measures plans.",
    .max_words = 3,
    .options = options,
    .run = run,
};
