/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report says first: in the order of ranks, of these the largest, five
 * lines at most, and nothing of a host that is well.  What each rule says is in
 * tests/golden/report: ranks, busy, locks, overview, profiler, frequencies. */
#include "report/why/verdict.h"
#include "tests/unit/report/model/report-kit.h"

struct verdict_kit {
    struct report_kit kit;
    struct query query;
    struct report report;
    struct verdict verdict;
};

static void begin(struct verdict_kit *kit)
{
    kit_begin(&kit->kit);
    kit_samples(&kit->kit, KIT_WEB, "k", 90);
    kit->query = (struct query){.needs_stacks = true};
    kit->report = (struct report){.query = &kit->query,
                                  .loaded = &kit->kit.loaded,
                                  .stacks = &kit->kit.stacks};
    kit->kit.loaded.read = 90;
}

static void build(struct verdict_kit *kit)
{
    kit_build(&kit->kit);
    verdict_build(&kit->verdict, &kit->report);
}

static void end(struct verdict_kit *kit)
{
    verdict_free(&kit->verdict);
    kit_end(&kit->kit);
}

static void attribute(struct verdict_kit *kit, const char *key,
                      const char *value)
{
    struct attribute *attribute = vector_add(&kit->kit.loaded.attributes);

    CHECK(attribute);
    attribute->time = 0;
    CHECK(names_add(&kit->kit.loaded.names, key, &attribute->key));
    CHECK(names_add(&kit->kit.loaded.names, value, &attribute->value));
}

/* A vCPU that waited for so many percent of its time. */
static void waited(struct verdict_kit *kit, uint32_t vcpu, uint64_t percent)
{
    const struct time_span all = {0, UINT64_MAX};
    const struct xenoprof_waited item = {.domain = 1,
                                         .vcpu = vcpu,
                                         .span = 100,
                                         .running = 100 - percent,
                                         .runnable = percent};

    waits_add(&kit->kit.loaded.waits, &all, 1000, &item);
}

static const char *rule(const struct verdict_kit *kit, size_t at)
{
    return at < kit->verdict.items.count
               ? kit->verdict.items.item[at].rule->name
               : "-";
}

TEST(nothing_is_said_of_a_host_that_is_well)
{
    struct verdict_kit kit;

    begin(&kit);
    waited(&kit, 0, 5);
    kit.kit.loaded.waiting.lost = 0;
    build(&kit);
    CHECK_EQ(kit.verdict.items.count, 0);
    CHECK_EQ(kit.verdict.line_count, 0);
    end(&kit);
}

TEST(trust_is_the_first_line_and_one)
{
    struct verdict_kit kit;

    begin(&kit);
    attribute(&kit, "warning", "A first. A second. ");
    attribute(&kit, "stopped", "nobody reads");
    kit.kit.loaded.waiting.lost = 10;
    waited(&kit, 0, 90);
    build(&kit);
    CHECK_TEXT(rule(&kit, 0), "stopped");
    CHECK_TEXT(rule(&kit, 1), "lost");
    CHECK_TEXT(rule(&kit, 2), "warned");
    CHECK_TEXT(rule(&kit, 3), "waits");
    CHECK_EQ(kit.verdict.line_count, 2);
    CHECK(kit.verdict.lines[0].trust && !kit.verdict.lines[1].trust);
    CHECK_TEXT(kit.verdict.lines[0].text,
               "sampling stopped: nobody reads; 10.00% of the samples were "
               "lost: they were of vCPUs that waited; A first (--header)");
    CHECK_TEXT(kit.verdict.lines[1].text,
               "waits, 90.00%: 1 v0 for a pCPU (--waits)");
    end(&kit);
}

TEST(a_few_lost_samples_are_no_matter)
{
    struct verdict_kit kit;

    begin(&kit);
    kit.kit.loaded.read = 9999;
    kit.kit.loaded.waiting.lost = 1;
    build(&kit);
    CHECK_EQ(kit.verdict.items.count, 0);
    end(&kit);
}

TEST(of_a_rank_the_largest_comes_first)
{
    struct verdict_kit kit;
    struct cell *nameless;

    begin(&kit);
    nameless = kit_samples(&kit.kit, KIT_WEB, "?", 60);
    nameless->key.mode = XENOPROF_MODE_USER;
    kit.kit.loaded.cost.module = 500;
    waited(&kit, 0, 30);
    waited(&kit, 1, 20);
    build(&kit);
    CHECK_TEXT(rule(&kit, 0), "profiler");
    CHECK_TEXT(rule(&kit, 1), "waits");
    CHECK_TEXT(rule(&kit, 2), "nameless");
    CHECK_TEXT(kit.verdict.items.item[1].text,
               "waits, 25.00%: 2 of 2 vCPUs for a pCPU, 1 v0 30.0%");
    CHECK_TEXT(verdict_rank_name(kit.verdict.items.item[2].rule->rank), "gap");
    end(&kit);
}
