/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A walker in its sandbox finds what one in this process does; and what no
 * walker says ends it. */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "daemon/parser/process-run.h"
#include "daemon/parser/user-walker-link.h"
#include "process-kit.h"
#include "tests/harness.h"
#include "tests/unit/rows/capture-kit.h"

static struct forked_processes forked;
static struct played_process played;
static struct user_chain chain, wanted;

static enum link_status take(struct user_walker *walker, uint64_t *tag)
{
    struct pollfd ready = {.fd = user_walker_fd(walker), .events = POLLIN};
    enum link_status status;

    while ( (status = user_walker_next(walker, tag, &chain)) == LINK_MORE &&
            user_walker_away(walker) )
        CHECK_EQ(poll(&ready, 1, 60000), 1);
    return status;
}

/* As often as there is no room. */
static void must_send(enum link_status (*send)(struct user_walker *,
                                               const void *),
                      struct user_walker *walker, const void *what)
{
    enum link_status status;

    while ( (status = send(walker, what)) == LINK_MORE )
        poll(NULL, 0, 1);
    CHECK_EQ(status, LINK_OK);
}

struct sent_piece {
    uint32_t table;
    const struct buffer *bytes;
    size_t offset, size;
};

static enum link_status send_piece(struct user_walker *walker, const void *what)
{
    const struct sent_piece *piece = what;
    const struct agent_table whole = {1, piece->bytes->used};

    return user_walker_table(walker, piece->table, &whole, piece->offset,
                             piece->bytes->bytes + piece->offset, piece->size);
}

static void tell_table(struct user_walker *walker, uint32_t number,
                       const struct row_table *table)
{
    struct buffer bytes = {0};
    struct sent_piece piece = {number, &bytes, 0, 0};

    CHECK(row_table_put(table, &bytes));
    for ( ; piece.offset < bytes.used; piece.offset += piece.size )
    {
        piece.size = bytes.used - piece.offset < AGENT_PIECE_MAX
                         ? bytes.used - piece.offset
                         : AGENT_PIECE_MAX;
        must_send(send_piece, walker, &piece);
    }
    buffer_free(&bytes);
}

static enum link_status send_space(struct user_walker *walker, const void *what)
{
    const struct captured_space *space = what;
    static struct user_piece_mapped mappings[AGENT_MAPPINGS_MAX];

    for ( uint32_t i = 0; i < space->count; i++ )
        mappings[i] = (struct user_piece_mapped){
            .start = space->mappings[i].mapping.start,
            .end = space->mappings[i].mapping.end,
            .offset = space->mappings[i].offset,
            .table = space->tables[i] ? i : USER_NO_TABLE};
    return user_walker_space(walker, 3, mappings, (uint32_t)space->count);
}

static enum link_status ask(struct user_walker *walker,
                            const struct captured_stack *stack, uint64_t tag,
                            uint32_t space)
{
    const struct user_start start = {
        .ip = stack->ip,
        .registers = &stack->registers,
        .window = {stack->address, stack->bytes, stack->length}};

    return user_walker_stack(walker, tag, space, &start);
}

static void check_same(void)
{
    CHECK_EQ(chain.count, wanted.count);
    CHECK_EQ(chain.end, wanted.end);
    CHECK(!memcmp(chain.frames, wanted.frames,
                  chain.count * sizeof(chain.frames[0])));
    CHECK(!memcmp(chain.exact, wanted.exact, chain.count));
}

static void walk_of_process(pid_t pid, struct user_walker *walker)
{
    struct row_cache *cache = row_cache_open();
    struct captured_space space;
    struct captured_stack stack;
    uint64_t tag = 0;

    CHECK(cache && capture_space(&space, pid) &&
          capture_stack(&stack, pid, 8192));
    for ( uint32_t i = 0; i < space.count; i++ )
        if ( space.tables[i] )
            tell_table(walker, i, space.tables[i]);
    must_send(send_space, walker, &space);
    CHECK_EQ(ask(walker, &stack, 77, 3), LINK_OK);
    CHECK_EQ(take(walker, &tag), LINK_OK);
    CHECK_EQ(tag, 77);
    capture_walk(&stack, &space, cache, &wanted);
    check_same();
    CHECK_EQ(wanted.end, USER_ROOT);
    CHECK(wanted.count > 3);
    /* Nothing was told of this space. */
    CHECK_EQ(ask(walker, &stack, 78, 4), LINK_OK);
    CHECK_EQ(take(walker, &tag), LINK_OK);
    CHECK_EQ(tag, 78);
    CHECK_EQ(chain.count, 1);
    CHECK_EQ(chain.end, USER_OUTSIDE);
    free(stack.bytes);
    capture_space_free(&space);
    row_cache_close(cache);
}

TEST(a_process_is_walked)
{
    char *arguments[] = {(char *)"sleep", (char *)"1000", NULL};
    pid_t pid = capture_program(arguments);
    struct process_maker maker = forking_maker(&forked);
    struct user_walker *walker;
    uint64_t spent = 0;

    maker.spent = &spent;
    CHECK(pid > 0);
    CHECK(capture_run_for(pid, 300000));
    forked = (struct forked_processes){.act = process_run};
    walker = user_walker_begin(&maker);
    CHECK(walker);
    walk_of_process(pid, walker);
    CHECK(user_walker_cpu(walker) > 0);
    CHECK(spent > 0);
    user_walker_end(walker);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static struct user_walker *begin_played(void)
{
    static struct process_maker maker;
    static const struct captured_stack stack = {.ip = 5};
    struct user_walker *walker;

    maker = played_maker(&played);
    walker = user_walker_begin(&maker);
    CHECK(walker);
    CHECK_EQ(ask(walker, &stack, 1, 0), LINK_OK);
    played_say_ready(&played);
    return walker;
}

/* Each breaks another rule. */
TEST(answers_that_are_none)
{
    struct {
        struct user_answered head;
        uint64_t frames[2];
    } answer;
    uint64_t tag;

    for ( unsigned int which = 0; which < 7; which++ )
    {
        struct user_walker *walker = begin_played();
        size_t size = sizeof(answer);

        answer.head = (struct user_answered){.head = {USER_CHAIN, 2, 1}};
        switch ( which )
        {
        case 0: answer.head.head.kind = USER_STACK; break;
        case 1: answer.head.head.count = 0; break;
        case 2: answer.head.head.count = USER_FRAMES_MAX + 1; break;
        case 3: answer.head.end = USER_ENDS; break;
        case 4: answer.head.head.count = 3; break;
        case 5: answer.head.head.number = 99; break; /* nobody asked */
        default: size = 8; break;
        }
        played_say(&played, &answer, size);
        CHECK_EQ(take(walker, &tag), LINK_DIED);
        user_walker_end(walker);
    }
}

TEST(a_walker_that_ends)
{
    struct user_walker *walker = begin_played();
    static const struct captured_stack stack = {.ip = 5};
    uint64_t tag;

    CHECK_EQ(user_walker_next(walker, &tag, &chain), LINK_MORE);
    played_leave(&played);
    CHECK_EQ(take(walker, &tag), LINK_DIED);
    CHECK_EQ(ask(walker, &stack, 2, 0), LINK_DIED);
    user_walker_end(walker);
    user_walker_end(NULL);
}

/* Somebody else who reads nothing: what is sent waits, and is sent once. */
TEST(a_walker_that_reads_nothing)
{
    struct user_walker *walker = begin_played();
    struct captured_stack stack = {.length = 8192};
    unsigned int sent = 1;
    uint64_t words[2048];

    stack.bytes = calloc(1, stack.length);
    CHECK(stack.bytes);
    while ( ask(walker, &stack, sent, 0) == LINK_OK )
        CHECK(++sent < 10000);
    CHECK_EQ(ask(walker, &stack, sent, 0), LINK_MORE);
    while ( played_hear(&played, words, sizeof(words)) )
        sent--;
    CHECK_EQ(sent, 0);
    CHECK_EQ(ask(walker, &stack, 1, 0), LINK_OK);
    free(stack.bytes);
    user_walker_end(walker);
}
