#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Usage: windows.sh LIBRARY CSV...
# A table of the silent errors among the trials of campaigns (see campaign.c) by
# the place that the flip struck: campaign, number, share, the innermost function
# that is ours and not the compiler's, with its line, the function that it is
# inlined into, and the problems. BY=function leaves the lines out, and CLASSES,
# "silent claimed" without it, says what is counted. LIBRARY needs debugging
# information.
set -eu
library=$1
shift
module=$(basename "$library")
module=${module%%.so*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# campaign, problem, module, offset
cat "$@" | awk -F, -v classes="${CLASSES:-silent claimed}" '
    BEGIN {
        n = split(classes, c, " ")
        for (i = 1; i <= n; i++)
            wanted[c[i]] = 1
    }
    $9 in wanted { print $4, $2, $5, $6 }' >"$work/flips"

# addr2line prints the address, then two lines for each frame from the inside.
awk -v module="$module" 'index($3, module) == 1 { print $4 }' "$work/flips" |
    sort -u >"$work/offsets"
addr2line -a -i -f -e "$library" <"$work/offsets" |
    awk -v by="${BY:-line}" '
    function flush() {
        if (address != "")
            print address, inner == "" ? outer " ?" : inner, outer
    }
    /^0x[0-9a-f]+$/ {
        flush()
        address = $0
        sub(/^0x0*/, "0x", address)
        inner = outer = ""
        next
    }
    {
        name = outer = $0
        getline
        if (inner != "" || $1 ~ /^(\/usr\/|\?)/ || $1 ~ /intrin\.h:/)
            next
        n = split($1, part, "/")
        line = n > 1 ? part[n - 1] "/" part[n] : part[n]
        if (by == "function")
            sub(/:.*/, "", line)
        inner = name " " line
    }
    END { flush() }' >"$work/lines"

awk '
    FILENAME ~ /lines$/ { place[$1] = $2 " " $3 " (in " $4 ")"; next }
    {
        total[$1]++
        at = $1 SUBSEP ($4 in place ? place[$4] : $3 " " $4)
        count[at]++
        if (!((at, $2) in seen)) {
            seen[at, $2] = 1
            problems[at] = problems[at] " " $2
        }
    }
    END {
        for (at in count) {
            split(at, part, SUBSEP)
            printf "%-8s %5d %5.1f %% %s%s\n", part[1], count[at],
                100 * count[at] / total[part[1]], part[2], problems[at]
        }
    }' "$work/lines" "$work/flips" | sort -k1,1 -k2,2nr
