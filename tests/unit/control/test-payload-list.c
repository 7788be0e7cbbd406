/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/payload-list.h"
#include "livepatch-kit.h"
#include "tests/harness.h"

TEST(payloads_in_the_order_of_their_upload)
{
    struct payload_entry *list;
    size_t count;

    LIVEPATCH_KIT_BEGIN("+hotfix", "-later", "+xenoprof");
    CHECK_EQ(payload_list(NULL, &list, &count), 0);
    CHECK_EQ(count, 3);
    CHECK_TEXT(list[0].name, "hotfix");
    CHECK(list[0].applied);
    CHECK_TEXT(list[1].name, "later");
    CHECK(!list[1].applied);
    CHECK_TEXT(list[2].name, MODULE_NAME);
    free(list);
    livepatch_kit.gone = 2;
    CHECK_EQ(payload_list(NULL, &list, &count), 0);
    CHECK_EQ(count, 1);
    free(list);
}

TEST(payload_names_of_any_length_end)
{
    char name[XEN_LIVEPATCH_NAME_SIZE + 10] = "+";
    struct payload_entry *list;
    size_t count;

    memset(name + 1, 'n', sizeof(name) - 2);
    LIVEPATCH_KIT_BEGIN(name, "+next");
    CHECK_EQ(payload_list(NULL, &list, &count), 0);
    CHECK_EQ(strlen(list[0].name), XEN_LIVEPATCH_NAME_SIZE - 1);
    CHECK_TEXT(list[1].name, "next");
    free(list);
}

TEST(payloads_that_xen_does_not_list)
{
    struct payload_entry *list;
    size_t count;

    LIVEPATCH_KIT_BEGIN(NULL);
    CHECK_EQ(payload_list(NULL, &list, &count), 0);
    CHECK_EQ(count, 0);
    CHECK(!list);
    LIVEPATCH_KIT_BEGIN("+hotfix");
    livepatch_kit.sizes_result = -ENOSYS;
    CHECK_EQ(payload_list(NULL, &list, &count), -ENOSYS);
    CHECK(!list);
    LIVEPATCH_KIT_BEGIN("+hotfix");
    livepatch_kit.list_result = -1;
    livepatch_kit.list_errno = EPERM;
    CHECK_EQ(payload_list(NULL, &list, &count), -EPERM);
    CHECK_EQ(count, 0);
    CHECK(!list);
}

TEST(payloads_beside_ours)
{
    static const struct payload_entry list[] = {
        {"first fix", true}, {"not applied", false}, {"xenoprof", true},
        {"a=b", true},       {"late-1.0", true},
    };
    char text[64], few[16];

    payload_list_others(list, 5, "xenoprof", text, sizeof(text));
    CHECK_TEXT(text, "first?fix=below a?b=above late-1.0=above");
    payload_list_others(list, 5, "xenoprof", few, sizeof(few));
    CHECK_TEXT(few, "first?fix=below");
    payload_list_others(list, 0, "xenoprof", text, sizeof(text));
    CHECK_TEXT(text, "none");
}
