/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a request to --serve: what is found in them lies in them; a
 * request that is whole stays what it is, whatever follows; without the token
 * nothing is allowed.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "report/serve/http-request.h"

#define TOKEN "00112233445566778899aabbccddeeff"

static void look_at_text(const struct http_text *text, const char *bytes,
                         size_t size)
{
    FUZZ_CHECK(!text->at ||
               (text->at >= bytes && text->at + text->size <= bytes + size));
}

static unsigned int look_at(const char *bytes, size_t size)
{
    struct http_request request;
    struct http_wanted wanted;
    unsigned int status = http_request_parse(bytes, size, &request);

    if ( status != 200 )
    {
        FUZZ_CHECK(!status ? size < HTTP_REQUEST_MAX
                           : *http_status_text(status));
        return status;
    }
    look_at_text(&request.method, bytes, size);
    look_at_text(&request.target, bytes, size);
    look_at_text(&request.host, bytes, size);
    look_at_text(&request.origin, bytes, size);
    look_at_text(&request.site, bytes, size);
    look_at_text(&request.match, bytes, size);
    status = http_request_allow(&request, TOKEN, &wanted);
    FUZZ_CHECK(*http_status_text(status));
    FUZZ_CHECK(strnlen(wanted.type, sizeof(wanted.type)) <= HTTP_TYPE_MAX);
    FUZZ_CHECK(status != 200 ||
               memmem(bytes, size, "/" TOKEN "/", strlen("/" TOKEN "/")));
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Each size has its own memory, so that a sanitizer sees its end. */
    unsigned int before = 0;

    for ( size_t used = size > 64 ? size - 64 : 0; used <= size; used++ )
    {
        char *copy = malloc(used + !used);
        unsigned int status;

        FUZZ_CHECK(copy);
        memcpy(copy, data, used);
        status = look_at(copy, used);
        FUZZ_CHECK(!before || status == before || status == 431);
        before = status;
        free(copy);
    }
    return 0;
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const char *const seeds[] = {
        "GET /" TOKEN "/ HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
        "HEAD /" TOKEN "/data?type=cpu%2fx HTTP/1.1\r\nHost: [::1]\r\n"
        "Origin: http://[::1]\r\nSec-Fetch-Site: same-origin\r\n"
        "If-None-Match: \"12\"\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        "GET /x HTTP/1.1\r\nA:\tb \r\n folded\r\n\r\n",
    };

    if ( number >= sizeof(seeds) / sizeof(*seeds) )
        return 0;
    memcpy(bytes, seeds[number], strlen(seeds[number]));
    return strlen(seeds[number]);
}
