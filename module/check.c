/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xenopctl --check: a table of needs, each with a question and a remedy. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xenoprof/door.h>

#include "answer.h"
#include "base/scope.h"
#include "base/wrap.h"
#include "check-code.h"
#include "context.h"
#include "control/door-client.h"
#include "control/xen-domains.h"
#include "control/xen-tools.h"
#include "module.h"
#include "nmi-asked.h"
#include "payload.h"
#include "read-code.h"
#include "watchdog-asked.h"

static void ask_host(struct module_context *context, struct answer *answer)
{
    bool fine = !context_connect(context);

    answer_say(answer, fine || context->xc,
               context->xc ? "dom0 of a Xen host, as root"
                           : context->failure->text);
}

static void ask_tools(struct module_context *context, struct answer *answer)
{
    bool fine = !xen_tools_check(context->xc, context->failure);

    answer_say(answer, fine,
               fine ? "libxenctrl is of this hypervisor's version"
                    : context->failure->text);
}

static void ask_build(struct module_context *context, struct answer *answer)
{
    answer_say(answer, context->id.size,
               context->id.size ? context->id_text : context->failure->text);
}

static void ask_symbols(struct module_context *context, struct answer *answer)
{
    size_t size = 0;
    char *text SCOPE_FREE = running_xen_symbols(&size);

    (void)context;
    answer_say(answer, text && size,
               text && size
                   ? "/proc/xen/xensyms"
                   : "/proc/xen/xensyms is missing or empty: dom0's kernel "
                     "needs CONFIG_XEN_SYMS, and xenfs mounted on "
                     "/proc/xen");
}

static void ask_hypfs(struct module_context *context, struct answer *answer)
{
    (void)context;
    if ( running_xen_has_hypfs() )
        answer_say(answer, true, "CONFIG_HYPFS");
    else
        answer_say(answer, false, "build the hypervisor with CONFIG_HYPFS");
}

/* Completes the empty payload in a temporary file, which the caller removes. */
static int build_empty(struct module_context *context, char *path, size_t size)
{
    struct xen_image image = {0};
    char object[512];
    struct assemble_order order = {
        .object = object, .output = path, .image = &image};
    int status = read_symbols(context, &image), file = -1;

    if ( !status )
    {
        snprintf(path, size, "/tmp/xenoprof-empty-XXXXXX");
        file = mkstemp(path);
        if ( file < 0 )
            status = fail(context->failure, STATUS_FAILED,
                          "cannot write to /tmp: %s", strerror(errno));
    }
    if ( !status )
    {
        close(file);
        context_object(context, "empty", object, sizeof(object));
        status = context_assemble(context, &order, true);
        if ( status )
            unlink(path);
    }
    xen_image_close(&image);
    return status;
}

static void ask_livepatch(struct module_context *context, struct answer *answer)
{
    char path[64];
    int result;

    if ( module_loaded(context) )
    {
        answer_say(answer, true, "the module is loaded");
        return;
    }
    /* A --check that was cut short may have left it. */
    payload_withdraw(context->xc, EMPTY_NAME);
    if ( build_empty(context, path, sizeof(path)) )
    {
        answer_say(answer, false, context->failure->text);
        return;
    }
    result = payload_upload(context->xc, EMPTY_NAME, path);
    unlink(path);
    if ( !result )
        payload_withdraw(context->xc, EMPTY_NAME);
    if ( !result )
        answer_say(answer, true, "an empty payload was uploaded and withdrawn");
    else if ( result == -EEXIST )
        answer_say(answer, true,
                   "another xenopctl has uploaded a payload, or left one "
                   "behind, which --setup removes");
    else if ( payload_is_no_livepatch(result) )
        answer_say(answer, false, "build the hypervisor with CONFIG_LIVEPATCH");
    else
        answer_say(answer, false,
                   "Xen does not accept a payload; the reason is in "
                   "`xl dmesg`");
}

static void ask_payloads(struct module_context *context, struct answer *answer)
{
    struct payload_entry *list SCOPE_FREE = NULL;
    size_t count = 0, used = 0;
    const char *above = module_covered_by(context);

    answer_say(answer, !above, "none above ours; applied:");
    if ( above )
        snprintf(answer->detail, sizeof(answer->detail),
                 "%s lies above ours, which cannot be unloaded before it; "
                 "applied:",
                 above);
    payload_list(context->xc, &list, &count);
    used = strlen(answer->detail);
    for ( size_t i = 0; i < count && used < sizeof(answer->detail); i++ )
        if ( list[i].applied )
            used += snprintf(answer->detail + used,
                             sizeof(answer->detail) - used, " %s",
                             list[i].name);
    if ( used == strlen("none above ours; applied:") )
        strcpy(answer->detail, "none applied");
}

/* Only the module sees the slot and the watchdog itself.  Without the module,
 * Xen's command line says whether the watchdog was asked for. */
static void ask_watchdog(struct module_context *context, struct answer *answer)
{
    xen_commandline_t line = "";

    xc_version(context->xc, XENVER_commandline, line);
    line[sizeof(line) - 1] = 0;
    if ( watchdog_asked(line) )
        answer_say(answer, false,
                   "Xen runs its NMI watchdog, so the sampler is timer: guest "
                   "code is exact, Xen's time has no addresses; --sampler=nmi "
                   "insists on NMIs");
    else
        answer_say(answer, true, "not asked for on Xen's command line");
}

/* Returns whether there is a door that says how it is. */
static bool ask_door(struct xenoprof_door_state *ret)
{
    struct door_client door = {0};
    bool seen;

    memset(ret, 0, sizeof(*ret));
    seen = !door_client_open(&door) && !door_client_state(&door, ret);
    door_client_close(&door);
    return seen;
}

/* Without the module, the command line; what the build does by itself is seen
 * where its code is read (survey.c). */
static void ask_unknown_nmis(struct module_context *context,
                             struct answer *answer)
{
    struct xenoprof_door_state state;
    xen_commandline_t line = "";
    bool seen = ask_door(&state);

    xc_version(context->xc, XENVER_commandline, line);
    line[sizeof(line) - 1] = 0;
    if ( seen )
        nmi_answer(state.lacks & XENOPROF_LACK_SAFE_NMIS ? 'f' : 'd', answer);
    else if ( nmi_asked(line) )
        nmi_answer(nmi_asked(line), answer);
    else
        answer_say(answer, true,
                   "Xen's command line does not say (nmi=): seen when its code "
                   "is read, or the module is loaded");
}

static void ask_scheduling(struct module_context *context,
                           struct answer *answer)
{
    const char *name = running_xen_sched_gran();
    struct xenoprof_door_state state;

    (void)context;
    if ( name && ask_door(&state) && state.together <= 1 )
        answer_say(answer, true,
                   "several pCPUs as one (sched-gran), which a Xen that "
                   "xenoprof is part of samples as any");
    else if ( name )
        snprintf(answer->detail, sizeof(answer->detail),
                 "Xen schedules several pCPUs as one (sched-gran=%s), which "
                 "NMIs would stall, so the sampler is timer: guest code is "
                 "exact, Xen's time has no addresses",
                 name);
    else
        answer_say(answer, true, "each pCPU by itself");
}

/* Whether the processor has counters only the module sees: Xen hides them from
 * dom0. */
static void ask_events(struct module_context *context, struct answer *answer)
{
    struct xen_domains xen = {.xc = context->xc};
    struct domain_list list = {0};
    xen_commandline_t line = "";

    xc_version(context->xc, XENVER_commandline, line);
    line[sizeof(line) - 1] = 0;
    if ( strstr(line, "vpmu") && !strstr(line, "vpmu=0") &&
         !strstr(line, "no-vpmu") )
    {
        answer_say(answer, false,
                   "guests have the processor's counters (vpmu=), so --event "
                   "is refused");
        return;
    }
    answer_say(answer, true,
               "nobody is in its way; whether the processor has counters is "
               "seen when the module is loaded");
    if ( xen_domains_list(&xen, &list) )
        return;
    for ( size_t i = 0; i < list.count && answer->fine; i++ )
        if ( list.items[i].hardware )
            answer_say(
                answer, false,
                "there are HVM or PVH guests, which can read what a "
                "counter counts (RDPMC): --event needs --force=readers, but for "
                "AMD's IBS (ibs_op, ibs_fetch)");
    domain_list_free(&list);
}

static void ask_slot(struct module_context *context, struct answer *answer)
{
    (void)context;
    if ( running_xen_has_door(XENOPROF_DOOR_DIR) )
        answer_say(answer, true, "xenopctl --status shows which sampler runs");
    else
        answer_say(answer, true,
                   "seen when the module is loaded: where another has them, "
                   "the sampler is timer");
}

/* Rings take what they need, and never what must stay free. */
static void ask_memory(struct module_context *context, struct answer *answer)
{
    xc_physinfo_t host = {0};
    uint64_t free_bytes;

    if ( xc_physinfo(context->xc, &host) )
    {
        answer_say(answer, false, "Xen does not say how much is free");
        return;
    }
    free_bytes = host.free_pages * XENOPROF_PAGE_SIZE;
    answer->fine = free_bytes > XENOPROF_MEMORY_FLOOR;
    snprintf(answer->detail, sizeof(answer->detail),
             "%llu MiB are free, of which %u stay so; samples of %u pCPUs take "
             "at most %u until they are read%s",
             (unsigned long long)free_bytes >> 20, XENOPROF_MEMORY_FLOOR >> 20,
             host.max_cpu_id + 1,
             xenoprof_ring_ceiling(host.max_cpu_id + 1) >> 20,
             answer->fine ? "" : "; make room (xl mem-set Domain-0 ...)");
}

static const struct {
    const char *need;
    bool vital;  /* without it no further question makes sense */
    bool advice; /* profiling works without it, but not as well */
    int status;
    void (*ask)(struct module_context *context, struct answer *answer);
} check_needs[] = {
    {"Xen, dom0, root", true, false, STATUS_NO_XEN, ask_host},
    {"Xen's tools", true, false, STATUS_TOOLS, ask_tools},
    {"Xen's build-id", true, false, STATUS_NO_FACTS, ask_build},
    {"Xen's symbols", false, false, STATUS_FAILED, ask_symbols},
    {"hypfs", false, false, STATUS_NO_HYPFS, ask_hypfs},
    {"livepatch", false, false, STATUS_NO_LIVEPATCH, ask_livepatch},
    {"other payloads", false, true, 0, ask_payloads},
    {"NMIs", false, true, 0, ask_slot},
    {"NMI watchdog", false, true, 0, ask_watchdog},
    {"unknown NMIs", false, true, 0, ask_unknown_nmis},
    {"--event", false, true, 0, ask_events},
    {"scheduling", false, true, 0, ask_scheduling},
    {"free memory", false, true, 0, ask_memory},
};

/* What no answer can be had to, in a row. */
static void say_unasked(size_t first, const struct answer_list *answers)
{
    char text[512] = "not asked without it:";
    size_t used = strlen(text);

    for ( size_t i = first; i < sizeof(check_needs) / sizeof(*check_needs);
          i++ )
        used += snprintf(text + used, sizeof(text) - used, "%s %s",
                         i > first ? "," : "", check_needs[i].need);
    fprintf(answers->out, "%-17s -    ", "");
    wrap_print(answers->out, text, 23, answers->width);
    fputc('\n', answers->out);
}

static int ask_check_needs(struct module_context *context,
                           struct answer_list *answers)
{
    int worst = 0;

    for ( size_t i = 0; i < sizeof(check_needs) / sizeof(*check_needs); i++ )
    {
        struct answer answer = {.advice = check_needs[i].advice};

        check_needs[i].ask(context, &answer);
        answer_print(answers, &answer, check_needs[i].need);
        if ( answer.fine || check_needs[i].advice )
            continue;
        if ( !worst )
            worst = check_needs[i].status;
        if ( check_needs[i].vital )
        {
            say_unasked(i + 1, answers);
            break;
        }
    }
    return worst;
}

int module_check(struct module_context *context, FILE *out)
{
    struct answer_list answers = {.out = out, .width = wrap_width(out)};
    int status = ask_check_needs(context, &answers);

    *context->failure = (struct failure){0};
    if ( !status )
        status = check_code(context, &answers);
    if ( status ) /* the rows have said why */
        return fail(context->failure, status,
                    "this host cannot be profiled: %u thing%s missing, see the "
                    "row%s with no",
                    answers.missing, answers.missing == 1 ? " is" : "s are",
                    answers.missing == 1 ? "" : "s");
    *context->failure = (struct failure){0};
    answers_conclude(&answers);
    return 0;
}
