/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Putting the module in and taking it out.
 */
#include "module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xenoprof/door.h>

#include "build.h"
#include "context.h"
#include "folder.h"
#include "payload.h"

static enum module_code livepatch_is_there(struct module_context *context)
{
    int result = payload_state(context->xc, MODULE_NAME);

    if ( result == -ENOSYS || result == -EOPNOTSUPP )
        return context_fail(context, MODULE_NO_LIVEPATCH,
                            "this hypervisor does not take livepatches; it "
                            "must be built with CONFIG_LIVEPATCH");
    if ( !running_xen_has_hypfs() )
        return context_fail(context, MODULE_NO_HYPFS,
                            "this hypervisor has no hypfs; it must be built "
                            "with CONFIG_HYPFS");
    return MODULE_OK;
}

/* Any payload other than ours that is applied. */
static bool others_applied(struct module_context *context)
{
    struct payload_entry *list;
    size_t count;
    bool found = false;

    if ( payload_list(context->xc, &list, &count) )
        return false;
    for ( size_t i = 0; i < count; i++ )
        found |= list[i].applied && strcmp(list[i].name, MODULE_NAME);
    free(list);
    return found;
}

/* Applied, and no door: the module did not like what it found. */
static enum module_code no_door(struct module_context *context)
{
    char line[256];

    running_xen_console_line(context->xc, "xenoprof: fact", line, sizeof(line));
    payload_unload(context->xc, MODULE_NAME);
    return context_fail(
        context, MODULE_REFUSED,
        "the module does not fit this hypervisor and was unloaded again: %s",
        *line ? line : "it opened no door; see `xl dmesg`");
}

/* What a setup left behind that was cut short. */
static enum module_code clear(struct module_context *context)
{
    int result = build_clear(context);

    if ( result )
        return context_fail(context, MODULE_SYSTEM,
                            "a probe that an earlier --setup left behind "
                            "cannot be unloaded (%s); `xen-livepatch list` "
                            "shows what lies above it",
                            strerror(-result));
    payload_withdraw(context->xc, MODULE_NAME);
    return MODULE_OK;
}

static enum module_code load(struct module_context *context)
{
    char path[512];
    bool on_top;
    enum module_code code = clear(context);
    int result;

    if ( code )
        return code;
    on_top = others_applied(context);
    code = build_module(context, on_top, path, sizeof(path));
    if ( code )
        return code;
    if ( on_top )
        context_tell(context, "other livepatches are applied: a hotfix that "
                              "depends on the last of them needs --nodeps "
                              "while xenoprof is loaded\n");
    result = payload_load(context->xc, MODULE_NAME, path, on_top);
    if ( result )
        return context_fail(context, MODULE_REFUSED,
                            "Xen refused the module (%s); its reason is in "
                            "`xl dmesg`",
                            strerror(-result));
    return running_xen_has_door(XENOPROF_DOOR_DIR) ? MODULE_OK
                                                   : no_door(context);
}

static void close_lock(int *lock)
{
    if ( *lock >= 0 )
        close(*lock);
}

enum module_code module_setup(struct module_context *context)
{
    __attribute__((cleanup(close_lock))) int lock = -1;
    enum module_code code = context_connect(context);

    if ( !code )
        code = livepatch_is_there(context);
    if ( !code )
        code = folder_lock(context, &lock);
    if ( code )
        return code;
    if ( module_loaded(context) )
        return context_fail(context, MODULE_ALREADY,
                            "the module is loaded already");
    return load(context);
}

enum module_code module_may_unload(struct module_context *context)
{
    const char *above = module_covered_by(context);

    if ( !above )
        return MODULE_OK;
    return context_fail(context, MODULE_COVERED,
                        "livepatch %s lies above the module, and Xen only "
                        "reverts the topmost; revert that one first "
                        "(xen-livepatch revert %s)",
                        above, above);
}

enum module_code module_unload(struct module_context *context)
{
    enum module_code code = context_connect(context);
    int result;

    if ( !code )
        code = module_may_unload(context);
    if ( code )
        return code;
    result = payload_unload(context->xc, MODULE_NAME);
    if ( !result )
        return MODULE_OK;
    if ( result == -ENOENT || result == -ENOSYS || result == -EOPNOTSUPP )
        return context_fail(context, MODULE_ALREADY,
                            "the module is not loaded");
    return context_fail(context, MODULE_SYSTEM,
                        "Xen did not unload the module (%s); its reason is in "
                        "`xl dmesg`",
                        strerror(-result));
}

bool module_loaded(struct module_context *context)
{
    return !context_connect(context) &&
           payload_state(context->xc, MODULE_NAME) == LIVEPATCH_STATE_APPLIED;
}

/* Xen does not tell the order of applying; that of uploading is the same for
 * everybody who uploads and applies in one go. */
const char *module_covered_by(struct module_context *context)
{
    struct payload_entry *list;
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
    free(list);
    return context->above[0] ? context->above : NULL;
}
