# SPDX-License-Identifier: GPL-2.0-or-later
# The daemon; what needs no Xen in it is a library that its tests link.

noinst_LTLIBRARIES += daemon/libdaemon.la
daemon_libdaemon_la_SOURCES = \
	daemon/accounts.c daemon/accounts.h \
	daemon/guests/address-table.c daemon/guests/address-table.h \
	daemon/clock.c daemon/clock.h \
	daemon/drain.c daemon/drain.h \
	daemon/follow.c daemon/follow.h \
	daemon/guests/guest-chain.c daemon/guests/guest-search.c \
	daemon/guests/guest-walk.c daemon/guests/guest-walk.h \
	daemon/guests/guests.c daemon/guests/guests.h \
	daemon/host.c daemon/host.h \
	daemon/parser/parser-child.c daemon/parser/parser-child.h \
	daemon/parser/parser-keeper.c daemon/parser/parser-keeper.h \
	daemon/parser/parser-link.c daemon/parser/parser-link.h daemon/parser/parser-maker.h \
	daemon/parser/parser-pipe.c daemon/parser/parser-pipe.h \
	daemon/parser/parser-sandbox.c daemon/parser/parser-sandbox.h \
	daemon/parser/parser-wire.c daemon/parser/parser-wire.h \
	daemon/guests/late-names.c daemon/guests/late-names.h \
	daemon/module-list.c daemon/module-list.h \
	daemon/names.c daemon/names.h \
	daemon/notify.c daemon/notify.h \
	daemon/places.c daemon/places.h \
	daemon/privileges.c daemon/privileges.h daemon/filter.c \
	daemon/recording.c daemon/recording.h \
	daemon/recording-adopt.c daemon/recording-attributes.c \
	daemon/recording-poll.c daemon/recording-start.c \
	daemon/recording-stop.c \
	daemon/report.c daemon/report.h \
	daemon/requests.c daemon/daemon.h \
	daemon/server.c daemon/server.h \
	daemon/stacks.c daemon/stacks.h \
	daemon/symbol-text.c daemon/symbol-text.h \
	control/payload-list.c control/payload-list.h
daemon_libdaemon_la_LIBADD = control/libcontrol.la base/libbase.la $(SECCOMP_LIBS)

sbin_PROGRAMS += xenoprofd
xenoprofd_SOURCES = \
	daemon/background.c daemon/background.h \
	daemon/host-xen.c daemon/host-xen.h \
	daemon/loop.c daemon/main.c \
	daemon/say.c daemon/say.h \
	daemon/xen-clock.c daemon/xen-clock.h
xenoprofd_LDADD = daemon/libdaemon.la guest/libguest.la libxenoprof/libxenoprof.la \
	$(POPT_LIBS) $(XENEVTCHN_LIBS) $(XENFOREIGNMEMORY_LIBS)

dist_man_MANS += man/xenoprofd.8

systemdsystemunit_DATA = daemon/xenoprofd.service
CLEANFILES += daemon/xenoprofd.service
EXTRA_DIST += daemon/xenoprofd.service.in
daemon/xenoprofd.service: daemon/xenoprofd.service.in Makefile
	$(AM_V_GEN)mkdir -p daemon && sed 's|@sbindir[@]|$(sbindir)|' \
		$(srcdir)/daemon/xenoprofd.service.in > $@

recording_kit = tests/unit/daemon/recording-kit.c tests/unit/daemon/recording-kit.h \
	libxenoprof/backend-process.c
recording_test = libharness.la daemon/libdaemon.la guest/libguest.la \
	libxenoprof/libinside.la hypervisor/libcore.la
check_PROGRAMS += tests/unit/daemon/test-recording tests/unit/daemon/test-requests
TESTS += tests/unit/daemon/test-recording tests/unit/daemon/test-requests
tests_unit_daemon_test_recording_SOURCES = tests/unit/daemon/test-recording.c \
	$(recording_kit)
tests_unit_daemon_test_recording_LDADD = $(recording_test)
tests_unit_daemon_test_requests_SOURCES = tests/unit/daemon/test-requests.c $(recording_kit)
tests_unit_daemon_test_requests_LDADD = $(recording_test)

check_PROGRAMS += tests/unit/daemon/test-stacks
TESTS += tests/unit/daemon/test-stacks
tests_unit_daemon_test_stacks_SOURCES = tests/unit/daemon/test-stacks.c $(recording_kit) \
	$(stack_kit)
tests_unit_daemon_test_stacks_LDADD = $(recording_test)

daemon_tests = tests/unit/daemon/test-module-list tests/unit/daemon/test-notify tests/unit/daemon/test-privileges \
	tests/unit/daemon/test-server tests/unit/daemon/test-symbol-text
check_PROGRAMS += $(daemon_tests)
TESTS += $(daemon_tests)
daemon_test = libharness.la daemon/libdaemon.la guest/libguest.la \
	libxenoprof/libxenoprof.la
tests_unit_daemon_test_module_list_SOURCES = tests/unit/daemon/test-module-list.c
tests_unit_daemon_test_module_list_LDADD = $(daemon_test)
tests_unit_daemon_test_notify_SOURCES = tests/unit/daemon/test-notify.c
tests_unit_daemon_test_notify_LDADD = $(daemon_test)
tests_unit_daemon_test_privileges_SOURCES = tests/unit/daemon/test-privileges.c
tests_unit_daemon_test_privileges_LDADD = $(daemon_test)
tests_unit_daemon_test_server_SOURCES = tests/unit/daemon/test-server.c
tests_unit_daemon_test_server_LDADD = $(daemon_test)
tests_unit_daemon_test_symbol_text_SOURCES = tests/unit/daemon/test-symbol-text.c
tests_unit_daemon_test_symbol_text_LDADD = $(daemon_test)

# The kernel child, with a stub in the place of guest/.
kernel_tests = tests/unit/daemon/guests/test-guest-recording tests/unit/daemon/guests/test-guest-walk \
	tests/unit/daemon/guests/test-guest-limits \
	tests/unit/daemon/guests/test-guests tests/unit/daemon/parser/test-parser-child \
	tests/unit/daemon/parser/test-parser-link tests/unit/daemon/parser/test-parser-sandbox \
	tests/fuzz/fuzz-parser-answer tests/fuzz/fuzz-parser-request
check_PROGRAMS += $(kernel_tests)
TESTS += $(kernel_tests)
kernel_stub = tests/unit/daemon/parser/parser-stub.c tests/unit/daemon/parser/parser-stub.h
guest_kit = tests/unit/daemon/guests/guest-kit.c tests/unit/daemon/guests/guest-kit.h
tests_unit_daemon_guests_test_guest_limits_SOURCES = tests/unit/daemon/guests/test-guest-limits.c \
	$(guest_kit)
tests_unit_daemon_guests_test_guest_limits_LDADD = $(daemon_test)
tests_unit_daemon_guests_test_guest_recording_SOURCES = \
	tests/unit/daemon/guests/test-guest-recording.c $(recording_kit) $(guest_kit) \
	$(kernel_stub)
tests_unit_daemon_guests_test_guest_recording_LDADD = $(recording_test)
tests_unit_daemon_guests_test_guest_walk_SOURCES = tests/unit/daemon/guests/test-guest-walk.c \
	$(guest_kit)
tests_unit_daemon_guests_test_guest_walk_LDADD = $(daemon_test)
tests_unit_daemon_guests_test_guests_SOURCES = tests/unit/daemon/guests/test-guests.c $(guest_kit) \
	$(kernel_stub)
tests_unit_daemon_guests_test_guests_LDADD = $(daemon_test)
tests_unit_daemon_parser_test_parser_child_SOURCES = tests/unit/daemon/parser/test-parser-child.c \
	$(kernel_kit_file)
tests_unit_daemon_parser_test_parser_child_LDADD = $(daemon_test) $(kernel_kit_libs)
tests_unit_daemon_parser_test_parser_link_SOURCES = tests/unit/daemon/parser/test-parser-link.c \
	$(kernel_stub)
tests_unit_daemon_parser_test_parser_link_LDADD = $(daemon_test)
tests_unit_daemon_parser_test_parser_sandbox_SOURCES = tests/unit/daemon/parser/test-parser-sandbox.c
tests_unit_daemon_parser_test_parser_sandbox_LDADD = $(daemon_test)
tests_fuzz_fuzz_parser_answer_SOURCES = tests/fuzz/fuzz-parser-answer.c
tests_fuzz_fuzz_parser_answer_LDADD = $(FUZZ_LIBS) daemon/libdaemon.la
tests_fuzz_fuzz_parser_answer_DEPENDENCIES = libreplay.la daemon/libdaemon.la
tests_fuzz_fuzz_parser_request_SOURCES = tests/fuzz/fuzz-parser-request.c \
	$(kernel_stub)
tests_fuzz_fuzz_parser_request_LDADD = $(FUZZ_LIBS) daemon/libdaemon.la \
	guest/libguest.la
tests_fuzz_fuzz_parser_request_DEPENDENCIES = libreplay.la daemon/libdaemon.la \
	guest/libguest.la
