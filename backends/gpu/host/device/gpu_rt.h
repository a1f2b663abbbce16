/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the GPU backends need from a vendor: a driver (stfi_gpu_rt) and a
 * run-time compiler (stfi_gpu_rtc). Everything else in backends/gpu/ is
 * written once, for these two tables; cuda, hip and the tests' emulated GPU
 * fill them.
 *
 * Rules: no function aborts, prints or exits. The function that detects an
 * error records it with stfi_error() (base/status.h); outputs are written on
 * success only.
 * Functions may be called from any thread, several at once, and leave the
 * vendor's current device or context as they found it. A stream is the
 * vendor's handle as `void *`; NULL is the vendor's default stream. */
#ifndef STFI_DEVICE_GPU_RT_H
#define STFI_DEVICE_GPU_RT_H

#include "backend/queue_ops.h"
#include "device/caps.h"

typedef struct stfi_gpu_dev stfi_gpu_dev;       /* an open device */
typedef struct stfi_gpu_kernel stfi_gpu_kernel; /* code loaded on a device */

/* Resources of a loaded kernel, as stated by the driver or the image. */
typedef struct stfi_gpu_usage {
    int registers;    /* per thread */
    int local_bytes;  /* of local memory per thread; 0 is best */
    int shared_bytes; /* of static shared memory per block */
    int blocks;       /* resident per multiprocessor, 0 if not known */
    int spills; /* twice the loads of local memory of a thousand instructions;
                   functions that the kernel calls do not count; 0 if not known */
} stfi_gpu_usage;

typedef struct stfi_gpu_launch {
    uint32_t blocks;
    uint32_t threads;
    uint32_t shared_bytes; /* of dynamic shared memory per block */
    /* 1: it may begin before the launch before it in the stream has ended, for
     * which the kernel itself waits (wait_for_previous()). */
    uint32_t overlaps;
} stfi_gpu_launch;

typedef struct stfi_gpu_rt {
    const char *name; /* "cuda" */

    /* Counts devices; it is cheap and makes no context. Without a driver or a
     * device it returns OK and 0, and *reason_p (static or thread-local text)
     * says why. */
    stf_status (*probe)(int *ndevices_p, const char **reason_p);
    stf_status (*open)(int index, stfi_gpu_dev **dev_p);
    void (*close)(stfi_gpu_dev *);
    /* Describes the hardware: caps_p->name is the matching row of presets.def
     * ("h200") or "" if none matches; rates that are not known are 0. info_p is
     * as for stf_device_query(). */
    stf_status (*describe)(stfi_gpu_dev *, stfi_caps *caps_p,
                           stf_device_info *info_p);
    /* The architecture that code is compiled for, such as "sm_90". */
    const char *(*arch)(const stfi_gpu_dev *);

    stf_status (*mem_alloc)(stfi_gpu_dev *, size_t bytes, void **ptr_p);
    void (*mem_free)(stfi_gpu_dev *, void *ptr);
    /* Copies after all earlier work of the stream, and waits until that is
     * done. */
    stf_status (*copy)(stfi_gpu_dev *, void *dst, const void *src, size_t bytes,
                       stfi_copy_dir, void *stream);

    /* Loads an image (machine code or PTX) and finds its entry. `launch` is how
     * the kernel will be launched: its dynamic shared memory is enabled, and
     * usage_p->blocks is the number of such blocks. */
    stf_status (*load)(stfi_gpu_dev *, const void *image, size_t bytes,
                       const char *entry, const stfi_gpu_launch *launch,
                       stfi_gpu_kernel **kernel_p, stfi_gpu_usage *usage_p);
    void (*unload)(stfi_gpu_dev *, stfi_gpu_kernel *);
    /* Launches asynchronously. It allocates nothing and may be captured into a
     * graph. args is one struct, which is copied before the call returns. */
    stf_status (*launch)(stfi_gpu_dev *, const stfi_gpu_kernel *,
                         const stfi_gpu_launch *, const void *args,
                         size_t args_bytes, void *stream);
    stf_status (*sync)(stfi_gpu_dev *, void *stream); /* NULL: everything */
    /* As in stfi_queue_ops. */
    stf_status (*time_work)(stfi_gpu_dev *, stfi_work *work, void *arg,
                            int count, int replay, double *seconds_p);

    /* As in stfi_queue_ops and stfi_device_ops; each may be NULL. */
    stf_status (*stream_create)(stfi_gpu_dev *, void **stream_p);
    void (*stream_destroy)(stfi_gpu_dev *, void *stream);
    stf_status (*host_alloc)(stfi_gpu_dev *, size_t bytes, void **ptr_p);
    void (*host_free)(stfi_gpu_dev *, void *ptr);
    stf_status (*copy_async)(stfi_gpu_dev *, void *dst, const void *src,
                             size_t bytes, stfi_copy_dir, void *stream);
} stfi_gpu_rt;

typedef struct stfi_gpu_rtc {
    const char *name; /* "nvrtc" */
    /* Writes the version, such as "13.0". Errors: COMPILE, saying why there is
     * no compiler. */
    stf_status (*version)(char *text, size_t capacity);
    /* The options of compile() except the architecture, as text. It is part of
     * the cache key, since other options make other kernels. Needs no
     * compiler. */
    const char *(*options)(void);
    /* Compiles the kernel sources of backends/gpu/kernels/ (embedded in the
     * library) with `config` as config.h. arch "sm_90" yields machine code,
     * or PTX where the compiler is older than that; "compute_75" PTX. *image_p
     * is freed by stfi_dealloc().
     * Errors: COMPILE with the first lines of the compiler's log; MEMORY. */
    stf_status (*compile)(const char *arch, const char *entry,
                          const char *config, void **image_p, size_t *bytes_p);
    /* The library that the user names, or NULL, and the path of the one that
     * is loaded, or NULL as long as none is. Both functions are NULL for a
     * compiler that costs nothing to load. */
    const char *(*named)(void);
    const char *(*library)(void);
} stfi_gpu_rtc;

#endif
