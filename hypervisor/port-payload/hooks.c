/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two hooks that Xen's livepatch loader calls while every pCPU stands still
 * with an empty stack.  There must be no other hook: with one of those that Xen
 * commit 8313c864fa ("livepatch: Implement pre-|post- apply|revert hooks")
 * (4.14) added, Xen refuses to `replace` payloads, also by others' hotfixes.
 *
 * Xen masks the NMI callback while hooks run, so loading never touches it.
 */
#include "hypervisor/core.h"
#include "guest.h"
#include "idle.h"
#include "payload.h"

typedef void hook(void);

/*
 * The loader calls this once: what was reverted it does not apply again.  A
 * damaged byte can do so: a call that has become a push moves the stack, and
 * then the return is to what the loader's thunk left there, which is this
 * function's address.  Every pCPU would stand still for ever.
 */
static bool begun;

static void load_payload(void)
{
    const char *wrong;

    if ( begun )
        return;
    begun = true;
    wrong = facts_check();
    if ( wrong )
    {
        port_log("fact %s is wrong for this hypervisor; no door is opened%s",
                 wrong, facts_remedy(wrong));
        return;
    }
    guest_init();
    idle_init();
    if ( door_open() )
    {
        door_close();
        port_log("hypfs refused /xenoprof; no door is opened");
        return;
    }
    port_log("version %s loaded", PACKAGE_VERSION);
}

static void say_unloaded(unsigned long pages)
{
    if ( !pages )
        port_log("unloaded");
    else if ( memory_is_held() )
        port_log("unloaded; %lu pages stay taken until the next boot: a debug "
                 "build of Xen forbids freeing them in a revert; xenopctl "
                 "--deinit frees them first",
                 pages);
    else
        port_log("unloaded; %lu pages are abandoned: dom0 still maps them, or "
                 "they are too many to be freed in a revert",
                 pages);
}

static void unload(void)
{
    unsigned int abandoned;

    memory_unloads();
    abandoned = core_unload();
    events_forget();
    nmi_unload();
    door_close();
    say_unloaded(abandoned + memory_held());
}

__attribute__((section(".livepatch.hooks.load"), used))
hook *const xenoprof_load_hook = load_payload;
__attribute__((section(".livepatch.hooks.unload"), used))
hook *const xenoprof_unload_hook = unload;
