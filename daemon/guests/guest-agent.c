/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which guests have an agent, and how it is reached. */
#include <stdlib.h>
#include <string.h>

#include "daemon/agent/agent-socket.h"
#include "daemon/relay/agent-relay.h"
#include "guests.h"

/* A domain that the user named as active. */
static bool is_active(const struct guests *guests, const struct guest *guest)
{
    struct listed_domain domain;

    return guests->asked && guests->xen->relays &&
           asked_domains_have(guests->asked, ROLE_ACTIVE) &&
           guests_domain(guests->xen, guest->domain, &domain) &&
           !memcmp(domain.uuid, guest->uuid, sizeof(domain.uuid)) &&
           asked_domains_match(guests->asked, &domain) == ROLE_ACTIVE;
}

static bool find_caller(const struct guests *guests, const struct guest *guest,
                        struct agent_caller *ret)
{
    const char *path = getenv("XENOPROF_AGENT"); /* for tests */

    if ( !guest->domain )
        return agent_socket_caller(path ? path : AGENT_SOCKET, ret);
    return is_active(guests, guest) &&
           agent_relay_caller(guests->xen->relays, guest->domain, ret);
}

struct agent_link *guest_agent_open(struct guests *guests,
                                    const struct guest *guest)
{
    struct agent_caller caller;
    struct agent_link *link;

    if ( !find_caller(guests, guest, &caller) )
        return NULL;
    link = agent_link_open(&caller, guests_account(guests, guest)->agent_lies);
    if ( link )
        agent_link_work(link);
    else
        caller.close(caller.self);
    return link;
}
