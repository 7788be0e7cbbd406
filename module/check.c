/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenopctl --check: a table of needs, each with a question and a remedy.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xenoprof/door.h>

#include "build.h"
#include "context.h"
#include "payload.h"

#define EMPTY_NAME "xenoprof-empty"

/* What a question found: detail is shown in either case. */
struct finding {
    bool fine;
    char detail[MESSAGE_MAX + 64];
};

static void find(struct finding *finding, bool fine, const char *detail)
{
    finding->fine = fine;
    snprintf(finding->detail, sizeof(finding->detail), "%s", detail);
}

static void ask_host(struct module_context *context, struct finding *finding)
{
    bool fine = !context_connect(context);

    find(finding, fine || context->xc,
         context->xc ? "dom0 of a Xen host, as root" : context->message);
}

static void ask_build(struct module_context *context, struct finding *finding)
{
    find(finding, context->id.size,
         context->id.size ? context->id_text : context->message);
}

static void ask_symbols(struct module_context *context, struct finding *finding)
{
    size_t size = 0;
    char *text = host_symbols(&size);

    (void)context;
    find(finding, text && size,
         text && size ? "/proc/xen/xensyms"
                      : "/proc/xen/xensyms is missing or empty: dom0's kernel "
                        "needs CONFIG_XEN_SYMS, and xenfs mounted on "
                        "/proc/xen");
    free(text);
}

static void ask_hypfs(struct module_context *context, struct finding *finding)
{
    (void)context;
    if ( host_has_hypfs() )
        find(finding, true, "CONFIG_HYPFS");
    else
        find(finding, false, "the hypervisor must be built with CONFIG_HYPFS");
}

static void ask_livepatch(struct module_context *context,
                          struct finding *finding)
{
    char path[64];
    int result;

    if ( module_loaded(context) )
    {
        find(finding, true, "the module is loaded");
        return;
    }
    /* Left over from a --check that was cut short. */
    payload_withdraw(context->xc, EMPTY_NAME);
    if ( build_empty(context, path, sizeof(path)) )
    {
        find(finding, false, context->message);
        return;
    }
    result = payload_upload(context->xc, EMPTY_NAME, path);
    unlink(path);
    if ( !result )
        payload_withdraw(context->xc, EMPTY_NAME);
    if ( !result )
        find(finding, true, "an empty payload was uploaded and withdrawn");
    else if ( result == -EEXIST )
        find(finding, true,
             "another xenopctl has a payload uploaded, or left it behind; "
             "--setup clears that up");
    else if ( result == -ENOSYS || result == -EOPNOTSUPP )
        find(finding, false,
             "the hypervisor must be built with CONFIG_LIVEPATCH");
    else
        find(finding, false,
             "Xen does not let us upload a payload; its reason is in "
             "`xl dmesg`");
}

static void ask_payloads(struct module_context *context,
                         struct finding *finding)
{
    struct payload_entry *list = NULL;
    size_t count = 0, used = 0;
    const char *above = module_covered_by(context);

    find(finding, !above, "none above ours; applied:");
    if ( above )
        snprintf(finding->detail, sizeof(finding->detail),
                 "%s lies above ours, which cannot be unloaded before it; "
                 "applied:",
                 above);
    payload_list(context->xc, &list, &count);
    used = strlen(finding->detail);
    for ( size_t i = 0; i < count && used < sizeof(finding->detail); i++ )
        if ( list[i].applied )
            used += snprintf(finding->detail + used,
                             sizeof(finding->detail) - used, " %s",
                             list[i].name);
    if ( used == strlen("none above ours; applied:") )
        strcpy(finding->detail, "none applied");
    free(list);
}

/* Only the module sees the slot and the watchdog itself; without it, Xen's
 * command line says whether the watchdog was asked for. */
static void ask_watchdog(struct module_context *context,
                         struct finding *finding)
{
    xen_commandline_t line = "";

    xc_version(context->xc, XENVER_commandline, line);
    line[sizeof(line) - 1] = 0;
    if ( strstr(line, "watchdog") && !strstr(line, "watchdog=0") &&
         !strstr(line, "no-watchdog") )
        find(finding, false,
             "Xen runs with its NMI watchdog: sampler timer is used (guest "
             "code exact, Xen's time without addresses); --sampler=nmi "
             "insists");
    else
        find(finding, true, "not asked for on Xen's command line");
}

static void ask_slot(struct module_context *context, struct finding *finding)
{
    (void)context;
    if ( host_has_door(XENOPROF_DOOR_DIR) )
        find(finding, true, "xenopctl --status says who has it");
    else
        find(finding, true, "seen when the module is loaded");
}

static const struct {
    const char *need;
    bool vital;  /* nothing further can be asked without it */
    bool advice; /* profiling works without it, less well */
    enum module_code code;
    void (*ask)(struct module_context *context, struct finding *finding);
} needs[] = {
    {"Xen, dom0, root", true, false, MODULE_NO_XEN, ask_host},
    {"build-id", true, false, MODULE_NO_FACTS, ask_build},
    {"symbols", false, false, MODULE_SYSTEM, ask_symbols},
    {"hypfs", false, false, MODULE_NO_HYPFS, ask_hypfs},
    {"livepatch", false, false, MODULE_NO_LIVEPATCH, ask_livepatch},
    {"other payloads", false, true, MODULE_OK, ask_payloads},
    {"NMI slot", false, true, MODULE_OK, ask_slot},
    {"NMI watchdog off", false, true, MODULE_OK, ask_watchdog},
};

enum module_code module_check(struct module_context *context, FILE *out)
{
    enum module_code worst = MODULE_OK;

    for ( size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++ )
    {
        struct finding finding = {0};

        needs[i].ask(context, &finding);
        fprintf(out, "%-17s %-4s %s\n", needs[i].need,
                finding.fine ? "yes" : "no", finding.detail);
        if ( finding.fine || needs[i].advice )
            continue;
        if ( !worst )
            worst = needs[i].code;
        if ( needs[i].vital )
            return worst;
    }
    if ( !worst )
        context->message[0] = 0;
    return worst;
}
