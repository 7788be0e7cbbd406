/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/archive/siphash.h"
#include "tests/harness.h"

/* The values that its authors give for the key 00 01 ... 0f and messages 00 01
 * ... of that length. */
TEST(siphash_is_its_authors)
{
    static const struct {
        size_t length;
        uint64_t wanted;
    } cases[] = {
        {0, 0x726fdb47dd0e0e31},
        {1, 0x74f839c593dc67fd},
        {8, 0x93f5f5799a932462},
        {15, 0xa129ca6149be45e5},
    };
    const uint64_t key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
    uint8_t message[16];

    for ( uint8_t i = 0; i < sizeof(message); i++ )
        message[i] = i;
    for ( size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++ )
        CHECK_EQ(siphash(key, message, cases[i].length), cases[i].wanted);
}
