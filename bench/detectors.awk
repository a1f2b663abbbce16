# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Markdown of what `steadfast inject --compare --csv` printed, a table for each
# file, headed by the file's name without its ending.
#     awk -f bench/detectors.awk 1024-f32.csv >1024-f32.md
BEGIN { FS = "," }

function part(missed, flips) {
    return flips == 0 ? "-" \
        : missed == 0 ? "0" : sprintf("%.2f %%", 100 * missed / flips)
}

FNR == 1 {
    title = FILENAME
    sub(/.*\//, "", title)
    sub(/\.csv$/, "", title)
    printf "%s## %s\n\n", (NR > 1 ? "\n" : ""), title
    print "| rule | false alarms | missed of 8x | 16x | 64x | fair factor |" \
        " 8x | 16x | 64x |"
    print "|--|--|--|--|--|--|--|--|--|"
    next
}

{
    printf "| %s | %s of %s | %s | %s | %s |", $1, $3, $2, part($5, $4),
        part($7, $6), part($9, $8)
    if ($10 == "")
        print " | | | |"
    else
        printf " %s | %s | %s | %s |\n", $10, part($11, $4), part($12, $6),
            part($13, $8)
}
