/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of guests: a slot for each, the same as in the parser. */
#include <stdlib.h>
#include <string.h>

#include "guests.h"

struct guests *guests_open(const struct xen *xen,
                           const struct parser_maker *maker)
{
    struct guests *guests = calloc(1, sizeof(*guests));

    if ( !guests )
        return NULL;
    guests->xen = xen;
    guest_accounts_init(&guests->accounts);
    guests->link = maker ? parser_link_open(maker, NULL) : NULL;
    if ( maker && !guests->link )
    {
        free(guests);
        return NULL;
    }
    return guests;
}

uint32_t guests_slot(const struct guests *guests, const struct guest *guest)
{
    return (uint32_t)(guest - guests->guests);
}

static void clear_places(struct guest *guest)
{
    address_table_clear(&guest->places[0]);
    address_table_clear(&guest->places[1]);
}

static void forget(struct guests *guests, struct guest *guest)
{
    if ( guests->searched == guest )
        guests->searched = NULL;
    clear_places(guest);
    guest->used = false;
    if ( guests->link &&
         !parser_link_forget(guests->link, guests_slot(guests, guest)) )
        guests_died(guests, NULL);
}

void guests_close(struct guests *guests)
{
    if ( !guests )
        return;
    for ( uint32_t i = 0; i < WIRE_SLOTS; i++ )
        clear_places(&guests->guests[i]);
    parser_link_close(guests->link);
    guest_accounts_free(&guests->accounts);
    free(guests);
}

static bool is_guest(const struct guest *guest, uint16_t domain,
                     const uint8_t uuid[16])
{
    return guest->used && guest->domain == domain &&
           memcmp(guest->uuid, uuid, sizeof(guest->uuid)) == 0;
}

struct guest_account *guests_account(struct guests *guests,
                                     const struct guest *guest)
{
    return guest_accounts_get(&guests->accounts, guest->uuid);
}

/* Returns a free entry, or frees the one whose last sample is the oldest. */
static struct guest *make_room(struct guests *guests)
{
    struct guest *oldest = &guests->guests[0];

    for ( uint32_t i = 0; i < WIRE_SLOTS; i++ )
    {
        struct guest *guest = &guests->guests[i];

        if ( !guest->used )
            return guest;
        if ( guest->last < oldest->last )
            oldest = guest;
    }
    forget(guests, oldest);
    return oldest;
}

struct guest *guests_find(struct guests *guests,
                          const struct guest_sample *sample)
{
    /* Most guests are in the entry of their number. */
    struct guest *guest = &guests->guests[sample->domain % WIRE_SLOTS];

    for ( uint32_t i = 0; i < WIRE_SLOTS; i++ )
    {
        if ( is_guest(guest, sample->domain, sample->uuid) )
            return guest;
        guest = &guests->guests[i];
    }
    guest = &guests->guests[sample->domain % WIRE_SLOTS];
    if ( guest->used )
        guest = make_room(guests);
    *guest = (struct guest){.used = true, .domain = sample->domain};
    memcpy(guest->uuid, sample->uuid, sizeof(guest->uuid));
    if ( guests_account(guests, guest)->strikes >= GUEST_STRIKES_MAX )
        guest->state = GUEST_BANNED;
    return guest;
}

/* The new parser knows none of the kernels. */
void guests_died(struct guests *guests, struct guest *guest)
{
    guests->searched = NULL;
    for ( uint32_t i = 0; i < WIRE_SLOTS; i++ )
        if ( guests->guests[i].state == GUEST_KNOWN ||
             guests->guests[i].state == GUEST_SEARCHED )
        {
            guests->guests[i].state = GUEST_NEW;
            guests->guests[i].next_look = 0;
        }
    if ( guest &&
         ++guests_account(guests, guest)->strikes >= GUEST_STRIKES_MAX )
        guest->state = GUEST_BANNED;
}

bool guests_is_searched(const struct guests *guests, uint16_t domain,
                        const uint8_t uuid[16])
{
    if ( !guests->searched )
        return false;
    for ( uint32_t i = 0; i < WIRE_SLOTS; i++ )
        if ( is_guest(&guests->guests[i], domain, uuid) )
            return guests->guests[i].queued ||
                   (guests->searched == &guests->guests[i] && !guests->modules);
    return false;
}

bool guests_is_searching(const struct guests *guests)
{
    if ( !guests->searched || !guests->modules )
        return guests->searched;
    for ( uint32_t i = 0; i < WIRE_SLOTS; i++ )
        if ( guests->guests[i].used && guests->guests[i].queued )
            return true;
    return false;
}

bool guests_is_busy(struct guests *guests, const struct guest_sample *sample)
{
    return guests->searched && sample->mode == XENOPROF_MODE_KERNEL &&
           guests_find(guests, sample)->state == GUEST_KNOWN &&
           parser_link_is_busy(guests->link);
}

static bool is_listed(const struct guest *guest, const struct domain_list *list)
{
    const struct listed_domain *domain = domain_list_find(list, guest->domain);

    return domain && memcmp(domain->uuid, guest->uuid, 16) == 0;
}

/* A guest is dropped when it is missing twice: the last samples of its rings
 * may come after the first time. */
void guests_keep(struct guests *guests, const struct domain_list *list)
{
    for ( uint32_t i = 0; i < WIRE_SLOTS; i++ )
    {
        struct guest *guest = &guests->guests[i];

        if ( !guest->used )
            continue;
        if ( is_listed(guest, list) )
            guest->missed = 0;
        else if ( ++guest->missed > 1 )
            forget(guests, guest);
    }
}
