/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --labels=[DOM:]none|pid|all. */
#include <string.h>

#include "control/label-choices.h"
#include "tests/harness.h"

static struct domain_pairs choices;
static struct failure failure;

static void give(const char *text)
{
    CHECK_EQ(label_choices_add(&choices, "labels", text, &failure), 0);
}

static enum label_choice find_usually(uint16_t id, const char *name,
                                      enum label_choice usual)
{
    struct listed_domain domain = {.id = id};

    strcpy(domain.name, name);
    return label_choices_find(&choices, &domain, usual);
}

static enum label_choice find(uint16_t id, const char *name)
{
    return find_usually(id, name, LABELS_ALL);
}

TEST(the_usual_without_the_option)
{
    CHECK_EQ(find_usually(1, "web", LABELS_COMM), LABELS_COMM);
    CHECK_EQ(find_usually(1, "", LABELS_COMM), LABELS_COMM);
    CHECK_EQ(find_usually(1, "web", LABELS_ALL), LABELS_ALL);
}

/* It may say more than is usual. */
TEST(more_than_the_usual)
{
    give("web:all");
    CHECK_EQ(find_usually(1, "web", LABELS_COMM), LABELS_ALL);
    CHECK_EQ(find_usually(1, "db", LABELS_COMM), LABELS_COMM);
    CHECK_EQ(find_usually(1, "", LABELS_COMM), LABELS_COMM);
    give("all");
    CHECK_EQ(find_usually(1, "", LABELS_COMM), LABELS_ALL);
    domain_pairs_free(&choices);
    give("comm");
    CHECK_EQ(find_usually(1, "web", LABELS_ALL), LABELS_COMM);
    domain_pairs_free(&choices);
}

TEST(a_domains_own_choice_goes_before_that_for_all)
{
    give("web-*:none");
    give("pid");
    give("0:all");
    CHECK_EQ(find(3, "web-1"), LABELS_NONE);
    CHECK_EQ(find(3, "db"), LABELS_PID);
    CHECK_EQ(find(0, "Domain-0"), LABELS_ALL);
    domain_pairs_free(&choices);
}

TEST(the_last_choice_for_all_counts)
{
    give("none");
    give("pid");
    CHECK_EQ(find(3, "db"), LABELS_PID);
    domain_pairs_free(&choices);
}

/* xenstore has no name yet: it may be the one that nothing may be read of. */
TEST(a_domain_without_a_name_gets_the_least)
{
    give("web-*:none");
    CHECK_EQ(find(3, ""), LABELS_NONE);
    CHECK_EQ(find(3, "db"), LABELS_ALL);
    domain_pairs_free(&choices);
}

TEST(what_is_no_choice_is_refused)
{
    static const char *const bad[] = {
        "", "exe", ":none", "web:", "web:x", "a:b:none", "none,pid"};
    char text[DOMAIN_NAME_MAX + 8];

    for ( size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++ )
        CHECK_EQ(label_choices_add(&choices, "labels", bad[i], &failure),
                 STATUS_USAGE);
    CHECK(strstr(failure.text, "use none, pid, comm or all"));
    memset(text, 'a', DOMAIN_NAME_MAX);
    strcpy(text + DOMAIN_NAME_MAX, ":none");
    CHECK_EQ(label_choices_add(&choices, "labels", text, &failure),
             STATUS_RANGE);
    CHECK_EQ(choices.count, 0);
}
