/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "user-readers.h"

#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "agent/debug-file.h"
#include "agent/process-root.h"
#include "base/clock.h"
#include "base/scope.h"
#include "cage/file-packet.h"

#define MS     1000000ull
#define SECOND 1000000000ull

/* ns of waiting that are not counted: whoever knows the answer takes less. */
#define QUICK (2 * MS)
/* As many times as long is waited for root's on a slow machine, at most.  Half
 * of each second is left then: what is asked when a second's waiting is used up
 * is put off at once, so a message ends within the patience of who asks. */
#define SLOWER_MAX 10u
/* Debug files that a question may take. */
#define DEBUG_MAX 4u

/* A fixed piece of work, in rounds. */
#define ROUNDS (1u << 19)
/* ns that they take on such a processor at most. */
#define USUAL 5000000u

/* Each round needs the one before, and memory that caches have. */
static uint64_t fixed_work(void)
{
    static uint64_t words[8192];
    uint64_t state = 1;

    for ( unsigned int i = 0; i < ROUNDS; i++ )
    {
        state = state * 0x9e3779b97f4a7c15u + i;
        state ^= state >> 29;
        words[state % 8192] += state;
        state += words[(state >> 20) % 8192];
    }
    return state;
}

/* Returns how many times as long a fixed piece of work takes now, at
 * least 1. */
static unsigned int machine_slowness(void)
{
    uint64_t began = clock_read(CLOCK_PROCESS_CPUTIME_ID);
    volatile uint64_t made = fixed_work();

    (void)made;
    return 1 + (unsigned int)((clock_read(CLOCK_PROCESS_CPUTIME_ID) - began) /
                              USUAL);
}

static void end_reader(struct user_reader *reader)
{
    if ( !reader->alive )
        return;
    process_link_end(&reader->link);
    reader->worked += reader->link.cpu;
    reader->alive = reader->away = false;
    reader->bytes = 0;
}

static bool is_too_dear(const struct user_readers *readers,
                        const struct file_identity *file)
{
    for ( unsigned int i = 0; i < readers->refused; i++ )
        if ( file_identity_is(&readers->too_dear[i], file) )
            return true;
    return false;
}

static void drop_queued(struct user_reader *reader, unsigned int index)
{
    if ( reader->queue[index].fd >= 0 )
        close(reader->queue[index].fd);
    memmove(&reader->queue[index], &reader->queue[index + 1],
            (--reader->queued - index) * sizeof(reader->queue[0]));
}

/* What it was asked cost it too much.  Questions about other files wait for the
 * next process. */
static void strike(struct user_readers *readers, struct user_reader *reader)
{
    const struct file_identity file = reader->queue[0].file;

    readers->too_dear[readers->next] = file;
    readers->next = (readers->next + 1) % READERS_REFUSED_MAX;
    readers->refused += readers->refused < READERS_REFUSED_MAX;
    readers->all_refused += 1 + reader->refused;
    reader->refused = 0;
    end_reader(reader);
    reader->worked += READER_END_COST * readers->slowness;
    for ( unsigned int i = reader->queued; i-- > 0; )
        if ( file_identity_is(&reader->queue[i].file, &file) )
            drop_queued(reader, i);
}

static uint64_t worked(struct user_reader *reader)
{
    return reader->worked +
           (reader->alive ? process_link_cpu(&reader->link) : 0);
}

static bool is_spent(const struct user_readers *readers,
                     struct user_reader *reader, uint64_t now)
{
    return reader->user &&
           worked(reader) > READER_WORK * readers->slowness +
                                (now - reader->begun) / READER_WORK_PART;
}

static void forget_reader(struct user_readers *readers,
                          struct user_reader *reader)
{
    if ( !reader->known )
        return;
    end_reader(reader);
    while ( reader->queued )
        drop_queued(reader, reader->queued - 1);
    kept_answers_free(&reader->kept);
    readers->worked += reader->worked;
    readers->all_refused += reader->refused;
}

static struct user_reader *find_reader(struct user_readers *readers, uid_t user,
                                       uint64_t now)
{
    const unsigned int first = user ? 1 : 0, end = user ? READERS_MAX : 1;
    struct user_reader *free = &readers->readers[first];

    for ( unsigned int i = first; i < end; i++ )
    {
        struct user_reader *reader = &readers->readers[i];

        if ( reader->known && reader->user == user )
            return reader;
        if ( free->known && (!reader->known || reader->used < free->used) )
            free = reader;
    }
    forget_reader(readers, free);
    *free = (struct user_reader){.user = user, .known = true, .begun = now};
    kept_answers_init(&free->kept);
    return free;
}

static bool is_text(const char text[ELF_NAME_MAX])
{
    return memchr(text, 0, ELF_NAME_MAX);
}

/* Whether it is an answer to what was asked, as it should be. */
static bool is_answer(const struct user_reader *reader,
                      const struct file_answer *from_file, size_t size)
{
    const struct file_question *question = &reader->queue[0].question;
    const struct file_function *function = &from_file->function;

    if ( size < offsetof(struct file_answer, frame) ||
         from_file->piece > FILE_PIECE_MAX ||
         from_file->frames > FILE_FRAMES_MAX ||
         size != file_answer_size(from_file) ||
         from_file->number != reader->number ||
         (from_file->found != FILE_NOTHING && from_file->found != FILE_FOUND &&
          from_file->found != FILE_WANTS_DEBUG) ||
         from_file->steps > question->steps ||
         function->build_id_size > ELF_BUILD_ID_MAX ||
         function->start > function->address ||
         function->before > function->address - function->start ||
         function->before > question->offset || !is_text(function->name) ||
         from_file->table == UINT64_MAX ||
         from_file->piece !=
             (question->asks == FILE_ROWS
                  ? file_piece(from_file->table, question->offset)
                  : 0) )
        return false;
    for ( uint32_t i = 0; i < from_file->frames; i++ )
        if ( !is_text(from_file->frame[i].name) ||
             !is_text(from_file->frame[i].path) )
            return false;
    return true;
}

static void give_debug(const struct user_reader *reader,
                       const struct file_answer *from_file)
{
    const struct file_roots roots = {.all = -1};
    int fd SCOPE_CLOSE = debug_file_find(&roots, from_file->function.build_id,
                                         from_file->function.build_id_size);

    file_packet_send(reader->link.socket, "", 1, &fd, fd >= 0);
}

/* What it has worked for the question. */
static uint64_t cost_of(struct user_reader *reader)
{
    return reader->away ? process_link_cpu(&reader->link) - reader->cpu : 0;
}

static bool is_stuck(struct user_reader *reader)
{
    uint64_t now = monotonic_now(), cpu = process_link_cpu(&reader->link);

    if ( cpu != reader->moved_cpu )
    {
        reader->moved_cpu = cpu;
        reader->moved = now;
    }
    return reader->link.ready && now - reader->moved > READER_STUCK;
}

/* A machine may be slow at times: before that is held against a file, it is
 * looked at again. */
static bool is_too_long(struct user_readers *readers,
                        struct user_reader *reader)
{
    unsigned int now;

    if ( is_stuck(reader) )
        return true;
    if ( cost_of(reader) <= READER_QUESTION_MAX * readers->slowness )
        return false;
    now = machine_slowness();
    if ( now > readers->slowness )
        readers->slowness = now;
    return cost_of(reader) > READER_QUESTION_MAX * readers->slowness;
}

static void take_answer(struct user_reader *reader,
                        const struct file_answer *from_file)
{
    kept_answers_add(&reader->kept, &reader->queue[0].file,
                     &reader->queue[0].question, from_file);
    reader->away = false;
    reader->bytes = from_file->bytes;
    reader->refused = from_file->refused;
    drop_queued(reader, 0);
}

/* Takes what came.  Returns false if it has nothing more to say now. */
static bool take(struct user_readers *readers, struct user_reader *reader)
{
    static struct file_answer from_file;
    size_t size = sizeof(from_file);
    enum link_status status = process_link_receive(&reader->link, &from_file,
                                                   &size);
    bool right = reader->away && status == LINK_OK &&
                 is_answer(reader, &from_file, size);

    if ( right && from_file.found != FILE_WANTS_DEBUG )
        take_answer(reader, &from_file);
    else if ( right && reader->wanted++ < DEBUG_MAX )
        give_debug(reader, &from_file);
    else if ( status == LINK_MORE &&
              !(reader->away && is_too_long(readers, reader)) )
        return false;
    else if ( status == LINK_NONE || !reader->away )
    {
        /* That is not what it was asked for. */
        end_reader(reader);
        reader->next = monotonic_now() + READER_PAUSE;
    }
    else
        strike(readers, reader);
    return true;
}

/* Returns false if no process can be made now. */
static bool begin_reader(struct user_readers *readers,
                         struct user_reader *reader)
{
    const struct process_order order = {
        .kind = reader->user ? PROCESS_FILES : PROCESS_FILES_OF_ROOT};
    struct epoll_event event = {.events = EPOLLIN};

    if ( reader->alive || monotonic_now() < reader->next )
        return reader->alive;
    reader->alive = process_link_begin(&reader->link, &readers->maker, &order);
    if ( reader->alive &&
         epoll_ctl(readers->epoll, EPOLL_CTL_ADD, reader->link.socket, &event) )
        end_reader(reader);
    if ( !reader->alive )
        reader->next = monotonic_now() + READER_PAUSE;
    return reader->alive;
}

/* Asks the first one. */
static void ask_reader(struct user_readers *readers, struct user_reader *reader)
{
    struct queued_question *first = &reader->queue[0];

    if ( !begin_reader(readers, reader) )
        return;
    first->question.number = ++reader->number;
    reader->wanted = 0;
    reader->cpu = reader->moved_cpu = process_link_cpu(&reader->link);
    reader->moved = monotonic_now();
    reader->away = file_packet_send(reader->link.socket, &first->question,
                                    sizeof(first->question), &first->fd,
                                    first->fd >= 0);
    if ( !reader->away )
        end_reader(reader);
}

/* Goes on as far as it can without waiting. */
static void go_on(struct user_readers *readers, struct user_reader *reader)
{
    do
        if ( reader->queued && !reader->away &&
             !is_spent(readers, reader, monotonic_now()) )
            ask_reader(readers, reader);
    while ( reader->alive && take(readers, reader) );
}

static bool is_queued(const struct user_reader *reader,
                      const struct queued_question *asked)
{
    for ( unsigned int i = 0; i < reader->queued; i++ )
        if ( file_identity_is(&reader->queue[i].file, &asked->file) &&
             file_question_is(&reader->queue[i].question, &asked->question) )
            return true;
    return false;
}

/* Returns false if the file cannot be opened. */
static bool queue(struct user_reader *reader,
                  const struct queued_question *asked, int named)
{
    int fd = named >= 0 ? process_root_open_named(named) : -1;

    if ( named >= 0 && fd < 0 )
        return false;
    reader->queue[reader->queued] = *asked;
    reader->queue[reader->queued++].fd = fd;
    return true;
}

/* Whose files may be hostile is waited for as on any machine. */
static unsigned int slower(const struct user_readers *readers,
                           const struct user_reader *reader)
{
    if ( reader->user )
        return 1;
    return readers->slowness < SLOWER_MAX ? readers->slowness : SLOWER_MAX;
}

/* Returns the ns that may be waited. */
static uint64_t time_left(struct waited_second *second, uint64_t most,
                          uint64_t now)
{
    if ( now - second->began >= SECOND )
        *second = (struct waited_second){.began = now};
    return second->waited < most ? most - second->waited : 0;
}

/* Waits for the answer to that number, which it was asked just now. */
static void wait_for(struct user_readers *readers, struct user_reader *reader,
                     uint32_t number)
{
    struct waited_second *second = &readers->waits[reader->user != 0];
    const unsigned int times = slower(readers, reader);
    const uint64_t began = monotonic_now(), quick = QUICK * times;
    const uint64_t left = time_left(second, READER_WAIT * times, began);
    uint64_t took = 0;

    while ( reader->away && reader->number == number && took < left )
    {
        struct pollfd heard = {.fd = reader->link.socket, .events = POLLIN};

        poll(&heard, 1, (int)((left - took) / MS + 1));
        go_on(readers, reader);
        took = monotonic_now() - began;
    }
    second->waited += took > quick ? took - quick : 0;
}

/* Steps that somebody else's asking took are not this one's. */
static bool give(struct user_reader *reader,
                 const struct queued_question *asked, struct file_answer *ret)
{
    if ( !kept_answers_take(&reader->kept, &asked->file, &asked->question,
                            ret) )
        return false;
    if ( ret->steps > asked->question.steps )
        ret->steps = asked->question.steps;
    return true;
}

/* Of what finds no room, that of a user whose file takes long does without:
 * whoever asks has only so much room for what is to come later. */
static bool may_wait(const struct user_readers *readers,
                     struct user_reader *reader,
                     const struct queued_question *asked)
{
    return !reader->user || asked->question.asks == FILE_ROWS ||
           cost_of(reader) <= READER_SLOW * readers->slowness;
}

/* Asks it, if it may be asked.  Returns what there is to say meanwhile. */
static enum file_found have_read(struct user_readers *readers,
                                 struct user_reader *reader,
                                 const struct queued_question *asked, int named)
{
    const uint32_t number = reader->number + 1;
    bool idle = !reader->queued;

    if ( is_too_dear(readers, &asked->file) )
        return FILE_TOO_DEAR;
    if ( is_spent(readers, reader, monotonic_now()) )
        return asked->question.asks == FILE_ROWS ? FILE_LATER : FILE_TOO_DEAR;
    if ( asked->question.asks == FILE_INLINED && !asked->question.steps )
        return FILE_LATER;
    if ( is_queued(reader, asked) )
        return FILE_LATER;
    if ( reader->queued == READER_QUEUE_MAX )
        return may_wait(readers, reader, asked) ? FILE_LATER : FILE_NOTHING;
    if ( !queue(reader, asked, named) )
        return FILE_NOTHING;
    go_on(readers, reader);
    if ( idle )
        wait_for(readers, reader, number);
    return is_too_dear(readers, &asked->file) ? FILE_TOO_DEAR : FILE_LATER;
}

static void ask(void *self, int named, const struct stat *status,
                const struct file_question *question, struct file_answer *ret)
{
    int own SCOPE_CLOSE = named;
    struct user_readers *readers = self;
    const uint64_t now = monotonic_now();
    const struct queued_question asked = {.file = file_identity_of(status),
                                          .question = *question};
    struct user_reader *reader = find_reader(readers, status->st_uid, now);
    enum file_found found;

    reader->used = now;
    go_on(readers, reader);
    if ( give(reader, &asked, ret) )
        return;
    found = have_read(readers, reader, &asked, own);
    if ( give(reader, &asked, ret) )
        return;
    /* What is said when there is no answer. */
    memset(ret, 0, offsetof(struct file_answer, rows));
    ret->found = found;
    ret->steps = question->steps;
}

static void look_at_readers(void *self)
{
    struct user_readers *readers = self;

    for ( unsigned int i = 0; i < READERS_MAX; i++ )
        go_on(readers, &readers->readers[i]);
}

static uint64_t all_worked(void *self)
{
    struct user_readers *readers = self;
    uint64_t sum = readers->worked;

    for ( unsigned int i = 0; i < READERS_MAX; i++ )
        sum += worked(&readers->readers[i]);
    return sum;
}

static size_t bytes(void *self)
{
    const struct user_readers *readers = self;
    size_t sum = 0;

    for ( unsigned int i = 0; i < READERS_MAX; i++ )
        sum += readers->readers[i].bytes + readers->readers[i].kept.bytes;
    return sum;
}

static uint64_t refused(void *self)
{
    const struct user_readers *readers = self;
    uint64_t sum = readers->all_refused;

    for ( unsigned int i = 0; i < READERS_MAX; i++ )
        sum += readers->readers[i].refused;
    return sum;
}

static void begin_anew(void *self)
{
    struct user_readers *readers = self;

    readers->refused = readers->next = 0;
}

struct file_reader user_readers_open(struct user_readers *readers,
                                     const struct process_maker *maker)
{
    *readers = (struct user_readers){.maker = *maker,
                                     .slowness = machine_slowness(),
                                     .epoll = epoll_create1(EPOLL_CLOEXEC)};
    return (struct file_reader){.ask = ask,
                                .bytes = bytes,
                                .refused = refused,
                                .cpu = all_worked,
                                .begin_anew = begin_anew,
                                .look = look_at_readers,
                                .fd = readers->epoll,
                                .self = readers};
}

void user_readers_close(struct user_readers *readers)
{
    for ( unsigned int i = 0; i < READERS_MAX; i++ )
        forget_reader(readers, &readers->readers[i]);
    close(readers->epoll);
}
