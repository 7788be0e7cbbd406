/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes through the parser's pipe; the daemon accepts each answer that the
 * parser gives.
 */
#include <string.h>

#include "daemon/parser/parser.h"
#include "fuzz.h"
#include "tests/unit/daemon/parser/parser-stub.h"

struct talk {
    const uint8_t *at;
    size_t left;
};

static bool give(void *self, void *to, size_t size)
{
    struct talk *talk = self;

    if ( size > talk->left )
        return false;
    memcpy(to, talk->at, size);
    talk->at += size;
    talk->left -= size;
    return true;
}

static bool hear(void *self, const void *from, size_t size)
{
    const struct wire_message *message = from;
    struct unwind_result frames;
    struct kernel_info info;
    struct wire_read read;

    (void)self;
    FUZZ_CHECK(size == sizeof(message->head) + message->head.length);
    switch ( message->head.kind )
    {
    case WIRE_READ: FUZZ_CHECK(wire_get_read(message, &read)); break;
    case WIRE_FOUND: FUZZ_CHECK(wire_get_found(message, &info)); break;
    case WIRE_FRAMES: FUZZ_CHECK(wire_get_frames(message, &frames)); break;
    case WIRE_NAMES: break;
    default: FUZZ_CHECK(!"an answer");
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct talk talk = {data, size};
    const struct wire wire = {give, hear, &talk};

    parser_stub_tame = true;
    parser_serve(&wire);
    return 0;
}

static size_t add(uint8_t *bytes, size_t at, enum wire_kind kind,
                  const void *payload, uint32_t length)
{
    const struct wire_head head = {
        .magic = WIRE_MAGIC,
        .kind = (uint8_t)kind,
        .slot = 1,
        .length = length,
    };

    memcpy(bytes + at, &head, sizeof(head));
    memcpy(bytes + at + sizeof(head), payload, length);
    return at + sizeof(head) + length;
}

/* A kernel that is found, then one message of each kind. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const struct wire_find find = {0xffffffff81000000, 1 << 20, 0, 1};
    static const struct wire_find file = {0xffffffff81000000, 0, 5, 0};
    static const struct {
        struct wire_stack head;
        uint64_t words[2];
    } stack = {
        {.ip = 0xffffffff81000005, .lengths = {8, 8}, .kernel = 1},
        {0xffffffff81000300, 0xffffffff81000400},
    };
    static const char kernel[64] = "K";
    size_t size = 0;

    if ( number > 2 )
        return 0;
    if ( number == 0 )
    {
        size = add(bytes, size, WIRE_FIND, &find, sizeof(find));
        size = add(bytes, size, WIRE_BYTES, kernel, sizeof(kernel));
    }
    else
    {
        size = add(bytes, size, WIRE_FILE, &file, sizeof(file));
        size = add(bytes, size, WIRE_PIECE, kernel, number == 1 ? 5 : 4);
        size = number == 1 ? size : add(bytes, size, WIRE_PIECE, kernel, 0);
    }
    size = add(bytes, size, WIRE_STACK, &stack, sizeof(stack));
    size = add(bytes, size, WIRE_NAME, stack.words, sizeof(stack.words));
    size = add(bytes, size, WIRE_MODULES, &find, sizeof(find));
    size = add(bytes, size, WIRE_BYTES, kernel, 1);
    return add(bytes, size, WIRE_FORGET, kernel, 0);
}
