/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/daemon.h"
#include "control/session-folders.h"
#include "recording-kit.h"

static struct recording_kit kit;
static struct daemon daemon_here;
static char answer[16384];
static int our_end = -1;

/* The kit's recording is the daemon's. */
static void begin(void)
{
    kit_begin(&kit);
    memset(&daemon_here, 0, sizeof(daemon_here));
    daemon_here.xen = &kit.xen;
    daemon_here.handle = kit.handle;
    daemon_here.session_dir = kit.dir;
    daemon_here.recording = kit.recording;
    for ( int i = 0; i < CLIENTS_MAX; i++ )
        daemon_here.server.clients[i].fd = -1;
}

static void end(void)
{
    kit.recording = daemon_here.recording;
    kit_end(&kit);
}

static void connect_client(struct client *client, const char *request)
{
    int ends[2];

    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    our_end = ends[0];
    client->fd = ends[1];
    client->reply = open_memstream(&client->reply_text, &client->reply_size);
    snprintf(client->request, sizeof(client->request), "%s", request);
}

static const char *take_answer(void)
{
    ssize_t got = recv(our_end, answer, sizeof(answer) - 1, MSG_WAITALL);

    answer[got > 0 ? got : 0] = '\0';
    close(our_end);
    return answer;
}

/* A request that is answered at once. */
static const char *ask(const char *request)
{
    struct client *client = &daemon_here.server.clients[0];

    connect_client(client, request);
    request_run(&daemon_here, client);
    CHECK_EQ(client->fd, -1);
    return take_answer();
}

static bool ends_with(const char *text, const char *tail)
{
    size_t length = strlen(text), wanted = strlen(tail);

    return length >= wanted && strcmp(text + length - wanted, tail) == 0;
}

#define CHECK_OK(text)                                                         \
    do                                                                         \
    {                                                                          \
        const char *said = (text);                                             \
        if ( !ends_with(said, "ok\n") )                                        \
            test_fail(__FILE__, __LINE__, "answer: %s", said);                 \
    } while ( 0 )

static void check_error(const char *text, int status, const char *part)
{
    char head[32];
    const char *error = strstr(text, "error ");

    snprintf(head, sizeof(head), "error %d ", status);
    if ( !error || strncmp(error, head, strlen(head)) || !strstr(error, part) )
        test_fail(__FILE__, __LINE__, "wanted '%s' and '%s', answer: %s", head,
                  part, text);
}

static const char *start_line(const char *fields)
{
    static char line[512];

    snprintf(line, sizeof(line), "start by=somebody session-dir=%s%s", kit.dir,
             fields);
    return line;
}

/* Waits until the recording leaves STARTING, or time is over. */
static void work(uint64_t ns)
{
    uint64_t until = process_now() + ns;

    while ( process_now() < until )
    {
        struct failure failure = {0};

        process_run_until(process_now() + 10 * MILLISECONDS);
        if ( daemon_here.recording.state != RECORDING_STARTING &&
             daemon_here.recording.state != RECORDING_RUNNING )
            return;
        recording_poll(&daemon_here.recording, &failure);
        if ( failure.status )
            recording_abandon_start(&daemon_here.recording);
        request_polled(&daemon_here, failure.status ? &failure : NULL);
    }
}

static const char *start(const char *fields)
{
    struct client *client = &daemon_here.server.clients[1];

    connect_client(client, start_line(fields));
    request_run(&daemon_here, client);
    if ( client->fd >= 0 )
    {
        CHECK(daemon_here.starting == client);
        work(200 * MILLISECONDS);
    }
    CHECK_EQ(client->fd, -1);
    CHECK(!daemon_here.starting);
    return take_answer();
}

TEST(request_start_is_answered_when_samples_flow)
{
    begin();
    CHECK_OK(start(" frequency=200 passive-domains=db"));
    CHECK(strstr(answer, "session name=current "));
    CHECK(strstr(answer, " state=running "));
    CHECK(strstr(answer, "sampler name=nmi frequency=200 asked=200 "));
    CHECK(strstr(answer, " domain=5 name=db "));
    end();
}

/* A tenant chose the name; it makes no line of an answer. */
TEST(request_is_answered_with_any_name_of_a_domain)
{
    begin();
    strcpy(kit.domains[1].name, "a\nok\x1b[2J\xff \"");
    CHECK_OK(start(" frequency=200 passive-domains=5"));
    CHECK(strstr(answer, " domain=5 name=a%0Aok%1B[2J%FF%20\" "));
    end();
}

TEST(request_start_that_brings_no_samples)
{
    struct client *client = &daemon_here.server.clients[1];

    begin();
    process_pcpu(0)->drop_nmis = process_pcpu(1)->drop_nmis = true;
    connect_client(client, start_line(""));
    request_run(&daemon_here, client);
    daemon_here.recording.deadline = 1;
    work(100 * MILLISECONDS);
    check_error(take_answer(), STATUS_NO_SAMPLES, "no%20sample%20came");
    CHECK_EQ(daemon_here.recording.state, RECORDING_NONE);
    end();
}

TEST(request_start_by_one_who_hung_up)
{
    struct client *client = &daemon_here.server.clients[1];

    begin();
    connect_client(client, start_line(" frequency=200"));
    request_run(&daemon_here, client);
    client_drop(client);
    close(our_end);
    work(200 * MILLISECONDS);
    CHECK_EQ(daemon_here.recording.state, RECORDING_RUNNING);
    end();
}

TEST(request_start_again)
{
    begin();
    CHECK_OK(start(" frequency=200 pcpus=0,1"));
    CHECK_OK(ask(start_line(" pcpus=0-1 frequency=200")));
    CHECK(strstr(answer, "already text="));
    check_error(ask(start_line(" frequency=100 pcpus=0-1")), STATUS_BUSY,
                "started%20by%20somebody");
    CHECK_EQ(daemon_here.recording.state, RECORDING_RUNNING);
    end();
}

TEST(request_start_with_nonsense)
{
    begin();
    check_error(ask(start_line(" frequency=0")), STATUS_RANGE, "frequency");
    check_error(ask(start_line(" frequency=2000")), STATUS_RANGE, "force");
    check_error(ask(start_line(" no-such=1")), STATUS_USAGE, "no-such");
    check_error(ask(start_line(" passive-domains=mail")), STATUS_NO_DOMAIN,
                "Domain-0");
    check_error(ask("start session-dir=/dev/null/x"), STATUS_SESSION_DIR,
                "session-dir");
    CHECK_EQ(daemon_here.recording.state, RECORDING_NONE);
    end();
}

TEST(request_stop_and_stop_again)
{
    begin();
    CHECK_OK(ask("stop"));
    CHECK(strstr(answer, "already"));
    CHECK_OK(start(" frequency=200"));
    CHECK_OK(ask("stop"));
    CHECK(strstr(answer, " state=stopped "));
    CHECK_OK(ask("stop"));
    CHECK(strstr(answer, "already"));
    end();
}

TEST(request_stop_ends_what_nobody_records)
{
    struct xenoprof_door_state state;

    begin();
    CHECK_EQ(core_command("reserve sampler=nmi frequency=100 mask=3 pages=1 "
                          "queue=8 lease=0 budget=0"),
             0);
    CHECK_EQ(core_command("start"), 0);
    check_error(ask(start_line("")), STATUS_BUSY, "--stop");
    CHECK_OK(ask("stop"));
    core_door_state(&state);
    CHECK_EQ(state.state, XENOPROF_STATE_LOADED);
    end();
}

TEST(request_dump)
{
    begin();
    check_error(ask("dump"), STATUS_NO_SESSION, "--start");
    CHECK_OK(start(" frequency=200"));
    CHECK_OK(ask("dump"));
    CHECK_OK(ask("stop"));
    CHECK_OK(ask("dump"));
    CHECK(strstr(answer, "already"));
    end();
}

TEST(request_save)
{
    begin();
    check_error(ask("save name=x"), STATUS_NO_SESSION, "--start");
    strcpy(daemon_here.recording.options.session_dir, kit.dir);
    check_error(ask("save name=x"), STATUS_NO_SESSION, "--start");
    CHECK_OK(start(" frequency=200"));
    CHECK_OK(ask("save name=x"));
    check_error(ask("save name=x"), STATUS_SESSION_EXISTS, "another");
    check_error(ask("save name=.."), STATUS_RANGE, "letters");
    check_error(ask("save"), STATUS_USAGE, "name");
    CHECK(session_exists(kit.dir, "x"));
    end();
}

TEST(request_reset)
{
    begin();
    CHECK_OK(start(" frequency=200"));
    CHECK_OK(ask("stop"));
    CHECK_OK(ask("reset"));
    CHECK(!session_exists(kit.dir, SESSION_CURRENT));
    CHECK_OK(ask("status"));
    CHECK(!strstr(answer, "session "));
    CHECK_OK(ask("reset"));
    CHECK(strstr(answer, "already"));
    end();
}

TEST(request_status_of_nothing)
{
    begin();
    CHECK_OK(ask("status"));
    CHECK(strncmp(answer, "daemon pid=", 11) == 0);
    end();
}

TEST(request_shutdown_stops_first)
{
    struct kit_content content;

    begin();
    CHECK_OK(start(" frequency=200"));
    CHECK_OK(ask("shutdown"));
    CHECK(daemon_here.ending);
    kit_read_session(&kit, SESSION_CURRENT, &content);
    CHECK(content.closed);
    end();
}

TEST(request_that_is_none)
{
    begin();
    check_error(ask("begin"), STATUS_USAGE, "version");
    check_error(ask(""), STATUS_USAGE, "version");
    end();
}

static uint64_t answered_number(const char *key)
{
    const char *at = strstr(answer, key);

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
    begin();
    CHECK_OK(ask("status"));
    CHECK(answered_number(" resident=") > 0);
    CHECK(answered_number(" peak=") >=
          answered_number(" resident=") + size / 2);
    end();
}
