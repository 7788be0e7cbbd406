/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The language of patterns. */
#include "module/facts/pattern.h"
#include "tests/harness.h"

#include <errno.h>

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
    CHECK_EQ(parse("except @vcpu_domain except @vcpu_domain read [arg1+?]"), 0);
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
