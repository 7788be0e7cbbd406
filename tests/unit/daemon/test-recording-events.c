/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording by events, from --event to the session, on a software PMU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/event-codes.h"
#include "control/session-folders.h"
#include "daemon/reply.h"
#include "tests/host/process-pmu.h"
#include "recording-kit.h"

#define INSTRUCTIONS 0xc0u /* on all processors */

static struct recording_kit kit;

/* Codes are those of the processor that the test runs on. */
static void begin(void)
{
    struct processor here = processor_here();

    if ( here.maker == MAKER_OTHER )
        test_skip("neither Intel's processor nor AMD's");
    kit_begin(&kit);
    process_pmu_reset(here.maker == MAKER_INTEL ? PROCESS_PMU_INTEL_V5
                                                : PROCESS_PMU_CORE);
}

struct content {
    unsigned int types, samples, others;
    char name[64], unit[64];
    uint64_t select, period, amount;
    uint32_t turns;
    uint64_t enabled, running; /* of event 0, on pCPU 1 */
};

static struct content read_session(void)
{
    struct content ret = {.types = 0};
    struct xenoprof_session *session;
    struct xenoprof_item item;
    char path[128];

    snprintf(path, sizeof(path), "%s/" SESSION_CURRENT, kit.dir);
    CHECK_EQ(xenoprof_session_open(kit.handle, path, &session), XENOPROF_OK);
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
    {
        if ( item.kind == XENOPROF_ITEM_TYPE &&
             item.u.type.number == XENOPROF_TYPE_EVENT )
        {
            ret.types++;
            snprintf(ret.name, sizeof(ret.name), "%s", item.u.type.type.name);
            snprintf(ret.unit, sizeof(ret.unit), "%s", item.u.type.type.unit);
            ret.select = item.u.type.type.select;
            ret.period = item.u.type.type.period;
            ret.turns = item.u.type.type.turns;
        }
        if ( item.kind == XENOPROF_ITEM_MEASURED &&
             item.u.measured.type == XENOPROF_TYPE_EVENT &&
             item.u.measured.pcpu == 1 )
        {
            ret.enabled += item.u.measured.enabled;
            ret.running += item.u.measured.running;
        }
        if ( item.kind != XENOPROF_ITEM_SAMPLE )
            continue;
        ret.samples += item.u.sample.type == XENOPROF_TYPE_EVENT;
        ret.others += item.u.sample.type != XENOPROF_TYPE_EVENT;
        ret.amount += item.u.sample.count;
    }
    xenoprof_session_close(session);
    return ret;
}

static void count(unsigned int times)
{
    for ( unsigned int i = 0; i < times; i++ )
    {
        process_count(1, INSTRUCTIONS, 100000);
        kit_pass(&kit, 20 * MILLISECONDS);
    }
}

TEST(events_become_samples_of_a_type_of_their_own)
{
    struct content content;

    begin();
    kit_run(&kit, " event=instructions:k:100000 passive-domains=5");
    CHECK_EQ(kit.recording.status.sampler, XENOPROF_SAMPLER_PMU);
    count(30);
    CHECK_EQ(kit_finish(&kit), 0);
    content = read_session();
    CHECK(content.types);
    CHECK_TEXT(content.name, "instructions:k");
    CHECK_TEXT(content.unit, "instructions");
    CHECK_EQ(content.select, 0x200c0);
    CHECK_EQ(content.period, 100000);
    CHECK_EQ(content.samples, 30);
    CHECK_EQ(content.others, 0);
    CHECK_EQ(content.amount, 3000000);
    kit_end(&kit);
}

/* So that a report knows that it was counted for a part of the time. */
TEST(events_say_how_many_sets_take_turns)
{
    begin();
    kit_run(&kit, " event=instructions:100000 event=cycles:100000"
                  " passive-domains=5");
    CHECK_EQ(kit_finish(&kit), 0);
    CHECK_EQ(read_session().turns, 2);
    kit_end(&kit);
}

/* Also of a daemon that has not started the recording. */
static void check_status(const char *wanted)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    reply_recording(&kit.recording, file);
    CHECK(!fclose(file));
    if ( !strstr(text, wanted) )
        test_fail(__FILE__, __LINE__, "%s", text);
    CHECK(strstr(text, " lowered_by= "));
    CHECK(strstr(text, " throttled=0 late=0 imprecise=0\n"));
    free(text);
}

TEST(events_have_their_lines_in_the_status)
{
    static const char wanted[] =
        "event name=instructions:k set=0 count=100000 counted=1000000\n"
        "event name=cycles set=0 count=0 counted=0\n";

    begin();
    kit_run(&kit, " event=instructions:k:100000,cycles"
                  " passive-domains=5 lease=0");
    count(10);
    kit_pass(&kit, 200 * MILLISECONDS);
    check_status(wanted);
    kit_kill(&kit);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    kit_pass(&kit, 200 * MILLISECONDS);
    check_status(wanted);
    CHECK_EQ(kit_finish(&kit), 0);
    kit_end(&kit);
}

TEST(events_say_how_long_they_were_counted)
{
    struct content content;

    begin();
    kit_run(&kit, " event=instructions:100000 event=cycles:100000"
                  " passive-domains=5 lease=0");
    kit_pass(&kit, 1500 * MILLISECONDS);
    /* The next daemon goes on where this one was. */
    kit_kill(&kit);
    process_run_until(process_now() + 50 * MILLISECONDS);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    kit_pass(&kit, 1500 * MILLISECONDS);
    CHECK_EQ(kit_finish(&kit), 0);
    content = read_session();
    CHECK(content.enabled > 2900 * MILLISECONDS);
    CHECK(content.enabled < 3200 * MILLISECONDS);
    CHECK(content.running > content.enabled * 2 / 5);
    CHECK(content.running < content.enabled * 3 / 5);
    kit_end(&kit);
}

TEST(events_go_on_under_the_next_daemon)
{
    struct content content;

    begin();
    kit_run(&kit, " event=instructions:100000 passive-domains=5 lease=0");
    count(10);
    kit_kill(&kit);
    process_run_until(process_now() + 50 * MILLISECONDS);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    CHECK_EQ(kit.recording.state, RECORDING_RUNNING);
    count(10);
    CHECK_EQ(kit_finish(&kit), 0);
    content = read_session();
    CHECK_EQ(content.samples, 20);
    CHECK_EQ(content.others, 0);
    kit_end(&kit);
}

TEST(events_need_force_with_hvm_guests)
{
    begin();
    kit.domains[1].hardware = true;
    CHECK_EQ(kit_start(&kit, " event=instructions:100000"), STATUS_REFUSED);
    CHECK_TEXT(
        kit.failure.text,
        "domain 5 is an HVM or PVH guest, which can read the counters "
        "(RDPMC) and learn from them what others do; add --force=readers to "
        "count all the same");
    /* Shorter periods do not let guests read, nor the other way round. */
    CHECK_EQ(kit_start(&kit, " event=instructions:1000 force=periods"),
             STATUS_REFUSED);
    CHECK(strstr(kit.failure.text, "--force=readers"));
    CHECK_EQ(kit_start(&kit, " event=instructions:1000 force=readers"),
             STATUS_REFUSED);
    CHECK_TEXT(kit.failure.text,
               "the module refused --event=instructions: count=1000 is too "
               "often for such an event; at least 100000");
    kit_run(&kit, " event=instructions:1000 force=readers,periods");
    CHECK_EQ(kit_finish(&kit), 0);
    kit_end(&kit);
}

/* The processor comes first: no option helps then. */
TEST(events_are_refused_without_counters)
{
    begin();
    process_pmu_reset(PROCESS_PMU_EMULATED);
    kit.domains[1].hardware = true;
    CHECK(kit_start(&kit, " event=instructions:100000"));
    CHECK(strstr(kit.failure.text, "this processor has no counters of events"));
    CHECK_EQ(kit.recording.state, RECORDING_NONE);
    CHECK(core_at_rest());
    kit_end(&kit);
}

TEST(event_that_the_module_refuses_is_named)
{
    begin();
    CHECK_EQ(kit_start(&kit, " event=instructions:k:5000"), STATUS_REFUSED);
    CHECK_TEXT(kit.failure.text,
               "the module refused --event=instructions:k: count=5000 is too "
               "often for such an event; at least 100000");
    CHECK(core_at_rest());
    kit_end(&kit);
}
