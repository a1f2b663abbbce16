/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The spectrogram of a sound in half precision, which takes half of the memory of
 * single: R2C of overlapping frames, and C2R of the spectra back to the sound.
 *     spectrogram [--device NAME] [IN.wav OUT.pgm]
 * The input has samples of 16 bits, of which the first channel is taken; time goes
 * to the right in the picture, frequency up. Without files the program makes a
 * chirp, and exits with 0 if each spectrum has its peak where the chirp was, one
 * of them is what direct sums give, and the sound comes back. Build it by
 *     cc spectrogram.c $(pkg-config --cflags --libs steadfast) -lm -o spectrogram */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <steadfast.h>

/* Frame f begins at sample (f-1) HOP; silence is before and after the sound. */
enum { N = 512, HOP = N / 2, BINS = N / 2 + 1, LONGEST = 1 << 28 };

static const double pi = 3.14159265358979323846;

typedef struct sound {
    int rate, count, frames;
    float *sample;      /* [count], at most 1 */
    uint16_t *frame;    /* [frames][N] */
    uint16_t *spectrum; /* [frames][BINS][2] */
} sound;

static int make(sound *s, int rate, int count)
{
    if (rate < 1 || count < 1 || count > LONGEST)
        return 0;
    s->rate = rate;
    s->count = count;
    s->frames = (count - 1) / HOP + 2;
    s->sample = calloc((size_t)count, sizeof *s->sample);
    s->frame = calloc((size_t)s->frames * N, sizeof *s->frame);
    s->spectrum = calloc((size_t)s->frames * BINS * 2, sizeof *s->spectrum);
    return s->sample != NULL && s->frame != NULL && s->spectrum != NULL;
}

/* C has no type for binary16: the nearest one to x. Below 2^-14 they are multiples
 * of 2^-24. */
static uint16_t half_of(double x)
{
    int e, bits;

    (void)frexp(x, &e); /* |x| < 2^e */
    if (x == 0 || e < -13)
        e = -13;
    bits = 1024 * (e + 13) + (int)rint(ldexp(fabs(x), 11 - e));
    return (uint16_t)((bits < 0x7c00 ? bits : 0x7c00) | (x < 0 ? 0x8000 : 0));
}

/* The value of a finite one. */
static double of_half(uint16_t h)
{
    int e = h >> 10 & 31, m = (h & 1023) + (e > 0 ? 1024 : 0);

    return ldexp(h >> 15 ? -m : m, (e > 0 ? e : 1) - 25);
}

/* Its square and that of the frame half a frame later have the sum 1. */
static double window(int i)
{
    return sin(pi * (i + 0.5) / N);
}

/* R2C of the frames, or C2R of the spectra, which divides by N. */
static stf_status transform(stf_device *dev, int frames, stf_kind kind,
                            const uint16_t *from, uint16_t *to)
{
    stf_fft_desc d = stf_fft_desc_default();
    size_t bytes[2] = {sizeof *from * (size_t)frames * N,
                       sizeof *from * (size_t)frames * BINS * 2};
    int back = kind == STF_C2R;
    stf_plan *plan = NULL;
    void *in = NULL, *out = NULL;
    stf_status status;

    d.kind = kind;
    d.precision = STF_F16;
    d.compute = STF_COMPUTE_TENSOR; /* on matrix units, where there are any */
    d.n[0] = N;
    d.batch = frames;
    d.scale_inverse = 1.0 / N;
    if ((status = stf_plan_fft(dev, &d, &plan)) == STF_OK
        && (status = stf_malloc(dev, bytes[back], &in)) == STF_OK
        && (status = stf_malloc(dev, bytes[!back], &out)) == STF_OK
        && (status = stf_upload(dev, in, from, bytes[back])) == STF_OK)
        status = stf_execute(plan, back ? STF_INVERSE : STF_FORWARD, in, out);
    if (status >= 0)
        status = stf_download(dev, to, out, bytes[!back]);
    stf_free(dev, in);
    stf_free(dev, out);
    stf_plan_destroy(plan);
    return status;
}

static stf_status analyse(stf_device *dev, sound *s)
{
    for (int64_t i = 0; i < (int64_t)s->frames * N; i++) {
        int64_t at = (i / N - 1) * HOP + i % N;
        double x = at >= 0 && at < s->count ? (double)s->sample[at] : 0;
        s->frame[i] = half_of(window((int)(i % N)) * x);
    }
    return transform(dev, s->frames, STF_R2C, s->frame, s->spectrum);
}

/* Transforms the spectra back and adds the frames up. `loss_p`: the square of what
 * differs from the sound, by that of the sound. */
static stf_status go_back(stf_device *dev, sound *s, double *loss_p)
{
    stf_status status =
        transform(dev, s->frames, STF_C2R, s->spectrum, s->frame);
    double wrong = 0, all = 1e-30;

    for (int i = 0; i < s->count && status >= 0; i++) {
        const uint16_t *first = s->frame + (size_t)(i / HOP) * N;
        int k = i % HOP;
        double x = window(k + HOP) * of_half(first[k + HOP])
                   + window(k) * of_half(first[N + k]);
        wrong += pow(x - (double)s->sample[i], 2);
        all += pow((double)s->sample[i], 2);
    }
    *loss_p = wrong / all;
    return status;
}

static double power(const sound *s, int frame, int bin)
{
    const uint16_t *x = s->spectrum + 2 * ((size_t)frame * BINS + (size_t)bin);

    return pow(of_half(x[0]), 2) + pow(of_half(x[1]), 2);
}

static int peak(const sound *s, int frame)
{
    int best = 0;

    for (int k = 1; k < BINS; k++)
        if (power(s, frame, k) > power(s, frame, best))
            best = k;
    return best;
}

/* --------------------------------------------------------------------- files */

static unsigned int number(FILE *f, int bytes)
{
    unsigned int n = 0;

    for (int i = 0; i < bytes; i++)
        n |= ((unsigned int)getc(f) & 255) << 8 * i;
    return n;
}

static int read_wav(const char *name, sound *s)
{
    FILE *f = fopen(name, "rb");
    unsigned int bytes = 0, channels = 0, rate = 0;
    char head[13] = "", tag[5] = "";
    int ok = f != NULL && fread(head, 12, 1, f) == 1
             && memcmp(head, "RIFF", 4) == 0
             && memcmp(head + 8, "WAVE", 4) == 0;

    while (ok && strcmp(tag, "data") != 0) {
        ok = fseek(f, bytes + bytes % 2, SEEK_CUR) == 0
             && fread(tag, 4, 1, f) == 1;
        bytes = ok ? number(f, 4) : 0;
        if (ok && strcmp(tag, "fmt ") == 0) {
            ok = bytes >= 16 && number(f, 2) == 1; /* integers */
            channels = number(f, 2);
            rate = number(f, 4);
            ok = ok && number(f, 4) > 0 && number(f, 2) > 0
                 && number(f, 2) == 16;
            bytes -= 16;
        }
    }
    ok = ok && channels > 0 && rate <= 1 << 20
         && bytes / 2 / channels <= LONGEST
         && make(s, (int)rate, (int)(bytes / 2 / channels));
    for (int i = 0; ok && i < s->count; i++) {
        s->sample[i] = (float)(int16_t)number(f, 2) / 32768;
        ok = !feof(f) && fseek(f, 2 * (long)(channels - 1), SEEK_CUR) == 0;
    }
    if (f != NULL)
        fclose(f);
    return ok;
}

/* The picture shows 80 dB. */
static int write_pgm(const char *name, const sound *s)
{
    FILE *f = fopen(name, "wb");
    double most = 1e-30;
    int ok = f != NULL && fprintf(f, "P5\n%d %d\n255\n", s->frames, BINS) > 0;

    for (int i = 0; i < s->frames; i++)
        most = fmax(most, power(s, i, peak(s, i)));
    for (int k = BINS - 1; k >= 0; k--)
        for (int i = 0; ok && i < s->frames; i++) {
            double db = 10 * log10(power(s, i, k) / most + 1e-9);
            ok = putc((int)fmax(0, 255 * (1 + db / 80)), f) != EOF;
        }
    return f != NULL && fclose(f) == 0 && ok;
}

/* --------------------------------------------------------------------- tests */

enum { RATE = 16000, SECONDS = 2, LOW = 300, HIGH = 6300 };

static int make_chirp(sound *s)
{
    if (!make(s, RATE, RATE * SECONDS))
        return 0;
    for (int i = 0; i < s->count; i++) {
        double t = (double)i / RATE;
        double turns = LOW * t + (HIGH - LOW) * t * t / (2 * SECONDS);
        s->sample[i] = (float)sin(2 * pi * turns);
    }
    return 1;
}

/* How many bins the peaks are away from the chirp at most. */
static double distance(const sound *s)
{
    double most = 0;

    for (int f = 1; (f + 1) * HOP <= s->count; f++) {
        double hertz = LOW + (double)(HIGH - LOW) * f * HOP / RATE / SECONDS;
        most = fmax(most, fabs(peak(s, f) - hertz * N / RATE));
    }
    return most;
}

/* The relative error of a spectrum, in the norm, against direct sums. */
static double error_of(const sound *s, int frame)
{
    const uint16_t *in = s->frame + (size_t)frame * N;
    const uint16_t *out = s->spectrum + (size_t)frame * BINS * 2;
    double wrong = 0, all = 0;

    for (int k = 0; k < BINS; k++) {
        double re = 0, im = 0;
        for (int j = 0; j < N; j++) {
            re += of_half(in[j]) * cos(2 * pi * (j * k % N) / N);
            im -= of_half(in[j]) * sin(2 * pi * (j * k % N) / N);
        }
        wrong += pow(of_half(out[2 * k]) - re, 2)
                 + pow(of_half(out[2 * k + 1]) - im, 2);
        all += re * re + im * im;
    }
    return sqrt(wrong / all);
}

/* The library's contract is an error of u sqrt(log2 N), u = 2^-11. */
static int test(stf_device *dev, sound *s, const char **wrong_p)
{
    const double u = 1.0 / 2048;
    double bins = 0, error = 0, loss = 0;

    if (analyse(dev, s) < 0) {
        *wrong_p = stf_error_message();
        return 0;
    }
    bins = distance(s);
    error = error_of(s, s->frames / 2);
    if (go_back(dev, s, &loss) < 0) {
        *wrong_p = stf_error_message();
        return 0;
    }
    printf("%d spectra: peaks %.2f bins from the chirp, error %.2f u, and back "
           "with %.1f dB\n",
           s->frames, bins, error / u, -10 * log10(loss));
    *wrong_p = "the spectra are wrong";
    return bins <= 1 && error <= u * sqrt(log2(N)) && loss < 1e-6;
}

static int show(stf_device *dev, sound *s, const char *name,
                const char **wrong_p)
{
    double loss = 0;
    int best = 0;

    if (analyse(dev, s) < 0 || go_back(dev, s, &loss) < 0) {
        *wrong_p = stf_error_message();
        return 0;
    }
    for (int f = 1; f < s->frames; f++)
        if (power(s, f, peak(s, f)) > power(s, best, peak(s, best)))
            best = f;
    printf("%d spectra: strongest at %.2f s, %.0f Hz, and back with %.1f dB\n",
           s->frames, (double)best * HOP / s->rate,
           (double)peak(s, best) * s->rate / N, -10 * log10(loss + 1e-30));
    *wrong_p = "the output cannot be written";
    return write_pgm(name, s);
}

int main(int argc, char **argv)
{
    int named = argc > 2 && strcmp(argv[1], "--device") == 0, ok = 0;
    char **file = argv + 1 + 2 * named;
    int files = argc - 1 - 2 * named;
    const char *wrong = "usage: spectrogram [--device NAME] [IN.wav OUT.pgm]";
    sound s = {0, 0, 0, NULL, NULL, NULL};
    stf_device *dev = NULL;

    if (files == 0 || files == 2) {
        wrong = "the input is no WAV file of 16 bits, or too long";
        ok = files == 0 ? make_chirp(&s) : read_wav(file[0], &s);
    }
    if (ok && stf_device_open(named ? argv[2] : "cpu", &dev) < 0) {
        wrong = stf_error_message();
        ok = 0;
    }
    if (ok)
        ok =
            files == 0 ? test(dev, &s, &wrong) : show(dev, &s, file[1], &wrong);
    if (!ok)
        fprintf(stderr, "spectrogram: %s\n", wrong);
    stf_device_close(dev);
    free(s.sample);
    free(s.frame);
    free(s.spectrum);
    return !ok;
}
