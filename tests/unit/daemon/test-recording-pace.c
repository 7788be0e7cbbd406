/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session says of a frequency that went down and came back. */
#include <stdlib.h>
#include <string.h>

#include "control/session-folders.h"
#include "daemon/recording-attributes.h"
#include "libxenoprof/session/session-attributes.h"
#include "recording-kit.h"

/* A ring of a second or so. */
#define OPTIONS      " frequency=100 passive-domains=5 ring-size=32"
#define MILLISECONDS 1000000ul
#define SECOND       (1000 * MILLISECONDS)

static struct recording_kit kit;

/* What there is of it, in the session's order. */
static struct said {
    uint64_t time;
    uint32_t frequency;
    char lowered[32];
} said[64];
static unsigned int count;

static void take(const struct xenoprof_item *item)
{
    const char *key = item->u.attribute.key, *value = item->u.attribute.value;

    CHECK(count < 63);
    if ( !strcmp(key, SESSION_ATTRIBUTE_LOWERED) )
        snprintf(said[count].lowered, sizeof(said[count].lowered), "%s", value);
    /* A file begins with what was so before. */
    if ( strcmp(key, SESSION_ATTRIBUTE_FREQUENCY) ||
         (count && said[count - 1].time == item->time) )
        return;
    said[count].time = item->time;
    said[count].frequency = (uint32_t)strtoul(value, NULL, 10);
    strcpy(said[count + 1].lowered, said[count].lowered);
    count++;
}

static void read_reported(void)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    char path[128];

    count = 0;
    memset(said, 0, sizeof(said));
    snprintf(path, sizeof(path), "%s/" SESSION_CURRENT, kit.dir);
    CHECK_EQ(xenoprof_session_open(kit.handle, path, &session), XENOPROF_OK);
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
        if ( item.kind == XENOPROF_ITEM_ATTRIBUTE )
            take(&item);
    xenoprof_session_close(session);
}

/* Each change is there once, with Xen's time of it: down from the start of a
 * stop of eight seconds on, and back up after that. */
static void check_reported(uint64_t stopped)
{
    unsigned int i = 1;

    read_reported();
    CHECK_EQ(count, kit.recording.status.paces);
    CHECK(count >= 5);
    CHECK_EQ(said[0].frequency, 100);
    CHECK_TEXT(said[0].lowered, "");
    for ( ; said[i].frequency < said[i - 1].frequency; i++ )
    {
        CHECK_TEXT(said[i].lowered, SESSION_LOWERED_READER);
        CHECK(said[i].time > stopped && said[i].time < stopped + 8 * SECOND);
        CHECK(said[i].time > said[i - 1].time);
    }
    CHECK(i >= 3 && i < count);
    for ( ; i < count; i++ )
    {
        CHECK(said[i].frequency > said[i - 1].frequency);
        CHECK(said[i].time > stopped + 8 * SECOND);
        CHECK_TEXT(said[i].lowered, i == count - 1 ? SESSION_LOWERED_NO
                                                   : SESSION_LOWERED_READER);
    }
    CHECK_EQ(said[count - 1].frequency, 100);
}

static void check_episode(uint64_t stopped, bool over)
{
    uint64_t since, until;

    CHECK_TEXT(recording_lowered(&kit.recording, &since, &until), "reader");
    CHECK(since > stopped && since < stopped + 2 * SECOND);
    CHECK(over ? until > stopped + 8 * SECOND : !until);
}

TEST(a_daemon_that_stood_still_says_when_xen_slowed_down)
{
    uint64_t stopped, since, until;

    kit_begin(&kit);
    kit_run(&kit, OPTIONS);
    CHECK_TEXT(recording_lowered(&kit.recording, &since, &until), "");
    stopped = process_now();
    process_run_until(stopped + 8 * SECOND);
    kit_pass(&kit, SECOND);
    check_episode(stopped, false);
    kit_pass(&kit, 30 * SECOND);
    check_episode(stopped, true);
    CHECK_EQ(kit_finish(&kit), 0);
    check_reported(stopped);
    kit_end(&kit);
}

/* The next one goes on where the session ends. */
TEST(a_daemon_that_was_killed_has_said_some_of_it)
{
    uint64_t stopped;

    kit_begin(&kit);
    kit_run(&kit, OPTIONS);
    stopped = process_now();
    process_run_until(stopped + 2 * SECOND);
    kit_pass(&kit, 300 * MILLISECONDS);
    kit_kill(&kit);
    process_run_until(stopped + 8 * SECOND);
    CHECK(recording_adopt(&kit.recording, kit.dir));
    kit_pass(&kit, SECOND);
    check_episode(stopped, false);
    kit_pass(&kit, 40 * SECOND);
    check_episode(stopped, true);
    CHECK_EQ(kit_finish(&kit), 0);
    check_reported(stopped);
    kit_end(&kit);
}
