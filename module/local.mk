# SPDX-License-Identifier: GPL-2.0-or-later
# Facts of a hypervisor, and the module put together from them.
noinst_LTLIBRARIES += module/libmodule.la
module_libmodule_la_SOURCES = \
	module/assemble-symbols.c \
	module/assemble-symbols.h \
	module/assemble.c \
	module/assemble.h \
	module/build-unwind.c \
	module/build-unwind.h \
	module/build.c \
	module/build.h \
	module/check.c \
	module/context.c \
	module/context.h \
	module/facts/facts-code-private.h \
	module/facts/facts-code.c \
	module/facts/facts-code.h \
	module/facts/facts-dwarf.c \
	module/facts/facts-dwarf.h \
	module/facts/facts-evidence.c \
	module/facts/facts-evidence.h \
	module/facts/facts-execute.c \
	module/facts/facts-known.c \
	module/facts/facts-known.def \
	module/facts/facts-known.h \
	module/facts/facts-list.c \
	module/facts/facts-operand.c \
	module/facts/facts-pattern-parse.c \
	module/facts/facts-pattern.c \
	module/facts/facts-pattern.h \
	module/facts/facts-recipes.c \
	module/facts/facts-recipes.def \
	module/facts/facts-recipes.h \
	module/facts/facts-value.c \
	module/facts/facts-value.h \
	module/facts/facts.c \
	module/facts/facts.h \
	module/folder.c \
	module/folder.h \
	module/host.c \
	module/host.h \
	module/image-blob.c \
	module/image-elf.c \
	module/image-private.h \
	module/image.c \
	module/image.h \
	module/module.c \
	module/module.h \
	module/payload.c \
	module/payload.h \
	control/payload-list.c control/payload-list.h \
	module/unwind/unwind-code.c \
	module/unwind/unwind-code.h \
	module/unwind/unwind-encode.c \
	module/unwind/unwind-encode.h \
	module/unwind/unwind-entry.c \
	module/unwind/unwind-entry.h \
	module/unwind/unwind-flow.c \
	module/unwind/unwind-flow.h \
	module/unwind/unwind-frame.c \
	module/unwind/unwind-frame.h \
	module/unwind/unwind-insn.c \
	module/unwind/unwind-insn.h \
	module/unwind/unwind-labels.c \
	module/unwind/unwind-labels.h \
	module/unwind/unwind-marks.c \
	module/unwind/unwind-marks.h \
	module/unwind/unwind-names.def \
	module/unwind/unwind-newer.c \
	module/unwind/unwind-newer.h \
	module/unwind/unwind-object.c \
	module/unwind/unwind-object.h \
	module/unwind/unwind-report.c \
	module/unwind/unwind-report.h \
	module/unwind/unwind-symbols.c \
	module/unwind/unwind-symbols.h \
	module/unwind/unwind.c \
	module/unwind/unwind.h
module_libmodule_la_CPPFLAGS = $(AM_CPPFLAGS) $(XENCTRL_CPPFLAGS) -DPKGDATADIR='"$(pkgdatadir)"'
module_libmodule_la_LIBADD = $(CAPSTONE_LIBS) $(DW_LIBS) $(ELF_LIBS) $(Z_LIBS) \
	$(XENHYPFS_LIBS) $(XENCTRL_LIBS)

# Facts out of hand-made code; ./check runs test-facts-xen-syms, which wants
# the xen-syms of real hypervisors in XENOPROF_XEN_SYMS.
facts_tests = \
	tests/unit/module/facts/test-facts \
	tests/unit/module/facts/test-facts-code \
	tests/unit/module/test-facts-image \
	tests/unit/module/facts/test-facts-pattern
check_PROGRAMS += $(facts_tests) tests/unit/module/facts/test-facts-xen-syms
TESTS += $(facts_tests)
facts_kit = tests/unit/module/facts/facts-kit.c tests/unit/module/facts/facts-kit.h
facts_test = libharness.la module/libmodule.la
tests_unit_module_facts_test_facts_SOURCES = tests/unit/module/facts/test-facts.c $(facts_kit)
tests_unit_module_facts_test_facts_LDADD = $(facts_test)
tests_unit_module_facts_test_facts_code_SOURCES = tests/unit/module/facts/test-facts-code.c $(facts_kit)
tests_unit_module_facts_test_facts_code_LDADD = $(facts_test) $(CAPSTONE_LIBS)
tests_unit_module_test_facts_image_SOURCES = tests/unit/module/test-facts-image.c
tests_unit_module_test_facts_image_LDADD = $(facts_test)
tests_unit_module_facts_test_facts_pattern_SOURCES = tests/unit/module/facts/test-facts-pattern.c \
	$(facts_kit)
tests_unit_module_facts_test_facts_pattern_LDADD = $(facts_test)
tests_unit_module_facts_test_facts_xen_syms_SOURCES = tests/unit/module/facts/test-facts-xen-syms.c
tests_unit_module_facts_test_facts_xen_syms_LDADD = $(facts_test)

# Rows of hand-made code.
xen_unwind_tests = \
	tests/unit/module/unwind/test-xen-unwind \
	tests/unit/module/unwind/test-xen-unwind-entry \
	tests/unit/module/unwind/test-xen-unwind-flow \
	tests/unit/module/unwind/test-xen-unwind-table
check_PROGRAMS += $(xen_unwind_tests)
TESTS += $(xen_unwind_tests)
xen_unwind_kit = tests/unit/module/unwind/xen-unwind-kit.c tests/unit/module/unwind/xen-unwind-kit.h
xen_unwind_test = $(facts_test) hypervisor/libcore.la
tests_unit_module_unwind_test_xen_unwind_SOURCES = tests/unit/module/unwind/test-xen-unwind.c $(xen_unwind_kit)
tests_unit_module_unwind_test_xen_unwind_LDADD = $(xen_unwind_test)
tests_unit_module_unwind_test_xen_unwind_entry_SOURCES = tests/unit/module/unwind/test-xen-unwind-entry.c \
	$(xen_unwind_kit)
tests_unit_module_unwind_test_xen_unwind_entry_LDADD = $(xen_unwind_test)
tests_unit_module_unwind_test_xen_unwind_flow_SOURCES = tests/unit/module/unwind/test-xen-unwind-flow.c \
	$(xen_unwind_kit)
tests_unit_module_unwind_test_xen_unwind_flow_LDADD = $(xen_unwind_test)
tests_unit_module_unwind_test_xen_unwind_table_SOURCES = tests/unit/module/unwind/test-xen-unwind-table.c
tests_unit_module_unwind_test_xen_unwind_table_LDADD = $(xen_unwind_test)

check_PROGRAMS += tests/fuzz/fuzz-xen-unwind
TESTS += tests/fuzz/fuzz-xen-unwind
tests_fuzz_fuzz_xen_unwind_SOURCES = tests/fuzz/fuzz-xen-unwind.c \
	tests/fuzz/fuzz.h
tests_fuzz_fuzz_xen_unwind_LDADD = $(FUZZ_LIBS) module/libmodule.la \
	hypervisor/libcore.la
tests_fuzz_fuzz_xen_unwind_DEPENDENCIES = libreplay.la module/libmodule.la \
	hypervisor/libcore.la

# The unwind table; ./check runs test-unwind-xen-syms as it does the one above.
check_PROGRAMS += tests/unit/module/unwind/test-unwind-xen-syms
tests_unit_module_unwind_test_unwind_xen_syms_SOURCES = tests/unit/module/unwind/test-unwind-xen-syms.c
tests_unit_module_unwind_test_unwind_xen_syms_LDADD = $(xen_unwind_test) $(DW_LIBS)

# The module object as it is installed, completed for a made-up hypervisor.
if WITH_XEN
object_tests = tests/unit/module/test-assemble tests/unit/module/unwind/test-xen-unwind-object
check_PROGRAMS += $(object_tests)
TESTS += $(object_tests)
tests_unit_module_unwind_test_xen_unwind_object_SOURCES = tests/unit/module/unwind/test-xen-unwind-object.c
tests_unit_module_unwind_test_xen_unwind_object_LDADD = $(xen_unwind_test)
EXTRA_tests_unit_module_unwind_test_xen_unwind_object_DEPENDENCIES = xenoprof-module.o
tests_unit_module_test_assemble_SOURCES = tests/unit/module/test-assemble.c
tests_unit_module_test_assemble_LDADD = libharness.la module/libmodule.la $(ELF_LIBS)
EXTRA_tests_unit_module_test_assemble_DEPENDENCIES = xenoprof-module.o \
	xenoprof-probe.o xenoprof-empty.o
endif
