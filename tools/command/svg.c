/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Drawing charts; see svg.h. */
#include "tools/command/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/file/outfile.h"

enum { LEFT = 76, TOP = 52, BOTTOM = 58, RIGHT = 28, TICKS = 8 };

/* The part of the picture that is used for data. */
typedef struct frame {
    double left, top, width, height;
} frame;

static const char *const series_colour[STFI_SVG_SERIES] = {
    "#1b6ca8", "#c8553d", "#3a7d44", "#7b4b94"};

/* ------------------------------------------------------------------- text */

/* Bytes of the UTF-8 sequence at s, 0 if there is none. */
static int utf8_length(const unsigned char *s)
{
    int n = s[0] < 0x80                   ? 1
            : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
            : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
            : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                          : 0;

    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

/* Writes text without the characters that XML does not permit. Titles contain
 * file names, which may hold any byte. */
static void put_text(FILE *f, const char *text)
{
    static const char special[] = "&<>\"";
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    const unsigned char *s = (const unsigned char *)text;

    while (*s != '\0') {
        const char *p = strchr(special, *s);
        int n = utf8_length(s);

        if (p != NULL)
            fputs(entity[p - special], f);
        else if (n == 0 || *s < 0x20)
            fputc('?', f);
        else
            fwrite(s, 1, (size_t)n, f);
        s += n > 0 ? n : 1;
    }
}

static void put_label(FILE *f, double x, double y, const char *attributes,
                      const char *text)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    put_text(f, text);
    fputs("</text>\n", f);
}

static void put_head(FILE *f, int width, int height, const char *title)
{
    fprintf(f,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "font-family=\"'DejaVu Sans', Helvetica, Arial, sans-serif\" "
            "font-size=\"12\" fill=\"#333\">\n<title>",
            width, height, width, height);
    put_text(f, title);
    fprintf(f,
            "</title>\n<rect width=\"%d\" height=\"%d\" "
            "fill=\"#fff\"/>\n",
            width, height);
    put_label(f, LEFT, 30,
              "font-size=\"15\" font-weight=\"bold\" "
              "fill=\"#111\"",
              title);
}

/* ------------------------------------------------------------------- axes */

/* The distance of ticks on an axis: 1, 2 or 5 times a power of ten. */
static double tick_step(double from, double to, int most)
{
    double raw = fabs(to - from) / most;
    double power = pow(10.0, floor(log10(raw)));
    double lead = raw / power;
    return power
           * (lead <= 1.0   ? 1.0
              : lead <= 2.0 ? 2.0
              : lead <= 5.0 ? 5.0
                            : 10.0);
}

static void tick_text(double value, double step, char *text, size_t bytes)
{
    int digits = step < 1.0 ? (int)ceil(-log10(step) - 1e-9) : 0;
    if (fabs(value) < step * 1e-6)
        value = 0.0;
    snprintf(text, bytes, "%.*f", digits, value);
}

static void put_x_axis(FILE *f, const frame *r, const stfi_svg_axis *x,
                       int grid)
{
    double step = tick_step(x->from, x->to, TICKS);
    double bottom = r->top + r->height;

    for (double v = ceil(x->from / step - 1e-9) * step;
         v <= x->to + step * 1e-9; v += step) {
        double at = r->left + (v - x->from) / (x->to - x->from) * r->width;
        char text[32];

        fprintf(f, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/>\n", at,
                grid ? r->top : bottom, bottom + 5, grid ? "#e4e4e4" : "#888");
        tick_text(v, step, text, sizeof text);
        put_label(f, at, bottom + 20, "text-anchor=\"middle\"", text);
    }
    put_label(f, r->left + r->width / 2, bottom + 42,
              "text-anchor=\"middle\" font-size=\"13\"", x->label);
}

static void put_y_axis(FILE *f, const frame *r, const stfi_svg_axis *y,
                       int grid)
{
    double step = tick_step(y->from, y->to, TICKS);
    char attributes[160];
    double middle = r->top + r->height / 2;

    for (double v = ceil(y->from / step - 1e-9) * step;
         v <= y->to + step * 1e-9; v += step) {
        double at =
            r->top + r->height - (v - y->from) / (y->to - y->from) * r->height;
        char text[32];

        fprintf(f, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\"/>\n", r->left - 5,
                at, grid ? r->left + r->width : r->left,
                grid ? "#e4e4e4" : "#888");
        tick_text(v, step, text, sizeof text);
        put_label(f, r->left - 9, at + 4, "text-anchor=\"end\"", text);
    }
    snprintf(attributes, sizeof attributes,
             "text-anchor=\"middle\" "
             "font-size=\"13\" transform=\"rotate(-90 %.1f %.1f)\"",
             r->left - 54, middle);
    put_label(f, r->left - 54, middle, attributes, y->label);
}

static void put_border(FILE *f, const frame *r)
{
    fprintf(f,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
            "fill=\"none\" stroke=\"#888\"/>\n",
            r->left, r->top, r->width, r->height);
}

/* ------------------------------------------------------------------ lines */

static double place_x(const frame *r, const stfi_svg_series *s, int column)
{
    return r->left
           + (s->columns > 1 ? column * r->width / (s->columns - 1)
                             : r->width / 2);
}

static double place_y(const frame *r, const stfi_svg_axis *y, double value)
{
    if (!(value > y->from)) /* this is true for NaN, too */
        value = y->from;
    if (value > y->to)
        value = y->to;
    return r->top + r->height
           - (value - y->from) / (y->to - y->from) * r->height;
}

/* Draws the range of each column as an area, and its upper edge as a line. */
static void put_series(FILE *f, const frame *r, const stfi_svg_axis *y,
                       const stfi_svg_series *s, const char *colour)
{
    fprintf(f,
            "<path fill=\"%s\" fill-opacity=\"0.28\" stroke=\"none\" "
            "d=\"",
            colour);
    for (int c = 0; c < s->columns; c++)
        fprintf(f, "%c%.1f %.1f", c == 0 ? 'M' : 'L', place_x(r, s, c),
                place_y(r, y, s->high[c]));
    for (int c = s->columns; c-- > 0;)
        fprintf(f, "L%.1f %.1f", place_x(r, s, c), place_y(r, y, s->low[c]));
    fprintf(f,
            "Z\"/>\n<path fill=\"none\" stroke=\"%s\" "
            "stroke-width=\"1.2\" stroke-linejoin=\"round\" d=\"",
            colour);
    for (int c = 0; c < s->columns; c++)
        fprintf(f, "%c%.1f %.1f", c == 0 ? 'M' : 'L', place_x(r, s, c),
                place_y(r, y, s->high[c]));
    fputs("\"/>\n", f);
    for (int c = 0; c < s->columns && s->columns <= 80; c++)
        fprintf(f,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.4\" fill=\"%s\"/>"
                "\n",
                place_x(r, s, c), place_y(r, y, s->high[c]), colour);
}

static void put_legend(FILE *f, const frame *r, const stfi_svg_lines *c)
{
    for (int i = 0; i < c->count && c->count > 1; i++) {
        double y = r->top + 18 + 18 * i, x = r->left + r->width - 110;
        fprintf(f,
                "<path d=\"M%.1f %.1fh18\" stroke=\"%s\" "
                "stroke-width=\"3\"/>\n",
                x, y - 4, series_colour[i]);
        put_label(f, x + 26, y, "", c->series[i].name);
    }
}

stf_status stfi_svg_write_lines(const char *path, const stfi_svg_lines *c)
{
    const frame r = {LEFT, TOP, 840, 360};
    stfi_outfile out;
    stf_status status = stfi_outfile_open(path, &out);

    if (status != STF_OK)
        return status;
    put_head(out.stream, LEFT + 840 + RIGHT, TOP + 360 + BOTTOM, c->title);
    put_x_axis(out.stream, &r, &c->x, 1);
    put_y_axis(out.stream, &r, &c->y, 1);
    for (int i = 0; i < c->count; i++)
        put_series(out.stream, &r, &c->y, &c->series[i], series_colour[i]);
    put_border(out.stream, &r);
    put_legend(out.stream, &r, c);
    fputs("</svg>\n", out.stream);
    return stfi_outfile_commit(&out);
}

/* --------------------------------------------------------------- heat map */

enum { LEVELS = 64, BAR_WIDTH = 18, BAR_GAP = 26, BAR_ROOM = 110 };

/* The colours go from dark blue to bright yellow. Brightness rises evenly, so
 * that the map is readable in print and for the colour-blind. */
static void level_colour(int level, char *text, size_t bytes)
{
    static const double stops[][3] = {
        {10, 8, 44},    {64, 22, 112},  {134, 38, 122},  {206, 68, 96},
        {244, 136, 64}, {250, 214, 96}, {255, 255, 214},
    };
    enum { LAST = sizeof stops / sizeof *stops - 1 };
    double at = (double)level / (LEVELS - 1) * LAST;
    int stop = at >= LAST ? LAST - 1 : (int)at;
    int rgb[3];

    for (int i = 0; i < 3; i++)
        rgb[i] =
            (int)(stops[stop][i]
                  + (at - stop) * (stops[stop + 1][i] - stops[stop][i]) + 0.5);
    snprintf(text, bytes, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static int level_of(const stfi_svg_axis *value, double v)
{
    double part = (v - value->from) / (value->to - value->from);
    return !(part > 0.0) ? 0 : part >= 1.0 ? LEVELS - 1 : (int)(part * LEVELS);
}

/* Draws all cells of one level as one path, and joins neighbours in a row. */
static void put_level(FILE *f, const stfi_svg_heat *c, int level)
{
    int any = 0;

    for (int row = 0; row < c->rows; row++)
        for (int col = 0; col < c->columns;) {
            const float *line = c->cell + row * c->columns;
            int from = col++;
            if (level_of(&c->value, line[from]) != level)
                continue;
            while (col < c->columns && level_of(&c->value, line[col]) == level)
                col++;
            if (!any++) {
                char colour[16];
                level_colour(level, colour, sizeof colour);
                fprintf(f, "<path fill=\"%s\" d=\"", colour);
            }
            fprintf(f, "M%d %dh%dv1h-%dz", from, c->rows - 1 - row, col - from,
                    col - from);
        }
    if (any)
        fputs("\"/>\n", f);
}

static void put_colour_bar(FILE *f, const frame *r, const stfi_svg_heat *c)
{
    frame bar = {r->left + r->width + BAR_GAP + 60, r->top, BAR_WIDTH,
                 r->height};

    for (int i = 0; i < LEVELS; i++) {
        char colour[16];
        level_colour(i, colour, sizeof colour);
        fprintf(f,
                "<rect x=\"%.1f\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" "
                "fill=\"%s\" shape-rendering=\"crispEdges\"/>\n",
                bar.left, bar.top + bar.height - (i + 1) * bar.height / LEVELS,
                BAR_WIDTH, bar.height / LEVELS + 0.5, colour);
    }
    put_y_axis(f, &bar, &c->value, 0);
    put_border(f, &bar);
}

stf_status stfi_svg_write_heat(const char *path, const stfi_svg_heat *c)
{
    double aspect = (double)c->rows / c->columns;
    frame r = {LEFT, TOP, 560,
               560
                   * (aspect < 0.4   ? 0.4
                      : aspect > 1.2 ? 1.2
                                     : aspect)};
    stfi_outfile out;
    FILE *f;
    stf_status status = stfi_outfile_open(path, &out);

    if (status != STF_OK)
        return status;
    f = out.stream;
    put_head(f, LEFT + 560 + BAR_ROOM + RIGHT, TOP + (int)r.height + BOTTOM,
             c->title);
    fprintf(f,
            "<g shape-rendering=\"crispEdges\" transform=\"translate("
            "%.1f %.1f) scale(%.6f %.6f)\">\n",
            r.left, r.top, r.width / c->columns, r.height / c->rows);
    for (int level = 0; level < LEVELS; level++)
        put_level(f, c, level);
    fputs("</g>\n", f);
    put_x_axis(f, &r, &c->x, 0);
    put_y_axis(f, &r, &c->y, 0);
    put_border(f, &r);
    put_colour_bar(f, &r, c);
    fputs("</svg>\n", f);
    return stfi_outfile_commit(&out);
}
