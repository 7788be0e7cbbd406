/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "task-search.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

#define SECOND 1000000000ull

/* With its guest's memory. */
struct task_search {
    struct search *link;
    struct guest_walk walk;
    uint64_t walked; /* ns of the daemon's, for it */
};

bool task_search_may_begin(struct guests *guests, const struct guest *guest)
{
    return guest->used && guest->state == GUEST_KNOWN && !guest->gone &&
           guest->walker.cr3 && guests->maker &&
           !guest_account_user_is_spent(guests_account(guests, guest));
}

struct task_search *task_search_begin(struct guests *guests,
                                      const struct guest *guest,
                                      const struct search_order *order)
{
    static const struct search_limits limits = {10 * SECOND, 60 * SECOND};
    struct task_search *search = calloc(1, sizeof(*search));
    struct search_order whole = *order;

    whole.address = guest->walker.ip;
    whole.dom0 = guest->domain == 0;
    whole.known = &guest->tables;
    if ( search && guest_walk_open(&search->walk, guests->xen, guest->domain,
                                   guest->walker.cr3, guest->walker.ip) )
        search->link = search_begin(guests->maker, guests->store, &whole,
                                    &limits);
    if ( !search || !search->link )
    {
        free(search);
        return NULL;
    }
    guests_watch(guests, search_fd(search->link));
    return search;
}

/* The daemon walks the guest's tables for it: that is the guest's time, too. */
enum link_status task_search_work(struct task_search *search, uint64_t ns)
{
    uint64_t before = clock_read(CLOCK_THREAD_CPUTIME_ID);
    enum link_status status = search_work(search->link, ns, guests_read_walk,
                                          &search->walk);

    search->walked += clock_read(CLOCK_THREAD_CPUTIME_ID) - before;
    return status;
}

const struct search_result *task_search_result(const struct task_search *search)
{
    return search_get_result(search->link);
}

uint64_t task_search_end(struct guests *guests, const struct guest *guest,
                         struct task_search *search)
{
    uint64_t spent = search_cpu(search->link) + search->walked;

    guests_account(guests, guest)->cpu += spent;
    search_end(search->link);
    free(search);
    return GUEST_CPU_SHARE * spent;
}

struct guest *task_searches_turn(
    struct guests *guests, struct task_searches *searches, unsigned int most,
    bool (*may_begin)(struct guests *guests, const struct guest *guest))
{
    for ( uint32_t i = 0; i < GUESTS_MAX && searches->count < most; i++ )
    {
        uint32_t at = (searches->turn + i) % GUESTS_MAX;

        if ( !may_begin(guests, &guests->guests[at]) )
            continue;
        searches->turn = at + 1;
        return &guests->guests[at];
    }
    return NULL;
}
