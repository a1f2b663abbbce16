# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# A row for each suite and number of passes, of `steadfast plan --preset P
# --suite cuda --csv`: problems, geometric mean and least of the predicted
# fraction of a copy's bandwidth.
BEGIN { FS = "," }
NR == 1 { next }
{
    key = $1 " | " $3
    if (!(key in count))
        order[++keys] = key
    if (!(key in count) || $5 < least[key]) {
        least[key] = $5
        at[key] = $2
    }
    count[key]++
    logs[key] += log($5)
}
END {
    print "| suite | passes | problems | geometric mean | least | where |"
    print "|--|--|--|--|--|--|"
    for (i = 1; i <= keys; i++) {
        key = order[i]
        printf "| %s | %d | %.3f | %.3f | %s |\n", key, count[key],
            exp(logs[key] / count[key]), least[key], at[key]
    }
}
