/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/**
 * @file steadfast.h
 * Fourier transforms and matrix products that check and repair themselves: the
 * public interface.
 *
 * Shape:  arrays of transforms are row-major, the last axis varies fastest;
 *         matrices are as their descriptor says, by default column-major.
 * Units:  sizes, strides and distances are in elements of the array that they
 *         describe (real or complex), never in bytes, unless the name says so.
 * Errors: every call that can fail returns an ::stf_status; outputs are
 *         written only on success, and stf_error_message() says what was wrong.
 * Thread: each function names one of: *any* (callable from any thread at any
 *         time), *one per plan* (one call at a time on the same plan).
 *
 * Process: no call ends the program, prints, or leaves the floating-point
 *         environment or its flags changed; all compute with rounding to
 *         nearest and without traps. Children of fork() may call, too.
 *
 * Forward transforms use exp(-2*pi*i*j*k/N); both directions are unnormalised
 * unless a scale factor says otherwise.
 */
#ifndef STEADFAST_H
#define STEADFAST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && __GNUC__ >= 4
/** Marks what the shared library exports. */
#define STF_API __attribute__((visibility("default")))
#else
#define STF_API
#endif

/** Version of this header; stf_version() gives that of the library. */
#define STF_VERSION_MAJOR 0
#define STF_VERSION_MINOR 1 /**< see ::STF_VERSION_MAJOR */
#define STF_VERSION_PATCH 0 /**< see ::STF_VERSION_MAJOR */

/** Largest number of transformed axes. */
#define STF_MAX_RANK 8

/** Result of a call: 0 is success, positive success with a remark, negative
 *  an error. */
typedef enum stf_status {
    STF_OK = 0,
    STF_CORRECTED = 1,        /**< done; a soft error was repaired */
    STF_UNCHECKED = 2,        /**< done; but not protected as asked */
    STF_ERR_ARGUMENT = -1,    /**< an argument is wrong; nothing was done */
    STF_ERR_UNSUPPORTED = -2, /**< valid, but this device cannot do it */
    STF_ERR_MEMORY = -3,      /**< out of host or device memory */
    STF_ERR_IO = -4,          /**< a file could not be read or written */
    STF_ERR_COMPILE = -5,     /**< a kernel could not be compiled */
    STF_ERR_DEVICE = -6,      /**< the device or its driver failed */
    STF_ERR_UNCORRECTED = -7, /**< a soft error could not be repaired */
    STF_ERR_INTERNAL = -8     /**< a defect of this library */
} stf_status;

/** Name of a status, such as "STF_ERR_ARGUMENT"; never NULL. Thread: any. */
STF_API const char *stf_status_name(stf_status status);

/** The calling thread's last message: which argument, what it was, what is
 *  allowed and what to do. Valid until the thread's next failing call; never
 *  NULL, "" when nothing failed yet. Thread: any. */
STF_API const char *stf_error_message(void);

/** Version of the library, "MAJOR.MINOR.PATCH". Thread: any. */
STF_API const char *stf_version(void);

/** How the library was built, one "key: value" a line. Thread: any. */
STF_API const char *stf_build_info(void);

/* ---------------------------------------------------------------- devices */

/** An open device. */
typedef struct stf_device stf_device;

/** What a device is. Text fields are NUL-terminated; 0 means not known. */
typedef struct stf_device_info {
    char backend[16];           /**< "cpu", "cuda", "hip" */
    char name[32];              /**< name for stf_device_open(), "cpu" */
    char model[128];            /**< the vendor's name for it */
    char arch[64];              /**< instruction set in use, "avx512" */
    char reason[256];           /**< why it cannot be used; "" if it can */
    int32_t available;          /**< 1 if it can be opened */
    int32_t compute_units;      /**< cores or multiprocessors */
    int32_t max_threads;        /**< host threads that a plan may use */
    int32_t simd_bytes;         /**< vector width, 0 on GPUs */
    int64_t memory_bytes;       /**< memory installed */
    int64_t memory_free_bytes;  /**< of that, free now */
    int64_t block_memory_bytes; /**< cache or shared memory of one block */
    int64_t l2_bytes;           /**< cache shared by all blocks */
    double bandwidth;           /**< copy bandwidth, bytes/s read + written */
    double flops_f32;           /**< peak F32 operations per second */
    char driver[32];            /**< version of the vendor's driver */
    char compiler[32];          /**< run-time compiler, "nvrtc 13.0" */
    int64_t reserved[8];        /**< 0 */
} stf_device_info;

/** Opens a device: "cpu", "cuda:0", "hip:1"; NULL or "auto" takes the first
 *  usable of cuda, hip and cpu, or what STEADFAST_DEVICE names.
 *  Errors: ARGUMENT (no such name), DEVICE (absent; the message says why),
 *  MEMORY. Thread: any. */
STF_API stf_status stf_device_open(const char *name, stf_device **dev_p);

/** Closes a device; NULL is a no-op. Plans made on it stay valid until they
 *  are destroyed: they keep the device alive. Thread: any. */
STF_API void stf_device_close(stf_device *dev);

/** Describes an open device. Thread: any. */
STF_API stf_status stf_device_query(const stf_device *dev,
                                    stf_device_info *info_p);

/** Fills up to @p capacity entries with the known devices, absent backends
 *  among them (available = 0, reason set), and returns how many there are.
 *  @p list may be NULL when @p capacity is 0. Thread: any. */
STF_API int stf_device_list(stf_device_info *list, int capacity);

/** Allocates @p bytes of device memory, aligned to at least 64 bytes.
 *  Errors: ARGUMENT, MEMORY. Thread: any. */
STF_API stf_status stf_malloc(stf_device *dev, size_t bytes, void **ptr_p);

/** Frees memory of stf_malloc(); NULL is a no-op. Thread: any. */
STF_API void stf_free(stf_device *dev, void *ptr);

/** Copies @p bytes from host to device memory and waits for that. On a GPU, in
 *  order after what is on the default stream. Thread: any. */
STF_API stf_status stf_upload(stf_device *dev, void *dst, const void *host_src,
                              size_t bytes);

/** Copies @p bytes from device to host memory and waits for that. On a GPU, in
 *  order after what is on the default stream: wait for other streams first.
 *  Errors: ARGUMENT, DEVICE (of earlier work too). Thread: any. */
STF_API stf_status stf_download(stf_device *dev, void *host_dst,
                                const void *src, size_t bytes);

/** Waits for all work on the device, on every stream.
 *  Errors: DEVICE (of that work). Thread: any. */
STF_API stf_status stf_synchronize(stf_device *dev);

/* ----------------------------------------------------- Fourier transforms */

/** Kind of transform. C2R takes the half spectrum that R2C makes:
 *  n[rank-1]/2+1 complex elements along the last axis.
 *
 *  From DCT1 on, n reals become n reals along each axis, by FFTW's formulas
 *  (REDFT00, 10, 01, 11, RODFT00, 10, 01, 11, DHT, R2HC, HC2R), which have no
 *  factors. A kind followed by its inverse multiplies by the logical length:
 *  2(n-1) for DCT1, 2(n+1) for DST1, n for DHT, R2HC and HC2R, else 2n. DCT2 and
 *  DCT3, DST2 and DST3, R2HC and HC2R are each other's inverse, the others their
 *  own. The kind alone says what is computed: such plans run STF_FORWARD; those
 *  whose kinds are all their own inverse run STF_INVERSE, too, which differs in
 *  the scale factor only. R2HC stores the real parts of elements 0 .. n/2 of the
 *  spectrum at k and their imaginary parts at n-k. */
typedef enum stf_kind {
    STF_C2C = 0,
    STF_R2C = 1,
    STF_C2R = 2,
    STF_DCT1 = 3,
    STF_DCT2 = 4,
    STF_DCT3 = 5,
    STF_DCT4 = 6,
    STF_DST1 = 7,
    STF_DST2 = 8,
    STF_DST3 = 9,
    STF_DST4 = 10,
    STF_DHT = 11,
    STF_R2R = 12,  /**< a real to real kind for each axis: stf_fft_desc.kinds */
    STF_R2HC = 13, /**< real to half-complex */
    STF_HC2R = 14  /**< half-complex to real */
} stf_kind;

/** Type of a component of the data; a complex element is two of them. F16 is
 *  binary16 of IEEE 754, BF16 the upper half of an F32; C has no type for them,
 *  and arrays are of uint16_t. */
typedef enum stf_precision {
    STF_F16 = 0,
    STF_BF16 = 1,
    STF_F32 = 2,
    STF_F64 = 3,
    STF_F80 = 4 /**< long double, on the cpu device */
} stf_precision;

/** Sign of the exponent. */
typedef enum stf_direction { STF_FORWARD = -1, STF_INVERSE = 1 } stf_direction;

/** Arithmetic of a transform. NATIVE is in the data's precision or, for F16 and
 *  BF16, in F32: these are converted when they are loaded and rounded when a
 *  pass stores them, as rarely as once. The others are permissions: passes run
 *  NATIVE where there are no stages on matrix units, which are NVIDIA's (BF16 from
 *  sm_80 on) and those of gfx90a (no F16) and gfx942, and where an effort measures
 *  that this is faster; stf_plan_describe() tells.
 *  The contract is the same. Source: [tcFFT], section 3; [SplitFFT], section 3. */
typedef enum stf_compute {
    STF_COMPUTE_NATIVE = 0, /**< arithmetic in the data's precision */
    STF_COMPUTE_TENSOR = 1, /**< F16, BF16: half on matrix units, F32
                                 accumulate */
    STF_COMPUTE_SPLIT = 2   /**< F32 through split half on matrix units */
} stf_compute;

/** What becomes of soft errors. */
typedef enum stf_ft_mode {
    STF_FT_DEFAULT = 0, /**< STEADFAST_FT decides; off without it */
    STF_FT_OFF = 1,
    STF_FT_DETECT = 2,
    STF_FT_CORRECT = 3
} stf_ft_mode;

/** Whose work one checksum covers. THREAD and WARP, of a product: what a thread
 *  or 32 of them compute of a tile (F32, on GPUs, without matrix units). */
typedef enum stf_ft_level {
    STF_FT_AUTO = 0,   /**< BLOCK */
    STF_FT_THREAD = 1, /**< a butterfly; only these are checked */
    STF_FT_WARP = 2,   /**< for matrix products */
    STF_FT_BLOCK = 3,  /**< a transform of a pass; a row of a tile of a
                          product */
    STF_FT_OFFLINE = 4 /**< the whole transform, see stf_ft_desc */
} stf_ft_level;

/** How an error is found and repaired. SIGNAL: each transform of a pass has a
 *  checksum of its own. ONE_SIDED: stf_ft_desc.transactions of them share one,
 *  and are all computed again if it does not hold. TWO_SIDED: they share three,
 *  which tell, if the error is large enough, which one it was. A pass that
 *  overwrites its input, as in place, has SIGNAL's. AUTO is SIGNAL. Matrix
 *  products have ONE_SIDED, and AUTO is that; and, in F32 and F64 on GPUs,
 *  TWO_SIDED: rows and columns locate single elements, which are corrected.
 *  Source: S. Wu et al., "TurboFFT: Co-Designed High-Performance and
 *  Fault-Tolerant Fast Fourier Transform on GPUs", section 4. */
typedef enum stf_ft_scheme {
    STF_FT_SCHEME_AUTO = 0,
    STF_FT_SCHEME_SIGNAL = 1,
    STF_FT_SCHEME_ONE_SIDED = 2,
    STF_FT_SCHEME_TWO_SIDED = 3
} stf_ft_scheme;

/** How a plan is chosen. ESTIMATE: by a model of the device, and what was
 *  measured of it before the library was made; it takes the least time, and depends
 *  on nothing but the device and the descriptor. MEASURE: by what was measured
 *  before about this problem on a device of this model (see
 *  stf_wisdom_export()); without that, the few ways that the model finds best are
 *  measured now, and what was found is kept. EXHAUSTIVE: more of them, longer.
 *  The model's choice stays unless another one is more than 3 % faster. Results
 *  are the same bits for the same wisdom, and as accurate in any case. */
typedef enum stf_effort {
    STF_EFFORT_ESTIMATE = 0,
    STF_EFFORT_MEASURE = 1,
    STF_EFFORT_EXHAUSTIVE = 2
} stf_effort;

/** Is told how much of a call that takes long is done, from 0 to 1, in the thread
 *  of that call; @p data is the caller's. Returns 0 to go on. Anything else ends
 *  the work early: the call then makes do with what it has found. It must not use
 *  the device of the call. */
typedef int32_t (*stf_progress)(void *data, double done);

/** Where the elements of an array lie. stride[a] is the step of axis a, dist
 *  that from one transform of the batch to the next; 0 means packed. Strides
 *  may be negative; one that is never taken, as there is one element, may be
 *  any number. Elements of an output must not share places. */
typedef struct stf_layout {
    int64_t stride[STF_MAX_RANK]; /**< step of each axis */
    int64_t dist;                 /**< step of the batch */
} stf_layout;

/** What protection a plan has.
 *
 *  With level OFFLINE the passes are not checked; instead, for each transform
 *  of the batch, a sum over the input, before the transform, is compared with
 *  one over the output, after it. end_to_end does that in addition to the
 *  checks of passes, and so covers what lies between passes: memory and
 *  addresses. In mode CORRECT an error is repaired by executing the whole
 *  batch again, twice at most, if the input is still there. In place it is
 *  not, as no copy of it is kept (but for transforms of up to 2 MiB on a
 *  CPU): then an error, or results too large for the precision, count as
 *  uncorrectable. On a GPU the device decides this, and the outcome is in
 *  the report, not in the status of stf_execute(). The workspace is about
 *  112 bytes larger for each transform on the cpu, and 80 on a GPU, plus 48
 *  for every 2048 elements of longer transforms there. */
typedef struct stf_ft_desc {
    stf_ft_mode mode;     /**< off, detect or correct */
    stf_ft_level level;   /**< what one checksum covers */
    stf_ft_scheme scheme; /**< kind of checksum */
    int32_t transactions; /**< transforms, or tiles of transforms, that
                                      are judged at once: 1, 2, 4, .. 32;
                                      0: 1, of groups 8 */
    int32_t end_to_end;   /**< 1: also check output against input */
    double threshold;     /**< 0 derived, else relative, > 0 */
} stf_ft_desc;

/** What a plan computes; make one with stf_fft_desc_default() and change it. */
typedef struct stf_fft_desc {
    size_t size_bytes;       /**< sizeof of this struct; leave it */
    stf_kind kind;           /**< C2C, R2C, C2R, ... */
    stf_precision precision; /**< of the data */
    stf_compute compute;     /**< of the arithmetic */
    int32_t rank;            /**< 1 .. STF_MAX_RANK */
    int64_t n[STF_MAX_RANK]; /**< logical lengths, each >= 1 */
    int64_t batch;           /**< number of transforms, >= 1 */
    stf_layout in;           /**< where the input lies */
    stf_layout out;          /**< where the output lies */
    double scale_forward;    /**< factor on forward outputs */
    double scale_inverse;    /**< factor on inverse outputs */
    stf_ft_desc ft;          /**< protection against soft errors */
    int32_t threads;         /**< most host threads of any call that takes this
                                  or the plan; 0: the device's default */
    stf_kind kinds[STF_MAX_RANK]; /**< with kind STF_R2R, that of each axis:
                                       DCT1 to DST4, DHT, R2HC or HC2R */
    stf_effort effort;            /**< how the plan is chosen */
    double effort_seconds;        /**< most time to measure in; 0: 0.3 for
                                       MEASURE, 3 for EXHAUSTIVE, and 6 and
                                       60 on a GPU, whose kernels have to be
                                       compiled */
    stf_progress progress;        /**< is told of measurements; may be NULL */
    void *progress_data;          /**< what it gets */
} stf_fft_desc;

/** Sets @p d to the defaults; @p size_bytes is sizeof(stf_fft_desc) of the
 *  caller. Use stf_fft_desc_default() instead. Thread: any. */
STF_API void stf_fft_desc_init(stf_fft_desc *d, size_t size_bytes);

/** The default: 1-D C2C of one F32 element, batch 1, packed, scale 1, no
 *  fault tolerance. Inline, so that the struct may grow. Thread: any. */
static inline stf_fft_desc stf_fft_desc_default(void)
{
    stf_fft_desc d;
    stf_fft_desc_init(&d, sizeof d);
    return d;
}

/** A transform or a matrix product made ready to run on a device. */
typedef struct stf_plan stf_plan;

/** Plans a transform on @p dev. All compiling, measuring, table making and
 *  allocating happens here. The plan keeps no pointer into @p d.
 *  Errors: ARGUMENT (the message names the field), UNSUPPORTED, MEMORY,
 *  COMPILE, DEVICE. Thread: any. */
STF_API stf_status stf_plan_fft(stf_device *dev, const stf_fft_desc *d,
                                stf_plan **plan_p);

/** Transforms device arrays. @p in == @p out works in place, for which both
 *  layouts must agree; with packed layouts, an in-place R2C or C2R has its
 *  real rows padded to 2*(n/2+1) reals as FFTW's are. Otherwise the arrays
 *  must not overlap, and @p in is left as it was. R2C runs STF_FORWARD, C2R
 *  runs STF_INVERSE, only; for real to real kinds see stf_kind. Pointers must
 *  be aligned to their component type. On a GPU the work is put on the default
 *  stream, and the call returns. Errors: ARGUMENT, DEVICE, UNCORRECTED. Thread:
 *  one per plan. */
STF_API stf_status stf_execute(stf_plan *plan, stf_direction direction,
                               const void *in, void *out);

/** As stf_execute(), with a workspace of stf_plan_workspace() bytes, aligned
 *  to 64 bytes, and a stream of the caller's (NULL: the plan's own, the
 *  default). A stream is the vendor's handle, such as a cudaStream_t, of the
 *  plan's device; the cpu ignores it. The call may be captured into a graph,
 *  which arrays, workspace and plan must outlive. Calls that may overlap on
 *  the device need a workspace each. With a workspace of its own per call:
 *  Thread: any; without: one per plan. */
STF_API stf_status stf_execute_on(stf_plan *plan, stf_direction direction,
                                  const void *in, void *out, void *workspace,
                                  void *stream);

/** As stf_execute(), for host arrays on any device. Where device memory is
 *  apart, the arrays pass through it in parts of the batch, copies and
 *  transforms at the same time: they may exceed it, one transform may not.
 *  The first call allocates what later ones reuse. Returns when @p out is
 *  complete. Errors: those of stf_execute(), MEMORY. Thread: one per plan. */
STF_API stf_status stf_execute_host(stf_plan *plan, stf_direction direction,
                                    const void *in, void *out);

/** Bytes of workspace that one call needs; 0 for NULL. Thread: any. */
STF_API size_t stf_plan_workspace(const stf_plan *plan);

/** Writes the schedule as text, cut to @p capacity bytes with the NUL.
 *  Errors: ARGUMENT (NULL, or capacity too small: the text is cut, and the
 *  message says how many bytes it needs). Thread: any. */
STF_API stf_status stf_plan_describe(const stf_plan *plan, char *text,
                                     size_t capacity);

/** Destroys a plan, when its work on the device is done; NULL is a no-op.
 *  Thread: one per plan. */
STF_API void stf_plan_destroy(stf_plan *plan);

/* -------------------------------------------------------- matrix products */

/** Which elements of a matrix are neighbours in memory: those of a column, as
 *  in BLAS and LAPACK, or those of a row, as in C. */
typedef enum stf_order { STF_COLUMN_MAJOR = 0, STF_ROW_MAJOR = 1 } stf_order;

/** What is multiplied: the matrix or its transpose. Of real matrices, the
 *  conjugate transpose is the transpose. */
typedef enum stf_transpose {
    STF_NOTRANS = 0,
    STF_TRANS = 1,
    STF_CONJTRANS = 2
} stf_transpose;

/** Where alpha and beta are: in host memory, read before the call returns, or
 *  in device memory, read when the product is computed. */
typedef enum stf_scalars { STF_ON_HOST = 0, STF_ON_DEVICE = 1 } stf_scalars;

/** As stf_gemm_desc.dist_a or dist_b: one matrix for the whole batch. */
#define STF_SHARED INT64_MIN

/** What a plan of matrix products computes, C = alpha op(A) op(B) + beta C,
 *  for each member of a batch; make one with stf_gemm_desc_default() and change
 *  it. op(A) has m rows and k columns, op(B) k rows and n columns, C m rows and
 *  n columns. A leading dimension is the step from one column to the next
 *  (column-major) or from one row to the next (row-major) of a matrix as it
 *  lies in memory; 0 means packed. It is at least the number of elements of
 *  such a column or row. */
typedef struct stf_gemm_desc {
    size_t size_bytes;         /**< sizeof of this struct; leave it */
    stf_precision precision;   /**< of A and B */
    stf_precision precision_c; /**< of C: the same (or F32 for halves) */
    stf_compute compute;       /**< of the arithmetic: sums of halves are in F32
                                    in any case; SPLIT is for F32 */
    stf_order order;           /**< of all three matrices */
    stf_transpose transa;      /**< op(A) */
    stf_transpose transb;      /**< op(B) */
    int64_t m;                 /**< rows of C, >= 0 */
    int64_t n;                 /**< columns of C, >= 0 */
    int64_t k;                 /**< length of the sums, >= 0 */
    int64_t lda;               /**< leading dimension of A; 0: packed */
    int64_t ldb;               /**< leading dimension of B; 0: packed */
    int64_t ldc;               /**< leading dimension of C; 0: packed */
    int64_t batch;             /**< number of products, >= 1 */
    int64_t dist_a;            /**< from one A to the next; 0: packed, or
                                    ::STF_SHARED */
    int64_t dist_b;            /**< from one B to the next, likewise */
    int64_t dist_c;            /**< from one C to the next; 0: packed. No
                                    element may belong to two of them */
    int32_t scalars;           /**< where alpha and beta are: stf_scalars */
    stf_ft_desc ft;            /**< protection against soft errors */
    int32_t threads;           /**< most host threads of a call; 0: the
                                    device's default */
    stf_effort effort;         /**< how the plan is chosen */
    double effort_seconds;     /**< most time to measure in; 0: as that of
                                    ::stf_fft_desc */
    stf_progress progress;     /**< is told of measurements; may be NULL */
    void *progress_data;       /**< what it gets */
} stf_gemm_desc;

/** Sets @p d to the defaults; @p size_bytes is sizeof(stf_gemm_desc) of the
 *  caller. Use stf_gemm_desc_default() instead. Thread: any. */
STF_API void stf_gemm_desc_init(stf_gemm_desc *d, size_t size_bytes);

/** The default: one product of 1 x 1 matrices in F32, column-major, nothing
 *  transposed, packed, scalars on the host, no fault tolerance. Inline, so
 *  that the struct may grow. Thread: any. */
static inline stf_gemm_desc stf_gemm_desc_default(void)
{
    stf_gemm_desc d;
    stf_gemm_desc_init(&d, sizeof d);
    return d;
}

/** Plans a matrix product on @p dev, in any precision but F80, which only the
 *  cpu device has. All compiling, measuring and allocating happens here. The plan
 *  keeps no pointer into @p d. Errors: ARGUMENT (the message names the field),
 *  UNSUPPORTED, MEMORY, COMPILE, DEVICE. Thread: any. */
STF_API stf_status stf_plan_gemm(stf_device *dev, const stf_gemm_desc *d,
                                 stf_plan **plan_p);

/** Computes C = alpha op(A) op(B) + beta C with device arrays. @p alpha and
 *  @p beta point to one number each of the precision that is computed in: that
 *  of A and B, but F32 for halves.
 *
 *  Special values are those of BLAS: with beta = 0, C is written and not read;
 *  with k = 0, or alpha = 0 on the host, A and B are not read and may be NULL,
 *  and C = beta C; with m = 0 or n = 0 nothing is done. Otherwise Inf and NaN
 *  in A, B or C go into the result as arithmetic has it. What lies between the
 *  columns (rows) of C is left alone. C must not share elements with A or B; A
 *  and B may be the same. Pointers must be aligned to their elements.
 *
 *  |C - exact| <= gamma(k + 2) |alpha| (|op(A)| |op(B)|) + 2 u |beta C| in each
 *  element, gamma(k) = k u / (1 - k u) and u the unit round-off, if nothing
 *  overflows or underflows. Matrix units of halves have twice that, and C in
 *  halves is rounded once more. The bits do not depend on the number of threads.
 *
 *  In all precisions but F80 the products can be protected. Each row of a tile
 *  of C has two checksums. A tile in which one does not hold is computed again, in mode
 *  CORRECT before C is changed. An error of one element of a row is detected if
 *  it is larger than 12 u max(sqrt(k + 16) ||c||, ||a|| ||B||), and in mode
 *  CORRECT half of that, of the norms of the row of op(A) op(B) in the tile, of
 *  the row of op(A), and of the tile's columns of op(B). alpha and beta are
 *  applied twice; storing C is not checked. ft.threshold replaces 6 u
 *  sqrt(k + 16), relative to ||a|| ||B||. With ft.level STF_FT_OFFLINE, in
 *  F32 and F64, the operands are summed up before the product, and C as it was
 *  stored after it; the workspace then has a copy of C. In the report a group
 *  is a tile. For faults on purpose, `pass` is 0, `signal` the member of the
 *  batch, `element` i + j m of C, `stage` the step of k, and `component` what
 *  is struck: 0 the accumulator after that step, 1 the element of A and 2 that
 *  of B in a register, 3 a checksum of the row, 4 the element of C when it is
 *  made. Errors: ARGUMENT, DEVICE, UNCORRECTED. Thread: one per plan. */
STF_API stf_status stf_execute_gemm(stf_plan *plan, const void *alpha,
                                    const void *a, const void *b,
                                    const void *beta, void *c);

/** As stf_execute_gemm(), with a workspace and a stream of the caller's, as
 *  stf_execute_on() has them. With a workspace of its own per call: Thread:
 *  any; without: one per plan. */
STF_API stf_status stf_execute_gemm_on(stf_plan *plan, const void *alpha,
                                       const void *a, const void *b,
                                       const void *beta, void *c,
                                       void *workspace, void *stream);

/** As stf_execute_gemm(), for host arrays and host scalars on any device.
 *  Returns when @p c is complete. Thread: one per plan. */
STF_API stf_status stf_execute_gemm_host(stf_plan *plan, const void *alpha,
                                         const void *a, const void *b,
                                         const void *beta, void *c);

/** C = alpha op(A) op(B) + beta C in F32 with device arrays, without a plan:
 *  the arguments and their order are those of cblas_sgemm(). The device keeps
 *  the plans of the last 64 different calls. Leading dimensions as in
 *  ::stf_gemm_desc. STEADFAST_FT decides about protection.
 *  Errors: those of stf_plan_gemm() and stf_execute_gemm(). Thread: any. */
STF_API stf_status stf_sgemm(stf_device *dev, stf_order order,
                             stf_transpose transa, stf_transpose transb,
                             int64_t m, int64_t n, int64_t k, float alpha,
                             const float *a, int64_t lda, const float *b,
                             int64_t ldb, float beta, float *c, int64_t ldc);

/** As stf_sgemm(), in F64. Thread: any. */
STF_API stf_status stf_dgemm(stf_device *dev, stf_order order,
                             stf_transpose transa, stf_transpose transb,
                             int64_t m, int64_t n, int64_t k, double alpha,
                             const double *a, int64_t lda, const double *b,
                             int64_t ldb, double beta, double *c, int64_t ldc);

/* ----------------------------------------------------------------- wisdom */

/** Writes all wisdom of the process, what plans with an effort above ESTIMATE
 *  found out by measuring, as text: a first line that names the format, then a
 *  line "key value" for each problem. The key has the version of the library,
 *  the device's backend, instruction set and model, the problem, and the effort;
 *  entries of other machines are kept, and are not used here.
 *
 *  The process knows what it measured, what it imported, and what the user's file
 *  had when it was first needed: the file that STEADFAST_WISDOM names, or
 *  "wisdom" in the folder of the kernel cache; "off" stands for none. Plans add
 *  what they measured to that file. Programs may do so at the same time. A file
 *  that cannot be read or written is no error: stf_plan_describe() has a line on
 *  it. What the text says is checked before it is used, and decides only how a
 *  transform or a product is computed.
 *
 *  @p bytes_p, which may be NULL, gets the bytes of the text with its NUL; with
 *  @p capacity 0, nothing else is done. Errors: ARGUMENT (capacity is too small:
 *  the message says how many bytes it needs), MEMORY. Thread: any. */
STF_API stf_status stf_wisdom_export(char *text, size_t capacity,
                                     size_t *bytes_p);

/** As stf_wisdom_export(), into a file, which is replaced as a whole.
 *  Errors: IO, MEMORY. Thread: any. */
STF_API stf_status stf_wisdom_export_file(const char *path);

/** Adds the wisdom of a text, for this process; it precedes what the process had
 *  about the same problems. Lines that are no wisdom are ignored: @p taken_p and
 *  @p ignored_p, which may be NULL, get the number of lines that were taken and
 *  of those that were not. Errors: ARGUMENT (it is not the text of
 *  stf_wisdom_export(), or is longer than 1 MiB), MEMORY. Thread: any. */
STF_API stf_status stf_wisdom_import(const char *text, int64_t *taken_p,
                                     int64_t *ignored_p);

/** As stf_wisdom_import(), from a file. Errors: those, IO. Thread: any. */
STF_API stf_status stf_wisdom_import_file(const char *path, int64_t *taken_p,
                                          int64_t *ignored_p);

/** Forgets all wisdom of the process. The user's file stays as it is, and is not
 *  read again; plans that are made from now on measure anew. Thread: any. */
STF_API void stf_wisdom_forget(void);

/* ------------------------------------------------------- fault tolerance */

/** One residual that was too large. */
typedef struct stf_ft_event {
    int32_t pass;   /**< of the schedule; -1: input to output */
    int64_t signal; /**< transform of the batch, or first of a pair; -1: none */
    double residual; /**< relative to its threshold; > 1; of a
                                      GPU's pass to eight bits */
} stf_ft_event;

/** What checks found. A group is what one checksum covers: one transform of
 *  the batch in a check from input to output. */
typedef struct stf_ft_report {
    int64_t groups_checked;   /**< checksums compared */
    int64_t detected;         /**< groups with an error */
    int64_t located;          /**< of those, with a known transform */
    int64_t corrected;        /**< repaired from checksums */
    int64_t recomputed;       /**< computed once more */
    int64_t uncorrectable;    /**< neither helped */
    int64_t non_finite_input; /**< not to be checked: Inf or NaN came in */
    double max_residual;      /**< largest, relative to its threshold: an
                                      error above 1, about 0.15 when clean */
    stf_ft_event first_event; /**< the detected one of the first transform;
                                      signal -1 if there is none */
    int64_t rechecked;        /**< suspect, computed once more, found to
                                      be rounding */
    int64_t overflowed;       /**< results too large for the precision, of
                                      finite input: no fault */
    int64_t reserved[6];      /**< 0 */
} stf_ft_report;

/** What the checks of a plan found since it was made or since
 *  stf_plan_ft_reset(), in all its executions. Waits for all work on the
 *  device. In a plan without protection all counts are 0.
 *
 *  In mode CORRECT detected = corrected + recomputed + uncorrectable; in mode
 *  DETECT nothing is repaired. stf_execute() on the cpu returns
 *  ::STF_CORRECTED when something was repaired in that call and UNCORRECTED
 *  when something could not be; on a GPU this call does, for all since the
 *  last reset. @p report_p is filled in either way.
 *  Errors: ARGUMENT, DEVICE, UNCORRECTED. Thread: one per plan. */
STF_API stf_status stf_plan_ft_report(stf_plan *plan, stf_ft_report *report_p);

/** Sets all counts of stf_plan_ft_report() to 0. Waits for all work on the
 *  device. Errors: ARGUMENT, DEVICE. Thread: one per plan. */
STF_API stf_status stf_plan_ft_reset(stf_plan *plan);

/** A fault to be suffered: one component of one intermediate value gets
 *  another value. A pass of r stages has the inputs of its stages and its
 *  results, `stage` 0 .. r, where stage s holds what stages before s made, in
 *  the order of Stockham's algorithm; a convolution goes on with the r stages
 *  of its way back, r .. 2r. */
typedef struct stf_fault {
    int32_t pass;        /**< of the schedule */
    int32_t stage;       /**< of the pass */
    int64_t signal;      /**< transform of the batch */
    int64_t element;     /**< of the signal in that pass: number of
                                      the lane times its length + place */
    int32_t component;   /**< 0: real part, 1: imaginary part; of a
                                      product see stf_execute_gemm() */
    int32_t bit;         /**< to be flipped, 0 the least; or -1 */
    double magnitude;    /**< bit -1: added to the component */
    int32_t persistent;  /**< 1: strikes when it is computed again,
                                      too, as a damaged table would */
    int32_t reserved[7]; /**< 0 */
} stf_fault;

/** The next execution of a protected plan suffers these faults: a test of
 *  what protection does. They strike once per execution, in the kernels that
 *  always run. @p count 0 takes back what was not suffered yet.
 *  Errors: ARGUMENT (unprotected; no such value), MEMORY, DEVICE.
 *  Thread: one per plan. */
STF_API stf_status stf_plan_inject(stf_plan *plan, const stf_fault *fault,
                                   int count);

/** A random fault of a plan: a random bit of a random value of a random
 *  signal. The same @p seed gives the same fault for the same schedule,
 *  whatever the device. Errors: ARGUMENT. Thread: any. */
STF_API stf_status stf_plan_draw_fault(const stf_plan *plan, uint64_t seed,
                                       stf_fault *fault_p);

/** Checks that @p out is the transform of @p in, whoever computed it and how:
 *  O(N) work and no transform. The arrays are those of stf_execute() on @p dev
 *  (of the host, for the cpu device), laid out as @p d says; its scale and
 *  ft.threshold count, the rest of ft does not. An in-place transform is
 *  checked by a copy of its input, and the padding of real rows is said by
 *  strides. All precisions but F80, and all kinds. R2C takes STF_FORWARD, C2R
 *  STF_INVERSE.
 *
 *  Each transform of the batch has a residual |e^T y - r^T x|, which is an
 *  error above 6 sqrt(1 + L) u sqrt(N) ||x||, L the stages of radix 2 (twice
 *  as many for large primes), u the unit round-off; for F16 and BF16 that of F32,
 *  and 2 h^2/4 for each axis is added to (1 + L) u^2, h being their own. A single
 *  output element that is wrong by 7/6 of that is found, as are Inf and NaN.
 *  Where the input has Inf or NaN there is nothing to compare with: that is
 *  counted apart.
 *
 *  What it compares with is made in the first call with a length (some tenths
 *  of a second at most up to a million points) and kept by the device.
 *  Returns STF_OK whether or not errors were found: see @p report_p.
 *  On a GPU, the device does it, by kernels that are compiled in the first
 *  call and kept in the cache; where that cannot be, the arrays are copied in
 *  parts. Waits for the default stream; wait for others first.
 *  Errors: ARGUMENT, UNSUPPORTED, MEMORY, DEVICE. Thread: any.
 *  Source: J.-Y. Jou, J. A. Abraham, "Fault-tolerant FFT networks", IEEE
 *  Trans. Computers 37 (1988) 548-561, with another vector e. */
STF_API stf_status stf_check_fft(stf_device *dev, const stf_fft_desc *d,
                                 stf_direction direction, const void *in,
                                 const void *out, stf_ft_report *report_p);

/** Checks that @p c is the matrix product that stf_execute_gemm() would compute
 *  from @p c_before, whoever computed it and how: a few operations per element
 *  of each matrix, and no product. The arrays are those of @p dev (of the host,
 *  for the cpu device), laid out as @p d says; its ft.threshold counts, the rest
 *  of ft does not. @p c_before is C as it was, and is not read if beta is 0; A
 *  and B are not read if alpha or k is 0. All precisions but F80.
 *
 *  Each row of C, weighed by two random vectors of signs, has a residual, which
 *  is suspect above 6 u max(sqrt(k + 20) ||row of C||, |alpha| ||row of A||
 *  ||B||), u the unit round-off; C in halves, whose own is h, has k + 20 +
 *  (h / 2u)^2. ft.threshold above 0 replaces it by a bound
 *  relative to |alpha| ||row of A|| ||B||. A suspect row is compared with the
 *  definition, so that rounding alone is never an error. The report counts
 *  matrices of the batch; first_event.signal is the first that is wrong.
 *
 *  Returns STF_OK whether or not errors were found: see @p report_p. The host
 *  does it, for a GPU by copies of the whole arrays. Waits for the default
 *  stream; wait for others first.
 *  Errors: ARGUMENT, UNSUPPORTED, MEMORY, DEVICE. Thread: any.
 *  Source: R. Freivalds, "Fast probabilistic algorithms", MFCS 1979, Lecture
 *  Notes in Computer Science 74, 57-69. */
STF_API stf_status stf_check_gemm(stf_device *dev, const stf_gemm_desc *d,
                                  const void *alpha, const void *a,
                                  const void *b, const void *beta,
                                  const void *c_before, const void *c,
                                  stf_ft_report *report_p);

#ifdef __cplusplus
}
#endif

#endif
