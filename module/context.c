/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "context.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module_context *module_open(const struct module_options *options)
{
    struct module_context *context = calloc(1, sizeof(*context));

    if ( context && options )
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

const char *module_message(const struct module_context *context)
{
    return context->message;
}

const char *module_unwind_line(const struct module_context *context)
{
    return context->unwind_line;
}

enum module_code context_fail(struct module_context *context,
                              enum module_code code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(context->message, sizeof(context->message), format, arguments);
    va_end(arguments);
    return code;
}

void context_tell(const struct module_context *context, const char *format, ...)
{
    va_list arguments;

    if ( !context->options.verbose )
        return;
    va_start(arguments, format);
    vfprintf(context->options.verbose, format, arguments);
    va_end(arguments);
}

static enum module_code code_of(enum xen_lack lack)
{
    switch ( lack )
    {
    case XEN_NONE: return MODULE_NO_XEN;
    case XEN_NOT_DOM0: return MODULE_NO_DOM0;
    case XEN_NOT_ROOT: return MODULE_NOT_ROOT;
    default: return MODULE_SYSTEM;
    }
}

enum module_code context_connect(struct module_context *context)
{
    enum xen_lack lack = running_xen_look();

    if ( context->xc )
        return MODULE_OK;
    if ( lack )
        return context_fail(context, code_of(lack), "%s", xen_lack_text(lack));
    context->xc = xc_interface_open(NULL, NULL, 0);
    if ( !context->xc )
        return context_fail(context, MODULE_SYSTEM,
                            "cannot open Xen's control interface: %s; is the "
                            "module xen-privcmd loaded?",
                            strerror(errno));
    if ( !running_xen_build_id(context->xc, &context->id) )
        return context_fail(context, MODULE_NO_FACTS, "%s",
                            xen_lack_text(XEN_NO_BUILD_ID));
    build_id_text(&context->id, context->id_text);
    return MODULE_OK;
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
