# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What the scripts here share that read what `steadfast bench --csv` printed.
# It is named before the one that uses it:
#     awk -f bench/rows.awk -f bench/summary.awk results.csv
BEGIN { FS = "," }

FNR == 1 {
    split("", at)
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}

# What is timed of a problem, ours or a peer's, with or without protection.
{
    ours = $at["lib"] == "steadfast"
    ft = $at["ft"]
    problem = ("suite" in at ? $at["suite"] "," : "") $at["device"] "," \
        $at["precision"] "," $at["kind"] "," $at["dims"] "," $at["batch"]
}

# Notes a problem as the row of a group's table.
function enter(group, row) {
    if (!(group in size))
        order[++groups] = group
    member[group, ++size[group]] = row
    dims[row] = $at["dims"]
    batch[row] = $at["batch"]
}
