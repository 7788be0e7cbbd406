/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of messages to an agent, from any client: each has an answer that is
 * whole, or ends the conversation. */
#include "agent/answers.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "tests/unit/agent/talk-kit.h"

/* Of its machine's processes; and of those that it is told of. */
static struct agent_facts facts, roots;

/* There is no file below its folder, which is gone. */
static void setup_root(void)
{
    char folder[] = "/tmp/xenoprof-fuzz-XXXXXX";
    int root;

    FUZZ_CHECK(mkdtemp(folder));
    root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    FUZZ_CHECK(root >= 0 && !rmdir(folder));
    roots.history = space_history_open(1 << 16, UINT64_MAX / 2);
    roots.files = file_names_open_below(1 << 20, root);
    roots.follows_clients = true;
    FUZZ_CHECK(roots.history && roots.files);
}

/* A process with code of no file, and of one that is not there. */
static void setup(void)
{
    const struct past_mapping code = {.start = 4096, .end = 8192, .since = 1};
    const struct past_mapping file = {
        .start = 8192, .end = 1u << 20, .offset = 77, .since = 1, .inode = 3};

    facts.history = space_history_open(1 << 20, UINT64_MAX / 2);
    facts.files = file_names_open(1 << 20);
    facts.jits = jit_names_open(1 << 20);
    FUZZ_CHECK(facts.history && facts.files && facts.jits);
    space_history_process(facts.history, 7000000, 1, 1);
    space_history_map(facts.history, 7000000, &code, "");
    space_history_map(facts.history, 7000000, &file, "/no\nfile");
}

/* Its first two bytes are the length of a message, which follows; the last one
 * says who is asked. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct kit_message message, reply;
    const struct agent_facts *asked = size && data[size - 1] % 2 ? &roots
                                                                 : &facts;
    struct agent_talk talk = {0};
    bool over = false;

    if ( !facts.history )
    {
        setup();
        setup_root();
    }
    while ( size >= 2 && !over )
    {
        size_t length = data[0] | (size_t)data[1] << 8;
        struct agent_head head;

        data += 2;
        size -= 2;
        length = length < size ? length : size;
        memcpy(message.bytes, data, length);
        reply.size = answer_message(asked, &talk, message.bytes, length,
                                    reply.bytes, &over);
        head = kit_head(&reply);
        FUZZ_CHECK(head.length == reply.size &&
                   reply.size <= AGENT_MESSAGE_MAX);
        FUZZ_CHECK(over == (head.kind == AGENT_REFUSED));
        if ( head.kind == AGENT_THERE && head.number == 7 )
            kit_check_there(&reply, head.count);
        if ( head.kind == AGENT_MAPPED )
            kit_check_mapped(&reply);
        if ( head.kind == AGENT_TABLE )
            FUZZ_CHECK(!kit_table(&reply).size);
        FUZZ_CHECK(head.kind != AGENT_KNOWN ||
                   (asked == &roots && reply.size == sizeof(head)));
        if ( head.kind == AGENT_INLINED )
            kit_check_inlined(&reply, head.count);
        data += length;
        size -= length;
    }
    return 0;
}

static size_t put(uint8_t *to, const struct kit_message *message)
{
    to[0] = (uint8_t)message->size;
    to[1] = (uint8_t)(message->size >> 8);
    memcpy(to + 2, message->bytes, message->size);
    return message->size + 2;
}

/* One with who is told of a process, and asked of it then. */
static size_t seed_known(uint8_t *bytes)
{
    static struct kit_message message;
    const struct agent_known_mapping mappings[] = {
        {.start = 4096, .end = 8192, .path = 1},
        {.start = 8192, .end = 1u << 20, .offset = 77, .path = 10},
        {.start = 4200, .end = 9000},
    };
    const struct agent_question question = {
        .time = 5, .address = 5000, .tgid = 7000000};
    size_t size;

    kit_hello(&message, AGENT_VERSION);
    size = put(bytes, &message);
    kit_tell(&message, 7000000, 5, mappings, 3, "\0/bin/one\0/lib/../two", 22);
    size += put(bytes + size, &message);
    kit_space_question(&message, &question);
    size += put(bytes + size, &message);
    kit_where(&message, &question, 1);
    size += put(bytes + size, &message);
    bytes[size] = 1; /* too short for a message: it says who is asked */
    return size + 1;
}

/* A conversation; and one that begins with a question. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static struct kit_message message;
    const struct agent_question questions[] = {
        {.time = 5, .address = 5000, .tgid = 7000000},
        {.time = 5, .address = 9000, .tgid = 7000000},
        {.time = 0, .address = 9000, .tgid = 7000000},
        {.time = 5, .address = 9, .tgid = 7000000},
        {.time = 5, .address = 5000, .tgid = 1},
    };
    const struct agent_rows_question rows = {questions[1], 0};
    size_t size = 0;

    if ( number == 2 )
        return seed_known(bytes);
    if ( number > 2 )
        return 0;
    kit_hello(&message, AGENT_VERSION);
    if ( !number )
        size = put(bytes, &message);
    kit_space_question(&message, &questions[0]);
    size += put(bytes + size, &message);
    kit_rows_question(&message, &rows);
    size += put(bytes + size, &message);
    kit_inlines(&message, questions, 5);
    size += put(bytes + size, &message);
    kit_where(&message, questions, 5);
    size += put(bytes + size, &message);
    return size + put(bytes + size, &message);
}
