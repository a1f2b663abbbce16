# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What protection costs, from `steadfast bench --ft all --csv`, for gnuplot: a
# block for each kind of protection, headed by its name, with lines of
#     log2 of the points, cost in %, number of the block, name,
#     number of the shape, shape
# -v precision=f32 takes the problems of one precision only. It comes after
# rows.awk.
!ours || (precision != "" && $at["precision"] != precision) { next }

ft == "off" {
    off[problem] = $at["ms"]
    next
}

problem in off {
    rank = split($at["dims"], n, "x")
    points = 1
    for (i = 1; i <= rank; i++)
        points *= n[i]
    if (!(ft in lines))
        name[++names] = ft
    shape = ($at["kind"] == "c2c" ? "" : $at["kind"] ":") $at["dims"]
    if (!(shape in number))
        number[shape] = ++shapes
    lines[ft] = lines[ft] sprintf("%.6g %.4f %%d %s %d %s\n", \
        log(points) / log(2), 100 * ($at["ms"] / off[problem] - 1), ft, \
        number[shape], shape)
}

END {
    for (i = 1; i <= names; i++) {
        text = lines[name[i]]
        gsub(/%d/, i, text)
        printf "%s\"%s\"\n%s", (i > 1 ? "\n\n" : ""), name[i], text
    }
}
