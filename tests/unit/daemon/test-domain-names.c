/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of domains that come, stay and go. */
#include <stdio.h>
#include <string.h>

#include "daemon/domain-names.h"
#include "tests/harness.h"

#define STAYS 3u /* the number of a domain that does */

static struct domain_names names;
static struct listed_domain items[2];
static struct domain_list list;
static struct asked_domains nobody;

static void set(struct listed_domain *domain, unsigned int life)
{
    *domain = (struct listed_domain){.id = (uint16_t)(life % 30000u)};
    memcpy(domain->uuid, &life, sizeof(life));
    snprintf(domain->name, sizeof(domain->name), "life-%u", life);
}

/* The list has the domain that stays, and one that lives once. */
static void learn(unsigned int life)
{
    set(&items[0], STAYS);
    set(&items[1], life);
    list.items = items;
    list.count = 2;
    CHECK(domain_names_learn(&names, &list, &nobody));
}

static const char *name_of(unsigned int life)
{
    const struct domain_name *named;
    struct listed_domain domain;

    set(&domain, life);
    named = domain_names_find(&names, domain.id, domain.uuid);
    return named ? named->name : "";
}

TEST(a_name_is_kept_when_its_domain_is_gone)
{
    learn(10);
    learn(11);
    CHECK_TEXT(name_of(10), "life-10");
    CHECK_TEXT(name_of(11), "life-11");
    domain_names_free(&names);
}

/* Samples of them may still be in rings. */
TEST(names_do_not_grow_with_domains_that_come_in_a_rush)
{
    for ( unsigned int life = 10; life < 10010; life++ )
        learn(life);
    CHECK_EQ(names.count, 2 + DOMAIN_NAMES_RUSH);
    CHECK_TEXT(name_of(STAYS), "life-3");
    CHECK_TEXT(name_of(10009), "life-10009");
    CHECK_TEXT(name_of(10009 - DOMAIN_NAMES_RUSH), "life-7961");
    CHECK_TEXT(name_of(10008 - DOMAIN_NAMES_RUSH), "");
    domain_names_free(&names);
}

TEST(names_do_not_grow_with_the_lives_of_domains)
{
    for ( unsigned int life = 10; life < 10010; life++ )
    {
        learn(life);
        for ( size_t i = 0; i < names.count; i++ )
            names.items[i].ended = names.items[i].gone;
    }
    /* The one that went last had not ended yet when it was looked at. */
    CHECK_EQ(names.count, 2 + DOMAIN_NAMES_GONE);
    CHECK_TEXT(name_of(STAYS), "life-3");
    CHECK_TEXT(name_of(10009), "life-10009");
    CHECK_TEXT(name_of(10009 - DOMAIN_NAMES_GONE), "life-8985");
    CHECK_TEXT(name_of(10008 - DOMAIN_NAMES_GONE), "");
    domain_names_free(&names);
}
