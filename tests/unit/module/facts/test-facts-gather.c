/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a fact is accepted, and what is reported when it is not. */
#include "facts-kit.h"

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
    static const struct kit_function parts[] = {
        KIT_FUNCTION("one", read_8),
    };
    const struct facts_options options = {.xen_syms = "/no/such/xen-syms"};
    static struct facts_report report;
    struct xen_image image;
    struct xenoprof_facts facts;

    KIT_OPEN(&image, parts);
    CHECK_EQ(facts_gather(&image, &options, &facts, &report), -ENOENT);
    CHECK(strstr(report.error, "/no/such/xen-syms"));
    xen_image_close(&image);
}

TEST(debug_information_of_another_build)
{
    static const struct kit_function parts[] = {
        KIT_FUNCTION("one", read_8),
    };
    const struct facts_options options = {.xen_syms = "/proc/self/exe"};
    static struct facts_report report;
    struct xen_image image;
    struct xenoprof_facts facts;

    KIT_OPEN(&image, parts);
    memset(image.build_id, 0x5a, 20);
    image.build_id_size = 20;
    CHECK_EQ(facts_gather(&image, &options, &facts, &report), -EXDEV);
    CHECK(strstr(report.error, "another build"));
    image.build_id_size = 0;
    CHECK_EQ(facts_gather(&image, &options, &facts, &report), -EXDEV);
    xen_image_close(&image);
}
