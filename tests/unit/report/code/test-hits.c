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
