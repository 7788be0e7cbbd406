/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "control/session-folders.h"
#include "requests-kit.h"

static struct requests_kit kit;

#define ask(request)      requests_ask(&kit, request)
#define start(fields)     requests_start(&kit, fields)
#define start_line(field) requests_start_line(&kit, field)

TEST(request_start_is_answered_when_samples_flow)
{
    requests_begin(&kit);
    requests_check_ok(start(" frequency=200 passive-domains=db"));
    CHECK(strstr(kit.answer, "session name=current "));
    CHECK(strstr(kit.answer, " state=running "));
    CHECK(strstr(kit.answer, "sampler name=nmi frequency=200 asked=200 "));
    CHECK(strstr(kit.answer, " domain=5 name=db "));
    requests_end(&kit);
}

/* A tenant chose the name; it makes no line of an answer. */
TEST(request_is_answered_with_any_name_of_a_domain)
{
    requests_begin(&kit);
    strcpy(kit.host.domains[1].name, "a\nok\x1b[2J\xff \"");
    requests_check_ok(start(" frequency=200 passive-domains=5"));
    CHECK(strstr(kit.answer, " domain=5 name=a%0Aok%1B[2J%FF%20\" "));
    requests_end(&kit);
}

TEST(request_start_that_brings_no_samples)
{
    requests_begin(&kit);
    process_pcpu(0)->drop_nmis = process_pcpu(1)->drop_nmis = true;
    requests_send(&kit, 1, start_line(""));
    kit.daemon.recording.deadline = 1;
    requests_pass(&kit, 100 * MILLISECONDS);
    requests_check_error(requests_answer(&kit, 1), STATUS_NO_SAMPLES,
                         "no%20sample%20came");
    CHECK_EQ(kit.daemon.recording.state, RECORDING_NONE);
    requests_end(&kit);
}

TEST(request_start_by_one_who_hung_up)
{
    requests_begin(&kit);
    client_drop(requests_send(&kit, 1, start_line(" frequency=200")));
    close(kit.ends[1]);
    requests_pass(&kit, 200 * MILLISECONDS);
    CHECK_EQ(kit.daemon.recording.state, RECORDING_RUNNING);
    requests_end(&kit);
}

TEST(request_start_again)
{
    requests_begin(&kit);
    requests_check_ok(start(" frequency=200 pcpus=0,1"));
    requests_check_ok(ask(start_line(" pcpus=0-1 frequency=200")));
    CHECK(strstr(kit.answer, "already text="));
    requests_check_error(ask(start_line(" frequency=100 pcpus=0-1")),
                         STATUS_BUSY, "started%20by%20somebody");
    CHECK_EQ(kit.daemon.recording.state, RECORDING_RUNNING);
    requests_end(&kit);
}

TEST(request_start_with_nonsense)
{
    requests_begin(&kit);
    requests_check_error(ask(start_line(" frequency=0")), STATUS_RANGE,
                         "frequency");
    requests_check_error(ask(start_line(" frequency=2000")), STATUS_RANGE,
                         "force");
    requests_check_error(ask(start_line(" no-such=1")), STATUS_USAGE,
                         "no-such");
    requests_check_error(ask(start_line(" passive-domains=mail")),
                         STATUS_NO_DOMAIN, "Domain-0");
    requests_check_error(ask("start session-dir=/dev/null/x"),
                         STATUS_SESSION_DIR, "session-dir");
    CHECK_EQ(kit.daemon.recording.state, RECORDING_NONE);
    requests_end(&kit);
}

/* As from a xenopctl that sends the path only. */
TEST(request_start_without_the_folder_of_a_guest_root)
{
    requests_begin(&kit);
    requests_check_error(start(" passive-domains=5 guest-root=5:/tmp"),
                         STATUS_USAGE, "did%20not%20come%20along");
    requests_end(&kit);
}

TEST(request_stop_and_stop_again)
{
    requests_begin(&kit);
    requests_check_ok(ask("stop"));
    CHECK(strstr(kit.answer, "already"));
    requests_check_ok(start(" frequency=200"));
    requests_check_ok(ask("stop"));
    CHECK(strstr(kit.answer, " state=stopped "));
    requests_check_ok(ask("stop"));
    CHECK(strstr(kit.answer, "already"));
    requests_end(&kit);
}

TEST(request_stop_ends_what_nobody_records)
{
    struct xenoprof_door_state state;

    requests_begin(&kit);
    CHECK_EQ(core_command("reserve sampler=nmi frequency=100 mask=3 pages=1 "
                          "queue=8 lease=0 budget=0"),
             0);
    CHECK_EQ(core_command("start"), 0);
    requests_check_error(ask(start_line("")), STATUS_BUSY, "--stop");
    requests_check_ok(ask("stop"));
    core_door_state(&state);
    CHECK_EQ(state.state, XENOPROF_STATE_LOADED);
    requests_end(&kit);
}

TEST(request_dump)
{
    requests_begin(&kit);
    requests_check_error(ask("dump"), STATUS_NO_SESSION, "--start");
    requests_check_ok(start(" frequency=200"));
    requests_check_ok(ask("dump"));
    requests_check_ok(ask("stop"));
    requests_check_ok(ask("dump"));
    CHECK(strstr(kit.answer, "already"));
    requests_end(&kit);
}

TEST(request_save)
{
    requests_begin(&kit);
    requests_check_error(ask("save name=x"), STATUS_NO_SESSION, "--start");
    strcpy(kit.daemon.recording.options.session_dir, kit.host.dir);
    requests_check_error(ask("save name=x"), STATUS_NO_SESSION, "--start");
    requests_check_ok(start(" frequency=200"));
    requests_check_ok(ask("save name=x"));
    requests_check_error(ask("save name=x"), STATUS_SESSION_EXISTS, "another");
    requests_check_error(ask("save name=.."), STATUS_RANGE, "letters");
    requests_check_error(ask("save"), STATUS_USAGE, "name");
    CHECK(session_exists(kit.host.dir, "x"));
    requests_end(&kit);
}

TEST(request_reset)
{
    requests_begin(&kit);
    requests_check_ok(start(" frequency=200"));
    requests_check_ok(ask("stop"));
    requests_check_ok(ask("reset"));
    CHECK(!session_exists(kit.host.dir, SESSION_CURRENT));
    requests_check_ok(ask("status"));
    CHECK(!strstr(kit.answer, "session "));
    requests_check_ok(ask("reset"));
    CHECK(strstr(kit.answer, "already"));
    requests_end(&kit);
}

TEST(request_status_of_nothing)
{
    requests_begin(&kit);
    requests_check_ok(ask("status"));
    CHECK(strncmp(kit.answer, "daemon pid=", 11) == 0);
    requests_end(&kit);
}

TEST(request_shutdown_stops_first)
{
    struct kit_content content;

    requests_begin(&kit);
    requests_check_ok(start(" frequency=200"));
    requests_check_ok(ask("shutdown"));
    CHECK(kit.daemon.ending);
    kit_read_session(&kit.host, SESSION_CURRENT, &content);
    CHECK(content.closed);
    requests_end(&kit);
}

TEST(request_that_is_none)
{
    requests_begin(&kit);
    requests_check_error(ask("begin"), STATUS_USAGE, "version");
    requests_check_error(ask(""), STATUS_USAGE, "version");
    requests_end(&kit);
}

static uint64_t answered_number(const char *key)
{
    const char *at = strstr(kit.answer, key);

    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* What was given back is in the peak only. */
TEST(request_status_has_the_memory_of_now)
{
    const size_t size = 64u << 20;
    void *much = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    CHECK(much != MAP_FAILED);
    munmap(much, size);
    requests_begin(&kit);
    requests_check_ok(ask("status"));
    CHECK(answered_number(" resident=") > 0);
    CHECK(answered_number(" peak=") >=
          answered_number(" resident=") + size / 2);
    requests_end(&kit);
}
