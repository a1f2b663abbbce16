#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# The gate of refactorings, which change no schedule and no kernel:
#   gate.sh dump FOLDER [STEP]    in a configured build folder: the golden texts
#                                 of every preset, config.h and a digest of the
#                                 machine code of every kernel, into FOLDER;
#                                 STEP: of every so many-th problem only
#   gate.sh compare BEFORE AFTER  two such folders: which kernels differ
# No GPU is needed, only NVRTC. Compiled code is remembered in the folder
# $STF_GATE_CACHE (else gate-cache beside FOLDER) by the preprocessed text.
set -eu

dump()
{
    folder=$1
    case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
    rm -rf "$folder"
    mkdir -p "$folder/tests/golden"
    make tests/gate/dump tests/unit/golden.t >"$folder/make.log" 2>&1 || {
        tail -n 20 "$folder/make.log" >&2
        exit 1
    }
    STF_GOLDEN_UPDATE=1 top_srcdir=$folder ./tests/unit/golden.t \
        >"$folder/golden.log"
    ./tests/gate/dump "$folder" \
        "${STF_GATE_CACHE:-$(dirname "$folder")/gate-cache}" "${2:-1}"
}

compare()
{
    bad=0
    diff -r "$1/tests/golden" "$2/tests/golden" >"$2/golden.diff" || bad=1
    diff -r "$1/config" "$2/config" >"$2/config.diff" || :
    diff "$1/code.txt" "$2/code.txt" >"$2/code.diff" || bad=1
    echo "golden texts: $(grep -c '^[<>]' "$2/golden.diff") lines differ"
    echo "config.h:     $(grep -c '^[<>]' "$2/config.diff") lines differ," \
        "$(grep -c '^diff' "$2/config.diff") of" \
        "$(find "$2/config" -name config.h | wc -l) files"
    echo "machine code: $(grep -c '^>' "$2/code.diff") of" \
        "$(wc -l <"$2/code.txt") kernels differ"
    echo "(golden.diff, config.diff and code.diff in $2)"
    return $bad
}

case ${1-} in
    dump) dump "${2:?folder}" "${3-1}" ;;
    compare) compare "${2:?before}" "${3:?after}" ;;
    *) sed -n 's/^#   //p' "$0" >&2; exit 2 ;;
esac
