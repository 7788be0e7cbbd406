/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames and names, and what they must be before the daemon believes them. */
#include <string.h>

#include "batch-answers.h"
#include "cage/printable.h"

/* What a processor takes for an address, with 48 bits: no kernel or kernel
 * module has code elsewhere, also where there are 57. */
static bool is_canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

static bool are_canonical(const uint64_t *addresses, size_t count)
{
    const uint64_t half = 1ull << 47;
    uint64_t wrong = 0;

    for ( size_t i = 0; i < count; i++ )
        wrong |= addresses[i] + half;
    return !(wrong >> 48);
}

bool batch_put_frames(struct batch_room *room,
                      const struct unwind_result *result)
{
    struct batch_frames frames = {.end = result->end};
    uint32_t count = result->count;
    size_t size;

    frames.count = count && are_canonical(result->frames + 1, count - 1) ? count
                                                                         : 0;
    while ( frames.count < count &&
            (!frames.count || is_canonical(result->frames[frames.count])) )
        frames.count++;
    if ( frames.count < count )
        frames.end = UNWIND_NO_RULE;
    size = sizeof(frames) + frames.count * sizeof(uint64_t);
    if ( size > room->left )
        return false;
    for ( uint32_t i = 0; i < frames.count; i++ )
        if ( result->exact[i] )
            frames.exact[i / 64] |= 1ull << i % 64;
    memcpy(room->at, &frames, sizeof(frames));
    memcpy(room->at + sizeof(frames), result->frames, size - sizeof(frames));
    room->at += size;
    room->left -= size;
    return true;
}

/* The size of a text that the daemon takes, with its zero; or 0. */
static uint32_t size_of_text(const char *text, uint32_t limit)
{
    size_t length = text ? strnlen(text, limit + 1) : 0;

    return length > 0 && length <= limit && is_printable(text, length)
               ? (uint32_t)length + 1
               : 0;
}

static size_t name_bytes(const struct batch_name *name)
{
    return sizeof(*name) + ((name->name_size + name->module_size + 7) & ~7u);
}

static bool covers(const struct batch_name *name)
{
    return name->start <= name->address &&
           (!name->end || name->address <= name->end);
}

bool batch_put_name(struct batch_room *room, uint64_t address,
                    const struct kernel_symbol *symbol)
{
    struct batch_name name = {
        .address = address, .start = symbol->start, .end = symbol->end};
    size_t size;

    if ( covers(&name) )
        name.name_size = size_of_text(symbol->name, BATCH_TEXT_MAX);
    if ( name.name_size )
        name.module_size = size_of_text(symbol->module, BATCH_MODULE_MAX);
    size = name_bytes(&name);
    if ( size > room->left )
        return false;
    memset(room->at, 0, size);
    memcpy(room->at, &name, sizeof(name));
    if ( name.name_size )
        memcpy(room->at + sizeof(name), symbol->name, name.name_size);
    if ( name.module_size )
        memcpy(room->at + sizeof(name) + name.name_size, symbol->module,
               name.module_size);
    room->at += size;
    room->left -= size;
    return true;
}

/* The size of the frames at at, if they are an answer for this instruction;
 * else 0. */
static size_t check_frames(const uint8_t *at, size_t left, uint64_t instruction)
{
    struct batch_frames frames;
    uint64_t leaf;

    if ( left < sizeof(frames) )
        return 0;
    memcpy(&frames, at, sizeof(frames));
    at += sizeof(frames);
    left -= sizeof(frames);
    if ( !frames.count || frames.count > GUEST_FRAMES_MAX ||
         frames.end >= UNWIND_ENDS || frames.count * sizeof(leaf) > left )
        return 0;
    memcpy(&leaf, at, sizeof(leaf));
    if ( leaf != instruction ||
         !are_canonical((const uint64_t *)at + 1, frames.count - 1) )
        return 0;
    return sizeof(frames) + frames.count * sizeof(leaf);
}

/* A text of that size, or none. */
static bool is_sized_text(const uint8_t *at, uint32_t size, uint32_t limit)
{
    if ( !size )
        return true;
    return size > 1 && size <= limit + 1 && at[size - 1] == '\0' &&
           is_printable((const char *)at, size - 1);
}

/* The size of the name at at; 0 if that is not one. */
static size_t check_name(const uint8_t *at, size_t left)
{
    struct batch_name name;

    if ( left < sizeof(name) )
        return 0;
    memcpy(&name, at, sizeof(name));
    at += sizeof(name);
    if ( name.name_size > BATCH_TEXT_MAX + 1 ||
         name.module_size > BATCH_MODULE_MAX + 1 || name_bytes(&name) > left ||
         !is_sized_text(at, name.name_size, BATCH_TEXT_MAX) ||
         !is_sized_text(at + name.name_size, name.module_size,
                        BATCH_MODULE_MAX) ||
         (name.module_size && !name.name_size) ||
         (name.name_size && !covers(&name)) )
        return 0;
    return name_bytes(&name);
}

bool batch_check_answers(const uint8_t *bytes, size_t size,
                         const uint64_t *instructions, size_t count)
{
    struct batch_answers answers;
    size_t at = sizeof(answers), one = 1;

    if ( size < sizeof(answers) )
        return false;
    memcpy(&answers, bytes, sizeof(answers));
    if ( answers.stacks != count )
        return false;
    for ( uint32_t i = 0; one && i < answers.stacks; i++ )
    {
        one = check_frames(bytes + at, size - at, instructions[i]);
        at += one;
    }
    for ( uint32_t i = 0; one && i < answers.names; i++ )
    {
        one = check_name(bytes + at, size - at);
        at += one;
    }
    return one && at == size;
}

size_t batch_get_frames(const uint8_t *at, struct unwind_result *ret)
{
    struct batch_frames frames;

    memcpy(&frames, at, sizeof(frames));
    ret->count = frames.count;
    ret->end = (enum unwind_end)frames.end;
    memcpy(ret->frames, at + sizeof(frames), frames.count * sizeof(uint64_t));
    memset(ret->exact, 0, frames.count * sizeof(ret->exact[0]));
    for ( uint32_t i = 0; i < GUEST_FRAMES_MAX / 64; i++ )
        for ( uint64_t left = frames.exact[i]; left; left &= left - 1 )
            ret->exact[64 * i + (uint32_t)__builtin_ctzll(left)] = true;
    return sizeof(frames) + frames.count * sizeof(uint64_t);
}

size_t batch_get_name(const uint8_t *at, uint64_t *address,
                      struct kernel_symbol *ret)
{
    const char *texts = (const char *)at + sizeof(struct batch_name);
    struct batch_name name;

    memcpy(&name, at, sizeof(name));
    *address = name.address;
    *ret = (struct kernel_symbol){
        .name = name.name_size ? texts : NULL,
        .module = name.module_size ? texts + name.name_size : NULL,
        .start = name.start,
        .end = name.end,
    };
    return name_bytes(&name);
}

uint32_t batch_names_at(const uint8_t *bytes)
{
    uint32_t at = sizeof(struct batch_answers);
    struct batch_answers answers;
    struct batch_frames frames;

    memcpy(&answers, bytes, sizeof(answers));
    for ( uint32_t i = 0; i < answers.stacks; i++ )
    {
        memcpy(&frames, bytes + at, sizeof(frames));
        at += (uint32_t)(sizeof(frames) + frames.count * sizeof(uint64_t));
    }
    return at;
}
