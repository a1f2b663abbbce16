#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# embed.sh FILE...: prints C source that defines stfi_gpu_files (see
# backends/gpu/host/kernels/files.h) with the bytes of the files under the names
# by which they include each other, which are their paths from kernels/ on, or,
# of files that hosts read too, from lib/ on. The same files in the same order give the same text.
set -e

[ $# -gt 0 ] || { echo "usage: embed.sh FILE..." >&2; exit 2; }
for file; do
    [ -r "$file" ] || { echo "embed.sh: no file $file" >&2; exit 1; }
done

echo '/* Made by build-aux/embed.sh; not to be changed. */'
echo '#include "backends/gpu/host/kernels/files.h"'
i=0
for file; do
    echo
    echo "static const char file_$i[] = {"
    od -An -v -tx1 "$file" |
        sed 's/ *\([0-9a-f][0-9a-f]\)/'"'"'\\x\1'"'"', /g; s/ $//'
    echo "0};"
    i=$((i + 1))
done
echo
echo 'const stfi_gpu_file stfi_gpu_files[] = {'
i=0
for file; do
    name=${file##*/kernels/}
    name=/${name#./}
    name=${name##*/lib/}
    echo "    {\"${name#/}\", file_$i, sizeof file_$i - 1},"
    i=$((i + 1))
done
echo '    {0, 0, 0},'
echo '};'
