# SPDX-License-Identifier: GPL-2.0-or-later
# Facts of a hypervisor, and the module put together from them.
noinst_LTLIBRARIES += libmodule.la
libmodule_la_SOURCES = \
	opcontrol/module/assemble-symbols.c \
	opcontrol/module/assemble-symbols.h \
	opcontrol/module/assemble.c \
	opcontrol/module/assemble.h \
	opcontrol/module/build-unwind.c \
	opcontrol/module/build-unwind.h \
	opcontrol/module/build.c \
	opcontrol/module/build.h \
	opcontrol/module/check.c \
	opcontrol/module/context.c \
	opcontrol/module/context.h \
	opcontrol/module/facts-code-private.h \
	opcontrol/module/facts-code.c \
	opcontrol/module/facts-code.h \
	opcontrol/module/facts-dwarf.c \
	opcontrol/module/facts-dwarf.h \
	opcontrol/module/facts-evidence.c \
	opcontrol/module/facts-evidence.h \
	opcontrol/module/facts-execute.c \
	opcontrol/module/facts-known.c \
	opcontrol/module/facts-known.def \
	opcontrol/module/facts-known.h \
	opcontrol/module/facts-list.c \
	opcontrol/module/facts-operand.c \
	opcontrol/module/facts-pattern-parse.c \
	opcontrol/module/facts-pattern.c \
	opcontrol/module/facts-pattern.h \
	opcontrol/module/facts-recipes.c \
	opcontrol/module/facts-recipes.def \
	opcontrol/module/facts-recipes.h \
	opcontrol/module/facts-value.c \
	opcontrol/module/facts-value.h \
	opcontrol/module/facts.c \
	opcontrol/module/facts.h \
	opcontrol/module/folder.c \
	opcontrol/module/folder.h \
	opcontrol/module/host.c \
	opcontrol/module/host.h \
	opcontrol/module/image-blob.c \
	opcontrol/module/image-elf.c \
	opcontrol/module/image-private.h \
	opcontrol/module/image.c \
	opcontrol/module/image.h \
	opcontrol/module/module.c \
	opcontrol/module/module.h \
	opcontrol/module/payload.c \
	opcontrol/module/payload.h \
	opcontrol/module/payload-list.c opcontrol/module/payload-list.h \
	opcontrol/module/unwind-code.c \
	opcontrol/module/unwind-code.h \
	opcontrol/module/unwind-encode.c \
	opcontrol/module/unwind-encode.h \
	opcontrol/module/unwind-entry.c \
	opcontrol/module/unwind-entry.h \
	opcontrol/module/unwind-flow.c \
	opcontrol/module/unwind-flow.h \
	opcontrol/module/unwind-frame.c \
	opcontrol/module/unwind-frame.h \
	opcontrol/module/unwind-insn.c \
	opcontrol/module/unwind-insn.h \
	opcontrol/module/unwind-labels.c \
	opcontrol/module/unwind-labels.h \
	opcontrol/module/unwind-marks.c \
	opcontrol/module/unwind-marks.h \
	opcontrol/module/unwind-names.def \
	opcontrol/module/unwind-newer.c \
	opcontrol/module/unwind-newer.h \
	opcontrol/module/unwind-object.c \
	opcontrol/module/unwind-object.h \
	opcontrol/module/unwind-report.c \
	opcontrol/module/unwind-report.h \
	opcontrol/module/unwind-symbols.c \
	opcontrol/module/unwind-symbols.h \
	opcontrol/module/unwind.c \
	opcontrol/module/unwind.h
libmodule_la_CPPFLAGS = $(AM_CPPFLAGS) $(XENCTRL_CPPFLAGS) -DPKGDATADIR='"$(pkgdatadir)"'
libmodule_la_LIBADD = $(CAPSTONE_LIBS) $(DW_LIBS) $(ELF_LIBS) $(Z_LIBS) \
	$(XENHYPFS_LIBS) $(XENCTRL_LIBS)

# Facts out of hand-made code; ./check runs test-facts-xen-syms, which wants
# the xen-syms of real hypervisors in XENOPROF_XEN_SYMS.
facts_tests = \
	tests/unit/test-facts \
	tests/unit/test-facts-code \
	tests/unit/test-facts-image \
	tests/unit/test-facts-pattern
check_PROGRAMS += $(facts_tests) tests/unit/test-facts-xen-syms
TESTS += $(facts_tests)
facts_kit = tests/unit/facts-kit.c tests/unit/facts-kit.h
facts_test = libharness.la libmodule.la
tests_unit_test_facts_SOURCES = tests/unit/test-facts.c $(facts_kit)
tests_unit_test_facts_LDADD = $(facts_test)
tests_unit_test_facts_code_SOURCES = tests/unit/test-facts-code.c $(facts_kit)
tests_unit_test_facts_code_LDADD = $(facts_test) $(CAPSTONE_LIBS)
tests_unit_test_facts_image_SOURCES = tests/unit/test-facts-image.c
tests_unit_test_facts_image_LDADD = $(facts_test)
tests_unit_test_facts_pattern_SOURCES = tests/unit/test-facts-pattern.c \
	$(facts_kit)
tests_unit_test_facts_pattern_LDADD = $(facts_test)
tests_unit_test_facts_xen_syms_SOURCES = tests/unit/test-facts-xen-syms.c
tests_unit_test_facts_xen_syms_LDADD = $(facts_test)

# Rows of hand-made code.
xen_unwind_tests = \
	tests/unit/test-xen-unwind \
	tests/unit/test-xen-unwind-entry \
	tests/unit/test-xen-unwind-flow \
	tests/unit/test-xen-unwind-table
check_PROGRAMS += $(xen_unwind_tests)
TESTS += $(xen_unwind_tests)
xen_unwind_kit = tests/unit/xen-unwind-kit.c tests/unit/xen-unwind-kit.h
xen_unwind_test = $(facts_test) hypervisor/libcore.la
tests_unit_test_xen_unwind_SOURCES = tests/unit/test-xen-unwind.c $(xen_unwind_kit)
tests_unit_test_xen_unwind_LDADD = $(xen_unwind_test)
tests_unit_test_xen_unwind_entry_SOURCES = tests/unit/test-xen-unwind-entry.c \
	$(xen_unwind_kit)
tests_unit_test_xen_unwind_entry_LDADD = $(xen_unwind_test)
tests_unit_test_xen_unwind_flow_SOURCES = tests/unit/test-xen-unwind-flow.c \
	$(xen_unwind_kit)
tests_unit_test_xen_unwind_flow_LDADD = $(xen_unwind_test)
tests_unit_test_xen_unwind_table_SOURCES = tests/unit/test-xen-unwind-table.c
tests_unit_test_xen_unwind_table_LDADD = $(xen_unwind_test)

check_PROGRAMS += tests/fuzz/fuzz-xen-unwind
TESTS += tests/fuzz/fuzz-xen-unwind
tests_fuzz_fuzz_xen_unwind_SOURCES = tests/fuzz/fuzz-xen-unwind.c \
	tests/fuzz/fuzz.h
tests_fuzz_fuzz_xen_unwind_LDADD = $(FUZZ_LIBS) libmodule.la \
	hypervisor/libcore.la
tests_fuzz_fuzz_xen_unwind_DEPENDENCIES = libreplay.la libmodule.la \
	hypervisor/libcore.la

# The unwind table; ./check runs test-unwind-xen-syms as it does the one above.
check_PROGRAMS += tests/unit/test-unwind-xen-syms
tests_unit_test_unwind_xen_syms_SOURCES = tests/unit/test-unwind-xen-syms.c
tests_unit_test_unwind_xen_syms_LDADD = $(xen_unwind_test) $(DW_LIBS)

# The module object as it is installed, completed for a made-up hypervisor.
if WITH_XEN
object_tests = tests/unit/test-assemble tests/unit/test-xen-unwind-object
check_PROGRAMS += $(object_tests)
TESTS += $(object_tests)
tests_unit_test_xen_unwind_object_SOURCES = tests/unit/test-xen-unwind-object.c
tests_unit_test_xen_unwind_object_LDADD = $(xen_unwind_test)
EXTRA_tests_unit_test_xen_unwind_object_DEPENDENCIES = xenoprof-module.o
tests_unit_test_assemble_SOURCES = tests/unit/test-assemble.c
tests_unit_test_assemble_LDADD = libharness.la libmodule.la $(ELF_LIBS)
EXTRA_tests_unit_test_assemble_DEPENDENCIES = xenoprof-module.o \
	xenoprof-probe.o xenoprof-empty.o
endif
