# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What the tests of the command share; read by each of them with `.`.
# shellcheck shell=sh

: "${top_builddir:?run me by make check}"
steadfast=${STF_COMMAND:-$top_builddir/steadfast}
[ -x "$steadfast" ] || { echo "Bail out! $steadfast is not there"; exit 99; }

# The results that are expected are the cpu's, where there is a GPU, too.
: "${STEADFAST_DEVICE:=cpu}"
export STEADFAST_DEVICE

work=$(mktemp -d "${TMPDIR:-/tmp}/stf-tools.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
cd "$work" || exit 99
count=0

# report PASS NAME: one TAP line; with a failure, what the command printed
report()
{
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
        return
    fi
    echo "not ok $count - $2"
    for file in command status out err; do
        [ -f "$file.log" ] && sed "s/^/# $file: /" "$file.log" | head -20
    done
}

skip()
{
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

finish()
{
    echo "1..$count"
}

# run ARGUMENT...: runs the command, keeps its output and status
run()
{
    echo "steadfast $*" >command.log
    "$steadfast" "$@" >out.log 2>err.log </dev/null
    status=$?
    echo "$status" >status.log
}

# gives STATUS NAME ARGUMENT...: the command exits with that status
gives()
{
    wanted=$1
    name=$2
    shift 2
    run "$@"
    [ "$status" -eq "$wanted" ]
    report $? "$name"
}

# says STATUS TEXT NAME ARGUMENT...: and its message holds the text
says()
{
    wanted=$1
    text=$2
    name=$3
    shift 3
    run "$@"
    [ "$status" -eq "$wanted" ] && grep -q -- "$text" err.log
    report $? "$name"
}

# prints TEXT NAME ARGUMENT...: succeeds, and standard output holds the text
prints()
{
    text=$1
    name=$2
    shift 2
    run "$@"
    [ "$status" -eq 0 ] && grep -q -- "$text" out.log
    report $? "$name"
}

# parses NAME ARGUMENT...: succeeds, and standard output is JSON
parses()
{
    name=$1
    shift
    if ! command -v python3 >/dev/null 2>&1; then
        skip "$name" "python3 is not there to parse JSON"
        return
    fi
    run "$@"
    [ "$status" -eq 0 ] && python3 -m json.tool out.log >/dev/null 2>>err.log
    report $? "$name"
}

# npy FILE DESCR FORTRAN SHAPE DATA: a .npy file of version 1; DATA is printf's
npy()
{
    printf '\223NUMPY\001\000\166\000' >"$1"
    printf "%-117s\n" \
        "{'descr': '$2', 'fortran_order': $3, 'shape': $4, }" >>"$1"
    # shellcheck disable=SC2059 # the data are escapes
    printf "$5" >>"$1"
}
