/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our codes beside those that libpfm 4.13.0 has for the same thing on ten
 * processors (pfm_get_os_event_encoding(), PFM_OS_NONE; bits 20 and 22 are its
 * own).  A code with event 0 and unit mask N is fixed counter N - 1.
 */
#include <stdlib.h>
#include <string.h>

#include <xenoprof/door.h>

#include "control/event-codes.h"
#include "control/event-spec.h"
#include "tests/harness.h"

#define INTEL                                                                  \
    {                                                                          \
        MAKER_INTEL, 6                                                         \
    }

static const struct {
    const char *processor;
    struct processor is;
    struct {
        const char *name;
        uint64_t code; /* 0: the last row */
    } events[8];
} known[] = {
    {"ivb",
     INTEL,
     {{"cycles", 0x53003c},
      {"instructions", 0x5300c0},
      {"cache-references", 0x534f2e},
      {"cache-misses", 0x53412e},
      {"branches", 0x5300c4},
      {"branch-misses", 0x5300c5},
      {"ref-cycles", 0x530300}}},
    {"hsw",
     INTEL,
     {{"cycles", 0x53003c},
      {"cache-references", 0x534f2e},
      {"cache-misses", 0x53412e},
      {"ref-cycles", 0x530300}}},
    {"skl",
     INTEL,
     {{"cycles", 0x53003c},
      {"instructions", 0x5300c0},
      {"cache-references", 0x534f2e},
      {"cache-misses", 0x53412e},
      {"branches", 0x5300c4},
      {"branch-misses", 0x5300c5},
      {"ref-cycles", 0x530300}}},
    {"icl",
     INTEL,
     {{"cycles", 0x53003c},
      {"cache-misses", 0x53412e},
      {"branches", 0x5300c4},
      {"branch-misses", 0x5300c5},
      {"ref-cycles", 0x530300}}},
    {"spr",
     INTEL,
     {{"cycles", 0x53003c},
      {"cache-references", 0x534f2e},
      {"cache-misses", 0x53412e},
      {"branches", 0x5300c4},
      {"branch-misses", 0x5300c5}}},
    {"amd64_fam10h_barcelona",
     {MAKER_AMD, 0x10},
     {{"cycles", 0x530076},
      {"instructions", 0x5300c0},
      {"cache-references", 0x53077d},
      {"branches", 0x5300c2},
      {"branch-misses", 0x5300c3}}},
    {"amd64_fam15h_interlagos",
     {MAKER_AMD, 0x15},
     {{"cycles", 0x530076},
      {"instructions", 0x5300c0},
      {"cache-references", 0x53077d},
      {"branches", 0x5300c2},
      {"branch-misses", 0x5300c3}}},
    {"amd64_fam17h_zen1",
     {MAKER_AMD, 0x17},
     {{"cycles", 0x530076},
      {"instructions", 0x5300c0},
      {"branches", 0x5300c2},
      {"branch-misses", 0x5300c3}}},
    {"amd64_fam19h_zen3",
     {MAKER_AMD, 0x19},
     {{"cycles", 0x530076},
      {"instructions", 0x5300c0},
      {"branches", 0x5300c2},
      {"branch-misses", 0x5300c3}}},
    {"amd64_fam19h_zen4",
     {MAKER_AMD, 0x19},
     {{"cycles", 0x530076},
      {"instructions", 0x5300c0},
      {"branches", 0x5300c2},
      {"branch-misses", 0x5300c3}}},
};

static struct event_code find(const struct processor *processor,
                              const char *name)
{
    struct event_spec event = {.kernel = true, .user = true};
    struct failure failure = {0};
    struct event_code code;

    strcpy(event.base, name);
    strcpy(event.name, name);
    if ( event_code_find(processor, &event, &code, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    return code;
}

TEST(event_codes_are_those_that_libpfm_has)
{
    for ( size_t i = 0; i < sizeof(known) / sizeof(*known); i++ )
        for ( size_t j = 0; j < 8 && known[i].events[j].name; j++ )
        {
            uint64_t wanted = known[i].events[j].code & ~0x500000ull;
            struct event_code code = find(&known[i].is,
                                          known[i].events[j].name);

            if ( code.fixed )
                code.select |= (uint64_t)code.fixed << 8;
            CHECK_EQ(code.select, wanted);
            CHECK(event_is_known(known[i].events[j].name));
        }
}

TEST(event_codes_say_in_which_modes)
{
    const struct processor amd = {MAKER_AMD, 0x19}, intel = INTEL;
    struct event_spec event = {.name = "cycles:k:guest",
                               .base = "cycles",
                               .kernel = true,
                               .guest = true};
    struct failure failure = {0};
    struct event_code code;

    CHECK_EQ(event_code_find(&amd, &event, &code, &failure), 0);
    CHECK_EQ(code.select, 0x10000020076);
    event.host = !(event.guest = false);
    CHECK_EQ(event_code_find(&amd, &event, &code, &failure), 0);
    CHECK_EQ(code.select, 0x20000020076);
    CHECK_EQ(event_code_find(&intel, &event, &code, &failure), STATUS_RANGE);
    CHECK(strstr(failure.text, "only AMD's processors count guests"));
}

TEST(event_that_a_processor_does_not_count)
{
    const struct processor amd = {MAKER_AMD, 0x19}, other = {MAKER_OTHER, 6};
    struct event_spec event = {
        .name = "ref-cycles", .base = "ref-cycles", .kernel = true};
    struct failure failure = {0};
    struct event_code code;

    CHECK_EQ(event_code_find(&amd, &event, &code, &failure), STATUS_RANGE);
    CHECK_TEXT(failure.text,
               "--event=ref-cycles: this processor does not count that");
    strcpy(event.base, "cycles");
    CHECK_EQ(event_code_find(&other, &event, &code, &failure), STATUS_RANGE);
}

/* As --event=TEXT asks for it; fails with the sentence that it gets. */
static struct event_code find_text(const struct processor *processor,
                                   const char *text, struct failure *failure)
{
    struct event_spec event;
    struct event_code code = {.select = 0};

    CHECK(event_spec_next(&text, &event));
    *failure = (struct failure){0};
    event_code_find(processor, &event, &code, failure);
    return code;
}

TEST(event_by_its_code)
{
    const struct processor amd = {MAKER_AMD, 0x19}, intel = INTEL;
    struct failure failure;
    struct event_code code = find_text(&intel, "r412e:k:100000", &failure);

    CHECK_EQ(failure.status, 0);
    CHECK_EQ(code.select, 0x2412e);
    CHECK_TEXT(code.unit, "events");
    /* Unit mask as oprofile has it; edge and threshold; own bits go. */
    CHECK_EQ(find_text(&intel, "r2e:100000:0x41:0:1", &failure).select,
             0x1412e);
    CHECK_EQ(find_text(&intel, "r25741a3", &failure).select,
             0x20741a3 | 3 << 16);
    CHECK_EQ(find_text(&amd, "r100000e0", &failure).select, 0x100300e0);
    CHECK_EQ(find_text(&amd, "r1000000e0", &failure).select, 0x1000300e0);
    /* Of Intel's events 0 each unit mask is a fixed counter's. */
    code = find_text(&intel, "r300:u", &failure);
    CHECK_EQ(code.fixed, 3);
    CHECK_EQ(code.select, 0x10000);
    CHECK_EQ(find_text(&amd, "r300", &failure).select, 0x30300);
}

TEST(event_code_that_cannot_be_says_why)
{
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"r80041", "leave out 80000"},
        {"r1000000e0", "leave out 100000000"},
        {"r412e:100000:0x4f", "has another unit mask than UNITMASK"},
        {"r1000300", "a fixed counter counts that, which takes no edge"},
        {"r0", "no counter that can make samples"},
        {"r8000", "no counter that can make samples"},
        {"cycles:100000:1", "cycles has a unit mask of its own"},
    };
    const struct processor intel = INTEL;
    struct failure failure;

    /* Modes in a code are taken as they are. */
    CHECK_EQ(find_text(&intel, "r2002e", &failure).select, 0x2002e);
    for ( size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++ )
    {
        find_text(&intel, wrong[i].text, &failure);
        if ( failure.status != STATUS_RANGE ||
             !strstr(failure.text, wrong[i].why) )
            test_fail(__FILE__, __LINE__, "%s: %s", wrong[i].text,
                      failure.text);
    }
}

static size_t list(const struct processor *processor, const char *filter,
                   char **ret)
{
    size_t size, found;
    FILE *file;

    *ret = NULL;
    file = open_memstream(ret, &size);
    found = event_codes_list(processor, filter, file);
    CHECK(!fclose(file));
    return found;
}

TEST(event_list_has_what_this_processor_counts)
{
    const struct processor amd = {MAKER_AMD, 0x19}, intel = INTEL;
    char *text;

    CHECK(list(&amd, NULL, &text) >= 6);
    CHECK(strstr(text, "cache-misses") && !strstr(text, "ref-cycles"));
    CHECK(strstr(text, "rHEX"));
    free(text);
    CHECK(list(&intel, NULL, &text) >= 7);
    CHECK(strstr(text, "ref-cycles        fixed:2 "));
    free(text);
    /* By its name or by what it is, in either case. */
    CHECK(list(&intel, "Constant", &text) >= 1);
    CHECK(!strncmp(text, "ref-cycles ", 11) && !strstr(text, "\ncycles "));
    free(text);
    CHECK_EQ(list(&intel, "no such thing", &text), 0);
    CHECK_TEXT(text, "");
    free(text);
}

TEST(event_of_ibs)
{
    const struct processor amd = {MAKER_AMD, 0x19}, old = {MAKER_AMD, 0x10},
                           intel = INTEL;
    struct failure failure;
    struct event_code code = find_text(&amd, "ibs_op:200000", &failure);

    CHECK_EQ(failure.status, 0);
    CHECK_EQ(code.ibs, XENOPROF_IBS_OP);
    CHECK_EQ(code.select, 0);
    CHECK_TEXT(code.unit, "cycles");
    code = find_text(&amd, "ibs_op:ops:k:u:200000", &failure);
    CHECK_EQ(failure.status, 0);
    CHECK_EQ(code.select, XENOPROF_IBS_OPS);
    CHECK_TEXT(code.unit, "ops");
    code = find_text(&amd, "ibs_fetch", &failure);
    CHECK_EQ(code.ibs, XENOPROF_IBS_FETCH);
    CHECK_EQ(code.select, 0);
    find_text(&amd, "ibs_fetch:k:200000", &failure);
    CHECK_TEXT(failure.text,
               "--event=ibs_fetch:k: IBS counts in all modes and has no unit "
               "mask; leave k, u, guest, host and UNITMASK out, reports have a "
               "line for each mode and domain");
    for ( unsigned int i = 0; i < 2; i++ )
    {
        find_text(i ? &old : &intel, "ibs_op", &failure);
        CHECK_EQ(failure.status, STATUS_RANGE);
        CHECK_TEXT(failure.text,
                   "--event=ibs_op: this processor has no instruction-based "
                   "sampling, which AMD's have from family 15h on; see "
                   "xenopctl --list-events");
    }
    CHECK(event_is_known("ibs_op:ops") && !event_is_known("ibs_op:x"));
    CHECK(!event_is_readable("ibs_op") && event_is_readable("cycles"));
}

TEST(event_of_ibs_is_listed_where_it_is)
{
    const struct processor amd = {MAKER_AMD, 0x17}, intel = INTEL;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    CHECK_EQ(event_codes_list(&amd, "ibs_fetch", out), 1);
    fclose(out);
    CHECK_TEXT(text, "ibs_fetch             ibs fetches of code, and exactly "
                     "from where (AMD's IBS)\n");
    free(text);
    out = open_memstream(&text, &size);
    event_codes_list(&intel, "IBS)", out);
    fclose(out);
    CHECK_TEXT(text, "");
    free(text);
}
