/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connects to Xen, and completes objects, for the steps that need it. */
#include "context.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own-folder.h"

void context_say(const struct module_context *context, const char *format, ...)
{
    va_list arguments;

    if ( !context->verbose )
        return;
    va_start(arguments, format);
    vfprintf(context->verbose, format, arguments);
    va_end(arguments);
}

void context_note(struct module_context *context, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(context->note, sizeof(context->note), format, arguments);
    va_end(arguments);
}

int context_connect(struct module_context *context)
{
    if ( context->xc )
        return 0;
    if ( running_xen_check(context->failure) )
        return context->failure->status;
    context->xc = xc_interface_open(NULL, NULL, 0);
    if ( !context->xc )
        return fail(context->failure, STATUS_FAILED,
                    "cannot open Xen's control interface: %s; is the "
                    "kernel module xen-privcmd loaded?",
                    strerror(errno));
    if ( !running_xen_build_id(context->xc, &context->id) )
        return fail(context->failure, STATUS_NO_FACTS,
                    "the hypervisor has no build-id, by which a module is "
                    "built for it; rebuild it with one");
    build_id_text(&context->id, context->id_text);
    return 0;
}

void context_object(const struct module_context *context, const char *name,
                    char *path, size_t size)
{
    const char *folder = getenv("XENOPROF_OBJECTS");
    char moved[64];

    snprintf(moved, sizeof(moved), "../lib/xenoprof/xenoprof-%s.o", name);
    if ( context->object && !strcmp(name, "module") )
        snprintf(path, size, "%s", context->object);
    else if ( folder || !own_file_beside("/proc/self/exe", moved, path, size) )
        snprintf(path, size, "%s/xenoprof-%s.o", folder ? folder : PAYLOADDIR,
                 name);
}

void context_identify(const struct module_context *context,
                      struct assemble_order *order, bool on_top)
{
    order->xen = order->own = order->depends = context->id;
    if ( !on_top )
        return;
    /* The hypervisor's with all bits inverted: nobody else has that one. */
    for ( size_t i = 0; i < order->own.size; i++ )
        order->own.bytes[i] = ~order->own.bytes[i];
}

int context_assemble(struct module_context *context,
                     struct assemble_order *order, bool on_top)
{
    char error[ASSEMBLE_ERROR_MAX];

    context_identify(context, order, on_top);
    if ( !assemble(order, error) )
        return 0;
    return fail(context->failure, STATUS_NO_FACTS, "%s", error);
}
