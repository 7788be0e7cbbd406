/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module/facts/facts-list.h"
#include "tests/harness.h"

#include <errno.h>
#include <string.h>

TEST(facts_as_text)
{
    struct xenoprof_facts facts;

    facts_clear(&facts);
    CHECK_EQ(facts.size, sizeof(facts));
    CHECK_EQ(facts_set(&facts, "vcpu_domain=24\n page_size=0x20 "), 0);
    CHECK_EQ(facts.vcpu_domain, 24);
    CHECK_EQ(facts.page_size, 32);
    CHECK_EQ(facts.vcpu_flags, XENOPROF_FACT_ABSENT);
    CHECK_EQ(facts_set(&facts, "no_such_fact=1"), -EINVAL);
    CHECK_EQ(facts_set(&facts, "vcpu_domain"), -EINVAL);
    CHECK_EQ(facts_set(&facts, "vcpu_domain=x"), -EINVAL);
    CHECK_EQ(facts_set(&facts, "vcpu_domain=8x"), -EINVAL);
}

TEST(facts_that_are_absent_by_name)
{
    struct xenoprof_facts facts;
    char line[512], small[40];

    facts_clear(&facts);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        *facts_slot(&facts, i) = 8;
    facts_absent_line(&facts, line, sizeof(line));
    CHECK_TEXT(line, "");
    facts.vcpu_guest_table_user = facts.page_owner = XENOPROF_FACT_ABSENT;
    facts_absent_line(&facts, line, sizeof(line));
    CHECK_TEXT(line, "facts not found: vcpu.arch.guest_table_user, "
                     "page_info.v.inuse._domain; --xen-syms=FILE helps, with "
                     "debug information of this build");
    facts_absent_line(&facts, small, sizeof(small));
    CHECK_EQ(strncmp(small, line, sizeof(small) - 1), 0);
}

/* Each fact has one name, which is found, and a slot of its own. */
TEST(facts_by_name)
{
    static const char *const names[] = {
#define XENOPROF_FACT(name, need, path, what) #name,
#include <xenoprof/facts.def>
#undef XENOPROF_FACT
    };
    struct xenoprof_facts facts;

    facts_clear(&facts);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
    {
        CHECK_EQ(facts_index(names[i], strlen(names[i])), i);
        CHECK_EQ(facts_index(names[i], strlen(names[i]) - 1),
                 XENOPROF_FACT_COUNT);
        CHECK_EQ(facts_value(&facts, i), XENOPROF_FACT_ABSENT);
        *facts_slot(&facts, i) = (uint32_t)i;
    }
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        CHECK_EQ(facts_value(&facts, i), i);
}

TEST(the_table_is_spelt_right)
{
    static const char *const builds[] = {
#define KNOWN_BUILD(build, build_id, text) text,
#include "module/facts/known-builds.def"
#undef KNOWN_BUILD
    };

    for ( size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++ )
    {
        struct xenoprof_facts facts;

        facts_clear(&facts);
        CHECK_EQ(facts_set(&facts, builds[i]), 0);
    }
}
