/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of messages to an agent, from any client: each has an answer that is
 * whole, or ends the conversation. */
#include "agent/answers.h"

#include <string.h>

#include "fuzz.h"
#include "tests/unit/agent/talk-kit.h"

static struct agent_facts facts;

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

/* Its first two bytes are the length of a message, which follows. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct kit_message message, reply;
    struct agent_talk talk = {0};
    bool over = false;

    if ( !facts.history )
        setup();
    while ( size >= 2 && !over )
    {
        size_t length = data[0] | (size_t)data[1] << 8;
        struct agent_head head;

        data += 2;
        size -= 2;
        length = length < size ? length : size;
        memcpy(message.bytes, data, length);
        reply.size = answer_message(&facts, &talk, message.bytes, length,
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

    if ( number > 1 )
        return 0;
    kit_hello(&message, 3);
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
