/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "control/door-client.h"
#include "tests/harness.h"

/* A door whose reads are answered from a list, the last one for ever. */
struct answers {
    const int *results; /* 0: the state; 1: another leaf's bytes; else errno */
    size_t count, next;
    int write_results[4];
    size_t writes;
    char line[XENOPROF_COMMAND_MAX];
    char lines[64]; /* all of them, if they are short */
    struct xenoprof_door_state state;
};

static int write_leaf(void *self, const char *line)
{
    struct answers *answers = self;
    int result = answers->writes < 4 ? answers->write_results[answers->writes]
                                     : 0;

    answers->writes++;
    strcpy(answers->line, line);
    if ( strlen(answers->lines) + strlen(line) + 2 < sizeof(answers->lines) )
        strcat(strcat(answers->lines, line), ";");
    return result;
}

static int read_leaf(void *self, void *bytes, size_t size)
{
    struct answers *answers = self;
    size_t at = answers->next;
    int result = answers->results ? answers->results[at] : 0;

    if ( at + 1 < answers->count )
        answers->next++;
    if ( result < 0 )
        return result;
    memset(bytes, 'x', size);
    if ( result == 1 )
        return (int)size;
    if ( size > sizeof(answers->state) )
        size = sizeof(answers->state);
    memcpy(bytes, &answers->state, size);
    return (int)size;
}

static const struct door_client_leaves leaves = {write_leaf, read_leaf};

static struct answers answers_with(const int *results, size_t count)
{
    return (struct answers){
        .results = results,
        .count = count,
        .state =
            {
                .magic = XENOPROF_DOOR_MAGIC,
                .leaf = XENOPROF_DOOR_LEAF_STATE,
                .sequence = 7,
                .sequence_end = 7,
                .version = XENOPROF_ABI_VERSION,
                .size = sizeof(struct xenoprof_door_state),
                .state = XENOPROF_STATE_LOADED,
            },
    };
}

static int read_state(struct answers *answers, struct xenoprof_door_state *ret)
{
    struct door_client door = {&leaves, answers};

    return door_client_state(&door, ret);
}

TEST(door_reads_until_it_is_itself)
{
    static const int results[] = {1, -ENOENT, -EINVAL, 1, 0};
    struct answers answers = answers_with(results, 5);
    struct xenoprof_door_state state;

    CHECK_EQ(read_state(&answers, &state), 0);
    CHECK_EQ(state.state, XENOPROF_STATE_LOADED);
    CHECK_EQ(answers.next, 4);
}

TEST(door_that_is_not_there)
{
    static const int results[] = {-ENOENT};
    struct answers answers = answers_with(results, 1);
    struct xenoprof_door_state state;

    CHECK_EQ(read_state(&answers, &state), -ENOENT);
}

TEST(door_that_never_is_itself)
{
    static const int results[] = {1};
    struct answers answers = answers_with(results, 1);
    struct xenoprof_door_state state;

    CHECK_EQ(read_state(&answers, &state), -ENOENT);
}

TEST(door_that_is_closed_to_us)
{
    static const int results[] = {-EPERM, 0};
    struct answers answers = answers_with(results, 2);
    struct xenoprof_door_state state;

    CHECK_EQ(read_state(&answers, &state), -EPERM);
}

TEST(door_torn_state_is_read_again)
{
    struct answers answers = answers_with(NULL, 0);
    struct xenoprof_door_state state;

    answers.state.sequence_end = 6;
    CHECK_EQ(read_state(&answers, &state), -ENOENT);
}

TEST(door_of_another_version)
{
    struct answers answers = answers_with(NULL, 0);
    struct xenoprof_door_state state;

    answers.state.version++;
    CHECK_EQ(read_state(&answers, &state), -EPROTO);
}

TEST(door_message_always_ends)
{
    struct answers answers = answers_with(NULL, 0);
    struct xenoprof_door_state state;

    memset(answers.state.message, 'm', sizeof(answers.state.message));
    CHECK_EQ(read_state(&answers, &state), 0);
    CHECK_EQ(strlen(state.message), XENOPROF_MESSAGE_MAX - 1);
}

TEST(door_commands_are_formatted)
{
    struct answers answers = answers_with(NULL, 0);
    struct door_client door = {&leaves, &answers};
    char text[XENOPROF_COMMAND_MAX];

    CHECK_EQ(door_client_command(&door, "forget id=%u", 5), 0);
    CHECK_TEXT(answers.line, "forget id=5");
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    CHECK_EQ(door_client_command(&door, "%s", text), 0);
    CHECK_EQ(door_client_command(&door, "%sx", text), -EMSGSIZE);
}

/* Xen looked up another leaf's path for the write, so the write did not
 * arrive. */
TEST(door_command_that_did_not_arrive_is_repeated)
{
    struct answers answers = answers_with(NULL, 0);
    struct door_client door = {&leaves, &answers};

    answers.write_results[0] = -EACCES;
    answers.write_results[1] = -ENOENT;
    CHECK_EQ(door_client_command(&door, "start"), 0);
    CHECK_EQ(answers.writes, 3);
}

/* The module does long work in pieces. */
TEST(door_command_is_repeated_until_it_is_done)
{
    struct answers answers = answers_with(NULL, 0);
    struct door_client door = {&leaves, &answers};

    strcpy(answers.state.message, "repeat the command for more");
    answers.write_results[0] = -EAGAIN;
    answers.write_results[1] = -EAGAIN;
    CHECK_EQ(door_client_command(&door, "reserve"), 0);
    CHECK_EQ(answers.writes, 3);
}

TEST(door_command_that_was_refused_is_not)
{
    struct answers answers = answers_with(NULL, 0);
    struct door_client door = {&leaves, &answers};

    strcpy(answers.state.message, "domain 5 is not profiled");
    answers.write_results[0] = -ENOENT;
    CHECK_EQ(door_client_command(&door, "forget id=5"), -ENOENT);
    CHECK_EQ(answers.writes, 1);
}

/* The module does a stop in pieces, and wants to be asked again. */
TEST(door_command_in_pieces_is_repeated)
{
    struct answers answers = answers_with(NULL, 0);
    struct door_client door = {&leaves, &answers};

    strcpy(answers.state.message, "samples are still on their way");
    for ( int i = 0; i < 3; i++ )
        answers.write_results[i] = -EAGAIN;
    CHECK_EQ(door_client_command(&door, "stop"), 0);
    CHECK_EQ(answers.writes, 4);
    CHECK_TEXT(answers.line, "stop");
}

/* Rings are freed before an unload, by commands, whatever state it is in. */
TEST(door_is_emptied_by_stop_and_reset)
{
    struct answers answers = answers_with(NULL, 0);
    struct door_client door = {&leaves, &answers};

    /* Asked again, and then refused: it has not been started. */
    strcpy(answers.state.message, "it has not been started");
    answers.write_results[0] = -EAGAIN;
    answers.write_results[1] = -EINVAL;
    door_client_empty(&door);
    CHECK_TEXT(answers.lines, "stop;stop;reset;");
}

TEST(a_fetch_list_is_one_command)
{
    struct answers answers = answers_with(NULL, 0);
    const struct door_client door = {&leaves, &answers};
    struct xenoprof_fetch list = {
        .list = 7,
        .steps = 2,
        .vcpus = 2,
        .step = {{.length = 8, .action = XENOPROF_FETCH_FOLLOW},
                 {.from = 1, .offset = 2976, .length = 16}},
        .base = {0xffff88803ec1fb80ull, 0},
    };

    CHECK_EQ(door_client_fetch(&door, 5, &list), 0);
    CHECK_TEXT(answers.line, "fetch id=5 list=7 isolated=0 "
                             "steps=0:0:8:f,1:2976:16:s "
                             "bases=ffff88803ec1fb80,0");
    CHECK_EQ(door_client_fetch(&door, 5, NULL), 0);
    CHECK_TEXT(answers.line, "fetch id=5");
    list.step[1].from = 2;
    CHECK_EQ(door_client_fetch(&door, 5, &list), -EINVAL);
    CHECK_EQ(answers.writes, 2);
}

/* All that a list may have fits into a command. */
TEST(the_longest_fetch_list_is_a_command)
{
    static struct xenoprof_fetch list = {
        .list = XENOPROF_FETCH_LISTS,
        .steps = XENOPROF_FETCH_STEPS,
        .vcpus = XENOPROF_FETCH_VCPUS,
    };
    struct answers answers = answers_with(NULL, 0);
    const struct door_client door = {&leaves, &answers};

    for ( uint8_t i = 0; i < XENOPROF_FETCH_STEPS; i++ )
        list.step[i] = (struct xenoprof_fetch_step){
            .from = i,
            .offset = XENOPROF_FETCH_OFFSET_MAX,
            .length = 8,
            .action = i == XENOPROF_FETCH_STEPS - 1 ? XENOPROF_FETCH_STORE
                                                    : XENOPROF_FETCH_FOLLOW};
    for ( unsigned int i = 0; i < XENOPROF_FETCH_VCPUS; i++ )
        list.base[i] = ~0ull;
    CHECK_EQ(door_client_fetch(&door, 65535, &list), 0);
    CHECK_EQ(answers.writes, 1);
}
