/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SipHash-1-3, fed word by word. */
#include "fingerprint.h"

#include <string.h>

static uint64_t rotate(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}

static void mix(uint64_t state[4], int rounds)
{
    while ( rounds-- )
    {
        state[0] += state[1];
        state[2] += state[3];
        state[1] = rotate(state[1], 13) ^ state[0];
        state[3] = rotate(state[3], 16) ^ state[2];
        state[0] = rotate(state[0], 32);
        state[2] += state[1];
        state[0] += state[3];
        state[1] = rotate(state[1], 17) ^ state[2];
        state[3] = rotate(state[3], 21) ^ state[0];
        state[2] = rotate(state[2], 32);
    }
}

static void mix_word(struct fingerprint *fingerprint, uint64_t word)
{
    fingerprint->state[3] ^= word;
    mix(fingerprint->state, 1);
    fingerprint->state[0] ^= word;
}

void fingerprint_start(struct fingerprint *fingerprint, const uint8_t key[16])
{
    static const uint64_t origin[4] = {
        0x736f6d6570736575ull, 0x646f72616e646f6dull, 0x6c7967656e657261ull,
        0x7465646279746573ull};
    uint64_t words[2];
    int i;

    memcpy(words, key, sizeof(words));
    for ( i = 0; i < 4; i++ )
        fingerprint->state[i] = origin[i] ^ words[i & 1];
    fingerprint->tail = 0;
    fingerprint->size = 0;
}

static void add_byte(struct fingerprint *fingerprint, uint8_t byte)
{
    fingerprint->tail |= (uint64_t)byte << (fingerprint->size & 7) * 8;
    if ( ++fingerprint->size & 7 )
        return;
    mix_word(fingerprint, fingerprint->tail);
    fingerprint->tail = 0;
}

void fingerprint_add(struct fingerprint *fingerprint, const void *bytes,
                     size_t size)
{
    const uint8_t *at = bytes, *end = at + size;
    uint64_t word;

    while ( at < end && fingerprint->size & 7 )
        add_byte(fingerprint, *at++);
    for ( ; end - at >= 8; at += 8, fingerprint->size += 8 )
    {
        memcpy(&word, at, sizeof(word));
        mix_word(fingerprint, word);
    }
    while ( at < end )
        add_byte(fingerprint, *at++);
}

uint64_t fingerprint_end(struct fingerprint *fingerprint)
{
    mix_word(fingerprint, fingerprint->tail | fingerprint->size << 56);
    fingerprint->state[2] ^= 0xff;
    mix(fingerprint->state, 3);
    return fingerprint->state[0] ^ fingerprint->state[1] ^
           fingerprint->state[2] ^ fingerprint->state[3];
}
