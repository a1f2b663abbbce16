# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Markdown of what `steadfast bench --suite r2r --peer NAME --csv` printed: for
# each kind the peer's time over ours in both precisions, as geometric mean and
# least, and then a table of all lengths. Files of several runs may be named.
#     awk -f bench/rows.awk -f bench/r2r.awk r2r-*.csv >results.md
!ours {
    peer = $at["lib"]
    next
}

$at["ratio_to_peer"] + 0 > 0 {
    kind = $at["kind"]
    group = kind " " $at["precision"]
    ratio = $at["ratio_to_peer"] + 0
    if (!(kind in kinds)) {
        kinds[kind] = 1
        list[++count] = kind
    }
    logs[group] += log(ratio)
    if (!n[group]++ || ratio < least[group]) {
        least[group] = ratio
        where[group] = $at["dims"]
    }
    all[$at["precision"]] += log(ratio)
    total[$at["precision"]]++
    if (!(($at["dims"], kind) in known)) {
        known[$at["dims"], kind] = 1
        shape[kind, ++shapes[kind]] = $at["dims"]
    }
    cell[kind, $at["dims"], $at["precision"]] = \
        sprintf("%.2f (%.3g)", ratio, $at["gflops"])
}

function mean(group) {
    return n[group] ? sprintf("%.2f", exp(logs[group] / n[group])) : "-"
}

function worst(group) {
    return n[group] ? sprintf("%.2f (%s)", least[group], where[group]) : "-"
}

function value(kind, dims, precision) {
    return (kind, dims, precision) in cell ? cell[kind, dims, precision] : "-"
}

END {
    print "| kind | lengths | F32: mean | least | F64: mean | least |"
    print "|--|--|--|--|--|--|"
    for (k = 1; k <= count; k++) {
        kind = list[k]
        printf "| %s | %d | %s | %s | %s | %s |\n", kind, shapes[kind],
            mean(kind " f32"), worst(kind " f32"), mean(kind " f64"),
            worst(kind " f64")
    }
    printf "| all | %d |", total["f32"]
    for (p = 32; p <= 64; p += 32)
        printf " %s | |", total["f" p] \
            ? sprintf("%.2f", exp(all["f" p] / total["f" p])) : "-"
    print ""
    for (k = 1; k <= count; k++) {
        printf "\n## %s\n\n", list[k]
        print "| N | F32 | F64 |"
        print "|--|--|--|"
        for (i = 1; i <= shapes[list[k]]; i++)
            printf "| %s | %s | %s |\n", shape[list[k], i],
                value(list[k], shape[list[k], i], "f32"),
                value(list[k], shape[list[k], i], "f64")
    }
}
