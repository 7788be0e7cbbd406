/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace buffer of any bytes and marks: what is read lies in it, the reader
 * comes to an end, and no time, wait or exit is longer than there was. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "trace/trace-ring.h"
#include "trace/trace-session.h"

#define HEAD 8u /* the two marks */

/* Returns how many records were taken. */
static size_t read_all(struct trace_ring *ring, struct trace_order *order)
{
    struct trace_event event;
    size_t count = 0;

    while ( trace_ring_next(ring, &event) == TRACE_TAKEN )
    {
        FUZZ_CHECK(event.words <= TRACE_WORDS_MAX);
        FUZZ_CHECK(trace_order_add(order, &event));
        count++;
    }
    return count;
}

static void count_times(struct trace_order *order)
{
    struct runstates states;
    uint64_t first = 0, last = 0;
    size_t ready = trace_order_ready(order, 0);

    FUZZ_CHECK(ready == order->count);
    runstates_init(&states);
    for ( size_t i = 0; i < ready; i++ )
    {
        FUZZ_CHECK(order->items[i].event.tsc >= last);
        last = order->items[i].event.tsc;
        first = i ? first : last;
        FUZZ_CHECK(runstates_take(&states, &order->items[i].event, last));
    }
    runstates_until(&states, last);
    for ( size_t i = 0; i < states.vcpus.count; i++ )
    {
        const struct traced_vcpu *vcpu = table_at(&states.vcpus, i);
        uint64_t sum = 0;

        for ( unsigned int j = 0; j < RUNSTATES; j++ )
            sum += vcpu->times[j];
        FUZZ_CHECK(sum <= last - first);
    }
    runstates_free(&states);
}

static void check_latencies(const struct latencies *latencies, uint64_t most)
{
    for ( size_t i = 0; i < latencies->sums.count; i++ )
    {
        const struct latency_sum *sum = table_at(&latencies->sums, i);

        FUZZ_CHECK(sum->count && sum->longest <= most);
        FUZZ_CHECK(sum->longest <= sum->sum);
    }
}

static void check_exits(const struct exits *exits, uint64_t most)
{
    for ( size_t i = 0; i < exits->sums.count; i++ )
    {
        const struct exit_sum *sum = table_at(&exits->sums, i);

        FUZZ_CHECK(sum->shortest <= sum->longest && sum->longest <= most);
    }
}

/* As a recording takes them. */
static void count_each(const struct trace_order *order)
{
    struct trace_session session;

    trace_session_init(&session, NULL, 1000000, true);
    for ( size_t i = 0; i < order->count; i++ )
        FUZZ_CHECK(trace_session_add(&session, &order->items[i].event));
    FUZZ_CHECK(trace_session_count(&session, false));
    FUZZ_CHECK(trace_session_count(&session, true));
    check_latencies(&session.latencies, session.now);
    check_exits(&session.exits, session.now);
    trace_session_free(&session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace_order order = {0};
    struct trace_ring ring;
    uint32_t *memory;

    size -= size % sizeof(*memory);
    if ( size <= HEAD )
        return 0;
    memory = malloc(size);
    FUZZ_CHECK(memory);
    memset(memory, 0, HEAD);
    memcpy((char *)memory + HEAD, data + HEAD, size - HEAD);
    FUZZ_CHECK(trace_ring_open(&ring, 0, memory, size));
    /* Any mark of Xen's. */
    memcpy(&memory[1], data, sizeof(*memory));
    read_all(&ring, &order);
    trace_ring_release(&ring);
    memcpy(&memory[1], data + 4, sizeof(*memory));
    FUZZ_CHECK(read_all(&ring, &order) <= 2 * size);
    count_times(&order);
    count_each(&order);
    trace_order_free(&order);
    free(memory);
    return 0;
}

static void put(uint8_t *bytes, size_t *at, uint32_t word)
{
    memcpy(bytes + *at, &word, sizeof(word));
    *at += sizeof(word);
}

/* Two vCPUs that take turns. */
static uint32_t turn(uint32_t i)
{
    return TRACE_RUNSTATE | (i / 2 % 2) << 8 | ((i / 2 + 1) % 2) << 4;
}

/* Turns and a loss; or each turn with an exit and its entry in it. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const uint32_t between[] = {TRACE_EXIT, TRACE_ENTRY};
    size_t at = 0;

    if ( number > 1 )
        return 0;
    put(bytes, &at, 16 * 16);
    put(bytes, &at, 20 * 16);
    for ( uint32_t i = 0; i < 20; i++ )
    {
        uint32_t what = number && i & 2 ? between[i & 1] : turn(i);

        put(bytes, &at, 0x90000000u | (i == 9 ? TRACE_LOST : what));
        put(bytes, &at, 1000 * i);
        put(bytes, &at, 1);
        put(bytes, &at, (i % 2) << 16 | 3);
    }
    return at;
}
