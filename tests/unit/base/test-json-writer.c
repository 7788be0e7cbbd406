/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "tests/harness.h"
#include "base/json-writer.h"

static char *text;
static size_t length;

static void open_json(struct json *json)
{
    free(text);
    text = NULL;
    json_init(json, open_memstream(&text, &length));
}

static bool close_json(struct json *json)
{
    bool whole = json_finish(json);

    fclose(json->file);
    return whole;
}

TEST(json_empty_containers)
{
    struct json json;

    open_json(&json);
    json_array_begin(&json);
    json_object_begin(&json);
    json_object_end(&json);
    json_array_begin_flat(&json);
    json_array_end(&json);
    json_array_end(&json);
    CHECK(close_json(&json));
    CHECK_TEXT(text, "[\n  {},\n  []\n]\n");
}

TEST(json_every_kind_of_value)
{
    struct json json;

    open_json(&json);
    json_object_begin(&json);
    json_key(&json, "a");
    json_u64(&json, UINT64_MAX);
    json_key(&json, "b");
    json_i64(&json, INT64_MIN);
    json_key(&json, "c");
    json_bool(&json, true);
    json_key(&json, "d");
    json_null(&json);
    json_key(&json, "e");
    json_string(&json, NULL);
    json_key(&json, "f");
    json_double(&json, 1.5);
    json_object_end(&json);
    CHECK(close_json(&json));
    CHECK_TEXT(text, "{\n  \"a\": 18446744073709551615,\n"
                     "  \"b\": -9223372036854775808,\n  \"c\": true,\n"
                     "  \"d\": null,\n  \"e\": null,\n  \"f\": 1.5\n}\n");
}

TEST(json_decimals_are_exact)
{
    static const struct {
        uint64_t value;
        unsigned int digits;
        const char *text;
    } cases[] = {
        {0, 6, "[\n  0\n]\n"},
        {1, 6, "[\n  0.000001\n]\n"},
        {1500000, 6, "[\n  1.5\n]\n"},
        {10000000, 6, "[\n  10\n]\n"},
        {102, 1, "[\n  10.2\n]\n"},
        {98070, 3, "[\n  98.07\n]\n"},
        {UINT64_MAX, 9, "[\n  18446744073.709551615\n]\n"},
        {UINT64_MAX, 0, "[\n  18446744073709551615\n]\n"},
    };

    for ( size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++ )
    {
        struct json json;

        open_json(&json);
        json_array_begin(&json);
        json_decimal(&json, cases[i].value, cases[i].digits);
        json_array_end(&json);
        CHECK(close_json(&json));
        CHECK_TEXT(text, cases[i].text);
    }
}

TEST(json_numbers_of_any_count)
{
    enum { MOST = 1000 };
    uint32_t values[MOST];
    struct json json;
    char *at;

    for ( size_t i = 0; i < MOST; i++ )
        values[i] = UINT32_MAX - (uint32_t)i * 4294967u;
    for ( size_t count = 0; count <= MOST; count += count < 3 ? 1 : 997 )
    {
        open_json(&json);
        json_numbers(&json, values, count);
        CHECK(close_json(&json));
        at = text;
        for ( size_t i = 0; i < count; i++ )
        {
            CHECK_EQ(*at, i ? ',' : '[');
            CHECK_EQ(strtoull(at + 1, &at, 10), values[i]);
        }
        CHECK_TEXT(at, count ? "]\n" : "[]\n");
    }
}

/* The longest ones, so many that they go out in pieces, and what is between
 * them. */
TEST(json_numbers_in_a_row_with_others)
{
    enum { MOST = 50 };
    static const char each[] =
        "18446744073.709551615, 18446744073709551615, [4294967295,0], true";
    struct json json;
    const char *at;

    open_json(&json);
    json_array_begin_flat(&json);
    for ( unsigned int i = 0; i < MOST; i++ )
    {
        json_decimal(&json, UINT64_MAX, 9);
        json_u64(&json, UINT64_MAX);
        json_numbers(&json, (uint32_t[]){UINT32_MAX, 0}, 2);
        json_bool(&json, true);
    }
    json_array_end(&json);
    CHECK(close_json(&json));
    at = text;
    for ( unsigned int i = 0; i < MOST; i++ )
    {
        CHECK(!strncmp(at, i ? ", " : "[", i ? 2 : 1));
        at += i ? 2 : 1;
        CHECK(!strncmp(at, each, sizeof(each) - 1));
        at += sizeof(each) - 1;
    }
    CHECK_TEXT(at, "]\n");
}

TEST(json_flat_inside_indented)
{
    struct json json;

    open_json(&json);
    json_array_begin(&json);
    json_object_begin_flat(&json);
    json_key(&json, "x");
    json_array_begin(&json);
    json_u64(&json, 1);
    json_u64(&json, 2);
    json_array_end(&json);
    json_object_end(&json);
    json_u64(&json, 3);
    json_array_end(&json);
    CHECK(close_json(&json));
    CHECK_TEXT(text, "[\n  {\"x\": [1, 2]},\n  3\n]\n");
}

static const char *quoted(const char *string)
{
    struct json json;

    open_json(&json);
    json_string(&json, string);
    CHECK(close_json(&json));
    return text;
}

TEST(json_escapes)
{
    CHECK_TEXT(quoted("a\"b\\c\n\r\t\x01\x7f"),
               "\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u007f\"\n");
}

TEST(json_has_nothing_that_a_terminal_obeys)
{
    CHECK_TEXT(quoted("\xc2\x9b[2J\xc2\x85"), "\"\\u009b[2J\\u0085\"\n");
    CHECK_TEXT(quoted("\xe2\x80\xae"), "\"\\u202e\"\n");
    CHECK_TEXT(quoted("\xf3\xa0\x81\x81"), "\"\\udb40\\udc41\"\n");
}

TEST(json_valid_utf8_passes)
{
    CHECK_TEXT(quoted("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
               "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"\n");
}

TEST(json_invalid_utf8_is_replaced)
{
    CHECK_TEXT(quoted("\xff!"), "\"\\ufffd!\"\n");
    /* cut off, overlong, a surrogate, above the last code point */
    CHECK_TEXT(quoted("\xe2\x82"), "\"\\ufffd\\ufffd\"\n");
    CHECK_TEXT(quoted("\xc0\xaf"), "\"\\ufffd\\ufffd\"\n");
    CHECK_TEXT(quoted("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"\n");
    CHECK_TEXT(quoted("\xf4\x90\x80\x80"),
               "\"\\ufffd\\ufffd\\ufffd\\ufffd\"\n");
}

TEST(json_says_when_it_is_not_whole)
{
    struct json json;

    open_json(&json);
    json_object_begin(&json);
    CHECK(!close_json(&json));

    open_json(&json);
    json_object_begin(&json);
    json_key(&json, "no value");
    json_object_end(&json);
    CHECK(!close_json(&json));
}

TEST(json_says_when_it_is_too_deep)
{
    struct json json;

    open_json(&json);
    for ( int i = 0; i <= JSON_DEPTH_MAX; i++ )
        json_array_begin(&json);
    CHECK(!close_json(&json));
}

static void check_base64(const char *bytes, const char *wanted)
{
    char text[64] = "";
    FILE *file = fmemopen(text, sizeof(text), "w");

    base64_put(bytes, strlen(bytes), file);
    fclose(file);
    CHECK_TEXT(text, wanted);
}

/* Those of RFC 4648, section 10, and all bits. */
TEST(base64_of_the_rfc)
{
    check_base64("", "");
    check_base64("f", "Zg==");
    check_base64("fo", "Zm8=");
    check_base64("foo", "Zm9v");
    check_base64("foob", "Zm9vYg==");
    check_base64("\xff\xfe\xfb", "//77");
}

TEST(json_of_bytes)
{
    struct json json;

    open_json(&json);
    json_array_begin_flat(&json);
    json_bytes(&json, "foob", 4);
    json_bytes(&json, "", 0);
    json_array_end(&json);
    CHECK(close_json(&json));
    CHECK_TEXT(text, "[\"Zm9vYg==\", \"\"]\n");
}
