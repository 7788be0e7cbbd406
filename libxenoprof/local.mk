# SPDX-License-Identifier: GPL-2.0-or-later
lib_LTLIBRARIES += libxenoprof/libxenoprof.la
include_HEADERS += libxenoprof/libxenoprof.h
pkgconfig_DATA += libxenoprof/libxenoprof.pc

libxenoprof_libxenoprof_la_SOURCES = \
	libxenoprof/buffer.c libxenoprof/buffer.h \
	libxenoprof/handle.c libxenoprof/private.h \
	libxenoprof/id-table.c libxenoprof/id-table.h \
	libxenoprof/session-block.c libxenoprof/session-block.h \
	libxenoprof/session-decode.c \
	libxenoprof/session-encode.c \
	libxenoprof/session-facts.h \
	libxenoprof/session-files.c libxenoprof/session-files.h \
	libxenoprof/session-format.h \
	libxenoprof/session-index.c \
	libxenoprof/session-items.c \
	libxenoprof/session-load.c \
	libxenoprof/session-reader.c libxenoprof/session-reader.h \
	libxenoprof/session-reopen.c \
	libxenoprof/session-state.c libxenoprof/session-state.h \
	libxenoprof/session-tables.c libxenoprof/session-tables.h \
	libxenoprof/session-writer.c libxenoprof/session-writer.h
libxenoprof_libxenoprof_la_LIBADD = $(ZSTD_LIBS) $(Z_LIBS)
libxenoprof_libxenoprof_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-Wl,--version-script=$(srcdir)/libxenoprof/libxenoprof.map
EXTRA_libxenoprof_libxenoprof_la_DEPENDENCIES = libxenoprof/libxenoprof.map
EXTRA_DIST += libxenoprof/libxenoprof.map

check_PROGRAMS += tests/unit/test-session
TESTS += tests/unit/test-session
session_kit = tests/unit/session-kit.c tests/unit/session-kit.h
tests_unit_test_session_SOURCES = tests/unit/test-session.c $(session_kit)
tests_unit_test_session_LDADD = libharness.la libxenoprof/libxenoprof.la
