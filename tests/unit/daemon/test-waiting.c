/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/session-folders.h"
#include "requests-kit.h"

/* Seconds that a stop waits at most. */
#define MOST (RECORDING_STOP_MAX / 1000000000ull)

#define OPTIONS " frequency=100 passive-domains=5 stacks=kernel"

static struct requests_kit kit;

/* Sampling goes on, and samples of domain 5 wait for its kernel. */
static void begin(void)
{
    requests_begin(&kit);
    requests_send(&kit, 1, requests_start_line(&kit, OPTIONS));
    kit_search_begins(&kit.daemon.recording);
    requests_pass(&kit, 300 * MILLISECONDS);
    requests_check_ok(requests_answer(&kit, 1));
}

static void check_state(enum recording_state state)
{
    CHECK_EQ(kit.daemon.recording.state, state);
}

/* The client's next round brings a line of progress. */
static void due(int number)
{
    kit.daemon.server.clients[number].next_progress = 0;
}

static void check_stopped(const char *answer)
{
    struct kit_content content;

    requests_check_ok(answer);
    CHECK(strstr(answer, " state=stopped "));
    kit_read_session(&kit.host, SESSION_CURRENT, &content);
    CHECK(content.closed);
}

static uint64_t number_in(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

TEST(waiting_for_a_stop_gets_progress)
{
    const char *heard;

    begin();
    requests_send(&kit, 2, "stop");
    check_state(RECORDING_STOPPING);
    requests_round(&kit);
    CHECK_TEXT(requests_heard(&kit, 2), "");
    due(2);
    requests_round(&kit);
    heard = requests_heard(&kit, 2);
    CHECK(!strncmp(heard, "progress state=stopping samples=", 32));
    CHECK(number_in(heard, " samples=") > 20);
    CHECK(number_in(heard, " bytes=") > 20);
    CHECK_EQ(number_in(heard, " guests="), 1);
    CHECK(number_in(heard, " left=") > MOST / 2);
    CHECK(number_in(heard, " left=") <= MOST);
    CHECK(strchr(heard, '\n') == heard + strlen(heard) - 1);
    /* No other line before a second has passed. */
    requests_round(&kit);
    CHECK_TEXT(requests_heard(&kit, 2), "");
    kit_search_ends(&kit.daemon.recording);
    requests_round(&kit);
    check_stopped(requests_answer(&kit, 2));
    requests_end(&kit);
}

/* Another client is served meanwhile. */
TEST(waiting_is_in_the_status)
{
    begin();
    requests_check_ok(requests_ask(&kit, "status"));
    CHECK(strstr(kit.answer, " state=running since="));
    CHECK(strstr(kit.answer, "\nwaiting state=running samples="));
    /* Chains have an end of that name. */
    CHECK(strstr(kit.answer, " guests=1 left=0 "));
    requests_send(&kit, 2, "stop");
    requests_round(&kit);
    requests_check_ok(requests_ask(&kit, "status"));
    CHECK(strstr(kit.answer, " state=stopping since="));
    CHECK(number_in(kit.answer, "\nwaiting state=stopping samples=") > 20);
    CHECK(number_in(kit.answer, " guests=1 left=") > 5);
    kit_search_ends(&kit.daemon.recording);
    requests_round(&kit);
    requests_check_ok(requests_ask(&kit, "status"));
    CHECK(!strstr(kit.answer, "\nwaiting "));
    requests_answer(&kit, 2);
    requests_end(&kit);
}

TEST(waiting_of_two_for_one_stop)
{
    begin();
    requests_send(&kit, 2, "stop");
    requests_round(&kit);
    requests_send(&kit, 3, "stop");
    due(3);
    requests_round(&kit);
    CHECK(strstr(requests_heard(&kit, 3), "progress "));
    kit_search_ends(&kit.daemon.recording);
    requests_round(&kit);
    check_stopped(requests_answer(&kit, 2));
    check_stopped(requests_answer(&kit, 3));
    requests_end(&kit);
}

/* Somebody who is in a hurry ends it for all. */
TEST(waiting_is_over_at_once)
{
    begin();
    requests_send(&kit, 2, "stop");
    requests_round(&kit);
    requests_send(&kit, 3, "stop");
    CHECK_TEXT(requests_ask(&kit, "hurry"), "ok\n");
    check_state(RECORDING_STOPPED);
    check_stopped(requests_answer(&kit, 2));
    check_stopped(requests_answer(&kit, 3));
    requests_end(&kit);
}

/* Nothing stops because somebody is in a hurry. */
TEST(waiting_for_nothing_is_not_hurried)
{
    begin();
    CHECK_TEXT(requests_ask(&kit, "hurry"), "ok\n");
    check_state(RECORDING_RUNNING);
    requests_end(&kit);
}

/* Whether it says good-bye, or never reads. */
TEST(waiting_client_that_goes_away)
{
    struct client *client;

    begin();
    client = requests_send(&kit, 2, "stop");
    close(kit.ends[2]);
    due(2);
    requests_round(&kit);
    CHECK(!client_receive(client));
    CHECK_EQ(client->fd, -1);
    CHECK(!client->then);
    check_state(RECORDING_STOPPING);
    requests_round(&kit);
    kit_search_ends(&kit.daemon.recording);
    requests_round(&kit);
    check_state(RECORDING_STOPPED);
    requests_end(&kit);
}

TEST(waiting_client_that_does_not_read)
{
    int least = 1;
    struct client *client;

    begin();
    client = requests_send(&kit, 2, "stop");
    CHECK_EQ(
        setsockopt(client->fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least)),
        0);
    for ( int i = 0; i < 200; i++ )
    {
        due(2);
        request_polled(&kit.daemon, NULL);
    }
    CHECK(client->then);
    check_state(RECORDING_STOPPING);
    client_drop(client);
    close(kit.ends[2]);
    requests_end(&kit);
}

TEST(waiting_of_a_dump)
{
    const char *heard;

    begin();
    requests_send(&kit, 2, "dump");
    due(2);
    requests_round(&kit);
    heard = requests_heard(&kit, 2);
    CHECK(!strncmp(heard, "progress state=running samples=", 31));
    CHECK(number_in(heard, " left=") > 5);
    kit.daemon.server.clients[2].deadline = 0;
    requests_round(&kit);
    CHECK_TEXT(requests_answer(&kit, 2), "ok\n");
    check_state(RECORDING_RUNNING);
    requests_end(&kit);
}

/* Samples wait for a walker that is always busy. */
TEST(waiting_of_a_dump_is_not_for_walkers)
{
    begin();
    kit.daemon.recording.guests->searches = 0;
    CHECK(recording_waits(&kit.daemon.recording));
    CHECK_TEXT(requests_ask(&kit, "dump"), "ok\n");
    requests_end(&kit);
}

TEST(waiting_of_a_save)
{
    struct kit_content content;

    begin();
    requests_send(&kit, 2, "save name=x");
    requests_round(&kit);
    CHECK(!session_exists(kit.host.dir, "x"));
    kit_search_ends(&kit.daemon.recording);
    requests_round(&kit);
    CHECK_TEXT(requests_answer(&kit, 2), "ok\n");
    kit_read_session(&kit.host, "x", &content);
    CHECK(content.samples > 40);
    requests_end(&kit);
}

/* A dump and a save of a session that is being closed are of all of it. */
TEST(waiting_of_others_while_it_stops)
{
    struct kit_content content;

    begin();
    requests_send(&kit, 2, "stop");
    requests_send(&kit, 3, "dump");
    requests_send(&kit, 4, "save name=x");
    kit.daemon.server.clients[3].deadline = 0;
    kit.daemon.server.clients[4].deadline = 0;
    requests_round(&kit);
    CHECK_TEXT(requests_heard(&kit, 3), "");
    kit_search_ends(&kit.daemon.recording);
    requests_round(&kit);
    check_stopped(requests_answer(&kit, 2));
    CHECK_TEXT(requests_answer(&kit, 3), "ok\n");
    CHECK_TEXT(requests_answer(&kit, 4), "ok\n");
    kit_read_session(&kit.host, "x", &content);
    CHECK(content.closed);
    requests_end(&kit);
}

/* The next session begins when this one is closed. */
TEST(waiting_of_a_start_while_it_stops)
{
    begin();
    requests_send(&kit, 2, "stop");
    requests_send(&kit, 3, requests_start_line(&kit, " frequency=200"));
    due(3);
    requests_round(&kit);
    CHECK(strstr(requests_heard(&kit, 3), "progress state=stopping "));
    kit_search_ends(&kit.daemon.recording);
    requests_round(&kit);
    check_state(RECORDING_STARTING);
    CHECK_TEXT(requests_heard(&kit, 3), "");
    requests_pass(&kit, 200 * MILLISECONDS);
    requests_check_ok(requests_answer(&kit, 3));
    CHECK(strstr(kit.answer, " asked=200 "));
    requests_check_ok(requests_answer(&kit, 2));
    CHECK(session_exists(kit.host.dir, SESSION_PREVIOUS));
    requests_end(&kit);
}

/* Two start at once: that is one session, which has begun when both know. */
TEST(waiting_of_a_start_while_it_starts)
{
    requests_begin(&kit);
    requests_send(&kit, 3, requests_start_line(&kit, OPTIONS));
    check_state(RECORDING_STARTING);
    requests_send(&kit, 1, requests_start_line(&kit, OPTIONS));
    requests_send(&kit, 2, requests_start_line(&kit, " frequency=200"));
    due(1);
    requests_round(&kit);
    CHECK_TEXT(requests_heard(&kit, 1), "");
    CHECK_TEXT(requests_heard(&kit, 2), "");
    requests_pass(&kit, 300 * MILLISECONDS);
    requests_check_ok(requests_answer(&kit, 3));
    CHECK(!strstr(kit.answer, "already"));
    requests_check_ok(requests_answer(&kit, 1));
    CHECK(strstr(kit.answer, "already text="));
    requests_check_error(requests_answer(&kit, 2), STATUS_BUSY,
                         "other%20options");
    requests_end(&kit);
}

/* A signal ends the daemon, which then starts nothing any more. */
TEST(waiting_of_a_start_when_the_daemon_ends)
{
    struct failure failure = {0};

    begin();
    requests_send(&kit, 2, "stop");
    requests_send(&kit, 3, requests_start_line(&kit, " frequency=200"));
    requests_round(&kit);
    kit.daemon.ending = true;
    CHECK_EQ(recording_stop_now(&kit.daemon.recording, &failure), 0);
    request_polled(&kit.daemon, NULL);
    check_stopped(requests_answer(&kit, 2));
    requests_check_error(requests_answer(&kit, 3), STATUS_BUSY, "ending");
    check_state(RECORDING_STOPPED);
    requests_end(&kit);
}

TEST(waiting_for_what_a_reset_drops)
{
    begin();
    requests_send(&kit, 2, "stop");
    requests_send(&kit, 3, "dump");
    requests_round(&kit);
    requests_check_ok(requests_ask(&kit, "reset"));
    check_state(RECORDING_NONE);
    requests_check_error(requests_answer(&kit, 2), STATUS_NO_SESSION,
                         "--reset");
    requests_check_error(requests_answer(&kit, 3), STATUS_NO_SESSION,
                         "--reset");
    requests_end(&kit);
}

/* Sampling goes on after it, with a new session, which is not what was to be on
 * disk. */
TEST(waiting_of_a_dump_whose_samples_a_reset_drops)
{
    begin();
    requests_send(&kit, 2, "dump");
    requests_round(&kit);
    requests_check_ok(requests_ask(&kit, "reset"));
    requests_check_error(requests_answer(&kit, 2), STATUS_NO_SESSION,
                         "--reset");
    requests_end(&kit);
}

/* Who stopped hears of what was stopped, whoever starts the next one. */
TEST(waiting_of_a_stop_comes_before_a_start)
{
    begin();
    requests_send(&kit, 3, "stop");
    requests_send(&kit, 2, requests_start_line(&kit, " frequency=200"));
    requests_round(&kit);
    kit_search_ends(&kit.daemon.recording);
    requests_round(&kit);
    check_state(RECORDING_STARTING);
    requests_check_ok(requests_answer(&kit, 3));
    CHECK(strstr(kit.answer, " state=stopped "));
    CHECK(strstr(kit.answer, " asked=100 "));
    requests_pass(&kit, 200 * MILLISECONDS);
    requests_check_ok(requests_answer(&kit, 2));
    requests_end(&kit);
}

TEST(waiting_of_a_shutdown)
{
    begin();
    requests_send(&kit, 2, "shutdown");
    check_state(RECORDING_STOPPING);
    due(2);
    requests_round(&kit);
    CHECK(strstr(requests_heard(&kit, 2), "progress state=stopping "));
    CHECK(!kit.daemon.ending);
    requests_check_error(requests_ask(&kit, requests_start_line(&kit, "")),
                         STATUS_BUSY, "ending");
    requests_check_error(requests_ask(&kit, "reset"), STATUS_BUSY, "ending");
    kit_search_ends(&kit.daemon.recording);
    requests_round(&kit);
    CHECK_TEXT(requests_answer(&kit, 2), "ok\n");
    CHECK(kit.daemon.ending);
    check_state(RECORDING_STOPPED);
    requests_end(&kit);
}

/* The daemon ends all the same. */
TEST(waiting_of_a_shutdown_by_one_who_hung_up)
{
    begin();
    client_drop(requests_send(&kit, 2, "shutdown"));
    close(kit.ends[2]);
    requests_round(&kit);
    CHECK(!kit.daemon.ending);
    kit_search_ends(&kit.daemon.recording);
    requests_round(&kit);
    CHECK(kit.daemon.ending);
    requests_end(&kit);
}
