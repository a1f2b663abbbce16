# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Prints "file:line: N lines" for functions longer than LIMIT. A function's
# body is what stands between "{" and "}" in the first column.
FNR == 1 { start = 0 }
/^\{/ { start = FNR }
/^\}/ {
    if (start && FNR - start - 1 > LIMIT)
        printf "%s:%d: function of %d lines\n", FILENAME, start, FNR - start - 1
    start = 0
}
