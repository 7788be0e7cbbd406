/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Built without libcurl: nothing can be sent. */
#include "http-send.h"

#include <stddef.h>

struct http_sender *http_sender_open(const struct push_target *target,
                                     const struct push_config *config,
                                     unsigned int seconds,
                                     struct failure *failure)
{
    (void)target, (void)config, (void)seconds;
    fail(failure, STATUS_FAILED,
         "this xenoprof was built without libcurl, and sends nothing: install "
         "libcurl4-openssl-dev, and build it again");
    return NULL;
}

void http_sender_close(struct http_sender *sender)
{
    (void)sender;
}

void http_sender_ready(const struct http_sender *sender)
{
    (void)sender;
}

void http_sender_watch(struct http_sender *sender, http_give_up *give_up,
                       void *context)
{
    (void)sender, (void)give_up, (void)context;
}

void http_send(struct http_sender *sender, const struct buffer *body,
               struct http_answer *ret)
{
    (void)sender, (void)body;
    *ret = (struct http_answer){.answer = ANSWER_WRONG};
}
