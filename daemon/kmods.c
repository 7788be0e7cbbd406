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

uint64_t kmods_sum(int fd)
{
    uint64_t sum = FNV_BEGIN;
    unsigned int word = 0; /* of its line */
    char bytes[4096];
    ssize_t got;

    if ( fd < 0 || lseek(fd, 0, SEEK_SET) )
        return 0;
    while ( (got = read(fd, bytes, sizeof(bytes))) > 0 )
        for ( ssize_t i = 0; i < got; i++ )
        {
            if ( word == NAME || word == SIZE || word == ADDRESS )
                sum = (sum ^ (unsigned char)bytes[i]) * FNV_PRIME;
            word = bytes[i] == '\n' ? 0 : word + (bytes[i] == ' ');
        }
    return got < 0 ? 0 : sum;
}
