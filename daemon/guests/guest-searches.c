/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches that go on are served together.  Some begin before Xen samples: what
 * Xen says of a guest's vCPUs stands for its first sample.
 */
#include <poll.h>

#include "base/clock.h"
#include "guest-questions.h"

#define MILLISECOND 1000000ull

/* Searches that go on, and what they are waited for with. */
struct searches {
    struct guest *guests[SEARCHES_MAX];
    struct pollfd ready[SEARCHES_MAX];
    unsigned int count;
};

/* One message of each that has one. */
static enum xenoprof_status work_on_ready(struct guests *guests,
                                          struct xenoprof_writer *writer,
                                          struct searches *searches)
{
    enum xenoprof_status code = XENOPROF_OK;

    for ( unsigned int i = 0; !code && i < searches->count; i++ )
    {
        if ( !searches->ready[i].revents )
            continue;
        code = guest_search_work(guests, writer, searches->guests[i]);
        if ( !searches->guests[i]->search.link )
            searches->ready[i].fd = -1;
    }
    return code;
}

/* While one search thinks about what it was given, the others are served. */
static enum xenoprof_status work_until(struct guests *guests,
                                       struct xenoprof_writer *writer,
                                       uint64_t until)
{
    struct searches searches;
    enum xenoprof_status code;
    uint64_t now;

    searches.count = 0;
    for ( uint32_t i = 0; searches.count < guests->searches && i < GUESTS_MAX;
          i++ )
        if ( guests->guests[i].search.link )
        {
            searches.ready[searches.count] = (struct pollfd){
                search_fd(guests->guests[i].search.link), POLLIN, POLLIN};
            searches.guests[searches.count++] = &guests->guests[i];
        }
    code = work_on_ready(guests, writer, &searches);
    while ( !code && searches.count && guests->searches &&
            (now = monotonic_now()) < until )
    {
        poll(searches.ready, searches.count,
             (int)((until - now + MILLISECOND - 1) / MILLISECOND));
        code = work_on_ready(guests, writer, &searches);
    }
    return code;
}

/* A guest that killed the search is struck. */
static enum xenoprof_status work_on_answer(struct guests *guests,
                                           struct xenoprof_writer *writer,
                                           struct guest *guest,
                                           enum question_number number,
                                           uint64_t ns)
{
    bool killed;
    enum xenoprof_status code = guest_question_work(guests, writer, guest,
                                                    number, ns, &killed);

    return code || !killed ? code : guests_struck(guests, writer, guest);
}

static enum xenoprof_status work_on_question(struct guests *guests,
                                             struct xenoprof_writer *writer,
                                             enum question_number number,
                                             uint64_t ns)
{
    unsigned int searches = guests->questions[number].count;
    enum xenoprof_status code = XENOPROF_OK;
    struct guest *guest;

    for ( uint32_t i = 0; !code && searches && i < GUESTS_MAX; i++ )
        if ( guests->guests[i].questions[number].search )
            code = work_on_answer(guests, writer, &guests->guests[i], number,
                                  ns / searches);
    while ( !code && (guest = guest_question_turn(guests, number)) )
        code = guest_question_begin(guests, writer, guest, number);
    return code;
}

enum xenoprof_status guests_work(struct guests *guests,
                                 struct xenoprof_writer *writer, uint64_t ns)
{
    enum xenoprof_status code = XENOPROF_OK;
    /* How many sorts have searches that go on. */
    unsigned int sorts = guests->searches > 0;

    for ( unsigned int i = 0; i < QUESTIONS; i++ )
        sorts += guests->questions[i].count > 0;
    ns = sorts ? ns / sorts : ns;
    if ( guests->searches )
        code = work_until(guests, writer, monotonic_now() + ns);
    for ( unsigned int i = 0; !code && i < QUESTIONS; i++ )
        code = work_on_question(guests, writer, i, ns);
    return code;
}

/* vCPUs of a guest that are looked at until one is in its kernel. */
#define VCPUS_SEEN 8u

/* One guest costs no more than another, however many vCPUs it has. */
static bool find_vcpu_kernel(const struct xen *xen,
                             const struct listed_domain *domain,
                             struct vcpu_kernel *ret)
{
    for ( uint32_t i = 0; i < domain->vcpus && i < VCPUS_SEEN; i++ )
        if ( xen->calls->vcpu_kernel(xen->self, domain, i, ret) == 0 )
            return true;
    return false;
}

static bool is_sought(const struct guests *guests,
                      const struct listed_domain *domain)
{
    const struct guest *guest;

    if ( domain->dying ||
         (guests->asked &&
          asked_domains_match(guests->asked, domain) == ROLE_OTHER) )
        return false;
    guest = guests_known((struct guests *)guests, domain->id, domain->uuid);
    return !guest ||
           (guest->state == GUEST_NEW && (guest->queued || guest->tries == 0));
}

static enum xenoprof_status seek_kernel(struct guests *guests,
                                        struct xenoprof_writer *writer,
                                        const struct listed_domain *domain,
                                        uint64_t time)
{
    struct xenoprof_registers registers = {0};
    struct vcpu_kernel kernel;
    struct guest_sample sample = {
        .time = time,
        .domain = domain->id,
        .uuid = domain->uuid,
        .mode = XENOPROF_MODE_KERNEL,
        .registers = &registers,
    };

    if ( !find_vcpu_kernel(guests->xen, domain, &kernel) )
        return XENOPROF_OK;
    sample.ip = kernel.ip;
    registers.cr3 = kernel.cr3;
    return guests_look(guests, writer, &sample);
}

enum xenoprof_status guests_seek(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct domain_list *list, uint64_t time)
{
    enum xenoprof_status code = XENOPROF_OK;

    for ( size_t i = 0; !code && !guests_are_blind(guests) && i < list->count;
          i++ )
        if ( is_sought(guests, &list->items[i]) )
            code = seek_kernel(guests, writer, &list->items[i], time);
    return code;
}

unsigned int guests_sought(const struct guests *guests)
{
    unsigned int count = 0;

    for ( uint32_t i = 0; i < GUESTS_MAX; i++ )
        count += guests->guests[i].used &&
                 (guests->guests[i].state == GUEST_SEARCHED ||
                  guests->guests[i].queued);
    return count;
}
