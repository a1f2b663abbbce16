#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Usage: windows.sh LIBRARY CSV...
# A table of the silent errors among the trials of campaigns (see campaign.c), by
# the line that the flip struck: how many, as what campaign, in the innermost
# function that is ours and not the compiler's, in which function that is not
# inlined, and in which problems. CLASSES="silent claimed" chooses what is
# counted. LIBRARY needs debugging information.
set -eu
library=$1
shift
module=$(basename "$(readlink -f "$library")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# campaign, problem, module, offset
cat "$@" | awk -F, -v classes="${CLASSES:-silent claimed}" '
    BEGIN { n = split(classes, c, " "); for (i = 1; i <= n; i++) wanted[c[i]] }
    $9 in wanted { print $4, $2, $5, $6 }' >"$work/flips"

# addr2line prints the address, then two lines for each frame from the inside.
awk -v prefix="${module%%.so*}.so" 'index($3, prefix) == 1 { print $4 }' \
    "$work/flips" | sort -u >"$work/offsets"
addr2line -a -i -f -e "$library" <"$work/offsets" | awk '
    function flush() {
        if (address != "") print address, inner, outer
    }
    /^0x[0-9a-f]+$/ { flush(); sub(/^0x0*/, "0x"); address = $0
                      inner = outer = ""; next }
    { name = $0; getline; file = $1
      compiler = file ~ /^\/usr\// || file ~ /intrin\.h:/ || file ~ /^\?/
      n = split(file, part, "/")
      line = part[n]
      if (n > 1 && part[n - 1] != ".") line = part[n - 1] "/" line
      if (inner == "" && !compiler) inner = name " " line
      outer = name }
    END { flush() }' >"$work/lines"

awk '
    FILENAME ~ /lines$/ { place[$1] = $2 " " $3 " " $4; next }
    { at = $4 in place ? place[$4] : $3 " " $4 " -"
      key = $1 " " at
      count[key]++
      if (!((key, $2) in seen)) { seen[key, $2]; problems[key] = problems[key] " " $2 }
      total[$1]++ }
    END {
        for (key in count) {
            split(key, k, " ")
            printf "%-8s %5d %5.1f%% %s %s (in %s)%s\n", k[1], count[key],
                100 * count[key] / total[k[1]], k[2], k[3], k[4], problems[key]
        }
    }' "$work/lines" "$work/flips" | sort -k1,1 -k2,2nr
