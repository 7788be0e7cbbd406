/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "push/push-config.h"
#include "tests/harness.h"

static struct push_config config;
static struct failure failure;

static int parse(const char *text)
{
    char copy[1024];

    config = (struct push_config){0};
    failure = (struct failure){0};
    strcpy(copy, text);
    return push_config_parse(copy, &config, &failure);
}

TEST(config_of_all_kinds)
{
    CHECK_EQ(parse("# a comment\n\n url = pyroscope+https://h \r\n"
                   "token=a=b\n"
                   "tenant-header = X-Tenant\n"
                   "label.rack = 7 left\nlabel.rack = 8\nlabel._a1 =\n"),
             0);
    CHECK_TEXT(config.url, "pyroscope+https://h");
    CHECK_TEXT(config.token, "a=b");
    CHECK_TEXT(config.tenant_header, "X-Tenant");
    CHECK_EQ(config.labels.count, 2);
    CHECK_TEXT(config.labels.items[0].value, "8");
    CHECK_TEXT(config.labels.items[1].name, "_a1");
    CHECK_EQ(parse(""), 0);
    CHECK_TEXT(config.tenant_header, "X-Scope-OrgID");
}

TEST(config_that_is_wrong)
{
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"s3cret", "line 1 has no '='"},
        {"\n\nx = s3cret", "line 3: 'x' is not a key"},
        {"= s3cret", "line 1: '' is not a key"},
        {"token = s3cret\x01", "cannot be printed"},
        {"tenant = s3cret\ra", "cannot be printed"},
        {"label.1 = s3cret", "no name"},
        {"label.a-b = s3cret", "no name"},
        {"label. = s3cret", "no name"},
        {"tenant-header = A: s3cret", "tenant-header"},
        {"token = s3cret\nuser = me", "give one of them"},
        {"queue-size = 12345678901234567", "queue-size is too long"},
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++ )
    {
        CHECK_EQ(parse(rows[i].text), STATUS_USAGE);
        if ( !strstr(failure.text, rows[i].said) ||
             strstr(failure.text, "s3cret") )
            test_fail(__FILE__, __LINE__, "of '%s' it says '%s'", rows[i].text,
                      failure.text);
    }
}

/* A secret goes to nobody who could be read on the way. */
TEST(config_with_secrets_wants_https)
{
    static const struct {
        const char *url;
        int status;
    } rows[] = {
        {"otlp+https://far.example:4318", 0},
        {"otlp+http://localhost:4318", 0},
        {"otlp+http://127.0.0.1/x", 0},
        {"otlp+http://[::1]:4318", 0},
        {"otlp+http://far.example:4318", STATUS_USAGE},
        {"otlp+http://localhost.evil.example", STATUS_USAGE},
        {"otlp+http://127.0.0.1.evil.example", STATUS_USAGE},
        {"otlp+http://[::1].evil.example", 0}, /* no name: nobody has it */
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++ )
    {
        struct push_target target;

        CHECK_EQ(parse("token = s3cret"), 0);
        CHECK_EQ(push_target_parse(rows[i].url, &target, &failure), 0);
        if ( push_config_check(&config, &target, &failure) != rows[i].status )
            test_fail(__FILE__, __LINE__, "%s is taken otherwise", rows[i].url);
        CHECK_EQ(parse("label.a = b"), 0);
        CHECK_EQ(push_config_check(&config, &target, &failure), 0);
    }
}

/* Modes that are refused for a file of secrets, and those that are not. */
TEST(config_is_its_owners)
{
    static const struct {
        mode_t mode;
        int status;
    } rows[] = {
        {0600, 0},
        {0400, 0},
        {0640, 0},
        {0644, STATUS_USAGE},
        {0660, STATUS_USAGE},
        {0602, STATUS_USAGE},
        {0700, STATUS_USAGE},
    };
    char folder[TEST_FOLDER_MAX], path[TEST_FOLDER_MAX + 16],
        link[TEST_FOLDER_MAX + 16];
    FILE *file;

    test_make_folder(folder, "xenoprof-test-XXXXXX");
    snprintf(path, sizeof(path), "%s/conf", folder);
    snprintf(link, sizeof(link), "%s/link", folder);
    file = fopen(path, "w");
    CHECK(file);
    fputs("token = s3cret\n", file);
    fclose(file);
    for ( size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++ )
    {
        failure = (struct failure){0};
        CHECK_EQ(chmod(path, rows[i].mode), 0);
        CHECK_EQ(push_config_read(path, geteuid(), getegid(), true, &config,
                                  &failure),
                 rows[i].status);
    }
    failure = (struct failure){0};
    CHECK_EQ(chmod(path, 0600), 0);
    CHECK_EQ(push_config_read(path, geteuid() + 1, getegid(), true, &config,
                              &failure),
             STATUS_USAGE);
    failure = (struct failure){0};
    CHECK_EQ(symlink("conf", link), 0);
    CHECK_EQ(
        push_config_read(link, geteuid(), getegid(), true, &config, &failure),
        STATUS_USAGE);
    CHECK(!strstr(failure.text, "s3cret"));
}

TEST(config_may_be_missing)
{
    failure = (struct failure){0};
    CHECK_EQ(push_config_read("/none/conf", 0, 0, false, &config, &failure), 0);
    CHECK_EQ(push_config_read("/none/conf", 0, 0, true, &config, &failure),
             STATUS_USAGE);
}
