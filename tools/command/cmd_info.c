/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast info`: version, build and devices. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command/command.h"
#include "tools/command/table.h"

enum {
    COLUMN_NAME,
    COLUMN_BACKEND,
    COLUMN_AVAILABLE,
    COLUMN_MODEL,
    COLUMN_ARCH,
    COLUMN_UNITS,
    COLUMN_THREADS,
    COLUMN_SIMD,
    COLUMN_MEMORY,
    COLUMN_FREE,
    COLUMN_BLOCK,
    COLUMN_L2,
    COLUMN_BANDWIDTH,
    COLUMN_FLOPS,
    COLUMN_REASON,
    COLUMN_DRIVER,
    COLUMN_COMPILER,
    COLUMNS
};

static const stfi_column columns[COLUMNS] = {
    [COLUMN_NAME] = {"name", 0, 8},
    [COLUMN_BACKEND] = {"backend", 0, 8},
    [COLUMN_AVAILABLE] = {"available", 1, 0},
    [COLUMN_MODEL] = {"model", 0, 0},
    [COLUMN_ARCH] = {"arch", 0, 0},
    [COLUMN_UNITS] = {"compute_units", 1, 0},
    [COLUMN_THREADS] = {"max_threads", 1, 0},
    [COLUMN_SIMD] = {"simd_bytes", 1, 0},
    [COLUMN_MEMORY] = {"memory_bytes", 1, 0},
    [COLUMN_FREE] = {"memory_free_bytes", 1, 0},
    [COLUMN_BLOCK] = {"block_memory_bytes", 1, 0},
    [COLUMN_L2] = {"l2_bytes", 1, 0},
    [COLUMN_BANDWIDTH] = {"bandwidth_bytes_per_s", 1, 0},
    [COLUMN_FLOPS] = {"f32_flops_per_s", 1, 0},
    [COLUMN_REASON] = {"reason", 0, 0},
    [COLUMN_DRIVER] = {"driver", 0, 0},
    [COLUMN_COMPILER] = {"compiler", 0, 0},
};

/* Writes a number; an unknown one leaves the cell empty. */
static void put_integer(char *cell, int64_t value)
{
    cell[0] = '\0';
    if (value != 0)
        snprintf(cell, STFI_CELL_BYTES, "%" PRId64, value);
}

static void put_real(char *cell, double value)
{
    cell[0] = '\0';
    if (value != 0.0)
        snprintf(cell, STFI_CELL_BYTES, "%.4g", value);
}

static void fill_row(const stf_device_info *d, char (*cell)[STFI_CELL_BYTES])
{
    snprintf(cell[COLUMN_NAME], STFI_CELL_BYTES, "%s", d->name);
    snprintf(cell[COLUMN_BACKEND], STFI_CELL_BYTES, "%s", d->backend);
    snprintf(cell[COLUMN_AVAILABLE], STFI_CELL_BYTES, "%d", (int)d->available);
    snprintf(cell[COLUMN_MODEL], STFI_CELL_BYTES, "%s", d->model);
    snprintf(cell[COLUMN_ARCH], STFI_CELL_BYTES, "%s", d->arch);
    put_integer(cell[COLUMN_UNITS], d->compute_units);
    put_integer(cell[COLUMN_THREADS], d->max_threads);
    put_integer(cell[COLUMN_SIMD], d->simd_bytes);
    put_integer(cell[COLUMN_MEMORY], d->memory_bytes);
    put_integer(cell[COLUMN_FREE], d->memory_free_bytes);
    put_integer(cell[COLUMN_BLOCK], d->block_memory_bytes);
    put_integer(cell[COLUMN_L2], d->l2_bytes);
    put_real(cell[COLUMN_BANDWIDTH], d->bandwidth);
    put_real(cell[COLUMN_FLOPS], d->flops_f32);
    snprintf(cell[COLUMN_REASON], STFI_CELL_BYTES, "%s", d->reason);
    snprintf(cell[COLUMN_DRIVER], STFI_CELL_BYTES, "%s", d->driver);
    snprintf(cell[COLUMN_COMPILER], STFI_CELL_BYTES, "%s", d->compiler);
}

/* Prints the "key: value" lines of stf_build_info(). */
static void print_build(FILE *file, int json)
{
    const char *text = stf_build_info();
    int printed = 0;

    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        size_t key = strcspn(text, ":");
        char line[1024];

        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (!json) {
            fprintf(file, "  %s\n", line);
        } else if (key < length && length < sizeof line) {
            const char *value = line + key + 1;
            line[key] = '\0';
            fputs(printed++ > 0 ? ",\n  " : "\n  ", file);
            stfi_json_string(file, line);
            fputs(": ", file);
            stfi_json_string(file, value + strspn(value, " "));
        }
        text += length + (text[length] == '\n');
    }
}

static void print_device(const stf_device_info *d)
{
    printf("  %-8s ", d->name[0] != '\0' ? d->name : d->backend);
    if (!d->available) {
        printf("not available: %s\n", d->reason);
        return;
    }
    printf("%s%s%s", d->model,
           d->model[0] != '\0' && d->arch[0] != '\0' ? ", " : "", d->arch);
    if (d->compute_units > 0)
        printf(", %d units", (int)d->compute_units);
    if (d->max_threads > 0)
        printf(", %d threads", (int)d->max_threads);
    if (d->memory_bytes > 0)
        printf(", %.1f GiB", (double)d->memory_bytes * 0x1p-30);
    if (d->memory_free_bytes > 0)
        printf(" (%.1f free)", (double)d->memory_free_bytes * 0x1p-30);
    if (d->bandwidth > 0.0)
        printf(", %.0f GB/s", d->bandwidth * 1e-9);
    if (d->driver[0] != '\0')
        printf(", driver %s", d->driver);
    if (d->compiler[0] != '\0')
        printf(", %s", d->compiler);
    putchar('\n');
}

static void print_devices(const stf_device_info *list, int count,
                          stfi_format format)
{
    char cell[COLUMNS][STFI_CELL_BYTES] = {""};
    stfi_table table;

    stfi_table_begin(&table, stdout, format, columns, COLUMNS);
    for (int i = 0; i < count; i++) {
        fill_row(&list[i], cell);
        stfi_table_row(&table, cell);
    }
    stfi_table_end(&table);
}

static void print_all(const stf_device_info *list, int count,
                      stfi_format format)
{
    if (format == STFI_FORMAT_CSV) {
        print_devices(list, count, format);
    } else if (format == STFI_FORMAT_JSON) {
        printf("{\"version\": ");
        stfi_json_string(stdout, stf_version());
        printf(",\n\"build\": {");
        print_build(stdout, 1);
        printf("\n},\n\"devices\": ");
        print_devices(list, count, format);
        printf("}\n");
    } else {
        printf("steadfast %s\n\nbuild\n", stf_version());
        print_build(stdout, 0);
        printf("\ndevices\n");
        for (int i = 0; i < count; i++)
            print_device(&list[i]);
    }
}

static int run(const stfi_args *args)
{
    int count = stf_device_list(NULL, 0);
    stf_device_info *list = stfi_session(((size_t)count + 1) * sizeof *list);

    if (list == NULL)
        return STFI_EXIT_FAILED;
    count = stf_device_list(list, count);
    print_all(list, count, stfi_format_of(args));
    free(list);
    return STFI_EXIT_OK;
}

static const stfi_opt options[] = {STFI_OPT_CSV, STFI_OPT_JSON, STFI_OPT_HELP,
                                   STFI_OPT_COUNT};

const stfi_command stfi_cmd_info = {
    .name = "info",
    .words = "",
    .summary = "Print the version, how it was built, and the devices",
    .notes = "A backend that cannot be used is listed with the reason.",
    .max_words = 0,
    .options = options,
    .run = run,
};
