/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine.h"

#include <stdio.h>
#include <string.h>

static const struct engine engines[] = {
#define ENGINE(name, path, type, format, by_domain, gzip, body)                \
    {#name, path, type, format, by_domain, gzip, body_##body},
#include "engines.def"
#undef ENGINE
};

#define ENGINES (sizeof(engines) / sizeof(*engines))

/* Takes "ENGINE+" from the beginning. */
static const struct engine *named_engine(const char **url)
{
    for ( size_t i = 0; i < ENGINES; i++ )
    {
        const size_t length = strlen(engines[i].name);

        if ( strncmp(*url, engines[i].name, length) == 0 &&
             (*url)[length] == '+' )
        {
            *url += length + 1;
            return &engines[i];
        }
    }
    return NULL;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);

    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

static const struct engine *engine_of_path(const char *url)
{
    for ( size_t i = 0; i < ENGINES; i++ )
        if ( ends_with(url, engines[i].path) )
            return &engines[i];
    return NULL;
}

/* Of http:// and https://, or 0. */
static size_t scheme_length(const char *url)
{
    if ( strncmp(url, "https://", 8) == 0 )
        return 8;
    return strncmp(url, "http://", 7) == 0 ? 7 : 0;
}

/* What a secret may be sent to. */
static bool is_secure(const char *url)
{
    static const char *const hosts[] = {"localhost", "127.0.0.1", "[::1]"};
    const size_t scheme = scheme_length(url);
    const char *host = url + scheme;
    const size_t length = host[0] == '[' ? strcspn(host, "]") + 1
                                         : strcspn(host, ":/?");

    if ( scheme == 8 )
        return true;
    for ( size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++ )
        if ( strlen(hosts[i]) == length &&
             strncmp(host, hosts[i], length) == 0 )
            return true;
    return false;
}

/* Blanks, control characters and bytes beyond ASCII are in no URL. */
static bool is_plain(const char *url)
{
    for ( ; *url; url++ )
        if ( *url <= ' ' || *url > '~' )
            return false;
    return true;
}

static int check_url(const char *url, struct failure *failure)
{
    const size_t scheme = scheme_length(url);

    if ( !is_plain(url) || !scheme || !url[scheme + strspn(url + scheme, "/")] )
        return fail(failure, STATUS_USAGE,
                    "the URL is none: give one as in "
                    "pyroscope+https://HOST:4040");
    if ( memchr(url + scheme, '@', strcspn(url + scheme, "/?#")) )
        return fail(failure, STATUS_USAGE,
                    "the URL has a user or password in it, which others see: "
                    "put them into the configuration file");
    if ( strpbrk(url, "?#") )
        return fail(failure, STATUS_USAGE,
                    "the URL has a query in it: give it without what begins "
                    "with '?' or '#'");
    return 0;
}

int push_target_parse(const char *url, struct push_target *ret,
                      struct failure *failure)
{
    const struct engine *engine = named_engine(&url);
    size_t length = strlen(url);
    int size;

    if ( check_url(url, failure) )
        return failure->status;
    if ( !engine )
        engine = engine_of_path(url);
    if ( !engine )
        return fail(failure, STATUS_USAGE,
                    "the URL does not say what takes the profiles there: put "
                    "pyroscope+, parca+ or otlp+ before it");
    while ( length && url[length - 1] == '/' )
        length--;
    size = snprintf(ret->url, sizeof(ret->url), "%.*s%s", (int)length, url,
                    ends_with(url, engine->path) ? "" : engine->path);
    if ( size < 0 || (size_t)size >= sizeof(ret->url) )
        return fail(failure, STATUS_USAGE,
                    "the URL is too long: it may have %u characters",
                    PUSH_URL_MAX / 2);
    ret->engine = engine;
    ret->secure = is_secure(url);
    return 0;
}
