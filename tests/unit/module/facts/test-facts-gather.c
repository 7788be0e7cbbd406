/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a fact is accepted, and what is reported when it is not. */
#include "facts-kit.h"

#include "module/facts/facts-list.h"
#include "module/facts/recipes.h"
#include "module/facts/facts-gather.h"
#include "tests/harness.h"

#include <errno.h>
#include <stdio.h>
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

TEST(a_long_line_is_cut)
{
    struct facts_evidence evidence = {0};
    char line[FACTS_ORIGIN_MAX] = "";

    for ( uint32_t i = 0; i < 100; i++ )
        CHECK_EQ(facts_evidence_add(
                     &evidence,
                     &(struct facts_statement){.fact = DOMAIN, .value = i}),
                 0);
    facts_evidence_print(&evidence, DOMAIN, line, sizeof(line));
    facts_evidence_free(&evidence);
    CHECK_EQ(strlen(line), sizeof(line) - 1);
}

static int gather(const struct kit_function *parts, size_t count,
                  const char *build_id, struct facts_report *report)
{
    struct xen_image image;
    struct xenoprof_facts facts;
    int result;

    kit_open(&image, parts, count);
    for ( ; build_id[0] && build_id[1]; build_id += 2 )
        sscanf(build_id, "%2hhx", &image.build_id[image.build_id_size++]);
    result = facts_gather(&image, NULL, &facts, report);
    xen_image_close(&image);

    return result;
}

TEST(a_hypervisor_that_disagrees_with_itself)
{
    static const struct kit_function parts[] = {
        KIT_FUNCTION("put_page", read_8),
        KIT_FUNCTION("page_get_owner_and_reference", read_16),
    };
    static struct facts_report report;

    CHECK_EQ(gather(parts, 2, "", &report), -EBADMSG);
    CHECK_TEXT(
        report.origin[XENOPROF_FACT_page_count_info],
        "page_info.count_info = 8: put_page+0; 16: page_get_owner_and_reference+0");
    CHECK(strstr(report.error, "page_info.count_info"));
    CHECK(strstr(report.error, "16: page_get_owner_and_reference+0"));
}

TEST(a_hypervisor_that_says_nothing)
{
    static const struct kit_function parts[] = {
        KIT_FUNCTION("elsewhere", read_8),
    };
    static struct facts_report report;

    CHECK_EQ(gather(parts, 1, "", &report), -ENODATA);
    CHECK_TEXT(report.origin[0], "cpu_info.guest_cpu_user_regs = not found");
    CHECK(strstr(report.error, "cpu_info.guest_cpu_user_regs"));
}

TEST(the_table_objects)
{
    static const struct kit_function parts[] = {
        KIT_FUNCTION("put_page", read_16),
        KIT_FUNCTION("page_get_owner_and_reference", read_16),
    };
    static struct facts_report report;

    CHECK_EQ(
        gather(parts, 2, "151b373fd64b321593bf987fd923cd10dabadac4", &report),
        -EBADMSG);
    CHECK_TEXT(
        report.origin[XENOPROF_FACT_page_count_info],
        "page_info.count_info = 16: put_page+0, page_get_owner_and_reference+0; table says 8");
    CHECK(strstr(report.error, "table says 8"));
}

TEST(the_table_never_supplies)
{
    static const struct kit_function parts[] = {
        KIT_FUNCTION("put_page", read_8),
    };
    static struct facts_report report;

    CHECK_EQ(
        gather(parts, 1, "151b373fd64b321593bf987fd923cd10dabadac4", &report),
        -ENODATA);
}

TEST(debug_information_that_is_not_there)
{
    const struct facts_options options = {.xen_syms = "/no/such/xen-syms"};
    static struct facts_report report;
    struct xen_image image;
    struct xenoprof_facts facts;

    KIT_OPEN(&image, functions);
    CHECK_EQ(facts_gather(&image, &options, &facts, &report), -ENOENT);
    CHECK(strstr(report.error, "/no/such/xen-syms"));
    xen_image_close(&image);
}

TEST(debug_information_of_another_build)
{
    const struct facts_options options = {.xen_syms = "/proc/self/exe"};
    static struct facts_report report;
    struct xen_image image;
    struct xenoprof_facts facts;

    KIT_OPEN(&image, functions);
    memset(image.build_id, 0x5a, 20);
    image.build_id_size = 20;
    CHECK_EQ(facts_gather(&image, &options, &facts, &report), -EXDEV);
    CHECK(strstr(report.error, "another build"));
    xen_image_close(&image);
}

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
