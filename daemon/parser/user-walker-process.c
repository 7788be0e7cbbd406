/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables come from an agent, registers and stacks from any process of dom0: all
 * that is done with them is done here, where nothing else is.
 */
#include "user-walker-process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cage/parser-limits.h"
#include "cage/parser-sandbox.h"
#include "cage/process-words.h"

_Static_assert(
    sizeof(struct user_head) == 16 && sizeof(struct user_piece) == 32 &&
        sizeof(struct user_piece_mapped) == 32 &&
        sizeof(struct user_head) +
                AGENT_MAPPINGS_MAX * sizeof(struct user_piece_mapped) <=
            USER_MESSAGE_MAX &&
        sizeof(struct user_asked) % 8 == 0 &&
        sizeof(struct user_answered) % 8 == 0 && USER_STACKS_TOGETHER > 1,
    "all messages have room in one");

bool walker_facts_init(struct walker_facts *facts, const uint8_t *windows)
{
    memset(facts, 0, sizeof(*facts));
    facts->windows = windows;
    facts->cache = row_cache_open();
    return facts->cache;
}

static void drop_space(struct walker_facts *facts, uint32_t number)
{
    if ( facts->spaces[number] )
        facts->pieces -= facts->spaces[number]->count;
    user_space_close(facts->spaces[number]);
    facts->spaces[number] = NULL;
}

static void drop_mapped_table(struct walker_facts *facts,
                              struct walker_table *table)
{
    row_table_close(table->rows);
    if ( table->bytes )
        munmap(table->bytes, table->size);
    facts->bytes -= table->size;
    *table = (struct walker_table){.bytes = NULL};
}

void walker_facts_free(struct walker_facts *facts)
{
    for ( uint32_t i = 0; i < USER_SPACES_MAX; i++ )
        drop_space(facts, i);
    for ( uint32_t i = 0; i < USER_TABLES_MAX; i++ )
        drop_mapped_table(facts, &facts->tables[i]);
    row_cache_close(facts->cache);
}

/* Returns whether there is room for such a table, which there is not yet.  What
 * has come and gone leaves no holes that the next one does not fit into. */
static bool begin_table(struct walker_facts *facts, struct walker_table *table,
                        const struct user_piece *piece)
{
    void *bytes;

    if ( piece->offset || !piece->size ||
         piece->size > USER_TABLES_SIZE - facts->bytes )
        return false;
    bytes = mmap(NULL, piece->size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if ( bytes == MAP_FAILED )
        return false;
    table->bytes = bytes;
    table->size = piece->size;
    facts->bytes += piece->size;
    return true;
}

static bool take_mapped_piece(struct walker_facts *facts,
                              const uint8_t *message, size_t length)
{
    struct walker_table *table;
    struct user_piece piece;

    if ( length <= sizeof(piece) )
        return false;
    memcpy(&piece, message, sizeof(piece));
    length -= sizeof(piece);
    if ( piece.head.number >= USER_TABLES_MAX )
        return false;
    table = &facts->tables[piece.head.number];
    if ( !table->bytes && !begin_table(facts, table, &piece) )
        return false;
    if ( piece.offset != table->filled || piece.size != table->size ||
         length > table->size - table->filled )
        return false;
    memcpy(table->bytes + table->filled, message + sizeof(piece), length);
    table->filled += length;
    /* What is no table is none: its images have no rows. */
    if ( table->filled == table->size )
        table->rows = row_table_get(table->bytes, table->size);
    return true;
}

/* What lies beyond all user space is no process's: one such mapping does not
 * cost it the others. */
static bool take_space_mappings(struct walker_facts *facts,
                                const struct user_head *head,
                                const uint8_t *message, size_t length)
{
    static struct user_mapping mappings[AGENT_MAPPINGS_MAX];
    struct user_piece_mapped from;
    size_t count = 0;

    if ( head->number >= USER_SPACES_MAX || head->count > AGENT_MAPPINGS_MAX ||
         length != sizeof(*head) + head->count * sizeof(from) )
        return false;
    for ( uint32_t i = 0; i < head->count; i++ )
    {
        struct user_mapping *mapping = &mappings[count];
        const struct row_table *rows;

        memcpy(&from, message + sizeof(*head) + i * sizeof(from), sizeof(from));
        if ( from.start >= USER_SPACE_END )
            continue;
        count++;
        *mapping = (struct user_mapping){.start = from.start, .end = from.end};
        rows = from.table < USER_TABLES_MAX ? facts->tables[from.table].rows
                                            : NULL;
        if ( rows )
            user_mapping_bind(mapping, rows, from.offset);
    }
    drop_space(facts, (uint32_t)head->number);
    /* The daemon has fewer, but for those that it has forgotten; of one that is
     * not here it tells again. */
    for ( uint32_t i = 0;
          i < USER_SPACES_MAX && facts->pieces > USER_PIECES_MAX - head->count;
          i++ )
        drop_space(facts, i);
    facts->spaces[head->number] = user_space_open(mappings, count);
    if ( facts->spaces[head->number] )
        facts->pieces += count;
    return true;
}

static bool has_table(const struct user_space *space,
                      const struct row_table *rows)
{
    for ( size_t i = 0; space && i < space->count; i++ )
        if ( space->mapping[i].rows == rows )
            return true;
    return false;
}

static bool forget_table(struct walker_facts *facts,
                         const struct user_head *head, size_t length)
{
    struct walker_table *table;

    if ( head->number >= USER_TABLES_MAX || length != sizeof(*head) )
        return false;
    table = &facts->tables[head->number];
    for ( uint32_t i = 0; table->rows && i < USER_SPACES_MAX; i++ )
        if ( has_table(facts->spaces[i], table->rows) )
            drop_space(facts, i);
    drop_mapped_table(facts, table);
    return true;
}

static size_t put_answered_chain(const struct user_chain *chain,
                                 uint8_t *answer)
{
    struct user_answered answered = {
        .count = chain->count,
        .end = chain->end,
        .wanted = chain->wanted,
    };

    if ( answered.count > USER_ANSWER_FRAMES )
    {
        answered.count = USER_ANSWER_FRAMES;
        answered.end = USER_DEEP;
        answered.wanted = 0;
    }
    for ( uint32_t i = 0; i < answered.count; i++ )
        answered.exact[i / 64] |= (uint64_t)chain->exact[i] << i % 64;
    memcpy(answer, &answered, sizeof(answered));
    memcpy(answer + sizeof(answered), chain->frames,
           answered.count * sizeof(chain->frames[0]));
    return sizeof(answered) + answered.count * sizeof(chain->frames[0]);
}

/* In a space that there is none of, the leaf is all. */
static void walk(const struct walker_facts *facts,
                 const struct user_asked *asked, struct user_chain *ret)
{
    const struct user_start start = {
        .ip = asked->ip,
        .registers = &asked->registers,
        .window = {asked->address, facts->windows + asked->at, asked->length},
    };

    ret->frames[0] = asked->ip;
    ret->exact[0] = true;
    ret->count = 1;
    ret->end = USER_OUTSIDE;
    ret->wanted = 0;
    if ( facts->spaces[asked->space] )
        user_walk(facts->cache, facts->spaces[asked->space], &start, ret);
}

static bool take_stacks(const struct walker_facts *facts,
                        const struct user_head *head, const uint8_t *message,
                        size_t length, uint8_t *answer, size_t *size)
{
    const struct user_head answered = {USER_CHAINS, head->count, 0};
    static struct user_chain chain;
    struct user_asked asked;

    if ( !head->count || head->count > USER_STACKS_TOGETHER ||
         length != sizeof(*head) + head->count * sizeof(asked) )
        return false;
    memcpy(answer, &answered, sizeof(answered));
    *size = sizeof(answered);
    for ( uint32_t i = 0; i < head->count; i++ )
    {
        memcpy(&asked, message + sizeof(*head) + i * sizeof(asked),
               sizeof(asked));
        if ( asked.space >= USER_SPACES_MAX || asked.at > USER_WINDOWS_SIZE ||
             asked.length > USER_WINDOWS_SIZE - asked.at )
            return false;
        walk(facts, &asked, &chain);
        *size += put_answered_chain(&chain, answer + *size);
    }
    return true;
}

bool walker_facts_take(struct walker_facts *facts, const void *message,
                       size_t length, void *answer, size_t *size)
{
    struct user_head head;

    *size = 0;
    if ( length < sizeof(head) )
        return false;
    memcpy(&head, message, sizeof(head));
    switch ( head.kind )
    {
    case USER_TABLE: return take_mapped_piece(facts, message, length);
    case USER_SPACE: return take_space_mappings(facts, &head, message, length);
    case USER_FORGET: return forget_table(facts, &head, length);
    case USER_STACKS:
        return take_stacks(facts, &head, message, length, answer, size);
    default: return false;
    }
}

/* The process -------------------------------------------------------------- */

/* Registers are not to be written to a swap device, as windows, which the
 * daemon has locked.  If the limit of locked memory does not allow it, they may
 * be. */
static uint64_t message[USER_MESSAGE_MAX / 8];

static void serve_user_walks(struct walker_facts *facts)
{
    static uint64_t answer[USER_MESSAGE_MAX / 8];
    ssize_t length;
    size_t size;

    while ( (length = read(SANDBOX_IN, message, sizeof(message))) > 0 &&
            walker_facts_take(facts, message, (size_t)length, answer, &size) )
        if ( size && write(SANDBOX_OUT, answer, size) != (ssize_t)size )
            return;
}

void user_walker_process_run(const struct process_order *order, int socket)
{
    static struct walker_facts facts;
    const uint8_t *windows = mmap(NULL, USER_WINDOWS_SIZE, PROT_READ,
                                  MAP_SHARED, order->files[0], 0);

    prctl(PR_SET_NAME, "xenoprof-walker");
    mlock2(message, sizeof(message), MLOCK_ONFAULT);
    if ( windows != MAP_FAILED && walker_facts_init(&facts, windows) &&
         sandbox_enter(socket, socket, MEMORY_OF_USER_WALKER) == 0 &&
         process_say_ready() )
        serve_user_walks(&facts);
}
