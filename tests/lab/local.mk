# SPDX-License-Identifier: GPL-2.0-or-later
# Programs and payloads that the lab's scenarios need in dom0. Nothing of them
# is installed.

lab_tools = \
	tests/lab/tools/break-fact \
	tests/lab/tools/check-chains \
	tests/lab/tools/cpu-time \
	tests/lab/tools/free-pages \
	tests/lab/tools/guest-load \
	tests/lab/tools/guest-load-32 \
	tests/lab/tools/hash-writer \
	tests/lab/tools/hypercall-loop \
	tests/lab/tools/payload-ids \
	tests/lab/tools/read-hypfs \
	tests/lab/tools/save-rings \
	tests/lab/tools/spoil-index \
	tests/lab/tools/stack-pattern \
	tests/lab/tools/stack-windows \
	tests/lab/tools/unpack \
	tests/lab/tools/zero-reader

tests_lab_tools_break_fact_SOURCES = tests/lab/tools/break-fact.c
tests_lab_tools_check_chains_SOURCES = tests/lab/tools/check-chains.c \
	tests/lab/tools/xen-code.c tests/lab/tools/xen-code.h
tests_lab_tools_check_chains_LDADD = libxenoprof/libinside.la $(XENHYPFS_LIBS)
tests_lab_tools_cpu_time_SOURCES = tests/lab/tools/cpu-time.c
tests_lab_tools_cpu_time_LDADD = $(XENCTRL_LIBS)
tests_lab_tools_free_pages_SOURCES = tests/lab/tools/free-pages.c
tests_lab_tools_free_pages_LDADD = $(XENCTRL_LIBS)
tests_lab_tools_hypercall_loop_SOURCES = tests/lab/tools/hypercall-loop.c
tests_lab_tools_hypercall_loop_LDADD = -lxencall
tests_lab_tools_payload_ids_SOURCES = tests/lab/tools/payload-ids.c
tests_lab_tools_read_hypfs_SOURCES = tests/lab/tools/read-hypfs.c
tests_lab_tools_read_hypfs_LDADD = $(XENHYPFS_LIBS)
tests_lab_tools_save_rings_SOURCES = tests/lab/tools/save-rings.c
tests_lab_tools_save_rings_LDADD = libxenoprof/libinside.la \
	$(XENHYPFS_LIBS)
tests_lab_tools_unpack_SOURCES = tests/lab/tools/unpack.c
tests_lab_tools_unpack_LDADD = $(ZSTD_LIBS)
# For guests, which have no libraries.
bare_cflags = -std=gnu11 $(WARN_CFLAGS) -O2 -ffreestanding -fno-pic \
	-fno-stack-protector
bare_ldflags = -nostdlib -all-static
tests_lab_tools_guest_load_SOURCES = tests/lab/tools/guest-load.c
tests_lab_tools_guest_load_CFLAGS = $(bare_cflags)
tests_lab_tools_guest_load_LDFLAGS = $(bare_ldflags)
tests_lab_tools_guest_load_32_SOURCES = tests/lab/tools/guest-load-32.c
tests_lab_tools_guest_load_32_CFLAGS = $(bare_cflags) -m32
tests_lab_tools_guest_load_32_LDFLAGS = $(bare_ldflags) -m32
tests_lab_tools_hash_writer_SOURCES = tests/lab/tools/hash-writer.c
tests_lab_tools_hash_writer_CFLAGS = $(bare_cflags)
tests_lab_tools_hash_writer_LDFLAGS = $(bare_ldflags)
tests_lab_tools_zero_reader_SOURCES = tests/lab/tools/zero-reader.c
tests_lab_tools_zero_reader_CFLAGS = $(bare_cflags)
tests_lab_tools_zero_reader_LDFLAGS = $(bare_ldflags)
tests_lab_tools_spoil_index_SOURCES = tests/lab/tools/spoil-index.c
tests_lab_tools_spoil_index_LDADD = $(XENFOREIGNMEMORY_LIBS) $(XENHYPFS_LIBS)
tests_lab_tools_stack_pattern_SOURCES = tests/lab/tools/stack-pattern.c
tests_lab_tools_stack_windows_SOURCES = tests/lab/tools/stack-windows.c
tests_lab_tools_stack_windows_LDADD = libxenoprof/libinside.la $(XENHYPFS_LIBS)

lab_payloads = \
	tests/lab/payloads/bare.livepatch \
	tests/lab/payloads/irq-off.livepatch \
	tests/lab/payloads/show-code.livepatch

if WITH_XEN
noinst_PROGRAMS += $(lab_tools)
noinst_DATA += $(lab_payloads)
endif

# Without the names of what is static: no two payloads may share one.
%.livepatch: %.module.o $(payload)/notes.module.o
	$(AM_V_GEN)$(MODULE_LD) -r -x -o $@ $< $(payload)/notes.module.o

# Xen's code in hypfs, as xenopctl looks at it, for tests that check it too.
tests/lab/payloads/show-code.module.o: $(payload)/probe/probe.module.o
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $< $@

lab_payload_objects = $(lab_payloads:.livepatch=.module.o)

CLEANFILES += $(lab_payloads) $(lab_payload_objects) \
	$(lab_payload_objects:.o=.d)

lab_scenarios = \
	tests/lab/daemon-killed.sh \
	tests/lab/domains.sh \
	tests/lab/failures.sh \
	tests/lab/guest-door.sh \
	tests/lab/guest-kernel-file.sh \
	tests/lab/guest-names.sh \
	tests/lab/guest-reboots.sh \
	tests/lab/guest-stacks.sh \
	tests/lab/hostile-index.sh \
	tests/lab/hotplug.sh \
	tests/lab/hvm-exits.sh \
	tests/lab/hypfs-readers.sh \
	tests/lab/irq-off.sh \
	tests/lab/leftovers.sh \
	tests/lab/load-unload.sh \
	tests/lab/other-payloads.sh \
	tests/lab/overflow.sh \
	tests/lab/privileges.sh \
	tests/lab/profile.sh \
	tests/lab/save-restore.sh \
	tests/lab/shares.sh \
	tests/lab/switched.sh \
	tests/lab/windows.sh \
	tests/lab/wrong-build.sh \
	tests/lab/wrong-facts.sh \
	tests/lab/xen-stacks-long.sh \
	tests/lab/xen-stacks.sh

EXTRA_DIST += $(lab_scenarios) tests/lab/payloads/bare.c \
	tests/lab/payloads/irq-off.c \
	tests/lab/boots tests/lab/guests-facts tests/lab/guests-hvm \
	tests/lab/guests-main tests/lab/guests-names \
	tests/lab/guests-kernel32 tests/lab/guests-shares tests/lab/guests-stacks \
	tests/lab/guests-windows \
	tests/lab/dom0.sh tests/lab/kit.sh \
	tests/lab/kit-check.sh tests/lab/kit-door.sh \
	tests/lab/kit-guests.sh \
	tests/lab/kit-livepatch.sh tests/lab/kit-report.sh \
	tests/lab/README.md \
	tests/lab/run tests/lab/run-boot.sh tests/lab/run-plan.sh \
	tests/lab/run-say.sh tests/lab/run-verdict.sh

-include $(lab_payload_objects:.o=.d)
