/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xenopctl --setup --offline: reports on a hypervisor that does not run, or
 * makes its unwind table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "base/wrap.h"
#include "boot-file.h"
#include "context.h"
#include "module.h"
#include "survey.h"
#include "unwind/unwind-table.h"

static int not_opened(struct module_context *context, const char *file,
                      int result)
{
    if ( result == -ENOEXEC )
        return fail(
            context->failure, STATUS_FAILED,
            "%s is not a hypervisor for x86-64; give what the boot loader "
            "loads (xen-VERSION.gz), or xen-syms of that build",
            file);
    if ( result == -ENODATA )
        return fail(context->failure, STATUS_FAILED,
                    "%s has no table of symbols that xenopctl can read; give "
                    "the xen-syms of that build instead",
                    file);
    return fail(context->failure, STATUS_FAILED, "cannot read %s: %s", file,
                strerror(-result));
}

static void print_build(const struct xen_image *image,
                        struct answer_list *answers)
{
    struct answer answer = {0};
    struct build_id id = {.size = image->build_id_size};
    char text[2 * XEN_IMAGE_BUILD_ID_MAX + 1];

    memcpy(id.bytes, image->build_id, id.size);
    build_id_text(&id, text);
    answer_say(&answer, id.size,
               id.size ? text
                       : "the hypervisor has no build-id, by which a module is "
                         "built for it; rebuild it with one");
    answer_print(answers, &answer, "build-id");
}

int module_report(struct module_context *context, const char *file, FILE *out)
{
    struct answer_list answers = {.out = out, .width = wrap_width(out)};
    struct xen_image image;
    char object[512];
    const struct survey survey = {
        .image = &image,
        .object = object,
        .xen_syms = context->xen_syms,
        .verbose = context->verbose,
    };
    int result = boot_file_open(&image, file), status;

    if ( result )
        return not_opened(context, file, result);
    context_object(context, "module", object, sizeof(object));
    print_build(&image, &answers);
    status = survey_print(&survey, &answers, context->failure);
    if ( !status && !image.build_id_size )
        status = STATUS_NO_FACTS;
    context->failure->status = status;
    xen_image_close(&image);
    return status;
}

static int write_table(const char *path, const struct xenoprof_unwind *table)
{
    FILE *file = fopen(path, "w");
    bool written;

    if ( !file )
        return -errno;
    written = fwrite(table, 1, table->size, file) == table->size;
    return fclose(file) || !written ? -errno : 0;
}

int module_table(struct module_context *context, const char *file,
                 const char *to, FILE *out)
{
    struct xenoprof_unwind *table = NULL;
    struct unwind_report report;
    struct xen_image image;
    char line[UNWIND_ERROR_MAX];
    int result = boot_file_open(&image, file);

    if ( result )
        return not_opened(context, file, result);
    result = unwind_generate(&image, NULL, &table, &report);
    xen_image_close(&image);
    if ( result )
        return fail(context->failure, STATUS_NO_FACTS, "%s: %s", file,
                    report.error);
    result = write_table(to, table);
    free(table);
    if ( result )
        return fail(context->failure, STATUS_FAILED, "cannot write %s: %s", to,
                    strerror(-result));
    unwind_report_line(&report, line, sizeof(line));
    fprintf(out, "%s\n", line);
    return 0;
}
