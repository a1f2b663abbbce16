/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast cache`: lists and clears the compiled kernels on disk. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backends/gpu/host/cache/cache.h"
#include "tools/cache/cache_warm.h"
#include "tools/command/command.h"
#include "tools/command/table.h"

/* ------------------------------------------------------------------- list */

enum {
    COLUMN_CACHE,
    COLUMN_ARCH,
    COLUMN_BYTES,
    COLUMN_COMPILER,
    COLUMN_DAYS,
    COLUMN_STATE,
    COLUMN_ENTRY,
    COLUMNS
};

static const stfi_column columns[COLUMNS] = {
    [COLUMN_CACHE] = {"cache", 0, 5},
    [COLUMN_ARCH] = {"arch", 0, 8},
    [COLUMN_BYTES] = {"bytes", 1, 9},
    [COLUMN_COMPILER] = {"compiler", 0, 12},
    [COLUMN_DAYS] = {"unused_days", 1, 0},
    [COLUMN_STATE] = {"state", 0, 8},
    [COLUMN_ENTRY] = {"entry", 0, 0},
};

static const char *const state_names[] = {
    [STFI_CACHE_OK] = "ok",
    [STFI_CACHE_STALE] = "stale",
    [STFI_CACHE_DAMAGED] = "damaged",
    [STFI_CACHE_PARTIAL] = "partial",
};

static const char *const kind_names[] = {
    [STFI_CACHE_USER] = "user",
    [STFI_CACHE_SITE] = "site",
};

/* The state of a listing in progress. */
typedef struct listing {
    stfi_table table;
    stfi_cache_kind kind;
    int64_t files, bytes;
    char cell[COLUMNS][STFI_CELL_BYTES];
} listing;

/* Prints a row. Of a file whose head cannot be read, only the names of folder
 * and file tell something. */
static int list_file(void *arg, const stfi_cache_file *file)
{
    listing *l = arg;
    char(*cell)[STFI_CELL_BYTES] = l->cell;
    stfi_cache_head head;
    stfi_cache_state state = stfi_cache_inspect(l->kind, file, &head);
    int known = head.entry[0] != '\0';
    double seconds = difftime(time(NULL), (time_t)file->used);

    snprintf(cell[COLUMN_CACHE], STFI_CELL_BYTES, "%s", kind_names[l->kind]);
    snprintf(cell[COLUMN_ARCH], STFI_CELL_BYTES, "%.*s",
             (int)strcspn(file->folder, "-"), file->folder);
    snprintf(cell[COLUMN_BYTES], STFI_CELL_BYTES, "%" PRId64, file->bytes);
    snprintf(cell[COLUMN_COMPILER], STFI_CELL_BYTES, "%s", head.compiler);
    snprintf(cell[COLUMN_DAYS], STFI_CELL_BYTES, "%.1f",
             seconds > 0.0 ? seconds / 86400.0 : 0.0);
    snprintf(cell[COLUMN_STATE], STFI_CELL_BYTES, "%s", state_names[state]);
    snprintf(cell[COLUMN_ENTRY], STFI_CELL_BYTES, "%s",
             known ? head.entry : file->name);
    stfi_table_row(&l->table, cell);
    l->files++;
    l->bytes += file->bytes;
    return 0;
}

/* Lists one directory; in the text format also says where it is, and how many
 * files it has. */
static void list_place(listing *l, stfi_cache_place *place, stfi_format format)
{
    int fd = stfi_cache_place_open(place, 0);

    l->kind = place->kind;
    l->files = l->bytes = 0;
    if (fd >= 0) {
        stfi_cache_files(place->kind, fd, list_file, l);
        close(fd);
    }
    if (format == STFI_FORMAT_TEXT && fd >= 0)
        printf("%s cache %s: %" PRId64 " files, %.1f MB\n",
               kind_names[place->kind], place->path, l->files,
               (double)l->bytes * 1e-6);
    else if (format == STFI_FORMAT_TEXT)
        printf("%s cache %s is not used: %s\n", kind_names[place->kind],
               place->path, place->reason);
    else if (fd < 0 && !place->absent)
        stfi_complain("the %s cache %s is not used: %s",
                      kind_names[place->kind], place->path, place->reason);
}

static int run_list(const stfi_args *args)
{
    stfi_format format = stfi_format_of(args);
    listing *l = stfi_session(sizeof *l);
    stfi_cache_place place;
    int64_t limit;
    int result = STFI_EXIT_OK;

    if (l == NULL)
        return STFI_EXIT_FAILED;
    stfi_table_begin(&l->table, stdout, format, columns, COLUMNS);
    stfi_cache_place_first(&place);
    do
        list_place(l, &place, format);
    while (stfi_cache_place_next(&place));
    stfi_table_end(&l->table);
    if (format == STFI_FORMAT_JSON)
        putchar('\n');
    if (stfi_cache_limit(&limit) != STF_OK)
        result = stfi_exit_of(STF_ERR_ARGUMENT);
    else if (format == STFI_FORMAT_TEXT)
        printf("the user's cache may take %.0f MB\n", (double)limit * 1e-6);
    free(l);
    return result;
}

/* ------------------------------------------------------------ path, clear */

static int run_path(const stfi_args *args)
{
    stfi_cache_place place;
    int fd;

    (void)args;
    stfi_cache_place_first(&place);
    fd = stfi_cache_place_open(&place, 0);
    if (fd >= 0)
        close(fd);
    if (place.path[0] != '\0')
        puts(place.path);
    if (fd >= 0 || place.absent)
        return STFI_EXIT_OK;
    stfi_complain("it is not used: %s", place.reason);
    return STFI_EXIT_FAILED;
}

static int run_clear(const stfi_args *args)
{
    stfi_cache_place place;
    int64_t files = 0, bytes = 0;
    stf_status status;

    stfi_cache_place_first(&place);
    status = stfi_cache_clear(&place, &files, &bytes);
    if (status != STF_OK && !place.absent)
        return stfi_exit_of(status);
    if (!stfi_args_given(args, STFI_OPT_QUIET))
        printf("%" PRId64 " files, %.1f MB removed\n", files,
               (double)bytes * 1e-6);
    return STFI_EXIT_OK;
}

/* ------------------------------------------------------------------ words */

static const struct {
    const char *name;
    int words; /* 1 if more words may follow */
    int (*run)(const stfi_args *args);
} actions[] = {
    {"list", 0, run_list},
    {"path", 0, run_path},
    {"clear", 0, run_clear},
    {"warm", 1, stfi_cache_warm},
};

enum { ACTIONS = sizeof actions / sizeof *actions };

static int run(const stfi_args *args)
{
    stfi_args rest = *args;

    if (args->nwords == 0)
        return stfi_usage("list, path, clear or warm?");
    rest.word++;
    rest.nwords--;
    for (int i = 0; i < ACTIONS; i++) {
        if (strcmp(args->word[0], actions[i].name) != 0)
            continue;
        if (rest.nwords > 0 && !actions[i].words)
            return stfi_usage("\"%s\" is one argument too many", rest.word[0]);
        return actions[i].run(&rest);
    }
    return stfi_usage("\"%s\" is not list, path, clear or warm", args->word[0]);
}

static const stfi_opt options[] = {
    STFI_OPT_PRESET,   STFI_OPT_DEVICE,   STFI_OPT_ALL,      STFI_OPT_N,
    STFI_OPT_BATCH,    STFI_OPT_ELEMENTS, STFI_OPT_KIND,     STFI_OPT_PRECISION,
    STFI_OPT_COMPUTE,  STFI_OPT_EFFORT,   STFI_OPT_IN_PLACE, STFI_OPTS_FT,
    STFI_OPT_PROBLEMS, STFI_OPT_CSV,      STFI_OPT_JSON,     STFI_OPT_QUIET,
    STFI_OPT_HELP,     STFI_OPT_COUNT};

const stfi_command stfi_cmd_cache = {
    .name = "cache",
    .words = "list|path|clear|warm [PROBLEM]...",
    .summary = "List, locate, clear or fill the cache of compiled kernels",
    .notes = "list checks every file of the user's and the sites' caches; "
             "path prints\nthe user's; clear empties it; warm compiles the "
             "kernels of problems into it,\nfor a device or, with --preset, "
             "for one that need not be there. With --ft, those of "
             "protected plans, and the\nweights of their checksums, which are "
             "kept in the user's cache, too; with --effort,\nalso those of "
             "the plans that are measured first.",
    .max_words = 1 << 20,
    .options = options,
    .run = run,
};
