/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Charts of spectra; see spectrum.h. */
#include "tools/command/spectrum.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "support/problem/component.h"
#include "tools/command/svg.h"

enum { TITLE_BYTES = 400, HISTOGRAM = 400 };

static const double FLOOR_DB = -400.0;

/* One frequency axis in the order of rising frequency: `count` elements, `step`
 * elements apart in the array. */
typedef struct band {
    int64_t count, length, step;
    int half;
    double rate; /* samples per second, 0: unknown */
    int axis;
    char label[64];
} band;

/* The array's offset of place i of the band. In a whole spectrum, the negative
 * frequencies come first. */
static int64_t band_place(const band *b, int64_t i)
{
    if (b->half)
        return i * b->step;
    return (i + (b->count + 1) / 2) % b->count * b->step;
}

static stfi_svg_axis band_axis(band *b)
{
    double unit = b->rate > 0.0 ? b->rate : 1.0;
    int64_t first = b->half ? 0 : -(b->count / 2);
    stfi_svg_axis x;

    if (b->rate > 0.0)
        snprintf(b->label, sizeof b->label, "frequency (Hz)");
    else
        snprintf(b->label, sizeof b->label,
                 "frequency along axis %d "
                 "(cycles/sample)",
                 b->axis);
    x.label = b->label;
    x.from = (double)first / (double)b->length * unit;
    x.to = (double)(first + b->count - 1) / (double)b->length * unit;
    if (!(x.to > x.from))
        x.to = x.from + unit / (double)b->length;
    return x;
}

static band make_band(const stfi_array *s, int axis, int last, int64_t length)
{
    band b = {
        .count = s->n[axis], .length = s->n[axis], .step = 1, .axis = axis};

    for (int a = axis + 1; a < s->rank; a++)
        b.step *= s->n[a];
    if (last) {
        b.length = length;
        b.half = s->n[axis] != length || length == 1;
    }
    b.rate = axis == s->rank - 1 ? s->rate : 0.0;
    return b;
}

static double decibels(const stfi_array *s, int64_t place)
{
    long double re =
        stfi_type_read(s->precision, s->data, s->complex ? 2 * place : place);
    long double im = s->complex
                         ? stfi_type_read(s->precision, s->data, 2 * place + 1)
                         : 0.0L;
    double db = 20.0 * (double)log10l(hypotl(re, im));
    return db > FLOOR_DB * 100.0 && isfinite(db) ? db : FLOOR_DB * 100.0;
}

/* Where the value axis begins, in dB relative to the largest value: below all
 * but the smallest 2 % of the values, so that single zeros do not stretch
 * it. */
static double axis_bottom(const int64_t *histogram, int64_t total)
{
    int64_t below = 0;
    int bin = HISTOGRAM - 1;

    while (bin > 0 && below + histogram[bin] <= total / 50)
        below += histogram[bin--];
    return -10.0 * ceil((bin + 6) / 10.0);
}

static void count_value(int64_t *histogram, double db)
{
    int bin = db > FLOOR_DB ? (int)-db : HISTOGRAM - 1;
    histogram[bin < 0 ? 0 : bin >= HISTOGRAM ? HISTOGRAM - 1 : bin]++;
}

/* ------------------------------------------------------------------ lines */

/* The offset of element 0 of signal i, counted over all axes but the
 * transformed one. */
static int64_t signal_base(const stfi_array *s, int axis, int64_t i)
{
    int64_t base = 0, step = 1;

    for (int a = s->rank - 1; a >= 0; a--) {
        if (a != axis) {
            base += i % s->n[a] * step;
            i /= s->n[a];
        }
        step *= s->n[a];
    }
    return base;
}

static void fill_series(const stfi_array *s, const band *b, int64_t base,
                        double peak, stfi_svg_series *series,
                        int64_t *histogram)
{
    series->columns =
        b->count < STFI_SVG_COLUMNS ? (int)b->count : STFI_SVG_COLUMNS;
    for (int c = 0; c < series->columns; c++) {
        int64_t from = b->count * c / series->columns;
        int64_t to = b->count * (c + 1) / series->columns;
        double low = INFINITY, high = -INFINITY;

        for (int64_t i = from; i < to; i++) {
            double db = decibels(s, base + band_place(b, i)) - peak;
            low = db < low ? db : low;
            high = db > high ? db : high;
            count_value(histogram, db);
        }
        series->low[c] = (float)low;
        series->high[c] = (float)high;
    }
}

static stf_status plot_lines(const char *path, const stfi_array *s, int axis,
                             int64_t length, const char *title)
{
    band b = make_band(s, axis, 1, length);
    int64_t signals = stfi_array_count(s) / b.count, histogram[HISTOGRAM];
    int count = signals < STFI_SVG_SERIES ? (int)signals : STFI_SVG_SERIES;
    stfi_svg_lines chart = {.title = title, .count = count};
    double peak = -INFINITY;
    void *memory;
    stf_status status = stfi_alloc((size_t)count * sizeof(stfi_svg_series),
                                   "a picture", &memory);

    if (status != STF_OK)
        return status;
    memset(histogram, 0, sizeof histogram);
    chart.series = memory;
    for (int i = 0; i < count; i++)
        for (int64_t k = 0; k < b.count; k++) {
            double db = decibels(s, signal_base(s, axis, i) + k * b.step);
            peak = db > peak ? db : peak;
        }
    for (int i = 0; i < count; i++) {
        snprintf(chart.series[i].name, sizeof chart.series[i].name, "%s %d",
                 s->rate > 0.0 ? "channel" : "signal", i);
        fill_series(s, &b, signal_base(s, axis, i), peak, &chart.series[i],
                    histogram);
    }
    chart.x = band_axis(&b);
    chart.y = (stfi_svg_axis){"magnitude (dB relative to the peak)",
                              axis_bottom(histogram, count * b.count), 5.0};
    status = stfi_svg_write_lines(path, &chart);
    stfi_dealloc(memory);
    return status;
}

/* --------------------------------------------------------------- heat map */

/* The largest of the values that one cell of the picture covers. */
static double pool(const stfi_array *s, const band *x, const band *y,
                   int64_t x0, int64_t x1, int64_t y0, int64_t y1)
{
    double high = -INFINITY;

    for (int64_t i = y0; i < y1; i++)
        for (int64_t k = x0; k < x1; k++) {
            double db = decibels(s, band_place(y, i) + band_place(x, k));
            high = db > high ? db : high;
        }
    return high;
}

static stf_status plot_heat(const char *path, const stfi_array *s, int row_axis,
                            int axis, int64_t length, const char *title)
{
    band x = make_band(s, axis, 1, length);
    band y = make_band(s, row_axis, 0, 0);
    stfi_svg_heat chart = {.title = title};
    int64_t histogram[HISTOGRAM];
    double peak = -INFINITY;
    float *cell;
    void *memory;
    stf_status status = stfi_alloc(
        STFI_SVG_CELLS * STFI_SVG_CELLS * sizeof *cell, "a picture", &memory);

    if (status != STF_OK)
        return status;
    memset(histogram, 0, sizeof histogram);
    chart.cell = cell = memory;
    chart.columns = x.count < STFI_SVG_CELLS ? (int)x.count : STFI_SVG_CELLS;
    chart.rows = y.count < STFI_SVG_CELLS ? (int)y.count : STFI_SVG_CELLS;
    for (int r = 0; r < chart.rows; r++)
        for (int c = 0; c < chart.columns; c++) {
            double db =
                pool(s, &x, &y, x.count * c / chart.columns,
                     x.count * (c + 1) / chart.columns,
                     y.count * r / chart.rows, y.count * (r + 1) / chart.rows);
            cell[r * chart.columns + c] = (float)db;
            peak = db > peak ? db : peak;
        }
    for (int i = 0; i < chart.rows * chart.columns; i++) {
        cell[i] -= (float)peak;
        count_value(histogram, cell[i]);
    }
    chart.x = band_axis(&x);
    chart.y = band_axis(&y);
    chart.value = (stfi_svg_axis){
        "magnitude (dB relative to the peak)",
        axis_bottom(histogram, chart.rows * chart.columns), 0.0};
    status = stfi_svg_write_heat(path, &chart);
    stfi_dealloc(memory);
    return status;
}

stf_status stfi_spectrum_plot(const char *path, const stfi_array *spectrum,
                              const int axis[STFI_ARRAY_RANK], int64_t length,
                              const char *name)
{
    char title[TITLE_BYTES], shape[200];
    const char *slash = strrchr(name, '/');
    int last = -1, before = -1, others = 0;

    for (int a = 0; a < spectrum->rank; a++)
        if (axis[a]) {
            before = last;
            last = a;
            others++;
        }
    stfi_array_print(spectrum, shape, sizeof shape);
    snprintf(title, sizeof title, "%s of %.60s (%s)",
             others > 2 ? "Central slice of the spectrum" : "Spectrum",
             slash != NULL ? slash + 1 : name, shape);
    return before < 0 ? plot_lines(path, spectrum, last, length, title)
                      : plot_heat(path, spectrum, before, last, length, title);
}
