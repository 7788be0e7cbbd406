/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is written of a guest's code: places, made within its share, and named
 * by its walker, by dom0's own symbols, or by others if it is user code. */
#include <string.h>

#include "guests.h"

static const struct kernel_symbol no_symbol;

/* Another guest has had this one's number since. */
static bool is_succeeded(const struct guests *guests, const struct guest *guest)
{
    for ( uint32_t i = 0; i < GUESTS_MAX; i++ )
    {
        const struct guest *other = &guests->guests[i];

        if ( other->used && other->domain == guest->domain &&
             other->last > guest->last )
            return true;
    }
    return false;
}

/* The last samples of a guest that is gone may come when another has its
 * number: what is known of that one stays. */
enum xenoprof_status guests_own(const struct guests *guests,
                                struct xenoprof_writer *writer,
                                const struct guest *guest)
{
    if ( is_succeeded(guests, guest) )
        return XENOPROF_END;
    return guests->make_owner
               ? guests->make_owner(guests->owners, writer, guest->last,
                                    guest->domain, guest->uuid)
               : XENOPROF_OK;
}

static struct address_table *places_of_mode(struct guest *guest, uint8_t mode)
{
    return &guest->places[mode == XENOPROF_MODE_KERNEL];
}

/* dom0's kernel publishes its symbols.  The name is good until the next
 * call. */
static bool name_dom0_address(const struct guests *guests,
                              const struct guest *guest, uint8_t mode,
                              uint64_t address, struct kernel_symbol *ret)
{
    const struct xenoprof_sample at = {
        .time = guest->last, .mode = mode, .ip = address};
    struct xenoprof_symbol symbol;

    if ( guest->domain != 0 || mode != XENOPROF_MODE_KERNEL ||
         !guests->name_dom0 || !guests->name_dom0(guests->namer, &at, &symbol) )
        return false;
    *ret = (struct kernel_symbol){
        .name = symbol.name, .module = symbol.module, .start = symbol.start};
    return true;
}

static enum xenoprof_status make_place(struct xenoprof_writer *writer,
                                       const struct guest *guest, uint8_t mode,
                                       uint64_t address,
                                       const struct kernel_symbol *name,
                                       uint32_t *ret)
{
    struct xenoprof_place place = {
        .domain = guest->domain,
        .mode = mode,
        .address = address,
        .image = "user",
        .symbol = name->name,
        .symbol_start = name->name ? name->start : 0,
    };

    if ( mode == XENOPROF_MODE_KERNEL )
        place.image = name->module ? name->module : "kernel";
    return xenoprof_writer_place(writer, &place, ret);
}

/* The place of an address: what is known, by whatever name, when the guest may
 * have no more places, or else that of address 0. */
static enum xenoprof_status find_guest_place(struct xenoprof_writer *writer,
                                             struct guest_account *account,
                                             const struct guest *guest,
                                             uint8_t mode, uint64_t address,
                                             const struct kernel_symbol *name,
                                             uint32_t *ret)
{
    bool may_be_new = account->places_made < GUEST_PLACES_MAX;
    uint32_t known = 0;
    enum xenoprof_status code;

    if ( xenoprof_writer_known(writer, guest->domain, mode, address, &known) &&
         (!may_be_new || !name) )
    {
        *ret = known;
        return XENOPROF_OK;
    }
    if ( !may_be_new )
        return make_place(writer, guest, mode, 0, &no_symbol, ret);
    code = make_place(writer, guest, mode, address, name ? name : &no_symbol,
                      ret);
    account->places_made += !code && *ret != known;
    return code;
}

void guest_place_expect(const struct xenoprof_writer *writer,
                        struct guest *guest, uint8_t mode, uint64_t address)
{
    xenoprof_writer_expect(writer, guest->domain, mode, address);
    address_table_expect(places_of_mode(guest, mode), address);
}

enum xenoprof_status guest_place(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 struct guest *guest, uint8_t mode,
                                 uint64_t address,
                                 const struct kernel_symbol *name,
                                 uint32_t *ret)
{
    struct kernel_symbol own;
    enum xenoprof_status code;

    *ret = name ? 0 : address_table_find(places_of_mode(guest, mode), address);
    if ( *ret )
        return XENOPROF_OK;
    if ( name_dom0_address(guests, guest, mode, address, &own) )
        name = &own;
    code = find_guest_place(writer, guests_account(guests, guest), guest, mode,
                            address, name, ret);
    if ( !code )
        address_table_set(places_of_mode(guest, mode), address, *ret);
    return code;
}

bool guests_may_add(struct guests *guests, const struct guest_sample *sample,
                    size_t frames)
{
    struct guest_account *account = guest_accounts_get(&guests->accounts,
                                                       sample->uuid);

    if ( frames > GUEST_FRAMES_ALL - account->frames_made )
        return false;
    account->frames_made += (uint32_t)frames;
    return true;
}

/* Of user code, by name --------------------------------------------------- */

struct user_place {
    struct {
        uint64_t address;
        uint64_t name; /* hash of the rest: nobody can foresee it */
    } key;
    uint32_t number;
};

void named_places_init(struct table *places)
{
    table_init(places, sizeof(((struct user_place *)NULL)->key),
               sizeof(struct user_place));
}

static uint64_t hash_of_name(const struct table *places,
                             const struct xenoprof_place *place)
{
    uint64_t name = hash_bytes(places->ids.seed, place->image,
                               strlen(place->image) + 1);

    return place->symbol ? hash_mix(hash_bytes(name, place->symbol,
                                               strlen(place->symbol)),
                                    place->symbol_start)
                         : name;
}

bool guest_has_places(struct guests *guests, const struct guest *guest)
{
    return guests_account(guests, guest)->places_made < GUEST_PLACES_MAX;
}

enum xenoprof_status named_place(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct guest *guest,
                                 struct table *places,
                                 const struct xenoprof_place *place,
                                 uint32_t *ret)
{
    struct guest_account *account = guests_account(guests, guest);
    struct user_place key = {
        .key = {place->address, hash_of_name(places, place)}};
    struct user_place *known = table_find(places, &key.key);
    struct xenoprof_place made = *place;
    enum xenoprof_status code;

    if ( known )
    {
        *ret = known->number;
        return XENOPROF_OK;
    }
    if ( account->places_made >= GUEST_PLACES_MAX )
        made = (struct xenoprof_place){.mode = XENOPROF_MODE_USER,
                                       .image = "user"};
    made.domain = guest->domain;
    code = xenoprof_writer_place(writer, &made, ret);
    if ( code || account->places_made >= GUEST_PLACES_MAX )
        return code;
    account->places_made++;
    known = table_put(places, &key.key);
    if ( known )
        known->number = *ret;
    return XENOPROF_OK;
}
