/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What functions state by recipes, and the recipes that there are. */
#include "facts-kit.h"

#include "module/facts/pattern.h"
#include "module/facts/facts-gather.h"
#include "module/facts/recipes.h"
#include "tests/harness.h"

#include <string.h>

static const uint8_t read_8[] = {
    0x48, 0x8b, 0x47, 0x08, /* mov 0x8(%rdi),%rax */
    0xc3,                   /* ret */
};
static const uint8_t read_16[] = {
    0x48, 0x8b, 0x47, 0x10, /* mov 0x10(%rdi),%rax */
    0xc3,                   /* ret */
};
static const uint8_t read_both[] = {
    0x48, 0x8b, 0x47, 0x08, /* mov 0x8(%rdi),%rax */
    0x48, 0x8b, 0x47, 0x10, /* mov 0x10(%rdi),%rax */
    0xc3,                   /* ret */
};
static const uint8_t follow_8[] = {
    0x48, 0x8b, 0x47, 0x08, /* mov 0x8(%rdi),%rax */
    0x8b, 0x40, 0x20,       /* mov 0x20(%rax),%eax */
    0xc3,                   /* ret */
};

static const struct kit_function functions[] = {
    KIT_FUNCTION("one", read_8),
    KIT_FUNCTION("x.c#two", read_8),
    KIT_FUNCTION("x.c#other", read_16),
    KIT_FUNCTION("x.c#both", read_both),
    KIT_FUNCTION("x.c#follows", follow_8),
    KIT_FUNCTION("y.c#follows_too", follow_8),
};

#define DOMAIN XENOPROF_FACT_vcpu_domain
#define VCPU   XENOPROF_FACT_domain_vcpu

/* Returns the facts after some recipes were followed in the functions above. */
static void settle(const struct facts_recipe *recipes, size_t count,
                   struct xenoprof_facts *facts, char *line)
{
    struct facts_evidence evidence = {0};
    struct xen_image image;

    KIT_OPEN(&image, functions);
    CHECK_EQ(facts_follow_recipes(&image, recipes, count, &evidence), 0);
    facts_evidence_settle(&evidence, facts);
    *line = '\0';
    facts_evidence_print(&evidence, DOMAIN, line, FACTS_ORIGIN_MAX);
    facts_evidence_free(&evidence);
    xen_image_close(&image);
}

#define SETTLE(recipes, facts, line)                                           \
    settle(recipes, sizeof(recipes) / sizeof(*(recipes)), facts, line)

TEST(two_sources_agree)
{
    static const struct facts_recipe recipes[] = {
        {DOMAIN, "one", "read [arg1+?]:8"},
        {DOMAIN, "two", "read [arg1+?]:8"},
    };
    struct xenoprof_facts facts;
    char line[FACTS_ORIGIN_MAX];

    SETTLE(recipes, &facts, line);
    CHECK_EQ(facts.vcpu_domain, 8);
    CHECK_TEXT(line, "8: one+0, two+0");
}

TEST(one_source_is_not_enough)
{
    static const struct facts_recipe recipes[] = {
        {DOMAIN, "one", "read [arg1+?]:8"},
        {DOMAIN, "one", "first read [arg1+?]:8"},
        {DOMAIN, "no_such_function", "read [arg1+?]:8"},
        {DOMAIN, "two", "write [arg1+?]:8 = any"},
        {DOMAIN, "both", "read [arg1+?]:8"},
    };
    struct xenoprof_facts facts;
    char line[FACTS_ORIGIN_MAX];

    SETTLE(recipes, &facts, line);
    CHECK_EQ(facts.vcpu_domain, XENOPROF_FACT_ABSENT);
    CHECK_TEXT(line, "8: one+0");
}

TEST(one_source_that_disagrees_spoils_it)
{
    static const struct facts_recipe recipes[] = {
        {DOMAIN, "one", "read [arg1+?]:8"},
        {DOMAIN, "two", "read [arg1+?]:8"},
        {DOMAIN, "other", "read [arg1+?]:8"},
    };
    struct xenoprof_facts facts;
    char line[FACTS_ORIGIN_MAX];

    SETTLE(recipes, &facts, line);
    CHECK_EQ(facts.vcpu_domain, XENOPROF_FACT_ABSENT);
    CHECK_TEXT(line, "8: one+0, two+0; 16: other+0");
}

TEST(a_recipe_waits_for_another_fact)
{
    static const struct facts_recipe recipes[] = {
        {DOMAIN, "follows", "read [[arg1+@domain_vcpu]:8+?]:4"},
        {DOMAIN, "follows_too", "read [[arg1+@domain_vcpu]:8+?]:4"},
        {VCPU, "one", "read [arg1+?]:8"},
        {VCPU, "two", "read [arg1+?]:8"},
    };
    struct xenoprof_facts facts;
    char line[FACTS_ORIGIN_MAX];

    SETTLE(recipes, &facts, line);
    CHECK_EQ(facts.domain_vcpu, 8);
    CHECK_EQ(facts.vcpu_domain, 0x20);
}

TEST(a_recipe_that_waits_in_vain_says_nothing)
{
    static const struct facts_recipe recipes[] = {
        {DOMAIN, "follows", "read [[arg1+@domain_vcpu]:8+?]:4"},
        {VCPU, "one", "read [arg1+?]:8"},
    };
    struct xenoprof_facts facts;
    char line[FACTS_ORIGIN_MAX];

    SETTLE(recipes, &facts, line);
    CHECK_EQ(facts.vcpu_domain, XENOPROF_FACT_ABSENT);
    CHECK_TEXT(line, "");
}

TEST(every_function_is_a_source)
{
    static const struct facts_recipe recipes[] = {
        {DOMAIN, "*", "read [[arg1+8]:8+?]:4"},
    };
    struct xenoprof_facts facts;
    char line[FACTS_ORIGIN_MAX];

    SETTLE(recipes, &facts, line);
    CHECK_EQ(facts.vcpu_domain, 0x20);
    CHECK_TEXT(line, "32: follows+0x4, follows_too+0x4");
}

TEST(every_recipe_is_spelt_right)
{
    struct xenoprof_facts known;
    struct pattern pattern;
    size_t count;
    const struct facts_recipe *recipes = facts_recipes(&count);

    facts_clear(&known);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        *facts_slot(&known, i) = 8;
    for ( size_t i = 0; i < count; i++ )
        if ( pattern_parse(&pattern, recipes[i].pattern, &known) )
            test_fail(__FILE__, __LINE__, "not a pattern: %s",
                      recipes[i].pattern);
}

static bool is_new_source(const struct facts_recipe *recipes, size_t at)
{
    for ( size_t i = 0; i < at; i++ )
        if ( recipes[i].fact == recipes[at].fact &&
             !strcmp(recipes[i].function, recipes[at].function) )
            return false;

    return true;
}

TEST(every_fact_has_two_sources)
{
    unsigned int sources[XENOPROF_FACT_COUNT] = {0};
    size_t count;
    const struct facts_recipe *recipes = facts_recipes(&count);

    for ( size_t i = 0; i < count; i++ )
        if ( !strcmp(recipes[i].function, "*") )
            sources[recipes[i].fact] += 2;
        else
            sources[recipes[i].fact] += is_new_source(recipes, i);
    for ( int i = 0; i < XENOPROF_FACT_COUNT; i++ )
        if ( sources[i] < 2 )
            test_fail(__FILE__, __LINE__, "%s has %u", facts_path(i),
                      sources[i]);
}
