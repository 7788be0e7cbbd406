/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The domains that a session profiles, followed as they come, go and come
 * back: tells the module.
 */
#ifndef XENOPROF_DAEMON_FOLLOW_H
#define XENOPROF_DAEMON_FOLLOW_H

#include "xen.h"
#include "control/asked-domains.h"

struct followed {
    uint16_t id;
    uint8_t uuid[16];
    bool refused; /* the module has no room for it */
};

struct followed_domains {
    struct followed *followed;
    size_t count;
    char refusal[XENOPROF_MESSAGE_MAX]; /* the module's last; "": none */
};

void follow_free(struct followed_domains *follow);

/* The module knows this domain already: a daemon before us told it.  Calling
 * it twice is fine. */
void follow_known(struct followed_domains *follow, uint16_t id,
                  const uint8_t uuid[16]);

/*
 * Tell the module of each domain in list that specs ask for and that it does
 * not know, and to forget those that are gone.  0; or a negative errno if a
 * domain was refused, which is not asked for again.
 */
int follow_update(struct followed_domains *follow,
                  const struct door_client *door,
                  const struct domain_list *list,
                  const struct asked_domains *asked);

#endif
