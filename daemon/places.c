/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of Xen and dom0's kernel, and when dom0's are read again. */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "places.h"

/* Kernel modules come and go, but reading all of kallsyms takes seconds, and
 * some addresses never get a name: the list of modules is looked at before.
 * Code that is in no such list (BPF) has its name some time later. */
#define LOOK_PAUSE   10000000000ull /* ns */
#define RELOAD_PAUSE 640000000000ull

static struct xenoprof_symbols *load_symbols(const struct places *places,
                                             enum symbol_source source)
{
    struct xenoprof_symbols *symbols = NULL;
    size_t size;
    char *text SCOPE_FREE = NULL;

    text = places->xen->calls->read_symbols(places->xen->self, source, &size);
    if ( text )
        xenoprof_symbols_text(places->handle, text, size, &symbols);
    return symbols;
}

int places_open(struct places *places, const struct xen *xen,
                struct xenoprof_handle *handle, const char *xen_syms,
                struct failure *failure)
{
    *places = (struct places){
        .xen = xen,
        .handle = handle,
    };
    places_reset(places);
    if ( xen_syms[0] &&
         xenoprof_symbols_file(handle, xen_syms, &places->xen_symbols) )
        return fail(failure, STATUS_FAILED, "--xen-syms=%s cannot be used: %s",
                    xen_syms, xenoprof_message(handle));
    if ( !places->xen_symbols )
        places->xen_symbols = load_symbols(places, SYMBOLS_XEN);
    /* Before the symbols, so that a change in between is seen later. */
    places->modules = xen->calls->kmods(xen->self);
    places->dom0_symbols = load_symbols(places, SYMBOLS_DOM0);
    /* A session that is taken up again may have places without a name. */
    places->fresh = places->dom0_symbols;
    return 0;
}

void places_close(struct places *places)
{
    xenoprof_symbols_close(places->xen_symbols);
    xenoprof_symbols_close(places->dom0_symbols);
    xenoprof_symbols_close(places->old_symbols);
    table_free(&places->xen_made);
    address_table_clear(&places->xen_places);
    *places = (struct places){0};
}

void places_reset(struct places *places)
{
    places->made = 0;
    table_free(&places->xen_made);
    table_init(&places->xen_made, sizeof(uint64_t), sizeof(uint64_t));
    address_table_clear(&places->xen_places);
}

static void close_old(struct places *places)
{
    xenoprof_symbols_close(places->old_symbols);
    places->old_symbols = NULL;
}

/* For an address without a name: reads dom0's symbols again if they may have
 * changed.  Returns true if it did. */
static bool reload(struct places *places, uint64_t time)
{
    const struct xen *xen = places->xen;
    uint64_t modules = places->modules;
    struct xenoprof_symbols *fresh;

    if ( !places->next_reload )
        places->next_reload = time + RELOAD_PAUSE;
    if ( time < places->next_look )
        return false;
    places->next_look = time + LOOK_PAUSE;
    places->modules = xen->calls->kmods(xen->self);
    if ( places->modules == modules && time < places->next_reload )
        return false;
    places->next_reload = time + RELOAD_PAUSE;
    fresh = load_symbols(places, SYMBOLS_DOM0);
    if ( !fresh )
        return false;
    close_old(places);
    places->old_symbols = places->dom0_symbols;
    places->old_time = time;
    places->dom0_symbols = fresh;
    return places->fresh = true;
}

static bool find_dom0(struct places *places,
                      const struct xenoprof_sample *sample,
                      struct xenoprof_symbol *ret)
{
    if ( !places->dom0_symbols )
        return false;
    if ( places->old_symbols && sample->time != places->old_time )
        close_old(places);
    if ( xenoprof_symbols_find(places->dom0_symbols, sample->ip, ret) )
        return true;
    return reload(places, sample->time) &&
           xenoprof_symbols_find(places->dom0_symbols, sample->ip, ret);
}

bool places_symbol(struct places *places, const struct xenoprof_sample *sample,
                   struct xenoprof_symbol *ret)
{
    switch ( sample->mode )
    {
    case XENOPROF_MODE_XEN:
    case XENOPROF_MODE_IDLE:
        return places->xen_symbols &&
               xenoprof_symbols_find(places->xen_symbols, sample->ip, ret);
    case XENOPROF_MODE_KERNEL:
        return sample->domain == 0 && find_dom0(places, sample, ret);
    default: return false;
    }
}

enum xenoprof_status places_name_late(struct places *places,
                                      struct xenoprof_writer *writer)
{
    enum xenoprof_status code = XENOPROF_OK;
    bool fresh = places->fresh;
    uint32_t at = 0, number;
    uint64_t address;

    places->fresh = false;
    while ( fresh && !code &&
            xenoprof_writer_unnamed(writer, 0, XENOPROF_MODE_KERNEL, &at,
                                    &address) )
    {
        struct xenoprof_symbol symbol;
        struct xenoprof_place place = {.mode = XENOPROF_MODE_KERNEL,
                                       .address = address};

        if ( !xenoprof_symbols_find(places->dom0_symbols, address, &symbol) )
            continue;
        place.image = symbol.module ? symbol.module : "kernel";
        place.symbol = symbol.name;
        place.symbol_start = symbol.start;
        code = xenoprof_writer_place(writer, &place, &number);
    }
    return code;
}

static const char *image_name(uint8_t mode, const char *module)
{
    switch ( mode )
    {
    case XENOPROF_MODE_XEN:
    case XENOPROF_MODE_IDLE: return "xen";
    case XENOPROF_MODE_KERNEL: return module ? module : "kernel";
    default: return "user";
    }
}

static bool is_xen_sample(const struct xenoprof_sample *sample)
{
    return sample->mode == XENOPROF_MODE_XEN ||
           sample->mode == XENOPROF_MODE_IDLE;
}

/* Returns true if an address that is not in the session yet may have a place of
 * its own. */
static bool may_add(struct places *places, const struct xenoprof_sample *sample)
{
    if ( !is_xen_sample(sample) )
        return places->made < PLACES_MAX && ++places->made;
    return table_find(&places->xen_made, &sample->ip) ||
           (places->xen_made.count < XEN_PLACES_MAX &&
            table_put(&places->xen_made, &sample->ip));
}

static enum xenoprof_status find_or_store(struct places *places,
                                          struct xenoprof_writer *writer,
                                          const struct xenoprof_sample *sample,
                                          uint32_t *ret)
{
    struct xenoprof_symbol symbol = {0};
    struct xenoprof_place place = {
        .domain = sample->domain,
        .mode = sample->mode,
        .address = sample->ip,
    };

    if ( xenoprof_writer_known(writer, place.domain, place.mode, place.address,
                               ret) )
        return XENOPROF_OK;
    if ( !may_add(places, sample) )
        place.address = 0;
    else if ( place.address && places_symbol(places, sample, &symbol) )
    {
        place.symbol = symbol.name;
        place.symbol_start = symbol.start;
    }
    place.image = image_name(place.mode, symbol.module);
    return xenoprof_writer_place(writer, &place, ret);
}

enum xenoprof_status places_find(struct places *places,
                                 struct xenoprof_writer *writer,
                                 const struct xenoprof_sample *sample,
                                 uint32_t *ret)
{
    /* They are the same for all domains. */
    const bool kept = sample->mode == XENOPROF_MODE_XEN;
    enum xenoprof_status code;

    *ret = kept ? address_table_find(&places->xen_places, sample->ip) : 0;
    if ( *ret )
        return XENOPROF_OK;
    code = find_or_store(places, writer, sample, ret);
    if ( kept && !code )
        address_table_set(&places->xen_places, sample->ip, *ret);
    return code;
}

enum xenoprof_status places_find_callers(struct places *places,
                                         struct xenoprof_writer *writer,
                                         const struct xenoprof_sample *sample,
                                         const uint64_t *returns, size_t count,
                                         uint32_t *ret)
{
    uint64_t addresses[XENOPROF_CHAIN_MAX];
    struct xenoprof_sample caller = *sample;
    enum xenoprof_status code = XENOPROF_OK;

    if ( !count )
        return XENOPROF_OK;
    caller.mode = XENOPROF_MODE_XEN;
    for ( size_t i = 0; i < count; i++ )
        addresses[i] = returns[i] - 1;
    address_table_find_all(&places->xen_places, addresses, count, ret);
    for ( size_t i = 0; !code && i < count; i++ )
    {
        caller.ip = addresses[i];
        if ( !ret[i] )
            code = places_find(places, writer, &caller, &ret[i]);
    }
    return code;
}
