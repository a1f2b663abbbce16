# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Markdown of what `steadfast bench --ft all --csv` (or --ft off,correct)
# printed: what each kind of protection costs, a table for each group.
#     awk -f bench/rows.awk -f bench/ft_summary.awk results.csv >results.md

# A peer's row follows ours.
!ours {
    peer = $at["lib"]
    peer_ms[row] = $at["ms"]
    next
}

{
    if (!(problem in known)) {
        known[problem] = ++rows
        enter("suite" in at ? $at["suite"] : $at["kind"] " " $at["precision"],
              rows)
    }
    row = known[problem]
    if (!(ft in column)) {
        column[ft] = ++names
        name[names] = ft
    }
    ms[row, ft] = $at["ms"]
}

function cost(row, ft) {
    return 100 * (ms[row, ft] / ms[row, "off"] - 1)
}

function has_cost(row, ft) {
    return ft != "off" && ms[row, ft] + 0 > 0 && ms[row, "off"] + 0 > 0
}

# "mean | most (dims)" of a group's costs, and the peer's time over ours.
function spread(group, ft,    i, row, n, logs, most, where, peers, ratios) {
    for (i = 1; i <= size[group]; i++) {
        row = member[group, i]
        if (peer_ms[row] + 0 > 0 && ms[row, ft] + 0 > 0) {
            ratios += log(peer_ms[row] / ms[row, ft])
            peers++
        }
        if (!has_cost(row, ft))
            continue
        logs += log(ms[row, ft] / ms[row, "off"])
        if (!n++ || cost(row, ft) > most) {
            most = cost(row, ft)
            where = dims[row]
        }
    }
    return (n ? sprintf("%.1f %% | %.1f %% (%s)", 100 * (exp(logs / n) - 1), \
                        most, where) : "- | -") \
        (peer ? " | " (peers ? sprintf("%.2f", exp(ratios / peers)) : "-") \
              : "")
}

function print_group(group,    i, j, row) {
    printf "\n## %s\n\n| N | batch | off: ms |", group
    for (j = 1; j <= names; j++)
        if (name[j] != "off")
            printf " %s |", name[j]
    printf "\n|--|--|--|"
    for (j = 1; j <= names; j++)
        if (name[j] != "off")
            printf "--|"
    printf "\n"
    for (i = 1; i <= size[group]; i++) {
        row = member[group, i]
        printf "| %s | %s | %.4g |", dims[row], batch[row], ms[row, "off"]
        for (j = 1; j <= names; j++)
            if (name[j] != "off")
                printf has_cost(row, name[j]) \
                    ? sprintf(" %.1f %%%% |", cost(row, name[j])) : " - |"
        printf "\n"
    }
}

END {
    print "| group | protection | cost: mean | most |" \
        (peer ? " " peer "'s time / ours: mean |" : "")
    print "|--|--|--|--|" (peer ? "--|" : "")
    for (g = 1; g <= groups; g++)
        for (j = 1; j <= names; j++)
            if (name[j] != "off" || peer)
                print "| " order[g] " | " name[j] " | " \
                    spread(order[g], name[j]) " |"
    for (g = 1; g <= groups; g++)
        print_group(order[g])
}
