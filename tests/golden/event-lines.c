/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events by name, a line each on stdin, "TABLE --event's words", and what comes
 * of them: the door's line, and the register that the module would write, on a
 * software PMU of such a processor's family; or who refuses them, and why.
 * LIBPFM_ENCODE_INACTIVE=1 lets libpfm have tables of other processors.
 */
#include <stdio.h>
#include <string.h>

#include "control/event-codes.h"
#include "control/event-names.h"
#include "control/event-requests.h"
#include "control/event-spec.h"
#include "hypervisor/core.h"
#include "hypervisor/pmu/pmu-state.h"
#include "tests/host/process-pmu.h"
#include "hypervisor/session.h"

static const struct {
    const char *table;
    struct processor processor;
    enum process_pmu_family family;
} tables[] = {
    {"ivb", {MAKER_INTEL, 6}, PROCESS_PMU_INTEL_V2},
    {"hsw", {MAKER_INTEL, 6}, PROCESS_PMU_INTEL_V2},
    {"skl", {MAKER_INTEL, 6}, PROCESS_PMU_INTEL_V2},
    {"icl", {MAKER_INTEL, 6}, PROCESS_PMU_INTEL_V5},
    {"spr", {MAKER_INTEL, 6}, PROCESS_PMU_INTEL_V5},
    {"amd64_fam10h_barcelona", {MAKER_AMD, 0x10}, PROCESS_PMU_K7},
    {"amd64_fam15h_interlagos", {MAKER_AMD, 0x15}, PROCESS_PMU_CORE},
    {"amd64_fam17h_zen1", {MAKER_AMD, 0x17}, PROCESS_PMU_CORE},
    {"amd64_fam19h_zen3", {MAKER_AMD, 0x19}, PROCESS_PMU_IBS},
    {"amd64_fam19h_zen4", {MAKER_AMD, 0x19}, PROCESS_PMU_IBS2},
};

#define TABLES (sizeof(tables) / sizeof(tables[0]))

/* What the module made of the line that it took. */
static void print_slot(void)
{
    const struct pmu_slot *slot = &session_current()->pmu->set[0].slot[0];

    printf("  register %x, bits %llx\n", slot->select,
           (unsigned long long)slot->enabled);
}

static void ask_module(enum process_pmu_family family, const char *line)
{
    struct xenoprof_door_state state;

    process_reset(1);
    process_pmu_reset(family);
    core_command("reserve sampler=pmu frequency=100 mask=0 pages=16 queue=0 "
                 "lease=0 budget=0");
    printf("  %s\n", line);
    if ( core_command(line) )
    {
        core_door_state(&state);
        printf("  the module: %s\n", state.message);
    }
    else
        print_slot();
    core_command("reset");
}

static void ask(size_t table, const char *words)
{
    const struct event_request request = {.number = 0};
    struct failure failure = {0};
    struct event_spec event;
    struct event_code code;
    char text[256], line[EVENT_LINE_MAX];
    const char *at = text;

    /* IBS is in no table. */
    if ( strncmp(words, "ibs", 3) )
        snprintf(text, sizeof(text), "%s::%s", tables[table].table, words);
    else
        snprintf(text, sizeof(text), "%s", words);
    printf("%s %s\n", tables[table].table, words);
    if ( !event_spec_next(&at, &event) )
        printf("  not an event\n");
    else if ( event_code_find(&tables[table].processor, &event, &code,
                              &failure) )
        printf("  xenopctl: %s\n", failure.text);
    else
    {
        event_request_line(line, &event, &code, &request);
        ask_module(tables[table].family, line);
    }
}

static int take(const char *name, const char *words)
{
    for ( size_t i = 0; i < TABLES; i++ )
        if ( !strcmp(tables[i].table, name) )
        {
            ask(i, words);
            return 0;
        }
    fprintf(stderr, "there is no table %s here\n", name);
    return 1;
}

int main(void)
{
    char line[256], name[64], words[160];

    while ( fgets(line, sizeof(line), stdin) )
        if ( sscanf(line, "%63s %159s", name, words) != 2 || take(name, words) )
            return 1;
    return 0;
}
