/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash that says whether two kernels are equal. */
#include "guest/fingerprint.h"
#include "tests/harness.h"

static const uint8_t key[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                8, 9, 10, 11, 12, 13, 14, 15};
static uint8_t bytes[64];

static void fill(void)
{
    for ( unsigned int i = 0; i < sizeof(bytes); i++ )
        bytes[i] = (uint8_t)i;
}

static uint64_t whole(const uint8_t with[16], size_t size)
{
    struct fingerprint fingerprint;

    fingerprint_start(&fingerprint, with);
    fingerprint_add(&fingerprint, bytes, size);
    return fingerprint_end(&fingerprint);
}

/* What its authors' own program gives for these. */
TEST(it_is_siphash_1_3)
{
    static const struct {
        size_t size;
        uint64_t hash;
    } known[] = {
        {0, 0xabac0158050fc4dcull},  {1, 0xc9f49bf37d57ca93ull},
        {7, 0xd3927d989bb11140ull},  {8, 0x369095118d299a8eull},
        {15, 0xd320d86d2a519956ull}, {63, 0x9d199062b7bbb3a8ull},
    };

    fill();
    for ( unsigned int i = 0; i < sizeof(known) / sizeof(known[0]); i++ )
        CHECK(whole(key, known[i].size) == known[i].hash);
}

TEST(pieces_give_what_the_whole_gives)
{
    struct fingerprint fingerprint;

    fill();
    for ( size_t first = 0; first <= 20; first++ )
        for ( size_t second = 0; second <= 20; second++ )
        {
            fingerprint_start(&fingerprint, key);
            fingerprint_add(&fingerprint, bytes, first);
            fingerprint_add(&fingerprint, bytes + first, second);
            fingerprint_add(&fingerprint, bytes + first + second,
                            sizeof(bytes) - first - second);
            CHECK(fingerprint_end(&fingerprint) == whole(key, sizeof(bytes)));
        }
}

/* A guest that does not know the key cannot tell what its bytes give. */
TEST(each_bit_of_the_key_counts)
{
    uint8_t other[16];

    fill();
    for ( unsigned int bit = 0; bit < 128; bit++ )
    {
        for ( unsigned int i = 0; i < 16; i++ )
            other[i] = key[i] ^ (uint8_t)(i == bit / 8) << bit % 8;
        CHECK(whole(other, 5) != whole(key, 5));
    }
}
