/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The domains that a session profiles.  As they come, go and come back, the
 * module is asked to profile or forget them.
 */
#ifndef XENOPROF_DAEMON_FOLLOW_H
#define XENOPROF_DAEMON_FOLLOW_H

#include "base/vector.h"
#include "xen.h"
#include "control/start-options.h"

struct followed {
    uint16_t id;
    uint8_t uuid[16];
    bool refused; /* the module has no room for it */
};

struct followed_domains {
    VECTOR(struct followed);
    char refusal[XENOPROF_MESSAGE_MAX]; /* the module's last; "": none */
};

void follow_free(struct followed_domains *follow);

/* The module profiles this domain already, for a daemon that died.  May be
 * called twice. */
void follow_known(struct followed_domains *follow, uint16_t id,
                  const uint8_t uuid[16]);

/*
 * Asks the module to profile each domain of list that options ask for and that
 * it does not profile yet, and to forget those that are gone.  Returns 0, or a
 * negative errno if it refused a domain; it is not asked for that one again.
 */
int follow_update(struct followed_domains *follow,
                  const struct door_client *door,
                  const struct domain_list *list,
                  const struct start_options *options);

#endif
