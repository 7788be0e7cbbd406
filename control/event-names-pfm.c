/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libpfm knows processors by CPUID, which dom0 sees as it is, and has a table
 * of events for each kind of counters.  Those of the kernel's perf, of sockets
 * and of chips are in it too: a sample needs those of a core.
 */
#include <string.h>

#include <perfmon/pfmlib.h>

#include "event-names.h"
#include "event-spec.h"

#define CODES_MAX  4u
#define NAME_BYTES 256u

static bool is_ready(void)
{
    static int state = -1;

    if ( state < 0 )
        state = pfm_initialize() == PFM_SUCCESS;
    return state;
}

static bool look_at_table(pfm_pmu_t number, pfm_pmu_info_t *ret)
{
    *ret = (pfm_pmu_info_t){.size = sizeof(*ret)};
    return pfm_get_pmu_info(number, ret) == PFM_SUCCESS;
}

/* Returns the next table from *number on that is of this processor's cores. */
static bool next_table(int *number, pfm_pmu_info_t *ret)
{
    for ( ; *number < PFM_PMU_MAX; ++*number )
        if ( look_at_table((pfm_pmu_t)*number, ret) && ret->is_present &&
             ret->type == PFM_PMU_TYPE_CORE )
        {
            ++*number;
            return true;
        }
    return false;
}

/* An event as libpfm has it. */
struct named_code {
    uint64_t codes[CODES_MAX];
    int count, index;
};

/* Returns one of libpfm's results. */
static int encode_event(const struct event_spec *event, const char *table,
                        struct named_code *ret)
{
    char name[NAME_BYTES], mask[8] = "";
    pfm_pmu_encode_arg_t argument = {
        .size = sizeof(argument), .codes = ret->codes, .count = CODES_MAX};
    int modes = (event->kernel ? PFM_PLM0 : 0) | (event->user ? PFM_PLM3 : 0);
    int result;

    if ( event->unit_mask )
        snprintf(mask, sizeof(mask), ":0x%x", event->unit_mask);
    snprintf(name, sizeof(name), "%s%s%s%s", table ? table : "",
             table ? "::" : "", event->base, mask);
    result = pfm_get_os_event_encoding(name, modes, PFM_OS_NONE, &argument);
    ret->count = argument.count;
    ret->index = argument.idx;
    return result;
}

/* The first table that has the event, unless it names its own. */
static int encode_here(const struct event_spec *event, struct named_code *ret)
{
    int number = 0, result = PFM_ERR_NOTFOUND;
    pfm_pmu_info_t table;

    if ( strstr(event->base, "::") )
        return encode_event(event, NULL, ret);
    while ( result == PFM_ERR_NOTFOUND && next_table(&number, &table) )
        result = encode_event(event, table.name, ret);
    return result;
}

static bool is_of_cores(int index)
{
    pfm_event_info_t event = {.size = sizeof(event)};
    pfm_pmu_info_t table;

    return pfm_get_event_info(index, PFM_OS_NONE, &event) == PFM_SUCCESS &&
           look_at_table(event.pmu, &table) && table.type == PFM_PMU_TYPE_CORE;
}

static int say_why(const struct event_spec *event, int result,
                   struct failure *failure)
{
    const char *table = strstr(event->base, "::");
    const char *name = table ? table + 2 : event->base;

    switch ( result )
    {
    case PFM_ERR_UMASK:
    case PFM_ERR_ATTR:
    case PFM_ERR_ATTR_VAL:
    case PFM_ERR_ATTR_SET:
    case PFM_ERR_FEATCOMB:
        return fail(failure, STATUS_USAGE,
                    "--event=%s: %s; xenopctl --list-events=%.*s shows its "
                    "unit masks",
                    event->name, pfm_strerror(result), (int)strcspn(name, ":"),
                    name);
    default:
        return fail(failure, STATUS_USAGE,
                    "--event: there is no event '%s'; xenopctl --list-events "
                    "shows those that there are%s",
                    event->base, event_names_hint());
    }
}

int event_names_find(const struct event_spec *event, uint64_t *ret,
                     struct failure *failure)
{
    struct named_code code = {.count = 0};
    int result = is_ready() ? encode_here(event, &code) : PFM_ERR_NOTFOUND;

    if ( result != PFM_SUCCESS )
        return say_why(event, result, failure);
    if ( !is_of_cores(code.index) )
        return fail(failure, STATUS_RANGE,
                    "--event=%s: that is not counted by a core, so no sample "
                    "of it would belong to anybody",
                    event->name);
    if ( code.count > 1 )
        return fail(failure, STATUS_RANGE,
                    "--event=%s: that needs a second register (as offcore "
                    "responses, latencies and the front end do), which is not "
                    "programmed here; choose an event of one code",
                    event->name);
    *ret = code.codes[0];
    return 0;
}

/* Lists -------------------------------------------------------------------- */

static bool text_contains(const char *text, const char *filter)
{
    return text && strcasestr(text, filter);
}

static void print_row(FILE *out, const char *before, const char *name,
                      const char *text)
{
    fprintf(out, "%s%-*s %s\n", before, 40 - (int)strlen(before), name,
            text ? text : "");
}

/* What stands behind an event's ':': unit masks, but for the modes, edge,
 * threshold and so on, which all have. */
static void print_masks(const pfm_event_info_t *event, FILE *out)
{
    for ( int i = 0; i < event->nattrs; i++ )
    {
        pfm_event_attr_info_t mask = {.size = sizeof(mask)};

        if ( pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &mask) ==
                 PFM_SUCCESS &&
             mask.type == PFM_ATTR_UMASK )
            print_row(out, "  :", mask.name, mask.desc);
    }
}

static size_t list_table(const pfm_pmu_info_t *table, const char *filter,
                         FILE *out)
{
    size_t found = 0;

    for ( int i = table->first_event; i >= 0; i = pfm_get_event_next(i) )
    {
        pfm_event_info_t event = {.size = sizeof(event)};

        if ( pfm_get_event_info(i, PFM_OS_NONE, &event) != PFM_SUCCESS ||
             (filter && !text_contains(event.name, filter) &&
              !text_contains(event.desc, filter)) )
            continue;
        if ( !found++ )
            fprintf(out, "\n%s (%s):\n", table->name, table->desc);
        print_row(out, "", event.name, event.desc);
        if ( filter )
            print_masks(&event, out);
    }
    return found;
}

size_t event_names_list(const char *filter, FILE *out)
{
    int number = 0;
    pfm_pmu_info_t table;
    size_t found = 0;

    while ( is_ready() && next_table(&number, &table) )
        found += list_table(&table, filter, out);
    return found;
}

const char *event_names_hint(void)
{
    int number = 0;
    pfm_pmu_info_t table;

    return is_ready() && next_table(&number, &table)
               ? ""
               : "; libpfm does not know this processor, so only codes "
                 "(rHEX) go beyond them";
}
