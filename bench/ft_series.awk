# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What protection costs, from `steadfast bench --ft all --csv`, for gnuplot: a
# block for each kind of protection, headed by its name, with lines of
#     log2 of the points, cost in %, number of the block, name
# -v precision=f32 takes the problems of one precision only.
BEGIN { FS = "," }

FNR == 1 {
    split("", at)
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}

$at["lib"] != "steadfast" { next }
precision != "" && $at["precision"] != precision { next }

{
    key = $at["device"] "," $at["precision"] "," $at["kind"] "," \
        $at["dims"] "," $at["batch"]
    ft = $at["ft"]
    ms = $at["ms"]
}

ft == "off" {
    off[key] = ms
    next
}

key in off {
    rank = split($at["dims"], n, "x")
    points = 1
    for (i = 1; i <= rank; i++)
        points *= n[i]
    if (!(ft in lines))
        name[++names] = ft
    lines[ft] = lines[ft] sprintf("%.6g %.4f %%d %s\n", \
        log(points) / log(2), 100 * (ms / off[key] - 1), ft)
}

END {
    for (i = 1; i <= names; i++) {
        text = lines[name[i]]
        gsub(/%d/, i, text)
        printf "%s\"%s\"\n%s", (i > 1 ? "\n\n" : ""), name[i], text
    }
}
