/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unloads the module, whatever its payload is called, if nothing lies above. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenoprof/door.h>

#include "base/scope.h"
#include "context.h"
#include "control/xen-tools.h"
#include "module.h"
#include "payload.h"

/* Xen does not report the order of applying.  It is that of uploading for
 * everybody who uploads and applies in one go. */
const char *module_covered_by(struct module_context *context)
{
    struct payload_entry *list SCOPE_FREE = NULL;
    size_t count;
    bool ours = false;

    context->above[0] = 0;
    if ( context_connect(context) || payload_list(context->xc, &list, &count) )
        return NULL;
    for ( size_t i = 0; i < count; i++ )
    {
        if ( !strcmp(list[i].name, MODULE_NAME) )
            ours = list[i].applied;
        else if ( ours && list[i].applied )
            snprintf(context->above, sizeof(context->above), "%s",
                     list[i].name);
    }
    return context->above[0] ? context->above : NULL;
}

/*
 * Finds out what the module's payload is called.  If there is a door, and none
 * of our name is applied, it is a part of Xen, or somebody loaded it by hand.
 * Xen does not say what a payload has; where one alone is applied, that is the
 * one with the door.
 */
static int find_payload(struct module_context *context)
{
    struct payload_entry *list SCOPE_FREE = NULL;
    size_t count = 0, applied = 0, used = 0;
    char names[512] = "";
    int part;

    strcpy(context->name, MODULE_NAME);
    context->part = false;
    if ( payload_state(context->xc, MODULE_NAME) == LIVEPATCH_STATE_APPLIED ||
         !running_xen_has_door(XENOPROF_DOOR_DIR) )
        return 0;
    part = running_xen_has_us();
    context->part = part > 0;
    if ( context->part )
        return 0;
    payload_list(context->xc, &list, &count);
    for ( size_t i = 0; i < count; i++ )
        if ( list[i].applied && !applied++ )
            strcpy(context->name, list[i].name);
    if ( !applied || (applied == 1 && part == 0) )
        return 0;
    for ( size_t i = 0; i < count && used < sizeof(names); i++ )
        if ( list[i].applied )
            used += (size_t)snprintf(names + used, sizeof(names) - used, " %s",
                                     list[i].name);
    return fail(
        context->failure, STATUS_FAILED,
        "the module was loaded by hand, under another name than %s, or "
        "is part of this Xen; in the first case, revert and unload, with xen-livepatch, the one of these "
        "livepatches that it is:%s",
        MODULE_NAME, names);
}

bool module_is_part(void)
{
    return running_xen_has_us() > 0;
}

int module_may_unload(struct module_context *context)
{
    const char *above;

    if ( context_connect(context) ||
         xen_tools_check(context->xc, context->failure) )
        return context->failure->status;
    above = module_covered_by(context);
    if ( !above )
        return find_payload(context);
    return fail(context->failure, STATUS_COVERED,
                "livepatch %s lies above the module, and Xen only "
                "reverts the topmost; revert it first with "
                "xen-livepatch revert %s",
                above, above);
}

int module_unload(struct module_context *context, bool *already)
{
    int result;

    *already = false;
    if ( module_may_unload(context) )
        return context->failure->status;
    if ( context->part )
    {
        *already = true;
        return 0;
    }
    result = payload_unload(context->xc, context->name);
    *already = result == -ENOENT || payload_is_no_livepatch(result);
    if ( !result || *already )
        return 0;
    return fail(context->failure, STATUS_FAILED,
                "Xen did not unload the module (%s); the reason is in "
                "`xl dmesg`",
                strerror(-result));
}
