/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack-links.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "guest/links.h"

void stack_links_set(const struct door_client *door, uint16_t domain,
                     unsigned int major, unsigned int minor, bool fred)
{
    uint16_t at[GUEST_LINKS_MAX];
    unsigned int count = guest_links(major, minor, at);
    char list[GUEST_LINKS_MAX * 6 + 1] = "";

    for ( unsigned int i = 0; i < count; i++ )
        sprintf(list + strlen(list), "%s%u", i ? "," : "", at[i]);
    if ( count )
        door_client_command(door, "link id=%u at=%s user=%u", domain, list,
                            guest_user_link(major, minor, fred));
}

void stack_links_guess(const struct door_client *door, uint16_t domain)
{
    stack_links_set(door, domain, UINT_MAX, 0, false);
}
