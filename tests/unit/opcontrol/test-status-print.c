/* SPDX-License-Identifier: GPL-2.0-or-later */
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

TEST(status_as_json)
{
    struct status status = status_of(status_answer);
    char *text = printed(&status, true);

    CHECK_TEXT(
        text,
        "{\n"
        "  \"state\": \"running\",\n"
        "  \"sampler\": {\"name\": \"nmi\", \"frequency\": 50, "
        "\"asked\": 97, \"slowed\": 3, \"raised\": 1},\n"
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
        "    \"due\": 110,\n"
        "    \"missed\": 10,\n"
        "    \"idle\": 4,\n"
        "    \"made\": 100,\n"
        "    \"read\": 90,\n"
        "    \"lost\": 10,\n"
        "    \"switched\": 3,\n"
        "    \"moved\": 2,\n"
        "    \"cost_ns\": 5000000,\n"
        "    \"lost_by_cause\": {\"queue\": 1, \"ring\": 9, \"stopped\": 0, "
        "\"daemon\": 0}\n"
        "  },\n"
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
        "\"moved\": 0, \"untold\": 0}\n"
        "  ],\n"
        "  \"awaited\": 0,\n"
        "  \"payload_above\": null,\n"
        "  \"warning\": null,\n"
        "  \"trouble\": \"the disk is full\",\n"
        "  \"daemon\": {\"pid\": 77, \"user_ns\": 3000000, "
        "\"system_ns\": 4000000, \"resident\": 1048576}\n"
        "}\n");
    free(text);
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
    struct status status = status_of(status_answer);
    char *text;

    strcpy(status.covered_by, "hotfix-1");
    status.awaited = 12;
    text = printed(&status, false);
    CHECK(strstr(text, "made 100, read 90, lost 10, queue 1, ring 9"));
    CHECK(strstr(text, "50 Hz for each of 2 pCPUs (97 asked for)"));
    CHECK(strstr(text,
                 "\n          the budget lowered it 3 times and raised it "
                 "again once\n"));
    CHECK(strstr(text, "'hotfix-1' lies above"));
    CHECK(strstr(text, "12 pages wait"));
    CHECK(strstr(text, "trouble   the disk is full"));
    CHECK(strstr(text, "web \"1\""));
    free(text);
    status_free(&status);
}

TEST(status_says_how_chains_ended)
{
    struct status status = status_of(status_answer);
    char *table = printed(&status, false);

    CHECK(strstr(table,
                 "\nchains    web \"1\" (3), 40 in kernel: 92.5% reached "
                 "their root, 5.0% went beyond the window, 2.5% came to "
                 "a page that is not there\n"));
    free(table);
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
