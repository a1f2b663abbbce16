#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Usage: campaigns.sh CAMPAIGN FOLDER [COUNTS [SEED]]
# Runs all campaigns one after the other, with CAMPAIGN, the program. FOLDER gets
# a csv of trials each, and table.csv with all tallies. ISAS, MODES and PROBLEMS
# in the environment choose among them. What FOLDER already has is not run again.
set -eu
campaign=$1 folder=$2 counts=${3:-3000,3000,1000,1000} seed=${4:-1}
mkdir -p "$folder"
for isa in ${ISAS:-avx2 avx512 base}; do
    for mode in ${MODES:-correct off detect correct+e2e}; do
        for problem in ${PROBLEMS:-$("$campaign" list)}; do
            name=$folder/$(echo "$isa-$mode-$problem" | tr ':*' '__')
            [ ! -s "$name.tally" ] || continue
            STEADFAST_ISA=$isa "$campaign" "$problem" "$mode" "$counts" "$seed" \
                --csv "$name.csv" >"$name.part" &&
                mv "$name.part" "$name.tally" ||
                echo "$isa $mode $problem failed" >&2
        done
    done
done
awk 'FNR > 1 || NR == 1' "$folder"/*.tally >"$folder/table.csv"
