/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of guests: who there is, and what ends with each. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "guests.h"

/* The last samples of a guest that is gone wait for its walker.  How often the
 * list comes depends on how often any domain comes or goes. */
#define GRACE 10000000000ull

struct guests *guests_open(const struct xen *xen)
{
    struct guests *guests = calloc(1, sizeof(*guests));

    if ( !guests )
        return NULL;
    guests->xen = xen;
    guests->maker = xen->maker;
    guests->grace = GRACE;
    guests->store = table_store_open();
    guest_accounts_init(&guests->accounts);
    if ( guests->store )
        return guests;
    free(guests);
    return NULL;
}

void guest_search_stop(struct guests *guests, struct guest *guest)
{
    struct guest_search *search = &guest->search;

    if ( !search->link )
        return;
    guests_account(guests, guest)->cpu += search_cpu(search->link);
    search_end(search->link);
    table_release(search->kept.image);
    free(search->walk);
    *search = (struct guest_search){0};
    guests->searches--;
}

void guest_walker_count(struct guests *guests, struct guest *guest)
{
    struct guest_walker *walker = &guest->walker;
    uint64_t cpu = walker_cpu(walker->link);

    guests_account(guests, guest)->cpu += cpu - walker->cpu;
    walker->cpu = cpu;
}

void guest_walker_stop(struct guests *guests, struct guest *guest)
{
    struct guest_walker *walker = &guest->walker;

    if ( !walker->link )
        return;
    guest_walker_count(guests, guest);
    walker_end(walker->link);
    walker->link = NULL;
    walked_stacks_forget_asked(&walker->stacks);
}

void guests_forget_kernel(struct guests *guests, struct guest *guest)
{
    guest_search_stop(guests, guest);
    guest_questions_stop(guests, guest);
    guest_walker_stop(guests, guest);
    table_release(guest->tables.image);
    table_release(guest->tables.modules);
    guest->tables = (struct walker_tables){0};
}

static void set_used(struct guests *guests, struct guest *guest, bool used)
{
    const size_t at = (size_t)(guest - guests->guests);
    const uint64_t bit = 1ull << at % 64;

    guest->used = used;
    if ( used )
        guests->used[at / 64] |= bit;
    else
        guests->used[at / 64] &= ~bit;
}

static void forget_guest(struct guests *guests, struct guest *guest)
{
    guests_forget_kernel(guests, guest);
    walked_stacks_free(&guest->walker.stacks);
    address_table_clear(&guest->places[0]);
    address_table_clear(&guest->places[1]);
    guest_calls_free(&guest->calls);
    guest_questions_forget(guest);
    guest_user_close(guests, guest);
    set_used(guests, guest, false);
}

void guests_close(struct guests *guests)
{
    if ( !guests )
        return;
    for ( uint32_t i = 0; i < GUESTS_MAX; i++ )
        if ( guests->guests[i].used )
            forget_guest(guests, &guests->guests[i]);
    table_store_close(guests->store);
    guest_accounts_free(&guests->accounts);
    free(guests->calls);
    free(guests);
}

static bool is_guest(const struct guest *guest, uint16_t domain,
                     const uint8_t uuid[16])
{
    return guest->used && guest->domain == domain &&
           memcmp(guest->uuid, uuid, sizeof(guest->uuid)) == 0;
}

/* Returns a free entry, or frees the one whose last sample is the oldest. */
static struct guest *get_free_guest(struct guests *guests)
{
    struct guest *oldest = &guests->guests[0];

    for ( uint32_t i = 0; i < GUESTS_MAX; i++ )
    {
        struct guest *guest = &guests->guests[i];

        if ( !guest->used )
            return guest;
        if ( guest->last < oldest->last )
            oldest = guest;
    }
    forget_guest(guests, oldest);
    return oldest;
}

struct guest *guests_find(struct guests *guests,
                          const struct guest_sample *sample)
{
    /* Most guests are in the entry of their number. */
    struct guest *guest = &guests->guests[sample->domain % GUESTS_MAX];

    for ( uint32_t i = 0; i < GUESTS_MAX; i++ )
    {
        if ( is_guest(guest, sample->domain, sample->uuid) )
            return guest;
        guest = &guests->guests[i];
    }
    guest = &guests->guests[sample->domain % GUESTS_MAX];
    if ( guest->used )
        guest = get_free_guest(guests);
    *guest = (struct guest){.domain = sample->domain};
    set_used(guests, guest, true);
    memcpy(guest->uuid, sample->uuid, sizeof(guest->uuid));
    walked_stacks_init(&guest->walker.stacks);
    guest_questions_init(guest);
    if ( guests_account(guests, guest)->strikes >= GUEST_STRIKES_MAX )
        guest->state = GUEST_BANNED;
    guest_user_open(guests, guest);
    return guest;
}

void guests_strike(struct guests *guests, struct guest *guest)
{
    struct guest_account *account = guests_account(guests, guest);

    if ( account->strikes < GUEST_STRIKES_MAX )
        account->strikes++;
    if ( account->strikes < GUEST_STRIKES_MAX )
        return;
    guests_forget_kernel(guests, guest);
    guest->state = GUEST_BANNED;
    guest->queued = false;
}

/* Its kernel is being looked for, or will be when there are fewer searches. */
static bool is_searched(const struct guests *guests, const struct guest *guest)
{
    return guest->state == GUEST_SEARCHED ||
           (guest->queued && guests->searches >= SEARCHES_MAX);
}

static const struct guest *find_known_guest(const struct guests *guests,
                                            uint16_t domain,
                                            const uint8_t uuid[16])
{
    const struct guest *guest = &guests->guests[domain % GUESTS_MAX];

    for ( uint32_t i = 0; i < GUESTS_MAX; i++ )
    {
        if ( is_guest(guest, domain, uuid) )
            return guest;
        guest = &guests->guests[i];
    }
    return NULL;
}

struct guest *guests_known(struct guests *guests, uint16_t domain,
                           const uint8_t uuid[16])
{
    return (struct guest *)find_known_guest(guests, domain, uuid);
}

bool guests_has(const struct guests *guests, uint16_t domain,
                const uint8_t uuid[16])
{
    return find_known_guest(guests, domain, uuid);
}

bool guests_is_searched(const struct guests *guests, uint16_t domain,
                        const uint8_t uuid[16])
{
    const struct guest *guest = find_known_guest(guests, domain, uuid);

    return guest && is_searched(guests, guest);
}

bool guests_is_searching(const struct guests *guests)
{
    for ( uint32_t i = 0; i < GUESTS_MAX; i++ )
    {
        const struct guest *guest = &guests->guests[i];

        if ( guest->used &&
             (is_searched(guests, guest) ||
              (guest->walker.link && (!guest->walker.all_asked ||
                                      walker_is_away(guest->walker.link)))) )
            return true;
    }
    return false;
}

/* What its processes have worked, as far as that is known. */
static uint64_t work_of(struct guests *guests, const struct guest *guest)
{
    uint64_t work = guests_account(guests, guest)->cpu;

    return guest->search.link ? work + search_cpu(guest->search.link) : work;
}

void guests_begin_stop(struct guests *guests)
{
    for ( uint32_t i = 0; i < GUESTS_MAX; i++ )
        if ( guests->guests[i].used )
            guests->guests[i].stop_work = work_of(guests, &guests->guests[i]);
}

uint64_t guests_stop_work(struct guests *guests)
{
    uint64_t sum = 0;

    for ( uint32_t i = 0; i < GUESTS_MAX; i++ )
    {
        struct guest *guest = &guests->guests[i];
        uint64_t work = guest->used ? work_of(guests, guest) : 0;

        work = work > guest->stop_work ? work - guest->stop_work : 0;
        sum += guest->used && work > GUEST_STOP_WORK ? GUEST_STOP_WORK : work;
    }
    return sum;
}

static bool is_guest_listed(const struct guest *guest,
                            const struct domain_list *list)
{
    const struct listed_domain *domain = domain_list_find(list, guest->domain);

    return domain && memcmp(domain->uuid, guest->uuid, 16) == 0;
}

/* As long as somebody has memory of a guest mapped, Xen keeps what is left of
 * it.  So its agent is hung up on as soon as it begins to die. */
static void hang_up_on_dying(struct guests *guests, struct guest *guest,
                             const struct domain_list *list)
{
    const struct listed_domain *domain = domain_list_find(list, guest->domain);

    if ( guest->user && guest->domain &&
         (!is_guest_listed(guest, list) || domain->dying) )
        guest_user_close(guests, guest);
}

/* Its memory is not its own any more. */
static void end_search(struct guests *guests, struct guest *guest)
{
    guest_questions_stop(guests, guest);
    if ( !guest->search.link )
        return;
    if ( !guest->search.modules )
        guest->state = GUEST_NEW;
    guest_search_stop(guests, guest);
}

/* Accounts are by uuid. */
static void trim_accounts(struct guests *guests, const struct domain_list *list)
{
    struct table alive; /* uuids */
    bool done = true;

    if ( !guest_accounts_are_many(&guests->accounts, list->count) )
        return;
    table_init(&alive, 16, 16);
    for ( size_t i = 0; done && i < list->count; i++ )
        done = table_put(&alive, list->items[i].uuid);
    for ( uint32_t i = 0; done && i < GUESTS_MAX; i++ )
        if ( guests->guests[i].used )
            done = table_put(&alive, guests->guests[i].uuid);
    if ( done )
        guest_accounts_trim(&guests->accounts, &alive);
    table_free(&alive);
}

void guests_keep(struct guests *guests, const struct domain_list *list)
{
    uint64_t now = monotonic_now();

    for ( uint32_t i = 0; i < GUESTS_MAX; i++ )
    {
        struct guest *guest = &guests->guests[i];

        if ( !guest->used )
            continue;
        hang_up_on_dying(guests, guest, list);
        if ( is_guest_listed(guest, list) )
            guest->gone = 0;
        else if ( guest->gone && now - guest->gone >= guests->grace )
            forget_guest(guests, guest);
        else if ( !guest->gone )
        {
            guest->gone = now;
            end_search(guests, guest);
        }
    }
    trim_accounts(guests, list);
}

void guests_forget_places(struct guests *guests)
{
    struct table *accounts = &guests->accounts.table;

    for ( size_t i = 0; i < GUESTS_MAX; i++ )
    {
        struct guest *guest = &guests->guests[i];

        if ( !guest->used )
            continue;
        address_table_clear(&guest->places[0]);
        address_table_clear(&guest->places[1]);
        walked_stacks_forget_answered(&guest->walker.stacks);
        guest_questions_next_file(guest);
        if ( guest->user )
            guest_user_forget(guest->user);
        guest->walker.late = 0;
        guest->walker.all_asked = false;
        if ( guest->walker.link )
            walker_forget_names(guest->walker.link);
    }
    for ( size_t i = 0; i < accounts->count; i++ )
    {
        struct guest_account *account = table_at(accounts, i);

        account->places_made = account->frames_made = 0;
    }
}
