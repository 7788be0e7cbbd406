/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places of a guest's code: made within its share, and named by its walker,
 * or by dom0's own symbols. */
#include "guest-questions.h"

static const struct kernel_symbol nothing;

static struct address_table *table_of(struct guest *guest, uint8_t mode)
{
    return &guest->places[mode == XENOPROF_MODE_KERNEL];
}

/* dom0's kernel publishes its symbols.  The name is good until the next
 * call. */
static bool name_dom0(const struct guests *guests, const struct guest *guest,
                      uint8_t mode, uint64_t address, struct kernel_symbol *ret)
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
static enum xenoprof_status find_place(struct xenoprof_writer *writer,
                                       struct guest_account *account,
                                       const struct guest *guest, uint8_t mode,
                                       uint64_t address,
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
        return make_place(writer, guest, mode, 0, &nothing, ret);
    code = make_place(writer, guest, mode, address, name ? name : &nothing,
                      ret);
    account->places_made += !code && *ret != known;
    return code;
}

void guest_place_expect(const struct xenoprof_writer *writer,
                        struct guest *guest, uint8_t mode, uint64_t address)
{
    xenoprof_writer_expect(writer, guest->domain, mode, address);
    address_table_expect(table_of(guest, mode), address);
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

    *ret = name ? 0 : address_table_find(table_of(guest, mode), address);
    if ( *ret )
        return XENOPROF_OK;
    if ( name_dom0(guests, guest, mode, address, &own) )
        name = &own;
    code = find_place(writer, guests_account(guests, guest), guest, mode,
                      address, name, ret);
    if ( !code )
        address_table_set(table_of(guest, mode), address, *ret);
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

static void forget_places(struct guest *guest)
{
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

void guests_forget_places(struct guests *guests)
{
    struct table *accounts = &guests->accounts.table;

    for ( size_t i = 0; i < GUESTS_MAX; i++ )
        if ( guests->guests[i].used )
            forget_places(&guests->guests[i]);
    for ( size_t i = 0; i < accounts->count; i++ )
    {
        struct guest_account *account = table_at(accounts, i);

        account->places_made = account->frames_made = 0;
    }
}
