/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the origins of threads are looked for, and what comes of it. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "task-search.h"

/* Of a guest's memory, for each thread: some times what a deep path takes. */
#define BYTES_EACH 4096u

struct noted_thread {
    struct xenoprof_thread key;
    uint8_t tries;
    bool waits; /* it is in the queue, or asked for */
    bool done;
};

struct origins_search {
    struct task_search *search;
    struct xenoprof_thread asked[SEARCH_THREADS_MAX];
    size_t count;
};

void guest_origins_init(struct guest_origins *origins)
{
    *origins = (struct guest_origins){.wanted = false};
    table_init(&origins->threads, sizeof(struct xenoprof_thread),
               sizeof(struct noted_thread));
}

void guest_origins_forget(struct guest_origins *origins)
{
    table_free(&origins->threads);
    vector_free(&origins->queue);
    origins->first = 0;
}

/* Puts it into the queue if it is new, or was not found. */
static void note(struct guest_origins *origins,
                 const struct xenoprof_thread *thread)
{
    struct noted_thread *noted = table_find(&origins->threads, thread);
    uint32_t *at;

    if ( !noted && origins->threads.count < ORIGINS_NOTED_MAX )
        noted = table_put(&origins->threads, thread);
    if ( !noted || noted->waits || noted->done ||
         noted->tries == ORIGINS_TRIES_MAX )
        return;
    at = vector_add(&origins->queue);
    if ( !at )
        return;
    *at = (uint32_t)table_index(&origins->threads, noted);
    noted->waits = true;
}

/* A guest that has had too many threads has none with a number; nor has an idle
 * vCPU a program. */
void guests_note_thread(struct guests *guests, uint16_t domain,
                        const uint8_t uuid[16],
                        const struct xenoprof_thread *thread)
{
    struct guest *guest = guests_known(guests, domain, uuid);

    if ( guest && guest->origins.wanted && thread->tid )
        note(&guest->origins, thread);
}

void guest_origins_stop(struct guests *guests, struct guest *guest)
{
    struct origins_search *search = guest->origins.search;

    if ( !search )
        return;
    guest->origins.next = monotonic_now() + ORIGINS_PAUSE +
                          task_search_end(guests, guest, search->search);
    free(search);
    guest->origins.search = NULL;
    guests->origin_searches--;
}

/* Takes threads out of the queue. */
static void take_queue(struct guest_origins *origins,
                       struct origins_search *search)
{
    while ( search->count < SEARCH_THREADS_MAX &&
            origins->first < origins->queue.count )
    {
        uint32_t at = origins->queue.items[origins->first++];
        const struct noted_thread *noted = table_at(&origins->threads, at);

        search->asked[search->count++] = noted->key;
    }
    if ( origins->first < origins->queue.count )
        return;
    origins->queue.count = 0;
    origins->first = 0;
}

static void begin_search(struct guests *guests, const struct guest *guest,
                         struct origins_search *search)
{
    struct origin_thread threads[SEARCH_THREADS_MAX];
    const struct search_order order = {
        .kind = SEARCH_ORIGINS,
        .budget = search->count * BYTES_EACH,
        .threads = threads,
        .count = search->count,
    };

    for ( size_t i = 0; i < search->count; i++ )
        threads[i] = (struct origin_thread){
            search->asked[i].start, search->asked[i].pid, search->asked[i].tid};
    search->search = task_search_begin(guests, guest, &order);
}

/* The queue stays if the guest's memory cannot be read now, or no process can
 * be made. */
static void begin(struct guests *guests, struct guest *guest)
{
    struct guest_origins *origins = &guest->origins;
    struct origins_search *search = calloc(1, sizeof(*search));
    size_t first = origins->first, count = origins->queue.count;

    origins->next = monotonic_now() + ORIGINS_PAUSE;
    if ( search )
    {
        take_queue(origins, search);
        begin_search(guests, guest, search);
    }
    if ( !search || !search->search )
    {
        origins->first = first;
        origins->queue.count = count;
        free(search);
        return;
    }
    origins->search = search;
    guests->origin_searches++;
}

/* What was not found may be asked for again, when another sample has it. */
static enum xenoprof_status take(const struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 struct guest *guest)
{
    const struct origins_search *search = guest->origins.search;
    const struct search_result *result = task_search_result(search->search);
    enum xenoprof_status code = guests_own(guests, writer, guest);

    for ( size_t i = 0; !code && i < search->count; i++ )
    {
        const struct found_origin *found = &result->origins[i];
        struct noted_thread *noted = table_find(&guest->origins.threads,
                                                &search->asked[i]);
        const struct xenoprof_origin origin = {
            .domain = guest->domain,
            .thread = search->asked[i],
            .exe = found->origin.exe,
            .cgroup = found->origin.cgroup,
        };

        if ( noted )
            noted->waits = false;
        if ( noted && ++noted->tries && i < result->count )
            noted->done = found->there;
        if ( i < result->count && found->there )
            code = xenoprof_writer_origin(writer, &origin);
    }
    return code == XENOPROF_END ? XENOPROF_OK : code;
}

static enum xenoprof_status work(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 struct guest *guest, uint64_t ns)
{
    enum link_status status = task_search_work(guest->origins.search->search,
                                               ns);
    enum xenoprof_status code = XENOPROF_OK;

    if ( status == LINK_MORE )
        return XENOPROF_OK;
    if ( status == LINK_OK )
        code = take(guests, writer, guest);
    guest_origins_stop(guests, guest);
    return status == LINK_DIED ? guests_struck(guests, writer, guest) : code;
}

static bool may_begin(struct guests *guests, const struct guest *guest)
{
    const struct guest_origins *origins = &guest->origins;

    return origins->queue.count && !origins->search &&
           monotonic_now() >= origins->next &&
           task_search_may_begin(guests, guest);
}

/* Each guest is the first one in its turn: none keeps another one waiting for
 * longer than the others' searches take. */
static void begin_some(struct guests *guests)
{
    for ( uint32_t i = 0;
          i < GUESTS_MAX && guests->origin_searches < ORIGINS_SEARCHES_MAX;
          i++ )
    {
        uint32_t at = (guests->origins_turn + i) % GUESTS_MAX;

        if ( !may_begin(guests, &guests->guests[at]) )
            continue;
        begin(guests, &guests->guests[at]);
        guests->origins_turn = at + 1;
    }
}

enum xenoprof_status guests_work_on_origins(struct guests *guests,
                                            struct xenoprof_writer *writer,
                                            uint64_t ns)
{
    unsigned int searches = guests->origin_searches;
    enum xenoprof_status code = XENOPROF_OK;

    for ( uint32_t i = 0; !code && searches && i < GUESTS_MAX; i++ )
        if ( guests->guests[i].origins.search )
            code = work(guests, writer, &guests->guests[i], ns / searches);
    begin_some(guests);
    return code;
}
