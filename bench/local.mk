# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What the bench shares with the tests and the command: other libraries, loaded
# at run time.

STF_PEER_SOURCES = \
	%D%/compare/peer.c \
	%D%/compare/peer.h \
	%D%/compare/peer_cufft.c \
	%D%/compare/peer_fftw.c \
	%D%/compare/peer_ops.h

# Its own sets of problems.
EXTRA_DIST += %D%/problems.def %D%/protections.def %D%/results/cpu-c2c-fftw.md \
	%D%/results/cuda-h200-cufft.md %D%/summary.awk
