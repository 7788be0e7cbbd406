/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A walker in its sandbox finds what one in this process does; and what no
 * walker says ends it. */
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "daemon/parser/process-run.h"
#include "daemon/parser/user-walker-link.h"
#include "tests/unit/cage/process-kit.h"
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

/* More than fit into a message.  Nothing was told of each other one's space. */
#define MANY (USER_STACKS_TOGETHER + 20)

static void ask_many(struct user_walker *walker,
                     const struct captured_stack *stack)
{
    for ( uint64_t tag = 0; tag < MANY; tag++ )
        CHECK_EQ(ask(walker, stack, tag, 3 + tag % 2), LINK_OK);
    CHECK_EQ(user_walker_away(walker), MANY);
    CHECK(user_walker_gathers(walker));
    CHECK_EQ(user_walker_send(walker), LINK_OK);
    CHECK(!user_walker_gathers(walker));
}

static void check_leaf(void)
{
    CHECK_EQ(chain.count, 1);
    CHECK_EQ(chain.end, USER_OUTSIDE);
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
    capture_walk(&stack, &space, cache, &wanted);
    CHECK_EQ(wanted.end, USER_ROOT);
    CHECK(wanted.count > 3);
    ask_many(walker, &stack);
    for ( uint64_t asked = 0; asked < MANY; asked++ )
    {
        CHECK_EQ(take(walker, &tag), LINK_OK);
        CHECK_EQ(tag, asked);
        if ( asked % 2 )
            check_leaf();
        else
            check_same();
    }
    CHECK_EQ(user_walker_away(walker), 0);
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
    struct process_work work = {0};

    maker.work = &work;
    CHECK(pid > 0);
    CHECK(capture_run_for(pid, 300000));
    forked = (struct forked_processes){.act = process_run};
    walker = user_walker_begin(&maker);
    CHECK(walker);
    walk_of_process(pid, walker);
    CHECK(user_walker_cpu(walker) > 0);
    CHECK(work.spent > 0);
    user_walker_end(walker);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* It was asked for so many stacks, of which none was sent. */
static struct user_walker *begin_asked(uint64_t count)
{
    static struct process_maker maker;
    static const struct captured_stack stack = {.ip = 5};
    struct user_walker *walker;

    maker = played_maker(&played);
    walker = user_walker_begin(&maker);
    CHECK(walker);
    for ( uint64_t tag = 1; tag <= count; tag++ )
        CHECK_EQ(ask(walker, &stack, tag, 0), LINK_OK);
    played_say_ready(&played);
    return walker;
}

static struct user_walker *begin_played(uint64_t count)
{
    struct user_walker *walker = begin_asked(count);

    CHECK_EQ(user_walker_send(walker), LINK_OK);
    return walker;
}

/* A chain of the leaf and its caller, and one of the leaf. */
struct two_chains {
    struct user_head head;
    struct user_answered first;
    uint64_t frames[2];
    struct user_answered second;
    uint64_t frame;
};

static struct two_chains two_chains(void)
{
    return (struct two_chains){
        .head = {USER_CHAINS, 2, 0},
        .first = {.count = 2, .end = USER_ROOT, .exact = {1}},
        .frames = {5, 0x1234},
        .second = {.count = 1, .end = USER_WINDOW, .wanted = 99, .exact = {1}},
        .frame = 5};
}

static void check_first(void)
{
    CHECK_EQ(chain.count, 2);
    CHECK_EQ(chain.end, USER_ROOT);
    CHECK_EQ(chain.frames[1], 0x1234);
    CHECK(chain.exact[0] && !chain.exact[1]);
}

/* Each is of the stack that has waited for longest. */
TEST(answers_come_together)
{
    struct user_walker *walker = begin_played(3);
    const struct two_chains answer = two_chains();
    uint64_t tag;

    played_say(&played, &answer, sizeof(answer));
    CHECK_EQ(take(walker, &tag), LINK_OK);
    CHECK_EQ(tag, 1);
    check_first();
    CHECK_EQ(user_walker_away(walker), 2);
    CHECK_EQ(take(walker, &tag), LINK_OK);
    CHECK_EQ(tag, 2);
    CHECK_EQ(chain.count, 1);
    CHECK_EQ(chain.wanted, 99);
    CHECK_EQ(user_walker_next(walker, &tag, &chain), LINK_MORE);
    CHECK_EQ(user_walker_away(walker), 1);
    user_walker_end(walker);
}

/* Each breaks another rule, of the message, or of its first chain. */
TEST(answers_that_are_none)
{
    uint64_t tag;

    for ( unsigned int which = 0; which < 9; which++ )
    {
        struct user_walker *walker = begin_played(2);
        struct two_chains answer = two_chains();
        size_t size = sizeof(answer);

        switch ( which )
        {
        case 0: answer.head.kind = USER_STACKS; break;
        case 1: answer.head.count = 0; break;
        case 2: answer.head.count = 3; break; /* nobody asked */
        case 3: answer.head.count = 1; break; /* and more behind it */
        case 4: answer.first.count = 0; break;
        case 5: answer.first.count = USER_ANSWER_FRAMES + 1; break;
        case 6: answer.first.end = USER_ENDS; break;
        case 7: size = offsetof(struct two_chains, second) - 8; break;
        default: size = 8; break;
        }
        played_say(&played, &answer, size);
        CHECK_EQ(take(walker, &tag), LINK_DIED);
        user_walker_end(walker);
    }
}

/* The first chain is one; what follows is not. */
TEST(second_answers_that_are_none)
{
    uint64_t tag;

    for ( unsigned int which = 0; which < 4; which++ )
    {
        struct user_walker *walker = begin_played(2);
        struct two_chains answer = two_chains();
        uint64_t bytes[sizeof(answer) / 8 + 1] = {0};
        size_t size = sizeof(answer);

        switch ( which )
        {
        case 0: answer.second.count = 2; break;
        case 1: size -= 8; break;
        case 2: size = offsetof(struct two_chains, second); break;
        default: size += 8; break;
        }
        memcpy(bytes, &answer, sizeof(answer));
        played_say(&played, bytes, size);
        CHECK_EQ(take(walker, &tag), LINK_OK);
        check_first();
        CHECK_EQ(take(walker, &tag), LINK_DIED);
        user_walker_end(walker);
    }
}

/* It cannot have seen what was not sent. */
TEST(answers_to_what_was_not_sent)
{
    struct user_walker *walker = begin_asked(2);
    const struct two_chains answer = two_chains();
    uint64_t tag;

    played_say(&played, &answer, sizeof(answer));
    CHECK_EQ(take(walker, &tag), LINK_DIED);
    user_walker_end(walker);
}

/* What was asked for goes before what is said after it. */
TEST(stacks_are_sent_in_turn)
{
    struct user_walker *walker = begin_asked(2);
    static uint64_t words[USER_MESSAGE_MAX / 8];
    struct user_head head;

    CHECK_EQ(played_hear(&played, words, sizeof(words)), 0);
    CHECK_EQ(user_walker_forget(walker, 9), LINK_OK);
    CHECK_EQ(played_hear(&played, words, sizeof(words)),
             sizeof(head) + 2 * sizeof(struct user_asked));
    memcpy(&head, words, sizeof(head));
    CHECK_EQ(head.kind, USER_STACKS);
    CHECK_EQ(head.count, 2);
    CHECK_EQ(played_hear(&played, words, sizeof(words)), sizeof(head));
    memcpy(&head, words, sizeof(head));
    CHECK_EQ(head.kind, USER_FORGET);
    CHECK_EQ(user_walker_send(walker), LINK_OK);
    CHECK_EQ(played_hear(&played, words, sizeof(words)), 0);
    user_walker_end(walker);
}

TEST(a_walker_that_ends)
{
    struct user_walker *walker = begin_played(1);
    static const struct captured_stack stack = {.ip = 5};
    uint64_t tag;

    CHECK_EQ(user_walker_next(walker, &tag, &chain), LINK_MORE);
    played_leave(&played);
    CHECK_EQ(take(walker, &tag), LINK_DIED);
    CHECK_EQ(ask(walker, &stack, 2, 0), LINK_OK);
    CHECK_EQ(user_walker_send(walker), LINK_DIED);
    user_walker_end(walker);
    user_walker_end(NULL);
}

/* Returns the head of the next message; kind 0: there is none. */
static struct user_head hear_head(void)
{
    static uint64_t words[USER_MESSAGE_MAX / 8];
    struct user_head head = {.kind = 0};

    if ( played_hear(&played, words, sizeof(words)) )
        memcpy(&head, words, sizeof(head));
    return head;
}

static uint32_t hear_kind(void)
{
    return hear_head().kind;
}

/* Returns how many stacks are in the next message; 0: there is none. */
static uint32_t hear_stacks(void)
{
    struct user_head head = hear_head();

    CHECK(!head.kind || head.kind == USER_STACKS);
    return head.count;
}

/* Somebody else who reads nothing: what is sent waits, and is sent once. */
TEST(a_walker_that_reads_nothing)
{
    struct user_walker *walker = begin_asked(0);
    static const struct captured_stack stack = {.ip = 5};
    static uint8_t bytes[AGENT_PIECE_MAX];
    const struct buffer zeroes = {.bytes = bytes, .used = sizeof(bytes)};
    const struct sent_piece piece = {0, &zeroes, 0, AGENT_PIECE_MAX};
    unsigned int sent = 0;

    while ( send_piece(walker, &piece) == LINK_OK )
        CHECK(++sent < 10000);
    CHECK_EQ(ask(walker, &stack, 1, 0), LINK_OK);
    CHECK_EQ(user_walker_send(walker), LINK_MORE);
    CHECK_EQ(user_walker_forget(walker, 1), LINK_MORE);
    CHECK(user_walker_gathers(walker));
    while ( hear_kind() == USER_TABLE )
        sent--;
    CHECK_EQ(sent, 0);
    CHECK_EQ(user_walker_send(walker), LINK_OK);
    CHECK_EQ(hear_kind(), USER_STACKS);
    CHECK_EQ(user_walker_forget(walker, 1), LINK_OK);
    CHECK_EQ(hear_kind(), USER_FORGET);
    user_walker_end(walker);
}

/* Answers all stacks of the next message with their leaf. */
static void answer_stacks(void)
{
    const struct {
        struct user_answered answered;
        uint64_t frame;
    } leaf = {{.count = 1, .exact = {1}}, 5};
    static uint64_t words[USER_MESSAGE_MAX / 8];
    struct user_head head = {.count = hear_stacks()};
    uint8_t *at = (uint8_t *)words + sizeof(head);

    head.kind = USER_CHAINS;
    memcpy(words, &head, sizeof(head));
    for ( uint32_t i = 0; i < head.count; i++, at += sizeof(leaf) )
        memcpy(at, &leaf, sizeof(leaf));
    played_say(&played, words, (size_t)(at - (uint8_t *)words));
}

/* Windows are where the walker finds them, until all are answered. */
TEST(windows_of_stacks)
{
    struct user_walker *walker = begin_asked(0);
    struct captured_stack stack = {.ip = 5, .length = 32768};
    uint32_t asked = 0;
    uint64_t tag;

    stack.bytes = malloc(stack.length);
    CHECK(stack.bytes);
    memset(stack.bytes, 'x', stack.length);
    while ( ask(walker, &stack, asked, 0) == LINK_OK )
        asked++;
    CHECK_EQ(asked, USER_WINDOWS_SIZE / stack.length);
    CHECK(!memcmp(played.area, stack.bytes, stack.length));
    CHECK_EQ(played.area[USER_WINDOWS_SIZE - 1], 'x');
    CHECK_EQ(user_walker_send(walker), LINK_OK);
    answer_stacks();
    for ( uint32_t i = 0; i < asked; i++ )
    {
        CHECK_EQ(ask(walker, &stack, 99, 0), LINK_MORE);
        CHECK_EQ(take(walker, &tag), LINK_OK);
        CHECK_EQ(tag, i);
    }
    CHECK_EQ(played.area[0], 0);
    CHECK_EQ(played.area[USER_WINDOWS_SIZE - 1], 0);
    CHECK_EQ(ask(walker, &stack, 99, 0), LINK_OK);
    CHECK(!memcmp(played.area, stack.bytes, stack.length));
    free(stack.bytes);
    user_walker_end(walker);
}

/* Of an answer there is room for all chains, however long they are. */
TEST(stacks_of_a_message)
{
    struct user_walker *walker = begin_asked(USER_AWAY_MAX);
    static const struct captured_stack stack = {.ip = 5};
    uint32_t heard = 0, more;

    CHECK_EQ(ask(walker, &stack, 1, 0), LINK_MORE);
    CHECK_EQ(user_walker_send(walker), LINK_OK);
    while ( (more = hear_stacks()) )
    {
        CHECK(more <= USER_STACKS_TOGETHER);
        heard += more;
    }
    CHECK_EQ(heard, USER_AWAY_MAX);
    user_walker_end(walker);
}
