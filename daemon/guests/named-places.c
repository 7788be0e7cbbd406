/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "named-places.h"

#include <string.h>

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

static uint64_t name_of(const struct table *places,
                        const struct xenoprof_place *place)
{
    uint64_t name = hash_bytes(places->ids.seed, place->image,
                               strlen(place->image) + 1);

    return place->symbol ? hash_mix(hash_bytes(name, place->symbol,
                                               strlen(place->symbol)),
                                    place->symbol_start)
                         : name;
}

enum xenoprof_status named_place(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 const struct guest *guest,
                                 struct table *places,
                                 const struct xenoprof_place *place,
                                 uint32_t *ret)
{
    struct guest_account *account = guests_account(guests, guest);
    struct user_place key = {.key = {place->address, name_of(places, place)}};
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
