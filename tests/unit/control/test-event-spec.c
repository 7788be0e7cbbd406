/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "control/event-sets.h"
#include "control/event-spec.h"
#include "tests/harness.h"

static struct event_spec read_one(const char *text)
{
    struct domain_pairs sets = {0};
    struct failure failure = {0};
    struct event_spec event;
    const char *at;

    if ( event_sets_add(&sets, "event", text, &failure) )
        test_fail(__FILE__, __LINE__, "%s: %s", text, failure.text);
    at = sets.texts[0];
    CHECK(event_spec_next(&at, &event));
    CHECK(*at == '\0' || *at == ',');
    domain_pairs_free(&sets);
    return event;
}

TEST(event_spec_with_and_without_modifiers)
{
    struct event_spec event = read_one("cycles:200000");

    CHECK_TEXT(event.name, "cycles");
    CHECK_TEXT(event.base, "cycles");
    CHECK_EQ(event.count, 200000);
    CHECK(event.kernel && event.user && !event.guest && !event.host);
    event = read_one("cycles");
    CHECK_EQ(event.count, 0);
    event = read_one("cache-misses:k:guest:10000");
    CHECK_TEXT(event.name, "cache-misses:k:guest");
    CHECK_TEXT(event.base, "cache-misses");
    CHECK(event.kernel && !event.user && event.guest);
    event = read_one("branches:u:host");
    CHECK(!event.kernel && event.user && event.host);
    CHECK_EQ(event.count, 0);
}

TEST(event_spec_as_oprofile_wrote_it)
{
    struct event_spec event = read_one("branches:50000:0:1:0");

    CHECK(event.kernel && !event.user);
    event = read_one("branches:50000:0:0:1");
    CHECK(!event.kernel && event.user);
    event = read_one("branches:50000:0:1:1");
    CHECK(event.kernel && event.user);
    event = read_one("branches:50000:0");
    CHECK(event.kernel && event.user);
    CHECK_EQ(event.count, 50000);
}

TEST(event_spec_with_unit_masks)
{
    struct event_spec event = read_one("r2e:100000:0x41:1:0");

    CHECK_TEXT(event.base, "r2e");
    CHECK_TEXT(event.name, "r2e:0x41");
    CHECK_EQ(event.unit_mask, 0x41);
    CHECK(event.kernel && !event.user);
    CHECK_EQ(read_one("r2e:100000:65").unit_mask, 65);
    CHECK_EQ(read_one("cycles:100000:0x00:1:1").unit_mask, 0);
}

TEST(event_spec_with_names_of_others)
{
    const char *at = "skl::MEM_LOAD_RETIRED:k:L3_MISS:c=2:200000,cycles";
    struct event_spec event;

    CHECK(event_spec_next(&at, &event));
    CHECK_TEXT(event.base, "skl::MEM_LOAD_RETIRED:L3_MISS:c=2");
    CHECK_TEXT(event.name, "skl::MEM_LOAD_RETIRED:k:L3_MISS:c=2");
    CHECK(event.kernel && !event.user && event.count == 200000);
    CHECK(event_spec_next(&at, &event));
    CHECK_TEXT(event.name, "cycles");
}

TEST(event_set_has_several)
{
    struct domain_pairs sets = {0};
    struct failure failure = {0};
    struct event_spec event;
    const char *at;

    CHECK_EQ(event_sets_add(&sets, "event", "cycles:k:100000,branches:5,cycles",
                            &failure),
             0);
    at = sets.texts[0];
    CHECK(event_spec_next(&at, &event) && event.count == 100000);
    CHECK(event_spec_next(&at, &event) && event.count == 5);
    CHECK_TEXT(event.base, "branches");
    CHECK(event_spec_next(&at, &event) && event.count == 0);
    CHECK(!event_spec_next(&at, &event));
    domain_pairs_free(&sets);
}

static const struct {
    const char *text, *why;
} wrong[] = {
    {"", "use NAME:COUNT"},
    {":", "use NAME:COUNT"},
    {"cycles:", "use NAME:COUNT"},
    {"cycles::5", "use NAME:COUNT"},
    {"cycles,", "use NAME:COUNT"},
    {",cycles", "use NAME:COUNT"},
    {"k:5", "use NAME:COUNT"},
    {"100000", "use NAME:COUNT"},
    {"cycles:5:0:0:0", "use NAME:COUNT"},
    {"r2e:5:0x100:1:1", "use NAME:COUNT"},
    {"r2e:5:x41:1:1", "use NAME:COUNT"},
    {"r2e:5:0x4g:1:1", "use NAME:COUNT"},
    {"cycles:5:-1:1:1", "use NAME:COUNT"},
    {"skl::", "use NAME:COUNT"},
    {"::cycles", "use NAME:COUNT"},
    {"cycles:k::umask", "use NAME:COUNT"},
    {"cycles:5:k", "use NAME:COUNT"},
    {"cycles:5:0:1:1:1", "use NAME:COUNT"},
    {"cycle:5", "there is no event 'cycle'; xenopctl --list-events shows"},
    {"rx:5", "there is no event 'rx'"},
    {"r12345678901", "there is no event 'r12345678901'"},
    {"cycles:p:5", "there is no event 'cycles:p'"},
    {"cycles:2147483648", "a count is at most 2147483647"},
    {"cycles:99999999999999999999999", "a count is at most 2147483647"},
    {"cycles:guest:host", "guest and host exclude each other"},
    {"cycles:kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
     "use NAME:COUNT"},
};

TEST(event_spec_that_is_wrong_says_why)
{
    for ( size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++ )
    {
        struct domain_pairs sets = {0};
        struct failure failure = {0};

        if ( !event_sets_add(&sets, "event", wrong[i].text, &failure) ||
             !strstr(failure.text, wrong[i].why) )
            test_fail(__FILE__, __LINE__, "'%s': %s", wrong[i].text,
                      failure.text);
        CHECK_EQ(sets.count, 0);
    }
}

TEST(event_sets_are_few)
{
    struct domain_pairs sets = {0};
    struct failure failure = {0};

    for ( unsigned int i = 0; i < 8; i++ )
        CHECK_EQ(event_sets_add(&sets, "event", "cycles", &failure), 0);
    CHECK_EQ(event_sets_add(&sets, "event", "cycles", &failure), STATUS_RANGE);
    domain_pairs_free(&sets);
}
