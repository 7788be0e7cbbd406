/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sum over names, sizes and addresses in /proc/modules. */
#include <unistd.h>

#include "kmods.h"

/* A line: name, size, users, their names, state, address, and more. */
#define NAME    0
#define SIZE    1
#define ADDRESS 5

#define FNV_BEGIN 0xcbf29ce484222325ull
#define FNV_PRIME 0x100000001b3ull

struct sum {
    uint64_t value;
    unsigned int word; /* of its line, from 0 */
};

static void sum_letter(struct sum *sum, char c)
{
    if ( sum->word == NAME || sum->word == SIZE || sum->word == ADDRESS )
        sum->value = (sum->value ^ (unsigned char)c) * FNV_PRIME;
    sum->word = c == '\n' ? 0 : sum->word + (c == ' ');
}

uint64_t kmods_sum(int fd)
{
    struct sum sum = {FNV_BEGIN, 0};
    char bytes[4096];
    ssize_t got;

    if ( fd < 0 || lseek(fd, 0, SEEK_SET) )
        return 0;
    while ( (got = read(fd, bytes, sizeof(bytes))) > 0 )
        for ( ssize_t i = 0; i < got; i++ )
            sum_letter(&sum, bytes[i]);
    return got < 0 ? 0 : sum.value;
}
