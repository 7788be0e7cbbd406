/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --guest-kernel=DOM:FILE. */
#include <stdlib.h>
#include <string.h>

#include "control/kernel-files.h"
#include "control/start-options.h"
#include "tests/harness.h"

static struct failure failure;

static const char *find(const struct domain_pairs *files, uint16_t id,
                        const char *name)
{
    struct listed_domain domain = {.id = id};

    strcpy(domain.name, name);
    return domain_pairs_find(files, &domain);
}

TEST(kernel_files_by_number_and_name)
{
    struct domain_pairs files = {0};

    CHECK_EQ(kernel_files_add(&files, "guest-kernel", "7:/a", &failure), 0);
    CHECK_EQ(kernel_files_add(&files, "guest-kernel", "web-*:/b:c", &failure),
             0);
    CHECK_EQ(kernel_files_add(&files, "guest-kernel", "db?:/d", &failure), 0);
    CHECK_TEXT(find(&files, 7, "web-1"), "/a");
    CHECK_TEXT(find(&files, 8, "web-1"), "/b:c");
    CHECK_TEXT(find(&files, 8, "db2"), "/d");
    CHECK(!find(&files, 8, "db22"));
    CHECK(!find(&files, 8, ""));
    domain_pairs_free(&files);
    CHECK(!find(&files, 7, "web-1"));
}

TEST(kernel_files_refused)
{
    static const char *const bad[] = {"", "7", ":/a", "7:", "7:a", "/a"};
    struct domain_pairs files = {0};

    for ( size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++ )
        CHECK_EQ(kernel_files_add(&files, "guest-kernel", bad[i], &failure),
                 STATUS_USAGE);
    CHECK(strstr(failure.text, "DOM:FILE"));
    for ( unsigned int i = 0; i < DOMAIN_PAIRS_MAX; i++ )
        CHECK_EQ(kernel_files_add(&files, "guest-kernel", "7:/a", &failure), 0);
    CHECK_EQ(kernel_files_add(&files, "guest-kernel", "7:/a", &failure),
             STATUS_RANGE);
    domain_pairs_free(&files);
}

/* As the daemon gets them, and as the session keeps them. */
TEST(kernel_files_as_options)
{
    struct start_options options;
    char *text;

    start_options_init(&options);
    CHECK_EQ(start_options_set(&options, "guest-kernel", "a*:/b c", &failure),
             0);
    CHECK_EQ(start_options_set(&options, "guest-kernel", "7:/d", &failure), 0);
    text = start_options_text(&options);
    CHECK(strstr(text, "guest-kernel=a*:/b%20c guest-kernel=7:/d"));
    start_options_free(&options);
    start_options_init(&options);
    CHECK_EQ(start_options_parse(&options, text, &failure), 0);
    CHECK_EQ(options.kernels.count, 2);
    CHECK_TEXT(options.kernels.texts[0], "a*:/b c");
    free(text);
    start_options_free(&options);
}
