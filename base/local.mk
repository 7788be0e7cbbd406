# SPDX-License-Identifier: GPL-2.0-or-later
# What every program of ours needs and no library gives: linked into each.
noinst_LTLIBRARIES += base/libbase.la
base_libbase_la_SOURCES = \
	base/buffer.c base/buffer.h \
	base/exit-status.def \
	base/failure.c base/failure.h \
	base/id-table.c base/id-table.h \
	base/json-writer.c base/json-writer.h \
	base/scope.h \
	base/table.c base/table.h \
	base/vector.c base/vector.h

base_tests = tests/unit/base/test-failure tests/unit/base/test-json-writer \
	tests/unit/base/test-table tests/unit/base/test-vector
check_PROGRAMS += $(base_tests)
TESTS += $(base_tests)
tests_unit_base_test_table_SOURCES = tests/unit/base/test-table.c
tests_unit_base_test_table_LDADD = libharness.la base/libbase.la
tests_unit_base_test_json_writer_SOURCES = tests/unit/base/test-json-writer.c
tests_unit_base_test_json_writer_LDADD = libharness.la base/libbase.la
tests_unit_base_test_failure_SOURCES = tests/unit/base/test-failure.c
tests_unit_base_test_failure_LDADD = libharness.la base/libbase.la
tests_unit_base_test_vector_SOURCES = tests/unit/base/test-vector.c
tests_unit_base_test_vector_LDADD = libharness.la base/libbase.la
