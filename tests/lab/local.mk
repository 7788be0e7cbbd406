# SPDX-License-Identifier: GPL-2.0-or-later
# Programs and payloads that the lab's scenarios need in dom0: make lab-tools.
# The programs are in sources.mk; nothing of them is installed.

# For guests, which have no libraries.
bare_cflags = -std=gnu11 $(WARN_CFLAGS) -O2 -ffreestanding -fno-pic \
	-fno-stack-protector
bare_link = $(CCLD) $(bare_cflags) -nostdlib -static

lab_payloads = \
	tests/lab/payloads/bare.livepatch \
	tests/lab/payloads/irq-off.livepatch \
	tests/lab/payloads/show-code.livepatch

if WITH_XEN
check_PROGRAMS += $(lab_tools)
check_DATA += $(lab_payloads)
endif

# Without the names of what is static: no two payloads may share one.
%.livepatch: %.module.o $(payload)/notes.module.o
	$(AM_V_GEN)$(MODULE_LD) -r -x -o $@ $< $(payload)/notes.module.o

lab_payload_objects = $(lab_payloads:.livepatch=.module.o)

# xenopctl gives its own payloads thunks where Xen has none; these are loaded as
# they are, also by a Xen without thunks.
$(lab_payload_objects): module_more = -mindirect-branch=keep -mfunction-return=keep

CLEANFILES += $(lab_payloads) $(lab_payload_objects) \
	$(lab_payload_objects:.o=.d)

-include $(lab_payload_objects:.o=.d)

# The module with other registers, for processors without counters.
lab_module = tests/lab/payloads/software-module.o
software_registers = tests/lab/payloads/software-registers.module.o
# The first one begins our text.
software_objects = \
	$(filter-out $(payload)/registers.module.o,$(module_objects)) \
	$(software_registers)

if WITH_XEN
check_DATA += $(lab_module)
endif

$(software_registers): module_more = $(MODULE_LTO)
$(lab_module): $(software_objects)
	$(AM_V_GEN)$(MODULE_JOIN) -o $@ $(software_objects)

CLEANFILES += $(lab_module) $(software_registers) $(software_registers:.o=.d)

-include $(software_registers:.o=.d)

# The same for guests that have no libraries.
lab_static = tests/lab/tools/known-stacks-static
tests/lab/tools/%-static: tests/lab/tools/%.$(OBJEXT)
	$(AM_V_CCLD)$(CCLD) $(CFLAGS) -static -o $@ $<
# The same, with names for others, as a library has them; it is one.
lab_library = tests/lab/tools/known-leaves
$(lab_library): tests/lab/tools/known-leaves.c
	$(AM_V_CCLD)$(CC) $(filter-out -fno-pic,$(bare_cflags)) -fPIC -shared \
		-nostdlib -Wl,-e,_start,-Bsymbolic -o $@ $<
CLEANFILES += $(lab_static) $(lab_library)

.PHONY: lab-tools
lab-tools: $(lab_tools) $(lab_payloads) $(lab_module) $(lab_static) \
	$(lab_library) opagent-static
