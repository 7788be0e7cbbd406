# SPDX-License-Identifier: GPL-2.0-or-later
lib_LTLIBRARIES += libxenoprof/libxenoprof.la
include_HEADERS += libxenoprof/libxenoprof.h
pkgconfig_DATA += libxenoprof/libxenoprof.pc

# Everything but the process backend, with inner names visible: what the
# library is made of, and what tests of inner parts link.
noinst_LTLIBRARIES += libxenoprof/libinside.la
libxenoprof_libinside_la_SOURCES = \
	libxenoprof/backend.h \
	libxenoprof/backend-replay.c \
	libxenoprof/chain-end.c \
	libxenoprof/handle.c libxenoprof/private.h \
	libxenoprof/record.c \
	libxenoprof/record-fields.c libxenoprof/record-fields.h \
	libxenoprof/record-print.c \
	libxenoprof/record-scan.c \
	libxenoprof/replay-files.c libxenoprof/replay.h \
	libxenoprof/replay-record.c \
	libxenoprof/replay-text.c \
	libxenoprof/ring-reader.c \
	libxenoprof/session-block.c libxenoprof/session-block.h \
	libxenoprof/session-decode.c \
	libxenoprof/session-encode.c \
	libxenoprof/session-attributes.h \
	libxenoprof/session-files.c libxenoprof/session-files.h \
	libxenoprof/session-format.h \
	libxenoprof/session-index.c \
	libxenoprof/session-items.c \
	libxenoprof/session-load.c \
	libxenoprof/session-reader.c libxenoprof/session-reader.h \
	libxenoprof/session-reopen.c \
	libxenoprof/session-state.c libxenoprof/session-state.h \
	libxenoprof/session-tables.c libxenoprof/session-tables.h \
	libxenoprof/session-writer.c libxenoprof/session-writer.h \
	libxenoprof/source.c libxenoprof/source.h \
	libxenoprof/symbols.c libxenoprof/symbols.h \
	libxenoprof/symbols-elf.c \
	libxenoprof/symbols-file.c \
	libxenoprof/symbols-text.c
libxenoprof_libinside_la_LIBADD = base/libbase.la $(BFD_LIBS) $(ZSTD_LIBS) $(Z_LIBS)
if WITH_XEN
libxenoprof_libinside_la_SOURCES += libxenoprof/backend-xen.c
libxenoprof_libinside_la_LIBADD += $(XENFOREIGNMEMORY_LIBS)
else
libxenoprof_libinside_la_SOURCES += libxenoprof/backend-xen-absent.c
endif

libxenoprof_libxenoprof_la_SOURCES = libxenoprof/backend-process-absent.c
libxenoprof_libxenoprof_la_LIBADD = libxenoprof/libinside.la
libxenoprof_libxenoprof_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-Wl,--version-script=$(srcdir)/libxenoprof/libxenoprof.map
EXTRA_libxenoprof_libxenoprof_la_DEPENDENCIES = libxenoprof/libxenoprof.map
EXTRA_DIST += libxenoprof/libxenoprof.map libxenoprof/backend-xen.c \
	libxenoprof/backend-xen-absent.c

library_test = libharness.la libxenoprof/libxenoprof.la
inside_test = libharness.la libxenoprof/libinside.la
session_kit = tests/unit/libxenoprof/session-kit.c tests/unit/libxenoprof/session-kit.h

library_tests = \
	tests/unit/libxenoprof/test-no-memory \
	tests/unit/libxenoprof/test-record \
	tests/unit/libxenoprof/test-record-text \
	tests/unit/libxenoprof/test-replay \
	tests/unit/libxenoprof/test-session \
	tests/unit/libxenoprof/test-session-damage \
	tests/unit/libxenoprof/test-session-life \
	tests/unit/libxenoprof/test-source \
	tests/unit/libxenoprof/test-source-process \
	tests/unit/libxenoprof/test-symbols \
	tests/unit/include/test-wire
check_PROGRAMS += $(library_tests)
TESTS += $(library_tests)
tests_unit_libxenoprof_test_no_memory_SOURCES = tests/unit/libxenoprof/test-no-memory.c
tests_unit_libxenoprof_test_no_memory_LDADD = $(inside_test)
tests_unit_libxenoprof_test_no_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc \
	-Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=strdup
tests_unit_libxenoprof_test_record_SOURCES = tests/unit/libxenoprof/test-record.c
tests_unit_libxenoprof_test_record_LDADD = $(library_test)
tests_unit_libxenoprof_test_record_text_SOURCES = tests/unit/libxenoprof/test-record-text.c
tests_unit_libxenoprof_test_record_text_LDADD = $(library_test)
tests_unit_libxenoprof_test_replay_SOURCES = tests/unit/libxenoprof/test-replay.c
tests_unit_libxenoprof_test_replay_LDADD = $(library_test)
tests_unit_libxenoprof_test_session_SOURCES = tests/unit/libxenoprof/test-session.c $(session_kit)
tests_unit_libxenoprof_test_session_LDADD = $(library_test)
tests_unit_libxenoprof_test_session_damage_SOURCES = tests/unit/libxenoprof/test-session-damage.c \
	$(session_kit)
tests_unit_libxenoprof_test_session_damage_LDADD = $(library_test) $(Z_LIBS)
tests_unit_libxenoprof_test_session_life_SOURCES = tests/unit/libxenoprof/test-session-life.c \
	$(session_kit)
tests_unit_libxenoprof_test_session_life_LDADD = $(library_test)
tests_unit_libxenoprof_test_source_SOURCES = tests/unit/libxenoprof/test-source.c
tests_unit_libxenoprof_test_source_LDADD = $(inside_test)
tests_unit_libxenoprof_test_source_process_SOURCES = tests/unit/libxenoprof/test-source-process.c \
	libxenoprof/backend-process.c $(core_kit)
tests_unit_libxenoprof_test_source_process_LDADD = $(inside_test) hypervisor/libcore.la
tests_unit_libxenoprof_test_symbols_SOURCES = tests/unit/libxenoprof/test-symbols.c
tests_unit_libxenoprof_test_symbols_LDADD = $(library_test)
tests_unit_include_test_wire_SOURCES = tests/unit/include/test-wire.c
tests_unit_include_test_wire_LDADD = libharness.la
TESTS += tests/unit/libxenoprof/exports.sh
EXTRA_DIST += tests/unit/libxenoprof/exports.sh

check_PROGRAMS += tests/golden/record-text
TESTS += tests/golden/records.sh
tests_golden_record_text_SOURCES = tests/golden/record-text.c
tests_golden_record_text_LDADD = libxenoprof/libxenoprof.la
EXTRA_DIST += tests/golden/records.sh \
	tests/golden/records/loose.in tests/golden/records/loose.out \
	tests/golden/records/other.rec \
	tests/golden/records/parts.rec \
	tests/golden/records/samples.rec

library_fuzzers = tests/fuzz/fuzz-record tests/fuzz/fuzz-session \
	tests/fuzz/fuzz-symbols
check_PROGRAMS += $(library_fuzzers)
library_fuzz = $(FUZZ_LIBS) libxenoprof/libinside.la
# What configure puts into FUZZ_LIBS, make does not see.
library_fuzz_needs = libreplay.la libxenoprof/libinside.la
TESTS += $(library_fuzzers)
tests_fuzz_fuzz_record_SOURCES = tests/fuzz/fuzz-record.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_record_LDADD = $(library_fuzz)
tests_fuzz_fuzz_record_DEPENDENCIES = $(library_fuzz_needs)
tests_fuzz_fuzz_session_SOURCES = tests/fuzz/fuzz-session.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_session_LDADD = $(library_fuzz)
tests_fuzz_fuzz_session_DEPENDENCIES = $(library_fuzz_needs)
tests_fuzz_fuzz_symbols_SOURCES = tests/fuzz/fuzz-symbols.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_symbols_LDADD = $(library_fuzz)
tests_fuzz_fuzz_symbols_DEPENDENCIES = $(library_fuzz_needs)
EXTRA_DIST += tests/fuzz/seeds/record/other tests/fuzz/seeds/record/parts \
	tests/fuzz/seeds/symbols/kallsyms tests/fuzz/seeds/symbols/short \
	tests/fuzz/seeds/symbols/xensyms
