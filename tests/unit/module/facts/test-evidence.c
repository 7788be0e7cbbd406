/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When statements are enough for a fact.  A wrong offset crashes the host. */
#include "module/facts/evidence.h"
#include "tests/harness.h"

#include <string.h>

#define DOMAIN XENOPROF_FACT_vcpu_domain
#define VCPU   XENOPROF_FACT_domain_vcpu

static struct xen_symbol functions[] = {
    {.address = 0x1000, .name = "one"},
    {.address = 0x2000, .name = "x.c#two"},
    {.address = 0x3000, .name = "three"},
};
static struct facts_evidence evidence;

/* A function, or with -1 the debug information, states a value. */
static void state(enum xenoprof_fact fact, uint32_t value, int function)
{
    struct facts_statement statement = {.fact = fact, .value = value};

    if ( function >= 0 )
    {
        statement.function = &functions[function];
        statement.address = functions[function].address + 4;
    }
    CHECK_EQ(facts_evidence_add(&evidence, &statement), 0);
}

/* What is settled, and forgets it all. */
static struct xenoprof_facts settled(void)
{
    struct xenoprof_facts facts;

    facts_evidence_settle(&evidence, &facts);
    facts_evidence_free(&evidence);
    return facts;
}

TEST(two_that_agree)
{
    state(DOMAIN, 8, 0);
    state(DOMAIN, 8, 1);
    CHECK_EQ(settled().vcpu_domain, 8);
    state(DOMAIN, 8, 0);
    state(DOMAIN, 8, -1);
    CHECK_EQ(settled().vcpu_domain, 8);
}

TEST(one_that_repeats_itself)
{
    state(DOMAIN, 8, 0);
    state(DOMAIN, 8, 0);
    state(VCPU, 8, 1);
    state(VCPU, 8, -1);
    state(VCPU, 8, -1);
    CHECK_EQ(evidence.count, 3);
    CHECK_EQ(settled().vcpu_domain, XENOPROF_FACT_ABSENT);
}

/* It is of the very build: what no function shows can be had by it alone.  But
 * it is no judge over the code that runs. */
TEST(the_debug_information_alone)
{
    state(DOMAIN, 8, -1);
    state(VCPU, 8, -1);
    state(VCPU, 16, 0);
    CHECK_EQ(settled().vcpu_domain, 8);
    state(VCPU, 16, 0);
    state(VCPU, 8, -1);
    CHECK_EQ(settled().domain_vcpu, XENOPROF_FACT_ABSENT);
}

/* However many agree, and whoever came first. */
TEST(one_that_contradicts)
{
    struct facts_verdict verdict;

    for ( int at = 0; at < 3; at++ )
    {
        for ( int i = 0; i < 3; i++ )
            state(DOMAIN, i == at ? 16 : 8, i);
        facts_evidence_judge(&evidence, DOMAIN, &verdict);
        CHECK(verdict.disagree);
        CHECK_EQ(settled().vcpu_domain, XENOPROF_FACT_ABSENT);
    }
    facts_evidence_judge(&evidence, DOMAIN, &verdict);
    CHECK_EQ(verdict.weight, 0);
    CHECK(!verdict.disagree);
}

TEST(facts_do_not_speak_for_each_other)
{
    state(DOMAIN, 8, 0);
    state(VCPU, 8, 1);
    CHECK_EQ(settled().vcpu_domain, XENOPROF_FACT_ABSENT);
}

TEST(sources_are_named)
{
    char line[320] = "it is ";

    state(DOMAIN, 8, 0);
    state(DOMAIN, 16, 2);
    state(DOMAIN, 8, 1);
    state(DOMAIN, 8, -1);
    state(DOMAIN, 8, 2);
    facts_evidence_print(&evidence, DOMAIN, line, sizeof(line));
    facts_evidence_free(&evidence);
    CHECK_TEXT(line, "it is 8: one+0x4, two+0x4, DWARF and 1 more; "
                     "16: three+0x4");
}

TEST(a_long_line_is_cut)
{
    char line[320] = "";

    for ( uint32_t i = 0; i < 100; i++ )
        CHECK_EQ(facts_evidence_add(
                     &evidence,
                     &(struct facts_statement){.fact = DOMAIN, .value = i}),
                 0);
    facts_evidence_print(&evidence, DOMAIN, line, sizeof(line));
    facts_evidence_free(&evidence);
    CHECK_EQ(strlen(line), sizeof(line) - 1);
}
