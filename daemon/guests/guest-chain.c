/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest part of a sample's stack: frames, their names, their places. */
#include "guests.h"

/* Where 64-bit kernels are. */
#define KERNEL_HALF 0x8000000000000000ul
#define PAGE_BYTES  4096u

/* Frames that have no place yet. */
struct nameless {
    size_t frames[GUEST_FRAMES_MAX]; /* which ones */
    uint64_t addresses[GUEST_FRAMES_MAX];
    size_t count;
};

static struct address_table *table_of(struct guest *guest, uint8_t mode)
{
    return &guest->places[mode == XENOPROF_MODE_KERNEL];
}

static void set_start(const struct guest_sample *sample,
                      struct unwind_start *ret)
{
    *ret = (struct unwind_start){
        .ip = sample->ip,
        .registers = sample->registers,
        .bits32 = sample->ip >> 32 == 0,
        .kernel = sample->mode == XENOPROF_MODE_KERNEL,
    };
    for ( int i = 0; i < 2; i++ )
    {
        const struct xenoprof_window *window = sample->windows[i];

        if ( window )
            ret->windows[i] = (struct unwind_window){
                window->address, (const uint8_t *)(window + 1), window->length};
    }
}

/* Without a parser or a stack the chain is the interrupted instruction. */
static void just_leaf(const struct guest_sample *sample,
                      struct unwind_result *ret)
{
    ret->frames[0] = sample->ip;
    ret->exact[0] = true;
    ret->count = 1;
    ret->end = UNWIND_NO_RULE;
}

/* A window that was filled ends anywhere; one that was cut short ends at a
 * page, where the stack could not be read. */
static enum xenoprof_ended left_windows(const struct guest_sample *sample)
{
    const struct xenoprof_window *last = sample->windows[1]
                                             ? sample->windows[1]
                                             : sample->windows[0];

    return last && (last->address + last->length) % PAGE_BYTES
               ? XENOPROF_ENDED_WINDOW
               : XENOPROF_ENDED_PAGE;
}

/* Returns how the chain ended: what the parser said, or why it was not
 * asked. */
static enum xenoprof_ended ended_by(const struct guest *guest,
                                    const struct guest_sample *sample,
                                    enum unwind_end end)
{
    if ( !sample->registers )
        return XENOPROF_ENDED_GUEST;
    if ( !sample->windows[0] )
        return XENOPROF_ENDED_PAGE;
    switch ( end )
    {
    case UNWIND_ROOT:
    case UNWIND_USER: return XENOPROF_ENDED_ROOT;
    case UNWIND_WINDOW: return left_windows(sample);
    case UNWIND_NONSENSE: return XENOPROF_ENDED_NONSENSE;
    default:
        return guest->state == GUEST_KNOWN ? XENOPROF_ENDED_RULE
                                           : XENOPROF_ENDED_KERNEL;
    }
}

/* Returns how the chain ended. */
static enum xenoprof_ended unwind(struct guests *guests, struct guest *guest,
                                  const struct guest_sample *sample,
                                  struct unwind_result *ret)
{
    struct unwind_start start;
    enum link_status code = LINK_NONE;

    if ( guests->link && guest->state != GUEST_BANNED && sample->registers &&
         sample->windows[0] )
    {
        set_start(sample, &start);
        code = parser_link_stack(guests->link, guests_slot(guests, guest),
                                 &start, ret);
    }
    if ( code == LINK_DIED )
        guests_died(guests, guest);
    if ( code == LINK_OK )
        return ended_by(guest, sample, ret->end);
    just_leaf(sample, ret);
    return sample->registers && sample->windows[0]
               ? XENOPROF_ENDED_KERNEL
               : ended_by(guest, sample, ret->end);
}

static void find_places(const struct address_table *table,
                        const struct unwind_result *frames,
                        struct guest_chain *chain, struct nameless *nameless)
{
    nameless->count = 0;
    chain->count = frames->count;
    for ( size_t i = 0; i < frames->count; i++ )
    {
        /* A caller is where its call is, as in stacks.h. */
        uint64_t address = frames->frames[i] - !frames->exact[i];

        chain->places[i] = address_table_find(table, address);
        if ( chain->places[i] )
            continue;
        nameless->addresses[nameless->count] = address;
        nameless->frames[nameless->count++] = i;
    }
}

/* The name is good until the next call. */
static void name_dom0(const struct guests *guests,
                      const struct guest_sample *sample, uint64_t address,
                      struct wire_name *name)
{
    const struct xenoprof_sample at = {
        .time = sample->time, .mode = sample->mode, .ip = address};
    struct xenoprof_symbol symbol;

    if ( sample->domain == 0 && guests->name_dom0 &&
         guests->name_dom0(guests->namer, &at, &symbol) )
        *name = (struct wire_name){symbol.name, symbol.module, symbol.start, 0};
}

/* Returns true if the names will be the same next time. */
static bool ask_names(struct guests *guests, struct guest *guest,
                      const struct guest_sample *sample,
                      const struct nameless *nameless, struct wire_name *names)
{
    enum link_status code = LINK_NONE;

    for ( size_t i = 0; i < nameless->count; i++ )
        names[i] = (struct wire_name){0};
    if ( sample->mode != XENOPROF_MODE_KERNEL )
        return true;
    if ( guest->state == GUEST_KNOWN )
        code = parser_link_names(guests->link, guests_slot(guests, guest),
                                 nameless->addresses, nameless->count, names);
    if ( code == LINK_DIED )
        guests_died(guests, guest);
    if ( code != LINK_OK )
        for ( size_t i = 0; i < nameless->count; i++ )
            names[i] = (struct wire_name){0};
    return code == LINK_OK || guest->state == GUEST_BANNED ||
           guest->state == GUEST_STRANGE;
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

static enum xenoprof_status make_place(struct xenoprof_writer *writer,
                                       const struct guest_sample *sample,
                                       uint64_t address,
                                       const struct wire_name *name,
                                       uint32_t *ret)
{
    struct xenoprof_place place = {
        .domain = sample->domain,
        .mode = sample->mode,
        .address = address,
        .image = "user",
        .symbol = name->name,
        .symbol_start = name->name ? name->start : 0,
    };

    if ( sample->mode == XENOPROF_MODE_KERNEL )
        place.image = name->module ? name->module : "kernel";
    return xenoprof_writer_place(writer, &place, ret);
}

/* The place of an address: what is known, by whatever name, when the guest may
 * have no more places, or else that of address 0. */
static enum xenoprof_status find_place(struct xenoprof_writer *writer,
                                       struct guest_account *account,
                                       const struct guest_sample *sample,
                                       uint64_t address,
                                       const struct wire_name *name,
                                       uint32_t *ret)
{
    static const struct wire_name none;
    bool may_be_new = account->places_made < GUEST_PLACES_MAX;
    enum xenoprof_status code;
    uint32_t known;

    if ( xenoprof_writer_known(writer, sample->domain, sample->mode, address,
                               &known) &&
         !may_be_new )
    {
        *ret = known;
        return XENOPROF_OK;
    }
    if ( !may_be_new )
        return make_place(writer, sample, 0, &none, ret);
    code = make_place(writer, sample, address, name, ret);
    account->places_made += !code && *ret != known;
    return code;
}

/* Code without a name may be a module's that was loaded since. */
static void note_unnamed(struct guests *guests, struct guest *guest,
                         const struct guest_sample *sample,
                         const struct nameless *nameless,
                         const struct wire_name *names)
{
    for ( size_t i = 0; i < nameless->count; i++ )
        if ( !names[i].name && nameless->addresses[i] >= KERNEL_HALF )
        {
            guests_look_at_modules(guests, guest, sample);
            return;
        }
}

static enum xenoprof_status make_places(struct guests *guests,
                                        struct xenoprof_writer *writer,
                                        struct guest *guest,
                                        const struct guest_sample *sample,
                                        const struct nameless *nameless,
                                        struct guest_chain *chain)
{
    struct wire_name names[GUEST_FRAMES_MAX];
    bool last = ask_names(guests, guest, sample, nameless, names);
    enum xenoprof_status code = XENOPROF_OK;

    for ( size_t i = 0; !code && i < nameless->count; i++ )
    {
        uint32_t *place = &chain->places[nameless->frames[i]];
        uint64_t address = nameless->addresses[i];

        name_dom0(guests, sample, address, &names[i]);
        code = find_place(writer, guests_account(guests, guest), sample,
                          address, &names[i], place);
        if ( !code && last )
            address_table_set(table_of(guest, sample->mode), address, *place);
    }
    if ( last && guest->state == GUEST_KNOWN )
        note_unnamed(guests, guest, sample, nameless, names);
    return code;
}

enum xenoprof_status guests_chain(struct guests *guests,
                                  struct xenoprof_writer *writer,
                                  const struct guest_sample *sample,
                                  struct guest_chain *ret)
{
    struct guest *guest = guests_find(guests, sample);
    struct unwind_result frames;
    struct nameless nameless;

    ret->ended = XENOPROF_ENDED_ROOT;
    if ( sample->mode == XENOPROF_MODE_KERNEL )
        ret->ended = unwind(guests, guest, sample, &frames);
    else
        just_leaf(sample, &frames);
    find_places(table_of(guest, sample->mode), &frames, ret, &nameless);
    return nameless.count
               ? make_places(guests, writer, guest, sample, &nameless, ret)
               : XENOPROF_OK;
}
