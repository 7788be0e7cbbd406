# SPDX-License-Identifier: GPL-2.0-or-later
# The core.  A port compiles core_sources the way it needs them; here they are
# built to run in an ordinary process, with the process port.

core_sources = \
	hypervisor/ask.c \
	hypervisor/cost.c \
	hypervisor/directory.c \
	hypervisor/domains.c \
	hypervisor/door.c \
	hypervisor/first-half.c \
	hypervisor/kick.c \
	hypervisor/lifecycle.c \
	hypervisor/pages.c \
	hypervisor/presence.c \
	hypervisor/profile.c \
	hypervisor/queue.c \
	hypervisor/refuse.c \
	hypervisor/ring.c \
	hypervisor/sample-record.c \
	hypervisor/sampler.c \
	hypervisor/second-half.c \
	hypervisor/session.c \
	hypervisor/text.c \
	hypervisor/ticker.c \
	hypervisor/timer.c \
	hypervisor/unwind-check.c \
	hypervisor/upkeep.c \
	hypervisor/wake.c \
	hypervisor/windows.c \
	hypervisor/words.c \
	hypervisor/xen-chain.c \
	hypervisor/xen-stack.c
core_headers = \
	hypervisor/ask.h \
	hypervisor/core.h \
	hypervisor/cost.h \
	hypervisor/counter.h \
	hypervisor/directory.h \
	hypervisor/domains.h \
	hypervisor/errors.h \
	hypervisor/first-half.h \
	hypervisor/kick.h \
	hypervisor/lifecycle.h \
	hypervisor/page-walk.h \
	hypervisor/pages.h \
	hypervisor/pcpu.h \
	hypervisor/port.h \
	hypervisor/presence.h \
	hypervisor/profile.h \
	hypervisor/queue.h \
	hypervisor/refuse.h \
	hypervisor/ring.h \
	hypervisor/sample-record.h \
	hypervisor/sampler.h \
	hypervisor/second-half.h \
	hypervisor/session.h \
	hypervisor/text.h \
	hypervisor/ticker.h \
	hypervisor/timer.h \
	hypervisor/unwind-check.h \
	hypervisor/upkeep.h \
	hypervisor/wake.h \
	hypervisor/windows.h \
	hypervisor/words.h \
	hypervisor/xen-chain.h \
	hypervisor/xen-stack.h

EXTRA_DIST += $(core_sources) $(core_headers)

noinst_LTLIBRARIES += hypervisor/libcore.la
hypervisor_libcore_la_SOURCES = $(core_sources) $(core_headers) \
	hypervisor/port-process/memory.c \
	hypervisor/port-process/port-process.h \
	hypervisor/port-process/private.h \
	hypervisor/port-process/run.c \
	hypervisor/port-process/services.c \
	hypervisor/port-process/world.c

core_kit = tests/unit/hypervisor/core-kit.c tests/unit/hypervisor/core-kit.h
core_kit_libs = libharness.la hypervisor/libcore.la

check_PROGRAMS += tests/unit/hypervisor/test-queue
TESTS += tests/unit/hypervisor/test-queue
tests_unit_hypervisor_test_queue_SOURCES = tests/unit/hypervisor/test-queue.c $(core_kit)
tests_unit_hypervisor_test_queue_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-sampler
TESTS += tests/unit/hypervisor/test-sampler
tests_unit_hypervisor_test_sampler_SOURCES = tests/unit/hypervisor/test-sampler.c $(core_kit)
tests_unit_hypervisor_test_sampler_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-ring
TESTS += tests/unit/hypervisor/test-ring
tests_unit_hypervisor_test_ring_SOURCES = tests/unit/hypervisor/test-ring.c $(core_kit)
tests_unit_hypervisor_test_ring_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-sample
TESTS += tests/unit/hypervisor/test-sample
tests_unit_hypervisor_test_sample_SOURCES = tests/unit/hypervisor/test-sample.c $(core_kit)
tests_unit_hypervisor_test_sample_LDADD = $(core_kit_libs)

window_kit = tests/unit/hypervisor/window-kit.c tests/unit/hypervisor/window-kit.h
check_PROGRAMS += tests/unit/hypervisor/test-windows
TESTS += tests/unit/hypervisor/test-windows
tests_unit_hypervisor_test_windows_SOURCES = tests/unit/hypervisor/test-windows.c $(window_kit) \
	$(core_kit)
tests_unit_hypervisor_test_windows_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-windows-linked
TESTS += tests/unit/hypervisor/test-windows-linked
tests_unit_hypervisor_test_windows_linked_SOURCES = tests/unit/hypervisor/test-windows-linked.c \
	$(window_kit) $(core_kit)
tests_unit_hypervisor_test_windows_linked_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-page-walk
TESTS += tests/unit/hypervisor/test-page-walk
tests_unit_hypervisor_test_page_walk_SOURCES = tests/unit/hypervisor/test-page-walk.c
tests_unit_hypervisor_test_page_walk_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/port-payload/test-guest-tables
TESTS += tests/unit/hypervisor/port-payload/test-guest-tables
tests_unit_hypervisor_port_payload_test_guest_tables_SOURCES = tests/unit/hypervisor/port-payload/test-guest-tables.c \
	hypervisor/port-payload/guest-tables.c
tests_unit_hypervisor_port_payload_test_guest_tables_LDADD = libharness.la

check_PROGRAMS += tests/unit/hypervisor/port-payload/test-entry-code
TESTS += tests/unit/hypervisor/port-payload/test-entry-code
tests_unit_hypervisor_port_payload_test_entry_code_SOURCES = tests/unit/hypervisor/port-payload/test-entry-code.c \
	hypervisor/port-payload/entry-code.c
tests_unit_hypervisor_port_payload_test_entry_code_LDADD = libharness.la

check_PROGRAMS += tests/unit/hypervisor/port-payload/test-guest-memory
TESTS += tests/unit/hypervisor/port-payload/test-guest-memory
tests_unit_hypervisor_port_payload_test_guest_memory_SOURCES = tests/unit/hypervisor/port-payload/test-guest-memory.c
tests_unit_hypervisor_port_payload_test_guest_memory_LDADD = libharness.la

check_PROGRAMS += tests/fuzz/fuzz-paging
TESTS += tests/fuzz/fuzz-paging
tests_fuzz_fuzz_paging_SOURCES = tests/fuzz/fuzz-paging.c
tests_fuzz_fuzz_paging_LDADD = $(FUZZ_LIBS) hypervisor/libcore.la
tests_fuzz_fuzz_paging_DEPENDENCIES = libreplay.la hypervisor/libcore.la
EXTRA_DIST += tests/fuzz/seeds/paging/long \
	tests/fuzz/seeds/paging/pae tests/fuzz/seeds/paging/two-levels

ticker_kit = tests/unit/hypervisor/ticker-kit.c tests/unit/hypervisor/ticker-kit.h
check_PROGRAMS += tests/unit/hypervisor/test-ticker
TESTS += tests/unit/hypervisor/test-ticker
tests_unit_hypervisor_test_ticker_SOURCES = tests/unit/hypervisor/test-ticker.c $(ticker_kit) \
	$(core_kit)
tests_unit_hypervisor_test_ticker_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-ticker-trouble
TESTS += tests/unit/hypervisor/test-ticker-trouble
tests_unit_hypervisor_test_ticker_trouble_SOURCES = tests/unit/hypervisor/test-ticker-trouble.c \
	$(ticker_kit) $(core_kit)
tests_unit_hypervisor_test_ticker_trouble_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-command
TESTS += tests/unit/hypervisor/test-command
tests_unit_hypervisor_test_command_SOURCES = tests/unit/hypervisor/test-command.c $(core_kit)
tests_unit_hypervisor_test_command_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-lifecycle
TESTS += tests/unit/hypervisor/test-lifecycle
tests_unit_hypervisor_test_lifecycle_SOURCES = tests/unit/hypervisor/test-lifecycle.c $(core_kit)
tests_unit_hypervisor_test_lifecycle_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-domains
TESTS += tests/unit/hypervisor/test-domains
tests_unit_hypervisor_test_domains_SOURCES = tests/unit/hypervisor/test-domains.c $(core_kit)
tests_unit_hypervisor_test_domains_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-random
TESTS += tests/unit/hypervisor/test-random
tests_unit_hypervisor_test_random_SOURCES = tests/unit/hypervisor/test-random.c $(core_kit)
tests_unit_hypervisor_test_random_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-threads
TESTS += tests/unit/hypervisor/test-threads
tests_unit_hypervisor_test_threads_SOURCES = tests/unit/hypervisor/test-threads.c $(core_kit)
tests_unit_hypervisor_test_threads_LDADD = $(core_kit_libs) -lpthread

check_PROGRAMS += tests/fuzz/fuzz-door
TESTS += tests/fuzz/fuzz-door
tests_fuzz_fuzz_door_SOURCES = tests/fuzz/fuzz-door.c
tests_fuzz_fuzz_door_LDADD = $(FUZZ_LIBS) hypervisor/libcore.la
tests_fuzz_fuzz_door_DEPENDENCIES = libreplay.la hypervisor/libcore.la
EXTRA_DIST += tests/fuzz/seeds/door/lease tests/fuzz/seeds/door/refused \
	tests/fuzz/seeds/door/session tests/fuzz/seeds/door/timer \
	tests/fuzz/seeds/door/windows

check_PROGRAMS += tests/unit/hypervisor/test-ask
TESTS += tests/unit/hypervisor/test-ask
tests_unit_hypervisor_test_ask_SOURCES = tests/unit/hypervisor/test-ask.c
tests_unit_hypervisor_test_ask_LDADD = $(core_kit_libs)

stack_kit = tests/unit/hypervisor/stack-kit.c tests/unit/hypervisor/stack-kit.h

check_PROGRAMS += tests/unit/hypervisor/test-unwind-check
TESTS += tests/unit/hypervisor/test-unwind-check
tests_unit_hypervisor_test_unwind_check_SOURCES = tests/unit/hypervisor/test-unwind-check.c \
	$(stack_kit)
tests_unit_hypervisor_test_unwind_check_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-xen-stack
TESTS += tests/unit/hypervisor/test-xen-stack
tests_unit_hypervisor_test_xen_stack_SOURCES = tests/unit/hypervisor/test-xen-stack.c $(stack_kit)
tests_unit_hypervisor_test_xen_stack_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-xen-chain
TESTS += tests/unit/hypervisor/test-xen-chain
tests_unit_hypervisor_test_xen_chain_SOURCES = tests/unit/hypervisor/test-xen-chain.c $(stack_kit) \
	$(core_kit)
tests_unit_hypervisor_test_xen_chain_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/unit/hypervisor/test-xen-stack-random
TESTS += tests/unit/hypervisor/test-xen-stack-random
tests_unit_hypervisor_test_xen_stack_random_SOURCES = tests/unit/hypervisor/test-xen-stack-random.c \
	$(stack_kit)
tests_unit_hypervisor_test_xen_stack_random_LDADD = $(core_kit_libs)

check_PROGRAMS += tests/fuzz/fuzz-xen-stack
TESTS += tests/fuzz/fuzz-xen-stack
tests_fuzz_fuzz_xen_stack_SOURCES = tests/fuzz/fuzz-xen-stack.c $(stack_kit)
tests_fuzz_fuzz_xen_stack_LDADD = $(FUZZ_LIBS) hypervisor/libcore.la
tests_fuzz_fuzz_xen_stack_DEPENDENCIES = libreplay.la hypervisor/libcore.la
