/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When names of code in cached files are looked for, and what comes of it. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "guest-cached.h"
#include "named-places.h"
#include "task-search.h"

/* Of a guest's memory, for each address: a large file's symbols. */
#define BYTES_EACH (2u << 20)

struct cached_file {
    uint64_t id;
    uint64_t mapping;
    char *path; /* malloc'ed; "": not known; NULL: no memory */
};

struct cached_code {
    struct file_code key;
    uint64_t since; /* our clock: of the question, or the answer */
    uint32_t place; /* 0: none in this file of the session */
    bool waits;     /* the answer is to come */
    bool answered;
    bool lasts; /* it does not grow old */
};

struct cached_search {
    struct task_search *search;
    struct file_code asked[LEAVES_MAX];
    size_t count;
};

void guest_cached_init(struct guest_cached *cached)
{
    *cached = (struct guest_cached){.wanted = false};
    table_init(&cached->files, sizeof(uint64_t), sizeof(struct cached_file));
    table_init(&cached->code, sizeof(struct file_code),
               sizeof(struct cached_code));
    named_places_init(&cached->places);
}

static void forget_files(struct guest_cached *cached)
{
    for ( size_t i = 0; i < cached->files.count; i++ )
    {
        struct cached_file *file = table_at(&cached->files, i);

        free(file->path);
    }
    table_free(&cached->files);
}

void guest_cached_forget(struct guest_cached *cached)
{
    forget_files(cached);
    table_free(&cached->code);
    table_free(&cached->places);
    vector_free(&cached->queue);
    cached->first = 0;
}

/* What waits gets a place of the next file. */
void guest_cached_forget_places(struct guest_cached *cached)
{
    table_free(&cached->places);
    for ( size_t i = 0; i < cached->code.count; i++ )
    {
        struct cached_code *code = table_at(&cached->code, i);

        code->place = 0;
        code->answered = false;
    }
}

/* What it was asked for may be asked for again; answered: not for a while. */
static void settle(struct guest_cached *cached, bool answered)
{
    const struct cached_search *search = cached->search;

    for ( size_t i = 0; i < search->count; i++ )
    {
        struct cached_code *code = table_find(&cached->code, &search->asked[i]);

        if ( !code || !code->waits )
            continue;
        code->waits = false;
        code->answered = answered;
        code->since = monotonic_now();
    }
}

void guest_cached_stop(struct guests *guests, struct guest *guest)
{
    struct guest_cached *cached = &guest->cached;

    if ( !cached->search )
        return;
    settle(cached, false);
    cached->next = monotonic_now() + CACHED_PAUSE +
                   task_search_end(guests, guest, cached->search->search);
    free(cached->search);
    cached->search = NULL;
    guests->cached.count--;
}

/* Files ------------------------------------------------------------------ */

/* Those that are known go when there are too many, with their code: who has
 * them mapped is read again before long. */
static bool make_room(struct guest_cached *cached)
{
    if ( cached->files.count < CACHED_FILES_MAX )
        return true;
    if ( cached->search || cached->first < cached->queue.count )
        return false;
    forget_files(cached);
    table_free(&cached->code);
    return true;
}

static void know_file(struct guest_cached *cached,
                      const struct guest_file *file, const char *path)
{
    struct cached_file *known = table_find(&cached->files, &file->id);

    if ( known || !make_room(cached) )
        return;
    known = table_put(&cached->files, &file->id);
    if ( known )
    {
        known->mapping = file->mapping;
        known->path = strdup(path);
    }
}

void guest_cached_know(struct guest_cached *cached,
                       const struct mapped_space *space)
{
    for ( uint32_t i = 0; i < space->count; i++ )
        if ( space->code[i].file )
            know_file(cached, &space->file[space->code[i].file - 1],
                      mapped_name(space, &space->code[i]));
}

/* Samples ------------------------------------------------------------ */

bool guest_cached_is(const struct guest *guest,
                     const struct guest_sample *sample)
{
    return sample->mode == XENOPROF_MODE_USER && !guest->user &&
           guest->cached.wanted;
}

static bool may_search(const struct guests *guests, const struct guest *guest)
{
    return guest->state == GUEST_KNOWN && !guest->gone && guests->maker &&
           !guest_account_user_is_spent(
               guests_account((struct guests *)guests, guest));
}

/* Returns false if it is not known which file's code it is. */
static bool code_of(const struct guest *guest,
                    const struct guest_sample *sample, struct file_code *ret)
{
    return guest_mappings_code(guest, sample, ret) &&
           table_find(&guest->cached.files, &ret->file);
}

/* Returns what is known, or will be; NULL: it is to be asked for. */
static const struct cached_code *find_code(const struct guest_cached *cached,
                                           const struct file_code *key)
{
    const struct cached_code *code = table_find(&cached->code, key);
    bool old = code && monotonic_now() - code->since >= CACHED_AGE;

    return code && (code->waits || (code->answered && (code->lasts || !old)))
               ? code
               : NULL;
}

enum guest_wait guest_cached_wait(const struct guests *guests,
                                  const struct guest *guest,
                                  const struct guest_sample *sample)
{
    const struct cached_code *code;
    struct file_code key;
    enum guest_wait wait;

    if ( !sample->thread.pid || !may_search(guests, guest) )
        return GUEST_READY;
    wait = guest_mappings_wait(guests, guest, sample);
    if ( wait != GUEST_NOT_ASKED )
        return wait;
    if ( !code_of(guest, sample, &key) )
        return guest_mappings_may_note(guest, sample) ? GUEST_NOT_ASKED
                                                      : GUEST_READY;
    code = find_code(&guest->cached, &key);
    if ( !code )
        return GUEST_NOT_ASKED;
    return code->waits && monotonic_now() - code->since < CACHED_PATIENCE
               ? GUEST_ASKED
               : GUEST_READY;
}

bool guest_cached_can_ask(const struct guest *guest)
{
    const struct guest_cached *cached = &guest->cached;

    return cached->code.count < CACHED_CODE_MAX ||
           (!cached->search && cached->first == cached->queue.count);
}

/* Puts it into the queue.  Returns false if there is no room now. */
static bool want(struct guest *guest, const struct file_code *key)
{
    struct guest_cached *cached = &guest->cached;
    struct cached_code *code;
    struct file_code *queued;

    if ( !guest_cached_can_ask(guest) )
        return false;
    if ( cached->code.count >= CACHED_CODE_MAX )
        table_free(&cached->code);
    code = table_put(&cached->code, key);
    queued = code ? vector_add(&cached->queue) : NULL;
    if ( !queued )
        return false;
    *queued = *key;
    code->waits = true;
    code->since = monotonic_now();
    return true;
}

bool guest_cached_ask(struct guests *guests, struct guest *guest,
                      const struct guest_sample *sample)
{
    struct file_code key;

    return guest_cached_wait(guests, guest, sample) != GUEST_NOT_ASKED ||
           guest_mappings_note(guests, guest, sample) ||
           (code_of(guest, sample, &key) && want(guest, &key));
}

bool guest_cached_is_away(const struct guest *guest)
{
    return guest->cached.search || guest->mappings.search;
}

enum xenoprof_status guest_cached_leaf(struct guests *guests,
                                       struct xenoprof_writer *writer,
                                       struct guest *guest,
                                       const struct guest_sample *sample,
                                       uint32_t *ret)
{
    const struct xenoprof_place place = {
        .mode = XENOPROF_MODE_USER, .address = sample->ip, .image = "user"};
    const struct cached_code *code = NULL;
    struct file_code key;

    if ( sample->thread.pid && code_of(guest, sample, &key) )
        code = table_find(&guest->cached.code, &key);
    *ret = code ? code->place : 0;
    return *ret ? XENOPROF_OK
                : named_place(guests, writer, guest, &guest->cached.places,
                              &place, ret);
}

/* Searches ------------------------------------------------------------ */

static void take_queue(struct guest_cached *cached,
                       struct cached_search *search)
{
    while ( search->count < LEAVES_MAX && cached->first < cached->queue.count )
        search->asked[search->count++] = cached->queue.items[cached->first++];
    if ( cached->first < cached->queue.count )
        return;
    cached->queue.count = 0;
    cached->first = 0;
}

static void begin_search(struct guests *guests, const struct guest *guest,
                         struct cached_search *search)
{
    struct leaf_question questions[LEAVES_MAX] = {0};
    const struct search_order order = {
        .kind = SEARCH_LEAVES,
        .budget = search->count * BYTES_EACH,
        .leaves = questions,
        .count = search->count,
    };

    for ( size_t i = 0; i < search->count; i++ )
    {
        const struct cached_file *file = table_find(&guest->cached.files,
                                                    &search->asked[i].file);

        if ( file )
            questions[i].file = (struct guest_file){file->mapping, file->id};
        questions[i].offset = search->asked[i].offset;
    }
    search->search = task_search_begin(guests, guest, &order);
}

/* The queue stays if no search can begin now. */
static void begin(struct guests *guests, struct guest *guest)
{
    struct guest_cached *cached = &guest->cached;
    struct cached_search *search = calloc(1, sizeof(*search));
    size_t first = cached->first, count = cached->queue.count;

    cached->next = monotonic_now() + CACHED_PAUSE;
    if ( search )
    {
        take_queue(cached, search);
        begin_search(guests, guest, search);
    }
    if ( !search || !search->search )
    {
        cached->first = first;
        cached->queue.count = count;
        free(search);
        return;
    }
    cached->search = search;
    guests->cached.count++;
}

static enum xenoprof_status take_name(struct guests *guests,
                                      struct xenoprof_writer *writer,
                                      struct guest *guest,
                                      const struct file_code *key,
                                      const struct leaf_name *name)
{
    struct guest_cached *cached = &guest->cached;
    const struct cached_file *file = table_find(&cached->files, &key->file);
    struct cached_code *code = table_find(&cached->code, key);
    struct xenoprof_place place = {
        .mode = XENOPROF_MODE_USER,
        .address = name->address,
        .image = file ? file->path : NULL,
    };

    /* Code of a file that has neither a path nor a symbol says nothing. */
    if ( !code || !place.image ||
         (!*place.image && name->found != LEAF_SYMBOL) )
        return XENOPROF_OK;
    if ( !*place.image )
        place.image = "user";
    if ( name->found == LEAF_SYMBOL )
    {
        place.symbol = name->name;
        place.symbol_start = name->start;
    }
    code->lasts = name->found == LEAF_SYMBOL ||
                  (name->found == LEAF_ADDRESS && !name->absent);
    return named_place(guests, writer, guest, &cached->places, &place,
                       &code->place);
}

/* Another guest may have the number by now: nothing is said of it then. */
static enum xenoprof_status take(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 struct guest *guest)
{
    const struct cached_search *search = guest->cached.search;
    const struct search_result *result = task_search_result(search->search);
    enum xenoprof_status code = guests_own(guests, writer, guest);

    for ( size_t i = 0; !code && result->leaves && i < search->count; i++ )
        code = take_name(guests, writer, guest, &search->asked[i],
                         &result->leaves[i]);
    return code == XENOPROF_END ? XENOPROF_OK : code;
}

static enum xenoprof_status work(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 struct guest *guest, uint64_t ns)
{
    enum link_status status = task_search_work(guest->cached.search->search,
                                               ns);
    enum xenoprof_status code = XENOPROF_OK;

    if ( status == LINK_MORE )
        return XENOPROF_OK;
    if ( status == LINK_OK )
        code = take(guests, writer, guest);
    settle(&guest->cached, true);
    guest_cached_stop(guests, guest);
    return status == LINK_DIED ? guests_struck(guests, writer, guest) : code;
}

static bool may_begin(struct guests *guests, const struct guest *guest)
{
    const struct guest_cached *cached = &guest->cached;

    return cached->first < cached->queue.count && !cached->search &&
           monotonic_now() >= cached->next &&
           task_search_may_begin(guests, guest);
}

enum xenoprof_status guests_work_on_cached(struct guests *guests,
                                           struct xenoprof_writer *writer,
                                           uint64_t ns)
{
    unsigned int searches = guests->cached.count;
    enum xenoprof_status code = XENOPROF_OK;
    struct guest *guest;

    for ( uint32_t i = 0; !code && searches && i < GUESTS_MAX; i++ )
        if ( guests->guests[i].cached.search )
            code = work(guests, writer, &guests->guests[i], ns / searches);
    while ( (guest = task_searches_turn(guests, &guests->cached,
                                        CACHED_SEARCHES_MAX, may_begin)) )
        begin(guests, guest);
    return code;
}
