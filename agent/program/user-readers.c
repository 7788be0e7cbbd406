/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "user-readers.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "agent/debug-file.h"
#include "base/clock.h"
#include "base/scope.h"
#include "daemon/parser/file-packet.h"

#define MS     1000000ull
#define SECOND 1000000000ull

/* ns of waiting that are not counted: whoever knows the answer takes less. */
#define QUICK (2 * MS)
/* ns in which a process begins. */
#define BEGIN_MAX (10 * SECOND)
/* Debug files that a question may take. */
#define DEBUG_MAX 4u

static void end(struct user_reader *reader)
{
    if ( !reader->alive )
        return;
    process_link_end(&reader->link);
    reader->worked += reader->link.cpu;
    reader->alive = reader->away = false;
    reader->bytes = 0;
}

static bool is_same(const struct read_file *one, const struct read_file *other)
{
    return one->device == other->device && one->inode == other->inode;
}

static bool is_too_dear(const struct user_readers *readers,
                        const struct read_file *file)
{
    for ( unsigned int i = 0; i < readers->refused; i++ )
        if ( is_same(&readers->too_dear[i], file) )
            return true;
    return false;
}

/* What it was asked cost it too much. */
static void strike(struct user_readers *readers, struct user_reader *reader)
{
    readers->too_dear[readers->next] = reader->file;
    readers->next = (readers->next + 1) % READERS_REFUSED_MAX;
    readers->refused += readers->refused < READERS_REFUSED_MAX;
    readers->all_refused += 1 + reader->refused;
    reader->refused = 0;
    reader->strikes++;
    end(reader);
}

static uint64_t worked(struct user_reader *reader)
{
    return reader->worked +
           (reader->alive ? process_link_cpu(&reader->link) : 0);
}

static bool is_spent(struct user_reader *reader, uint64_t now)
{
    return reader->user &&
           (reader->strikes >= READER_STRIKES_MAX ||
            worked(reader) >
                READER_WORK + (now - reader->begun) / READER_WORK_PART);
}

static void forget(struct user_readers *readers, struct user_reader *reader)
{
    end(reader);
    readers->worked += reader->worked;
    readers->all_refused += reader->refused;
}

static struct user_reader *find(struct user_readers *readers, uid_t user,
                                uint64_t now)
{
    struct user_reader *free = &readers->readers[0];

    for ( unsigned int i = 0; i < READERS_MAX; i++ )
    {
        struct user_reader *reader = &readers->readers[i];

        if ( reader->known && reader->user == user )
            return reader;
        if ( free->known && (!reader->known || reader->used < free->used) )
            free = reader;
    }
    if ( free->known )
        forget(readers, free);
    *free = (struct user_reader){.user = user, .known = true, .begun = now};
    return free;
}

static bool is_text(const char text[ELF_NAME_MAX])
{
    return memchr(text, 0, ELF_NAME_MAX);
}

/* Whether it is an answer to what was asked, as it should be. */
static bool is_answer(const struct user_reader *reader,
                      const struct file_answer *said, size_t size)
{
    const struct file_function *function = &said->function;

    if ( size < offsetof(struct file_answer, rows) ||
         said->piece > FILE_PIECE_MAX || size != file_answer_size(said) ||
         said->number != reader->question.number ||
         said->found >= FILE_FOUNDS || said->steps > reader->question.steps ||
         function->build_id_size > ELF_BUILD_ID_MAX ||
         function->start > function->address || !is_text(function->name) ||
         said->levels > INLINED_MAX || said->table == UINT64_MAX ||
         said->piece != (reader->question.asks == FILE_ROWS
                             ? file_piece(said->table, reader->question.offset)
                             : 0) )
        return false;
    for ( uint32_t i = 0; i < said->levels; i++ )
        if ( !is_text(said->names[i]) )
            return false;
    return true;
}

static void give_debug(const struct user_reader *reader,
                       const struct file_answer *said)
{
    const struct file_roots roots = {.all = -1};
    int fd SCOPE_CLOSE = debug_file_find(&roots, said->function.build_id,
                                         said->function.build_id_size);

    file_packet_send(reader->link.socket, "", 1, &fd, fd >= 0);
}

static bool is_too_long(struct user_reader *reader)
{
    return reader->link.ready
               ? process_link_cpu(&reader->link) - reader->cpu >
                     READER_QUESTION_MAX
               : monotonic_now() - reader->link.begun > BEGIN_MAX;
}

enum heard { HEARD_NOTHING, HEARD_ANSWER, HEARD_END };

/* Takes what came. */
static enum heard take(struct user_readers *readers, struct user_reader *reader,
                       struct file_answer *ret)
{
    size_t size = sizeof(*ret);
    enum link_status status = process_link_receive(&reader->link, ret, &size);
    bool right = status == LINK_OK && is_answer(reader, ret, size);

    if ( right && ret->found != FILE_WANTS_DEBUG )
    {
        reader->away = false;
        reader->bytes = ret->bytes;
        reader->refused = ret->refused;
        return HEARD_ANSWER;
    }
    if ( right && reader->wanted++ < DEBUG_MAX )
        give_debug(reader, ret);
    if ( reader->wanted <= DEBUG_MAX && (right || status == LINK_MORE) &&
         !is_too_long(reader) )
        return HEARD_NOTHING;
    if ( status == LINK_NONE ) /* that is not what it was asked for */
        end(reader);
    else
        strike(readers, reader);
    return HEARD_END;
}

/* Returns the ns that may be waited. */
static uint64_t time_left(struct user_reader *reader, uint64_t now)
{
    if ( now - reader->second >= SECOND )
    {
        reader->second = now;
        reader->waited = 0;
    }
    return reader->waited < READER_WAIT ? READER_WAIT - reader->waited : 0;
}

static enum heard hear(struct user_readers *readers, struct user_reader *reader,
                       struct file_answer *ret)
{
    struct pollfd heard = {.fd = reader->link.socket, .events = POLLIN};
    uint64_t began = monotonic_now(), left = time_left(reader, began), took = 0;
    enum heard what;

    while ( (what = take(readers, reader, ret)) == HEARD_NOTHING &&
            (took = monotonic_now() - began) < left )
        poll(&heard, 1, (int)((left - took) / MS + 1));
    reader->waited += took > QUICK ? took - QUICK : 0;
    return what;
}

/* Returns false if no process can be made now. */
static bool say(struct user_readers *readers, struct user_reader *reader,
                int fd, const struct file_question *question)
{
    const struct process_order order = {.kind = PROCESS_FILES};
    const uint32_t number = reader->question.number + 1;

    reader->question = *question;
    reader->question.number = number;
    reader->wanted = 0;
    if ( !reader->alive )
        reader->alive = process_link_begin(&reader->link, &readers->maker,
                                           &order);
    if ( !reader->alive )
        return false;
    reader->cpu = process_link_cpu(&reader->link);
    reader->away = file_packet_send(reader->link.socket, &reader->question,
                                    sizeof(reader->question), &fd, fd >= 0);
    if ( !reader->away )
        end(reader);
    return reader->away;
}

/* What is said when there is no answer. */
static void put_found(struct file_answer *ret, enum file_found found,
                      const struct file_question *question)
{
    memset(ret, 0, offsetof(struct file_answer, rows));
    ret->found = found;
    ret->steps = question->steps;
}

/* An answer that comes late is of no use any more, but then it is known, and
 * who asks again has it soon. */
static void ask(void *self, int fd, const struct stat *status,
                const struct file_question *question, struct file_answer *ret)
{
    int own SCOPE_CLOSE = fd;
    struct user_readers *readers = self;
    const uint64_t now = monotonic_now();
    struct user_reader *reader = find(readers, status->st_uid, now);
    const struct read_file file = {status->st_dev, status->st_ino};
    enum heard heard = HEARD_NOTHING;

    reader->used = now;
    if ( reader->away )
        hear(readers, reader, ret);
    if ( is_too_dear(readers, &file) || is_spent(reader, now) )
    {
        put_found(ret, FILE_TOO_DEAR, question);
        return;
    }
    if ( !reader->away )
    {
        reader->file = file;
        heard = say(readers, reader, own, question) ? hear(readers, reader, ret)
                                                    : HEARD_END;
    }
    if ( heard == HEARD_NOTHING )
        put_found(ret, FILE_LATER, question);
    if ( heard == HEARD_END )
        put_found(ret,
                  is_too_dear(readers, &file) ? FILE_TOO_DEAR : FILE_NOTHING,
                  question);
}

static void look(void *self)
{
    struct user_readers *readers = self;
    static struct file_answer late;

    for ( unsigned int i = 0; i < READERS_MAX; i++ )
        if ( readers->readers[i].away )
            take(readers, &readers->readers[i], &late);
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
        sum += readers->readers[i].bytes;
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
    for ( unsigned int i = 0; i < READERS_MAX; i++ )
        readers->readers[i].strikes = 0;
}

struct file_reader user_readers_open(struct user_readers *readers,
                                     const struct process_maker *maker)
{
    *readers = (struct user_readers){.maker = *maker};
    return (struct file_reader){.ask = ask,
                                .bytes = bytes,
                                .refused = refused,
                                .cpu = all_worked,
                                .begin_anew = begin_anew,
                                .look = look,
                                .self = readers};
}

void user_readers_close(struct user_readers *readers)
{
    for ( unsigned int i = 0; i < READERS_MAX; i++ )
        end(&readers->readers[i]);
}
