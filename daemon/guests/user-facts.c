/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One process's mappings and tables are asked for at a time; its samples wait
 * until the walker knows them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "guests.h"
#include "user-facts.h"

/* ns that mappings are good for; and between two times that they are asked for
 * anew since a chain left them. */
#define SPACE_AGE   10000000000ull
#define SPACE_RENEW 1000000000ull
/* ns between two times that all is told anew for want of numbers. */
#define EMPTY_PAUSE 10000000000ull
/* ns after which an image that found no room is tried again. */
#define ROOM_PAUSE 10000000000ull
/* Times that the agent may say that it has much to read for an image before
 * that is done without for a while: about a minute. */
#define TRIES (uint32_t)(AGENT_LATER_PATIENCE / AGENT_LATER_PAUSE)
/* ns after which an image is not in use. */
#define ROOM_UNUSED 10000000000ull
/* ns between two times that room is looked for: it costs a look at all
 * mappings, which are the guest's to choose. */
#define LOOK_PAUSE 250000000ull
/* So much of the room is made free at least: it is seldom looked for. */
#define FREE_PART 8

/* For want of numbers.  Returns false if that was done a moment ago: one
 * process that needs all of them must not cost the others all that the walker
 * knows, again and again. */
static bool empty(struct user_stacks *stacks)
{
    uint64_t now = monotonic_now();

    if ( stacks->emptied && now - stacks->emptied < EMPTY_PAUSE )
        return false;
    stacks->emptied = now;
    user_stacks_begin_anew(stacks);
    return true;
}

struct known_space *known_space_find(const struct user_stacks *stacks,
                                     const struct user_address *of)
{
    return table_find(&stacks->spaces, of);
}

bool known_space_is_fresh(const struct known_space *space)
{
    return space && space->since && monotonic_now() - space->since < SPACE_AGE;
}

/* They are by start. */
static const struct agent_mapping *find_known_mapping(
    const struct known_space *space, uint64_t address)
{
    uint32_t low = 0, high = space ? space->count : 0;

    while ( low < high )
    {
        uint32_t middle = low + (high - low) / 2;

        if ( address < space->mappings[middle].start )
            high = middle;
        else if ( address >= space->mappings[middle].end )
            low = middle + 1;
        else
            return &space->mappings[middle];
    }
    return NULL;
}

bool known_space_has(const struct known_space *space, uint64_t address)
{
    return find_known_mapping(space, address);
}

struct user_code known_space_code(const struct user_stacks *stacks,
                                  const struct known_space *space,
                                  const struct user_address *at)
{
    const struct agent_mapping *mapping = find_known_mapping(space,
                                                             at->address);
    struct user_code code = {.of = *at, .in_file = *at};

    if ( mapping && mapping->image && !(mapping->image & AGENT_IMAGE_NO_FILE) )
        code.in_file = (struct user_address){
            .address = at->address - mapping->start + mapping->offset,
            .image = mapping->image,
            .conversation = stacks->conversation};
    return code;
}

bool known_space_renew(struct user_stacks *stacks,
                       const struct user_address *of)
{
    struct known_space *space = table_find(&stacks->spaces, of);
    uint64_t now = monotonic_now();

    if ( !space || now - space->renewed < SPACE_RENEW )
        return false;
    space->renewed = now;
    space->since = 0;
    return true;
}

static void begin_fetch(struct user_stacks *stacks,
                        const struct wanted_space *wanted)
{
    struct known_space *space;

    if ( stacks->images.count > USER_TABLES_MAX - AGENT_MAPPINGS_MAX &&
         empty(stacks) )
        return;
    if ( stacks->spaces.count >= USER_SPACES_MAX ||
         stacks->pieces > USER_PIECES_MAX - AGENT_MAPPINGS_MAX )
        user_stacks_forget_spaces(stacks);
    space = table_put(&stacks->spaces, &wanted->of);
    if ( !space )
        return;
    space->since = 0;
    stacks->fetch.active = true;
    stacks->fetch.asked = false; /* what comes of another is of no use */
    stacks->fetch.space = (uint32_t)table_index(&stacks->spaces, space);
    stacks->fetch.mapping = UINT32_MAX;
    stacks->fetch.question = (struct agent_question){.time = wanted->time,
                                                     .tgid = wanted->of.pid};
}

static struct known_space *fetched(const struct user_stacks *stacks)
{
    return table_at(&stacks->spaces, stacks->fetch.space);
}

static bool is_same_user_address(const struct user_address *one,
                                 const struct user_address *other)
{
    return !memcmp(one, other, sizeof(*one));
}

/* It is being asked for, or will be. */
static bool is_coming(const struct user_stacks *stacks,
                      const struct user_address *of)
{
    bool coming = stacks->fetch.active &&
                  is_same_user_address(&fetched(stacks)->of, of);

    for ( uint32_t i = 0; !coming && i < stacks->wanted.count; i++ )
        coming = is_same_user_address(&stacks->wanted.items[i].of, of);
    return coming;
}

bool known_space_can_fetch(const struct user_stacks *stacks,
                           const struct user_address *of)
{
    return stacks->wanted.count < USER_WANTED_MAX && !is_coming(stacks, of);
}

void known_space_fetch(const struct xen *xen, struct user_names *names,
                       const struct user_address *of, uint64_t time)
{
    struct user_stacks *stacks = &names->stacks;
    const struct wanted_space wanted = {
        .of = *of, .time = guest_user_time(names, xen, time)};

    if ( !known_space_can_fetch(stacks, of) )
        return;
    /* After those that wait already. */
    if ( stacks->fetch.active )
        stacks->wanted.items[stacks->wanted.count++] = wanted;
    else
        begin_fetch(stacks, &wanted);
}

/* Begins with the next one that is still wanted. */
static void begin_next(struct user_stacks *stacks)
{
    while ( !stacks->fetch.active && stacks->wanted.count )
    {
        const struct wanted_space next = stacks->wanted.items[0];

        stacks->wanted.count--;
        memmove(stacks->wanted.items, stacks->wanted.items + 1,
                stacks->wanted.count * sizeof(next));
        if ( !known_space_is_fresh(known_space_find(stacks, &next.of)) )
            begin_fetch(stacks, &next);
    }
}

/* Tells the walker what the process has mapped, all of whose tables it has. */
static enum link_status tell_walker_space(struct user_stacks *stacks)
{
    static struct user_piece_mapped mapped[AGENT_MAPPINGS_MAX];
    struct known_space *space = fetched(stacks);
    enum link_status status;

    for ( uint32_t i = 0; i < space->count; i++ )
    {
        const struct agent_mapping *from = &space->mappings[i];
        const struct known_image *image = table_find(&stacks->images,
                                                     &from->image);

        mapped[i] = (struct user_piece_mapped){
            .start = from->start,
            .end = from->end,
            .offset = from->offset,
            .table = image && image->has_rows
                         ? (uint32_t)table_index(&stacks->images, image)
                         : USER_NO_TABLE};
    }
    status = user_walker_space(stacks->walker, stacks->fetch.space, mapped,
                               space->count);
    if ( status == LINK_OK )
    {
        space->since = space->used = monotonic_now();
        stacks->fetch.active = false;
    }
    return status;
}

/* There was no room for it a moment ago. */
static bool is_refused(const struct known_image *image)
{
    return image->refused && monotonic_now() - image->refused < ROOM_PAUSE;
}

/* Finds the next mapping whose table the walker does not have.  Returns false
 * if there is none. */
static bool find_missing(struct user_stacks *stacks)
{
    const struct known_space *space = fetched(stacks);

    for ( uint32_t i = stacks->fetch.mapping; i < space->count; i++ )
    {
        uint64_t number = space->mappings[i].image;
        struct known_image *image = number
                                        ? table_find(&stacks->images, &number)
                                        : NULL;

        /* There may be no room for another one. */
        if ( number && !image && stacks->images.count < USER_TABLES_MAX )
            image = table_put(&stacks->images, &number);

        stacks->fetch.mapping = i;
        if ( image && !image->whole && !is_refused(image) )
            return true;
    }
    return false;
}

static bool ask_rows(struct user_names *names)
{
    const struct user_stacks *stacks = &names->stacks;
    const struct agent_mapping *mapping =
        &fetched(stacks)->mappings[stacks->fetch.mapping];
    const struct known_image *image = table_find(&stacks->images,
                                                 &mapping->image);
    struct agent_rows_question question = {stacks->fetch.question,
                                           image->filled};

    question.where.address = mapping->start;
    return agent_link_ask_rows(names->link, &question);
}

/* Goes on with what is being asked for, if the agent can be asked now. */
static enum link_status go_on_fetching(struct user_names *names)
{
    struct user_stacks *stacks = &names->stacks;

    if ( stacks->fetch.asked )
        return LINK_OK;
    if ( stacks->fetch.mapping == UINT32_MAX )
        stacks->fetch.asked = agent_link_ask_space(names->link,
                                                   &stacks->fetch.question);
    else if ( find_missing(stacks) )
        stacks->fetch.asked = ask_rows(names);
    else
        return tell_walker_space(stacks);
    return LINK_OK;
}

/* The same with what was wanted meanwhile. */
static enum link_status go_on_with_all(struct user_names *names)
{
    struct user_stacks *stacks = &names->stacks;
    enum link_status status = LINK_OK;

    do
    {
        begin_next(stacks);
        if ( stacks->fetch.active )
            status = go_on_fetching(names);
    } while ( status == LINK_OK && !stacks->fetch.active &&
              stacks->wanted.count );
    return status;
}

/* What there was before is replaced; without an answer by nothing. */
static void take_fetched_space(struct user_stacks *stacks,
                               const struct agent_reply *reply)
{
    struct known_space *space = fetched(stacks);
    size_t size = reply->count * sizeof(*space->mappings);

    free(space->mappings);
    stacks->pieces -= space->count;
    space->count = 0;
    space->mappings = malloc(size + !size);
    if ( space->mappings && size )
    {
        memcpy(space->mappings, reply->mappings, size);
        space->count = reply->count;
    }
    stacks->pieces += space->count;
    stacks->fetch.mapping = 0;
}

/* Whether a piece is of the table that is being told. */
static bool is_piece_of(const struct known_image *image,
                        const struct agent_reply *reply)
{
    return reply->size &&
           (!image->filled || reply->table.size == image->size) &&
           reply->size <= reply->table.size - image->filled;
}

static enum link_status hand_on(struct user_stacks *stacks,
                                struct known_image *image,
                                const struct agent_reply *reply)
{
    enum link_status status = user_walker_table(
        stacks->walker, (uint32_t)table_index(&stacks->images, image),
        &reply->table, image->filled, reply->piece, reply->size);

    if ( status != LINK_OK )
        return status;
    stacks->bytes += image->filled ? 0 : reply->table.size;
    image->size = reply->table.size;
    image->filled += reply->size;
    image->used = monotonic_now();
    image->refused = 0;
    image->has_rows = image->whole = image->filled == image->size;
    return LINK_OK;
}

/* Room ------------------------------------------------------------------- */

/*
 * What was not needed for a while goes for others, least used first; what is in
 * use stays, so that nobody who brings more than there is room for takes
 * callers from those that have some.  An image keeps its number when its table
 * goes.  The process that is being asked for needs its images now.
 */
static void note_uses(struct user_stacks *stacks)
{
    for ( size_t i = 0; i < stacks->spaces.count; i++ )
    {
        const struct known_space *space = table_at(&stacks->spaces, i);
        bool coming = stacks->fetch.active && i == stacks->fetch.space;
        uint64_t used = coming ? monotonic_now() : space->used;

        for ( uint32_t k = 0; k < space->count; k++ )
        {
            struct known_image *image = table_find(&stacks->images,
                                                   &space->mappings[k].image);

            if ( image && image->used < used )
                image->used = used;
        }
    }
}

/* Returns the image with a table that has not been used for longest, and not
 * since then; or NULL. */
static struct known_image *least_used(struct user_stacks *stacks,
                                      uint64_t since)
{
    struct known_image *least = NULL;

    for ( size_t i = 0; i < stacks->images.count; i++ )
    {
        struct known_image *image = table_at(&stacks->images, i);

        if ( image->filled && image->used < since &&
             (!least || image->used < least->used) )
            least = image;
    }
    return least;
}

static enum link_status drop_image_table(struct user_stacks *stacks,
                                         struct known_image *image)
{
    enum link_status status = user_walker_forget(
        stacks->walker, (uint32_t)table_index(&stacks->images, image));

    if ( status != LINK_OK )
        return status;
    stacks->bytes -= image->size;
    *image = (struct known_image){
        .image = image->image, .used = image->used, .lost = true};
    return LINK_OK;
}

static bool has_lost(const struct user_stacks *stacks,
                     const struct known_space *space)
{
    bool lost = false;

    for ( uint32_t i = 0; !lost && i < space->count; i++ )
    {
        const struct known_image *image = table_find(&stacks->images,
                                                     &space->mappings[i].image);

        lost = image && image->lost;
    }
    return lost;
}

/* The walker has dropped their spaces; who is sampled again is asked for. */
static void forget_spaces_of_lost(struct user_stacks *stacks)
{
    for ( size_t i = 0; i < stacks->spaces.count; i++ )
    {
        struct known_space *space = table_at(&stacks->spaces, i);

        if ( has_lost(stacks, space) )
            space->since = 0;
    }
    for ( size_t i = 0; i < stacks->images.count; i++ )
        ((struct known_image *)table_at(&stacks->images, i))->lost = false;
}

/* Tables that were not used since then go, until all have so many bytes. */
static enum link_status drop_unused_tables(struct user_stacks *stacks,
                                           size_t bytes, uint64_t since)
{
    enum link_status status = LINK_OK;
    struct known_image *image;

    note_uses(stacks);
    while ( status == LINK_OK && stacks->bytes > bytes &&
            (image = least_used(stacks, since)) )
        status = drop_image_table(stacks, image);
    forget_spaces_of_lost(stacks);
    return status;
}

static bool has_room(const struct user_stacks *stacks, size_t size)
{
    return stacks->bytes <= stacks->room &&
           size <= stacks->room - stacks->bytes;
}

/* *room: there is room for a table of so many bytes, or was made.  Returns
 * LINK_OK, LINK_MORE if the walker takes nothing now, or how it ended; so does
 * the next one. */
static enum link_status make_table_room(struct user_stacks *stacks, size_t size,
                                        bool *room)
{
    uint64_t now = monotonic_now();
    size_t part = size + stacks->room / FREE_PART;
    enum link_status status = LINK_OK;

    *room = has_room(stacks, size);
    if ( *room || size > stacks->room || now < ROOM_UNUSED ||
         (stacks->full && now - stacks->full < LOOK_PAUSE) )
        return LINK_OK;
    status = drop_unused_tables(stacks,
                                part < stacks->room ? stacks->room - part : 0,
                                now - ROOM_UNUSED);
    *room = status == LINK_OK && has_room(stacks, size);
    if ( status == LINK_OK && !*room )
        stacks->full = now;
    return status;
}

/* Answers ---------------------------------------------------------------- */

/* The agent has much to read for the image: other processes come first. */
static void put_image_off(struct user_stacks *stacks, struct known_image *image)
{
    const struct wanted_space own = {.of = fetched(stacks)->of,
                                     .time = stacks->fetch.question.time};

    if ( !(++image->tries % TRIES) )
        image->refused = monotonic_now();
    else if ( stacks->wanted.count && stacks->wanted.count < USER_WANTED_MAX )
    {
        stacks->wanted.items[stacks->wanted.count++] = own;
        stacks->fetch.active = false;
    }
}

/* A table that changes on the way is none. */
static enum link_status take_table_piece(struct user_stacks *stacks,
                                         const struct agent_reply *reply)
{
    const struct agent_mapping *mapping =
        &fetched(stacks)->mappings[stacks->fetch.mapping];
    struct known_image *image = table_find(&stacks->images, &mapping->image);
    bool room = image->filled, is_piece = is_piece_of(image, reply);
    enum link_status status = LINK_OK;

    /* The process has ended, or has something else there by now; others that
     * have this image are asked for it. */
    if ( reply->table.image != image->image )
    {
        stacks->fetch.mapping++;
        return LINK_OK;
    }
    if ( reply->later )
    {
        put_image_off(stacks, image);
        return LINK_OK;
    }
    if ( is_piece && !room )
        status = make_table_room(stacks, reply->table.size, &room);
    if ( status == LINK_OK && is_piece && room )
        return hand_on(stacks, image, reply);
    if ( status == LINK_OK && is_piece )
        image->refused = monotonic_now();
    image->whole = !is_piece;
    return status;
}

/* The answer to what was asked last: mappings if there were none yet. */
static enum link_status take_fetched(struct user_stacks *stacks,
                                     const struct agent_reply *reply)
{
    if ( stacks->fetch.mapping != UINT32_MAX )
        return take_table_piece(stacks, reply);
    take_fetched_space(stacks, reply);
    return LINK_OK;
}

/* Of another conversation images may have the same numbers. */
static bool is_other_conversation(struct user_names *names)
{
    uint32_t now = agent_link_conversation(names->link);
    bool other = now != names->stacks.conversation;

    names->stacks.conversation = now;
    return other;
}

/* Others came, and each has a smaller share.  What goes may be the process's
 * that is being asked for. */
static enum link_status keep_room(struct user_stacks *stacks)
{
    if ( stacks->bytes <= stacks->room || stacks->fetch.asked )
        return LINK_OK;
    if ( stacks->fetch.mapping != UINT32_MAX )
        stacks->fetch.mapping = 0;
    return drop_unused_tables(stacks, stacks->room, UINT64_MAX);
}

enum link_status user_facts_exchange(struct user_names *names)
{
    struct user_stacks *stacks = &names->stacks;
    const struct agent_reply *reply = agent_link_reply(names->link);
    enum link_status status = LINK_OK;

    if ( reply && reply->kind == AGENT_INLINES )
        reply = NULL; /* user-inlines.c takes it */
    if ( is_other_conversation(names) )
        user_stacks_begin_anew(stacks);
    if ( !agent_link_has_rows(names->link) || names->spent )
    {
        stacks->fetch.active = stacks->fetch.asked = false;
        stacks->wanted.count = 0;
    }
    /* What was asked for before the walker ended is of no use any more. */
    if ( reply && stacks->fetch.active && stacks->fetch.asked )
        status = take_fetched(stacks, reply);
    if ( reply && status != LINK_MORE )
    {
        agent_link_take_reply(names->link);
        stacks->fetch.asked = false;
    }
    if ( status == LINK_OK )
        status = keep_room(stacks);
    return status == LINK_OK ? go_on_with_all(names) : status;
}
