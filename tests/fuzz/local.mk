# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Fuzzing; see README.md here. A target is a line of targets.def, a source, a
# name in STF_FUZZ_TARGETS, and a folder of seeds.

STF_FUZZ_TARGETS = cache codeobj execute file options plan words wisdom
STF_FUZZ_SHARED = %D%/bytes.c %D%/desc.c %D%/desc.h %D%/fuzz.h \
	%D%/targets.def
STF_FUZZ_SOURCES = $(STF_FUZZ_SHARED) \
	%D%/cache.c %D%/codeobj.c %D%/execute.c %D%/file.c \
	%D%/options.c %D%/plan.c %D%/words.c \
	%D%/wisdom.c

check_PROGRAMS += %D%/fuzz.t
%C%_fuzz_t_SOURCES = %D%/fuzz.c $(STF_FUZZ_SOURCES)
%C%_fuzz_t_LDADD = libstf_files.la $(LDADD) $(SNDFILE_LIBS)

# Each target as a program with libFuzzer's main().
STF_FUZZ_LINK = $(LIBTOOL) $(AM_V_lt) --tag=CC --mode=link $(CC) \
	$(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) \
	$(STF_FUZZ_LDFLAGS)
STF_FUZZ_OBJECTS = $(%C%_fuzz_t_OBJECTS)

fuzz:
	@test -n '$(STF_FUZZ_LDFLAGS)' || \
	    { echo 'make fuzz: configure with --enable-fuzzing' >&2; exit 1; }
	$(MAKE) $(AM_MAKEFLAGS) %D%/fuzz.t$(EXEEXT)
	for t in $(STF_FUZZ_TARGETS); do \
	    $(STF_FUZZ_LINK) -DSTF_FUZZ_TARGET=$$t -o %D%/fuzz-$$t \
	        $(srcdir)/%D%/entry.c \
	        `echo $(STF_FUZZ_OBJECTS) | sed 's|[^ ]*/fuzz\.$(OBJEXT)||'` \
	        $(%C%_fuzz_t_LDADD) $(LIBS) || exit 1; \
	done
.PHONY: fuzz

EXTRA_DIST += %D%/README.md %D%/entry.c %D%/uninstrumented.txt \
	%D%/corpus
CLEANFILES += %D%/fuzz-* fuzz-*.input
