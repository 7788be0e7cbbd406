/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ceiling is RLIMIT_DATA: the heap and private memory that can be written,
 * but not files that are only mapped to be read. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "memory-limit.h"

#define SIZE_LIMIT (1ull << 50)

/* glibc's, with its M_MMAP_THRESHOLD: unless it is set it grows with whatever
 * is freed, up to 32 MiB. */
#define MMAP_THRESHOLD (-3)
#define LARGE          (1 << 20)
extern int mallopt(int parameter, int value) __attribute__((weak));

static uint64_t our_limit; /* 0: none of ours */
static rlim_t soft_before; /* of the time before ours */

/* What counts against the limit already: with a sanitizer that is terabytes. */
static uint64_t used_now(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long long pages = 0;

    if ( file && fscanf(file, "%*u %*u %*u %*u %*u %llu", &pages) != 1 )
        pages = 0;
    if ( file )
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A C library that has no such thing needs none: musl's does so always. */
void memory_give_back(void)
{
    if ( mallopt )
        mallopt(MMAP_THRESHOLD, LARGE);
}

bool memory_limit(uint64_t bytes)
{
    struct rlimit data;

    if ( getrlimit(RLIMIT_DATA, &data) )
        return false;
    if ( !our_limit )
        soft_before = data.rlim_cur;
    data.rlim_cur = soft_before;
    if ( bytes && used_now() + bytes < data.rlim_cur )
        data.rlim_cur = used_now() + bytes;
    if ( setrlimit(RLIMIT_DATA, &data) )
        return false;
    our_limit = bytes;
    return true;
}

uint64_t memory_limit_now(void)
{
    return our_limit;
}

bool memory_size_parse(const char *text, uint64_t *ret)
{
    static const char units[] = "KMG";
    uint64_t unit = 1;
    const char *letter;
    char *end;

    if ( *text < '0' || *text > '9' )
        return false;
    errno = 0;
    *ret = strtoull(text, &end, 10);
    letter = *end ? strchr(units, *end) : NULL;
    if ( letter )
        unit = 1ull << 10 * (letter - units + 1);
    if ( errno || end[letter != NULL] || !*ret || *ret > SIZE_LIMIT / unit )
        return false;
    *ret *= unit;
    return true;
}
