/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "opcontrol/status-metrics.h"
#include "status-kit.h"

static char *metrics_of(const struct status *status)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    CHECK(status_print_metrics(status, file));
    fclose(file);
    return text;
}

/* A whole line of an answer's metrics; it must be there once. */
static void check_metric(const char *text, const char *line)
{
    const char *at = strstr(text, line);

    if ( !at || (at != text && at[-1] != '\n') || at[strlen(line)] != '\n' ||
         strstr(at + 1, line) )
        test_fail(__FILE__, __LINE__, "'%s' is not once in:\n%s", line, text);
}

TEST(metrics_of_an_answer)
{
    static const char *const lines[] = {
        "# HELP xenoprof_samples_made_total Samples made.",
        "# TYPE xenoprof_samples_made_total counter",
        "xenoprof_samples_made_total 100",
        "xenoprof_samples_lost_total{cause=\"ring\"} 9",
        "xenoprof_xen_cost_seconds_total 0.005000000",
        "# TYPE xenoprof_frequency_hertz gauge",
        "xenoprof_frequency_hertz 50",
        "xenoprof_state{state=\"running\"} 1",
        "xenoprof_state{state=\"stopped\"} 0",
        "xenoprof_trouble 1",
        "xenoprof_warning 0",
        "xenoprof_daemon_up 1",
        "xenoprof_daemon_user_seconds_total 0.003000000",
        "xenoprof_daemon_resident_bytes 1048576",
        ("xenoprof_ring_read_total{domain=\"3\",domain_name=\"web \\\"1\\\"\","
         "uuid=\"03000000-0000-0000-0000-000000000000\",kind=\"vcpu\",cpu=\"0\"}"
         " 50"),
        ("xenoprof_chains_total{domain=\"3\",domain_name=\"web \\\"1\\\"\","
         "mode=\"kernel\",end=\"root\"} 37"),
    };
    struct status status = status_of(status_answer);
    char *text = metrics_of(&status);

    for ( size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++ )
        check_metric(text, lines[i]);
    CHECK(text[strlen(text) - 1] == '\n');
    free(text);
    status_free(&status);
}

/* What nobody knows has no value, rather than 0. */
TEST(metrics_without_a_session)
{
    struct status status = {.state = "unloaded"};
    char *text = metrics_of(&status);

    check_metric(text, "xenoprof_state{state=\"unloaded\"} 1");
    check_metric(text, "xenoprof_daemon_up 0");
    check_metric(text, "xenoprof_samples_made_total 0");
    CHECK(!strstr(text, "frequency"));
    CHECK(!strstr(text, "daemon_resident"));
    CHECK(!strstr(text, "session_start"));
    free(text);
}

/* Prometheus refuses a text that has a value twice. */
TEST(metrics_that_are_alike_are_one)
{
    struct status status = status_of(status_answer);
    struct status_ring *more = vector_add(&status.rings);
    char *text;

    CHECK(more);
    *more = status.rings.items[1];
    more->generation = 2;
    more->read = 7;
    text = metrics_of(&status);
    check_metric(text,
                 "xenoprof_ring_read_total{domain=\"3\",domain_name=\"web "
                 "\\\"1\\\"\",uuid=\"03000000-0000-0000-0000-"
                 "000000000000\",kind=\"vcpu\",cpu=\"0\"} 57");
    free(text);
    status_free(&status);
}

/* Names of domains are chosen by tenants. */
TEST(metrics_have_one_line_for_a_value)
{
    struct status status = status_of(status_answer);
    char *text;

    strcpy(status.rings.items[1].name, "a\n\"\\b\x1b");
    text = metrics_of(&status);
    CHECK(strstr(text, "domain_name=\"a\\\\x0a\\\"\\\\b\\\\x1b\""));
    free(text);
    status_free(&status);
}

/* Whoever adds a number to --status adds it here. */
TEST(metrics_have_each_number_of_the_json)
{
    static const char *const numbers[] = {
#define STATUS_LINE(line)
#define STATUS_LIST(line, list)
#define STATUS_TEXT(...)
#define STATUS_NUMBER(line, key, bits, name) (name) ? #line "." #key : NULL,
#define STATUS_COUNT(line, key, ...)         #line "." #key,
#define STATUS_END(line)
#include "control/status-values.def"
    };
    /* Which event and agent it is, and whose sum or process. */
    static const char known[] = " event.set agent.domain counters.lost "
                                "daemon.pid push.pid ";
    static const char rows[] = " "
#define METRIC(line, key, ...) #line "." #key " "
#include "opcontrol/metrics.def"
        ;

    for ( size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++ )
    {
        char word[64];

        snprintf(word, sizeof(word), " %s ", numbers[i] ? numbers[i] : "");
        if ( numbers[i] && !strstr(rows, word) && !strstr(known, word) )
            test_fail(__FILE__, __LINE__, "metrics.def has no row of%s", word);
    }
}
