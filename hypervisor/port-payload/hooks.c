/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two hooks that Xen's livepatch loader calls, with every pCPU standing
 * still and an empty stack on each.  No other hook: one of them would make
 * Xen refuse `replace` for everybody's hotfixes.
 *
 * The NMI slot is masked while they run, so loading never touches it.
 */
#include "hypervisor/core.h"
#include "payload-door.h"
#include "events.h"
#include "facts-check.h"
#include "guest.h"
#include "nmi.h"

typedef void hook(void);

static void load(void)
{
    const char *wrong = facts_check();

    if ( wrong )
    {
        port_log("fact %s is wrong for this hypervisor; no door is opened",
                 wrong);
        return;
    }
    guest_init();
    if ( door_open() )
    {
        door_close();
        port_log("hypfs refused /xenoprof; no door is opened");
        return;
    }
    port_log("version %s loaded", PACKAGE_VERSION);
}

static void unload(void)
{
    unsigned int abandoned = core_unload();

    events_forget();
    nmi_forget();
    door_close();
    if ( abandoned )
        port_log("unloaded; %u pages that dom0 still maps are abandoned",
                 abandoned);
    else
        port_log("unloaded");
}

__attribute__((section(".livepatch.hooks.load"), used))
hook *const xenoprof_load_hook = load;
__attribute__((section(".livepatch.hooks.unload"), used))
hook *const xenoprof_unload_hook = unload;
