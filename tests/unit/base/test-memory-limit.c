/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ceiling holds, is lifted again, and is said where memory ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/failure.h"
#include "base/memory-limit.h"
#include "tests/harness.h"

#define MIB (1ull << 20)

/* A sanitizer's own memory counts too, and ends the process. */
extern void __asan_init(void) __attribute__((weak));

/* volatile: the compiler leaves out what nobody uses. */
static bool can_take(size_t bytes)
{
    void *volatile taken = malloc(bytes);
    bool there = taken;

    free(taken);
    return there;
}

TEST(no_more_is_allocated_than_the_limit)
{
    struct failure failure;

    CHECK(memory_limit(64 * MIB));
    CHECK_EQ(memory_limit_now(), 64 * MIB);
    CHECK(can_take(32 * MIB));
    CHECK(__asan_init || !can_take(80 * MIB));
    CHECK_EQ(fail_memory(&failure), STATUS_FAILED);
    CHECK(strstr(failure.text, "more than the 64 MiB"));
    CHECK(strstr(failure.text, "--memory"));
    CHECK(memory_limit(0));
    CHECK_EQ(memory_limit_now(), 0);
    CHECK(can_take(80 * MIB));
    fail_memory(&failure);
    CHECK(!strstr(failure.text, "--memory"));
}

TEST(a_lower_limit_from_outside_stays)
{
    struct rlimit low, now;

    CHECK(!getrlimit(RLIMIT_DATA, &now));
    low = now;
    low.rlim_cur = now.rlim_max == RLIM_INFINITY ? 1ull << 46 : now.rlim_max;
    CHECK(!setrlimit(RLIMIT_DATA, &low));
    CHECK(memory_limit(1ull << 47));
    CHECK(!getrlimit(RLIMIT_DATA, &now));
    CHECK_EQ(now.rlim_cur, low.rlim_cur);
    CHECK(memory_limit(0));
}

static void *fill(size_t bytes)
{
    void *volatile taken = malloc(bytes);

    CHECK(taken);
    return memset(taken, 1, bytes);
}

static uint64_t resident(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long long pages;

    CHECK(file && fscanf(file, "%*u %llu", &pages) == 1);
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Also after something larger was freed.  Sanitizers keep what is freed. */
TEST(what_is_large_goes_back_when_it_is_freed)
{
    void *large;
    uint64_t before;

    memory_give_back();
    free(fill(8 * MIB));
    large = fill(4 * MIB);
    before = resident();
    free(large);
    CHECK(__asan_init || resident() + 3 * MIB <= before);
}

TEST(sizes)
{
    uint64_t bytes;

    CHECK(memory_size_parse("512M", &bytes) && bytes == 512 * MIB);
    CHECK(memory_size_parse("1G", &bytes) && bytes == 1024 * MIB);
    CHECK(memory_size_parse("3K", &bytes) && bytes == 3072);
    CHECK(memory_size_parse("77", &bytes) && bytes == 77);
    CHECK(!memory_size_parse("", &bytes));
    CHECK(!memory_size_parse("M", &bytes));
    CHECK(!memory_size_parse("0", &bytes));
    CHECK(!memory_size_parse("-1", &bytes));
    CHECK(!memory_size_parse("1MM", &bytes));
    CHECK(!memory_size_parse("1T", &bytes));
    CHECK(!memory_size_parse("99999999999999999999", &bytes));
    CHECK(!memory_size_parse("9999999999G", &bytes));
}
