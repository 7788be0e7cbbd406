/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libcurl, told what it must not do. */
#include "http-send.h"

#include <curl/curl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000ull

/* Of an answer's body, of which nothing is used. */
#define ANSWER_MAX      (64u << 10)
#define CONNECT_SECONDS 10u

struct http_sender {
    CURL *curl;
    struct curl_slist *headers;
    const char *url;
    size_t answered; /* bytes of this answer's body */
    unsigned int seconds;
    http_give_up *give_up;
    void *context;
};

static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct http_sender *sender = context;

    (void)bytes;
    sender->answered += size * count;
    return sender->answered > ANSWER_MAX ? 0 : size * count;
}

static int look_around(void *context, curl_off_t down_all, curl_off_t down,
                       curl_off_t up_all, curl_off_t up)
{
    const struct http_sender *sender = context;

    (void)down_all, (void)down, (void)up_all, (void)up;
    return sender->give_up && sender->give_up(sender->context);
}

static bool add_header(struct http_sender *sender, const char *name,
                       const char *value)
{
    struct curl_slist *more;
    char *text;

    if ( asprintf(&text, "%s: %s", name, value) < 0 )
        return false;
    more = curl_slist_append(sender->headers, text);
    explicit_bzero(text, strlen(text));
    free(text);
    if ( more )
        sender->headers = more;
    return more;
}

static bool set_headers(struct http_sender *sender, const struct engine *engine,
                        const struct push_config *config)
{
    return add_header(sender, "Content-Type", engine->type) &&
           (!engine->gzip || add_header(sender, "Content-Encoding", "gzip")) &&
           (!config->tenant[0] ||
            add_header(sender, config->tenant_header, config->tenant)) &&
           /* No answer is waited for before the body. */
           (sender->headers = curl_slist_append(sender->headers, "Expect:")) &&
           !curl_easy_setopt(sender->curl, CURLOPT_HTTPHEADER, sender->headers);
}

static bool set_identity(CURL *curl, const struct push_config *config)
{
    if ( config->token[0] )
        return !curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER) &&
               !curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, config->token);
    if ( !config->user[0] && !config->password[0] )
        return true;
    return !curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC) &&
           !curl_easy_setopt(curl, CURLOPT_USERNAME, config->user) &&
           !curl_easy_setopt(curl, CURLOPT_PASSWORD, config->password);
}

/* They were read as root; the file need not be readable to this user. */
static bool set_certificates(CURL *curl, const struct buffer *certificates)
{
    struct curl_blob blob = {.data = certificates->bytes,
                             .len = certificates->used,
                             .flags = CURL_BLOB_COPY};

    return (!certificates->used ||
            !curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, &blob)) &&
           !curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L) &&
           !curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
}

static bool set_bounds(struct http_sender *sender)
{
    CURL *curl = sender->curl;

    return !curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") &&
           !curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L) &&
           /* What is in the environment is whoever's who started this. */
           !curl_easy_setopt(curl, CURLOPT_PROXY, "") &&
           !curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) &&
           !curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) &&
           !curl_easy_setopt(curl, CURLOPT_HTTP_VERSION,
                             (long)CURL_HTTP_VERSION_1_1) &&
           !curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT,
                             (long)(sender->seconds < CONNECT_SECONDS
                                        ? sender->seconds
                                        : CONNECT_SECONDS)) &&
           !curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)sender->seconds) &&
           !curl_easy_setopt(curl, CURLOPT_USERAGENT,
                             "xenoprof/" PACKAGE_VERSION);
}

static bool set_calls(struct http_sender *sender)
{
    CURL *curl = sender->curl;

    return !curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer) &&
           !curl_easy_setopt(curl, CURLOPT_WRITEDATA, sender) &&
           !curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L) &&
           !curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_around) &&
           !curl_easy_setopt(curl, CURLOPT_XFERINFODATA, sender);
}

struct http_sender *http_sender_open(const struct push_target *target,
                                     const struct push_config *config,
                                     unsigned int seconds,
                                     struct failure *failure)
{
    struct http_sender *sender = calloc(1, sizeof(*sender));

    if ( !sender || curl_global_init(CURL_GLOBAL_DEFAULT) )
    {
        free(sender);
        fail_memory(failure);
        return NULL;
    }
    sender->seconds = seconds;
    sender->url = target->url;
    sender->curl = curl_easy_init();
    if ( sender->curl &&
         !curl_easy_setopt(sender->curl, CURLOPT_URL, target->url) &&
         set_bounds(sender) && set_calls(sender) &&
         set_headers(sender, target->engine, config) &&
         set_identity(sender->curl, config) &&
         set_certificates(sender->curl, &config->certificates) )
        return sender;
    http_sender_close(sender);
    fail(
        failure, STATUS_FAILED,
        "libcurl cannot do what is needed: it is older than 7.85, or was built "
        "without HTTPS");
    return NULL;
}

void http_sender_close(struct http_sender *sender)
{
    if ( !sender )
        return;
    curl_easy_cleanup(sender->curl);
    curl_slist_free_all(sender->headers);
    free(sender);
    curl_global_cleanup();
}

void http_sender_ready(const struct http_sender *sender)
{
    CURLU *url = curl_url();
    struct addrinfo *found = NULL;
    char *host = NULL;

    if ( url && !curl_url_set(url, CURLUPART_URL, sender->url, 0) &&
         !curl_url_get(url, CURLUPART_HOST, &host, 0) &&
         !getaddrinfo(host, NULL, NULL, &found) )
        freeaddrinfo(found);
    curl_free(host);
    curl_url_cleanup(url);
}

void http_sender_watch(struct http_sender *sender, http_give_up *give_up,
                       void *context)
{
    sender->give_up = give_up;
    sender->context = context;
}

static void take_status(struct http_sender *sender, struct http_answer *ret)
{
    curl_off_t seconds = 0;
    long status = 0;

    curl_easy_getinfo(sender->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(sender->curl, CURLINFO_RETRY_AFTER, &seconds);
    ret->answer = answer_of_status(status);
    if ( seconds > 0 )
        ret->asked = (uint64_t)seconds < UINT64_MAX / NS_PER_S
                         ? (uint64_t)seconds * NS_PER_S
                         : UINT64_MAX;
    if ( ret->answer != ANSWER_TAKEN )
        snprintf(ret->text, sizeof(ret->text), "it answers %ld: %s", status,
                 answer_text(status));
}

/* A certificate that is wrong stays so; all else that fails below HTTP may be
 * gone the next time. */
static void take_error(CURLcode code, struct http_answer *ret)
{
    const bool wrong = code == CURLE_PEER_FAILED_VERIFICATION ||
                       code == CURLE_SSL_CACERT_BADFILE ||
                       code == CURLE_SSL_PINNEDPUBKEYNOTMATCH;

    ret->answer = wrong ? ANSWER_WRONG : ANSWER_LATER;
    snprintf(ret->text, sizeof(ret->text), "%s%s", curl_easy_strerror(code),
             wrong ? ": nothing is sent to it; if it is your own, name its CA "
                     "in the configuration (ca)"
                   : "");
}

void http_send(struct http_sender *sender, const struct buffer *body,
               struct http_answer *ret)
{
    CURLcode code;

    *ret = (struct http_answer){0};
    sender->answered = 0;
    curl_easy_setopt(sender->curl, CURLOPT_POST, 1L);
    curl_easy_setopt(sender->curl, CURLOPT_POSTFIELDS, body->bytes);
    curl_easy_setopt(sender->curl, CURLOPT_POSTFIELDSIZE_LARGE,
                     (curl_off_t)body->used);
    code = curl_easy_perform(sender->curl);
    /* Its answer was longer than anybody reads; the status was before it. */
    if ( code == CURLE_OK || code == CURLE_WRITE_ERROR )
        take_status(sender, ret);
    else
        take_error(code, ret);
}
