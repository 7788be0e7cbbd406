/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that capstone may be too old for: shadow stacks, protection
 * keys, direct stores.  None of them touches the stack pointer or the flow, so
 * only their length and the registers that they write matter.
 */
#include "insn.h"

#define PREFIXES_MAX 4

#define RAX 0x1u
#define RDX 0x4u

/* Opcodes after 0f, with their prefix, or 0 for none. */
static const struct {
    uint8_t prefix;
    uint8_t opcode[2];    /* after 0f; the second is 0 if there is only one */
    uint8_t low, high;    /* range of the next byte */
    bool writes_operand;  /* the register in its low bits */
    uint16_t writes_also; /* with any operand */
} newer[] = {
    {0xf3, {0x01, 0}, 0x28, 0x2f, false, 0},      /* rstorssp */
    {0xf3, {0x01, 0}, 0xe8, 0xea, false, 0},      /* setssbsy, saveprevssp */
    {0, {0x01, 0}, 0xe8, 0xef, false, RAX | RDX}, /* serialize, ..pkru */
    {0xf3, {0x1e, 0}, 0xc8, 0xcf, true, 0},       /* rdssp */
    {0xf3, {0xae, 0}, 0xe8, 0xef, false, 0},      /* incssp */
    {0xf3, {0xae, 0}, 0x30, 0x37, false, 0},      /* clrssbsy */
    {0, {0x38, 0xf6}, 0, 0xbf, false, 0},         /* wrss */
    {0x66, {0x38, 0xf5}, 0, 0xbf, false, 0},      /* wruss */
    {0x66, {0x38, 0xf8}, 0, 0xbf, false, 0},      /* movdir64b */
    {0xf2, {0x38, 0xf8}, 0, 0xbf, false, 0},      /* enqcmd */
    {0xf3, {0x38, 0xf8}, 0, 0xbf, false, 0},      /* enqcmds */
    {0, {0x38, 0xf9}, 0, 0xbf, false, 0},         /* movdiri */
    {0, {0xff, 0}, 0, 0xff, false, 0},            /* ud0 */
};

struct head {
    uint8_t prefix; /* the last of 66, f2 and f3 */
    uint8_t rex;
    size_t length;
};

/* Reads up to and including 0f.  Returns false if there is none. */
static bool read_head(const uint8_t *bytes, size_t size, struct head *head)
{
    size_t at = 0;

    *head = (struct head){0};
    while ( at < size && at < PREFIXES_MAX &&
            (bytes[at] == 0x66 || bytes[at] == 0xf2 || bytes[at] == 0xf3) )
        head->prefix = bytes[at++];
    if ( at < size && (bytes[at] & 0xf0) == 0x40 )
        head->rex = bytes[at++];
    if ( at >= size || bytes[at] != 0x0f )
        return false;
    head->length = at + 1;
    return true;
}

/* Returns the length of an operand: mode byte, index and displacement. */
static size_t operand_length(const uint8_t *bytes, size_t size)
{
    uint8_t mode = bytes[0] >> 6, base = bytes[0] & 7;
    size_t length = 1;

    if ( mode == 3 )
        return length;
    if ( base == 4 )
    {
        length++;
        if ( size < length )
            return length;
        base = bytes[1] & 7;
    }
    if ( mode == 1 )
        length += 1;
    else if ( mode == 2 || base == 5 )
        length += 4;
    return length;
}

static uint16_t register_of(const struct head *head, uint8_t operand)
{
    return 1u << ((operand & 7) | (head->rex & 1) << 3);
}

size_t unwind_newer(const uint8_t *bytes, size_t size, uint16_t *written)
{
    struct head head;

    if ( !read_head(bytes, size, &head) )
        return 0;
    for ( size_t i = 0; i < sizeof(newer) / sizeof(*newer); i++ )
    {
        size_t at = head.length, opcodes = newer[i].opcode[1] ? 2 : 1;

        if ( newer[i].prefix != head.prefix || size - at < opcodes + 1 ||
             bytes[at] != newer[i].opcode[0] ||
             (opcodes == 2 && bytes[at + 1] != newer[i].opcode[1]) )
            continue;
        at += opcodes;
        if ( bytes[at] < newer[i].low || bytes[at] > newer[i].high )
            continue;
        *written = newer[i].writes_also;
        if ( newer[i].writes_operand )
            *written |= register_of(&head, bytes[at]);
        at += operand_length(bytes + at, size - at);
        return at <= size ? at : 0;
    }
    return 0;
}
