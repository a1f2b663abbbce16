# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What protection costs over the length: a curve for each kind of it.
#     steadfast bench --device cuda --suite ft --ft all --csv >ft.csv
#     gnuplot -e "data='ft.csv'; picture='doc/ft-overhead.svg'" \
#         bench/ft_overhead.gp
# To be run where bench/ is.
if (!exists("data")) data = 'ft.csv'
if (!exists("picture")) picture = 'doc/ft-overhead.svg'

set terminal svg size 900,760 dynamic background "white" font "sans-serif,13"
set output picture
set multiplot layout 2,1
set grid
set key outside right
set xlabel "log_2 N"
set ylabel "cost of protection, %"
set style data linespoints
do for [precision in "f32 f64"] {
    command = sprintf("awk -v precision=%s -f bench/rows.awk" \
                      . " -f bench/ft_series.awk '%s'", precision, data)
    series = system(command . " | grep -c '\"'") + 0
    set title precision
    if (series > 0) {
        plot for [i = 0 : series - 1] '< ' . command index i using 1:2 \
             title columnheader(1) noenhanced pointsize 0.5, \
             0 with lines linecolor "black" notitle
    }
}
unset multiplot
