/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --guest-root=DOM:PATH. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
                  const char *words)
{
    failure = (struct failure){0};
    CHECK_EQ(guest_roots_add(&roots, "guest-root", text, &failure), 0);
    CHECK_EQ(how(), status);
    CHECK(strstr(failure.text, words));
    domain_pairs_free(&roots);
}

static int of_domains(void)
{
    return guest_roots_check_domains(&roots, &asked, &list, &failure);
}

static int of_folders(void)
{
    struct root_folders folders;
    int status = guest_roots_open(&roots, &folders, &failure);

    CHECK_EQ(folders.count, status ? 0 : roots.count);
    root_folders_close(&folders);
    return status;
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

/* Who may write where the path leads through may have made a link there. */
TEST(folders_behind_links)
{
    char folder[] = "/tmp/xenoprof-roots-XXXXXX", link[64], text[128];

    CHECK(mkdtemp(folder));
    snprintf(link, sizeof(link), "%s/link", folder);
    CHECK(!symlink("/etc", link));
    snprintf(text, sizeof(text), "7:%s", link);
    check(text, of_folders, STATUS_USAGE, "symbolic link");
    snprintf(text, sizeof(text), "7:%s/alternatives", link);
    check(text, of_folders, STATUS_USAGE, "symbolic link");
    unlink(link);
    rmdir(folder);
}

/* A folder is the same whatever its path leads to by now. */
TEST(folders_of_domains)
{
    char first[] = "/tmp/xenoprof-roots-XXXXXX", text[128];
    struct root_folders folders = {0};
    struct stat before, after;

    CHECK(mkdtemp(first) && !stat(first, &before));
    snprintf(text, sizeof(text), "web-*:%s", first);
    CHECK_EQ(guest_roots_add(&roots, "guest-root", "5:/tmp", &failure), 0);
    CHECK_EQ(guest_roots_add(&roots, "guest-root", text, &failure), 0);
    CHECK_EQ(root_folders_find(&folders, &roots, &domains[1]), -1);
    CHECK_EQ(guest_roots_open(&roots, &folders, &failure), 0);
    CHECK(!rmdir(first) && !symlink("/etc", first));
    CHECK(!fstat(root_folders_find(&folders, &roots, &domains[1]), &after));
    CHECK_EQ(after.st_ino, before.st_ino);
    CHECK_EQ(root_folders_find(&folders, &roots, &domains[0]), -1);
    unlink(first);
    root_folders_close(&folders);
    domain_pairs_free(&roots);
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
