# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
"""Times CuPy's transforms for `steadfast bench --peer cupy`.

Started with a device's number; reads requests from standard input, a line each,
and answers each with a line:

    plan KIND PRECISION IN_PLACE BATCH N...   ok | error WHAT TEXT
    time COUNT                                seconds S, of one of COUNT calls

The first line is "ready VERSION", or "error WHAT TEXT". WHAT is io, device,
memory or unsupported. Arrays are CuPy's own; times are between two events.
"""
import sys


def answer(*words):
    print(*" ".join(str(word) for word in words).split(), flush=True)


def complain(error):
    what = "device"
    if isinstance(error, (NotImplementedError, ValueError, TypeError)):
        what = "unsupported"
    elif "Memory" in type(error).__name__:
        what = "memory"
    answer("error", what, type(error).__name__ + ":", str(error)[:200])


def transform(fft, kind, x, lengths, in_place):
    """Returns a function that transforms x once."""
    axes = tuple(range(1, x.ndim))
    if kind[:3] in ("dct", "dst"):
        one = {"dct": fft.dct, "dst": fft.dst}[kind[:3]]
        several = {"dct": fft.dctn, "dst": fft.dstn}[kind[:3]]
        words = {"type": int(kind[3:]), "overwrite_x": in_place}
        if len(axes) == 1:
            return lambda: one(x, axis=1, **words)
        return lambda: several(x, axes=axes, **words)
    if kind == "c2c":
        return lambda: fft.fftn(x, axes=axes, overwrite_x=in_place)
    if kind == "r2c":
        return lambda: fft.rfftn(x, axes=axes, overwrite_x=in_place)
    if kind == "c2r":
        return lambda: fft.irfftn(x, s=lengths, axes=axes, norm="forward",
                                  overwrite_x=in_place)
    raise NotImplementedError("kind " + kind)


def make(cupy, fft, words):
    kind, precision = words[0], words[1]
    lengths = [int(word) for word in words[4:]]
    shape = [int(words[3])] + lengths
    if kind == "c2r":
        shape[-1] = shape[-1] // 2 + 1
    kinds = {"f32": cupy.float32, "f64": cupy.float64}
    if precision not in kinds:
        raise NotImplementedError("precision " + precision)
    x = cupy.random.standard_normal(shape, dtype=kinds[precision])
    if kind in ("c2c", "c2r"):
        x = x + x * x.dtype.type(0.5) * 1j
        x = x.astype({"f32": cupy.complex64, "f64": cupy.complex128}[precision])
    call = transform(fft, kind, x, lengths, words[2] == "1")
    call()
    cupy.cuda.get_current_stream().synchronize()
    return call


def seconds_of(cupy, call, count):
    start, stop = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    for _ in range(count):
        call()
    stop.record()
    stop.synchronize()
    return cupy.cuda.get_elapsed_time(start, stop) * 1e-3 / count


def serve(cupy, fft):
    call = None
    for line in sys.stdin:
        words = line.split()
        try:
            if words[0] == "plan":
                call = None
                cupy.get_default_memory_pool().free_all_blocks()
                call = make(cupy, fft, words[1:])
                answer("ok")
            else:
                answer("seconds", seconds_of(cupy, call, int(words[1])))
        except Exception as error:  # whatever it is, the caller has to know
            complain(error)


def main():
    try:
        import cupy
        import cupyx.scipy.fft as fft
    except Exception as error:
        answer("error io python3 cannot import cupy:", error)
        return
    try:
        cupy.cuda.Device(int(sys.argv[1])).use()
        cupy.zeros(1)
    except Exception as error:
        answer("error device", error)
        return
    answer("ready", cupy.__version__)
    serve(cupy, fft)


main()
