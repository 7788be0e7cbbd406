/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module/facts/facts-list.h"
#include "tests/harness.h"

#include <errno.h>
#include <stdio.h>
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

/* A hypervisor of so many lines of symbols. */
static void open_image(struct xen_image *image, const char *symbols)
{
    const struct xen_range no_code = {0};

    CHECK_EQ(xen_image_open_text(image, &no_code, symbols, strlen(symbols)), 0);
}

TEST(facts_that_are_absent_by_name)
{
    struct xenoprof_facts facts;
    struct xen_image image;
    char line[512], small[40];

    open_image(&image, "ffff82d040200000 T pv_domain_initialise\n");

    facts_clear(&facts);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        *facts_slot(&facts, i) = 8;
    facts_absent_line(&image, &facts, line, sizeof(line));
    CHECK_TEXT(line, "");
    facts.vcpu_guest_table_user = facts.page_owner = XENOPROF_FACT_ABSENT;
    facts_absent_line(&image, &facts, line, sizeof(line));
    CHECK_TEXT(line, "facts not found: vcpu.arch.guest_table_user, "
                     "page_info.v.inuse._domain; --xen-syms=FILE helps, with "
                     "debug information of this build");
    facts_absent_line(&image, &facts, small, sizeof(small));
    CHECK_EQ(strncmp(small, line, sizeof(small) - 1), 0);
    facts.vcpu_guest_cr = facts.vcpu_vmcb = XENOPROF_FACT_ABSENT;
    facts_absent_line(&image, &facts, small, sizeof(small));
    CHECK_EQ(strncmp(small, line, sizeof(small) - 1), 0);
    CHECK(!strstr(line, "guest_cr"));
    xen_image_close(&image);
}

/* Facts of guests that a hypervisor does not run are no lack of it. */
TEST(facts_apply_where_such_guests_run)
{
    static const struct {
        const char *symbol;
        bool pv, hvm, amd;
    } of[] = {
        {"pv_domain_initialise", true, false, false},
        {"hvm_domain_initialise", false, true, false},
        {"svm_asm_do_resume", false, false, true},
    };

    for ( unsigned int i = 0; i < sizeof(of) / sizeof(*of); i++ )
    {
        struct xen_image image;
        char symbols[64];

        snprintf(symbols, sizeof(symbols), "ffff82d040200000 T %s\n",
                 of[i].symbol);
        open_image(&image, symbols);
        CHECK(facts_apply(&image, XENOPROF_FACT_vcpu_domain));
        CHECK(facts_apply(&image, XENOPROF_FACT_page_owner));
        CHECK_EQ(facts_apply(&image, XENOPROF_FACT_vcpu_cr3), of[i].pv);
        CHECK_EQ(facts_apply(&image, XENOPROF_FACT_domain_p2m), of[i].hvm);
        CHECK_EQ(facts_apply(&image, XENOPROF_FACT_vcpu_vmcb), of[i].amd);
        xen_image_close(&image);
    }
    CHECK(facts_vital(XENOPROF_FACT_vcpu_domain));
    CHECK(facts_vital(XENOPROF_FACT_vcpu_vmcb));
    CHECK(!facts_vital(XENOPROF_FACT_vcpu_cr3));
    CHECK(!facts_vital(XENOPROF_FACT_domain_p2m));
    CHECK(!facts_vital(XENOPROF_FACT_page_owner));
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
