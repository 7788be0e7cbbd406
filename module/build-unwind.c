/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "build-unwind.h"

#include <stdlib.h>

#include "module/unwind/unwind.h"

static void tell(struct module_context *context,
                 const struct unwind_report *report)
{
    unwind_report_line(report, context->unwind_line,
                       sizeof(context->unwind_line));
    context_tell(context,
                 "call stacks: %u instructions of entry code; %u of other "
                 "stacks; of the rest %u could not be followed and %u are "
                 "never reached:\n",
                 report->entry, report->apart, report->unknown,
                 report->unreached);
    for ( size_t i = 0; i < report->gap_count; i++ )
        context_tell(context, "  %s: %u and %u\n", report->gaps[i].name,
                     report->gaps[i].unknown, report->gaps[i].unreached);
}

enum module_code build_unwind(struct module_context *context,
                              const struct hypervisor_image *image,
                              const char *object,
                              struct xenoprof_unwind **table)
{
    struct unwind_report *report = calloc(1, sizeof(*report));
    enum module_code code = MODULE_OK;

    if ( !report )
        return context_fail(context, MODULE_SYSTEM, "no memory");
    if ( unwind_generate(image, object, table, report) )
        code = context_fail(context, MODULE_NO_FACTS,
                            "%s; please report this build (%s)", report->error,
                            context->id_text);
    tell(context, report);
    free(report);
    return code;
}
