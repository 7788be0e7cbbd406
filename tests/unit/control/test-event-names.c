/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libpfm asked: our codes beside its own, now and not when the other test was
 * written.  A build without it has nothing to ask.
 */
#include <stdlib.h>
#include <string.h>

#include "control/event-codes.h"
#include "control/event-names.h"
#include "control/event-spec.h"
#include "tests/harness.h"

#define OWN_BITS 0x500000ull /* interrupt, enable: libpfm's */

static const char *const ours[7] = {
    "cycles",   "instructions",  "cache-references", "cache-misses",
    "branches", "branch-misses", "ref-cycles"};

#define INTEL                                                                  \
    {                                                                          \
        "UNHALTED_CORE_CYCLES", "INST_RETIRED:ANY_P",                          \
            "LONGEST_LAT_CACHE:0x4f", "LONGEST_LAT_CACHE:0x41",                \
            "BR_INST_RETIRED:ALL_BRANCHES", "BR_MISP_RETIRED:ALL_BRANCHES",    \
            "UNHALTED_REFERENCE_CYCLES"                                        \
    }
#define AMD                                                                    \
    {                                                                          \
        "CPU_CLK_UNHALTED", "RETIRED_INSTRUCTIONS", "REQUESTS_TO_L2:0x7",      \
            "L2_CACHE_MISS:0x7", "RETIRED_BRANCH_INSTRUCTIONS", NULL           \
    }
#define ZEN                                                                    \
    {                                                                          \
        "CYCLES_NOT_IN_HALT", "RETIRED_INSTRUCTIONS",                          \
            "REQUESTS_TO_L2_GROUP1:0xff",                                      \
            "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:0x9",                  \
            "RETIRED_BRANCH_INSTRUCTIONS",                                     \
            "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", NULL                   \
    }

static const struct {
    const char *table;
    struct processor processor;
    const char *names[7]; /* NULL: there is none, or it is too long here */
} tables[] = {
    {"ivb", {MAKER_INTEL, 6}, INTEL},
    {"hsw", {MAKER_INTEL, 6}, INTEL},
    {"skl", {MAKER_INTEL, 6}, INTEL},
    {"icl", {MAKER_INTEL, 6}, INTEL},
    {"spr", {MAKER_INTEL, 6}, INTEL},
    {"amd64_fam10h_barcelona", {MAKER_AMD, 0x10}, AMD},
    {"amd64_fam15h_interlagos", {MAKER_AMD, 0x15}, AMD},
    {"amd64_fam17h_zen1", {MAKER_AMD, 0x17}, ZEN},
    {"amd64_fam19h_zen3", {MAKER_AMD, 0x19}, ZEN},
    {"amd64_fam19h_zen4", {MAKER_AMD, 0x19}, ZEN},
};

static bool is_absent(void)
{
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    return strstr(event_names_hint(), "is built with libpfm");
}

/* As --event=TEXT asks for it. */
static int find_text(const struct processor *processor, const char *text,
                     struct event_code *code, struct failure *failure)
{
    struct event_spec event;

    CHECK(event_spec_next(&text, &event));
    *failure = (struct failure){0};
    return event_code_find(processor, &event, code, failure);
}

static uint64_t theirs(const char *table, const char *name)
{
    struct event_spec event = {.kernel = true, .user = true};
    struct failure failure = {0};
    uint64_t raw = 0;

    const char *mask = strstr(name, ":0x");

    if ( mask )
        event.unit_mask = (uint8_t)strtoul(mask + 1, NULL, 16);
    snprintf(event.base, sizeof(event.base), "%s::%.*s", table,
             mask ? (int)(mask - name) : (int)strlen(name), name);
    if ( event_names_find(&event, &raw, &failure) )
        test_fail(__FILE__, __LINE__, "%s: %s", event.base, failure.text);
    return raw & ~OWN_BITS;
}

TEST(event_names_have_our_codes)
{
    unsigned int compared = 0;

    for ( size_t i = 0; i < sizeof(tables) / sizeof(*tables) && !is_absent();
          i++ )
        for ( size_t j = 0; j < 7 && tables[i].names[j]; j++ )
        {
            struct event_code code;
            struct failure failure;

            CHECK_EQ(find_text(&tables[i].processor, ours[j], &code, &failure),
                     0);
            if ( code.fixed )
                code.select |= (uint64_t)code.fixed << 8;
            CHECK_EQ(code.select, theirs(tables[i].table, tables[i].names[j]));
            compared++;
        }
    CHECK_EQ(compared, is_absent() ? 0 : 63);
}

static const struct {
    size_t table;
    const char *text, *why;
    int status;
} wrong[] = {
    {2, "skl::NOSUCH:100000", "there is no event 'skl::NOSUCH'; xenopctl",
     STATUS_USAGE},
    {2, "nosuch::INST_RETIRED", "there is no event", STATUS_USAGE},
    {2, "skl::MEM_LOAD_RETIRED:NOSUCH",
     "xenopctl --list-events=MEM_LOAD_RETIRED shows its unit masks",
     STATUS_USAGE},
    {2, "skl::MEM_LOAD_RETIRED:100000", "missing unit mask", STATUS_USAGE},
    {2, "skl::INST_RETIRED:c=256", "--list-events=INST_RETIRED", STATUS_USAGE},
    {2, "skl::OFFCORE_RESPONSE_0:DMND_DATA_RD", "needs a second register",
     STATUS_RANGE},
    {2, "skl::INST_RETIRED:t", "leave out 200000", STATUS_RANGE},
    {2, "skl::INST_RETIRED:intx=1", "leave out 100000000", STATUS_RANGE},
    {3, "icl::TOPDOWN:SLOTS:c=1", "which takes no edge", STATUS_RANGE},
    {2, "skl::INST_RETIRED:guest", "only AMD's processors count guests",
     STATUS_RANGE},
    {8, "amd64_rapl::RAPL_ENERGY_PKG", "not counted by a core", STATUS_RANGE},
    {3, "perf::cycles", "not counted by a core", STATUS_RANGE},
};

TEST(event_name_that_cannot_be_says_why)
{
    for ( size_t i = 0; i < sizeof(wrong) / sizeof(*wrong) && !is_absent();
          i++ )
    {
        struct event_code code;
        struct failure failure;

        find_text(&tables[wrong[i].table].processor, wrong[i].text, &code,
                  &failure);
        if ( failure.status != wrong[i].status ||
             !strstr(failure.text, wrong[i].why) )
            test_fail(__FILE__, __LINE__, "%s: %s", wrong[i].text,
                      failure.text);
    }
}

TEST(event_name_with_modes_and_unit_masks)
{
    struct event_code code;
    struct failure failure;

    if ( is_absent() )
        return;
    CHECK_EQ(find_text(&tables[2].processor,
                       "skl::MEM_LOAD_RETIRED:100000:0x20:1:0", &code,
                       &failure),
             0);
    CHECK_EQ(code.select, 0x220d1);
    CHECK_EQ(find_text(&tables[8].processor,
                       "amd64_fam19h_zen3::CYCLES_NOT_IN_HALT:k:host", &code,
                       &failure),
             0);
    CHECK_EQ(code.select, 0x20000020076);
    CHECK_EQ(find_text(&tables[8].processor,
                       "amd64_fam19h_zen3::CYCLES_NOT_IN_HALT:h", &code,
                       &failure),
             0);
    CHECK_EQ(code.select, 0x20000030076);
    /* libpfm's own words for modes hold. */
    CHECK_EQ(find_text(&tables[2].processor, "skl::INST_RETIRED:k=1:u=0", &code,
                       &failure),
             0);
    CHECK_EQ(code.select, 0x200c0);
}
