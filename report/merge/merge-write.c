/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge-write.h"

#include "base/must.h"
#include "libxenoprof/session/session-attributes.h"
#include "report/model/load.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 1024u /* as a session holds */

/* Stacks that differ from the session's in the same way are one. */
struct changed_stack {
    struct {
        uint32_t stack, place; /* of the session */
        uint32_t named, callers;
    } key;
    bool put;
};

struct merge_writer {
    struct merge_host *host;
    const struct merge_guest *guest;
    const char *note;
    struct xenoprof_handle *handle;
    struct xenoprof_copy *copy;
    struct merge_stacks stacks;
    struct table changed;
    bool *put;   /* places of the guest's, and the mark, that the copy has */
    size_t next; /* of the host's samples */
    bool noted;
    uint8_t uuids[MERGE_DOMAINS][16];
    uint32_t frames[FRAMES_MAX];
    size_t count;
};

static enum xenoprof_status put_item(struct merge_writer *writer,
                                     const struct xenoprof_item *item)
{
    return xenoprof_copy_put(writer->copy, item);
}

/* Puts a place of the guest's, which has a number behind the session's. */
static enum xenoprof_status put_guest_place(struct merge_writer *writer,
                                            uint32_t place, uint16_t domain)
{
    const struct merge_guest *guest = writer->guest;
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_PLACE};
    const struct merge_place *row;

    if ( writer->put[place - 1] )
        return XENOPROF_OK;
    writer->put[place - 1] = true;
    item.u.place.number = writer->host->places + place;
    item.u.place.place = (struct xenoprof_place){
        .domain = domain,
        .mode = XENOPROF_MODE_USER,
        .symbol = SESSION_SYMBOL_BORROWED};
    memcpy(item.u.place.uuid, writer->uuids[domain], sizeof(item.u.place.uuid));
    if ( place <= guest->places.count )
    {
        row = table_at(&guest->places, place - 1);
        item.u.place.place.address = row->key.address;
        item.u.place.place.symbol_start = row->key.start;
        item.u.place.place.image = names_text(&guest->names, row->key.image);
        item.u.place.place.symbol = names_text(&guest->names, row->key.symbol);
    }
    return put_item(writer, &item);
}

static enum xenoprof_status add_guest_frame(struct merge_writer *writer,
                                            uint32_t place, uint16_t domain)
{
    const enum xenoprof_status status = put_guest_place(writer, place, domain);

    if ( writer->count < FRAMES_MAX )
        writer->frames[writer->count++] = writer->host->places + place;
    return status;
}

/* Adds the session's own frames, where a process's have what names them. */
static enum xenoprof_status add_named(struct merge_writer *writer,
                                      const struct xenoprof_stored *sample,
                                      uint32_t named)
{
    size_t count;
    const uint32_t *places = merge_stacks_of(&writer->stacks, sample, &count);
    enum xenoprof_status status = XENOPROF_OK;

    for ( size_t i = 0; !status && i < count && writer->count < FRAMES_MAX;
          i++ )
    {
        const struct merge_frame frame = merge_stacks_place(&writer->stacks,
                                                            places[i]);
        uint64_t place = 0;

        if ( named && frame.mode == XENOPROF_MODE_USER && !frame.named &&
             frame.domain == sample->domain )
            place = merge_chains_leaf(&writer->guest->chains, named, &named);
        if ( place )
            status = add_guest_frame(writer, (uint32_t)place, sample->domain);
        else
            writer->frames[writer->count++] = places[i];
    }
    return status;
}

static enum xenoprof_status add_borrowed(struct merge_writer *writer,
                                         uint32_t callers, uint16_t domain)
{
    const struct merge_guest *guest = writer->guest;
    enum xenoprof_status status = add_guest_frame(
        writer, (uint32_t)guest->places.count + 1, domain);

    while ( !status && callers )
    {
        const uint64_t place = merge_chains_leaf(&guest->chains, callers,
                                                 &callers);

        status = add_guest_frame(writer, (uint32_t)place, domain);
    }
    return status;
}

/* Puts the stack that a sample has from now on, once.  Sets its number. */
static enum xenoprof_status put_changed(struct merge_writer *writer,
                                        const struct merge_sample *known,
                                        struct xenoprof_stored *sample)
{
    const struct changed_stack key = {.key = {sample->stack,
                                              sample->stack ? 0 : sample->place,
                                              known->named, known->callers}};
    struct changed_stack *row = must(table_put(&writer->changed, &key.key));
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_STACK};
    enum xenoprof_status status;

    item.u.stack.number = writer->host->stacks + 1 +
                          (uint32_t)table_index(&writer->changed, row);
    if ( !row->put )
    {
        row->put = true;
        writer->count = 0;
        status = add_named(writer, sample, known->named);
        if ( !status && known->callers )
            status = add_borrowed(writer, known->callers, sample->domain);
        item.u.stack.places = writer->frames;
        item.u.stack.count = writer->count;
        if ( !status )
            status = put_item(writer, &item);
        if ( status )
            return status;
    }
    sample->stack = item.u.stack.number;
    return XENOPROF_OK;
}

static enum xenoprof_status put_note(struct merge_writer *writer, uint64_t time)
{
    const struct xenoprof_item item = {
        .kind = XENOPROF_ITEM_ATTRIBUTE,
        .time = time,
        .u.attribute = {SESSION_ATTRIBUTE_MERGED, writer->note}};

    if ( writer->noted )
        return XENOPROF_OK;
    writer->noted = true;
    return put_item(writer, &item);
}

/* What chains of the guest's reach is known from there on. */
static enum xenoprof_status put_merged_sample(struct merge_writer *writer,
                                              const struct xenoprof_item *from)
{
    const struct merge_sample *known = NULL;
    struct xenoprof_item item = *from;
    enum xenoprof_status status = put_note(writer, item.u.sample.time);

    if ( merge_host_has(writer->host, &item.u.sample) &&
         writer->next < writer->host->samples.count )
        known = &writer->host->samples.items[writer->next++];
    if ( !status && known && known->named )
        status = put_changed(writer, known, &item.u.sample);
    if ( known && known->callers && known->borrowed )
        xenoprof_stored_set_ended(&item.u.sample, XENOPROF_ENDED_ROOT);
    return status ? status : put_item(writer, &item);
}

static enum xenoprof_status put_merged(struct merge_writer *writer,
                                       const struct xenoprof_item *item)
{
    const uint16_t domain = item->u.domain.domain;

    if ( item->kind == XENOPROF_ITEM_SAMPLE )
        return put_merged_sample(writer, item);
    if ( item->kind == XENOPROF_ITEM_DOMAIN )
    {
        merge_host_domain(writer->host, item);
        if ( domain < MERGE_DOMAINS )
            memcpy(writer->uuids[domain], item->u.domain.uuid,
                   sizeof(writer->uuids[domain]));
    }
    if ( merge_stacks_take(&writer->stacks, item) )
    {
        /* Another file's numbers. */
        table_free(&writer->changed);
        memset(writer->put, 0, writer->guest->places.count + 1);
    }
    return put_item(writer, item);
}

static enum xenoprof_status copy_merged(struct merge_writer *writer,
                                        struct xenoprof_session *session,
                                        char **damage)
{
    enum xenoprof_status code = XENOPROF_OK;
    struct xenoprof_item item;

    xenoprof_session_until(session, writer->host->position);
    while ( (code = xenoprof_session_next(session, &item)) != XENOPROF_END )
    {
        if ( code == XENOPROF_DAMAGED && !*damage )
            *damage = must(strdup(xenoprof_message(writer->handle)));
        if ( !code )
            code = put_merged(writer, &item);
        if ( code && code != XENOPROF_DAMAGED )
            return code;
    }
    return xenoprof_copy_end(writer->copy);
}

static void free_writer(struct merge_writer *writer)
{
    xenoprof_copy_destroy(writer->copy);
    merge_stacks_free(&writer->stacks);
    table_free(&writer->changed);
    free(writer->put);
    xenoprof_close(writer->handle);
    free(writer);
}

enum exit_status merge_write(struct merge_host *host,
                             const struct merge_guest *guest, const char *from,
                             const char *folder, const char *note,
                             char **damage, struct failure *failure)
{
    struct merge_writer *writer = must(calloc(1, sizeof(*writer)));
    struct xenoprof_session *session = NULL;
    enum xenoprof_status code;

    writer->host = host;
    writer->guest = guest;
    writer->note = note;
    writer->handle = must(xenoprof_open());
    writer->put = must(calloc(guest->places.count + 1, sizeof(*writer->put)));
    merge_stacks_init(&writer->stacks);
    table_init(&writer->changed, sizeof(((struct changed_stack *)0)->key),
               sizeof(struct changed_stack));
    memset(host->of, 0, sizeof(host->of));
    code = xenoprof_session_open(writer->handle, from, &session);
    if ( !code )
        code = xenoprof_copy_create(writer->handle, session, folder,
                                    &writer->copy);
    if ( !code )
        code = copy_merged(writer, session, damage);
    if ( code == XENOPROF_NO_MEMORY )
        no_memory();
    if ( code )
        fail(failure, STATUS_FAILED,
             "%s cannot be written anew: %s: is there room for it? (TMPDIR "
             "names another place)",
             from, xenoprof_message(writer->handle));
    xenoprof_copy_destroy(writer->copy);
    writer->copy = NULL;
    xenoprof_session_close(session);
    free_writer(writer);
    return failure->status;
}
