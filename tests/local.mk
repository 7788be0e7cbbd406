# SPDX-License-Identifier: GPL-2.0-or-later
check_LTLIBRARIES += libharness.la
libharness_la_SOURCES = tests/harness.c tests/harness.h

# Fuzzers: check_PROGRAMS += tests/fuzz/fuzz-x, TESTS += the same,
# ..._LDADD = $(FUZZ_LIBS) ...; without libFuzzer they replay their seeds.
check_LTLIBRARIES += libreplay.la
libreplay_la_SOURCES = tests/fuzz/replay.c
EXTRA_DIST += tests/check/build.sh tests/check/deps.sh \
	tests/check/facts.sh tests/check/fuzz.sh tests/check/kernels.sh \
	tests/check/lab.sh tests/check/say.sh \
	tests/check/style.sh

# "check" is a goal of make as well: named in EXTRA_DIST, the file would have
# every test run before anything is packed.
dist-hook:
	cp -p $(srcdir)/check $(distdir)/check

# With libFuzzer in them (--enable-fuzzing), fuzzers do not end by themselves.
.PHONY: check-without-fuzzers
check-without-fuzzers:
	$(MAKE) $(AM_MAKEFLAGS) check \
	  TESTS='$(filter-out tests/fuzz/%,$(TESTS))'

include tests/lab/local.mk
