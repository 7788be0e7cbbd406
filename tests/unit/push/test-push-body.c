/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "push/push-body.h"
#include "tests/harness.h"

static struct push_labels labels = {.items = {{"host", "a\"b"}}, .count = 1};

static struct window window_of_two(void)
{
    struct window window = {.samples = 3};
    struct window_series *series;

    for ( unsigned int i = 0; i < 2; i++ )
    {
        series = vector_add(&window);
        CHECK(series);
        series->domain = strdup(i ? "db" : "web");
        series->uuid = i ? NULL : strdup("01");
        CHECK(buffer_append(&series->bytes, i ? "x" : "foo", i ? 1 : 3));
    }
    return window;
}

static void check_body(body_put *put, const char *wanted)
{
    struct window window = window_of_two();
    struct buffer body = {0};

    CHECK(push_body(put, false, &window, &labels, &body));
    CHECK(buffer_append(&body, "", 1));
    CHECK_TEXT((const char *)body.bytes, wanted);
    buffer_free(&body);
    window_free(&window);
    CHECK(!window.items && !window.samples);
}

#define LABELS                                                                 \
    "        {\"name\": \"__name__\", \"value\": \"process_cpu\"},\n"          \
    "        {\"name\": \"host\", \"value\": \"a\\\"b\"},\n"

TEST(body_of_pyroscope)
{
    check_body(body_pyroscope,
               "{\n  \"series\": [\n    {\n      \"labels\": [\n" LABELS
               "        {\"name\": \"domain\", \"value\": \"web\"},\n"
               "        {\"name\": \"uuid\", \"value\": \"01\"}\n      ],\n"
               "      \"samples\": [\n        {\"rawProfile\": \"Zm9v\"}\n"
               "      ]\n    },\n    {\n      \"labels\": [\n" LABELS
               "        {\"name\": \"domain\", \"value\": \"db\"}\n      ],\n"
               "      \"samples\": [\n        {\"rawProfile\": \"eA==\"}\n"
               "      ]\n    }\n  ]\n}\n");
}

/* The labels of a series are a message of their own there. */
TEST(body_of_parca)
{
    struct window window = window_of_two();
    struct buffer body = {0};

    CHECK(push_body(body_parca, false, &window, &labels, &body));
    CHECK(buffer_append(&body, "", 1));
    CHECK(strstr((const char *)body.bytes,
                 "\"labels\": {\n        \"labels\": [\n          {\"name\""));
    buffer_free(&body);
    window_free(&window);
}

TEST(body_that_is_compressed)
{
    struct window window = window_of_two();
    struct buffer body = {0};
    char text[16] = "";
    z_stream stream = {.next_out = (unsigned char *)text,
                       .avail_out = sizeof(text)};

    CHECK(push_body(body_whole, true, &window, &labels, &body));
    stream.next_in = body.bytes;
    stream.avail_in = (unsigned int)body.used;
    CHECK_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
    CHECK_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    inflateEnd(&stream);
    CHECK_TEXT(text, "foox");
    buffer_free(&body);
    window_free(&window);
}

TEST(labels_are_bounded)
{
    struct push_labels many = {0};
    char name[16], value[300];

    for ( unsigned int i = 0; i < PUSH_LABELS_MAX; i++ )
    {
        snprintf(name, sizeof(name), "l%u", i);
        CHECK(push_label_set(&many, name, "x"));
    }
    CHECK(push_label_set(&many, "l0", "y"));
    CHECK_TEXT(many.items[0].value, "y");
    CHECK(!push_label_set(&many, "more", "x"));
    memset(value, 'v', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    CHECK(!push_label_set(&many, "l0", value));
    CHECK(!push_label_set(&many, "", "x"));
    CHECK(!push_label_set(&many, "0a", "x"));
}
