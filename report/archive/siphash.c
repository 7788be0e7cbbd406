/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "siphash.h"

#include <endian.h>
#include <string.h>

static uint64_t rotate(uint64_t word, unsigned int by)
{
    return word << by | word >> (64 - by);
}

static void mix_rounds(uint64_t v[4], unsigned int rounds)
{
    while ( rounds-- )
    {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32) + v[3];
        v[2] += v[1];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static void take_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix_rounds(v, 2);
    v[0] ^= word;
}

uint64_t siphash(const uint64_t key[2], const void *bytes, size_t size)
{
    uint64_t v[4] = {
        key[0] ^ 0x736f6d6570736575,
        key[1] ^ 0x646f72616e646f6d,
        key[0] ^ 0x6c7967656e657261,
        key[1] ^ 0x7465646279746573,
    };
    const uint8_t *at = bytes;
    uint64_t last = 0;
    size_t left = size;

    for ( ; left >= sizeof(last); left -= sizeof(last) )
    {
        uint64_t word;

        memcpy(&word, at, sizeof(word));
        take_word(v, le64toh(word));
        at += sizeof(word);
    }
    memcpy(&last, at, left);
    take_word(v, le64toh(last) | (uint64_t)size << 56);
    v[2] ^= 0xff;
    mix_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
