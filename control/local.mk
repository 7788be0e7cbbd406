# SPDX-License-Identifier: GPL-2.0-or-later
# What xenopctl and xenoprofd share.
noinst_LTLIBRARIES += control/libcontrol.la
control_libcontrol_la_SOURCES = \
	control/chain-counts.c control/chain-counts.h \
	control/control.c control/control.h \
	control/domain-list.c control/domain-list.h \
	control/domain-spec.c control/domain-spec.h \
	control/door.c control/door.h control/door-hypfs.c \
	control/kernel-files.c control/kernel-files.h \
	control/line.c control/line.h \
	control/number-set.c control/number-set.h \
	control/quiet-log.c control/quiet-log.h \
	control/session-folders.c control/session-folders.h \
	control/session-names.c \
	control/stack-choice.c control/stack-choice.h \
	control/start-options.c control/start-options.h \
	control/xen-domains.c control/xen-domains.h control/xen-place.c
control_libcontrol_la_LIBADD = $(XENCTRL_LIBS) $(XENHYPFS_LIBS) $(XENSTORE_LIBS)

control_tests = tests/unit/control/test-domain-spec tests/unit/control/test-door \
	tests/unit/control/test-kernel-files \
	tests/unit/control/test-line tests/unit/control/test-number-set \
	tests/unit/control/test-session-folders tests/unit/control/test-start-options
check_PROGRAMS += $(control_tests)
TESTS += $(control_tests)
control_test = libharness.la control/libcontrol.la base/libbase.la
tests_unit_control_test_domain_spec_SOURCES = tests/unit/control/test-domain-spec.c
tests_unit_control_test_domain_spec_LDADD = $(control_test)
tests_unit_control_test_door_SOURCES = tests/unit/control/test-door.c
tests_unit_control_test_door_LDADD = $(control_test)
tests_unit_control_test_kernel_files_SOURCES = tests/unit/control/test-kernel-files.c
tests_unit_control_test_kernel_files_LDADD = $(control_test)
tests_unit_control_test_line_SOURCES = tests/unit/control/test-line.c
tests_unit_control_test_line_LDADD = $(control_test)
tests_unit_control_test_number_set_SOURCES = tests/unit/control/test-number-set.c
tests_unit_control_test_number_set_LDADD = $(control_test)
tests_unit_control_test_session_folders_SOURCES = tests/unit/control/test-session-folders.c
tests_unit_control_test_session_folders_LDADD = $(control_test)
tests_unit_control_test_start_options_SOURCES = tests/unit/control/test-start-options.c
tests_unit_control_test_start_options_LDADD = $(control_test)

check_PROGRAMS += tests/fuzz/fuzz-request
TESTS += tests/fuzz/fuzz-request
tests_fuzz_fuzz_request_SOURCES = tests/fuzz/fuzz-request.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_request_LDADD = $(FUZZ_LIBS) control/libcontrol.la base/libbase.la
tests_fuzz_fuzz_request_DEPENDENCIES = libreplay.la control/libcontrol.la
EXTRA_DIST += tests/fuzz/seeds/request/domains \
	tests/fuzz/seeds/request/places tests/fuzz/seeds/request/refused \
	tests/fuzz/seeds/request/stacks
