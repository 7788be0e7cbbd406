/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of what --setup would ask of the code, each with its question. */
#include "survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "assemble.h"
#include "base/scope.h"
#include "guest-exit.h"
#include "module/facts/facts-gather.h"
#include "module/unwind/unwind-table.h"
#include "nmi-asked.h"

struct surveying {
    const struct survey *survey;
    struct failure *failure;
    struct xenoprof_facts facts;
    struct facts_report *report; /* of the facts */
    int result;                  /* of gathering them */
};

/* Where it is not, --deinit frees first. */
static void ask_release(struct surveying *surveying, struct answer *answer)
{
    bool fine = !xen_image_is_debug(surveying->survey->image);

    answer_say(answer, fine,
               fine ? "its assertions are off"
                    : "a debug build (debug=y), whose assertions forbid "
                      "freeing memory while a livepatch is reverted; unload "
                      "the module with xenopctl --deinit alone");
}

static void ask_livepatch_code(struct surveying *surveying,
                               struct answer *answer)
{
    bool fine = xen_image_find(surveying->survey->image, "livepatch_op");

    answer_say(answer, fine,
               fine ? "CONFIG_LIVEPATCH"
                    : "build the hypervisor with CONFIG_LIVEPATCH");
}

static void ask_hypfs_code(struct surveying *surveying, struct answer *answer)
{
    bool fine = xen_image_find(surveying->survey->image, "hypfs_root");

    answer_say(answer, fine,
               fine ? "CONFIG_HYPFS"
                    : "build the hypervisor with CONFIG_HYPFS");
}

/* The module would say so when it is loaded (facts-check.c). */
static void ask_memory_holes(struct surveying *surveying, struct answer *answer)
{
    bool fine = !surveying->survey->has_holes;

    answer_say(answer, fine,
               fine ? "all of it is in Xen's tables"
                    : "Xen leaves holes of this host's memory out of its "
                      "tables, which the module does not know; from Xen 4.21 "
                      "on, pdx-compress=no on its command line turns that off");
}

static void ask_nmis(struct surveying *surveying, struct answer *answer)
{
    nmi_answer(surveying->survey->nmi, answer);
}

/* Makes the module without facts and table, in a file that goes at once. */
static void ask_module_symbols(struct surveying *surveying,
                               struct answer *answer)
{
    const struct survey *survey = surveying->survey;
    char path[] = "/tmp/xenoprof-survey-XXXXXX", error[ASSEMBLE_ERROR_MAX] = "";
    struct assemble_order order = {
        .object = survey->object, .output = path, .image = survey->image};
    int file SCOPE_CLOSE = mkstemp(path);
    bool fine;

    if ( file < 0 )
    {
        fail(surveying->failure, STATUS_FAILED, "cannot write to /tmp: %s",
             strerror(errno));
        answer_say(answer, false, surveying->failure->text);
        return;
    }
    fine = !assemble(&order, error);
    unlink(path);
    answer_say(answer, fine, fine ? "all that the module needs" : error);
}

/* What facts are needed for. */
enum fact_use { FOR_SAMPLES, FOR_STACKS, FOR_WAITS, FOR_ENTRIES };

static enum fact_use use_of(enum xenoprof_fact fact)
{
    if ( facts_vital(fact) )
        return FOR_SAMPLES;
    if ( facts_for_entries(fact) )
        return FOR_ENTRIES;
    return facts_for_waits(fact) ? FOR_WAITS : FOR_STACKS;
}

static unsigned int count_facts(const struct xen_image *image,
                                const struct xenoprof_facts *facts,
                                enum fact_use use, unsigned int *all)
{
    unsigned int found = 0;

    *all = 0;
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
    {
        if ( use_of(i) != use || !facts_apply(image, i) )
            continue;
        ++*all;
        found += facts_value(facts, i) != XENOPROF_FACT_ABSENT;
    }
    return found;
}

static void ask_facts(struct surveying *surveying, struct answer *answer)
{
    const struct facts_report *report = surveying->report;
    unsigned int all, found = count_facts(surveying->survey->image,
                                          &surveying->facts, FOR_SAMPLES, &all);

    answer->fine = !surveying->result;
    if ( answer->fine )
        snprintf(answer->detail, sizeof(answer->detail),
                 "all that it takes was found in Xen (%u)", all);
    else
        snprintf(answer->detail, sizeof(answer->detail),
                 "%u of %u things that it takes were found in Xen; %s", found,
                 all, report->error);
}

/* Appends to what is there, as far as there is room. */
static void add_detail(struct answer *answer, const char *before,
                       const char *text)
{
    size_t used = strlen(answer->detail);

    snprintf(answer->detail + used, sizeof(answer->detail) - used, "%s%s",
             before, text);
}

/* Where facts of this use are missing, --setup succeeds. */
static void say_facts(const struct xen_image *image,
                      const struct xenoprof_facts *facts, enum fact_use use,
                      const char *without, struct answer *answer)
{
    unsigned int all, found = count_facts(image, facts, use, &all);

    answer->fine = found == all;
    if ( answer->fine )
        snprintf(answer->detail, sizeof(answer->detail),
                 all ? "all that it takes was found in Xen (%u)"
                     : "this Xen has none",
                 all);
    else
        snprintf(answer->detail, sizeof(answer->detail),
                 "%u of %u things that it takes were found in Xen; %s without:",
                 found, all, without);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        if ( use_of(i) == use && facts_apply(image, i) &&
             facts_value(facts, i) == XENOPROF_FACT_ABSENT )
            add_detail(answer, " ", facts_path(i));
}

/* Where these are missing, chains end early. */
static void say_stack_facts(const struct xen_image *image,
                            const struct xenoprof_facts *facts,
                            struct answer *answer)
{
    say_facts(image, facts, FOR_STACKS,
              "stacks of some guests' kernels cannot be read", answer);
    if ( !xen_image_find(image, "pv_domain_initialise") )
        add_detail(answer, "; ", "this Xen runs no PV guests");
    if ( !xen_image_find(image, "hvm_domain_initialise") )
        add_detail(answer, "; ", "this Xen runs no HVM or PVH guests");
}

#define STACK_FACTS "guests' stacks"

static void ask_stack_facts(struct surveying *surveying, struct answer *answer)
{
    say_stack_facts(surveying->survey->image, &surveying->facts, answer);
}

static void ask_wait_facts(struct surveying *surveying, struct answer *answer)
{
    say_facts(surveying->survey->image, &surveying->facts, FOR_WAITS,
              "who waited, for what, or where, is not known", answer);
}

static void ask_entry_facts(struct surveying *surveying, struct answer *answer)
{
    say_facts(surveying->survey->image, &surveying->facts, FOR_ENTRIES,
              "why guests left Intel's processors is not known", answer);
}

void survey_print_stacks(const struct xen_image *image,
                         const struct xenoprof_facts *facts,
                         struct answer_list *answers)
{
    struct answer answer = {.advice = true};

    say_stack_facts(image, facts, &answer);
    answer_print(answers, &answer, STACK_FACTS);
}

/* Where it is not known, --start chooses the timer. */
static void ask_guest_exit(struct surveying *surveying, struct answer *answer)
{
    const struct xen_image *image = surveying->survey->image;
    bool runs = xen_image_find(image, "svm_asm_do_resume");
    bool fine = !runs || xen_image_find(image, "svm_stgi_label") ||
                guest_exit_find(image);

    answer_say(answer, fine,
               !runs ? "this Xen runs none with AMD's virtualization"
               : fine
                   ? "their time is told from Xen's"
                   : "their time is not told from Xen's in NMIs, so on an AMD "
                     "processor the sampler is timer: guest code is exact, "
                     "Xen's time has no addresses");
}

/* Without it Xen's chains end at their leaf. */
static void ask_table(struct surveying *surveying, struct answer *answer)
{
    const struct survey *survey = surveying->survey;
    struct unwind_report *report SCOPE_FREE = calloc(1, sizeof(*report));
    struct xenoprof_unwind *table SCOPE_FREE = NULL;

    if ( !report )
    {
        fail_memory(surveying->failure);
        answer_say(answer, false, surveying->failure->text);
        return;
    }
    answer->fine = !unwind_generate(survey->image, survey->object, &table,
                                    report);
    if ( answer->fine )
        unwind_report_line(report, answer->detail, sizeof(answer->detail));
    else
        answer_say(answer, false, report->error);
}

static const struct {
    const char *need;
    bool advice; /* --setup succeeds without it */
    enum {
        ALWAYS,
        OFFLINE, /* a running hypervisor says so itself */
        RUNNING  /* of the host, too */
    } when;
    int status;
    void (*ask)(struct surveying *surveying, struct answer *answer);
} survey_needs[] = {
    {"release build", true, ALWAYS, 0, ask_release},
    {"livepatches", false, OFFLINE, STATUS_NO_LIVEPATCH, ask_livepatch_code},
    {"hypfs", false, OFFLINE, STATUS_NO_HYPFS, ask_hypfs_code},
    {"memory", false, RUNNING, STATUS_REFUSED, ask_memory_holes},
    {"unknown NMIs", true, RUNNING, 0, ask_nmis},
    {"module's symbols", false, ALWAYS, STATUS_NO_FACTS, ask_module_symbols},
    {"samples", false, ALWAYS, STATUS_NO_FACTS, ask_facts},
    {STACK_FACTS, true, ALWAYS, 0, ask_stack_facts},
    {"who waited", true, ALWAYS, 0, ask_wait_facts},
    {"why guests exit", true, ALWAYS, 0, ask_entry_facts},
    {"AMD's guests", true, ALWAYS, 0, ask_guest_exit},
    {"Xen's stacks", true, ALWAYS, 0, ask_table},
};

static int ask_survey_needs(struct surveying *surveying,
                            struct answer_list *answers)
{
    int worst = 0;

    for ( size_t i = 0; i < sizeof(survey_needs) / sizeof(*survey_needs); i++ )
    {
        struct answer answer = {.advice = survey_needs[i].advice};

        if ( survey_needs[i].when ==
             (surveying->survey->running ? OFFLINE : RUNNING) )
            continue;
        survey_needs[i].ask(surveying, &answer);
        answer_print(answers, &answer, survey_needs[i].need);
        if ( surveying->failure->status )
            return surveying->failure->status;
        if ( !answer.fine && !survey_needs[i].advice && !worst )
            worst = survey_needs[i].status;
    }
    return worst;
}

int survey_print(const struct survey *survey, struct answer_list *answers,
                 struct failure *failure)
{
    const struct facts_options options = {.xen_syms = survey->xen_syms};
    struct facts_report *report SCOPE_FREE = calloc(1, sizeof(*report));
    struct surveying surveying = {
        .survey = survey, .failure = failure, .report = report};

    if ( !report )
        return fail_memory(failure);
    surveying.result = facts_gather(survey->image, &options, &surveying.facts,
                                    report);
    for ( int i = 0; survey->verbose && i < XENOPROF_FACT_COUNT; i++ )
        fprintf(survey->verbose, "%s\n", report->origin[i]);
    return ask_survey_needs(&surveying, answers);
}
