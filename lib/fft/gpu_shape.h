/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How a GPU's thread block computes a tile: radices, threads, lanes. Pure
 * functions of the tile and the device's limits. Thread: any. */
#ifndef STFI_FFT_GPU_SHAPE_H
#define STFI_FFT_GPU_SHAPE_H

#include "fft/choice.h"
#include "fft/cost.h"

/* Block memory that checks take for each lane, at most, in bytes: the state of
 * a suspect. */
enum { STFI_GPU_CHECK_BYTES = 96 };

/* The most factors of twiddles that a block keeps for a lane. */
enum { STFI_GPU_STEPS_MOST = 96 };

/* The largest radix of stages on matrix units. */
enum { STFI_GPU_MATRIX_RADIX = 16 };

/* The tile that needs a shape: n elements for each lane. */
typedef struct stfi_gpu_tile {
    int64_t n;
    const stfi_axes *axes; /* several axes, whose product is n, or NULL */
    int64_t lanes;         /* lanes of the whole pass */
    size_t real_bytes;     /* of a component in a block */
    size_t stored_bytes;   /* of a component in memory */
    int load_across;       /* neighbouring lanes are neighbours in memory */
    int store_across;
    int far;       /* 1: the elements that it loads are far apart, and it stores
                    long runs */
    int whole;     /* 1: both components must be in block memory at once */
    int extra;     /* elements of block memory for each lane beyond n */
    int conv;      /* 1: convolution, by a transform forth and one back */
    int twiddle;   /* 1: there are twiddles between passes */
    int rising;    /* 1: the largest radix is to be the last one */
    int run;       /* 1: the rows that it loads are one run of memory */
    int store_run; /* the same for those that it stores */
    int halves;    /* 1: it loads half spectra, which it fills in */
    int one_real;  /* 1: rows of single real signals that are runs of memory */
    int orders;    /* 1: the reals of a side have an order of their own */
    int reals;     /* 1: it loads reals */
    int64_t grain; /* a block has as many rows that go through block memory,
                      or a multiple: whole packs of 16 bytes */
    int quads; /* 1: of the columns that it loads, as many neighbouring lanes
                      as 16 bytes have are one piece of memory, at a multiple of
                      16 bytes from the first one */
    int64_t width; /* lanes that a block should have; 0: any number */
    int checked;   /* 1: checks need block memory for each lane */
    int swaps;  /* sides whose threads should swap reals; 1: load, 2: store */
    int matrix; /* 1: stages run on matrix units where there are such */
    int unit_radix; /* the radices 2, 4, 8 and 16 to this one are on units then, and
                   there are no other even ones; 0: 8 and 16 are, where the
                   costs want them */
    int direct;     /* 1: of halves, the first one may take them as memory has
                   them */
    int store_quads; /* as quads, of what is stored */
    int rank;        /* how many cheaper shapes are passed over, below
                   STFI_CHOICE_SHAPES */
} stfi_gpu_tile;

typedef struct stfi_gpu_shape {
    int nstages;
    int radix[STFI_MAX_STAGES];
    unsigned char axis[STFI_MAX_STAGES]; /* of each stage; as in stfi_axes */
    int threads;                         /* per lane */
    int lanes;                           /* per block */
    int held;      /* elements in a thread's registers, at most */
    int staged;    /* as in stfi_block */
    int split;     /* 1: block memory holds one component at a time */
    int ahead;     /* as in stfi_block */
    int direct;    /* as in stfi_block */
    int unit_rows; /* as in stfi_block */
    double cost;   /* operations per element, in units of an addition */
} stfi_gpu_shape;

/* Finds the cheapest shape, or one of the next by the tile's rank. Returns 0 if the
 * tile does not fit a block, n has a prime factor that no radix covers, or there
 * are not so many shapes. */
int stfi_gpu_shape_choose(const stfi_gpu_tile *tile, const stfi_caps *caps,
                          stfi_gpu_shape *shape_p);

/* Returns 1 if a thread moves a whole row at once, of rows of halves that are a
 * run of memory. */
int stfi_gpu_shape_one_access(int64_t n, int threads, size_t real_bytes,
                              size_t stored_bytes);

/* Returns 1 for columns of which the next tile may be copied into block memory while
 * one is computed: unprotected ones of halves. */
int stfi_gpu_columns_ahead(const stfi_gpu_tile *tile, const stfi_caps *caps);

/* Returns a width of such columns, `width` or more: runs of 128 bytes if a block has
 * room for them. */
int64_t stfi_gpu_width_ahead(int64_t n, int64_t width, const stfi_caps *caps,
                             size_t real_bytes, size_t stored_bytes);

/* The same of columns that a pass reads from WORK0; `width` if they cannot be copied,
 * as if they are checked. */
int64_t stfi_gpu_block_ahead(int64_t n, int64_t width, int checked,
                             const stfi_caps *caps, size_t real_bytes,
                             size_t stored_bytes);

/* Takes as many lanes as fit block memory, by stfi_gpu_shape_bytes(); block
 * memory holds both components of an element or, if it is too small, one
 * component at a time. Returns 0 if not even one lane fits. */
int stfi_gpu_shape_fit(const stfi_gpu_tile *tile, const stfi_caps *caps,
                       stfi_gpu_shape *shape);

/* Lets a block load the next row while it computes one, if a row leaves no block
 * memory for a second block, and both rows fit. */
void stfi_gpu_shape_go_ahead(const stfi_gpu_tile *tile, const stfi_caps *caps,
                             stfi_gpu_shape *shape);

/* Makes the shape take less block memory: without the tile that is loaded
 * ahead, then one component at a time, then with fewer lanes. Returns 0 if
 * there is none that takes less. */
int stfi_gpu_shape_smaller(const stfi_gpu_tile *tile, const stfi_caps *caps,
                           stfi_gpu_shape *shape);

/* Sets the shape with which matrix units take halves as memory has them. Returns 0
 * if the tile has none. */
int stfi_gpu_shape_direct(const stfi_gpu_tile *tile, const stfi_caps *caps,
                          stfi_gpu_shape *shape_p);

/* Sets the shape of rows that stay halves (stfi_block, unit_rows). Returns 0 if
 * the tile has none. */
int stfi_gpu_shape_unit_rows(const stfi_gpu_tile *tile, const stfi_caps *caps,
                             stfi_gpu_shape *shape_p);

/* Returns 1 unless a stage that the tile's `unit_radix` wants to be on matrix units
 * cannot be, in lanes of so many threads. */
int stfi_gpu_suits_units(const stfi_gpu_tile *tile, const int *radix, int count,
                         int threads);

/* Returns a bit for each stage of the shape that matrix units can compute. */
uint32_t stfi_gpu_shape_matrix(const stfi_gpu_tile *tile, const stfi_caps *caps,
                               const stfi_gpu_shape *shape);

/* Returns 1 if there is a shape for `lanes` rows of n > 1 elements. whole: 1 if
 * block memory must hold both components of all elements, and of one more,
 * at once. */
int stfi_gpu_shape_exists(int64_t n, int lanes, int whole, int checked,
                          const stfi_caps *caps, size_t real_bytes);

/* Returns the block memory of a shape in bytes: without the padding against
 * bank conflicts, but with the next tile if that is loaded ahead. */
int64_t stfi_gpu_shape_bytes(const stfi_gpu_tile *tile,
                             const stfi_gpu_shape *shape);

/* Returns 1 if block memory holds two blocks of this shape. */
int stfi_gpu_shape_is_half(const stfi_gpu_tile *tile, const stfi_caps *caps,
                           const stfi_gpu_shape *shape);

/* Returns how many elements a block can hold at most, over all its lanes. */
int64_t stfi_gpu_block_elements(const stfi_caps *caps, size_t real_bytes);

/* Returns how many elements a lane can have at most in one of several passes:
 * columns are read in runs of at least 16 bytes, or 8 of halves, and twiddles
 * take block memory, too. */
int64_t stfi_gpu_column_elements(const stfi_caps *caps, size_t real_bytes);

/* Returns the number of lanes for a tile of n elements whose lanes are
 * neighbours in memory: enough for wide accesses, but few enough to fit and to
 * leave work for every multiprocessor. */
int stfi_gpu_width(int64_t n, int64_t lanes, int far, const stfi_caps *caps,
                   size_t real_bytes, size_t stored_bytes);

/* Returns the fraction of the copy bandwidth that a side reaches with runs of
 * `bytes` bytes, by run_rates of tuning.def. */
double stfi_gpu_run_efficiency(double bytes, int store, const stfi_caps *caps);

/* Returns the fraction of the copy bandwidth that a pass of a two-level
 * transform reaches, by column_rates of tuning.def. The first pass (`far`)
 * reads columns of n elements that are far apart, the second reads one run and
 * stores columns. Long columns are slow because block memory has no room for
 * several wide tiles. */
double stfi_gpu_column_efficiency(int64_t n, int far, const stfi_caps *caps);

/* Chooses how a length that fits a tile is computed on a GPU for so many lanes: sets the
 * method (radices, Rader or Bluestein) and the tile's length. */
void stfi_gpu_method(int64_t n, double lanes, size_t real_bytes,
                     const stfi_caps *caps, stfi_conv *conv_p, int64_t *tile_p);

#endif
