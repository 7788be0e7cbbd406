/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which guests have an agent, how it is reached, and what time it has. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "control/guest-roots.h"
#include "daemon/agent/agent-socket.h"
#include "daemon/relay/process-caller.h"
#include "guests.h"

/* ns between two looks at how far the clocks are apart. */
#define CLOCKS_AGE 1000000000ull
/* Clocks that both follow the processor's drift apart by less than 1 in so
 * many. */
#define CLOCK_DRIFT 100000u

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

static bool find_agent_caller(const struct guests *guests,
                              const struct guest *guest,
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

    if ( !find_agent_caller(guests, guest, &caller) )
        return NULL;
    link = agent_link_open(&caller, guests_account(guests, guest)->agent_lies);
    if ( link )
        agent_link_work(link);
    else
        caller.close(caller.self);
    return link;
}

/* Its clock ------------------------------------------------------------- */

/* Whether a look at a guest's clock is better than what is known, which both
 * clocks may have left by CLOCK_DRIFT since. */
static bool is_better(const struct user_names *names,
                      const struct agent_clock *clock)
{
    uint64_t age = monotonic_now() - names->clocks;

    return clock->number != names->clock_number &&
           (!names->clocks ||
            clock->error <= names->clock_error + age / CLOCK_DRIFT);
}

static uint64_t guest_offset(struct user_names *names, const struct xen *xen,
                             const struct agent_clock *clock)
{
    uint64_t before, time, way;

    if ( !is_better(names, clock) )
        return names->offset;
    before = monotonic_now();
    time = xen_time(xen);
    way = (monotonic_now() - before) / 2;
    if ( !time )
        return names->offset;
    names->clock_number = clock->number;
    names->clocks = before + way;
    names->clock_error = clock->error + way;
    names->offset = clock->theirs - (time - (names->clocks - clock->ours));
    return names->offset;
}

/* The agent's clock less Xen's. */
static uint64_t clock_offset(struct user_names *names, const struct xen *xen)
{
    const struct agent_clock *clock = agent_link_clock(names->link);
    uint64_t now = monotonic_now(), before, time;

    if ( clock )
        return guest_offset(names, xen, clock);
    if ( names->clocks && now - names->clocks < CLOCKS_AGE )
        return names->offset;
    before = clock_read(CLOCK_MONOTONIC_RAW);
    time = xen_time(xen);
    if ( time )
    {
        names->clocks = now;
        names->offset = before +
                        (clock_read(CLOCK_MONOTONIC_RAW) - before) / 2 - time;
    }
    return names->offset;
}

uint64_t guest_user_time(struct user_names *names, const struct xen *xen,
                         uint64_t time)
{
    return time + clock_offset(names, xen);
}
