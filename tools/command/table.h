/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of cells as aligned text, CSV or JSON. Cells are text; an empty cell
 * of a numeric column is null in JSON, "-" in text. */
#ifndef STFI_COMMAND_TABLE_H
#define STFI_COMMAND_TABLE_H

#include <stdio.h>

#include "tools/command/options.h"

typedef enum stfi_format {
    STFI_FORMAT_TEXT,
    STFI_FORMAT_CSV,
    STFI_FORMAT_JSON
} stfi_format;

typedef struct stfi_column {
    const char *name;
    int numeric;
    int width; /* width of the column in text; at least that of its name */
} stfi_column;

enum { STFI_CELL_BYTES = 320 };

/* A table that is being printed, row by row. */
typedef struct stfi_table {
    FILE *file;
    stfi_format format;
    const stfi_column *column;
    int ncolumns;
    int nrows;
} stfi_table;

/* The format that --csv and --json ask for. */
stfi_format stfi_format_of(const stfi_args *args);

/* stfi_table_begin() begins a table (CSV and text: the header line; JSON: an
 * array), stfi_table_row() adds a row of one cell per column, and
 * stfi_table_end() ends the table. */
void stfi_table_begin(stfi_table *t, FILE *file, stfi_format format,
                      const stfi_column *column, int ncolumns);
void stfi_table_row(stfi_table *t, char (*cell)[STFI_CELL_BYTES]);
void stfi_table_end(stfi_table *t);

/* Prints one row on its own: the text format has a line per column, JSON is an
 * object, and both leave out columns whose cells are empty. */
void stfi_table_record(FILE *file, stfi_format format,
                       const stfi_column *column, int ncolumns,
                       char (*cell)[STFI_CELL_BYTES]);

/* Prints text as a JSON string, with its quotes. */
void stfi_json_string(FILE *file, const char *text);

#endif
