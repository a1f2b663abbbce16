/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Two kinds of charts as SVG pictures: lines over a frequency axis, and a heat
 * map. */
#ifndef STFI_COMMAND_SVG_H
#define STFI_COMMAND_SVG_H

#include "steadfast.h"

enum { STFI_SVG_SERIES = 4, STFI_SVG_COLUMNS = 800, STFI_SVG_CELLS = 192 };

/* One line of a chart: for each column the lowest and highest value. */
typedef struct stfi_svg_series {
    char name[40];
    int columns; /* <= STFI_SVG_COLUMNS */
    float low[STFI_SVG_COLUMNS];
    float high[STFI_SVG_COLUMNS];
} stfi_svg_series;

typedef struct stfi_svg_axis {
    const char *label;
    double from, to;
} stfi_svg_axis;

typedef struct stfi_svg_lines {
    const char *title;
    stfi_svg_axis x, y;
    int count;
    stfi_svg_series *series; /* [count] */
} stfi_svg_lines;

typedef struct stfi_svg_heat {
    const char *title;
    stfi_svg_axis x, y, value;
    int columns, rows; /* each <= STFI_SVG_CELLS */
    const float *cell; /* [rows][columns], row 0 at y.from */
} stfi_svg_heat;

/* Write a picture, whole or not at all. Errors: IO, MEMORY. */
stf_status stfi_svg_write_lines(const char *path, const stfi_svg_lines *c);
stf_status stfi_svg_write_heat(const char *path, const stfi_svg_heat *c);

#endif
