/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a Xen that was built with us does instead of loading a payload: it opens
 * the door when it boots.
 */
#include "hooks.h"

#include "hypervisor/core.h"
#include "hypervisor/port-payload/guest.h"
#include "hypervisor/port-payload/idle.h"
#include "hypervisor/port-payload/payload.h"

void xenoprof_begin(void)
{
    const char *wrong = host_check();

    if ( wrong )
    {
        port_log("%s rules this host out; no door is opened%s", wrong,
                 facts_remedy(wrong));
        return;
    }
    port_unhook_commit(); /* there is no handler yet */
    guest_init();
    idle_init();
    if ( door_open() )
    {
        door_close();
        port_log("hypfs refused /xenoprof; no door is opened");
        return;
    }
    port_log("version %s is part of this Xen", PACKAGE_VERSION);
}

/* What a build does not have is 0. */
#define XEN_OPTIONAL(name) asm(".weak " #name);
#include <xenoprof/module-symbols.def>
#undef XEN_OPTIONAL

const struct xen_optional optional = {
#define XEN_OPTIONAL(name) name,
#include <xenoprof/module-symbols.def>
#undef XEN_OPTIONAL
};

/* The unwind table, which xenopctl makes of this Xen when it was linked once;
 * all zeroes before.  It has our code, too, as part of Xen's. */
asm(".pushsection .rodata, \"a\", @progbits\n"
    ".balign 8\n"
    ".globl unwind_table\n"
    "unwind_table:\n"
    ".incbin \"arch/x86/xenoprof/table.bin\"\n"
    ".popsection\n"
    ".pushsection .text, \"ax\", @progbits\n"
    ".globl module_text_start\n"
    "module_text_start:\n"
    ".popsection");
