/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Poisson's equation -(u_xx + u_yy + u_zz) = f in the unit cube, with a boundary
 * condition of another sort on each axis:
 *
 *     x   u = 0 on both sides         DST2, and back by DST3
 *     y   u_y = 0 on both sides       DCT2, and back by DCT3
 *     z   u_z = 0 at 0, u = 0 at 1    DCT4, which is its own way back
 *
 * Unknowns are the values at the middles of cells. The second differences of
 * step h between these have the rows of those transforms as eigenvectors, with
 * eigenvalues (2 - 2 cos w) / h^2; so a solution is a transform, a division and
 * a transform back. The program solves a problem whose solution is known, on two
 * grids, and exits with 0 if the errors are small and fall with h^2. Build it by
 *     cc poisson3d.c $(pkg-config --cflags --libs steadfast) -lm -o poisson3d */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <steadfast.h>

/* The solution u = X(x) Y(y) Z(z), and f. */
static double solution(double x, double y, double z)
{
    return x * (1 - x) * exp(x) * (y * y * (3 - 2 * y)) * (1 - z * z);
}

static double source(double x, double y, double z)
{
    double fx = x * (1 - x) * exp(x), fy = y * y * (3 - 2 * y), fz = 1 - z * z;
    double fxx = -x * (3 + x) * exp(x), fyy = 6 - 12 * y, fzz = -2;

    return -(fxx * fy * fz + fx * fyy * fz + fx * fy * fzz);
}

/* The eigenvalue number k + shift of the second differences of n cells. */
static double eigenvalue(double k, int n)
{
    const double pi = 3.14159265358979323846;

    return (2 - 2 * cos(pi * k / n)) * n * n;
}

/* Solves in place: u holds f before, and the solution after. The plans are
 * protected, so that a soft error in the transforms is found and repaired. */
static stf_status solve(stf_device *dev, const int *n, double *u)
{
    static const stf_kind there[] = {STF_DST2, STF_DCT2, STF_DCT4};
    static const stf_kind back[] = {STF_DST3, STF_DCT3, STF_DCT4};
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *forth = NULL, *home = NULL;
    double *first = u;
    stf_status status;

    d.kind = STF_R2R;
    d.precision = STF_F64;
    d.ft.mode = STF_FT_CORRECT;
    d.rank = 3;
    for (int a = 0; a < 3; a++) {
        d.n[a] = n[a];
        d.kinds[a] = there[a];
    }
    if ((status = stf_plan_fft(dev, &d, &forth)) < 0)
        return status;
    for (int a = 0; a < 3; a++) {
        d.kinds[a] = back[a];
        d.scale_forward /= 2.0 * n[a]; /* 1 / logical length */
    }
    status = stf_plan_fft(dev, &d, &home);
    if (status >= 0)
        status = stf_execute_host(forth, STF_FORWARD, u, u);
    for (int i = 0; i < n[0] && status >= 0; i++)
        for (int j = 0; j < n[1]; j++)
            for (int k = 0; k < n[2]; k++)
                *u++ /= eigenvalue(i + 1, n[0]) + eigenvalue(j, n[1])
                        + eigenvalue(k + 0.5, n[2]);
    if (status >= 0)
        status = stf_execute_host(home, STF_FORWARD, first, first);
    stf_plan_destroy(forth);
    stf_plan_destroy(home);
    return status;
}

/* Fills in f, solves, and returns the largest error, or -1 on failure. */
static double error_on(stf_device *dev, const int *n)
{
    size_t cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    double *u = malloc(cells * sizeof *u), worst = -1;

    for (int pass = 0; pass < 2 && u != NULL; pass++) {
        size_t at = 0;
        for (int i = 0; i < n[0]; i++)
            for (int j = 0; j < n[1]; j++)
                for (int k = 0; k < n[2]; k++, at++) {
                    double x = (i + 0.5) / n[0], y = (j + 0.5) / n[1];
                    double z = (k + 0.5) / n[2];
                    if (pass == 0)
                        u[at] = source(x, y, z);
                    else
                        worst = fmax(worst, fabs(u[at] - solution(x, y, z)));
                }
        if (pass == 0 && solve(dev, n, u) < 0)
            break;
    }
    free(u);
    return worst;
}

int main(void)
{
    const int coarse[] = {36, 30, 25}, fine[] = {72, 60, 50};
    stf_device *dev = NULL;
    double a = -1, b = -1;

    if (stf_device_open("cpu", &dev) >= 0) {
        a = error_on(dev, coarse);
        b = error_on(dev, fine);
    }
    if (a < 0 || b < 0)
        fprintf(stderr, "poisson3d: %s\n", stf_error_message());
    else
        printf("largest error: %.3e on 36 x 30 x 25 cells, %.3e on 72 x 60 x "
               "50, ratio %.3f\n",
               a, b, a / b);
    stf_device_close(dev);
    return !(b > 0 && b < 1e-3 && a / b > 3.8 && a / b < 4.2);
}
