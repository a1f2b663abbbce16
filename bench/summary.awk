# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Markdown of what `steadfast bench --suite NAME --csv` printed: a table of
# all groups, then one for each group.
#     awk -f bench/rows.awk -f bench/summary.awk results.csv >results.md
BEGIN { first = 1 }

# A peer's row follows ours, one for each kind of protection, which have the
# ratio.
!ours {
    peer = $at["lib"]
    for (i = first; i <= rows; i++) {
        peer_fraction[i] = $at["fraction_of_copy"]
        peer_ms[i] = $at["ms"]
    }
    first = rows + 1
    next
}

{
    rows++
    group = "suite" in at ? $at["suite"] : "all"
    enter(ft == "off" ? group : group " " ft, rows)
    ms[rows] = $at["ms"]
    fraction[rows] = $at["fraction_of_copy"]
    error[rows] = $at["rel_l2_error"]
    ratio[rows] = "ratio_to_peer" in at ? $at["ratio_to_peer"] : ""
    peer_error[rows] = "peer_rel_l2_error" in at ? \
        $at["peer_rel_l2_error"] : ""
}

# "mean | least (dims)" of the positive numbers of a group.
function spread(values, group,    i, r, n, logs, least, where) {
    for (i = 1; i <= size[group]; i++) {
        r = member[group, i]
        if (values[r] + 0 <= 0)
            continue
        logs += log(values[r])
        if (!n++ || values[r] + 0 < least) {
            least = values[r] + 0
            where = dims[r]
        }
    }
    return n ? sprintf("%.2f | %.2f (%s)", exp(logs / n), least, where) \
             : "- | -"
}

function number(format, value) {
    return value == "" ? "-" : sprintf(format, value)
}

function print_group(group,    i, r) {
    printf "\n## %s\n\n", group
    print "| N | batch | ms | fraction of copy | error |" \
        (peer ? " " peer " ms | " peer " fraction | " peer \
         " error | ratio |" : "")
    print "|--|--|--|--|--|" (peer ? "--|--|--|--|" : "")
    for (i = 1; i <= size[group]; i++) {
        r = member[group, i]
        printf "| %s | %s | %s | %s | %s |", dims[r], batch[r],
            number("%.4g", ms[r]), number("%.2f", fraction[r]),
            number("%.1e", error[r])
        if (peer)
            printf " %s | %s | %s | %s |", number("%.4g", peer_ms[r]),
                number("%.2f", peer_fraction[r]),
                number("%.1e", peer_error[r]), number("%.2f", ratio[r])
        printf "\n"
    }
}

END {
    print "| group | problems | fraction of copy: mean | least |" \
        (peer ? " " peer "'s time / ours: mean | least |" : "")
    print "|--|--|--|--|" (peer ? "--|--|" : "")
    for (g = 1; g <= groups; g++)
        print "| " order[g] " | " size[order[g]] " | " \
            spread(fraction, order[g]) " |" \
            (peer ? " " spread(ratio, order[g]) " |" : "")
    for (g = 1; g <= groups; g++)
        print_group(order[g])
}
