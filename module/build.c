/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the payload: the hypervisor's symbols and code, the facts and the
 * unwind table found in that code, and the module object completed with them.
 */
#include "build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/scope.h"
#include "folder.h"
#include "guest-exit.h"
#include "kept.h"
#include "module/facts/facts-gather.h"
#include "module/facts/facts-list.h"
#include "module/unwind/unwind-table.h"
#include "read-code.h"
#include "trailer.h"

static void close_image(struct xen_image *image)
{
    xen_image_close(image);
}

#define SCOPE_IMAGE __attribute__((cleanup(close_image)))

/* Adds a file to *sum. */
static bool checksum(const char *path, uint32_t *sum)
{
    FILE *file SCOPE_FCLOSE = fopen(path, "re");
    uint8_t bytes[4096];
    size_t got;

    if ( !file )
        return false;
    while ( (got = fread(bytes, 1, sizeof(bytes), file)) )
        *sum = crc32(*sum, bytes, got);
    return !ferror(file);
}

/* Identifies what a kept module was made from: the object, this program, and
 * the debug information if it was given.  If that cannot be read, reading its
 * facts says so. */
static bool origin(const struct module_context *context, const char *object,
                   uint32_t *ret)
{
    *ret = crc32(0, NULL, 0);
    if ( !checksum(object, ret) || !checksum("/proc/self/exe", ret) )
        return false;
    if ( context->xen_syms )
        checksum(context->xen_syms, ret);
    return true;
}

/* Adds a line to what --setup prints. */
static void add_built(struct module_context *context, const char *line)
{
    size_t used = strlen(context->built);

    if ( *line )
        snprintf(context->built + used, sizeof(context->built) - used, "%s%s",
                 used ? "\n" : "", line);
}

static int find_facts(struct module_context *context, struct xen_image *image,
                      struct xenoprof_facts *facts)
{
    struct facts_report *report SCOPE_FREE = calloc(1, sizeof(*report));
    struct facts_options options = {.xen_syms = context->xen_syms};
    char absent[512];
    int result;

    if ( !report )
        return fail_memory(context->failure);
    memcpy(image->build_id, context->id.bytes, context->id.size);
    image->build_id_size = context->id.size;
    result = facts_gather(image, &options, facts, report);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        context_say(context, "%s\n", report->origin[i]);
    facts_absent_line(image, facts, absent, sizeof(absent));
    add_built(context, absent);
    if ( !result )
        return 0;
    return fail(context->failure, STATUS_NO_FACTS,
                "%s; please report this build (%s)", report->error,
                context->id_text);
}

static void say_coverage(struct module_context *context,
                         const struct unwind_report *report)
{
    char line[128];

    unwind_report_line(report, line, sizeof(line));
    add_built(context, line);
    context_say(context,
                "call stacks: %u instructions of entry code; %u of other "
                "stacks; of the rest %u could not be followed and %u are "
                "never reached:\n",
                report->entry, report->apart, report->unknown,
                report->unreached);
    for ( size_t i = 0; i < report->gap_count; i++ )
        context_say(context, "  %s: %u and %u\n", report->gaps[i].name,
                    report->gaps[i].unknown, report->gaps[i].unreached);
}

/* Makes the unwind table of the hypervisor's code and the module's own; none if
 * too little of that code could be followed, who knows how well. */
static int make_unwind_table(struct module_context *context,
                             const struct xen_image *image, const char *object,
                             struct xenoprof_unwind **table)
{
    struct unwind_report *report SCOPE_FREE = calloc(1, sizeof(*report));
    int result;

    if ( !report )
        return fail_memory(context->failure);
    result = unwind_generate(image, object, table, report);
    say_coverage(context, report);
    add_built(context, report->error);
    if ( !result || result == -ENODATA )
        return 0;
    return fail(context->failure, STATUS_NO_FACTS,
                "%s; please report this build (%s)", report->error,
                context->id_text);
}

static int build(struct module_context *context,
                 const struct built_module *module, const char *path)
{
    const char *object = module->object;
    struct xen_image image SCOPE_IMAGE = {0};
    struct xenoprof_unwind *table SCOPE_FREE = NULL;
    struct xenoprof_facts facts;
    struct assemble_order order = {
        .object = object, .output = path, .image = &image, .facts = &facts};

    if ( read_symbols(context, &image) || read_code(context, &image) ||
         find_facts(context, &image, &facts) ||
         make_unwind_table(context, &image, object, &table) )
        return context->failure->status;
    order.unwind = table;
    order.guest_exit = guest_exit_find(&image);
    return context_assemble(context, &order, module->on_top);
}

/* Files that a killed build leaves under this name go with the next one
 * (folder_clean()). */
static void fresh_path(const struct built_module *module, char path[520])
{
    snprintf(path, 520, "%s" FOLDER_FRESH, module->path);
}

/* Sets kept if there is a module that may be loaded. */
static int look_at_kept(struct module_context *context,
                        struct built_module *module)
{
    struct xen_image image SCOPE_IMAGE = {0};
    char fresh[520];
    struct assemble_order order = {
        .object = module->object, .output = fresh, .image = &image};
    const char *flaw;

    if ( !folder_has(module->path) )
        return 0;
    if ( read_symbols(context, &image) )
        return context->failure->status;
    fresh_path(module, fresh);
    context_identify(context, &order, module->on_top);
    flaw = kept_flaw(module->path, &order);
    module->kept = !flaw;
    if ( flaw )
        context_note(context,
                     "the module that was kept for this hypervisor %s; it was "
                     "made anew",
                     flaw);
    return 0;
}

int build_module_anew(struct module_context *context,
                      struct built_module *module)
{
    char fresh[520];
    int result;

    module->kept = false;
    fresh_path(module, fresh);
    if ( build(context, module, fresh) )
        return context->failure->status;
    result = trailer_add(fresh);
    if ( !result )
        result = folder_keep(fresh, module->path);
    if ( result )
        return fail(context->failure, STATUS_FAILED, "cannot write %s: %s",
                    module->path, strerror(-result));
    context_say(context, "module saved as %s\n", module->path);
    return 0;
}

int build_find(struct module_context *context, struct built_module *ret)
{
    uint32_t sum;

    ret->kept = false;
    context_object(context, "module", ret->object, sizeof(ret->object));
    if ( !origin(context, ret->object, &sum) )
        return fail(context->failure, STATUS_FAILED,
                    "cannot read %s: %s; is the installation of "
                    "xenoprof complete?",
                    ret->object, strerror(errno));
    snprintf(ret->path, sizeof(ret->path), "%s/%s%s-%08x.livepatch",
             MODULE_FOLDER, context->id_text, ret->on_top ? "-on-top" : "",
             sum);
    return look_at_kept(context, ret);
}

int build_module(struct module_context *context, struct built_module *ret)
{
    if ( build_find(context, ret) )
        return context->failure->status;
    if ( ret->kept && !context->verbose )
        return 0;
    return build_module_anew(context, ret);
}
