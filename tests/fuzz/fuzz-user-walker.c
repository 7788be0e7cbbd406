/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of messages to the walker of dom0's processes: tables that an agent
 * made, stacks that processes have. */
#include <string.h>

#include "daemon/parser/user-walker-process.h"
#include "fuzz.h"
#include "rows/row-builder.h"

/* Whatever was asked, a chain for each stack, as the daemon takes them. */
static void check_answer(const uint8_t *answer, size_t size)
{
    struct user_answered answered;
    struct user_head head;
    size_t at = sizeof(head);

    memcpy(&head, answer, sizeof(head));
    FUZZ_CHECK(size <= USER_MESSAGE_MAX && head.kind == USER_CHAINS &&
               head.count && head.count <= USER_STACKS_TOGETHER);
    for ( uint32_t i = 0; i < head.count; i++ )
    {
        FUZZ_CHECK(at + sizeof(answered) <= size);
        memcpy(&answered, answer + at, sizeof(answered));
        FUZZ_CHECK(answered.count && answered.count <= USER_ANSWER_FRAMES &&
                   answered.end < USER_ENDS);
        at += sizeof(answered) + answered.count * 8;
    }
    FUZZ_CHECK(at == size);
}

/* Windows are the input itself, and zeroes. */
static const uint8_t *put_windows(const uint8_t *data, size_t size)
{
    static uint8_t windows[USER_WINDOWS_SIZE];
    static size_t before;

    size = size < sizeof(windows) ? size : sizeof(windows);
    memset(windows, 0, before);
    memcpy(windows, data, size);
    before = size;
    return windows;
}

/* Each message has its length before it, of two bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint64_t message[USER_MESSAGE_MAX / 8], answer[USER_MESSAGE_MAX / 8];
    static struct walker_facts facts;
    size_t got;

    FUZZ_CHECK(walker_facts_init(&facts, put_windows(data, size)));
    while ( size >= 2 )
    {
        size_t length = data[0] | (size_t)data[1] << 8;

        data += 2;
        size -= 2;
        length = length < size ? length : size;
        length = length < sizeof(message) ? length : sizeof(message);
        memcpy(message, data, length);
        if ( walker_facts_take(&facts, message, length, answer, &got) && got )
            check_answer((const uint8_t *)answer, got);
        data += length;
        size -= length;
    }
    walker_facts_free(&facts);
    return 0;
}

static size_t put(uint8_t *to, const void *head, size_t head_size,
                  const void *body, size_t size)
{
    to[0] = (uint8_t)(head_size + size);
    to[1] = (uint8_t)((head_size + size) >> 8);
    memcpy(to + 2, head, head_size);
    memcpy(to + 2 + head_size, body, size);
    return 2 + head_size + size;
}

static size_t put_table(uint8_t *to)
{
    const struct row_segment segment = {0x1000, 0x1000, 0x1000};
    const struct row_rule rule = {.kind = RULE_SP, .offset = 1};
    struct buffer bytes = {0};
    struct user_piece piece = {.head = {USER_TABLE, 0, 0}};
    struct row_builder builder;
    struct row_table *table;
    size_t size;

    FUZZ_CHECK(row_builder_init(&builder, &segment, 1));
    row_builder_function(&builder, 0x1000, 0x2000);
    row_builder_row(&builder, 0x1000, &rule);
    table = row_builder_make(&builder);
    FUZZ_CHECK(table && row_table_put(table, &bytes));
    piece.size = bytes.used;
    size = put(to, &piece, sizeof(piece), bytes.bytes, bytes.used);
    row_table_close(table);
    row_builder_free(&builder);
    buffer_free(&bytes);
    return size;
}

/* What is no message: the window of the stacks. */
static size_t put_window(uint8_t *to, struct user_asked *asked)
{
    static const uint64_t words[] = {0x401100, 0x401200, 0};

    asked->at = 2;
    asked->length = sizeof(words);
    return put(to, words, sizeof(words), "", 0);
}

/* A window, a table, a space, two stacks; and then the table goes. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    const struct user_head head = {USER_SPACE, 1, 0};
    const struct user_head gone = {USER_FORGET, 0, 0};
    const struct user_piece_mapped mapping = {
        .start = 0x401000, .end = 0x402000, .offset = 0x1000};
    const struct user_head two = {USER_STACKS, 2, 0};
    struct user_asked asked[2] = {
        {.ip = 0x401008, .address = 0x7000, .registers = {.rsp = 0x7000}}};
    size_t size;

    if ( number )
        return 0;
    size = put_window(bytes, &asked[0]);
    asked[1] = asked[0];
    size += put_table(bytes + size);
    size += put(bytes + size, &head, sizeof(head), &mapping, sizeof(mapping));
    size += put(bytes + size, &two, sizeof(two), asked, sizeof(asked));
    return size + put(bytes + size, &gone, sizeof(gone), "", 0);
}
