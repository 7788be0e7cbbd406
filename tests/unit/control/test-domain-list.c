/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "control/domain-list.h"
#include "tests/harness.h"

static struct listed_domain domains[] = {
    {.id = 0, .name = "Domain-0"},
    {.id = 3, .name = ""},
    {.id = 5, .name = "db"},
};
static const struct domain_list list = {.items = domains, .count = 3};

TEST(domains_are_found_by_id)
{
    CHECK(domain_list_find(&list, 5) == &domains[2]);
    CHECK(!domain_list_find(&list, 4));
    CHECK(!domain_list_find(&(struct domain_list){0}, 0));
}

TEST(domains_as_text)
{
    char text[64];

    domain_list_text(&list, text, sizeof(text));
    CHECK_TEXT(text, "0 (Domain-0), 3 (no name), 5 (db)");
    domain_list_text(&(struct domain_list){0}, text, sizeof(text));
    CHECK_TEXT(text, "");
}

/* Whatever the size, a text ends in it, with a whole domain or the dots. */
TEST(domains_as_text_of_any_size)
{
    for ( size_t size = sizeof(", ..."); size < 48; size++ )
    {
        char text[48];

        memset(text, 'x', sizeof(text));
        domain_list_text(&list, text, size);
        CHECK(strlen(text) < size);
        CHECK(text[strlen(text) - 1] == ')' || strstr(text, "..."));
    }
}

TEST(domains_long_lists_are_cut)
{
    struct listed_domain many[200];
    struct domain_list long_list = {.items = many, .count = 200};
    char text[64];

    memset(many, 0, sizeof(many));
    for ( uint16_t i = 0; i < 200; i++ )
        many[i].id = i;
    domain_list_text(&long_list, text, sizeof(text));
    CHECK(strlen(text) < sizeof(text));
    CHECK(strstr(text, ", ...") == text + strlen(text) - 5);
}

TEST(uuids_both_ways)
{
    uint8_t uuid[16];
    char text[UUID_TEXT_SIZE];

    CHECK(uuid_parse("0123ABCD-4567-89ab-cdef-0123456789ab", uuid));
    uuid_format(uuid, text);
    CHECK_TEXT(text, "0123abcd-4567-89ab-cdef-0123456789ab");
    CHECK(!uuid_parse("0123abcd-4567-89ab-cdef-0123456789a", uuid));
    CHECK(!uuid_parse("0123abcd-4567-89ab-cdef-0123456789abc", uuid));
    CHECK(!uuid_parse("0123abcd4567-89ab-cdef-0123456789ab0", uuid));
    CHECK(!uuid_parse("", uuid));
}
