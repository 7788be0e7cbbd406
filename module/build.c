/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the installed objects to a payload for the hypervisor that runs.
 */
#include "build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "module/facts/facts-gather.h"
#include "folder.h"
#include "module/unwind/unwind-table.h"
#include "payload.h"

#define PROBE_NAME "xenoprof-probe"

static void cleanup_free(void *pointer)
{
    free(*(void **)pointer);
}

static void cleanup_image(struct xen_image *image)
{
    xen_image_close(image);
}

#define SCOPE_FREE  __attribute__((cleanup(cleanup_free)))
#define SCOPE_IMAGE __attribute__((cleanup(cleanup_image)))

/* Goes on from *sum. */
static bool checksum(const char *path, uint32_t *sum)
{
    FILE *file = fopen(path, "re");
    uint8_t bytes[4096];
    size_t got;

    if ( !file )
        return false;
    while ( (got = fread(bytes, 1, sizeof(bytes), file)) )
        *sum = crc32(*sum, bytes, got);
    got = ferror(file);
    fclose(file);
    return !got;
}

/* What a kept module was made from: the object, and who made it of that. */
static bool origin(const char *object, uint32_t *ret)
{
    *ret = crc32(0, NULL, 0);
    return checksum(object, ret) && checksum("/proc/self/exe", ret);
}

/* An identity of its own, where the hypervisor's cannot be taken: its first
 * bytes turned round are nobody's. */
static void own_identity(const struct build_id *xen, struct build_id *ret)
{
    *ret = *xen;
    for ( size_t i = 0; i < ret->size; i++ )
        ret->bytes[i] = ~ret->bytes[i];
}

static enum module_code assemble_for(struct module_context *context,
                                     struct assemble_order *order, bool on_top)
{
    char error[ASSEMBLE_ERROR_MAX];

    order->xen = order->own = order->depends = context->id;
    if ( on_top )
        own_identity(&context->id, &order->own);
    if ( !assemble(order, error) )
        return MODULE_OK;
    return context_fail(context, MODULE_NO_FACTS, "%s", error);
}

static enum module_code open_symbols(struct module_context *context,
                                     const struct xen_range *text,
                                     struct xen_image *image)
{
    size_t size;
    SCOPE_FREE char *symbols = running_xen_symbols(&size);
    int result = symbols ? xen_image_open_text(image, text, symbols, size)
                         : -ENOENT;

    if ( !result )
        return MODULE_OK;
    return context_fail(context, MODULE_SYSTEM,
                        "/proc/xen/xensyms does not give Xen's symbols (%s); "
                        "dom0's kernel needs CONFIG_XEN_SYMS, and xenfs "
                        "mounted on /proc/xen",
                        strerror(-result));
}

static enum module_code refused(struct module_context *context, int result,
                                const char *what)
{
    if ( result == -ENOSYS || result == -EOPNOTSUPP )
        return context_fail(context, MODULE_NO_LIVEPATCH,
                            "this hypervisor does not take livepatches; it "
                            "must be built with CONFIG_LIVEPATCH");
    if ( result == -EPERM || result == -EACCES )
        return context_fail(context, MODULE_NO_LIVEPATCH,
                            "Xen forbids to upload a livepatch here (%s)",
                            strerror(-result));
    return context_fail(context, MODULE_REFUSED,
                        "Xen refused %s (%s); its reason is in `xl dmesg`",
                        what, strerror(-result));
}

/* The probe shows the code as it runs, whatever lies in /boot by now. */
static enum module_code probe_code(struct module_context *context,
                                   const char *probe, struct xen_image *image)
{
    SCOPE_FREE uint8_t *text = NULL, *rodata = NULL;
    size_t text_size, rodata_size;
    const struct xen_symbol *start = xen_image_find(image, "_stext");
    int result, unloaded;

    if ( !start )
        return context_fail(context, MODULE_NO_FACTS,
                            "this hypervisor has no symbol _stext, so its code "
                            "cannot be read; it is not known yet");
    result = payload_load(context->xc, PROBE_NAME, probe, true);
    if ( result )
        return refused(context, result, "the probe that reads its code");
    result = running_xen_read_code(&text, &text_size, &rodata, &rodata_size);
    unloaded = payload_unload(context->xc, PROBE_NAME);
    if ( result )
        return context_fail(context, MODULE_SYSTEM,
                            "cannot read the hypervisor's code (%s)",
                            strerror(-result));
    /* The module would lie on top of it, and be refused for that. */
    if ( unloaded )
        return context_fail(context, MODULE_SYSTEM,
                            "Xen did not unload the probe that read its code "
                            "(%s); unload livepatch %s, then try again",
                            strerror(-unloaded), PROBE_NAME);
    context_tell(context, "%zu bytes of code read from the running Xen\n",
                 text_size);
    if ( xen_image_take_contents(image, start->address, &text, text_size,
                                 rodata, rodata_size) )
        return context_fail(context, MODULE_SYSTEM, "no memory");
    return MODULE_OK;
}

int build_clear(struct module_context *context)
{
    int result = payload_unload(context->xc, PROBE_NAME);

    return result == -ENOENT ? 0 : result;
}

static enum module_code read_code(struct module_context *context,
                                  struct xen_image *image)
{
    char object[512], probe[] = MODULE_FOLDER "/.probe-XXXXXX";
    struct assemble_order order = {
        .object = object, .output = probe, .image = image};
    enum module_code code;
    int file = mkstemp(probe);

    if ( file < 0 )
        return context_fail(context, MODULE_SYSTEM, "cannot write to %s: %s",
                            MODULE_FOLDER, strerror(errno));
    close(file);
    context_object(context, "probe", object, sizeof(object));
    code = assemble_for(context, &order, true);
    if ( !code )
        code = probe_code(context, probe, image);
    unlink(probe);
    return code;
}

static void tell_facts(const struct module_context *context,
                       const struct facts_report *report)
{
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        context_tell(context, "%s\n", report->origin[i]);
}

static enum module_code gather(struct module_context *context,
                               struct xen_image *image,
                               struct xenoprof_facts *facts)
{
    SCOPE_FREE struct facts_report *report = calloc(1, sizeof(*report));
    struct facts_options options = {.xen_syms = context->options.xen_syms};
    int result;

    if ( !report )
        return context_fail(context, MODULE_SYSTEM, "no memory");
    memcpy(image->build_id, context->id.bytes, context->id.size);
    image->build_id_size = context->id.size;
    result = facts_gather(image, &options, facts, report);
    tell_facts(context, report);
    if ( !result )
        return MODULE_OK;
    return context_fail(context, MODULE_NO_FACTS,
                        "%s; please report this build (%s)", report->error,
                        context->id_text);
}

static void tell_coverage(struct module_context *context,
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

static enum module_code make_table(struct module_context *context,
                                   const struct xen_image *image,
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
    tell_coverage(context, report);
    free(report);
    return code;
}

/*
 * With interrupts off, as in the unload hook, a debug build asserts that
 * nobody frees memory: the host would go down.  This function is in no other.
 */
static enum module_code refuse_debug(struct module_context *context,
                                     const struct xen_image *image)
{
    if ( !xen_image_find(image, "ASSERT_NOT_IN_ATOMIC") )
        return MODULE_OK;
    return context_fail(context, MODULE_REFUSED,
                        "this hypervisor is a debug build (debug=y), whose "
                        "assertions do not let a module be unloaded; boot a "
                        "release build");
}

static enum module_code make(struct module_context *context, bool on_top,
                             const char *object, const char *path)
{
    SCOPE_IMAGE struct xen_image image = {0};
    SCOPE_FREE struct xenoprof_unwind *unwind = NULL;
    struct xen_range nothing = {0};
    struct xenoprof_facts facts;
    struct assemble_order order = {
        .object = object, .output = path, .image = &image, .facts = &facts};
    enum module_code code = open_symbols(context, &nothing, &image);

    if ( !code )
        code = refuse_debug(context, &image);
    if ( !code )
        code = read_code(context, &image);
    if ( !code )
        code = gather(context, &image, &facts);
    if ( !code )
        code = make_table(context, &image, object, &unwind);
    order.unwind = unwind;
    if ( !code )
        code = assemble_for(context, &order, on_top);
    return code;
}

enum module_code build_module(struct module_context *context, bool on_top,
                              char *path, size_t size)
{
    char object[512], fresh[512];
    enum module_code code;
    uint32_t sum;
    int result;

    context_object(context, "module", object, sizeof(object));
    if ( !origin(object, &sum) )
        return context_fail(context, MODULE_SYSTEM,
                            "cannot read %s: %s; is xenoprof installed "
                            "completely?",
                            object, strerror(errno));
    snprintf(path, size, "%s/%s%s-%08x.livepatch", MODULE_FOLDER,
             context->id_text, on_top ? "-on-top" : "", sum);
    if ( folder_has(path) && !context->options.verbose )
        return MODULE_OK;
    snprintf(fresh, sizeof(fresh), "%s.new", path);
    code = make(context, on_top, object, fresh);
    if ( code )
        return code;
    result = folder_keep(fresh, path);
    if ( result )
        return context_fail(context, MODULE_SYSTEM, "cannot write %s: %s", path,
                            strerror(-result));
    context_tell(context, "module kept as %s\n", path);
    return MODULE_OK;
}

enum module_code build_empty(struct module_context *context, char *path,
                             size_t size)
{
    SCOPE_IMAGE struct xen_image image = {0};
    struct xen_range nothing = {0};
    char object[512];
    struct assemble_order order = {
        .object = object, .output = path, .image = &image};
    enum module_code code = open_symbols(context, &nothing, &image);
    int file;

    if ( code )
        return code;
    snprintf(path, size, "/tmp/xenoprof-empty-XXXXXX");
    file = mkstemp(path);
    if ( file < 0 )
        return context_fail(context, MODULE_SYSTEM, "cannot write to /tmp: %s",
                            strerror(errno));
    close(file);
    context_object(context, "empty", object, sizeof(object));
    code = assemble_for(context, &order, true);
    if ( code )
        unlink(path);
    return code;
}
