/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of --check that needs the hypervisor's code: would --setup find in
 * it what a module needs? */
#include "check-code.h"

#include <string.h>
#include <unistd.h>

#include <xenoprof/door.h>

#include "answer.h"
#include "base/scope.h"
#include "build.h"
#include "folder.h"
#include "kept.h"
#include "module.h"
#include "payload.h"
#include "read-code.h"
#include "survey.h"

/* One line that stands for most of them. */
static void print_one(bool fine, const char *detail, FILE *out)
{
    struct answer answer;

    answer_say(&answer, fine, detail);
    answer_print(&answer, "module", out);
}

static int print_kept(struct module_context *context, const char *path,
                      FILE *out)
{
    struct xen_image image = {0};
    struct xenoprof_facts facts;

    print_one(true, "kept from an earlier --setup, and as it was then", out);
    if ( !read_symbols(context, &image) && kept_facts(path, &facts) )
        survey_print_stacks(&image, &facts, out);
    xen_image_close(&image);
    return context->failure->status;
}

/* first: no setup has run here, so no probe was left behind, and one that is
 * there is another's. */
static int survey_code(struct module_context *context, const char *object,
                       bool first, FILE *out)
{
    struct xen_image image = {0};
    struct survey survey = {.image = &image,
                            .object = object,
                            .xen_syms = context->xen_syms,
                            .running = true};
    int status = read_symbols(context, &image);

    if ( !status && !first && read_code_clear(context) )
        status = fail(context->failure, STATUS_FAILED,
                      "a probe that an earlier --setup left behind cannot be "
                      "unloaded; xenopctl --deinit says more");
    if ( !status )
        status = read_code(context, &image);
    if ( status )
        print_one(false, context->failure->text, out);
    else
    {
        survey.has_holes = context->has_holes;
        memcpy(image.build_id, context->id.bytes, context->id.size);
        image.build_id_size = context->id.size;
        status = survey_print(&survey, out, context->failure);
    }
    xen_image_close(&image);
    return status;
}

int check_code(struct module_context *context, FILE *out)
{
    struct built_module module = {
        .on_top = payload_others_applied(context->xc, MODULE_NAME)};
    bool first = access(MODULE_FOLDER, F_OK);
    int lock SCOPE_CLOSE = -1;

    if ( (!first && folder_lock(MODULE_FOLDER, &lock, context->failure)) ||
         build_find(context, &module) )
    {
        print_one(false, context->failure->text, out);
        return context->failure->status;
    }
    if ( module.kept )
        return print_kept(context, module.path, out);
    if ( running_xen_has_door(XENOPROF_DOOR_DIR) )
    {
        print_one(true, "loaded", out);
        return 0;
    }
    return survey_code(context, module.object, first, out);
}
