/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Codes of seven events.  Intel's are those of its architectural list, AMD's
 * those that its manuals call the same thing.  All others come from who names
 * them, or are given as a code.
 */
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>

#include <xenoprof/door.h>

#include "event-codes.h"
#include "event-names.h"
#include "event-spec.h"

#define SELECT_EVENT 0xffull
#define SELECT_MASK  0xff00ull
#define SELECT_USER  (1ull << 16)
#define SELECT_OS    (1ull << 17)
#define SELECT_MODES (SELECT_USER | SELECT_OS)
#define SELECT_OWN                                                             \
    (1ull << 20 | 1ull << 22)      /* the module's: interrupt, enable */
#define SELECT_MORE  0xff840000ull /* edge, invert, threshold */
#define SELECT_GUEST (1ull << 40)  /* of AMD: HVM guests alone, */
#define SELECT_HOST  (1ull << 41)  /* or all but these; */
#define SELECT_HIGH  (15ull << 32) /* and more bits of the event */

#define CODE_DIGITS 10u

#define AMD_FAMILY_ZEN 0x17u
#define AMD_FAMILY_IBS 0x15u /* as it is used here; the module knows better */

static const struct event_row {
    const char *name;
    uint32_t intel;
    unsigned int intel_fixed; /* counter + 1; 0: any */
    uint32_t amd, amd_zen;    /* 0: none */
    const char *unit, *help;
} event_rows[] = {
    {"cycles", 0x3c, 0, 0x76, 0x76, "cycles",
     "cycles while the processor is not halted"},
    {"instructions", 0xc0, 0, 0xc0, 0xc0, "instructions",
     "instructions that were completed"},
    {"cache-references", 0x4f2e, 0, 0x077d, 0xff60, "references",
     "accesses to the last-level cache (Intel), the second-level cache (AMD)"},
    {"cache-misses", 0x412e, 0, 0x077e, 0x0964, "misses",
     "those of them that were not there"},
    {"branches", 0xc4, 0, 0xc2, 0xc2, "branches",
     "branches that were taken "
     "or not"},
    {"branch-misses", 0xc5, 0, 0xc3, 0xc3, "misses",
     "branches that were predicted wrongly"},
    {"ref-cycles", 0, 3, 0, 0, "cycles",
     "cycles of constant length while the processor is not halted (Intel)"},
};

#define ROWS (sizeof(event_rows) / sizeof(event_rows[0]))

static const struct ibs_row {
    const char *name;
    enum xenoprof_ibs unit;
    uint64_t select;
    const char *unit_name, *help;
} ibs_rows[] = {
    {"ibs_op", XENOPROF_IBS_OP, 0, "cycles",
     "cycles, and exactly which instruction ran then (AMD's IBS)"},
    {"ibs_op:ops", XENOPROF_IBS_OP, XENOPROF_IBS_OPS, "ops",
     "ops that were begun, and exactly which (AMD's IBS)"},
    {"ibs_fetch", XENOPROF_IBS_FETCH, 0, "fetches",
     "fetches of code, and exactly from where (AMD's IBS)"},
};

#define IBS_ROWS (sizeof(ibs_rows) / sizeof(ibs_rows[0]))

static const struct ibs_row *find_ibs(const char *base)
{
    for ( size_t i = 0; i < IBS_ROWS; i++ )
        if ( strcmp(ibs_rows[i].name, base) == 0 )
            return &ibs_rows[i];
    return NULL;
}

bool event_is_readable(const char *base)
{
    return !find_ibs(base);
}

static bool has_ibs(const struct processor *processor)
{
    return processor->maker == MAKER_AMD && processor->family >= AMD_FAMILY_IBS;
}

struct processor processor_here(void)
{
    unsigned int a, b, c, d;
    struct processor ret = {.maker = MAKER_OTHER};

    if ( !__get_cpuid(0, &a, &b, &c, &d) )
        return ret;
    if ( b == signature_INTEL_ebx )
        ret.maker = MAKER_INTEL;
    else if ( b == signature_AMD_ebx || b == 0x6f677948 /* Hygo */ )
        ret.maker = MAKER_AMD;
    if ( __get_cpuid(1, &a, &b, &c, &d) )
        ret.family = (a >> 8 & 15) + ((a >> 8 & 15) == 15 ? a >> 20 & 255 : 0);
    return ret;
}

static const struct event_row *find_event_row(const char *base)
{
    for ( size_t i = 0; i < ROWS; i++ )
        if ( strcmp(event_rows[i].name, base) == 0 )
            return &event_rows[i];
    return NULL;
}

/* rHEX: unit mask and event, and above them what an event select register has
 * there. */
static bool is_raw_code(const char *base)
{
    size_t digits = strspn(base + 1, "0123456789abcdefABCDEF");

    return *base == 'r' && digits && digits <= CODE_DIGITS && !base[digits + 1];
}

bool event_is_known(const char *base)
{
    return find_event_row(base) || find_ibs(base) || is_raw_code(base);
}

/* Returns whether the processor has it. */
static bool code_of_row(const struct processor *processor,
                        const struct event_row *row, struct event_code *ret)
{
    *ret = (struct event_code){.unit = row->unit};
    if ( processor->maker == MAKER_INTEL )
    {
        ret->select = row->intel;
        ret->fixed = row->intel_fixed;
    }
    else if ( processor->maker == MAKER_AMD )
        ret->select = processor->family >= AMD_FAMILY_ZEN ? row->amd_zen
                                                          : row->amd;
    return ret->select || ret->fixed;
}

static int find_in_rows(const struct processor *processor,
                        const struct event_spec *event, struct event_code *ret,
                        struct failure *failure)
{
    if ( !code_of_row(processor, find_event_row(event->base), ret) )
        return fail(failure, STATUS_RANGE,
                    "--event=%s: this processor does not count that",
                    event->name);
    if ( event->unit_mask )
        return fail(failure, STATUS_RANGE,
                    "--event=%s: %s has a unit mask of its own; let "
                    "UNITMASK be 0",
                    event->name, event->base);
    return 0;
}

/* Of Intel's events 0 each unit mask is a fixed counter's. */
static int take_fixed(const struct event_spec *event, uint64_t raw,
                      struct event_code *ret, struct failure *failure)
{
    unsigned int number = (raw & SELECT_MASK) >> 8;

    if ( raw & SELECT_MORE )
        return fail(failure, STATUS_RANGE,
                    "--event=%s: a fixed counter counts that, which takes no "
                    "edge, invert or threshold",
                    event->name);
    if ( !number || number > XENOPROF_EVENT_FIXED_MAX )
        return fail(failure, STATUS_RANGE,
                    "--event=%s: no counter that can make samples counts that",
                    event->name);
    ret->fixed = number;
    ret->select = raw & SELECT_MODES;
    return 0;
}

static int take_code(const struct processor *processor,
                     const struct event_spec *event, uint64_t raw,
                     struct event_code *ret, struct failure *failure)
{
    const bool amd = processor->maker == MAKER_AMD;
    uint64_t allowed = SELECT_EVENT | SELECT_MASK | SELECT_MODES | SELECT_MORE |
                       (amd ? SELECT_HIGH | SELECT_GUEST | SELECT_HOST : 0);

    ret->unit = "events";
    raw &= ~SELECT_OWN;
    if ( raw & ~allowed )
        return fail(
            failure, STATUS_RANGE,
            "--event=%s: code %llx has bits that are not the event's, "
            "its unit mask's, edge, invert or threshold; leave out %llx",
            event->name, (unsigned long long)raw,
            (unsigned long long)(raw & ~allowed));
    if ( !amd && !(raw & SELECT_EVENT) )
        return take_fixed(event, raw, ret, failure);
    ret->select = raw;
    return 0;
}

static int find_event_code(const struct processor *processor,
                           const struct event_spec *event,
                           struct event_code *ret, struct failure *failure)
{
    uint64_t raw, mask = (uint64_t)event->unit_mask << 8;
    int status;

    if ( !is_raw_code(event->base) )
    {
        status = event_names_find(event, &raw, failure);
        return status ?: take_code(processor, event, raw, ret, failure);
    }
    raw = strtoull(event->base + 1, NULL, 16);
    if ( mask && raw & SELECT_MASK && (raw & SELECT_MASK) != mask )
        return fail(failure, STATUS_RANGE,
                    "--event=%s: the code has another unit mask than UNITMASK; "
                    "give one of them",
                    event->name);
    return take_code(processor, event, raw | mask, ret, failure);
}

/* A unit of IBS: it counts in all modes, and says of each sample which. */
static int take_ibs(const struct processor *processor,
                    const struct event_spec *event, struct event_code *ret,
                    struct failure *failure)
{
    const struct ibs_row *row = find_ibs(event->base);

    if ( !has_ibs(processor) )
        return fail(failure, STATUS_RANGE,
                    "--event=%s: this processor has no instruction-based "
                    "sampling, which AMD's have from family 15h on; see "
                    "xenopctl --list-events",
                    event->name);
    if ( event->kernel != event->user || event->guest || event->host ||
         event->unit_mask )
        return fail(failure, STATUS_RANGE,
                    "--event=%s: IBS counts in all modes and has no unit mask; "
                    "leave k, u, guest, host and UNITMASK out, reports have a "
                    "line for each mode and domain",
                    event->name);
    ret->ibs = row->unit;
    ret->select = row->select;
    ret->unit = row->unit_name;
    return 0;
}

int event_code_find(const struct processor *processor,
                    const struct event_spec *event, struct event_code *ret,
                    struct failure *failure)
{
    int status;

    *ret = (struct event_code){.select = 0};
    if ( find_ibs(event->base) )
        return take_ibs(processor, event, ret, failure);
    status = find_event_row(event->base)
                 ? find_in_rows(processor, event, ret, failure)
                 : find_event_code(processor, event, ret, failure);
    if ( status )
        return status;
    if ( (event->guest || event->host) && processor->maker != MAKER_AMD )
        return fail(failure, STATUS_RANGE,
                    "--event=%s: only AMD's processors count guests or the "
                    "host alone; leave guest and host out, reports have a line "
                    "for each domain",
                    event->name);
    /* In which modes it counts, unless the code says so itself. */
    if ( !(ret->select & SELECT_MODES) )
        ret->select |= (event->kernel ? SELECT_OS : 0) |
                       (event->user ? SELECT_USER : 0);
    ret->select |= (event->guest ? SELECT_GUEST : 0) |
                   (event->host ? SELECT_HOST : 0);
    return 0;
}

static bool is_listed_event(const char *name, const char *help,
                            const char *filter)
{
    return !filter || strcasestr(name, filter) || strcasestr(help, filter);
}

size_t event_codes_list(const struct processor *processor, const char *filter,
                        FILE *out)
{
    size_t found = 0;

    for ( size_t i = 0; i < ROWS; i++ )
    {
        struct event_code code;

        if ( !code_of_row(processor, &event_rows[i], &code) ||
             !is_listed_event(event_rows[i].name, event_rows[i].help, filter) )
            continue;
        found++;
        if ( code.fixed )
            fprintf(out, "%-17s fixed:%u %s\n", event_rows[i].name,
                    code.fixed - 1, event_rows[i].help);
        else
            fprintf(out, "%-17s %7llx %s\n", event_rows[i].name,
                    (unsigned long long)code.select, event_rows[i].help);
    }
    for ( size_t i = 0; has_ibs(processor) && i < IBS_ROWS; i++ )
    {
        const struct ibs_row *row = &ibs_rows[i];

        if ( !is_listed_event(row->name, row->help, filter) )
            continue;
        found++;
        fprintf(out, "%-17s %7s %s\n", row->name, "ibs", row->help);
    }
    if ( !filter )
        fprintf(out,
                "%-17s %7s the event with that code: unit mask and event, "
                "as in r412e\n",
                "rHEX", "HEX");
    return found + event_names_list(filter, out);
}
