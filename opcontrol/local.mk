# SPDX-License-Identifier: GPL-2.0-or-later
# xenopctl.
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
	opcontrol/status-json.c opcontrol/status-table.c
xenopctl_LDADD = control/libcontrol.la module/libmodule.la base/libbase.la \
	libxenoprof/libxenoprof.la $(POPT_LIBS)

check_PROGRAMS += tests/unit/opcontrol/test-status
TESTS += tests/unit/opcontrol/test-status
tests_unit_opcontrol_test_status_SOURCES = tests/unit/opcontrol/test-status.c \
	opcontrol/client.c opcontrol/status.c opcontrol/status-json.c \
	opcontrol/status-table.c
tests_unit_opcontrol_test_status_CPPFLAGS = $(AM_CPPFLAGS)
tests_unit_opcontrol_test_status_LDADD = libharness.la control/libcontrol.la base/libbase.la libxenoprof/libxenoprof.la

TESTS += tests/cli/xenopctl.sh
EXTRA_DIST += tests/cli/xenopctl.sh

dist_man_MANS += man/xenopctl.8
