/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers to the daemon from a parser that a guest has taken over.  An answer
 * that passes the checks can be stored and printed.
 */
#include <string.h>

#include "daemon/parser/parser-wire.h"
#include "fuzz.h"

struct answer_bytes {
    const uint8_t *at;
    size_t left;
};

static bool take(void *self, void *to, size_t size)
{
    struct answer_bytes *input = self;

    if ( size > input->left )
        return false;
    memcpy(to, input->at, size);
    input->at += size;
    input->left -= size;
    return true;
}

static void check_text(const char *text, size_t limit)
{
    FUZZ_CHECK(strlen(text) <= limit);
    for ( ; *text; text++ )
        FUZZ_CHECK(*text > ' ' && *text < 0x7f);
}

static void check_names(const struct wire_message *message)
{
    static uint64_t addresses[GUEST_FRAMES_MAX];
    static struct wire_name names[GUEST_FRAMES_MAX];
    size_t count = message->head.slot % GUEST_FRAMES_MAX;

    for ( size_t i = 0; i < count; i++ )
        addresses[i] = 0x1000 * i;
    if ( !wire_get_names(message, addresses, count, names) )
        return;
    for ( size_t i = 0; i < count; i++ )
    {
        FUZZ_CHECK(names[i].name || !names[i].module);
        if ( names[i].name )
            check_text(names[i].name, WIRE_NAME_MAX);
        if ( names[i].module )
            check_text(names[i].module, WIRE_MODULE_MAX);
    }
}

static void check(const struct wire_message *message)
{
    struct unwind_result frames;
    struct kernel_info info;
    struct wire_read read;

    FUZZ_CHECK(message->head.length <= WIRE_PAYLOAD_MAX);
    FUZZ_CHECK(message->head.slot < WIRE_SLOTS);
    if ( wire_get_read(message, &read) )
        FUZZ_CHECK(read.size > 0 && read.size <= WIRE_READ_MAX);
    if ( wire_get_found(message, &info) )
        check_text(info.release, sizeof(info.release) - 1);
    if ( wire_get_frames(message, &frames) )
        FUZZ_CHECK(frames.count > 0 && frames.count <= GUEST_FRAMES_MAX);
    check_names(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct wire_message message;
    struct answer_bytes input = {data, size};
    const struct wire wire = {.read = take, .self = &input};

    while ( wire_receive(&wire, &message) )
        check(&message);
    return 0;
}

static size_t put(struct wire_message *message, enum wire_kind kind,
                  uint32_t slot, uint8_t *bytes)
{
    size_t size = sizeof(message->head) + message->head.length;

    message->head.magic = WIRE_MAGIC;
    message->head.kind = (uint8_t)kind;
    message->head.slot = slot;
    memcpy(bytes, message, size);
    return size;
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static struct wire_message message;
    const struct wire_read read = {0xffffffff81000000, 4096};
    const struct kernel_symbol symbol = {"vfs_read", "driver", 0, 0x2000};
    struct unwind_result frames = {.frames = {1, 2}, .count = 2};
    struct kernel_info info = {.release = "6.1.0"};

    wire_begin(&message);
    switch ( number )
    {
    case 0:
        wire_add(&message, &read, sizeof(read));
        return put(&message, WIRE_READ, 1, bytes);
    case 1:
        wire_add(&message, &info, sizeof(info));
        return put(&message, WIRE_FOUND, 1, bytes);
    case 2:
        wire_put_frames(&message, &frames);
        return put(&message, WIRE_FRAMES, 1, bytes);
    case 3:
        wire_put_name(&message, &symbol);
        wire_put_name(&message, &symbol);
        return put(&message, WIRE_NAMES, 2, bytes);
    default: return 0;
    }
}
