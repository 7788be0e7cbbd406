# SPDX-License-Identifier: GPL-2.0-or-later
# The daemon; what needs no Xen in it is a library that its tests link.

noinst_LTLIBRARIES += libdaemon.la
libdaemon_la_SOURCES = \
	daemon/accounts.c daemon/accounts.h \
	daemon/address-table.c daemon/address-table.h \
	daemon/clock.c daemon/clock.h \
	daemon/drain.c daemon/drain.h \
	daemon/follow.c daemon/follow.h \
	daemon/guest-chain.c daemon/guest-search.c \
	daemon/guest-walk.c daemon/guest-walk.h \
	daemon/guests.c daemon/guests.h \
	daemon/host.c daemon/host.h \
	daemon/kernel-child.c daemon/kernel-child.h \
	daemon/kernel-keeper.c daemon/kernel-keeper.h \
	daemon/kernel-link.c daemon/kernel-link.h daemon/kernel-maker.h \
	daemon/kernel-pipe.c daemon/kernel-pipe.h \
	daemon/kernel-sandbox.c daemon/kernel-sandbox.h \
	daemon/kernel-wire.c daemon/kernel-wire.h \
	daemon/late-names.c daemon/late-names.h \
	daemon/module-list.c daemon/module-list.h \
	daemon/names.c daemon/names.h \
	daemon/notify.c daemon/notify.h \
	daemon/places.c daemon/places.h \
	daemon/privileges.c daemon/privileges.h daemon/filter.c \
	daemon/recording.c daemon/recording.h \
	daemon/recording-adopt.c daemon/recording-facts.c \
	daemon/recording-poll.c daemon/recording-start.c \
	daemon/recording-stop.c \
	daemon/report.c daemon/report.h \
	daemon/requests.c daemon/daemon.h \
	daemon/server.c daemon/server.h \
	daemon/stacks.c daemon/stacks.h \
	daemon/symbol-text.c daemon/symbol-text.h \
	opcontrol/module/payload-list.c opcontrol/module/payload-list.h
libdaemon_la_LIBADD = libopcontrol.la $(SECCOMP_LIBS)

sbin_PROGRAMS += xenoprofd
xenoprofd_SOURCES = \
	daemon/background.c daemon/background.h \
	daemon/host-xen.c daemon/host-xen.h \
	daemon/loop.c daemon/main.c \
	daemon/say.c daemon/say.h \
	daemon/xen-clock.c daemon/xen-clock.h
xenoprofd_LDADD = libdaemon.la guest/libguest.la libxenoprof/libxenoprof.la \
	$(POPT_LIBS) $(XENEVTCHN_LIBS) $(XENFOREIGNMEMORY_LIBS)

dist_man_MANS += man/xenoprofd.8

systemdsystemunit_DATA = daemon/xenoprofd.service
CLEANFILES += daemon/xenoprofd.service
EXTRA_DIST += daemon/xenoprofd.service.in
daemon/xenoprofd.service: daemon/xenoprofd.service.in Makefile
	$(AM_V_GEN)mkdir -p daemon && sed 's|@sbindir[@]|$(sbindir)|' \
		$(srcdir)/daemon/xenoprofd.service.in > $@

recording_kit = tests/unit/recording-kit.c tests/unit/recording-kit.h \
	libxenoprof/backend-process.c
recording_test = libharness.la libdaemon.la guest/libguest.la \
	libxenoprof/libinside.la hypervisor/libcore.la
check_PROGRAMS += tests/unit/test-recording tests/unit/test-requests
TESTS += tests/unit/test-recording tests/unit/test-requests
tests_unit_test_recording_SOURCES = tests/unit/test-recording.c \
	$(recording_kit)
tests_unit_test_recording_LDADD = $(recording_test)
tests_unit_test_requests_SOURCES = tests/unit/test-requests.c $(recording_kit)
tests_unit_test_requests_LDADD = $(recording_test)

check_PROGRAMS += tests/unit/test-stacks
TESTS += tests/unit/test-stacks
tests_unit_test_stacks_SOURCES = tests/unit/test-stacks.c $(recording_kit) \
	$(stack_kit)
tests_unit_test_stacks_LDADD = $(recording_test)

daemon_tests = tests/unit/test-module-list tests/unit/test-notify tests/unit/test-privileges \
	tests/unit/test-server tests/unit/test-symbol-text
check_PROGRAMS += $(daemon_tests)
TESTS += $(daemon_tests)
daemon_test = libharness.la libdaemon.la guest/libguest.la \
	libxenoprof/libxenoprof.la
tests_unit_test_module_list_SOURCES = tests/unit/test-module-list.c
tests_unit_test_module_list_LDADD = $(daemon_test)
tests_unit_test_notify_SOURCES = tests/unit/test-notify.c
tests_unit_test_notify_LDADD = $(daemon_test)
tests_unit_test_privileges_SOURCES = tests/unit/test-privileges.c
tests_unit_test_privileges_LDADD = $(daemon_test)
tests_unit_test_server_SOURCES = tests/unit/test-server.c
tests_unit_test_server_LDADD = $(daemon_test)
tests_unit_test_symbol_text_SOURCES = tests/unit/test-symbol-text.c
tests_unit_test_symbol_text_LDADD = $(daemon_test)

# The kernel child, with a stub in the place of guest/.
kernel_tests = tests/unit/test-guest-recording tests/unit/test-guest-walk \
	tests/unit/test-guest-limits \
	tests/unit/test-guests tests/unit/test-kernel-child \
	tests/unit/test-kernel-link tests/unit/test-kernel-sandbox \
	tests/fuzz/fuzz-kernel-answer tests/fuzz/fuzz-kernel-request
check_PROGRAMS += $(kernel_tests)
TESTS += $(kernel_tests)
kernel_stub = tests/unit/kernel-stub.c tests/unit/kernel-stub.h
guest_kit = tests/unit/guest-kit.c tests/unit/guest-kit.h
tests_unit_test_guest_limits_SOURCES = tests/unit/test-guest-limits.c \
	$(guest_kit)
tests_unit_test_guest_limits_LDADD = $(daemon_test)
tests_unit_test_guest_recording_SOURCES = \
	tests/unit/test-guest-recording.c $(recording_kit) $(guest_kit) \
	$(kernel_stub)
tests_unit_test_guest_recording_LDADD = $(recording_test)
tests_unit_test_guest_walk_SOURCES = tests/unit/test-guest-walk.c \
	$(guest_kit)
tests_unit_test_guest_walk_LDADD = $(daemon_test)
tests_unit_test_guests_SOURCES = tests/unit/test-guests.c $(guest_kit) \
	$(kernel_stub)
tests_unit_test_guests_LDADD = $(daemon_test)
tests_unit_test_kernel_child_SOURCES = tests/unit/test-kernel-child.c \
	$(kernel_kit_file)
tests_unit_test_kernel_child_LDADD = $(daemon_test) $(kernel_kit_libs)
tests_unit_test_kernel_link_SOURCES = tests/unit/test-kernel-link.c \
	$(kernel_stub)
tests_unit_test_kernel_link_LDADD = $(daemon_test)
tests_unit_test_kernel_sandbox_SOURCES = tests/unit/test-kernel-sandbox.c
tests_unit_test_kernel_sandbox_LDADD = $(daemon_test)
tests_fuzz_fuzz_kernel_answer_SOURCES = tests/fuzz/fuzz-kernel-answer.c
tests_fuzz_fuzz_kernel_answer_LDADD = $(FUZZ_LIBS) libdaemon.la
tests_fuzz_fuzz_kernel_answer_DEPENDENCIES = libreplay.la libdaemon.la
tests_fuzz_fuzz_kernel_request_SOURCES = tests/fuzz/fuzz-kernel-request.c \
	$(kernel_stub)
tests_fuzz_fuzz_kernel_request_LDADD = $(FUZZ_LIBS) libdaemon.la \
	guest/libguest.la
tests_fuzz_fuzz_kernel_request_DEPENDENCIES = libreplay.la libdaemon.la \
	guest/libguest.la
