/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes by number and name, as they are asked for elsewhere: one that runs
 * another program has another name in most cases.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cached-files.h"
#include "guest-questions.h"

/* Of a guest's memory, for each process. */
#define BYTES_EACH (2u << 20)

_Static_assert(SEARCH_PROCESSES_MAX <= QUESTION_MOST, "raise QUESTION_MOST");

/* ns that two looks at the agent's clock may differ by. */
#define CLOCK_SLACK 1000000u

struct mapped_range {
    uint64_t start, end;
    uint64_t offset; /* in the file */
    uint64_t file;   /* its id; 0: not known */
};

struct noted_process {
    struct user_address of; /* address 0 */
    struct origin_thread thread;
    bool waits;      /* it is in the queue, is read, or is to be told */
    uint8_t tries;   /* that found nothing, since it was known */
    uint64_t time;   /* Xen's: of the first sample that it is read for */
    uint64_t wanted; /* our clock: since when it waits, or waited */
    uint64_t known;  /* our clock: when it was told; 0: it was not */
    uint64_t hash;   /* of what was told */
    uint32_t count;
    struct mapped_range *ranges; /* malloc'ed: what was told */
};

static void forget_noted_processes(struct guest *guest)
{
    const struct table *processes = &guest->questions[QUESTION_mappings].noted;

    for ( size_t i = 0; i < processes->count; i++ )
    {
        struct noted_process *noted = table_at(processes, i);

        free(noted->ranges);
    }
    guest->mappings.pieces = 0;
}

/* Which samples wait ---------------------------------------------------- */

static struct user_address process_key(const struct guest_sample *sample)
{
    struct user_address of = {.pid = sample->thread.pid};

    memcpy(of.comm, sample->thread.comm, sizeof(of.comm));
    return of;
}

/* Somebody is there who is told. */
static bool has_listener(const struct guest *guest)
{
    return guest->user ? agent_link_wants_known(guest->user->link)
                       : guest->cached.wanted;
}

/* ... and there is something to tell. */
static bool are_wanted(const struct guest *guest)
{
    return guest->tasks.mapped && !guest->gone && has_listener(guest);
}

/* Returns NULL also if the thread that the process is known by has ended, and
 * another one has its number. */
static struct noted_process *find_noted_process(
    const struct guest *guest, const struct guest_sample *sample)
{
    const struct user_address of = process_key(sample);
    struct noted_process *noted = table_find(
        &guest->questions[QUESTION_mappings].noted, &of);

    if ( noted && noted->thread.tid == sample->thread.tid &&
         noted->thread.start != sample->thread.start )
        return NULL;
    return noted;
}

/* Returns what is told of an address of the process, or NULL. */
static const struct mapped_range *range_at(const struct noted_process *noted,
                                           uint64_t address)
{
    for ( uint32_t i = 0; noted->known && i < noted->count; i++ )
        if ( noted->ranges[i].start <= address &&
             address < noted->ranges[i].end )
            return &noted->ranges[i];
    return NULL;
}

/* Whether that is code of the process, as far as the agent was told. */
static bool is_code_of_process(const struct noted_process *noted,
                               uint64_t address)
{
    return range_at(noted, address);
}

bool guest_mappings_code(const struct guest *guest,
                         const struct guest_sample *sample,
                         struct file_code *ret)
{
    const struct noted_process *noted = find_noted_process(guest, sample);
    const struct mapped_range *range = noted ? range_at(noted, sample->ip)
                                             : NULL;

    if ( range )
        *ret = (struct file_code){range->file,
                                  sample->ip - range->start + range->offset};
    return range;
}

static bool is_patient(const struct noted_process *noted)
{
    return monotonic_now() - noted->wanted < MAPPINGS_PATIENCE;
}

/* It is not there, and others of it need not wait to hear that. */
static bool is_process_given_up(const struct noted_process *noted)
{
    return noted->tries >= MAPPINGS_TRIES_MAX &&
           monotonic_now() - noted->wanted < MAPPINGS_AGE;
}

/* Samples of other processors may be older than the one that came first. */
enum guest_wait guest_mappings_wait(const struct guests *guests,
                                    const struct guest *guest,
                                    const struct guest_sample *sample)
{
    struct noted_process *noted = are_wanted(guest) && guests->maker
                                      ? find_noted_process(guest, sample)
                                      : NULL;

    if ( !noted || is_code_of_process(noted, sample->ip) )
        return GUEST_NOT_ASKED;
    if ( noted->waits && sample->time < noted->time )
        noted->time = sample->time;
    if ( noted->waits )
        return is_patient(noted) ? GUEST_ASKED : GUEST_READY;
    return !noted->known && is_process_given_up(noted) ? GUEST_READY
                                                       : GUEST_NOT_ASKED;
}

/* All that is known goes, also what is just being read. */
static void forget_all(struct guests *guests, struct guest *guest)
{
    guest_question_stop(guests, guest, QUESTION_mappings);
    guest_question_forget(guest, QUESTION_mappings);
}

/* Of another conversation the agent knows nothing any more. */
static void begin_conversation(struct guests *guests, struct guest *guest)
{
    uint32_t now = guest->user ? agent_link_conversation(guest->user->link) : 0;

    if ( now == guest->mappings.conversation )
        return;
    forget_all(guests, guest);
    guest->mappings.conversation = now;
}

/* Returns NULL if there is no memory, or no room until a search has ended. */
static struct noted_process *note_process(struct guest *guest,
                                          const struct guest_sample *sample)
{
    struct guest_question *asked = &guest->questions[QUESTION_mappings];
    const struct user_address of = process_key(sample);
    struct noted_process *noted;

    if ( asked->noted.count >= MAPPINGS_NOTED_MAX ||
         guest->mappings.pieces >= MAPPINGS_PIECES_MAX )
    {
        if ( asked->search )
            return NULL;
        guest_question_forget(guest, QUESTION_mappings);
    }
    noted = table_put(&asked->noted, &of);
    if ( !noted )
        return NULL;
    /* What was known was another process. */
    noted->known = 0;
    noted->tries = 0;
    noted->time = sample->time;
    return noted;
}

/* Puts it into the queue.  Returns whether it waits. */
static bool queue_process(struct guest *guest, struct noted_process *noted,
                          const struct guest_sample *sample)
{
    noted->thread = (struct origin_thread){
        sample->thread.start, sample->thread.pid, sample->thread.tid};
    if ( noted->waits ||
         !guest_question_queue(&guest->questions[QUESTION_mappings], noted) )
        return noted->waits;
    noted->waits = true;
    noted->wanted = monotonic_now();
    noted->time = sample->time;
    return true;
}

/* It is time to read a process that does not wait. */
static bool is_due(const struct noted_process *noted)
{
    return !noted->known || monotonic_now() - noted->wanted >= MAPPINGS_RENEW;
}

bool guest_mappings_may_note(const struct guest *guest,
                             const struct guest_sample *sample)
{
    const struct noted_process *noted = find_noted_process(guest, sample);

    return are_wanted(guest) &&
           (!noted ||
            (!is_code_of_process(noted, sample->ip) && is_due(noted)));
}

bool guest_mappings_note(struct guests *guests, struct guest *guest,
                         const struct guest_sample *sample)
{
    struct noted_process *noted;
    bool again;

    if ( !are_wanted(guest) || !guests->maker )
        return false;
    begin_conversation(guests, guest);
    noted = find_noted_process(guest, sample);
    if ( !noted )
        noted = note_process(guest, sample);
    if ( !noted )
        return false;
    again = is_due(noted);
    if ( !is_code_of_process(noted, sample->ip) )
        return again && queue_process(guest, noted, sample);
    /* It need not wait to hear that the same is mapped. */
    if ( again && monotonic_now() - noted->known >= MAPPINGS_AGE )
        queue_process(guest, noted, sample);
    return false;
}

/* Telling the agent ------------------------------------------------------ */

/* Without memory nothing is. */
static void keep_ranges(struct guest_mappings *mappings,
                        struct noted_process *noted,
                        const struct mapped_space *space)
{
    mappings->pieces -= noted->count;
    free(noted->ranges);
    noted->count = 0;
    noted->ranges = calloc(space->count + 1u, sizeof(*noted->ranges));
    if ( !noted->ranges )
        return;
    for ( ; noted->count < space->count; noted->count++ )
    {
        const struct mapped_code *code = &space->code[noted->count];

        noted->ranges[noted->count] = (struct mapped_range){
            code->start, code->end, code->offset,
            code->file ? space->file[code->file - 1].id : 0};
    }
    mappings->pieces += noted->count;
}

static bool send_space(const struct guests *guests, struct user_names *names,
                       const struct noted_process *noted,
                       const struct mapped_space *space)
{
    static struct agent_file_mapping sent[MAPPED_MAX];

    for ( uint32_t i = 0; i < space->count; i++ )
        sent[i] = (struct agent_file_mapping){
            .start = space->code[i].start,
            .end = space->code[i].end,
            .offset = space->code[i].offset,
            .path = mapped_path(space, &space->code[i])};
    return agent_link_know(names->link, noted->of.pid,
                           guest_user_time(names, guests->xen, noted->time) -
                               CLOCK_SLACK,
                           sent, space->count);
}

/* Returns false if the agent cannot be told now; without one nobody is to be
 * told but those who know files. */
static bool tell_agent_space(const struct guests *guests, struct guest *guest,
                             struct noted_process *noted,
                             const struct mapped_space *space)
{
    uint64_t hash = guest->questions[QUESTION_mappings].noted.ids.seed;

    hash = hash_bytes(hash, space->code, space->count * sizeof(space->code[0]));
    hash = hash_bytes(hash, space->texts, space->bytes);

    if ( !guest->user )
        cached_files_know(guest, space);
    else if ( (!noted->known || noted->hash != hash) &&
              !send_space(guests, guest->user, noted, space) )
        return false;
    keep_ranges(&guest->mappings, noted, space);
    noted->hash = hash;
    noted->known = monotonic_now();
    noted->tries = 0;
    return true;
}

/* One that was not found is not told. */
static enum xenoprof_status tell(struct guests *guests,
                                 struct xenoprof_writer *writer,
                                 struct guest *guest,
                                 const struct question_answer *answer)
{
    struct noted_process *noted = answer->noted;
    const struct search_result *result = answer->result;
    const struct mapped_space *space = result && answer->at < result->count
                                           ? result->spaces[answer->at]
                                           : NULL;

    (void)writer;
    /* One without code is becoming another program just now. */
    if ( space && !space->count )
        space = NULL;
    if ( noted && space && !tell_agent_space(guests, guest, noted, space) )
        return XENOPROF_END;
    if ( noted )
    {
        noted->waits = false;
        noted->tries += !space && !answer->stopped;
    }
    return XENOPROF_OK;
}

static void look_for_listener(struct guests *guests, struct guest *guest)
{
    if ( has_listener(guest) )
        begin_conversation(guests, guest);
    else
        forget_all(guests, guest);
}

/* Searches ---------------------------------------------------------------- */

static void make_mappings_order(const struct guest *guest, const void *keys,
                                struct search_order *order)
{
    static struct mapped_process processes[SEARCH_PROCESSES_MAX];
    const struct user_address *asked = keys;

    for ( size_t i = 0; i < order->count; i++ )
    {
        const struct noted_process *noted = table_find(
            &guest->questions[QUESTION_mappings].noted, &asked[i]);

        processes[i] = (struct mapped_process){.comm = ""};
        if ( noted )
            processes[i].thread = noted->thread;
        if ( strcmp(asked[i].comm, XENOPROF_THREAD_UNREAD) )
            memcpy(processes[i].comm, asked[i].comm, sizeof(processes[i].comm));
    }
    order->processes = processes;
}

const struct question question_mappings = {
    .key = sizeof(struct user_address),
    .entry = sizeof(struct noted_process),
    .most = SEARCH_PROCESSES_MAX,
    .bytes = BYTES_EACH,
    .pause = MAPPINGS_PAUSE,
    .kind = SEARCH_MAPPED,
    .make = make_mappings_order,
    .take = tell,
    .forget = forget_noted_processes,
    .is_wanted = are_wanted,
    .look = look_for_listener,
};
