/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tables as text, CSV and JSON; see table.h. */
#include "tools/command/table.h"

#include <string.h>

stfi_format stfi_format_of(const stfi_args *args)
{
    if (stfi_args_given(args, STFI_OPT_CSV))
        return STFI_FORMAT_CSV;
    if (stfi_args_given(args, STFI_OPT_JSON))
        return STFI_FORMAT_JSON;
    return STFI_FORMAT_TEXT;
}

void stfi_json_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", file);
        else if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void csv_cell(FILE *file, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

/* JSON has no infinity and no NaN: such numbers become text. */
static void json_cell(FILE *file, const stfi_column *column, const char *text)
{
    if (column->numeric && text[0] == '\0')
        fputs("null", file);
    else if (column->numeric && strspn(text, "+-.0123456789eE") == strlen(text))
        fputs(text, file);
    else
        stfi_json_string(file, text);
}

static int width_of(const stfi_column *column)
{
    int name = (int)strlen(column->name);
    return column->width > name ? column->width : name;
}

static void text_cell(FILE *file, const stfi_column *column, int last,
                      const char *text)
{
    int width = width_of(column);

    if (text[0] == '\0')
        text = "-";
    if (column->numeric)
        fprintf(file, "%*s", width, text);
    else if (last)
        fputs(text, file);
    else
        fprintf(file, "%-*s", width, text);
    fputs(last ? "\n" : "  ", file);
}

/* ----------------------------------------------------------------- tables */

void stfi_table_begin(stfi_table *t, FILE *file, stfi_format format,
                      const stfi_column *column, int ncolumns)
{
    *t = (stfi_table){file, format, column, ncolumns, 0};
    if (format == STFI_FORMAT_JSON)
        fputs("[", file);
    for (int c = 0; c < ncolumns; c++) {
        if (format == STFI_FORMAT_CSV)
            fprintf(file, "%s%s", column[c].name,
                    c + 1 < ncolumns ? "," : "\n");
        if (format == STFI_FORMAT_TEXT)
            text_cell(file, &column[c], c + 1 == ncolumns, column[c].name);
    }
}

void stfi_table_row(stfi_table *t, char (*cell)[STFI_CELL_BYTES])
{
    if (t->format == STFI_FORMAT_JSON)
        fputs(t->nrows > 0 ? ",\n  {" : "\n  {", t->file);
    for (int c = 0; c < t->ncolumns; c++) {
        int last = c + 1 == t->ncolumns;

        if (t->format == STFI_FORMAT_JSON) {
            stfi_json_string(t->file, t->column[c].name);
            fputs(": ", t->file);
            json_cell(t->file, &t->column[c], cell[c]);
            fputs(last ? "}" : ", ", t->file);
        } else if (t->format == STFI_FORMAT_CSV) {
            csv_cell(t->file, cell[c]);
            fputs(last ? "\n" : ",", t->file);
        } else {
            text_cell(t->file, &t->column[c], last, cell[c]);
        }
    }
    t->nrows++;
    fflush(t->file); /* each row is shown at once, as rows can be seconds
                      * apart */
}

void stfi_table_end(stfi_table *t)
{
    if (t->format == STFI_FORMAT_JSON)
        fputs(t->nrows > 0 ? "\n]" : "]", t->file);
}

void stfi_table_record(FILE *file, stfi_format format,
                       const stfi_column *column, int ncolumns,
                       char (*cell)[STFI_CELL_BYTES])
{
    int width = 0, printed = 0;

    if (format == STFI_FORMAT_CSV) {
        stfi_table t;
        stfi_table_begin(&t, file, format, column, ncolumns);
        stfi_table_row(&t, cell);
        return;
    }
    for (int c = 0; c < ncolumns; c++)
        if ((int)strlen(column[c].name) > width)
            width = (int)strlen(column[c].name);
    for (int c = 0; c < ncolumns; c++) {
        if (cell[c][0] == '\0')
            continue;
        if (format == STFI_FORMAT_TEXT) {
            fprintf(file, "%-*s  %s\n", width, column[c].name, cell[c]);
            continue;
        }
        fputs(printed++ > 0 ? ",\n  " : "{\n  ", file);
        stfi_json_string(file, column[c].name);
        fputs(": ", file);
        json_cell(file, &column[c], cell[c]);
    }
    if (format == STFI_FORMAT_JSON)
        fputs(printed > 0 ? "\n}\n" : "{}\n", file);
}
