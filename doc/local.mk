# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Manual pages, the documents that are installed, and the reference that
# Doxygen makes (`make doxygen`, into doc/html of the build tree).

dist_man_MANS += %D%/man/steadfast.1 %D%/man/steadfast.3
dist_doc_DATA += \
	%D%/abft.md \
	%D%/accuracy.md \
	%D%/adding.md \
	%D%/architecture.md \
	%D%/cross-vendor.md \
	%D%/glossary.md \
	%D%/ft-overhead.svg \
	%D%/ft-heatmap.svg \
	%D%/ft-heatmap-h200.svg \
	%D%/ft-roc.svg \
	%D%/performance.md \
	%D%/references.md \
	%D%/security.md \
	%D%/threads.md
EXTRA_DIST += \
	%D%/design/gpu-kernels.md \
	%D%/design/tiles.md

.PHONY: doxygen
doxygen: %D%/Doxyfile
	$(AM_V_GEN)rm -rf %D%/html && doxygen %D%/Doxyfile

clean-local:
	rm -rf %D%/html
