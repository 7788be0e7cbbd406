# SPDX-License-Identifier: GPL-2.0-or-later
# What every program of ours needs and no library gives: linked into each.
noinst_LTLIBRARIES += base/libbase.la
base_libbase_la_SOURCES = \
	base/buffer.c base/buffer.h \
	base/id-table.c base/id-table.h \
	base/json-writer.c base/json-writer.h \
	base/scope.h

check_PROGRAMS += tests/unit/base/test-json-writer
TESTS += tests/unit/base/test-json-writer
tests_unit_base_test_json_writer_SOURCES = tests/unit/base/test-json-writer.c
tests_unit_base_test_json_writer_LDADD = libharness.la base/libbase.la
