/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages, and the checks that a message passes before it is used. */
#include <string.h>

#include "parser-wire.h"

static bool is_head(const struct wire_head *head)
{
    return head->magic == WIRE_MAGIC && head->kind >= WIRE_FIND &&
           head->kind < WIRE_KINDS && head->slot < WIRE_SLOTS &&
           head->length <= WIRE_PAYLOAD_MAX && head->reserved == 0;
}

bool wire_receive(const struct wire *wire, struct wire_message *ret)
{
    return wire->read(wire->self, &ret->head, sizeof(ret->head)) &&
           is_head(&ret->head) &&
           (ret->head.length == 0 ||
            wire->read(wire->self, ret->payload, ret->head.length));
}

bool wire_send(const struct wire *wire, struct wire_message *message,
               enum wire_kind kind, uint32_t slot)
{
    struct wire_head *head = &message->head;

    head->magic = WIRE_MAGIC;
    head->kind = (uint8_t)kind;
    head->slot = slot;
    head->reserved = 0;
    return wire->write(wire->self, message, sizeof(*head) + head->length);
}

void wire_begin(struct wire_message *message)
{
    message->head.length = 0;
    message->head.code = 0;
}

bool wire_add(struct wire_message *message, const void *bytes, size_t size)
{
    if ( size > WIRE_PAYLOAD_MAX - message->head.length )
        return false;
    if ( size )
        memcpy(message->payload + message->head.length, bytes, size);
    message->head.length += (uint32_t)size;
    return true;
}

/* A payload that is this structure and nothing else. */
static bool is_just(const struct wire_message *message, void *ret, size_t size)
{
    if ( message->head.length != size )
        return false;
    memcpy(ret, message->payload, size);
    return true;
}

bool wire_get_find(const struct wire_message *message, struct wire_find *ret)
{
    return is_just(message, ret, sizeof(*ret)) && ret->size <= WIRE_FILE_MAX &&
           ret->pv <= 1;
}

bool wire_get_read(const struct wire_message *message, struct wire_read *ret)
{
    return is_just(message, ret, sizeof(*ret)) && ret->size > 0 &&
           ret->size <= WIRE_READ_MAX;
}

bool wire_get_stack(const struct wire_message *message,
                    struct xenoprof_registers *registers,
                    struct unwind_start *ret)
{
    const uint8_t *bytes = message->payload + sizeof(struct wire_stack);
    struct wire_stack stack;

    if ( message->head.length < sizeof(stack) )
        return false;
    memcpy(&stack, message->payload, sizeof(stack));
    if ( (uint64_t)stack.lengths[0] + stack.lengths[1] !=
             message->head.length - sizeof(stack) ||
         stack.bits32 > 1 || stack.kernel > 1 )
        return false;
    *registers = stack.registers;
    *ret = (struct unwind_start){
        .ip = stack.ip,
        .registers = registers,
        .windows = {{stack.addresses[0], bytes, stack.lengths[0]},
                    {stack.addresses[1], bytes + stack.lengths[0],
                     stack.lengths[1]}},
        .bits32 = stack.bits32,
        .kernel = stack.kernel,
    };
    return true;
}

bool wire_get_addresses(const struct wire_message *message,
                        const uint64_t **addresses, size_t *count)
{
    *count = message->head.length / sizeof(**addresses);
    *addresses = (const uint64_t *)(const void *)message->payload;
    return message->head.length % sizeof(**addresses) == 0 && *count > 0 &&
           *count <= GUEST_FRAMES_MAX;
}

/* What may stand in a session and on a terminal. */
static bool is_text(const char *text, size_t length)
{
    for ( size_t i = 0; i < length; i++ )
        if ( (unsigned char)text[i] <= ' ' || (unsigned char)text[i] >= 0x7f )
            return false;
    return true;
}

/* Whether the text ends in its room and is printable. */
static bool is_short_text(const char *text, size_t room)
{
    size_t length = strnlen(text, room);

    return length < room && is_text(text, length);
}

bool wire_get_found(const struct wire_message *message, struct kernel_info *ret)
{
    return message->head.code <= KERNEL_NO_MEMORY &&
           is_just(message, ret, sizeof(*ret)) &&
           ret->build_id_length <= sizeof(ret->build_id) &&
           ret->frame_pointers <= 1 &&
           is_short_text(ret->row_layout, sizeof(ret->row_layout)) &&
           is_short_text(ret->release, sizeof(ret->release));
}

bool wire_get_frames(const struct wire_message *message,
                     struct unwind_result *ret)
{
    const uint8_t *at = message->payload + sizeof(struct wire_frames);
    struct wire_frames frames;

    if ( message->head.length < sizeof(frames) )
        return false;
    memcpy(&frames, message->payload, sizeof(frames));
    if ( frames.count == 0 || frames.count > GUEST_FRAMES_MAX ||
         frames.end >= UNWIND_ENDS ||
         message->head.length !=
             sizeof(frames) + frames.count * (sizeof(uint64_t) + 1) )
        return false;
    ret->count = frames.count;
    ret->end = (enum unwind_end)frames.end;
    memcpy(ret->frames, at, frames.count * sizeof(uint64_t));
    at += frames.count * sizeof(uint64_t);
    for ( uint32_t i = 0; i < frames.count; i++ )
        ret->exact[i] = at[i] == 1;
    return true;
}

void wire_put_frames(struct wire_message *message,
                     const struct unwind_result *result)
{
    struct wire_frames frames = {result->count, result->end};

    wire_begin(message);
    wire_add(message, &frames, sizeof(frames));
    wire_add(message, result->frames, result->count * sizeof(uint64_t));
    for ( uint32_t i = 0; i < result->count; i++ )
    {
        uint8_t exact = result->exact[i];

        wire_add(message, &exact, 1);
    }
}

/* The size of a text that may be sent, with its zero; 0: not this one. */
static uint32_t sendable(const char *text, uint32_t limit)
{
    size_t length = text ? strnlen(text, limit + 1) : 0;

    return length > 0 && length <= limit && is_text(text, length)
               ? (uint32_t)length + 1
               : 0;
}

bool wire_put_name(struct wire_message *message,
                   const struct kernel_symbol *symbol)
{
    static const uint8_t zeroes[8];
    struct wire_entry entry = {
        .start = symbol->start,
        .end = symbol->end,
        .name_size = sendable(symbol->name, WIRE_NAME_MAX),
    };

    if ( entry.name_size )
        entry.module_size = sendable(symbol->module, WIRE_MODULE_MAX);
    return wire_add(message, &entry, sizeof(entry)) &&
           wire_add(message, symbol->name, entry.name_size) &&
           wire_add(message, symbol->module, entry.module_size) &&
           wire_add(message, zeroes,
                    -(entry.name_size + entry.module_size) & 7u);
}

/* The text of size bytes at at; NULL with size 0.  False: it is none. */
static bool get_text(const uint8_t *at, uint32_t size, const char **ret)
{
    const char *text = (const char *)at;

    *ret = size ? text : NULL;
    return size == 0 ||
           (size > 1 && text[size - 1] == '\0' && is_text(text, size - 1));
}

/* One entry of at most left bytes; its size, 0: it is none. */
static size_t get_name(const uint8_t *at, size_t left, uint64_t address,
                       struct wire_name *ret)
{
    struct wire_entry entry;
    size_t size;

    if ( left < sizeof(entry) )
        return 0;
    memcpy(&entry, at, sizeof(entry));
    if ( entry.name_size > WIRE_NAME_MAX + 1 ||
         entry.module_size > WIRE_MODULE_MAX + 1 ||
         (entry.module_size && !entry.name_size) )
        return 0;
    size = sizeof(entry) + ((entry.name_size + entry.module_size + 7) & ~7u);
    if ( size > left ||
         !get_text(at + sizeof(entry), entry.name_size, &ret->name) ||
         !get_text(at + sizeof(entry) + entry.name_size, entry.module_size,
                   &ret->module) )
        return 0;
    ret->start = entry.start;
    ret->end = entry.end;
    if ( ret->name &&
         (ret->start > address || (ret->end && ret->end < address)) )
        return 0;
    return size;
}

bool wire_get_names(const struct wire_message *message,
                    const uint64_t *addresses, size_t count,
                    struct wire_name *ret)
{
    size_t at = 0;

    for ( size_t i = 0; i < count; i++ )
    {
        size_t size = get_name(message->payload + at, message->head.length - at,
                               addresses[i], &ret[i]);

        if ( !size )
            return false;
        at += size;
    }
    return at == message->head.length;
}
