# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What protection costs, as a map: lengths to the right, kinds of protection
# upwards.
#     steadfast bench --device cuda --suite ft --ft all --csv >ft.csv
#     gnuplot -e "data='ft.csv'; picture='doc/ft-heatmap.svg'" \
#         bench/ft_heatmap.gp
# To be run where bench/ is.
if (!exists("data")) data = 'ft.csv'
if (!exists("picture")) picture = 'doc/ft-heatmap.svg'
if (!exists("most")) most = 50 # %, the end of the scale

set terminal svg size 900,900 dynamic background "white" font "sans-serif,13"
set output picture
set multiplot layout 2,1
set palette defined (0 "#f7fbff", 0.2 "#9ecae1", 0.5 "#4292c6", 1 "#08306b")
set cbrange [0:most]
set cblabel "cost of protection, %" offset 1
set xlabel "log_2 N"
set autoscale xfix
set autoscale yfix
unset key
do for [precision in "f32 f64"] {
    command = sprintf("awk -v precision=%s -f bench/ft_series.awk '%s'" \
                      . " | grep -v '\"' | grep .", precision, data)
    set title precision
    if (system(command . " | wc -l") + 0 > 0) {
        plot '< ' . command using 1:3:2:ytic(4) with image
    }
}
unset multiplot
