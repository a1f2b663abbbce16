#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Campaigns of faults in the registers of GPU kernels, on the first GPU:
#
#   campaign.sh BUILD RESULTS SECONDS [DATA,ADDRESS,PREDICATE [SEED [JOBS]]]
#
# runs BUILD/tests/flip/gpu/flips, which `make check` builds, for each problem
# of problems.def in each mode, JOBS at a time, with so many faults in registers
# of each kind and within so many seconds. It writes to the folder RESULTS:
#   table.txt      per mode and kind of register: trials, and how they ended
#   table.csv      the same for each problem
#   windows.csv    silent errors of protected plans, by place in the source
#   silent.csv     each of these
#   trials.csv.gz  every trial
#   log.txt        what failed
# MODES and PROBLEMS in the environment choose among campaigns, WORK is a folder
# that keeps what is compiled. PTXAS names the assembler.
# shellcheck disable=SC2016,SC2086 # programs of sh and awk, lists of words
set -euf

usage()
{
    sed -n '5,18s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

[ $# -ge 3 ] || usage
flips=$1/tests/flip/gpu/flips results=$2 seconds=$3
trials=${4:-300,80,40} seed=${5:-1} jobs=${6:-6}
modes=${MODES:-correct correct+e2e off}
[ -x "$flips" ] || { echo "campaign.sh: $flips is not there" >&2; exit 2; }
problems=${PROBLEMS:-$("$flips" list)}
work=${WORK:-$(mktemp -d "${TMPDIR:-/tmp}/stf-flips.XXXXXX")}
rm -rf "$work/trials" "$work/sums" "$work/log.txt"
mkdir -p "$work/kernels" "$work/trials" "$work/sums" "$results"
STEADFAST_CACHE_DIR=$work/cache
export STEADFAST_CACHE_DIR

# A campaign may take three times its share of the time: most take less.
set -- $modes
count=$#
set -- $problems
count=$((count * $#))
most=$((3 * seconds * jobs / count + 30))
end=$(($(date +%s) + seconds))
number=0
for mode in $modes; do
    for problem in $problems; do
        number=$((number + 1))
        echo "$problem $mode $number"
    done
done | xargs -P "$jobs" -L 1 sh -c '
    left=$(($4 - $(date +%s)))
    [ "$left" -gt 0 ] || exit 0
    [ "$left" -le "$5" ] || left=$5
    "$0" "$6" "$7" "$2" "$3" "$left" "$1/kernels" "$1/trials/$8" \
        >"$1/sums/$8" 2>>"$1/log.txt" || echo "$6 $7: $?" >>"$1/log.txt"
' "$flips" "$work" "$trials" "$seed" "$end" "$most"

{
    echo "problem,mode,kind,trials,exact,benign,corrected,detected,sdc,claimed,crash,hang,false,clean_error,sites,missed,lasting"
    find "$work/sums" -type f -exec cat {} + | sort
} >"$results/table.csv"
{
    echo "# seed $seed, $trials trials of each problem"
    tail -n +2 "$results/table.csv" | awk -F, '
        {
            key = sprintf("%-12s %-10s", $2, $3)
            if (!(key in n)) keys[++count] = key
            n[key] += $4
            for (i = 5; i <= 13; i++) sum[key, i] += $i
        }
        END {
            printf "%-12s %-10s %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s %8s\n",
                "mode", "register", "trials", "exact", "benign", "correc.",
                "detect.", "sdc", "claimed", "crash", "hang", "false",
                "silent%"
            for (k = 1; k <= count; k++) {
                key = keys[k]
                if (n[key] == 0) continue
                printf "%s %7d", key, n[key]
                for (i = 5; i <= 13; i++) printf " %7d", sum[key, i]
                printf " %8.2f\n", 100 * (sum[key, 9] + sum[key, 10]) / n[key]
            }
        }'
} >"$results/table.txt"

head='problem,mode,kind,trial,class,ratio,launch,kernel,opcode,register,bit,thread,block,occurrence,status,detected,recomputed,uncorrectable,rechecked,other,max_residual,lasting,place'
{
    echo "$head"
    find "$work/trials" -type f -exec cat {} +
} >"$work/all.csv"
gzip -c "$work/all.csv" >"$results/trials.csv.gz"
awk -F, 'NR == 1 || ($2 != "off" && ($5 == "sdc" || $5 == "claimed"))' \
    "$work/all.csv" >"$results/silent.csv"
# The innermost place and the two that it is inlined at.
awk -F, '
    NR == 1 { next }
    {
        n = split($23, at, " < ")
        key = $2 "," $3 "," at[1] (n > 1 ? " < " at[2] : "") \
            (n > 2 ? " < " at[3] : "")
        all[key]++
        if ($5 == "sdc" || $5 == "claimed") bad[key]++
    }
    END {
        for (key in bad)
            if (key !~ /^off,/) print key "," all[key] "," bad[key]
    }' "$work/all.csv" | sort -t, -k5,5nr -k1,4 |
    sed '1i mode,kind,place,trials,silent' >"$results/windows.csv"
cp "$work/log.txt" "$results/log.txt" 2>/dev/null || : >"$results/log.txt"
[ -n "${WORK:-}" ] || rm -rf "$work"
cat "$results/table.txt"
