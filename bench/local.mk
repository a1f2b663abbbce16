# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What only the bench needs: sets of problems and of protections, and what makes
# documents of results. detectors/ compares rules that tell a damaged transform
# from a clean one, for figures; it is a part of `steadfast inject`.
steadfast_SOURCES += \
	%D%/detectors/compare.c \
	%D%/detectors/compare.h \
	%D%/detectors/compare_table.c \
	%D%/detectors/compare_table.h \
	%D%/detectors/detectors.c \
	%D%/detectors/detectors.def \
	%D%/detectors/detectors.h \
	%D%/detectors/roc.c \
	%D%/detectors/roc.h
EXTRA_DIST += %D%/problems.def %D%/protections.def \
	%D%/gemm_protections.def %D%/gemm_suites.def %D%/papers.def \
	%D%/results/cuda-h200-ft-sgemm.md \
	%D%/results/cpu-c2c-fftw.md %D%/results/cpu-reals-fftw.md \
	%D%/results/cuda-h200-cufft.md \
	%D%/results/cuda-h200-ft.md %D%/results/cuda-h200-inject.md \
	%D%/results/cpu-detectors.md %D%/results/cpu-ft.md \
	%D%/results/cpu-gemm.md \
	%D%/results/cpu-threads.md \
	%D%/results/cpu-r2r-fftw.md %D%/results/cuda-h200-r2r.md \
	%D%/results/cuda-h200-gemm.md %D%/results/cuda-h200-half.md \
	%D%/results/cuda-h200-odd.md %D%/results/cuda-h200-papers.md \
	%D%/results/cuda-h200-random.md %D%/results/cuda-h100-single.md \
	%D%/results/amd-predicted.md %D%/predicted.awk \
	%D%/results/cpu-flips.md %D%/results/cuda-h200-flips.md \
	%D%/detectors.awk %D%/ft_heatmap.gp %D%/ft_overhead.gp %D%/ft_roc.gp \
	%D%/ft_series.awk %D%/ft_summary.awk %D%/rows.awk \
	%D%/r2r.awk %D%/summary.awk
