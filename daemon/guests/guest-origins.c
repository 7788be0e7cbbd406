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
    bool asked; /* by the search that goes on */
    bool done;
};

struct origins_search {
    struct task_search *search;
    struct xenoprof_thread asked[SEARCH_THREADS_MAX];
    size_t count;
};

/* Processes ---------------------------------------------------------------- */

/*
 * All threads of a process run the program that one of them was found to run,
 * if they were there then.  But its first thread may go on and run another
 * program, which all others do not survive: so it says nothing of others, nor
 * they of it; and of others the one that began last says what those run that
 * began before it.
 *
 * They are sampled close to each other, so some processes, those that were
 * found last, will do.
 */
#define PROCESSES_MAX 64u

struct origin_processes {
    unsigned int count, next;
    struct found_process {
        struct xenoprof_thread newest;
        struct thread_origin origin;
    } found[PROCESSES_MAX];
};

static bool is_first(const struct xenoprof_thread *thread)
{
    return thread->tid == thread->pid;
}

/* Whether what one of them is says what the other is. */
static bool same_process(const struct xenoprof_thread *one,
                         const struct xenoprof_thread *other)
{
    return one->pid == other->pid && !is_first(one) && !is_first(other);
}

static struct found_process *find_process(
    const struct origin_processes *processes,
    const struct xenoprof_thread *thread)
{
    for ( unsigned int i = 0; processes && i < processes->count; i++ )
    {
        const struct found_process *found = &processes->found[i];

        if ( same_process(&found->newest, thread) )
            return (struct found_process *)found;
    }
    return NULL;
}

/* That thread was found just now.  Without memory it says nothing of others. */
static void add_process(struct origin_processes **processes,
                        const struct xenoprof_thread *thread,
                        const struct thread_origin *origin)
{
    struct found_process *to = find_process(*processes, thread);
    struct origin_processes *all = *processes;

    if ( is_first(thread) || (to && thread->start < to->newest.start) )
        return;
    if ( !all )
        all = *processes = calloc(1, sizeof(*all));
    if ( !all )
        return;
    if ( !to )
    {
        to = &all->found[all->next];
        all->next = (all->next + 1) % PROCESSES_MAX;
        all->count += all->count < PROCESSES_MAX;
    }
    to->newest = *thread;
    to->origin = *origin;
}

/* Returns the origin of a thread that was sampled, or NULL if it is to be asked
 * for. */
static const struct thread_origin *find_origin(
    const struct origin_processes *processes,
    const struct xenoprof_thread *thread)
{
    const struct found_process *found = find_process(processes, thread);

    return found && thread->start <= found->newest.start ? &found->origin
                                                         : NULL;
}

/* Threads ------------------------------------------------------------------ */

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
    free(origins->processes);
    origins->processes = NULL;
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
    guests->origins.count--;
}

/* Of threads of a process that say the same of it the newest one, which says it
 * of most, will do. */
static void choose(const struct guest_origins *origins,
                   struct origins_search *search)
{
    for ( size_t i = 0; i < origins->queue.count; i++ )
    {
        const struct noted_thread *noted = table_at(&origins->threads,
                                                    origins->queue.items[i]);
        size_t at = 0;

        while ( at < search->count &&
                !same_process(&search->asked[at], &noted->key) )
            at++;
        if ( at == SEARCH_THREADS_MAX )
            continue;
        if ( at == search->count )
            search->asked[search->count++] = noted->key;
        else if ( search->asked[at].start < noted->key.start )
            search->asked[at] = noted->key;
    }
}

/* Takes those out of the queue that are asked for. */
static void leave_queue(struct guest_origins *origins,
                        const struct origins_search *search)
{
    size_t left = 0;

    for ( size_t i = 0; i < search->count; i++ )
    {
        struct noted_thread *noted = table_find(&origins->threads,
                                                &search->asked[i]);

        noted->asked = true;
    }
    for ( size_t i = 0; i < origins->queue.count; i++ )
    {
        uint32_t at = origins->queue.items[i];
        const struct noted_thread *noted = table_at(&origins->threads, at);

        if ( !noted->asked )
            origins->queue.items[left++] = at;
    }
    origins->queue.count = left;
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

static enum xenoprof_status store(const struct guests *guests,
                                  struct xenoprof_writer *writer,
                                  struct guest *guest,
                                  const struct xenoprof_thread *thread,
                                  const struct thread_origin *from)
{
    const struct xenoprof_origin origin = {
        .domain = guest->domain,
        .thread = *thread,
        .exe = from->exe,
        .cgroup = from->cgroup,
    };
    enum xenoprof_status code = guests_own(guests, writer, guest);

    if ( !code )
        code = xenoprof_writer_origin(writer, &origin);
    return code == XENOPROF_END ? XENOPROF_OK : code;
}

/* Threads whose process is known have its origin, and leave the queue. */
static enum xenoprof_status store_known(const struct guests *guests,
                                        struct xenoprof_writer *writer,
                                        struct guest *guest)
{
    struct guest_origins *origins = &guest->origins;
    enum xenoprof_status code = XENOPROF_OK;
    size_t left = 0;

    for ( size_t i = 0; i < origins->queue.count; i++ )
    {
        uint32_t at = origins->queue.items[i];
        struct noted_thread *noted = table_at(&origins->threads, at);
        const struct thread_origin *origin = find_origin(origins->processes,
                                                         &noted->key);

        if ( !origin || code )
        {
            origins->queue.items[left++] = at;
            continue;
        }
        noted->waits = false;
        noted->done = true;
        code = store(guests, writer, guest, &noted->key, origin);
    }
    origins->queue.count = left;
    return code;
}

/* The queue stays if the guest's memory cannot be read now, or no process can
 * be made. */
static void begin(struct guests *guests, struct guest *guest)
{
    struct guest_origins *origins = &guest->origins;
    struct origins_search *search = calloc(1, sizeof(*search));

    if ( search )
    {
        choose(origins, search);
        begin_search(guests, guest, search);
    }
    if ( !search || !search->search )
    {
        free(search);
        return;
    }
    leave_queue(origins, search);
    origins->search = search;
    guests->origins.count++;
}

/* What was not found may be asked for again, when another sample has it. */
static enum xenoprof_status take(const struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 struct guest *guest)
{
    const struct origins_search *search = guest->origins.search;
    const struct search_result *result = task_search_result(search->search);
    enum xenoprof_status code = XENOPROF_OK;

    for ( size_t i = 0; !code && i < search->count; i++ )
    {
        const struct found_origin *found = &result->origins[i];
        const struct xenoprof_thread *thread = &search->asked[i];
        struct noted_thread *noted = table_find(&guest->origins.threads,
                                                thread);
        bool there = i < result->count && found->there;

        if ( noted )
            noted->waits = noted->asked = false;
        if ( noted && ++noted->tries && there )
            noted->done = true;
        if ( !there )
            continue;
        add_process(&guest->origins.processes, thread, &found->origin);
        code = store(guests, writer, guest, thread, &found->origin);
    }
    return code ? code : store_known(guests, writer, guest);
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

static enum xenoprof_status begin_some(struct guests *guests,
                                       struct xenoprof_writer *writer)
{
    enum xenoprof_status code = XENOPROF_OK;
    struct guest *guest;

    while ( !code &&
            (guest = task_searches_turn(guests, &guests->origins,
                                        ORIGINS_SEARCHES_MAX, may_begin)) )
    {
        guest->origins.next = monotonic_now() + ORIGINS_PAUSE;
        code = store_known(guests, writer, guest);
        if ( !code && guest->origins.queue.count )
            begin(guests, guest);
    }
    return code;
}

enum xenoprof_status guests_work_on_origins(struct guests *guests,
                                            struct xenoprof_writer *writer,
                                            uint64_t ns)
{
    unsigned int searches = guests->origins.count;
    enum xenoprof_status code = XENOPROF_OK;

    for ( uint32_t i = 0; !code && searches && i < GUESTS_MAX; i++ )
        if ( guests->guests[i].origins.search )
            code = work(guests, writer, &guests->guests[i], ns / searches);
    return code ? code : begin_some(guests, writer);
}
