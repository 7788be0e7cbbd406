/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "opcontrol/status-print.h"
#include "status-kit.h"

static char *printed(const struct status *status, bool json)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if ( json )
        CHECK(status_print_json(status, file));
    else
        status_print_table(status, file);
    fclose(file);
    return text;
}

/* Says where a text stands in a table; it must. */
static size_t place_of(const char *table, const char *text)
{
    const char *at = strstr(table, text);

    if ( !at )
        test_fail(__FILE__, __LINE__, "there is no '%s' in:\n%s", text, table);
    return (size_t)(at - table);
}

/* The table of a status must have a text, or must not. */
static void check_prints(const struct status *status, const char *text)
{
    char *table = printed(status, false);

    place_of(table, text);
    free(table);
}

static void check_silent(const struct status *status, const char *text)
{
    char *table = printed(status, false);

    if ( strstr(table, text) )
        test_fail(__FILE__, __LINE__, "there is '%s' in:\n%s", text, table);
    free(table);
}

static const char answer_as_json[] =
    "{\n"
    "  \"state\": \"running\",\n"
    "  \"sampler\": {\"name\": \"nmi\", \"frequency\": 50, "
    "\"asked\": 97, \"slowed\": 3, \"raised\": 1, "
    "\"lagged\": 4, \"caught_up\": 2, \"lowered_by\": \"budget,reader\", "
    "\"lowered_since\": 2000000000, \"lowered_until\": 0, "
    "\"stack_room\": 2360, \"cramped\": 3, \"cost_first_ns\": 1000000, "
    "\"cost_tick_ns\": 1500000, \"throttled\": 0, "
    "\"late\": 0, \"imprecise\": 0},\n"
    "  \"events\": [],\n"
    "  \"session\": {\n"
    "    \"name\": \"current\",\n"
    "    \"dir\": \"/s\",\n"
    "    \"by\": \"root (pid 5)\",\n"
    "    \"options\": \" frequency=97\",\n"
    "    \"since\": 1000000000,\n"
    "    \"until\": 0,\n"
    "    \"pcpus\": 2\n"
    "  },\n"
    "  \"counters\": {\n"
    "    \"due\": 110,\n    \"missed\": 10,\n    \"idle\": 4,\n"
    "    \"made\": 100,\n"
    "    \"read\": 90,\n"
    "    \"lost\": 10,\n"
    "    \"expired\": 0,\n"
    "    \"switched\": 3,\n"
    "    \"moved\": 2,\n"
    "    \"cost_ns\": 5000000,\n"
    "    \"waiters_made\": 9,\n"
    "    \"waiters_read\": 8,\n"
    "    \"waiters_lost\": 1,\n"
    "    \"lost_by_cause\": {\"queue\": 1, \"ring\": 9, \"stopped\": 0, "
    "\"daemon\": 0}\n"
    "  },\n"
    "  \"waiting\": {\"samples\": 10, \"bytes\": 2560, "
    "\"guests\": 1},\n"
    "  \"rings\": [\n"
    "    {\"domain\": 32767, \"domain_name\": \"idle\", \"pcpu\": 1, "
    "\"made\": 40, \"read\": 40, \"lost\": 0, \"state\": \"open\"},\n"
    "    {\"domain\": 3, \"domain_name\": \"web \\\"1\\\"\", "
    "\"vcpu\": 0, \"made\": 60, \"read\": 50, \"lost\": 10, "
    "\"state\": \"open\", "
    "\"uuid\": \"03000000-0000-0000-0000-000000000000\"}\n"
    "  ],\n"
    "  \"chains\": [\n"
    "    {\"domain\": 3, \"domain_name\": \"web \\\"1\\\"\", \"mode\": "
    "\"kernel\", \"root\": 37, \"xen\": 0, \"window\": 2, \"page\": 1, "
    "\"rule\": 0, \"nonsense\": 0, \"kernel\": 0, \"guest\": 0, "
    "\"moved\": 0, \"untold\": 0, \"search\": 0, \"spool\": 0, "
    "\"spent\": 0, \"banned\": 0, \"walker\": 0, \"keeper\": 0, "
    "\"stacks\": 0, \"same\": 0, \"memory\": 0, \"left\": 0, \"facts\": "
    "0, \"agent\": 0, \"window_16\": 0, \"window_32\": 0, "
    "\"window_more\": 0}\n"
    "  ],\n  \"agents\": [],\n  \"awaited\": 0,\n"
    "  \"payload_above\": null,\n  \"warning\": null,\n"
    "  \"trouble\": \"the disk is full\",\n"
    "  \"daemon\": {\"pid\": 77, \"user_ns\": 3000000, "
    "\"system_ns\": 4000000, \"children_ns\": 5000000, "
    "\"resident\": 1048576, \"peak\": 2097152},\n"
    "  \"push\": null\n"
    "}\n";

TEST(status_as_json)
{
    struct status status = status_of(status_answer);
    char *text = printed(&status, true);

    CHECK_TEXT(text, answer_as_json);
    free(text);
    status_free(&status);
}

/* Normal again, or never low: then there is nothing to be said. */
TEST(status_says_when_the_frequency_was_low)
{
    struct status status = status_of(status_answer);

    strcpy(status.sampler.lowered_by, "reader");
    status.sampler.lowered_until = 5000000000;
    check_prints(&status,
                 "\n          it was low from 1970-01-01 00:00:02 UTC to "
                 "1970-01-01 00:00:05 UTC: xenoprofd did not get "
                 "to read the rings in time\n");
    strcpy(status.sampler.lowered_by, "budget");
    check_prints(&status, "05 UTC: sampling took more than its budget\n");
    strcpy(status.sampler.lowered_by, "");
    status.sampler.lagged = 0;
    check_silent(&status, "low from");
    check_silent(&status, "lagged");
    status_free(&status);
}

TEST(status_of_events)
{
    struct status status = status_of(
        "session name=current dir=/s state=running since=1000000000 until=0 "
        "by=root options=\n"
        "sampler name=pmu frequency=97 asked=97 pcpus=2 throttled=5 late=3 "
        "imprecise=9\n"
        "event name=cycles:k set=0 count=2000000 counted=123456789000\n"
        "event name=branches set=1 count=0 counted=7\n");
    char *json = printed(&status, true), *table = printed(&status, false);

    CHECK(strstr(json, "\"throttled\": 5, \"late\": 3, \"imprecise\": 9},"));
    CHECK(strstr(json, "  \"events\": [\n"
                       "    {\"name\": \"cycles:k\", \"set\": 0, \"count\": "
                       "2000000, \"counted\": 123456789000},\n"
                       "    {\"name\": \"branches\", \"set\": 1, \"count\": "
                       "0, \"counted\": 7}\n"));
    CHECK(strstr(table, "\nevent     cycles:k, each 2000000, in set 1: "
                        "123456789000 counted\n"
                        "event     branches, as often as the frequency says, "
                        "in set 2: 7 counted\n"
                        "          5 came too fast for a sample and stopped "
                        "their counter until a tick, 3 NMIs came late\n"));
    free(json);
    free(table);
    status_free(&status);
}

TEST(status_of_a_module_that_is_not_loaded)
{
    struct status status = {.state = "unloaded"};
    char *json = printed(&status, true), *table = printed(&status, false);

    CHECK(strstr(json, "\"state\": \"unloaded\""));
    CHECK(strstr(json, "\"sampler\": null"));
    CHECK(strstr(json, "\"rings\": []"));
    CHECK_TEXT(table, "state     unloaded\n");
    free(json);
    free(table);
}

TEST(status_as_a_table_shows_losses_and_trouble)
{
    static const char *const wanted[] = {
        "made 100, read 90, lost 10 (1 by queue, 9 by ring)",
        "\nwaited    made 9, read 8, lost 1 of vCPUs that waited for a pCPU\n",
        "50 Hz for each of 2 pCPUs (97 asked for)",
        "\n          the budget lowered it 3 times and raised it again once\n"
        "          a reader that lagged lowered it 4 times and raised it again 2 "
        "times\n"
        "          it is low from 1970-01-01 00:00:02 UTC on: xenoprofd did not "
        "get to read the rings in time, and sampling took more than its "
        "budget\n",
        "\nstack     at least 2360 bytes were free in each NMI; 3 ticks missed "
        "for lack of room\n",
        "'hotfix-1' lies above",
        "12 pages wait",
        " 4 ms system, its processes 5 ms\n"
        "memory    xenoprofd 1024 KiB (at most 2048)\n",
        "trouble   the disk is full",
        "web \"1\"",
    };
    struct status status = status_of(status_answer);

    strcpy(status.covered_by, "hotfix-1");
    status.awaited = 12;
    for ( size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++ )
        check_prints(&status, wanted[i]);
    status_free(&status);
}

TEST(status_says_what_each_part_of_a_sample_takes)
{
    struct status status = status_of(status_answer);

    check_prints(&status, "\ncost      Xen 5 ms (50000 ns a sample: first half "
                          "10000, second half 25000, tick 15000)");
    status.sampler.cost_tick = 4000001; /* more than all */
    check_silent(&status, " ns a sample");
    status.sampler.cost_tick = 0; /* not known */
    check_silent(&status, " ns a sample");
    status.sampler.cost_tick = 1;
    status.counters.made = 0;
    check_silent(&status, " ns a sample");
    status_free(&status);
}

TEST(status_says_what_waits)
{
    struct status status = status_of(status_answer);

    check_prints(&status, "state     running\n");
    check_prints(&status,
                 "\nwaiting   10 samples wait for names of 1 domain\n");
    status.state = "stopping";
    status.waiting.left = 4;
    check_prints(&status, "state     stopping: 10 samples wait for names of 1 "
                          "domain, at most 4 s more\n");
    check_silent(&status, "\nwaiting ");
    status.state = "running";
    status.waiting.samples = 0;
    check_silent(&status, "\nwaiting ");
    status_free(&status);
}

TEST(status_has_what_matters_most_first)
{
    static const char *const lines[] = {
        "state     running\n", "\ntrouble   ", "\nnote      ", "\nsession   ",
        "\nsamples   ",        "\nwaiting   ", "\nsampler   ", "\ncost      ",
        "\nchains    ",        "\nticks     ", "\ndomain  ",
    };
    struct status status = status_of(status_answer);
    char *table;
    size_t last = 0;

    strcpy(status.warning, "slow");
    table = printed(&status, false);
    for ( size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++ )
    {
        const size_t place = place_of(table, lines[i]);

        if ( place < last )
            test_fail(__FILE__, __LINE__, "'%s' is too early in:\n%s", lines[i],
                      table);
        last = place;
    }
    free(table);
    status_free(&status);
}

/* Of two causes the larger is first, and what can be done is said once. */
TEST(status_says_how_chains_ended)
{
    struct status status = status_of(status_answer);

    check_prints(
        &status,
        "\nchains    web \"1\" (3), kernel: 92.5% of 40 whole, 5.0% went "
        "beyond the window,\n"
        "          2.5% came to a page that is not there\n"
        "          > a process's is larger with --user-window=32\n"
        "ticks ");
    status_free(&status);
}

/* Of 240 chains 2 are not worth a word, 3 are. */
TEST(status_says_what_can_be_done_about_ends)
{
    struct status status = status_of(status_answer);
    uint64_t *ended = status.chains.items[0].ended;
    struct chain_count *more;

    memset(ended, 0, sizeof(status.chains.items[0].ended));
    ended[XENOPROF_ENDED_ROOT] = 235;
    ended[XENOPROF_ENDED_SPOOL] = 3;
    ended[XENOPROF_ENDED_SPENT] = 2;
    more = vector_add(&status.chains);
    CHECK(more);
    *more = status.chains.items[0];
    more->domain = 4;
    check_prints(
        &status,
        "97.9% of 240 whole, 1.2% found the spool full\n"
        "          web \"1\" (4), kernel: 97.9% of 240 whole, 1.2% found "
        "the spool full\n"
        "          > start with a larger --spool\n"
        "ticks ");
    check_silent(&status, "processor time");
    status_free(&status);
}

TEST(status_explains_the_states_of_rings)
{
    struct status status = status_of(status_answer);

    check_silent(&status, "waits: ");
    strcpy(status.rings.items[0].state, "waits");
    check_prints(&status,
                 "\nwaits: its samples are kept until their guest's kernel is "
                 "found, or their stacks\n"
                 "       are walked: nothing is lost by that\n");
    check_silent(&status, "broken: ");
    status_free(&status);
}

/* Names of domains are chosen by tenants, and a session may be somebody's. */
TEST(status_spells_what_a_terminal_would_obey)
{
    struct status status = status_of(status_answer);
    char *text;

    CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
    strcpy(status.rings.items[1].name, "caf\u00e9\x1b]0;x\x07");
    strcpy(status.rings.items[0].state, "open\r");
    strcpy(status.chains.items[0].name, "a\nb\xff");
    strcpy(status.session.name, "\x1b[2J");
    strcpy(status.session.dir, "/s\x1b[2J");
    strcpy(status.session.by, "me\x1b[1A");
    strcpy(status.sampler.name, "nmi\x1b[m");
    strcpy(status.warning, "dom\x1b[8m");
    strcpy(status.trouble, "disk\n\xe2\x80\xae");
    strcpy(status.covered_by, "fix\x9b");
    text = printed(&status, false);
    for ( const char *at = text; *at; at++ )
        if ( *at != '\n' && (unsigned char)*at < ' ' )
            test_fail(__FILE__, __LINE__, "byte %d in: %s", *at, text);
    CHECK(strstr(text, "     3  caf\u00e9\\x1b]0;x\\x07            v0  "));
    CHECK(strstr(text, "  open\\x0d\n"));
    CHECK(strstr(text, "chains    a\\x0ab\\xff (3), kernel: "));
    CHECK(strstr(text, "session   \\x1b[2J in /s\\x1b[2J\n"));
    CHECK(strstr(text, "started by me\\x1b[1A\n"));
    CHECK(strstr(text, "sampler   nmi\\x1b[m, 50 Hz"));
    CHECK(strstr(text, "note      dom\\x1b[8m\n"));
    CHECK(strstr(text, "trouble   disk\\x0a\\xe2\\x80\\xae\n"));
    CHECK(strstr(text, "payload 'fix\\x9b' lies"));
    free(text);
    status_free(&status);
}

/* A name as long as its room, cut within a character. */
TEST(status_shows_all_of_a_name)
{
    struct status status = status_of(status_answer);
    char *name = status.rings.items[1].name;

    CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
    memset(name, 'n', DOMAIN_NAME_MAX - 1);
    name[DOMAIN_NAME_MAX - 2] = '\xc3';
    name[DOMAIN_NAME_MAX - 1] = '\0';
    check_prints(&status, "     3  nnnnnnnnnnnnnnnnnnnnnnnn");
    check_prints(&status, "nnn\\xc3    v0  ");
    status_free(&status);
}

TEST(times_for_people)
{
    char text[32];

    status_format_time(0, text, sizeof(text));
    CHECK_TEXT(text, "1970-01-01 00:00:00 UTC");
    status_format_time(1795600000999999999u, text, sizeof(text));
    CHECK_TEXT(text, "2026-11-25 09:46:40 UTC");
    status_format_time(UINT64_MAX, text, sizeof(text));
    CHECK_TEXT(text, "2554-07-21 23:34:33 UTC");
}

#define AGENT                                                                  \
    "session name=current state=running\n"                                     \
    "agent domain=%d name=web state=%s events=1 asked=200 named=150 "          \
    "unnamed=40 unanswered=10 slowest=1500000 clock=41500 cpu=12000000 "       \
    "bytes=2048 dropped=%d refused=%d lost=%d text=%s\n"

static char *agent_printed(int domain, const char *state, int lost,
                           const char *trouble)
{
    char answer[512];
    struct status status;
    char *text;

    snprintf(answer, sizeof(answer), AGENT, domain, state, lost * 2, lost * 4,
             lost, trouble);
    status = status_of(answer);
    text = printed(&status, false);
    status_free(&status);
    return text;
}

TEST(status_says_what_the_agent_answered)
{
    char *text = agent_printed(0, "present", 3, "");

    CHECK(strstr(text, "\nagents    dom0: asked for 200 addresses"));
    CHECK(strstr(text, "75.0% named"));
    CHECK(strstr(text, "20.0%"));
    CHECK(strstr(text, " 5.0%"));
    CHECK(strstr(text, "12 ms"));
    CHECK(strstr(text, "no room for 6 processes"));
    CHECK(strstr(text, "no room for 12 mappings"));
    CHECK(strstr(text, "lost 3"));
    CHECK(strstr(text, "41.5 us"));
    CHECK(!strstr(text, "/proc"));
    free(text);
}

/* By their names, each of which is made fit for a terminal. */
TEST(status_names_files_that_took_too_much)
{
    struct status status = status_of(
        "session name=current state=running\n"
        "agent domain=0 name=Domain-0 state=present asked=2 named=2 dear=2 "
        "dear_files=/home/eve/evil%0A/tmp/%1B\n");
    char *text = printed(&status, false);

    CHECK(strstr(text, "reads no more of 2 files in this session"));
    CHECK(strstr(text, " /home/eve/evil\n"));
    CHECK(strstr(text, " /tmp/\\x1b\n"));
    free(text);
    text = printed(&status, true);
    CHECK(strstr(text, "\"dear\": 2"));
    CHECK(strstr(text, "/home/eve/evil"));
    free(text);
    status_free(&status);
}

/* What is wrong comes first; a text is made fit for a terminal. */
TEST(status_says_whose_agent_reads_a_guest_root)
{
    struct status status = status_of("session name=current state=running\n"
                                     "agent domain=3 name=web state=present "
                                     "root=1 asked=2 named=2\n");

    check_prints(&status, "asked for 2 addresses");
    check_prints(&status, "(by its");
    check_silent(&status, "/proc");
    check_silent(&status, "no room");
    status_free(&status);
}

TEST(status_says_why_there_is_no_agent)
{
    char *text = agent_printed(3, "absent", 0, "it%1Bdoes%20not");

    CHECK(strstr(text, "\nagents    web: it\\x1bdoes not; its user code has"));
    CHECK(!strstr(text, "12 ms"));
    free(text);
}
