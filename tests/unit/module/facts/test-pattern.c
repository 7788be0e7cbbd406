/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The language of patterns, and the recipes that are written in it. */
#include "facts-kit.h"

#include "module/facts/pattern.h"
#include "module/facts/recipes.h"
#include "tests/harness.h"

#include <errno.h>
#include <string.h>

static int parse(const char *text)
{
    struct xenoprof_facts known;
    struct pattern pattern;

    facts_clear(&known);
    known.vcpu_domain = 16;

    return pattern_parse(&pattern, text, &known);
}

TEST(good_lines)
{
    CHECK_EQ(parse("read [arg1+?]:8"), 0);
    CHECK_EQ(parse("first read [arg1 + ? - 0x10]"), 0);
    CHECK_EQ(parse("except @vcpu_domain write [arg1+?] = 0"), 0);
    CHECK_EQ(parse("call *(any, [arg1+@vcpu_domain]+?, 16)"), 0);
    CHECK_EQ(parse("test shl([arg1+?]:4,3), 0x80"), 0);
}

TEST(lines_that_are_not_patterns)
{
    static const char *const lines[] = {
        "",
        "read",
        "read arg1",
        "read [arg1+?",
        "read [arg7+?]",
        "read [arg1+?]:3",
        "read [arg1+?] = 1",
        "read [arg1+?+?]",
        "read [arg1-arg2]",
        "read [arg1+arg2+arg3+?]",
        "read [arg1+?+any]",
        "read [@no_such_fact+?]",
        "write [arg1+?]",
        "call (arg1)",
        "call name(1,2,3,4,5,6,7)",
        "compare arg1",
        "read [shl(arg1)+?]",
        "read [log2(1)]",
        "jump arg1",
        "read [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[arg1",
    };

    for ( size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++ )
        if ( parse(lines[i]) != -EINVAL )
            test_fail(__FILE__, __LINE__, "\"%s\" was taken", lines[i]);
}

TEST(a_line_waits_for_a_fact)
{
    CHECK_EQ(parse("read [[arg1+@domain_vcpu]+?]"), -EAGAIN);
    CHECK_EQ(parse("read [current+?]"), -EAGAIN);
    CHECK_EQ(parse("except @domain_vcpu read [arg1+?]"), -EAGAIN);
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
