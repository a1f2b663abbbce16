/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The contract between the core and a backend: about sixteen functions over
 * whole schedules. A backend fills one stfi_backend and has a row in
 * registry.c; the core knows nothing else of it.
 *
 * Rules: no function aborts, prints or exits. The function that detects an
 * error records it (base/status.h); callers pass the status on. Outputs are
 * written on success only. exec_launch neither allocates, locks nor compiles,
 * and leaves the executable as it was but for its ledger: any number of threads
 * may launch one executable at once, each with buffers of its own. */
#ifndef STFI_BACKEND_BACKEND_H
#define STFI_BACKEND_BACKEND_H

#include "fft/cost.h"
#include "fft/schedule.h"
#include "ft/ledger.h"

enum { STFI_BACKEND_ABI = 1 };

typedef struct stfi_bctx stfi_bctx; /* an open device, private to a backend */
typedef struct stfi_exec stfi_exec; /* a schedule made ready to run */

typedef enum stfi_copy_dir {
    STFI_TO_DEVICE,
    STFI_TO_HOST,
    STFI_ON_DEVICE
} stfi_copy_dir;

/* Work for a device: puts it on the stream and waits for nothing. */
typedef stf_status stfi_work(void *arg, void *stream);

/* Arrays of one execution. work is aligned to 64 bytes and holds
 * exec_workspace() bytes; in == out runs in place. */
typedef struct stfi_buffers {
    const void *in;
    void *out;
    void *work;
    int inverse;          /* 1: exp(+2 pi i ...) */
    double scale;         /* applied once, by the passes marked `scaled` */
    int64_t first_signal; /* what the ledger calls transform 0 */
    int again;            /* 1: the launch before is repeated on the same input;
                       its persistent faults strike again */
    const void *gate; /* of gated passes: a word of 64 bits in device memory;
                         if it is 0 when they run, they do nothing. NULL:
                         they run. */
} stfi_buffers;

/* Checks from input to output on the device, in one direction, of all of the
 * batch. The weights of `check` are in device memory: e as words of two
 * numbers of eight bits each, bfloat16, the first in the lower half, rows as
 * complex numbers. A backend where the host can read the arrays needs none of
 * this. */
struct stfi_ft_offline;
typedef struct stfi_e2e_exec stfi_e2e_exec;

typedef struct stfi_e2e_desc {
    const struct stfi_ft_offline *check;
    stf_precision precision;
    int64_t batch;
    int64_t dist[2]; /* of the input, the output; in reals */
    int correct;
} stfi_e2e_desc;

typedef struct stfi_e2e_ops {
    /* Errors: MEMORY, DEVICE, COMPILE. */
    stf_status (*create)(stfi_bctx *, const stfi_e2e_desc *,
                         stfi_e2e_exec **exec_p);
    void (*destroy)(stfi_bctx *, stfi_e2e_exec *);
    /* Bytes of workspace, of inputs and outputs of so many elements at
     * most. */
    size_t (*bytes)(int64_t elements, int64_t batch);
    /* Puts one step on the stream, as exec_launch does; `work` is what holds
     * the bytes above. First input(); then the executable's launch and
     * output(), `execution` 0, and, if the input is not overwritten, both
     * again as gate() says, once or twice; then conclude(), which notes what
     * was found. */
    stf_status (*input)(const stfi_e2e_exec *, const void *in, void *work,
                        void *stream);
    stf_status (*output)(const stfi_e2e_exec *, const void *out, void *work,
                         int execution, void *stream);
    stf_status (*conclude)(const stfi_e2e_exec *, void *work, int repeatable,
                           int64_t first_signal, void *stream);
    /* The gate (stfi_buffers) of an execution > 0. */
    const void *(*gate)(const stfi_e2e_exec *, void *work, int execution);
    /* As exec_ledger. */
    stf_status (*ledger)(stfi_e2e_exec *, int reset, stfi_ft_ledger *ledger_p);
} stfi_e2e_ops;

typedef struct stfi_backend {
    uint32_t abi;
    const char *name;
    int priority; /* `auto` takes the highest that can be used */
    /* Cheap, opens nothing. No device is OK and 0; *reason_p (static or the
     * thread's own text) says why. */
    stf_status (*probe)(int *ndevices_p, const char **reason_p);
    stf_status (*open)(int device, stfi_bctx **bctx_p);
    void (*close)(stfi_bctx *);
    stf_status (*caps)(const stfi_bctx *, stfi_caps *caps_p);
    stf_status (*info)(const stfi_bctx *, stf_device_info *info_p);
    stf_status (*supports)(const stfi_bctx *, stf_precision, const stfi_pass *);
    stf_status (*mem_alloc)(stfi_bctx *, size_t bytes, void **ptr_p);
    void (*mem_free)(stfi_bctx *, void *ptr);
    /* Waits until the copy is done, after earlier work of the stream. */
    stf_status (*mem_copy)(stfi_bctx *, void *dst, const void *src,
                           size_t bytes, stfi_copy_dir, void *stream);
    /* `like`, or NULL: an executable that outlives this one, for a schedule
     * that may differ in strides only, so that tables can be shared. */
    stf_status (*exec_create)(stfi_bctx *, const stfi_schedule *, int threads,
                              const stfi_exec *like, stfi_exec **exec_p);
    void (*exec_destroy)(stfi_exec *);
    size_t (*exec_workspace)(const stfi_exec *); /* bytes at buffers.work */
    stf_status (*exec_launch)(stfi_exec *, const stfi_buffers *, void *stream);
    /* Of an executable whose schedule is instrumented. Reads what the checks
     * of finished launches found: sync() first. reset: and forgets it. */
    stf_status (*exec_ledger)(stfi_exec *, int reset, stfi_ft_ledger *ledger_p);
    /* The next launch suffers these faults, each once; with count 0, none.
     * They are valid for the schedule (ft/fault.h). Waits for what the
     * executable is doing. Errors: MEMORY, DEVICE. */
    stf_status (*exec_inject)(stfi_exec *, const stf_fault *fault, int count);
    stf_status (*exec_time)(stfi_exec *, const stfi_buffers *, int reps,
                            double *seconds_p);
    stf_status (*sync)(stfi_bctx *, void *stream);
    const char *(*last_error)(const stfi_bctx *);
    const stfi_e2e_ops *e2e; /* NULL: arrays are the host's */

    /* What a device gains by working while the host goes on. Each may be
     * NULL: run/queue.h says what is done instead. A stream is the vendor's
     * handle, so that users may pass theirs. */
    stf_status (*stream_create)(stfi_bctx *, void **stream_p);
    void (*stream_destroy)(stfi_bctx *, void *stream);
    /* Host memory that is copied from and to at full speed (pinned). */
    stf_status (*host_alloc)(stfi_bctx *, size_t bytes, void **ptr_p);
    void (*host_free)(stfi_bctx *, void *ptr);
    /* As mem_copy, but does not wait; host memory is host_alloc()'s. */
    stf_status (*mem_copy_async)(stfi_bctx *, void *dst, const void *src,
                                 size_t bytes, stfi_copy_dir, void *stream);
    /* Seconds on the device, by events, of `count` runs of the work one after
     * the other. replay: they are captured once into a graph, which is then
     * launched twice; the second launch is timed. */
    stf_status (*time_work)(stfi_bctx *, stfi_work *work, void *arg, int count,
                            int replay, double *seconds_p);
} stfi_backend;

/* What is known of a backend: compiled in or not, and why it cannot run. */
typedef struct stfi_backend_entry {
    const char *name;
    const stfi_backend *backend; /* NULL: not compiled in */
    const char *reason;          /* why not compiled in, else NULL */
} stfi_backend_entry;

/* The backends by falling priority, absent ones among them. */
const stfi_backend_entry *stfi_backend_registry(int *count_p);

#endif
