/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of guests' kernels that has no name yet goes on into the next file: its
 * name may still come, and is then that of samples in the file before, too.
 */
#include <stdlib.h>
#include <string.h>

#include "session-writer.h"

/* Of a guest whose kernel is never found there are as many as it likes. */
#define CARRIED_MAX 1024u /* of each space */

static char *copy_table_text(const struct defined_tables *tables,
                             uint32_t number)
{
    const struct defined_text *text;

    if ( !number )
        return NULL;
    text = &tables->texts.items[number - 1];
    return strndup((const char *)tables->text_bytes.bytes + text->at,
                   text->size);
}

static bool carry(struct carried *carried, const struct defined_tables *tables,
                  const struct defined_place *place,
                  const struct defined_space *space)
{
    const struct defined_domain *domain = table_at(&tables->domains,
                                                   space->domain - 1);
    struct carried_place *added = vector_add(carried);
    const struct defined_symbol *symbol;

    if ( !added )
        return false;
    added->domain = *domain;
    added->kind = copy_table_text(tables, domain->kind);
    added->address = place->key.address;
    if ( place->symbol )
    {
        symbol = table_at(&tables->symbols, place->symbol - 1);
        added->image = copy_table_text(tables, symbol->image);
        if ( symbol->image && !added->image )
            return false;
    }
    return added->kind || !domain->kind;
}

static bool may_get_name(const struct defined_tables *tables,
                         const struct defined_place *place,
                         const struct defined_space *space)
{
    return space->mode == XENOPROF_MODE_KERNEL && space->domain &&
           place->key.address && !place->turns && !place->key.turn &&
           !defined_is_named(tables, place);
}

/* Nobody is left to name the code of a domain that has ended; nor does it
 * matter any more, so its places must not go on for ever. */
static bool lives(const struct session_state *state,
                  const struct defined_tables *tables,
                  const struct defined_space *space)
{
    const struct defined_domain *domain = table_at(&tables->domains,
                                                   space->domain - 1);
    const struct domain_state *now = state_domain_now(state,
                                                      (uint16_t)domain->number);

    if ( !domain->uuid[0] && !domain->uuid[1] )
        return true;
    return now && !memcmp(now->uuid, domain->uuid, sizeof(now->uuid));
}

/* The newest are the likeliest to get a name. */
bool carry_out(const struct defined_tables *tables,
               const struct session_state *state, struct carried *carried)
{
    uint32_t *left = calloc(tables->spaces.count + 1, sizeof(*left));
    bool done = left;

    for ( size_t i = tables->places.count; done && i--; )
    {
        const struct defined_place *place = table_at(&tables->places, i);
        const struct defined_space *space = table_at(&tables->spaces,
                                                     place->key.space - 1);

        if ( may_get_name(tables, place, space) &&
             lives(state, tables, space) &&
             left[place->key.space - 1]++ < CARRIED_MAX )
            done = carry(carried, tables, place, space);
    }
    free(left);
    return done;
}

/* Returns the number of a text, 0 for none. */
static uint32_t text_of(struct defined_tables *tables, const char *text,
                        bool *done)
{
    uint32_t number;

    if ( !text )
        return 0;
    number = define_text(tables, text, strlen(text));
    *done &= number != 0;
    return number;
}

static bool take_in(struct defined_tables *tables,
                    const struct carried_place *place)
{
    const struct defined_domain *from = &place->domain;
    bool done = true, named;
    uint32_t kind = text_of(tables, place->kind, &done);
    uint32_t image = text_of(tables, place->image, &done);
    uint32_t domain, space, symbol = 0;

    domain = define_domain(tables, (uint16_t)from->number, from->uuid, kind);
    space = domain ? define_space(tables, domain, XENOPROF_MODE_KERNEL) : 0;
    if ( image )
        symbol = define_symbol(tables, image, 0, 0);
    return done && space && (symbol || !image) &&
           define_place(tables, space, place->address, symbol, &named);
}

bool carry_in(struct defined_tables *tables, struct carried *carried)
{
    bool done = true;

    for ( size_t i = 0; i < carried->count; i++ )
    {
        struct carried_place *place = &carried->items[i];

        done = done && take_in(tables, place);
        free(place->kind);
        free(place->image);
    }
    vector_free(carried);
    return done;
}

/* Returns false if a name cannot come any more; else *space is the place's, and
 * *ret is as if it came from a writer, but its texts are the reader's. */
static bool may_carry(const struct reader_tables *read,
                      const struct read_place *place,
                      const struct defined_space **space,
                      struct carried_place *ret)
{
    const struct defined_symbol *symbol = READ_FIND(read, symbols,
                                                    place->symbol);
    const struct defined_domain *domain;

    *space = READ_FIND(read, spaces, place->space);
    domain = *space ? READ_FIND(read, domains, (*space)->domain) : NULL;
    if ( !place->known || !place->address || !domain || !domain->known ||
         (*space)->mode != XENOPROF_MODE_KERNEL || (symbol && symbol->name) )
        return false;
    *ret = (struct carried_place){.address = place->address};
    ret->domain.number = domain->number;
    memcpy(ret->domain.uuid, domain->uuid, sizeof(domain->uuid));
    ret->kind = (char *)reader_text(read, domain->kind);
    if ( symbol )
        ret->image = (char *)reader_text(read, symbol->image);
    return true;
}

bool carry_read(struct defined_tables *tables, const struct reader_tables *read)
{
    uint32_t *left = calloc(read->spaces.count + 1, sizeof(*left));
    const struct defined_space *space;
    struct carried_place place;
    bool done = left;

    for ( size_t i = read->places.count; done && i--; )
        if ( may_carry(read, &read->places.items[i], &space, &place) &&
             left[space - read->spaces.items]++ < CARRIED_MAX )
            done = take_in(tables, &place);
    free(left);
    return done;
}
