/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prologues, and code of a kernel that was not found. */
#include <string.h>

#include "guest/code-frames.h"
#include "tests/harness.h"

#define STRANGE 0xffffffff80200000ul /* a kernel that is not Linux */

TEST(a_prologue_makes_a_frame)
{
    static const struct {
        uint8_t code[PROLOGUE_BYTES];
        bool makes;
    } known[] = {
        {{0x55, 0x48, 0x89, 0xe5}, true},
        {{0x55, 0x89, 0xe5}, true},                               /* 32 bits */
        {{0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5}, true}, /* CET */
        {{0x0f, 0x1f, 0x44, 0, 0, 0x55, 0x48, 0x89, 0xe5}, true}, /* a tracer */
        {{0xe8, 1, 2, 3, 4, 0x55, 0x48, 0x89, 0xe5}, true}, /* that is on */
        {{0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0x1f, 0x44, 0, 0, 0x55, 0x48, 0x89,
          0xe5},
         true},
        {{0x55, 0x53, 0x50, 0x48, 0x89, 0xe5}, true}, /* with some between */
        {{0x55, [14] = 0x89, 0xe5}, true},
        {{0x55, [15] = 0x89}, false}, /* the rest is not in it */
        {{0x55, 0x48, 0x89, 0xe3}, false},
        {{0x48, 0x89, 0xe5}, false},
        {{0}, false},
    };

    for ( unsigned int i = 0; i < sizeof(known) / sizeof(known[0]); i++ )
        if ( code_makes_frame(known[i].code) != known[i].makes )
            test_fail(__FILE__, __LINE__, "prologue %u is wrong", i);
}

/* Code that calls function after function, each 64 bytes; pages before it are
 * not there. */
static uint8_t strange[8192];

static size_t read_strange(void *self, uint64_t address, void *to, size_t size)
{
    uint64_t offset = address - STRANGE;

    (void)self;
    if ( offset >= sizeof(strange) )
        return 0;
    if ( size > sizeof(strange) - offset )
        size = sizeof(strange) - offset;
    memcpy(to, strange + offset, size);
    return size;
}

static bool makes_frames(const void *prologue, size_t size, unsigned int calls)
{
    struct guest_memory memory = {.read = read_strange, .left = 65536};

    memset(strange, 0x90, sizeof(strange));
    for ( unsigned int i = 0; i < calls; i++ )
    {
        int32_t distance = (int32_t)(4096 + 64 * i) - (int32_t)(8 * i + 5);

        memcpy(strange + 4096 + 64 * i, prologue, size);
        strange[8 * i] = 0xe8;
        memcpy(strange + 8 * i + 1, &distance, sizeof(distance));
    }
    return code_uses_frames(&memory, STRANGE + 100);
}

TEST(frame_pointers_of_strange_code)
{
    static const uint8_t long_mode[] = {0x55, 0x48, 0x89, 0xe5};
    static const uint8_t old_mode[] = {0x55, 0x89, 0xe5};
    static const uint8_t without[] = {0x55, 0x53, 0x48, 0x83, 0xec, 0x08};

    CHECK(makes_frames(long_mode, sizeof(long_mode), 20));
    CHECK(makes_frames(old_mode, sizeof(old_mode), 20));
    CHECK(!makes_frames(without, sizeof(without), 20));
    /* Too few functions to decide. */
    CHECK(!makes_frames(long_mode, sizeof(long_mode), 2));
    CHECK(!makes_frames(long_mode, sizeof(long_mode), 0));
    /* Most functions that are called set up no frame pointer. */
    makes_frames(without, sizeof(without), 20);
    memcpy(strange + 4096, long_mode, sizeof(long_mode));
    CHECK(!code_uses_frames(
        &(struct guest_memory){.read = read_strange, .left = 65536},
        STRANGE + 100));
}
