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
static void print_code_answer(bool fine, const char *detail,
                              struct answer_list *answers)
{
    struct answer answer = {0};

    answer_say(&answer, fine, detail);
    answer_print(answers, &answer, "module");
}

static int print_kept(struct module_context *context, const char *path,
                      struct answer_list *answers)
{
    struct xen_image image = {0};
    struct xenoprof_facts facts;

    print_code_answer(true, "kept from an earlier --setup, and as it was then",
                      answers);
    if ( !read_symbols(context, &image) && kept_facts(path, &facts) )
        survey_print_stacks(&image, &facts, answers);
    xen_image_close(&image);
    return context->failure->status;
}

/* first: no setup has run here, so no probe was left behind, and one that is
 * there is another's. */
static int survey_code(struct module_context *context, const char *object,
                       bool first, struct answer_list *answers)
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
        print_code_answer(false, context->failure->text, answers);
    else
    {
        survey.has_holes = context->has_holes;
        survey.nmi = context->nmi;
        memcpy(image.build_id, context->id.bytes, context->id.size);
        image.build_id_size = context->id.size;
        status = survey_print(&survey, answers, context->failure);
    }
    xen_image_close(&image);
    return status;
}

int check_code(struct module_context *context, struct answer_list *answers)
{
    struct built_module module = {
        .on_top = payload_others_applied(context->xc, MODULE_NAME)};
    bool first = access(MODULE_FOLDER, F_OK);
    int lock SCOPE_CLOSE = -1;

    if ( (!first && folder_lock(MODULE_FOLDER, &lock, context->failure)) ||
         build_find(context, &module) )
    {
        print_code_answer(false, context->failure->text, answers);
        return context->failure->status;
    }
    if ( module.kept )
        return print_kept(context, module.path, answers);
    if ( running_xen_has_door(XENOPROF_DOOR_DIR) )
    {
        print_code_answer(true, "loaded", answers);
        return 0;
    }
    return survey_code(context, module.object, first, answers);
}
