# SPDX-License-Identifier: GPL-2.0-or-later
# What xenopctl and xenoprofd share, then xenopctl itself.

noinst_LTLIBRARIES += libopcontrol.la
libopcontrol_la_SOURCES = \
	opcontrol/chain-counts.c opcontrol/chain-counts.h \
	opcontrol/control.c opcontrol/control.h \
	opcontrol/domain-list.c opcontrol/domain-list.h \
	opcontrol/domain-spec.c opcontrol/domain-spec.h \
	opcontrol/door.c opcontrol/door.h opcontrol/door-hypfs.c \
	opcontrol/exit-status.c opcontrol/exit-status.h \
	opcontrol/exit-status.def \
	opcontrol/kernel-files.c opcontrol/kernel-files.h \
	opcontrol/line.c opcontrol/line.h \
	opcontrol/number-set.c opcontrol/number-set.h \
	opcontrol/quiet-log.c opcontrol/quiet-log.h \
	opcontrol/scope.h \
	opcontrol/session-folders.c opcontrol/session-folders.h \
	opcontrol/session-names.c \
	opcontrol/stack-choice.c opcontrol/stack-choice.h \
	opcontrol/start-options.c opcontrol/start-options.h \
	opcontrol/xen-domains.c opcontrol/xen-domains.h opcontrol/xen-place.c
libopcontrol_la_LIBADD = $(XENCTRL_LIBS) $(XENHYPFS_LIBS) $(XENSTORE_LIBS)

sbin_PROGRAMS += xenopctl
xenopctl_CPPFLAGS = $(AM_CPPFLAGS) \
	-DSBINDIR='"$(sbindir)"' -DBINDIR='"$(bindir)"'
xenopctl_SOURCES = \
	opcontrol/main.c opcontrol/commands.c opcontrol/commands.h \
	opcontrol/client.c opcontrol/client.h opcontrol/launch.c \
	opcontrol/programs.c opcontrol/programs.h \
	opcontrol/module-link.c opcontrol/module-link.h \
	opcontrol/cmd-check.c opcontrol/cmd-deinit.c opcontrol/cmd-dump.c \
	opcontrol/cmd-list-domains.c opcontrol/cmd-list-sessions.c \
	opcontrol/cmd-record.c opcontrol/cmd-reset.c opcontrol/cmd-save.c \
	opcontrol/cmd-setup.c opcontrol/cmd-shutdown.c opcontrol/cmd-start.c \
	opcontrol/cmd-status.c opcontrol/cmd-stop.c \
	opcontrol/status.c opcontrol/status.h opcontrol/status-disk.c \
	opcontrol/status-json.c opcontrol/status-table.c \
	libxenoprof/json-writer.c libxenoprof/json-writer.h
xenopctl_LDADD = libopcontrol.la libmodule.la \
	libxenoprof/libxenoprof.la $(POPT_LIBS)

opcontrol_tests = tests/unit/test-domain-spec tests/unit/test-door \
	tests/unit/test-kernel-files \
	tests/unit/test-line tests/unit/test-number-set \
	tests/unit/test-session-folders tests/unit/test-start-options \
	tests/unit/test-status
check_PROGRAMS += $(opcontrol_tests)
TESTS += $(opcontrol_tests)
opcontrol_test = libharness.la libopcontrol.la
tests_unit_test_domain_spec_SOURCES = tests/unit/test-domain-spec.c
tests_unit_test_domain_spec_LDADD = $(opcontrol_test)
tests_unit_test_door_SOURCES = tests/unit/test-door.c
tests_unit_test_door_LDADD = $(opcontrol_test)
tests_unit_test_kernel_files_SOURCES = tests/unit/test-kernel-files.c
tests_unit_test_kernel_files_LDADD = $(opcontrol_test)
tests_unit_test_line_SOURCES = tests/unit/test-line.c
tests_unit_test_line_LDADD = $(opcontrol_test)
tests_unit_test_number_set_SOURCES = tests/unit/test-number-set.c
tests_unit_test_number_set_LDADD = $(opcontrol_test)
tests_unit_test_session_folders_SOURCES = tests/unit/test-session-folders.c
tests_unit_test_session_folders_LDADD = $(opcontrol_test)
tests_unit_test_start_options_SOURCES = tests/unit/test-start-options.c
tests_unit_test_start_options_LDADD = $(opcontrol_test)

tests_unit_test_status_SOURCES = tests/unit/test-status.c \
	opcontrol/client.c opcontrol/status.c opcontrol/status-json.c \
	opcontrol/status-table.c libxenoprof/json-writer.c
tests_unit_test_status_CPPFLAGS = $(AM_CPPFLAGS)
tests_unit_test_status_LDADD = $(opcontrol_test) libxenoprof/libxenoprof.la

check_PROGRAMS += tests/fuzz/fuzz-request
TESTS += tests/fuzz/fuzz-request
tests_fuzz_fuzz_request_SOURCES = tests/fuzz/fuzz-request.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_request_LDADD = $(FUZZ_LIBS) libopcontrol.la
tests_fuzz_fuzz_request_DEPENDENCIES = libreplay.la libopcontrol.la
EXTRA_DIST += tests/fuzz/seeds/request/domains \
	tests/fuzz/seeds/request/places tests/fuzz/seeds/request/refused \
	tests/fuzz/seeds/request/stacks

TESTS += tests/cli/xenopctl.sh
EXTRA_DIST += tests/cli/xenopctl.sh

dist_man_MANS += man/xenopctl.8

include opcontrol/module/local.mk
