/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens and closes the context, and does what several steps need. */
#include "context.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if ( options )
        context->options = *options;
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

const char *module_unwind_line(const struct module_context *context)
{
    return context->unwind_line;
}

void context_say(const struct module_context *context, const char *format, ...)
{
    va_list arguments;

    if ( !context->options.verbose )
        return;
    va_start(arguments, format);
    vfprintf(context->options.verbose, format, arguments);
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
                    "module xen-privcmd loaded?",
                    strerror(errno));
    if ( !running_xen_build_id(context->xc, &context->id) )
        return fail(context->failure, STATUS_NO_FACTS,
                    "the hypervisor has no build-id, so nothing can be put "
                    "together for it; rebuild it with one");
    build_id_text(&context->id, context->id_text);
    return 0;
}

void context_object(const struct module_context *context, const char *name,
                    char *path, size_t size)
{
    const char *folder = getenv("XENOPROF_OBJECTS");

    if ( context->options.object && !strcmp(name, "module") )
        snprintf(path, size, "%s", context->options.object);
    else
        snprintf(path, size, "%s/xenoprof-%s.o", folder ? folder : PKGDATADIR,
                 name);
}

/* Where the hypervisor's identity cannot be taken: with all bits inverted it
 * belongs to nobody. */
static void own_identity(const struct build_id *xen, struct build_id *ret)
{
    *ret = *xen;
    for ( size_t i = 0; i < ret->size; i++ )
        ret->bytes[i] = ~ret->bytes[i];
}

int context_assemble(struct module_context *context,
                     struct assemble_order *order, bool on_top)
{
    char error[ASSEMBLE_ERROR_MAX];

    order->xen = order->own = order->depends = context->id;
    if ( on_top )
        own_identity(&context->id, &order->own);
    if ( !assemble(order, error) )
        return 0;
    return fail(context->failure, STATUS_NO_FACTS, "%s", error);
}
