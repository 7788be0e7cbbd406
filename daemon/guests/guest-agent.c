/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which guests have an agent, and how it is reached. */
#include <stdlib.h>
#include <string.h>

#include "control/guest-roots.h"
#include "daemon/agent/agent-socket.h"
#include "daemon/relay/agent-relay.h"
#include "daemon/relay/agent-root.h"
#include "guests.h"

bool guests_may_have_agents(const struct guests *guests)
{
    return guests->xen->relays &&
           ((guests->asked && asked_domains_have(guests->asked, ROLE_ACTIVE)) ||
            (guests->roots && guests->roots->count));
}

/* By the file system that the user gave for a domain, or by the agent in one
 * that he named as active. */
static bool find_in_domain(const struct guests *guests,
                           const struct listed_domain *domain,
                           struct agent_caller *ret)
{
    const char *root = guests->roots ? domain_pairs_find(guests->roots, domain)
                                     : NULL;
    int folder = root
                     ? root_folders_find(guests->folders, guests->roots, domain)
                     : -1;

    if ( root )
        return folder >= 0 &&
               agent_root_caller(guests->xen->relays, folder, ret);
    return guests->asked &&
           asked_domains_match(guests->asked, domain) == ROLE_ACTIVE &&
           agent_relay_caller(guests->xen->relays, domain->id, ret);
}

static bool find_caller(const struct guests *guests, const struct guest *guest,
                        struct agent_caller *ret)
{
    const char *path = getenv("XENOPROF_AGENT"); /* for tests */
    struct listed_domain domain;

    if ( !guest->domain )
        return agent_socket_caller(path ? path : AGENT_SOCKET, ret);
    return guests_may_have_agents(guests) &&
           xen_find_domain(guests->xen, guest->domain, &domain) &&
           !memcmp(domain.uuid, guest->uuid, sizeof(domain.uuid)) &&
           find_in_domain(guests, &domain, ret);
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
