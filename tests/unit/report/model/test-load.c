/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions that are made to take all memory: a few bytes of a file that stand
 * for GiB of stacks, names or cells.  The load ends with one sentence.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory-limit.h"
#include "libxenoprof/session/session-block.h"
#include "report/model/load.h"
#include "tests/harness.h"

#define LIMIT  (64u << 20)
#define SLACK  (32u << 20) /* code, and what was there before */
#define BLOCKS 6u

/* A sanitizer's own memory counts too, and ends the process. */
extern void __asan_init(void) __attribute__((weak));

/* Appends one item number i to the block. */
typedef void bomb_fn(struct buffer *raw, uint32_t i);

static void put_item(struct buffer *raw, uint8_t kind, const uint8_t *body,
                     size_t size)
{
    uint8_t head[1 + NUMBER_BYTES];
    uint8_t *end = put_number(head + 1, size);

    head[0] = kind;
    CHECK(buffer_append(raw, head, (size_t)(end - head)));
    CHECK(buffer_append(raw, body, size));
}

/* Each is the stack before, again. */
static void put_stack(struct buffer *raw, uint32_t i)
{
    uint8_t body[STACK_MAX + 32], *at = put_signed(body, 1);

    at = put_number(at, STACK_MAX);
    at = put_number(at, i ? STACK_MAX : 0);
    if ( i )
        at = put_signed(at, -1);
    else
        at = memset(at, 0, STACK_MAX) + STACK_MAX;
    put_item(raw, KIND_STACK, body, (size_t)(at - body));
}

/* A long text of one letter, under a new number. */
static void put_string(struct buffer *raw, uint32_t i)
{
    static uint8_t body[NUMBER_BYTES + STRING_MAX];
    uint8_t *at = put_number(body, 1 + i);

    memset(at, 'a', STRING_MAX);
    put_item(raw, KIND_STRING, body, (size_t)(at - body) + STRING_MAX);
}

/* A sample of another vCPU than all before it. */
static void put_sample(struct buffer *raw, uint32_t i)
{
    uint8_t sample[64], *at = sample;

    *at++ = KIND_SAMPLE | SAMPLE_WHO;
    at = put_signed(at, 1000);
    at = put_number(at, 5);
    at = put_number(at, i & 0xffff);
    at = put_number(at, i >> 16);
    CHECK(buffer_append(raw, sample, (size_t)(at - sample)));
}

static void write_bomb(const char *path, bomb_fn *put)
{
    struct session_file_header header;
    struct buffer raw = {0}, whole = {0};
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    FILE *file = fopen(path, "we");
    uint32_t i = 0;

    CHECK(file);
    file_header_init(&header, 0, 7);
    CHECK(buffer_append(&whole, &header, sizeof(header)));
    for ( uint32_t block = 0; block < BLOCKS; block++ )
    {
        raw.used = 0;
        for ( ; raw.used < BLOCK_RAW_MAX - STRING_MAX - 64; i++ )
            put(&raw, i);
        CHECK(block_seal(zstd, &raw, block, &whole));
    }
    CHECK_EQ(fwrite(whole.bytes, 1, whole.used, file), whole.used);
    CHECK(!fclose(file));
    ZSTD_freeCCtx(zstd);
    buffer_free(&raw);
    buffer_free(&whole);
}

/* In a process of its own: 0 if the load ends as it should. */
static int load(const char *path)
{
    static const struct time_range all = {.from = {.kind = TIME_OPEN}};
    const struct load_wanted wanted = {.range = &all, .stacks = true};
    struct failure failure = {.status = 0};
    struct loaded loaded;

    if ( !memory_limit(LIMIT) || !loaded_init(&loaded) )
        return 2;
    if ( load_session(&loaded, path, &wanted, &failure) != STATUS_FAILED )
        return 3;
    return strstr(failure.text, "more than the 64 MiB") ? 0 : 4;
}

static void check_bomb(bomb_fn *put)
{
    char path[] = "/tmp/xenoprof-bomb-XXXXXX";
    int handle = mkstemp(path), status;
    struct rusage used;
    pid_t child;

    CHECK(handle >= 0);
    close(handle);
    write_bomb(path, put);
    fflush(NULL);
    child = fork();
    if ( !child )
        _exit(load(path));
    CHECK_EQ(wait4(child, &status, 0, &used), child);
    unlink(path);
    CHECK_EQ(status, 0);
    CHECK((uint64_t)used.ru_maxrss << 10 <= LIMIT + SLACK + 2u * BLOCK_RAW_MAX);
}

TEST(stacks)
{
    if ( !__asan_init )
        check_bomb(put_stack);
}

TEST(strings)
{
    if ( !__asan_init )
        check_bomb(put_string);
}

TEST(cells)
{
    if ( !__asan_init )
        check_bomb(put_sample);
}
