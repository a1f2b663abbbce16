/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Removes noise from a grey picture: two-dimensional DCTs of its blocks of 8 x 8
 * pixels have a few large coefficients, while the noise is spread over all. The
 * small ones become 0. The blocks are taken at all 64 offsets, and the results
 * averaged, so that no edges of blocks appear.
 *     denoise IN.pgm OUT.pgm [SIGMA]
 * SIGMA is the standard deviation of the noise (default 20 of 255). Without
 * arguments the program makes a picture, adds noise, removes it, and exits with
 * 0 if the signal-to-noise ratio rose by 6 dB or more. Build it by
 *     cc denoise.c $(pkg-config --cflags --libs steadfast) -lm -o denoise */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <steadfast.h>

enum { B = 8 };

typedef struct picture {
    int width, height;
    float *pixel; /* [height][width] */
} picture;

static int make(picture *p, int width, int height)
{
    *p = (picture){width, height, NULL};
    if (width < B || height < B || width > 1 << 15 || height > 1 << 15)
        return 0;
    p->pixel = calloc((size_t)width * (size_t)height, sizeof *p->pixel);
    return p->pixel != NULL;
}

/* Plans transforms of `count` blocks that lie side by side in rows of a picture,
 * to packed blocks of coefficients (DCT2), and back (DCT3). */
static stf_status plan(stf_device *dev, int width, int count, stf_plan **to,
                       stf_plan **back)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_status status;

    d.kind = STF_DCT2;
    d.rank = 2;
    d.n[0] = d.n[1] = B;
    d.batch = count;
    d.in = (stf_layout){.stride = {width, 1}, .dist = B};
    if ((status = stf_plan_fft(dev, &d, to)) < 0)
        return status;
    d.kind = STF_DCT3;
    d.scale_forward = 1.0 / (2 * B) / (2 * B);
    d.out = d.in;
    d.in = (stf_layout){.dist = 0};
    return stf_plan_fft(dev, &d, back);
}

/* Clears coefficients below a limit; those of frequency 0 stay. White noise of
 * standard deviation s has coefficients of 2 B s. */
static void shrink(float *block, int count, float sigma)
{
    for (int i = 0; i < count * B * B; i++)
        if (i % (B * B) != 0 && fabsf(block[i]) < 3 * 2 * B * sigma)
            block[i] = 0;
}

/* Denoises `in`, whose blocks begin at (x, y), and adds the result to sum[] and
 * the number of results to hits[]. */
static stf_status add_offset(stf_device *dev, const picture *in, int x, int y,
                             float sigma, float *sum, float *hits)
{
    int count = (in->width - x) / B;
    size_t coefficients = sizeof(float) * (size_t)count * B * B;
    size_t band = sizeof(float) * (size_t)in->width * B;
    float *block = malloc(coefficients), *result = malloc(band);
    stf_plan *to = NULL, *back = NULL;
    stf_status status = STF_ERR_MEMORY;

    if (block != NULL && result != NULL)
        status = plan(dev, in->width, count, &to, &back);
    for (; y + B <= in->height && status >= 0; y += B) {
        const float *from = in->pixel + (size_t)y * (size_t)in->width + x;
        status = stf_execute(to, STF_FORWARD, from, block);
        shrink(block, count, sigma);
        if (status >= 0)
            status = stf_execute(back, STF_FORWARD, block, result);
        for (int i = 0; i < B * count * B; i++) {
            size_t row = (size_t)(i / (count * B)),
                   at = (size_t)in->width * row;
            size_t pixel = at + (size_t)(i % (count * B));
            size_t place = (size_t)y * (size_t)in->width + (size_t)x + pixel;
            sum[place] += result[pixel];
            hits[place] += 1;
        }
    }
    stf_plan_destroy(to);
    stf_plan_destroy(back);
    free(block);
    free(result);
    return status;
}

static stf_status denoise(const picture *in, float sigma, picture *out)
{
    size_t count = (size_t)in->width * (size_t)in->height;
    float *hits = calloc(count, sizeof *hits);
    stf_device *dev = NULL;
    stf_status status = STF_ERR_MEMORY;

    if (hits != NULL)
        status = stf_device_open("cpu", &dev);
    for (int i = 0; i < B * B && status >= 0; i++)
        if (in->width - i % B >= B && in->height - i / B >= B)
            status = add_offset(dev, in, i % B, i / B, sigma, out->pixel, hits);
    for (size_t i = 0; i < count && status >= 0; i++)
        out->pixel[i] /= hits[i];
    stf_device_close(dev);
    free(hits);
    return status;
}

/* ------------------------------------------------------------- PGM pictures */

/* Reads a number of a PGM header, which comments may stand before. */
static int read_number(FILE *f)
{
    int c, n = 0;

    while ((c = getc(f)) == '#' || c == ' ' || c == '\n' || c == '\r'
           || c == '\t')
        while (c == '#' && (c = getc(f)) != '\n' && c != EOF)
            c = '#';
    for (; c >= '0' && c <= '9' && n < 1 << 20; c = getc(f))
        n = 10 * n + c - '0';
    return n;
}

static int read_pgm(const char *name, picture *p)
{
    FILE *f = fopen(name, "rb");
    int width, height, ok = f != NULL && getc(f) == 'P' && getc(f) == '5';

    if (ok) {
        width = read_number(f);
        height = read_number(f);
        ok = read_number(f) == 255 && make(p, width, height);
    }
    for (size_t i = 0; ok && i < (size_t)width * (size_t)height; i++) {
        int c = getc(f);
        ok = c != EOF;
        p->pixel[i] = (float)c;
    }
    if (f != NULL)
        fclose(f);
    return ok;
}

static int write_pgm(const char *name, const picture *p)
{
    FILE *f = fopen(name, "wb");
    int ok =
        f != NULL && fprintf(f, "P5\n%d %d\n255\n", p->width, p->height) > 0;

    for (size_t i = 0; ok && i < (size_t)p->width * (size_t)p->height; i++)
        ok = putc((int)fminf(255, fmaxf(0, p->pixel[i] + 0.5f)), f) != EOF;
    return f != NULL && fclose(f) == 0 && ok;
}

/* --------------------------------------------------------------------- tests */

/* A disc on a slope with a grating. */
static float clean_at(int x, int y)
{
    float dx = (float)x - 60, dy = (float)y - 50;
    float value = 0.7f * (float)(x + y) + 20 * sinf((float)x / 6);

    return dx * dx + dy * dy < 900 ? 200 : value;
}

/* The ratio in dB of 255 to the root mean square error. */
static double ratio(const picture *p)
{
    double square = 0;

    for (int i = 0; i < p->width * p->height; i++)
        square += pow(p->pixel[i] - clean_at(i % p->width, i / p->width), 2);
    return 10 * log10(255.0 * 255.0 * p->width * p->height / square);
}

static int test(void)
{
    const float sigma = 20;
    unsigned int state = 1;
    double before = 0, after = 0;
    picture in, out;
    int ok = make(&in, 131, 118) & make(&out, 131, 118);

    for (int i = 0; ok && i < in.width * in.height; i++) {
        float noise = -6; /* a sum of 12 uniform numbers is nearly normal */
        for (int k = 0; k < 12; k++) {
            state = state * 1664525u + 1013904223u;
            noise += (float)(state >> 8) / 16777216.0f;
        }
        in.pixel[i] = clean_at(i % in.width, i / in.width) + sigma * noise;
    }
    if (ok && denoise(&in, sigma, &out) >= 0) {
        before = ratio(&in);
        after = ratio(&out);
        printf("%.1f dB before, %.1f dB after\n", before, after);
    } else {
        fprintf(stderr, "denoise: %s\n", stf_error_message());
    }
    free(in.pixel);
    free(out.pixel);
    return !(after >= before + 6);
}

int main(int argc, char **argv)
{
    picture in = {0, 0, NULL}, out = {0, 0, NULL};
    const char *wrong = NULL;

    if (argc == 1)
        return test();
    if (argc < 3 || argc > 4)
        wrong = "usage: denoise IN.pgm OUT.pgm [SIGMA]";
    else if (!read_pgm(argv[1], &in) || !make(&out, in.width, in.height))
        wrong = "the input is no PGM picture of 8 bits, or too large";
    else if (denoise(&in, argc == 4 ? (float)atof(argv[3]) : 20, &out) < 0)
        wrong = stf_error_message();
    else if (!write_pgm(argv[2], &out))
        wrong = "the output cannot be written";
    if (wrong != NULL)
        fprintf(stderr, "denoise: %s\n", wrong);
    free(in.pixel);
    free(out.pixel);
    return wrong != NULL;
}
