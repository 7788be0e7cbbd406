# SPDX-License-Identifier: GPL-2.0-or-later
# Facts of a hypervisor, and the module put together from them.
noinst_LTLIBRARIES += module/libmodule.la
module_libmodule_la_SOURCES = \
	module/assemble-symbols.c \
	module/assemble-symbols.h \
	module/assemble.c \
	module/assemble.h \
	module/build.c \
	module/build.h \
	module/check.c \
	module/context.c \
	module/context.h \
	module/facts/code-execute.c \
	module/facts/code-operand.c \
	module/facts/code-step.h \
	module/facts/code-trace.c \
	module/facts/code-trace.h \
	module/facts/dwarf-fields.c \
	module/facts/dwarf-fields.h \
	module/facts/evidence.c \
	module/facts/evidence.h \
	module/facts/facts-gather.c \
	module/facts/facts-gather.h \
	module/facts/facts-list.c \
	module/facts/facts-list.h \
	module/facts/known-builds.def \
	module/facts/pattern-parse.c \
	module/facts/pattern.c \
	module/facts/pattern.h \
	module/facts/recipes.c \
	module/facts/recipes.def \
	module/facts/recipes.h \
	module/facts/value.c \
	module/facts/value.h \
	module/folder.c \
	module/folder.h \
	module/module.c \
	module/module.h \
	module/payload.c \
	module/payload.h \
	module/running-xen.c \
	module/running-xen.h \
	module/unwind/encode.c \
	module/unwind/encode.h \
	module/unwind/entry-distance.c \
	module/unwind/entry-distance.h \
	module/unwind/flow.c \
	module/unwind/flow.h \
	module/unwind/insn-newer.c \
	module/unwind/insn.c \
	module/unwind/insn.h \
	module/unwind/listing.c \
	module/unwind/listing.h \
	module/unwind/own-text.c \
	module/unwind/own-text.h \
	module/unwind/roles.c \
	module/unwind/roles.h \
	module/unwind/special-symbols.def \
	module/unwind/stack-frame.c \
	module/unwind/stack-frame.h \
	module/unwind/unwind-table.c \
	module/unwind/unwind-table.h \
	module/xen-image-elf.c \
	module/xen-image-text.c \
	module/xen-image.c \
	module/xen-image.h \
	control/payload-list.c control/payload-list.h
module_libmodule_la_CPPFLAGS = $(AM_CPPFLAGS) $(XENCTRL_CPPFLAGS) -DPKGDATADIR='"$(pkgdatadir)"'
module_libmodule_la_LIBADD = $(CAPSTONE_LIBS) $(DW_LIBS) $(ELF_LIBS) $(Z_LIBS) \
	$(XENHYPFS_LIBS) $(XENCTRL_LIBS)

# Facts out of hand-made code; ./check runs test-facts-xen-syms, which wants
# the xen-syms of real hypervisors in XENOPROF_XEN_SYMS.
facts_tests = \
	tests/unit/module/facts/test-facts-gather \
	tests/unit/module/facts/test-code-trace \
	tests/unit/module/test-xen-image \
	tests/unit/module/facts/test-pattern
check_PROGRAMS += $(facts_tests) tests/unit/module/facts/test-facts-xen-syms
TESTS += $(facts_tests)
facts_kit = tests/unit/module/facts/facts-kit.c tests/unit/module/facts/facts-kit.h
facts_test = libharness.la module/libmodule.la
tests_unit_module_facts_test_facts_gather_SOURCES = tests/unit/module/facts/test-facts-gather.c $(facts_kit)
tests_unit_module_facts_test_facts_gather_LDADD = $(facts_test)
tests_unit_module_facts_test_code_trace_SOURCES = tests/unit/module/facts/test-code-trace.c $(facts_kit)
tests_unit_module_facts_test_code_trace_LDADD = $(facts_test) $(CAPSTONE_LIBS)
tests_unit_module_test_xen_image_SOURCES = tests/unit/module/test-xen-image.c
tests_unit_module_test_xen_image_LDADD = $(facts_test)
tests_unit_module_facts_test_pattern_SOURCES = tests/unit/module/facts/test-pattern.c \
	$(facts_kit)
tests_unit_module_facts_test_pattern_LDADD = $(facts_test)
tests_unit_module_facts_test_facts_xen_syms_SOURCES = tests/unit/module/facts/test-facts-xen-syms.c
tests_unit_module_facts_test_facts_xen_syms_LDADD = $(facts_test)

# Rows of hand-made code.
xen_unwind_tests = \
	tests/unit/module/unwind/test-stack-frame \
	tests/unit/module/unwind/test-entry-distance \
	tests/unit/module/unwind/test-flow \
	tests/unit/module/unwind/test-unwind-table
check_PROGRAMS += $(xen_unwind_tests)
TESTS += $(xen_unwind_tests)
xen_unwind_kit = tests/unit/module/unwind/xen-unwind-kit.c tests/unit/module/unwind/xen-unwind-kit.h
xen_unwind_test = $(facts_test) hypervisor/libcore.la
tests_unit_module_unwind_test_stack_frame_SOURCES = tests/unit/module/unwind/test-stack-frame.c $(xen_unwind_kit)
tests_unit_module_unwind_test_stack_frame_LDADD = $(xen_unwind_test)
tests_unit_module_unwind_test_entry_distance_SOURCES = tests/unit/module/unwind/test-entry-distance.c \
	$(xen_unwind_kit)
tests_unit_module_unwind_test_entry_distance_LDADD = $(xen_unwind_test)
tests_unit_module_unwind_test_flow_SOURCES = tests/unit/module/unwind/test-flow.c \
	$(xen_unwind_kit)
tests_unit_module_unwind_test_flow_LDADD = $(xen_unwind_test)
tests_unit_module_unwind_test_unwind_table_SOURCES = tests/unit/module/unwind/test-unwind-table.c
tests_unit_module_unwind_test_unwind_table_LDADD = $(xen_unwind_test)

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
object_tests = tests/unit/module/test-assemble tests/unit/module/unwind/test-own-text
check_PROGRAMS += $(object_tests)
TESTS += $(object_tests)
tests_unit_module_unwind_test_own_text_SOURCES = tests/unit/module/unwind/test-own-text.c
tests_unit_module_unwind_test_own_text_LDADD = $(xen_unwind_test)
EXTRA_tests_unit_module_unwind_test_own_text_DEPENDENCIES = xenoprof-module.o
tests_unit_module_test_assemble_SOURCES = tests/unit/module/test-assemble.c
tests_unit_module_test_assemble_LDADD = libharness.la module/libmodule.la $(ELF_LIBS)
EXTRA_tests_unit_module_test_assemble_DEPENDENCIES = xenoprof-module.o \
	xenoprof-probe.o xenoprof-empty.o
endif
