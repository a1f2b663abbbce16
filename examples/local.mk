# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Examples: programs as a user writes them, with the public header only.

noinst_PROGRAMS += %D%/poisson3d %D%/denoise
%C%_poisson3d_SOURCES = %D%/poisson3d.c
%C%_poisson3d_LDADD = libsteadfast.la -lm
%C%_denoise_SOURCES = %D%/denoise.c
%C%_denoise_LDADD = libsteadfast.la -lm

examplesdir = $(docdir)/examples
examples_DATA = %D%/poisson3d.c %D%/denoise.c

dist_check_SCRIPTS += %D%/examples.test
