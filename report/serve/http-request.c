/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http-request.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct {
    unsigned int status;
    const char *text;
} http_statuses[] = {
    {200, "OK"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {421, "Misdirected Request"},
    {431, "Request Header Fields Too Large"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

const char *http_status_text(unsigned int status)
{
    for ( size_t i = 0; i < COUNT(http_statuses); i++ )
        if ( http_statuses[i].status == status )
            return http_statuses[i].text;
    return "";
}

static bool text_is(const struct http_text *text, const char *wanted)
{
    return text->at && text->size == strlen(wanted) &&
           !memcmp(text->at, wanted, text->size);
}

/* The same, whatever the case of its letters. */
static bool text_says(const struct http_text *text, const char *wanted)
{
    return text->at && text->size == strlen(wanted) &&
           !strncasecmp(text->at, wanted, text->size);
}

/* Letters that can be seen, without spaces. */
static bool is_word(const struct http_text *text)
{
    for ( size_t i = 0; i < text->size; i++ )
        if ( text->at[i] <= ' ' || text->at[i] > '~' )
            return false;
    return text->size;
}

/* What stands before the mark; the rest is what is behind it.  Returns whether
 * there is one. */
static bool take_until(struct http_text *rest, char mark, struct http_text *ret)
{
    const char *end = memchr(rest->at, mark, rest->size);

    if ( !end )
        return false;
    *ret = (struct http_text){rest->at, (size_t)(end - rest->at)};
    rest->size -= ret->size + 1;
    rest->at = end + 1;
    return true;
}

/* The next line, without its end.  Returns false if that is not there yet. */
static bool take_line(struct http_text *rest, struct http_text *ret)
{
    const char *end = memmem(rest->at, rest->size, "\r\n", 2);

    if ( !end )
        return false;
    *ret = (struct http_text){rest->at, (size_t)(end - rest->at)};
    rest->size -= ret->size + 2;
    rest->at = end + 2;
    return true;
}

/* "GET /path HTTP/1.1" */
static unsigned int take_first_line(struct http_text line,
                                    struct http_request *request)
{
    if ( !take_until(&line, ' ', &request->method) ||
         !take_until(&line, ' ', &request->target) ||
         !is_word(&request->method) || !is_word(&request->target) ||
         *request->target.at != '/' || !is_word(&line) )
        return 400;
    return text_is(&line, "HTTP/1.1") || text_is(&line, "HTTP/1.0") ? 200 : 505;
}

/* Where the value of a field of that name goes, or NULL: nobody asks for it. */
static struct http_text *field_of(struct http_request *request,
                                  const struct http_text *name)
{
    const struct {
        const char *name;
        struct http_text *to;
    } fields[] = {
        {"Host", &request->host},
        {"Origin", &request->origin},
        {"Sec-Fetch-Site", &request->site},
        {"If-None-Match", &request->match},
    };

    for ( size_t i = 0; i < COUNT(fields); i++ )
        if ( text_says(name, fields[i].name) )
            return fields[i].to;
    return NULL;
}

/* No control character but a tab. */
static bool is_value(const struct http_text *text)
{
    for ( size_t i = 0; i < text->size; i++ )
        if ( ((unsigned char)text->at[i] < ' ' && text->at[i] != '\t') ||
             text->at[i] == 0x7f )
            return false;
    return true;
}

static struct http_text trimmed(struct http_text text)
{
    for ( ; text.size && strchr(" \t", *text.at); text.size-- )
        text.at++;
    while ( text.size && strchr(" \t", text.at[text.size - 1]) )
        text.size--;
    return text;
}

/* "Name: value"; that of a field that matters is there once. */
static unsigned int take_field(struct http_text line,
                               struct http_request *request)
{
    struct http_text name, *to;

    if ( !take_until(&line, ':', &name) || !is_word(&name) || !is_value(&line) )
        return 400;
    to = field_of(request, &name);
    if ( !to )
        return 200;
    if ( to->at )
        return 400;
    *to = trimmed(line);
    return 200;
}

unsigned int http_request_parse(const char *bytes, size_t size,
                                struct http_request *request)
{
    struct http_text rest = {bytes, size}, line;
    unsigned int status;

    *request = (struct http_request){.method = {NULL, 0}};
    if ( !take_line(&rest, &line) )
        return size < HTTP_LINE_MAX ? 0 : 431;
    if ( line.size + 2 > HTTP_LINE_MAX )
        return 431;
    status = take_first_line(line, request);
    for ( unsigned int fields = 0; status == 200; fields++ )
    {
        if ( !take_line(&rest, &line) )
            return size < HTTP_REQUEST_MAX ? 0 : 431;
        if ( !line.size )
            break;
        status = fields < HTTP_FIELDS_MAX ? take_field(line, request) : 431;
    }
    return status;
}

/* A name of this host for itself, with or without a port. */
static bool is_here(const struct http_text *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    size_t length = 0;

    for ( size_t i = 0; i < COUNT(names); i++ )
        if ( host->size >= strlen(names[i]) &&
             !strncasecmp(host->at, names[i], strlen(names[i])) )
            length = strlen(names[i]);
    if ( !length || length == host->size )
        return length;
    if ( host->at[length] != ':' || host->size - length > sizeof(":65535") - 1 )
        return false;
    for ( size_t i = length + 1; i < host->size; i++ )
        if ( !isdigit((unsigned char)host->at[i]) )
            return false;
    return true;
}

/* No page, or one that came from here. */
static bool is_ours(const struct http_request *request)
{
    static const char scheme[] = "http://";
    struct http_text origin = request->origin;

    if ( request->site.at && !text_is(&request->site, "same-origin") &&
         !text_is(&request->site, "none") )
        return false;
    if ( !origin.at )
        return true;
    if ( origin.size < strlen(scheme) ||
         memcmp(origin.at, scheme, strlen(scheme)) != 0 )
        return false;
    origin.at += strlen(scheme);
    origin.size -= strlen(scheme);
    return origin.size == request->host.size &&
           !strncasecmp(origin.at, request->host.at, origin.size);
}

/* Takes "/TOKEN/" away.  How long it takes does not say how much is right. */
static bool take_token(struct http_text *path, const char *token)
{
    unsigned int wrong = 0;

    if ( path->size < HTTP_TOKEN + 2 || path->at[HTTP_TOKEN + 1] != '/' )
        return false;
    for ( size_t i = 0; i < HTTP_TOKEN; i++ )
        wrong |= (unsigned char)path->at[i + 1] ^ (unsigned char)token[i];
    path->at += HTTP_TOKEN + 2;
    path->size -= HTTP_TOKEN + 2;
    return !wrong;
}

static int hex_of(char letter)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = letter ? strchr(digits, tolower((unsigned char)letter))
                            : NULL;

    return at ? (int)(at - digits) : -1;
}

/* "a%2Fb" is "a/b".  Returns whether it fits, and is text. */
static bool decode(const struct http_text *from, char ret[HTTP_TYPE_MAX + 1])
{
    size_t used = 0;

    for ( size_t i = 0; i < from->size && used < HTTP_TYPE_MAX; i++ )
    {
        int value = (unsigned char)from->at[i];

        if ( value == '%' )
        {
            if ( i + 2 >= from->size || hex_of(from->at[i + 1]) < 0 ||
                 hex_of(from->at[i + 2]) < 0 )
                return false;
            value = 16 * hex_of(from->at[i + 1]) + hex_of(from->at[i + 2]);
            i += 2;
        }
        if ( value < ' ' || value == 0x7f )
            return false;
        ret[used++] = (char)value;
        if ( used == HTTP_TYPE_MAX && i + 1 < from->size )
            return false;
    }
    ret[used] = '\0';
    return true;
}

/* What is below the token: "", "data", "data?type=NAME". */
static unsigned int take_path(struct http_text path, struct http_wanted *ret)
{
    static const char typed[] = "data?type=";

    ret->data = path.size;
    if ( !path.size || text_is(&path, "data") )
        return 200;
    if ( path.size < strlen(typed) ||
         memcmp(path.at, typed, strlen(typed)) != 0 )
        return 404;
    path.at += strlen(typed);
    path.size -= strlen(typed);
    return decode(&path, ret->type) ? 200 : 400;
}

/* "\"12\"" is 12; anything else is nothing that we gave. */
static uint64_t number_of(const struct http_text *match)
{
    uint64_t number = 0;

    if ( !match->at || match->size < 3 || match->size > 20 ||
         *match->at != '"' || match->at[match->size - 1] != '"' )
        return 0;
    for ( size_t i = 1; i < match->size - 1; i++ )
    {
        if ( !isdigit((unsigned char)match->at[i]) )
            return 0;
        number = 10 * number + (uint64_t)(match->at[i] - '0');
    }
    return number;
}

unsigned int http_request_allow(const struct http_request *request,
                                const char *token, struct http_wanted *ret)
{
    struct http_text path = request->target;

    *ret = (struct http_wanted){.data = false};
    ret->head = text_is(&request->method, "HEAD");
    if ( !request->host.at )
        return 400;
    if ( !is_here(&request->host) )
        return 421;
    if ( !is_ours(request) )
        return 403;
    if ( !ret->head && !text_is(&request->method, "GET") )
        return 405;
    if ( !take_token(&path, token) )
        return 403;
    ret->match = number_of(&request->match);
    return take_path(path, ret);
}
