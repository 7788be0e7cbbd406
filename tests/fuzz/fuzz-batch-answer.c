/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a walker that a guest has taken over may answer to the daemon.  What
 * passes the checks can be stored and printed.
 */
#include <string.h>

#include "daemon/parser/batch-answers.h"
#include "fuzz.h"

#define STACKS_MAX 8u

/* As a guest's code may be interrupted; the last is not canonical. */
static uint64_t instruction_of(uint32_t number)
{
    return number % 4 == 3 ? 0x00ff000000000000 : 0xffffffff81000000 + number;
}

static void check_text(const char *text, size_t limit)
{
    FUZZ_CHECK(strlen(text) > 0 && strlen(text) <= limit);
    for ( ; *text; text++ )
        FUZZ_CHECK(*text > ' ' && *text < 0x7f);
}

static void check_frames(const struct unwind_result *frames, uint32_t number)
{
    FUZZ_CHECK(frames->count > 0 && frames->count <= GUEST_FRAMES_MAX);
    FUZZ_CHECK(frames->end < UNWIND_ENDS);
    FUZZ_CHECK(frames->frames[0] == instruction_of(number));
    for ( uint32_t i = 1; i < frames->count; i++ )
        FUZZ_CHECK(frames->frames[i] + (1ull << 47) < 1ull << 48);
}

static void check_name(uint64_t address, const struct kernel_symbol *name)
{
    FUZZ_CHECK(name->name || !name->module);
    if ( !name->name )
        return;
    check_text(name->name, BATCH_TEXT_MAX);
    if ( name->module )
        check_text(name->module, BATCH_MODULE_MAX);
    FUZZ_CHECK(name->start <= address);
    FUZZ_CHECK(!name->end || address <= name->end);
}

/* The first byte says how many stacks were asked for; the rest is a copy of its
 * own, so that a step beyond its end is seen. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t instructions[STACKS_MAX], address;
    struct batch_answers head;
    struct unwind_result frames;
    struct kernel_symbol name;
    uint8_t *bytes;
    size_t at = sizeof(head), count;

    if ( !size )
        return 0;
    count = data[0] % STACKS_MAX;
    for ( uint32_t i = 0; i < count; i++ )
        instructions[i] = instruction_of(i);
    bytes = malloc(size);
    memcpy(bytes, data + 1, --size);
    if ( batch_check_answers(bytes, size, instructions, count) )
    {
        memcpy(&head, bytes, sizeof(head));
        for ( uint32_t i = 0; i < head.stacks; i++ )
        {
            at += batch_get_frames(bytes + at, &frames);
            check_frames(&frames, i);
        }
        FUZZ_CHECK(at == batch_names_at(bytes));
        for ( uint32_t i = 0; i < head.names; i++ )
        {
            at += batch_get_name(bytes + at, &address, &name);
            check_name(address, &name);
        }
        FUZZ_CHECK(at == size);
    }
    free(bytes);
    return 0;
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    const struct kernel_symbol symbol = {"vfs_read", "driver", 0x1000, 0x2000};
    const struct kernel_symbol none = {0};
    struct unwind_result frames = {.frames = {0, 0xffffffff81000010, 0x400000},
                                   .exact = {true},
                                   .count = 3,
                                   .end = UNWIND_ROOT};
    struct batch_answers head = {number, number + 1};
    struct batch_room room = {bytes + 1 + sizeof(head), FUZZ_MAX / 2};

    if ( number >= STACKS_MAX )
        return 0;
    bytes[0] = (uint8_t)number;
    memcpy(bytes + 1, &head, sizeof(head));
    for ( uint32_t i = 0; i < number; i++ )
    {
        frames.frames[0] = instruction_of(i);
        batch_put_frames(&room, &frames);
    }
    for ( uint32_t i = 0; i <= number; i++ )
        batch_put_name(&room, 0x1800, i % 2 ? &none : &symbol);
    return (size_t)(room.at - bytes);
}
