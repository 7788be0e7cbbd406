# SPDX-License-Identifier: GPL-2.0-or-later
# What is inside a guest's kernel.  Linked by the daemon's kernel child, by
# tests and by fuzzers; knows nothing of Xen.
noinst_LTLIBRARIES += guest/libguest.la
guest_libguest_la_SOURCES = \
	guest/kernel.h \
	guest/memory.c guest/memory.h \
	guest/orc.c guest/orc.h \
	guest/orc-layout.c guest/orc-layout.h \
	guest/orc-rows.c guest/orc-rows.h \
	guest/unwind.c guest/unwind.h \
	guest/unwind-edge.c \
	guest/unwind-frame.c \
	guest/unwind-hypercall.c \
	guest/unwind-row.c \
	guest/unwind-stack.c \
	guest/unwind-walk.h
include guest/kernel.mk

guest_test = libharness.la guest/libguest.la
check_PROGRAMS += tests/unit/test-orc
TESTS += tests/unit/test-orc
tests_unit_test_orc_SOURCES = tests/unit/test-orc.c
tests_unit_test_orc_LDADD = $(guest_test)
