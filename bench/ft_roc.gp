# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Detection and false alarms over the threshold, and against each other.
#     steadfast inject --n 1024 --trials 20000 --roc roc.csv
#     gnuplot -e "data='roc.csv'; picture='doc/ft-roc.svg'" bench/ft_roc.gp
if (!exists("data")) data = 'roc.csv'
if (!exists("picture")) picture = 'doc/ft-roc.svg'
if (!exists("least")) least = 1e-5 # where a rate of 0 is drawn

set terminal svg size 900,760 dynamic background "white" font "sans-serif,13"
set output picture
set datafile separator ','
set multiplot layout 2,1
set grid
set key bottom
set yrange [0:1.02]
set ylabel "rate of detection"
set style data linespoints
above(x) = x > least ? x : least

set title "over the threshold K, which is 4 for suspects and 6 for faults"
set logscale x 2
set xlabel "K"
set arrow 1 from 4, 0 to 4, 1.02 nohead dashtype 2
set arrow 2 from 6, 0 to 6, 1.02 nohead dashtype 2
plot data using 1:3 skip 1 title "all flips" pointsize 0.4, \
     data using 1:4 skip 1 title "flips of 8 rounding errors and more" \
         pointsize 0.4, \
     data using 1:5 skip 1 title "of 64 and more" pointsize 0.4, \
     data using 1:2 skip 1 title "false alarms" pointsize 0.4

unset arrow
unset logscale
set logscale x 10
set format x "10^{%L}"
set title sprintf("against false alarms (left: less than %g, or none)", least)
set xlabel "rate of false alarms"
plot data using (above($2)):3 skip 1 title "all flips" pointsize 0.4, \
     data using (above($2)):4 skip 1 \
         title "flips of 8 rounding errors and more" pointsize 0.4, \
     data using (above($2)):5 skip 1 title "of 64 and more" pointsize 0.4
unset multiplot
