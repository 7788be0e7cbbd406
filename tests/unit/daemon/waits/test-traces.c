/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that reads Xen's traces beside samples. */
#include <stdio.h>
#include <string.h>

#include "libxenoprof/session/session-attributes.h"
#include "tests/unit/daemon/recording-kit.h"
#include "trace/trace-event.h"

#define KHZ 1000000u /* a tick a ns */
#define MS  1000000ull

static struct recording_kit kit;

/* Xen's trace buffers. */
static struct {
    struct trace_event events[32];
    size_t count;
    unsigned int begun, ended;
    bool exits, again, busy;
} buffers;

static int begin(void *self, bool exits, bool again, uint32_t *khz,
                 struct failure *failure)
{
    CHECK(self == kit.xen.self);
    if ( buffers.busy )
        return fail(failure, STATUS_BUSY, "another program traces Xen");
    buffers.begun++;
    buffers.exits = exits;
    buffers.again = again;
    *khz = KHZ;
    return 0;
}

static int read_all(void *self,
                    int (*take)(void *to, const struct trace_event *event),
                    void *to, struct failure *failure)
{
    int code = 0;

    CHECK(self == kit.xen.self);
    CHECK(buffers.begun > buffers.ended);
    if ( buffers.busy )
        return fail(failure, STATUS_BUSY, "another program reads them, too");
    for ( size_t i = 0; !code && i < buffers.count; i++ )
        code = take(to, &buffers.events[i]);
    buffers.count = 0;
    return code;
}

static void end(void *self)
{
    CHECK(self == kit.xen.self);
    buffers.ended++;
}

static const struct xen_tracing tracing = {begin, read_all, end};

static void open_kit(void)
{
    memset(&buffers, 0, sizeof(buffers));
    kit_begin(&kit);
    kit.xen.tracing = &tracing;
}

static void add(uint32_t number, uint64_t ms, uint32_t word)
{
    buffers.events[buffers.count++] = (struct trace_event){
        .number = number, .tsc = ms * MS, .words = 1, .word = {word}};
}

/* Domain "from" had pCPU 0 until then, "to" has it now. */
static void turn(uint64_t ms, uint32_t from, uint32_t to)
{
    add(TRACE_RUNSTATE | 0 << 8 | 1 << 4, ms, from << 16);
    add(TRACE_RUNSTATE | 1 << 8 | 0 << 4, ms, to << 16);
}

/* What the session says of waits, exits, domain 5, and what is missing. */
struct said {
    char waits[200], kind[16], missing[600];
    uint64_t exits;
};

static void take(const struct xenoprof_item *item, struct said *ret)
{
    const struct xenoprof_latency *latency = &item->u.latency;
    size_t used = strlen(ret->waits);

    if ( item->kind == XENOPROF_ITEM_LATENCY )
        snprintf(ret->waits + used, sizeof(ret->waits) - used,
                 "%u for %u: %llu of %llu; ", latency->domain, latency->by,
                 (unsigned long long)latency->count,
                 (unsigned long long)latency->sum);
    if ( item->kind == XENOPROF_ITEM_EXITS )
        ret->exits += item->u.exits.count;
    if ( item->kind == XENOPROF_ITEM_DOMAIN && item->u.domain.domain == 5 )
        snprintf(ret->kind, sizeof(ret->kind), "%s", item->u.domain.kind);
    if ( item->kind == XENOPROF_ITEM_ATTRIBUTE &&
         strcmp(item->u.attribute.key, SESSION_ATTRIBUTE_TRACE) == 0 )
        snprintf(ret->missing, sizeof(ret->missing), "%s",
                 item->u.attribute.value);
}

static struct said read_current(void)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    struct said said = {.exits = 0};
    char path[96];

    snprintf(path, sizeof(path), "%s/current", kit.dir);
    CHECK(!xenoprof_session_open(kit.handle, path, &session));
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
        take(&item, &said);
    xenoprof_session_close(session);
    return said;
}

TEST(each_wait_is_beside_the_samples)
{
    struct said said;

    open_kit();
    kit_run(&kit, " passive-domains=5 trace=runstates,exits");
    CHECK(buffers.exits);
    CHECK(!buffers.again);
    turn(1000, 5, 0);
    turn(1010, 0, 5);
    kit_pass(&kit, 100 * MILLISECONDS);
    add(TRACE_EXIT, 1020, 0x7b);
    add(TRACE_ENTRY, 1021, 0);
    /* Read at the stop; nobody knows domain 9. */
    turn(1030, 5, 9);
    turn(1035, 9, 5);
    CHECK(!kit_finish(&kit));
    CHECK_EQ(buffers.begun, 1);
    CHECK_EQ(buffers.ended, 1);
    CHECK_EQ(buffers.count, 0);
    said = read_current();
    CHECK(strstr(said.waits, "5 for 0: 1 of 10000000; "));
    CHECK(strstr(said.waits, "5 for 32767: 1 of 5000000; "));
    CHECK(strstr(said.waits, "0 for 5: 1 of 20000000; ") == NULL);
    CHECK_EQ(said.exits, 1);
    CHECK_TEXT(said.kind, "passive");
    CHECK(strstr(said.missing, "0 trace records lost"));
    kit_check_totals(&kit);
    kit_end(&kit);
}

TEST(nothing_is_traced_unless_asked_for)
{
    open_kit();
    kit_run(&kit, " passive-domains=5");
    CHECK(!kit_finish(&kit));
    CHECK_EQ(buffers.begun, 0);
    CHECK_TEXT(read_current().missing, "");
    kit_end(&kit);
}

TEST(another_tracer_is_not_disturbed)
{
    open_kit();
    buffers.busy = true;
    CHECK_EQ(kit_start(&kit, " passive-domains=5 trace=runstates"),
             STATUS_BUSY);
    CHECK_EQ(buffers.ended, 0);
    CHECK_EQ(kit.recording.state, RECORDING_NONE);
    buffers.busy = false;
    kit_run(&kit, " passive-domains=5 trace=runstates");
    CHECK(!kit_finish(&kit));
    kit_end(&kit);
}

/* The samples are worth more. */
TEST(another_reader_ends_traces_and_not_the_recording)
{
    open_kit();
    kit_run(&kit, " passive-domains=5 trace=runstates");
    buffers.busy = true;
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK_EQ(buffers.ended, 1);
    CHECK_EQ(kit.recording.state, RECORDING_RUNNING);
    CHECK(!kit_finish(&kit));
    CHECK_EQ(buffers.ended, 1);
    CHECK_TEXT(read_current().missing,
               "ended early: another program reads them, too");
    kit_check_totals(&kit);
    kit_end(&kit);
}

TEST(the_next_daemon_goes_on)
{
    open_kit();
    kit_run(&kit, " passive-domains=5 trace=runstates");
    kit_kill(&kit);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    CHECK_EQ(buffers.begun, 2);
    CHECK(buffers.again);
    turn(1000, 5, 0);
    turn(1010, 0, 5);
    kit_pass(&kit, 100 * MILLISECONDS);
    CHECK(!kit_finish(&kit));
    CHECK(strstr(read_current().waits, "5 for 0: 1 of 10000000; "));
    kit_end(&kit);
}
