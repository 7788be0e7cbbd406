/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions are found by pattern, with their samples by address. */
#include "tests/harness.h"
#include "tests/unit/report/code/code-kit.h"

TEST(functions_by_pattern)
{
    code_kit_begin();
    add_samples(XENOPROF_MODE_XEN, "xen", "arch/x86/mm.c#get_page", ADDRESS, 4);
    add_samples(XENOPROF_MODE_XEN, "xen", "arch/x86/mm.c#get_page", ADDRESS, 0);
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "get_page", KERNEL, 0);
    add_samples(XENOPROF_MODE_USER, "/usr/bin/webd", "ns::get", 0x1000, 0);
    CHECK_EQ(function_of("get_page")->count, 2);
    CHECK_EQ(kit.hits.functions.count, 2);
    CHECK(kit.hits.sorted[0]->hits[0]->key.address == ADDRESS);
    CHECK_EQ(kit.hits.time, 3000);
    CHECK_EQ(kit.hits.time_all, 4000);
    function_of("*#get_page");
    CHECK_EQ(kit.hits.functions.count, 1);
    function_of("kern*:get*");
    CHECK_EQ(kit.hits.functions.count, 1);
    function_of("webd:*");
    function_of("ns::get"); /* a colon may belong to a name */
    hits_free(&kit.hits);
    hits_gather(&kit.hits, &kit.loaded, "xen:none");
    CHECK_EQ(kit.hits.functions.count, 0);
    code_kit_end();
}

TEST(parts_are_of_each_domain)
{
    struct cell *other;

    code_kit_begin();
    add_samples(XENOPROF_MODE_XEN, "xen", "get_page", ADDRESS, 4);
    add_samples(XENOPROF_MODE_XEN, "xen", "get_page", ADDRESS, 4);
    add_samples(XENOPROF_MODE_XEN, "xen", "get_page", ADDRESS, 0);
    add_samples(XENOPROF_MODE_XEN, "xen", "get_page", ADDRESS, 4);
    other = table_at(&kit.loaded.cells, 3);
    other->key.domain = DOMAIN_INDEX_IDLE;
    other->samples = 7;
    hits_gather_parts(&kit.hits, &kit.loaded);
    CHECK_EQ(kit.hits.functions.count, 1);
    CHECK_EQ(kit.hits.sorted[0]->hits[1]->samples, 27);
    CHECK_EQ(kit.hits.parts.count, 3);
    for ( size_t i = 0; i < 3; i++ )
    {
        const struct hit_part *part = table_at(&kit.hits.parts, i);
        const bool first = part->key.address == ADDRESS;

        CHECK_EQ(part->samples, part->key.domain != 2 ? 7 : first ? 10 : 20);
    }
    CHECK_EQ(function_of("get_page")->count, 2);
    CHECK_EQ(kit.hits.parts.count, 0); /* they were not asked for */
    code_kit_end();
}
