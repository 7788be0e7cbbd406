/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "push/engine.h"
#include "tests/harness.h"

TEST(urls_that_say_their_engine)
{
    static const struct {
        const char *url, *engine, *wanted;
    } rows[] = {
        {"pyroscope+http://h:4040", "pyroscope",
         "http://h:4040/push.v1.PusherService/Push"},
        {"parca+https://h/base/", "parca", "https://h/base/profiles/writeraw"},
        {"otlp+https://h:4318//", "otlp",
         "https://h:4318/v1development/profiles"},
        {"https://h/profiles/writeraw", "parca", "https://h/profiles/writeraw"},
        {"otlp+http://h/v1development/profiles", "otlp",
         "http://h/v1development/profiles"},
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++ )
    {
        struct push_target target;
        struct failure failure = {0};

        CHECK_EQ(push_target_parse(rows[i].url, &target, &failure), 0);
        CHECK_TEXT(target.engine->name, rows[i].engine);
        CHECK_TEXT(target.url, rows[i].wanted);
    }
}

TEST(urls_that_are_refused)
{
    static const struct {
        const char *url, *said;
    } rows[] = {
        {"", "the URL is none"},
        {"pyroscope+h:4040", "the URL is none"},
        {"file:///etc/passwd", "the URL is none"},
        {"otlp+gopher://h", "the URL is none"},
        {"otlp+http://", "the URL is none"},
        {"otlp+http:///", "the URL is none"},
        {"otlp+http://h h", "the URL is none"},
        {"otlp+http://h\n", "the URL is none"},
        {"http://h:4040", "put pyroscope+, parca+ or otlp+"},
        {"tempo+http://h", "the URL is none"},
        {"otlp+https://me:s3cret@h", "user or password"},
        {"otlp+https://s3cret@h/", "user or password"},
        {"otlp+https://h/?token=s3cret", "a query"},
        {"otlp+https://h/#s3cret", "a query"},
    };
    char longest[2048] = "otlp+http://h/";

    for ( size_t i = 0; i <= sizeof(rows) / sizeof(*rows); i++ )
    {
        const bool last = i == sizeof(rows) / sizeof(*rows);
        struct push_target target;
        struct failure failure = {0};

        if ( last )
            memset(longest + strlen(longest), 'x', 1200);
        CHECK_EQ(
            push_target_parse(last ? longest : rows[i].url, &target, &failure),
            STATUS_USAGE);
        if ( !strstr(failure.text, last ? "too long" : rows[i].said) ||
             strstr(failure.text, "s3cret") )
            test_fail(__FILE__, __LINE__, "row %zu says '%s'", i, failure.text);
    }
}
