/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-kit.h"

#include <stdlib.h>
#include <zstd.h>

#define REGISTERS         ((1u << 6) | (1u << 7) | (1u << 8)) /* bp, sp, ip */
#define BRANCH_CALL_STACK (1u << 11) /* PERF_SAMPLE_BRANCH_CALL_STACK */
#define ALL               UINT32_MAX
#define USER              PERF_RECORD_MISC_USER
#define KERNEL            PERF_RECORD_MISC_KERNEL

static void put(struct buffer *to, const void *bytes, size_t size)
{
    if ( size && !buffer_append(to, bytes, size) )
        abort();
}

static void put_u32(struct buffer *to, uint32_t value)
{
    put(to, &value, sizeof(value));
}

static void put_u64(struct buffer *to, uint64_t value)
{
    put(to, &value, sizeof(value));
}

/* A text of a multiple of 8 bytes. */
static void put_text(struct buffer *to, const char *text)
{
    static const char zeroes[8] = "";
    const size_t length = strlen(text);

    put(to, text, length);
    put(to, zeroes, 8 - length % 8);
}

static void put_head(struct buffer *to, uint32_t type, uint16_t misc,
                     size_t size)
{
    const struct perf_event_header head = {type, misc,
                                           (uint16_t)(sizeof(head) + size)};

    put(to, &head, sizeof(head));
}

void perf_kit_record(struct perf_kit *kit, uint32_t type, uint16_t misc,
                     const void *body, size_t size)
{
    put_head(&kit->records, type, misc, size);
    put(&kit->records, body, size);
}

void perf_kit_free(struct perf_kit *kit)
{
    buffer_free(&kit->records);
}

void perf_kit_put_sample(struct perf_kit *kit,
                         const struct perf_kit_sample *sample)
{
    struct buffer body = {0};

    put_u64(&body, sample->ip);
    put_u32(&body, sample->pid);
    put_u32(&body, sample->pid);
    put_u64(&body, sample->time);
    put_u32(&body, 1);
    put_u32(&body, 0);
    put_u64(&body, 10);
    put_u64(&body, sample->count);
    put(&body, sample->chain, sample->count * sizeof(*sample->chain));
    if ( kit->branches )
    {
        put_u64(&body, sample->branch_count);
        put(&body, sample->branches,
            sample->branch_count * 3 * sizeof(*sample->branches));
    }
    if ( kit->stacks )
    {
        put_u64(&body, sample->registers ? PERF_SAMPLE_REGS_ABI_64
                                         : PERF_SAMPLE_REGS_ABI_NONE);
        if ( sample->registers )
            put(&body, sample->registers, 3 * sizeof(*sample->registers));
        put_u64(&body, sample->words * sizeof(*sample->stack));
        put(&body, sample->stack, sample->words * sizeof(*sample->stack));
        if ( sample->words )
            put_u64(&body, sample->words * sizeof(*sample->stack));
    }
    perf_kit_record(kit, PERF_RECORD_SAMPLE, sample->misc, body.bytes,
                    body.used);
    buffer_free(&body);
}

/* Puts a record with what follows all that are not samples. */
static void put_timed(struct perf_kit *kit, uint32_t type, uint16_t misc,
                      struct buffer *body, uint64_t time)
{
    put_u32(body, 1);
    put_u32(body, 1);
    put_u64(body, time);
    put_u32(body, 1);
    put_u32(body, 0);
    perf_kit_record(kit, type, misc, body->bytes, body->used);
    buffer_free(body);
}

void perf_kit_comm(struct perf_kit *kit, uint64_t time, uint32_t pid,
                   const char *comm, bool exec)
{
    struct buffer body = {0};

    put_u32(&body, pid);
    put_u32(&body, pid);
    put_text(&body, comm);
    put_timed(kit, PERF_RECORD_COMM, exec ? PERF_MISC_EXEC : 0, &body, time);
}

void perf_kit_map(struct perf_kit *kit, uint64_t time, uint32_t pid,
                  const char *path, uint64_t start, uint64_t size)
{
    struct buffer body = {0};

    put_u32(&body, pid);
    put_u32(&body, pid);
    put_u64(&body, start);
    put_u64(&body, size);
    put_u64(&body, 0);
    put_text(&body, path);
    put_timed(kit, PERF_RECORD_MMAP, pid == ALL ? KERNEL : USER, &body, time);
}

void perf_kit_fork(struct perf_kit *kit, uint64_t time, uint32_t type,
                   uint32_t pid, uint32_t parent)
{
    struct buffer body = {0};

    put_u32(&body, pid);
    put_u32(&body, parent);
    put_u32(&body, pid);
    put_u32(&body, parent);
    put_u64(&body, time);
    put_timed(kit, type, 0, &body, time);
}

void perf_kit_lost(struct perf_kit *kit, uint64_t time, uint64_t count)
{
    struct buffer body = {0};

    put_u64(&body, 1);
    put_u64(&body, count);
    put_timed(kit, PERF_RECORD_LOST, 0, &body, time);
}

void perf_kit_round(struct perf_kit *kit)
{
    perf_kit_record(kit, PERF_ADDED_FINISHED_ROUND, 0, NULL, 0);
}

static struct perf_event_attr make_attr(const struct perf_kit *kit)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .size = PERF_ATTR_SIZE_VER5,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .freq = 1,
        .sample_freq = 997,
        .sample_type =
            PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
            PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
            (kit->branches ? PERF_SAMPLE_BRANCH_STACK : 0) |
            (kit->stacks ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0),
        .branch_sample_type = kit->branches ? BRANCH_CALL_STACK : 0,
        .sample_regs_user = kit->stacks ? REGISTERS : 0,
        .sample_id_all = 1,
    };
}

/* Header, one event, records, and the name of the host. */
static void make_file(const struct perf_kit *kit, const struct buffer *records,
                      struct buffer *ret)
{
    const struct perf_event_attr attr = make_attr(kit);
    const uint64_t after = sizeof(struct perf_head) + PERF_ATTR_SIZE_VER5 +
                           sizeof(struct perf_section);
    const uint64_t end = after + records->used;
    struct perf_head head = {
        .magic = PERF_MAGIC,
        .size = sizeof(head),
        .attr_size = PERF_ATTR_SIZE_VER5 + sizeof(struct perf_section),
        .attrs = {sizeof(head), after - sizeof(head)},
        .data = {after, records->used},
        .features = {1u << PERF_FEATURE_HOSTNAME |
                     (kit->utc ? 1u << PERF_FEATURE_CLOCK_DATA : 0)},
    };
    const uint64_t texts = end +
                           (kit->utc ? 2 : 1) * sizeof(struct perf_section);
    const struct perf_section none = {after, 0}, host = {texts, 12},
                              clock = {texts + 12, 24};

    put(ret, &head, sizeof(head));
    put(ret, &attr, PERF_ATTR_SIZE_VER5);
    put(ret, &none, sizeof(none));
    put(ret, records->bytes, records->used);
    put(ret, &host, sizeof(host));
    if ( kit->utc )
        put(ret, &clock, sizeof(clock));
    put_u32(ret, 8);
    put_text(ret, "box");
    if ( !kit->utc )
        return;
    put_u32(ret, 1);
    put_u32(ret, 1);
    put_u64(ret, kit->utc);
    put_u64(ret, kit->utc_at);
}

void perf_kit_file(const struct perf_kit *kit, struct buffer *ret)
{
    make_file(kit, &kit->records, ret);
}

void perf_kit_pipe(const struct perf_kit *kit, struct buffer *ret)
{
    const struct perf_event_attr attr = make_attr(kit);

    put(ret, PERF_MAGIC, PERF_MAGIC_SIZE);
    put_u64(ret, PERF_PIPE_SIZE);
    put_head(ret, PERF_ADDED_HEADER_ATTR, 0, PERF_ATTR_SIZE_VER5 + 8);
    put(ret, &attr, PERF_ATTR_SIZE_VER5);
    put_u64(ret, 77);
    put_head(ret, PERF_ADDED_HEADER_FEATURE, 0, 20);
    put_u64(ret, PERF_FEATURE_HOSTNAME);
    put_u32(ret, 8);
    put_text(ret, "box");
    put_head(ret, PERF_ADDED_EVENT_UPDATE, 0, 32);
    put_u64(ret, PERF_UPDATE_NAME);
    put_u64(ret, 77);
    put_text(ret, "cpu-clock:u");
    put(ret, kit->records.bytes, kit->records.used);
}

static void put_packed(struct buffer *to, ZSTD_CStream *stream,
                       const uint8_t *bytes, size_t size)
{
    static uint8_t packed[60000];
    ZSTD_outBuffer out = {packed, sizeof(packed), 0};
    ZSTD_inBuffer in = {bytes, size, 0};

    ZSTD_compressStream(stream, &out, &in);
    if ( ZSTD_flushStream(stream, &out) || in.pos < size )
        abort();
    put_head(to, PERF_ADDED_COMPRESSED, 0, out.pos);
    put(to, packed, out.pos);
}

void perf_kit_packed(const struct perf_kit *kit, struct buffer *ret)
{
    ZSTD_CStream *stream = ZSTD_createCStream();
    struct buffer records = {0};
    const size_t half = kit->records.used / 2;

    put_packed(&records, stream, kit->records.bytes, half);
    put_packed(&records, stream, kit->records.bytes + half,
               kit->records.used - half);
    make_file(kit, &records, ret);
    buffer_free(&records);
    ZSTD_freeCStream(stream);
}

void perf_kit_example(struct perf_kit *kit)
{
    static const uint64_t both[] = {
        (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010, 0xffffffff81000110,
        (uint64_t)PERF_CONTEXT_USER,   0x401010,           0x401110};
    static const uint64_t guest[] = {(uint64_t)PERF_CONTEXT_GUEST_KERNEL,
                                     0xffffffff82000010};
    static const uint64_t registers[] = {0x7000, 0x6ff0, 0x401010};
    static const uint64_t stack[] = {0, 0x401110, 0x7010, 0x401210, 0, 0};

    perf_kit_map(kit, 0, ALL, "[kernel.kallsyms]_text", 0xffffffff81000000,
                 0x1000000);
    perf_kit_map(kit, 0, ALL, "[ext4]", 0xffffffffc0000000, 0x1000);
    perf_kit_comm(kit, 10000000000, 7, "web", true);
    perf_kit_map(kit, 10000000001, 7, "/nowhere/web", 0x401000, 0x1000);
    perf_kit_fork(kit, 10000000002, PERF_RECORD_FORK, 8, 7);
    perf_kit_put_sample(
        kit, &(struct perf_kit_sample){.misc = KERNEL,
                                       .pid = 8,
                                       .time = 10000000003,
                                       .ip = 0xffffffff81000010,
                                       .chain = both,
                                       .count = 6,
                                       .registers = registers,
                                       .stack = stack,
                                       .words = kit->stacks ? 6 : 0});
    perf_kit_put_sample(
        kit, &(struct perf_kit_sample){.misc = PERF_RECORD_MISC_GUEST_KERNEL,
                                       .pid = 7,
                                       .time = 10000000004,
                                       .ip = 0xffffffff82000010,
                                       .chain = guest,
                                       .count = 2});
    perf_kit_put_sample(
        kit, &(struct perf_kit_sample){.misc = USER,
                                       .pid = 7,
                                       .time = 10000000005,
                                       .ip = 0x401020,
                                       .registers = registers,
                                       .stack = stack,
                                       .words = kit->stacks ? 6 : 0});
    perf_kit_round(kit);
    perf_kit_fork(kit, 10000000006, PERF_RECORD_EXIT, 8, 7);
    perf_kit_lost(kit, 10000000007, 5);
}
