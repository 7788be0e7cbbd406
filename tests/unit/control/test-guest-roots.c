/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --guest-root=DOM:PATH. */
#include <stdlib.h>
#include <string.h>

#include "control/guest-roots.h"
#include "control/start-options.h"
#include "tests/harness.h"

static struct failure failure;
static struct domain_pairs roots;
static struct asked_domains asked;
static struct listed_domain domains[] = {
    {.id = 0, .name = "Domain-0"},
    {.id = 3, .uuid = {3}, .name = "web-1"},
    {.id = 5, .uuid = {5}, .name = "db"},
};
static const struct domain_list list = {.items = domains, .count = 3};

static void check(const char *text, int (*how)(void), int status,
                  const char *says)
{
    failure = (struct failure){0};
    CHECK_EQ(guest_roots_add(&roots, "guest-root", text, &failure), 0);
    CHECK_EQ(how(), status);
    CHECK(strstr(failure.text, says));
    domain_pairs_free(&roots);
}

static int of_domains(void)
{
    return guest_roots_check_domains(&roots, &asked, &list, &failure);
}

static int of_folders(void)
{
    return guest_roots_check_folders(&roots, &failure);
}

TEST(what_is_none)
{
    static const char *const bad[] = {"", "7", ":/a", "7:", "7:a", "/a", "web"};

    for ( size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++ )
    {
        CHECK_EQ(guest_roots_add(&roots, "guest-root", bad[i], &failure),
                 STATUS_USAGE);
        CHECK(strstr(failure.text, "is not DOM:PATH"));
    }
    for ( unsigned int i = 0; i < DOMAIN_PAIRS_MAX; i++ )
        CHECK_EQ(guest_roots_add(&roots, "guest-root", "7:/a", &failure), 0);
    CHECK_EQ(guest_roots_add(&roots, "guest-root", "7:/a", &failure),
             STATUS_RANGE);
    domain_pairs_free(&roots);
}

TEST(folders)
{
    check("7:/tmp", of_folders, 0, "");
    check("7:/nowhere/at/all", of_folders, STATUS_USAGE, "No such file");
    check("7:/dev/null", of_folders, STATUS_USAGE, "is not a folder");
    check("7:/", of_folders, STATUS_USAGE, "dom0's own root");
    check("7:/tmp/..", of_folders, STATUS_USAGE, "dom0's own root");
}

TEST(domains)
{
    CHECK_EQ(asked_domains_add(&asked, ROLE_PASSIVE, "web-1", &failure), 0);
    check("3:/a", of_domains, 0, "");
    check("web-*:/a", of_domains, 0, "");
    check("5:/a", of_domains, STATUS_USAGE, "--passive-domains");
    check("db:/a", of_domains, STATUS_USAGE, "domain 5, which is not profiled");
    check("0:/a", of_domains, STATUS_USAGE, "which is dom0");
    check("9:/a", of_domains, STATUS_NO_DOMAIN, "these exist: 0 (Domain-0)");
    CHECK_EQ(asked_domains_add(&asked, ROLE_ACTIVE, "db", &failure), 0);
    check("5:/a", of_domains, 0, "");
    asked_domains_free(&asked);
    CHECK_EQ(asked_domains_add(&asked, ROLE_PASSIVE, "all", &failure), 0);
    check("db:/a", of_domains, 0, "");
    check("*:/a", of_domains, 0, "");
    asked_domains_free(&asked);
}

/* As the daemon gets them, and as the session keeps them. */
TEST(roots_as_options)
{
    struct start_options options;
    char *text;

    start_options_init(&options);
    CHECK_EQ(start_options_set(&options, "guest-root", "a*:/b c", &failure), 0);
    CHECK_EQ(start_options_set(&options, "guest-root", "7:/d", &failure), 0);
    text = start_options_text(&options);
    CHECK(strstr(text, "guest-root=a*:/b%20c guest-root=7:/d"));
    start_options_free(&options);
    start_options_init(&options);
    CHECK_EQ(start_options_parse(&options, text, &failure), 0);
    CHECK_EQ(options.roots.count, 2);
    CHECK_TEXT(options.roots.texts[0], "a*:/b c");
    free(text);
    start_options_free(&options);
}
