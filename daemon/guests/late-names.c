/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places of the session that have no symbol are looked up once more. */
#include "late-names.h"

/* Places that are looked at in one go: what has no name never will, and is
 * looked at each time. */
#define PLACES_AT_A_TIME 16384u

static enum xenoprof_status store(struct xenoprof_writer *writer,
                                  uint16_t domain, uint64_t address,
                                  const char *name, const char *module,
                                  uint64_t start)
{
    const struct xenoprof_place place = {
        .domain = domain,
        .mode = XENOPROF_MODE_KERNEL,
        .address = address,
        .image = module ? module : "kernel",
        .symbol = name,
        .symbol_start = start,
    };
    uint32_t number;

    return xenoprof_writer_place(writer, &place, &number);
}

struct unnamed {
    uint32_t last; /* number of the last one */
    size_t count;
    uint64_t addresses[GUEST_FRAMES_MAX];
};

/* The next ones; false: there is none. */
static bool gather(const struct xenoprof_writer *writer, uint16_t domain,
                   struct unnamed *unnamed)
{
    unnamed->count = 0;
    while ( unnamed->count < GUEST_FRAMES_MAX &&
            xenoprof_writer_unnamed(writer, domain, XENOPROF_MODE_KERNEL,
                                    &unnamed->last,
                                    &unnamed->addresses[unnamed->count]) )
        unnamed->count++;
    return unnamed->count;
}

enum xenoprof_status late_names_of_guest(struct guests *guests,
                                         struct xenoprof_writer *writer,
                                         struct guest *guest)
{
    struct unnamed unnamed = {.last = 0};
    struct wire_name names[GUEST_FRAMES_MAX];
    enum xenoprof_status code = XENOPROF_OK;

    for ( size_t done = 0; !code && done < PLACES_AT_A_TIME &&
                           gather(writer, guest->domain, &unnamed);
          done += unnamed.count )
    {
        enum link_status answer = parser_link_names(
            guests->link, guests_slot(guests, guest), unnamed.addresses,
            unnamed.count, names);

        if ( answer == LINK_DIED )
            guests_died(guests, guest);
        if ( answer )
            return XENOPROF_OK;
        for ( size_t i = 0; !code && i < unnamed.count; i++ )
            if ( names[i].name )
                code = store(writer, guest->domain, unnamed.addresses[i],
                             names[i].name, names[i].module, names[i].start);
        /* The list of what is left ended here. */
        if ( !unnamed.last )
            break;
    }
    return code;
}

enum xenoprof_status late_names_of_dom0(const struct xenoprof_symbols *symbols,
                                        struct xenoprof_writer *writer)
{
    enum xenoprof_status code = XENOPROF_OK;
    uint32_t number = 0;
    uint64_t address;

    while ( !code && xenoprof_writer_unnamed(writer, 0, XENOPROF_MODE_KERNEL,
                                             &number, &address) )
    {
        struct xenoprof_symbol symbol;

        if ( xenoprof_symbols_find(symbols, address, &symbol) )
            code = store(writer, 0, address, symbol.name, symbol.module,
                         symbol.start);
    }
    return code;
}
