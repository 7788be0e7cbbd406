# SPDX-License-Identifier: GPL-2.0-or-later
# What is inside a guest's kernel.  Linked by the daemon's kernel child, by
# tests and by fuzzers; knows nothing of Xen.
noinst_LTLIBRARIES += guest/libguest.la
guest_libguest_la_SOURCES = \
	guest/kernel.h \
	guest/links.c guest/links.h \
	guest/memory.c guest/memory.h \
	guest/near.c guest/near.h \
	guest/linux/orc.c guest/linux/orc.h \
	guest/linux/orc-layout.c guest/linux/orc-layout.h \
	guest/linux/orc-rows.c guest/linux/orc-rows.h \
	guest/unwind.c guest/unwind.h \
	guest/unwind-frame.c \
	guest/unwind-hypercall.c \
	guest/unwind-row.c \
	guest/unwind-special.c \
	guest/unwind-stack.c \
	guest/unwind-walk.h
include guest/kernel.mk

guest_test = libharness.la guest/libguest.la
guest_tests = tests/unit/guest/test-near tests/unit/guest/linux/test-orc tests/unit/guest/test-unwind
check_PROGRAMS += $(guest_tests)
TESTS += $(guest_tests)
tests_unit_guest_test_near_SOURCES = tests/unit/guest/test-near.c
tests_unit_guest_test_near_LDADD = $(guest_test)
tests_unit_guest_linux_test_orc_SOURCES = tests/unit/guest/linux/test-orc.c
tests_unit_guest_linux_test_orc_LDADD = $(guest_test)
tests_unit_guest_test_unwind_SOURCES = tests/unit/guest/test-unwind.c
tests_unit_guest_test_unwind_LDADD = $(guest_test)

check_PROGRAMS += tests/golden/unwind-text
TESTS += tests/golden/unwind.sh
tests_golden_unwind_text_SOURCES = tests/golden/unwind-text.c
tests_golden_unwind_text_LDADD = guest/libguest.la
EXTRA_DIST += tests/golden/unwind.sh tests/golden/unwind

guest_fuzzers = tests/fuzz/fuzz-orc tests/fuzz/fuzz-unwind
guest_fuzz = $(FUZZ_LIBS) guest/libguest.la
guest_fuzz_needs = libreplay.la guest/libguest.la
check_PROGRAMS += $(guest_fuzzers)
TESTS += $(guest_fuzzers)
tests_fuzz_fuzz_orc_SOURCES = tests/fuzz/fuzz-orc.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_orc_LDADD = $(guest_fuzz)
tests_fuzz_fuzz_orc_DEPENDENCIES = $(guest_fuzz_needs)
tests_fuzz_fuzz_unwind_SOURCES = tests/fuzz/fuzz-unwind.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_unwind_LDADD = $(guest_fuzz)
tests_fuzz_fuzz_unwind_DEPENDENCIES = $(guest_fuzz_needs)
