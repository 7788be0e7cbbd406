/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads the module: each function is the list of its steps. */
#include "module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xenoprof/door.h>

#include "base/scope.h"
#include "build.h"
#include "context.h"
#include "control/xen-tools.h"
#include "folder.h"
#include "payload.h"
#include "read-code.h"

struct module_context *module_open(const struct module_options *options,
                                   struct failure *failure)
{
    struct module_context *context = calloc(1, sizeof(*context));

    if ( !context )
    {
        fail_memory(failure);
        return NULL;
    }
    context->failure = failure;
    context->xen_syms = options->xen_syms;
    context->object = options->object;
    context->verbose = options->verbose;
    return context;
}

void module_close(struct module_context *context)
{
    if ( !context )
        return;
    if ( context->xc )
        xc_interface_close(context->xc);
    free(context);
}

const char *module_built_text(const struct module_context *context)
{
    return context->built;
}

const char *module_note(const struct module_context *context)
{
    return context->note;
}

/* Checks that the hypervisor takes livepatches, and has room for the door. */
static int check_hypervisor(struct module_context *context)
{
    if ( payload_is_no_livepatch(payload_state(context->xc, MODULE_NAME)) )
        return fail(context->failure, STATUS_NO_LIVEPATCH,
                    "this hypervisor does not take livepatches; build it "
                    "with CONFIG_LIVEPATCH");
    if ( !running_xen_has_hypfs() )
        return fail(context->failure, STATUS_NO_HYPFS,
                    "this hypervisor has no hypfs; build it with "
                    "CONFIG_HYPFS");
    return 0;
}

/* Removes what a setup that was cut short left in Xen. */
static int clear_leftovers(struct module_context *context)
{
    int result = read_code_clear(context);

    if ( result )
        return fail(context->failure, STATUS_FAILED,
                    "a probe that an earlier --setup left behind "
                    "cannot be unloaded (%s); `xen-livepatch list` "
                    "shows what lies above it",
                    strerror(-result));
    payload_withdraw(context->xc, MODULE_NAME);
    return 0;
}

/* Returns whether another file might be taken: Xen or the module disliked what
 * is in this one. */
static bool blames_file(int result)
{
    return !result || result == -EINVAL || result == -ENOEXEC ||
           result == -ENOENT || result == -EOPNOTSUPP;
}

/* Sets *blamed if another file might be taken.  This one goes then: --check
 * would trust it. */
static int load(struct module_context *context,
                const struct built_module *module, bool *blamed)
{
    int result = payload_load(context->xc, MODULE_NAME, module->path,
                              module->on_top);
    char line[256];

    if ( !result && running_xen_has_door(XENOPROF_DOOR_DIR) )
        return 0;
    *blamed = blames_file(result);
    if ( *blamed )
        unlink(module->path);
    if ( result )
        return fail(context->failure, STATUS_REFUSED,
                    "Xen refused the module (%s); the reason is in `xl dmesg`",
                    strerror(-result));
    /* It is applied, but a fact did not hold, so it opened no door. */
    running_xen_console_line(context->xc, "xenoprof: fact", line, sizeof(line));
    payload_unload(context->xc, MODULE_NAME);
    return fail(
        context->failure, STATUS_REFUSED,
        "the module does not fit this hypervisor and was unloaded again: %s",
        *line ? line : "it opened no door; see `xl dmesg`");
}

/* A kept module was refused.  Once only: what is made now is as good as it
 * gets. */
static int load_anew(struct module_context *context,
                     struct built_module *module)
{
    const struct failure refused = *context->failure;
    bool blamed;

    *context->failure = (struct failure){0};
    if ( build_module_anew(context, module) || load(context, module, &blamed) )
        return context->failure->status;
    context_note(context,
                 "the module that was kept for this hypervisor did not load "
                 "(%s); it was made anew",
                 refused.text);
    return 0;
}

static int build_and_load(struct module_context *context)
{
    struct built_module module = {
        .on_top = payload_others_applied(context->xc, MODULE_NAME)};
    bool blamed;

    if ( build_module(context, &module) )
        return context->failure->status;
    if ( module.on_top )
        context_say(context, "other livepatches are applied: while xenoprof "
                             "is loaded, a hotfix that depends on the last "
                             "of them needs --nodeps\n");
    if ( !load(context, &module, &blamed) )
        return 0;
    return module.kept && blamed ? load_anew(context, &module)
                                 : context->failure->status;
}

int module_setup(struct module_context *context, bool *already)
{
    int lock SCOPE_CLOSE = -1;

    *already = false;
    if ( context_connect(context) ||
         xen_tools_check(context->xc, context->failure) ||
         check_hypervisor(context) ||
         folder_lock(MODULE_FOLDER, &lock, context->failure) )
        return context->failure->status;
    folder_clean(lock);
    *already = module_loaded(context);
    /* Where a setup was killed, or a payload of our name is somebody else's,
     * there is no door. */
    if ( *already && !running_xen_has_door(XENOPROF_DOOR_DIR) )
        return fail(context->failure, STATUS_REFUSED,
                    "a livepatch %s is applied that opened no door in hypfs; "
                    "xenopctl --deinit unloads it",
                    MODULE_NAME);
    if ( *already )
        return 0;
    if ( clear_leftovers(context) )
        return context->failure->status;
    /* Somebody loaded it by hand, under another name. */
    *already = running_xen_has_door(XENOPROF_DOOR_DIR);
    return *already ? 0 : build_and_load(context);
}

int module_clear(struct module_context *context)
{
    int lock SCOPE_CLOSE = -1;

    /* Then no setup has run here. */
    if ( access(MODULE_FOLDER, F_OK) )
        return 0;
    if ( context_connect(context) ||
         folder_lock(MODULE_FOLDER, &lock, context->failure) )
        return context->failure->status;
    folder_clean(lock);
    return clear_leftovers(context);
}

bool module_loaded(struct module_context *context)
{
    return !context_connect(context) &&
           payload_state(context->xc, MODULE_NAME) == LIVEPATCH_STATE_APPLIED;
}
