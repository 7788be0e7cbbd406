# SPDX-License-Identifier: GPL-2.0-or-later
# What all test programs share; the programs themselves are in sources.mk.

# Without libFuzzer (--enable-fuzzing), fuzzers replay their seeds.
check_LIBRARIES += libreplay.a
libreplay_a_SOURCES = tests/fuzz/replay.c

# Records as text.
check_LIBRARIES += tests/records/librecords.a
tests_records_librecords_a_SOURCES = $(records_sources)
if FUZZING
fuzz_engine =
fuzz_link = $(test_link) -fsanitize=fuzzer
else
fuzz_engine = libreplay.a
fuzz_link = $(test_link)
endif

# libtool is for what is installed.
test_link = $(CCLD) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) \
	-Wl,-rpath,$(abs_top_builddir)/libxenoprof/.libs

TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	MODULE_CC='$(MODULE_CC)'; export MODULE_CC; \
	MODULE_CFLAGS='$(MODULE_CFLAGS)'; export MODULE_CFLAGS; \
	MODULE_LTO='$(MODULE_LTO)'; export MODULE_LTO; \
	MODULE_JOIN='$(MODULE_JOIN)'; export MODULE_JOIN;

# "check" is a goal of make as well: named in EXTRA_DIST, the file would have
# every test run before anything is packed.
dist-hook:
	cp -p $(srcdir)/check $(distdir)/check

# With libFuzzer in them (--enable-fuzzing), fuzzers do not end by themselves.
.PHONY: check-without-fuzzers
check-without-fuzzers:
	$(MAKE) $(AM_MAKEFLAGS) check \
	  TESTS='$(filter-out tests/fuzz/%,$(TESTS))'
