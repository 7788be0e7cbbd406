/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/serve/http-request.h"
#include "tests/harness.h"

#include <stdio.h>
#include <string.h>

#define TOKEN "0123456789abcdef0123456789abcdef"
#define HOST  "Host: 127.0.0.1:8080\r\n"

/* The status of a request by its first line and its fields. */
static unsigned int ask(const char *line, const char *fields,
                        struct http_wanted *ret)
{
    struct http_request request;
    char text[2 * HTTP_LINE_MAX];
    unsigned int status;

    snprintf(text, sizeof(text), "%s\r\n%s\r\n", line, fields);
    status = http_request_parse(text, strlen(text), &request);
    return status == 200 ? http_request_allow(&request, TOKEN, ret) : status;
}

static unsigned int get(const char *path, const char *fields)
{
    struct http_wanted wanted;
    char line[2 * HTTP_LINE_MAX];

    snprintf(line, sizeof(line), "GET %.1000s HTTP/1.1", path);
    return ask(line, fields, &wanted);
}

TEST(what_is_asked_for)
{
    struct http_wanted wanted;

    CHECK_EQ(ask("GET /" TOKEN "/ HTTP/1.1", HOST, &wanted), 200);
    CHECK(!wanted.data && !wanted.head && !*wanted.type);
    CHECK_EQ(ask("HEAD /" TOKEN "/data HTTP/1.1", HOST, &wanted), 200);
    CHECK(wanted.data && wanted.head && !wanted.match);
    CHECK_EQ(ask("GET /" TOKEN "/data?type=cpu%2Fx%3a%20y HTTP/1.1",
                 HOST "if-none-match:  \"17\" \r\n", &wanted),
             200);
    CHECK_TEXT(wanted.type, "cpu/x: y");
    CHECK_EQ(wanted.match, 17);
    CHECK_EQ(ask("GET /" TOKEN "/data HTTP/1.1",
                 HOST "If-None-Match: W/\"17\"\r\n", &wanted),
             200);
    CHECK_EQ(wanted.match, 0);
}

TEST(only_what_there_is)
{
    char path[HTTP_LINE_MAX];

    CHECK_EQ(get("/" TOKEN "/else", HOST), 404);
    CHECK_EQ(get("/" TOKEN "/data?type", HOST), 404);
    CHECK_EQ(get("/" TOKEN "/data?type=%1", HOST), 400);
    CHECK_EQ(get("/" TOKEN "/data?type=%0a", HOST), 400);
    CHECK_EQ(get("/" TOKEN "/data?type=%zz", HOST), 400);
    snprintf(path, sizeof(path), "/" TOKEN "/data?type=%0*d",
             (int)HTTP_TYPE_MAX, 0);
    CHECK_EQ(get(path, HOST), 200);
    strcat(path, "0");
    CHECK_EQ(get(path, HOST), 400);
}

TEST(only_with_the_token)
{
    char path[] = "/" TOKEN "/";

    CHECK_EQ(get(path, HOST), 200);
    for ( size_t i = 1; i < sizeof(path) - 2; i++ )
    {
        path[i] ^= 1;
        CHECK_EQ(get(path, HOST), 403);
        path[i] ^= 1;
    }
    CHECK_EQ(get("/", HOST), 403);
    CHECK_EQ(get("/" TOKEN, HOST), 403);
    CHECK_EQ(get("/" TOKEN "0/", HOST), 403);
    CHECK_EQ(get("//" TOKEN "/", HOST), 403);
    CHECK_EQ(get("/favicon.ico", HOST), 403);
}

TEST(only_by_a_name_of_this_host)
{
    CHECK_EQ(get("/" TOKEN "/", "Host: localhost\r\n"), 200);
    CHECK_EQ(get("/" TOKEN "/", "host:LOCALHOST:9\r\n"), 200);
    CHECK_EQ(get("/" TOKEN "/", "Host: [::1]:65535\r\n"), 200);
    CHECK_EQ(get("/" TOKEN "/", ""), 400);
    CHECK_EQ(get("/" TOKEN "/", "Host:\r\n"), 421);
    CHECK_EQ(get("/" TOKEN "/", "Host: evil.example:8080\r\n"), 421);
    CHECK_EQ(get("/" TOKEN "/", "Host: localhost.evil.example\r\n"), 421);
    CHECK_EQ(get("/" TOKEN "/", "Host: 127.0.0.1:80x\r\n"), 421);
    CHECK_EQ(get("/" TOKEN "/", "Host: 127.0.0.1:123456\r\n"), 421);
    CHECK_EQ(get("/" TOKEN "/", "Host: 127.0.0.10\r\n"), 421);
    CHECK_EQ(get("/" TOKEN "/", HOST "Host: localhost\r\n"), 400);
}

TEST(not_for_pages_of_others)
{
    CHECK_EQ(get("/" TOKEN "/", HOST "Origin: http://127.0.0.1:8080\r\n"), 200);
    CHECK_EQ(get("/" TOKEN "/", HOST "Sec-Fetch-Site: same-origin\r\n"), 200);
    CHECK_EQ(get("/" TOKEN "/", HOST "Sec-Fetch-Site: none\r\n"), 200);
    CHECK_EQ(get("/" TOKEN "/", HOST "Sec-Fetch-Site: same-site\r\n"), 403);
    CHECK_EQ(get("/" TOKEN "/", HOST "Sec-Fetch-Site: cross-site\r\n"), 403);
    CHECK_EQ(get("/" TOKEN "/", HOST "Origin: null\r\n"), 403);
    CHECK_EQ(get("/" TOKEN "/", HOST "Origin: http://127.0.0.1:81\r\n"), 403);
    CHECK_EQ(get("/" TOKEN "/", HOST "Origin: https://127.0.0.1:8080\r\n"),
             403);
    CHECK_EQ(get("/" TOKEN "/", HOST "Origin: http://evil.example\r\n"), 403);
}

TEST(nothing_can_be_changed)
{
    static const char *const methods[] = {"POST",  "PUT",     "DELETE", "get",
                                          "HEAD2", "OPTIONS", "CONNECT"};
    struct http_wanted wanted;
    char line[HTTP_LINE_MAX];

    for ( size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++ )
    {
        snprintf(line, sizeof(line), "%s /" TOKEN "/ HTTP/1.1", methods[i]);
        CHECK_EQ(ask(line, HOST, &wanted), 405);
    }
}

TEST(requests_that_are_none)
{
    struct http_wanted wanted;

    CHECK_EQ(ask("", HOST, &wanted), 400);
    CHECK_EQ(ask("GET", HOST, &wanted), 400);
    CHECK_EQ(ask("GET /", HOST, &wanted), 400);
    CHECK_EQ(ask("GET  / HTTP/1.1", HOST, &wanted), 400);
    CHECK_EQ(ask("GET x HTTP/1.1", HOST, &wanted), 400);
    CHECK_EQ(ask("GET http://localhost/ HTTP/1.1", HOST, &wanted), 400);
    CHECK_EQ(ask("GET / HTTP/2.0", HOST, &wanted), 505);
    CHECK_EQ(get("/", HOST "no colon\r\n"), 400);
    CHECK_EQ(get("/", HOST "A : b\r\n"), 400);
    CHECK_EQ(get("/", HOST " folded: b\r\n"), 400);
    CHECK_EQ(get("/", HOST ": b\r\n"), 400);
    CHECK_EQ(get("/", HOST "A: b\x01\r\n"), 400);
    CHECK_EQ(get("/", HOST "A: b\n\r\n"), 400);
}

TEST(requests_that_are_long)
{
    struct http_request request;
    char text[HTTP_REQUEST_MAX] = "GET / HTTP/1.1\r\n";
    const size_t line = strlen(text);

    CHECK_EQ(http_request_parse(text, line, &request), 0);
    memset(text + line, 'a', sizeof(text) - line);
    CHECK_EQ(http_request_parse(text, sizeof(text) - 1, &request), 0);
    CHECK_EQ(http_request_parse(text, sizeof(text), &request), 431);
    for ( size_t i = 0; i <= HTTP_FIELDS_MAX; i++ )
        memcpy(text + line + 6 * i, "A: b\r\n", 6);
    memcpy(text + line + 6 * HTTP_FIELDS_MAX, "\r\n", 2);
    CHECK_EQ(http_request_parse(text, sizeof(text), &request), 200);
    memcpy(text + line + 6 * HTTP_FIELDS_MAX, "A: b\r\n\r\n", 8);
    CHECK_EQ(http_request_parse(text, sizeof(text), &request), 431);
    memset(text, 'a', sizeof(text));
    CHECK_EQ(http_request_parse(text, HTTP_LINE_MAX - 1, &request), 0);
    CHECK_EQ(http_request_parse(text, HTTP_LINE_MAX, &request), 431);
    memcpy(text + HTTP_LINE_MAX - 1, "\r\n", 2);
    CHECK_EQ(http_request_parse(text, sizeof(text), &request), 431);
}

TEST(each_part_of_a_request_needs_more)
{
    static const char text[] = "GET /" TOKEN "/ HTTP/1.1\r\n" HOST "\r\n";
    struct http_request request;

    for ( size_t size = 0; size < sizeof(text) - 1; size++ )
        CHECK_EQ(http_request_parse(text, size, &request), 0);
    CHECK_EQ(http_request_parse(text, sizeof(text) - 1, &request), 200);
}
