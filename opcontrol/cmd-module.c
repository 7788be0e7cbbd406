/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --check, --setup and --deinit: the module comes and goes. */
#include <stdio.h>

#include "commands.h"
#include "control/door-client.h"
#include "control/lacks.h"
#include "control/xen-access.h"

/* --check: list what the module needs, with yes or no, and the remedy. */
int command_check(const struct arguments *arguments, struct failure *failure)
{
    struct module_context *context = open_module(arguments, failure);
    int status;

    if ( !context )
        return failure->status;
    status = module_check(context, stdout);
    module_close(context);
    return status;
}

/* Returns the module, or NULL with a failure where it cannot be changed. */
static struct module_context *open_in_dom0(const struct arguments *arguments,
                                           struct failure *failure)
{
    return xen_access_check(failure) ? NULL : open_module(arguments, failure);
}

int load_module(const struct arguments *arguments, bool *already,
                struct failure *failure)
{
    struct module_context *context = open_in_dom0(arguments, failure);

    *already = false;
    if ( !context )
        return failure->status;
    if ( !module_setup(context, already) && !*already )
    {
        if ( *module_note(context) )
            client_say(stderr, "note: ", module_note(context));
        if ( *module_built_text(context) )
            printf("%s\n", module_built_text(context));
    }
    module_close(context);
    return failure->status;
}

static bool has_door(struct xenoprof_door_state *state)
{
    struct door_client door = {0};
    bool ret;

    if ( door_client_open(&door) )
        return false;
    ret = !door_client_state(&door, state);
    door_client_close(&door);
    return ret;
}

/* What the module that is loaded cannot do here. */
static void print_lacks(void)
{
    struct xenoprof_door_state state;
    char text[LACKS_TEXT_MAX] = "";

    if ( has_door(&state) )
        lacks_text(state.lacks, text, sizeof(text));
    if ( *text )
        printf("note: %s\n", text);
}

/* --setup --offline: would there be a module for that hypervisor? */
static int report_offline(const struct arguments *arguments,
                          struct failure *failure)
{
    struct module_context *context = open_module(arguments, failure);

    if ( !context )
        return failure->status;
    if ( arguments->table )
        module_table(context, arguments->offline, arguments->table, stdout);
    else
        module_report(context, arguments->offline, stdout);
    module_close(context);
    return failure->status;
}

/* --setup: build the module for the running hypervisor, and load it. */
int command_setup(const struct arguments *arguments, struct failure *failure)
{
    bool already;

    if ( arguments->offline )
        return report_offline(arguments, failure);
    if ( load_module(arguments, &already, failure) )
        return failure->status;
    if ( already )
        say_already(
            module_is_part()
                ? "xenoprof is part of this Xen: nothing is to be loaded"
                : "the module is already loaded");
    print_lacks();
    return 0;
}

/* A daemon that was killed may have left a session in the module. */
static void empty_module(void)
{
    struct door_client door = {0};

    if ( door_client_open(&door) )
        return;
    door_client_empty(&door);
    door_client_close(&door);
}

/* Ends nothing before it is known that the module can be unloaded. */
static int end_all(const struct arguments *arguments,
                   struct module_context *context, struct failure *failure)
{
    bool runs, already;

    if ( module_may_unload(context) || find_daemon(arguments, &runs, failure) )
        return failure->status;
    if ( runs && command_shutdown(arguments, failure) )
        return failure->status;
    empty_module();
    if ( module_unload(context, &already) || module_clear(context) )
        return failure->status;
    if ( already )
        say_already(module_is_part() ? "xenoprof is part of this Xen, and stays"
                                     : "the module is not loaded");
    return 0;
}

/* --deinit: stop sampling, end the daemon, unload the module. */
int command_deinit(const struct arguments *arguments, struct failure *failure)
{
    struct module_context *context = open_in_dom0(arguments, failure);
    int status;

    if ( !context )
        return failure->status;
    status = end_all(arguments, context, failure);
    module_close(context);
    return status;
}
