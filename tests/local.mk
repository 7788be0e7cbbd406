# SPDX-License-Identifier: GPL-2.0-or-later
check_LTLIBRARIES += libharness.la
libharness_la_SOURCES = tests/harness.c tests/harness.h
