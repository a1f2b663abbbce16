# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What protection costs, as a map: lengths to the right, kinds of protection
# upwards, in each field the cost in %. What was not measured is grey.
#     steadfast bench --device cuda --suite ft --ft all --csv >ft.csv
# (F32 and F64; with --n, add the rows of --precision f64 to those of f32)
#     gnuplot -e "data='ft.csv'; picture='doc/ft-heatmap.svg'" \
#         bench/ft_heatmap.gp
# To be run where bench/ is. `device` is a title, `most` the end of the scale.
if (!exists("data")) data = 'ft.csv'
if (!exists("picture")) picture = 'doc/ft-heatmap.svg'
if (!exists("device")) device = system( \
    sprintf("awk -F, 'NR == 2 { print $2 }' '%s'", data))
if (!exists("most")) most = 50

# A panel for each precision that was measured, and no room for the others.
series(precision) = sprintf("awk -v precision=%s -f bench/rows.awk" \
                            . " -f bench/ft_series.awk '%s'" \
                            . " | grep -v '\"' | grep .", precision, data)
panels = ""
do for [precision in "f32 f64"] {
    if (system(series(precision) . " | wc -l") + 0 > 0) {
        panels = panels . " " . precision
    }
}
if (words(panels) < 1) exit error sprintf("%s has no costs to draw", data)

set terminal svg size 1100,450*words(panels) dynamic background "white" \
    font "sans-serif,13"
set output picture
set multiplot layout words(panels),1
set palette defined (0 "#f7fbff", 0.2 "#9ecae1", 0.5 "#4292c6", 1 "#08306b")
set cbrange [0:most]
set cblabel "cost of protection, %" offset 1
set xlabel "N"
set xtics rotate by 60 right noenhanced
set ytics noenhanced
set tics scale 0
set autoscale xfix
set autoscale yfix
set object 1 rectangle from graph 0, 0 to graph 1, 1 behind \
    fillcolor "#dddddd" fillstyle solid noborder
set style fill solid noborder
unset key
do for [precision in panels] {
    command = series(precision)
    set title sprintf("%s, %s", device, precision)
    plot '< ' . command using 5:3:($5 - 0.5):($5 + 0.5):($3 - 0.5): \
             ($3 + 0.5):2:xtic(6):ytic(4) with boxxyerror palette, \
         '< ' . command using 5:3:(sprintf("%.0f", $2)): \
             ($2 > most / 2 ? 0xffffff : 0) with labels \
             textcolor rgb variable font ",9"
}
unset multiplot
