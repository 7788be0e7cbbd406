/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a search that a guest has taken over may say to the daemon: packets, of
 * which each begins with its length.
 */
#include <string.h>

#include "daemon/parser/search-wire.h"
#include "fuzz.h"

static void check_text(const char *text, size_t limit)
{
    FUZZ_CHECK(strnlen(text, limit) < limit);
    for ( ; *text; text++ )
        FUZZ_CHECK(*text > ' ' && *text < 0x7f);
}

static struct mapped_space space;

static void check_mapped(void)
{
    uint64_t end = 0;

    FUZZ_CHECK(space.count <= MAPPED_MAX && space.bytes <= MAPPED_TEXTS_MAX);
    for ( uint32_t i = 0; i < space.count; end = space.code[i++].end )
    {
        const char *path = mapped_path(&space, &space.code[i]);

        FUZZ_CHECK(space.code[i].start >= end);
        FUZZ_CHECK(space.code[i].start < space.code[i].end);
        FUZZ_CHECK(origin_path_is_sound(path));
        FUZZ_CHECK(!*path || *path == '/');
        FUZZ_CHECK(space.code[i].file <= space.files);
        FUZZ_CHECK(space.code[i].elsewhere <= 1);
    }
    for ( uint32_t i = 0; i < space.files; i++ )
        FUZZ_CHECK(space.file[i].id);
}

static void check_names(const struct search_message *message)
{
    static struct leaf_name names[LEAVES_MAX];
    size_t count = message_get_names(message, names);

    FUZZ_CHECK(count <= LEAVES_MAX);
    for ( size_t i = 0; i < count; i++ )
    {
        const char *at = names[i].name;

        FUZZ_CHECK(strnlen(at, LEAF_NAME_MAX + 1) <= LEAF_NAME_MAX);
        FUZZ_CHECK(!*at == (names[i].found != LEAF_SYMBOL));
        for ( ; *at; at++ )
            FUZZ_CHECK(*at >= ' ' && *at <= '~');
    }
}

static void check(const struct search_message *message)
{
    struct message_begin begin;
    struct message_read ranges[SEARCH_PIECES_MAX];
    uint64_t size = 0;
    size_t pieces;
    struct message_found found;
    struct task_list tasks;
    struct message_origin origin;
    struct origin_thread threads[SEARCH_THREADS_MAX];
    struct mapped_process processes[SEARCH_PROCESSES_MAX];
    struct leaf_question questions[LEAVES_MAX];
    bool there;

    FUZZ_CHECK(message->head.size <= MESSAGE_PAYLOAD_MAX);
    if ( message_get_begin(message, &begin) )
        FUZZ_CHECK(message->head.size == sizeof(begin));
    pieces = message_get_read(message, ranges);
    FUZZ_CHECK(pieces <= SEARCH_PIECES_MAX);
    for ( size_t i = 0; i < pieces; size += ranges[i++].size )
        FUZZ_CHECK(ranges[i].size > 0 && ranges[i].size <= SEARCH_READ_MAX);
    FUZZ_CHECK(size <= SEARCH_READ_MAX);
    if ( message_get_tasks(message, &tasks) )
        FUZZ_CHECK(task_list_is_sound(&tasks));
    if ( message_get_origin(message, &origin) )
        FUZZ_CHECK(origin_path_is_sound(origin.origin.exe) &&
                   origin_path_is_sound(origin.origin.cgroup));
    FUZZ_CHECK(message_get_threads(message, threads) <= SEARCH_THREADS_MAX);
    FUZZ_CHECK(message_get_processes(message, processes) <=
               SEARCH_PROCESSES_MAX);
    if ( message_get_mapped(message, &there, &space) )
        check_mapped();
    FUZZ_CHECK(message_get_leaves(message, questions) <= LEAVES_MAX);
    check_names(message);
    if ( !message_get_found(message, &found) )
        return;
    check_text(found.info.release, sizeof(found.info.release));
    check_text(found.info.row_layout, sizeof(found.info.row_layout));
    FUZZ_CHECK(found.info.build_id_length <= sizeof(found.info.build_id));
    FUZZ_CHECK(found.status <= KERNEL_NO_MEMORY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct search_message message;
    uint16_t length;

    while ( size >= sizeof(length) )
    {
        memcpy(&length, data, sizeof(length));
        data += sizeof(length);
        size -= sizeof(length);
        if ( length > size )
            length = (uint16_t)size;
        memcpy(&message, data, length);
        if ( message_is_whole(&message, length) )
            check(&message);
        data += length;
        size -= length;
    }
    return 0;
}

static uint8_t *put(uint8_t *at, enum message_kind kind, const void *payload,
                    size_t size)
{
    static struct search_message message;
    uint16_t length;

    message_make(&message, kind, payload, size);
    length = (uint16_t)message_size(&message);
    memcpy(at, &length, sizeof(length));
    memcpy(at + sizeof(length), &message, length);
    return at + sizeof(length) + length;
}

static uint8_t *put_mapped(uint8_t *at)
{
    static struct search_message message;
    struct mapped_code piece = {.start = 4096, .end = 8192};

    mapped_space_init(&space);
    piece.file = mapped_space_file(&space, &(struct guest_file){4096, 1});
    mapped_space_add(&space, &piece, "/bin/sh");
    piece.elsewhere = 1;
    piece.start = piece.end;
    piece.end += 4096;
    mapped_space_add(&space, &piece, "/lib/x");
    message_make_mapped(&message, true, &space);
    return put(at, MESSAGE_MAPPED, message.payload, message.head.size);
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    const struct message_begin begin = {.address = 0xffffffff81000000,
                                        .budget = 1 << 24};
    const struct message_read range = {0xffffffff81000000, 4096};
    const struct message_found found = {.base = 0xffffffff81000000,
                                        .info = {.release = "6.1.0"}};
    const struct task_offsets offsets = {2416, 2776, 2976};
    static const struct origin_thread threads[] = {{1000, 12, 13}, {2, 3, 3}};
    static const struct message_origin origin = {1, {"/bin/sh", "/x.service"}};
    static const struct mapped_process processes[] = {{{1000, 12, 13}, "sh"}};
    static const struct leaf_question questions[] = {{{4096, 1}, 64}};
    static const struct leaf_name names[] = {
        {.address = 64, .found = LEAF_ADDRESS},
        {.address = 128, .found = LEAF_SYMBOL, .name = "main"}};
    struct task_list tasks;
    uint8_t *at = bytes;

    if ( number )
        return 0;
    at = put(at, MESSAGE_BEGIN, &begin, sizeof(begin));
    at = put(at, MESSAGE_READ, &range, sizeof(range));
    at = put(at, MESSAGE_IMAGE, "some bytes", 10);
    task_list_make(&offsets, &tasks);
    task_list_add(&tasks, 0, 0xffff888012340000);
    at = put(at, MESSAGE_TASKS, &tasks, sizeof(tasks));
    at = put(at, MESSAGE_THREADS, threads, sizeof(threads));
    at = put(at, MESSAGE_ORIGIN, &origin, sizeof(origin));
    at = put(at, MESSAGE_PROCESSES, processes, sizeof(processes));
    at = put_mapped(at);
    at = put(at, MESSAGE_LEAVES, questions, sizeof(questions));
    at = put(at, MESSAGE_NAMES, names, sizeof(names));
    at = put(at, MESSAGE_FOUND, &found, sizeof(found));
    return (size_t)(at - bytes);
}
