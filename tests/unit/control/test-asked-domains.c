/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "control/asked-domains.h"
#include "tests/harness.h"

static struct listed_domain domains[] = {
    {.id = 0, .vcpus = 2, .name = "Domain-0"},
    {.id = 3, .uuid = {3}, .vcpus = 1, .name = "web"},
    {.id = 5, .uuid = {5}, .vcpus = 4, .name = "db"},
};
static struct domain_list list = {.items = domains, .count = 3};
static struct failure failure;

#define UUID_5 "05000000-0000-0000-0000-000000000000"

static struct asked_domains specs_of(const char *passive, const char *active)
{
    struct asked_domains specs = {0};

    if ( passive )
        CHECK_EQ(asked_domains_add(&specs, ROLE_PASSIVE, passive, &failure), 0);
    if ( active )
        CHECK_EQ(asked_domains_add(&specs, ROLE_ACTIVE, active, &failure), 0);
    return specs;
}

static void check_refused(const char *text, int status)
{
    struct asked_domains specs = {0};

    CHECK_EQ(asked_domains_add(&specs, ROLE_PASSIVE, text, &failure), status);
    CHECK(failure.text[0]);
    asked_domains_free(&specs);
}

TEST(domains_by_id_name_and_uuid)
{
    struct asked_domains specs = specs_of("3", "db");

    CHECK_EQ(asked_domains_resolve(&specs, &list, &failure), 0);
    CHECK_EQ(asked_domains_match(&specs, &domains[1]), ROLE_PASSIVE);
    CHECK_EQ(asked_domains_match(&specs, &domains[2]), ROLE_ACTIVE);
    asked_domains_free(&specs);

    specs = specs_of(UUID_5, NULL);
    CHECK_EQ(asked_domains_resolve(&specs, &list, &failure), 0);
    CHECK_EQ(asked_domains_match(&specs, &domains[1]), ROLE_OTHER);
    CHECK_EQ(asked_domains_match(&specs, &domains[2]), ROLE_PASSIVE);
    asked_domains_free(&specs);
}

TEST(domains_dom0_is_always_there)
{
    struct asked_domains none = {0};
    struct asked_domains named = specs_of("0,Domain-0", NULL);

    CHECK_EQ(asked_domains_match(&none, &domains[0]), ROLE_DOM0);
    CHECK_EQ(asked_domains_resolve(&named, &list, &failure), 0);
    CHECK_EQ(asked_domains_match(&named, &domains[0]), ROLE_DOM0);
    asked_domains_free(&named);
}

TEST(domains_all)
{
    struct asked_domains specs = specs_of("all", "db");
    struct listed_domain later = {.id = 9, .uuid = {9}, .name = "new"};

    CHECK_EQ(asked_domains_resolve(&specs, &list, &failure), 0);
    CHECK_EQ(asked_domains_match(&specs, &domains[1]), ROLE_PASSIVE);
    CHECK_EQ(asked_domains_match(&specs, &domains[2]), ROLE_ACTIVE);
    CHECK_EQ(asked_domains_match(&specs, &later), ROLE_PASSIVE);
    asked_domains_free(&specs);
}

TEST(domains_named_twice_count_once)
{
    struct asked_domains specs = specs_of("3,web,3,web," UUID_5 "," UUID_5,
                                          NULL);

    CHECK_EQ(specs.count, 3);
    asked_domains_free(&specs);
}

TEST(domains_cannot_be_passive_and_active)
{
    struct asked_domains specs = specs_of("web", NULL);

    CHECK_EQ(asked_domains_add(&specs, ROLE_ACTIVE, "web", &failure),
             STATUS_USAGE);
    asked_domains_free(&specs);
}

TEST(domains_lists_that_are_none)
{
    char name[DOMAIN_NAME_MAX + 1];

    check_refused("", STATUS_USAGE);
    check_refused("3,,5", STATUS_USAGE);
    check_refused("3,", STATUS_USAGE);
    check_refused("32752", STATUS_RANGE);
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    check_refused(name, STATUS_RANGE);
}

/* An id is valid until its domain ends; a name or a uuid also means the next
 * domain that has it. */
TEST(domains_over_a_reboot)
{
    struct listed_domain again = {.id = 3, .uuid = {33}, .name = "other"};
    struct listed_domain moved = {.id = 8, .uuid = {5}, .name = "db"};
    struct asked_domains specs = specs_of("3,db", NULL);

    CHECK_EQ(asked_domains_resolve(&specs, &list, &failure), 0);
    CHECK_EQ(asked_domains_match(&specs, &again), ROLE_OTHER);
    CHECK_EQ(asked_domains_match(&specs, &moved), ROLE_PASSIVE);
    asked_domains_free(&specs);
    specs = specs_of(UUID_5, NULL);
    CHECK_EQ(asked_domains_match(&specs, &moved), ROLE_PASSIVE);
    asked_domains_free(&specs);
}

TEST(domains_that_do_not_exist_and_those_that_do)
{
    struct asked_domains specs = specs_of("4", NULL);

    CHECK_EQ(asked_domains_resolve(&specs, &list, &failure), STATUS_NO_DOMAIN);
    CHECK_TEXT(failure.text, "there is no domain 4; these exist: "
                             "0 (Domain-0), 3 (web), 5 (db)");
    asked_domains_free(&specs);
    specs = specs_of("mail", NULL);
    CHECK_EQ(asked_domains_resolve(&specs, &list, &failure), STATUS_NO_DOMAIN);
    CHECK_TEXT(failure.text, "there is no domain named 'mail'; these exist: "
                             "0 (Domain-0), 3 (web), 5 (db)");
    asked_domains_free(&specs);
}
