/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the origins of threads are looked for, and what comes of it. */
#include <stdlib.h>

#include "guest-questions.h"

/* Of a guest's memory, for each thread: some times what a deep path takes. */
#define BYTES_EACH 4096u

_Static_assert(SEARCH_THREADS_MAX <= QUESTION_MOST, "raise QUESTION_MOST");

struct noted_thread {
    struct xenoprof_thread key;
    uint8_t tries;
    bool waits; /* it is in the queue, or asked for */
    bool done;
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
static const struct thread_origin *find_thread_origin(
    const struct origin_processes *processes,
    const struct xenoprof_thread *thread)
{
    const struct found_process *found = find_process(processes, thread);

    return found && thread->start <= found->newest.start ? &found->origin
                                                         : NULL;
}

/* Threads ------------------------------------------------------------------ */

static void forget_origins(struct guest *guest)
{
    free(guest->origins.processes);
    guest->origins.processes = NULL;
}

static void forget_stored_origins(struct guest *guest)
{
    guest_question_forget(guest, QUESTION_origins);
}

/* Puts it into the queue if it is new, or was not found. */
static void note_unknown_thread(struct guest_question *threads,
                                const struct xenoprof_thread *thread)
{
    struct noted_thread *noted = table_find(&threads->noted, thread);

    if ( !noted && threads->noted.count < ORIGINS_NOTED_MAX )
        noted = table_put(&threads->noted, thread);
    if ( !noted || noted->waits || noted->done ||
         noted->tries == ORIGINS_TRIES_MAX )
        return;
    noted->waits = guest_question_queue(threads, noted);
}

/* A guest that has had too many threads has none with a number; nor has an idle
 * vCPU a program. */
void guests_note_thread(struct guests *guests, uint16_t domain,
                        const uint8_t uuid[16],
                        const struct xenoprof_thread *thread)
{
    struct guest *guest = guests_known(guests, domain, uuid);

    if ( guest && guest->origins.wanted && thread->tid )
        note_unknown_thread(&guest->questions[QUESTION_origins], thread);
}

static struct noted_thread *waiting(const struct guest_question *threads,
                                    size_t at)
{
    return table_at(&threads->noted, threads->queue.items[at]);
}

/* Of threads of a process that say the same of it the newest one, which says it
 * of most, will do. */
static uint32_t choose_threads(const struct guest_question *threads,
                               uint32_t chosen[QUESTION_MOST])
{
    uint32_t count = 0;

    for ( uint32_t i = 0; i < threads->queue.count; i++ )
    {
        const struct xenoprof_thread *thread = &waiting(threads, i)->key;
        uint32_t at = 0;

        while ( at < count &&
                !same_process(&waiting(threads, chosen[at])->key, thread) )
            at++;
        if ( at == SEARCH_THREADS_MAX )
            continue;
        if ( at == count )
            chosen[count++] = i;
        else if ( waiting(threads, chosen[at])->key.start < thread->start )
            chosen[at] = i;
    }
    return count;
}

static void make_origins_order(const struct guest *guest, const void *keys,
                               struct search_order *order)
{
    static struct origin_thread threads[SEARCH_THREADS_MAX];
    const struct xenoprof_thread *asked = keys;

    (void)guest;
    for ( size_t i = 0; i < order->count; i++ )
        threads[i] = (struct origin_thread){asked[i].start, asked[i].pid,
                                            asked[i].tid};
    order->threads = threads;
}

static enum xenoprof_status store_origin(const struct guests *guests,
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

/* Threads whose process is known have its origin. */
static enum xenoprof_status store_known(struct guests *guests,
                                        struct xenoprof_writer *writer,
                                        struct guest *guest)
{
    struct guest_question *threads = &guest->questions[QUESTION_origins];
    enum xenoprof_status code = XENOPROF_OK;
    size_t left = 0;

    for ( size_t i = 0; i < threads->queue.count; i++ )
    {
        struct noted_thread *noted = waiting(threads, i);
        const struct thread_origin *origin = find_thread_origin(
            guest->origins.processes, &noted->key);

        if ( !origin || code )
        {
            threads->queue.items[left++] = threads->queue.items[i];
            continue;
        }
        noted->waits = false;
        noted->done = true;
        code = store_origin(guests, writer, guest, &noted->key, origin);
    }
    threads->queue.count = left;
    return code;
}

/* What was not found may be asked for again, when another sample has it. */
static enum xenoprof_status take_origin_answer(
    struct guests *guests, struct xenoprof_writer *writer, struct guest *guest,
    const struct question_answer *answer)
{
    const struct search_result *result = answer->result;
    bool there = result && answer->at < result->count &&
                 result->origins[answer->at].there;
    struct noted_thread *noted = answer->noted;
    const struct thread_origin *origin;

    /* A search that fails is not made again. */
    if ( !result )
        return XENOPROF_OK;
    if ( noted )
    {
        noted->waits = false;
        noted->tries++;
        noted->done |= there;
    }
    if ( !there )
        return XENOPROF_OK;
    origin = &result->origins[answer->at].origin;
    add_process(&guest->origins.processes, answer->key, origin);
    return store_origin(guests, writer, guest, answer->key, origin);
}

const struct question question_origins = {
    .key = sizeof(struct xenoprof_thread),
    .entry = sizeof(struct noted_thread),
    .most = SEARCH_THREADS_MAX,
    .bytes = BYTES_EACH,
    .pause = ORIGINS_PAUSE,
    .kind = SEARCH_ORIGINS,
    .make = make_origins_order,
    .take = take_origin_answer,
    .forget = forget_origins,
    .next_file = forget_stored_origins,
    .leave = store_known,
    .choose = choose_threads,
};
