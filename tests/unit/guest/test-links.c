/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the versions of Linux keep the stack pointer before. */
#include "guest/links.h"
#include "tests/harness.h"

TEST(links_are_those_of_the_version)
{
    uint16_t links[GUEST_LINKS_MAX];

    CHECK_EQ(guest_links(4, 14, links), 0);
    CHECK_EQ(guest_links(5, 1, links), 0);
    CHECK_EQ(guest_links(5, 2, links), 2);
    CHECK_EQ(links[0], 8);
    CHECK_EQ(links[1], 16);
    CHECK_EQ(guest_links(6, 1, links), 2);
    CHECK_EQ(guest_links(7, 2, links), 2);
}

TEST(the_stack_pointer_of_the_process)
{
    CHECK_EQ(guest_user_link(5, 1, false), 0);
    CHECK_EQ(guest_user_link(5, 1, true), 0);
    CHECK_EQ(guest_user_link(5, 2, false), 16);
    CHECK_EQ(guest_user_link(6, 12, false), 16);
    CHECK_EQ(guest_user_link(6, 12, true), 32);
}
