/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/live/live-verdict.h"
#include "base/clock.h"
#include "tests/harness.h"
#include "tests/unit/libxenoprof/session/session-kit.h"

#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000ull
#define EVERY  (SECOND / 50)

enum stack { PORTS, RETURNS, COMPUTES, STACKS };

/* Leaf first. */
static const struct {
    const char *symbol;
    uint8_t mode;
} frames[STACKS][4] = {
    [PORTS] = {{"pv_emulate_privileged_op", XENOPROF_MODE_XEN},
               {"do_general_protection", XENOPROF_MODE_XEN},
               {"entry_GP", XENOPROF_MODE_XEN},
               {"read_port", XENOPROF_MODE_KERNEL}},
    [RETURNS] = {{"do_iret", XENOPROF_MODE_XEN},
                 {"pv_hypercall", XENOPROF_MODE_XEN},
                 {"lstar_enter", XENOPROF_MODE_XEN},
                 {"xen_iret", XENOPROF_MODE_KERNEL}},
    [COMPUTES] = {{"sum", XENOPROF_MODE_USER}, {"main", XENOPROF_MODE_USER}},
};

/* A session of one guest, and what --live knows of it. */
struct verdict_scene {
    struct session_kit *kit;
    struct query query;
    struct layout layout;
    struct live_verdict verdict;
    uint32_t place[STACKS][4];
};

static void make_places(struct verdict_scene *scene)
{
    for ( unsigned int i = 0; i < STACKS; i++ )
        for ( unsigned int j = 0; j < 4 && frames[i][j].symbol; j++ )
            scene->place[i][j] = kit_place(scene->kit, 1, frames[i][j].mode,
                                           0x1000 * (4 * i + j + 1),
                                           frames[i][j].symbol);
}

/* Also that the one pCPU was never idle. */
static void write_seconds(struct verdict_scene *scene, uint64_t from,
                          uint64_t to, enum stack stack)
{
    struct xenoprof_writer *writer = scene->kit->writer;
    struct xenoprof_stored sample = {.period = EVERY,
                                     .weight = 1,
                                     .domain = 1,
                                     .mode = frames[stack][0].mode};
    unsigned int count = 0;

    while ( count < 4 && scene->place[stack][count] )
        count++;
    for ( uint64_t time = from * SECOND; time < to * SECOND; time += EVERY )
    {
        sample.time = time;
        KIT_OK(scene->kit, xenoprof_writer_sample(writer, &sample,
                                                  scene->place[stack], count));
    }
    KIT_OK(scene->kit, xenoprof_writer_idle(writer, to * SECOND, 0, 0));
    KIT_OK(scene->kit, xenoprof_writer_flush(writer));
}

static void begin(struct verdict_scene *scene)
{
    static const uint8_t uuid[16] = {1};

    memset(scene, 0, sizeof(*scene));
    scene->kit = kit_create();
    KIT_OK(scene->kit, xenoprof_writer_attribute(scene->kit->writer,
                                                 100 * SECOND, "pcpus", "1"));
    KIT_OK(scene->kit, xenoprof_writer_domain(scene->kit->writer, 100 * SECOND,
                                              1, uuid, "web", "passive"));
    make_places(scene);
    KIT_OK(scene->kit,
           xenoprof_writer_idle(scene->kit->writer, 100 * SECOND, 0, 0));
    KIT_OK(scene->kit, xenoprof_writer_flush(scene->kit->writer));
    scene->query.session_dir = scene->kit->folder;
    scene->query.sort = (struct label_list){
        .label = {LABEL_DOMAIN, LABEL_MODE, LABEL_IMAGE, LABEL_SYMBOL},
        .count = 4};
    scene->layout.width = 120;
}

static void end(struct verdict_scene *scene)
{
    live_verdict_free(&scene->verdict);
    kit_destroy(scene->kit);
}

static void make(struct verdict_scene *scene, unsigned int seconds,
                 uint64_t now)
{
    live_verdict_make(&scene->verdict, &scene->query, &scene->layout,
                      scene->kit->folder, seconds, now);
}

static void check_has(const struct verdict_scene *scene, const char *words)
{
    if ( !strstr(scene->verdict.text, words) )
        test_fail(__FILE__, __LINE__, "\"%s\" is not in: %s", words,
                  scene->verdict.text);
}

TEST(a_verdict_is_of_the_last_seconds)
{
    struct verdict_scene scene;

    begin(&scene);
    write_seconds(&scene, 100, 120, RETURNS);
    write_seconds(&scene, 120, 130, PORTS);
    make(&scene, 10, 0);
    check_has(&scene, "verdict 1 pCPUs, 100.00%: busy, nobody waits; web (1)");
    check_has(&scene, "        2 web (1), 100.00%: privileged instruction of a "
                      "PV guest, emulated, mostly for");
    check_has(&scene, "read_port [vmlinux] (--why)\n");
    check_has(&scene, "xen ran   100.00%: 100.00% privileged instruction");
    CHECK(!strstr(scene.verdict.text, "iret"));
    CHECK(!strstr(scene.verdict.text, "waits,"));
    CHECK_EQ(live_verdict_lines(&scene.verdict), 3);
    /* Others are due at once. */
    scene.verdict.next = UINT64_MAX;
    make(&scene, 60, 0);
    check_has(&scene, "web (1), 66.67%: hypercall iret");
    end(&scene);
}

TEST(all_of_it_is_the_last_minute)
{
    struct verdict_scene scene;

    begin(&scene);
    write_seconds(&scene, 100, 200, RETURNS);
    write_seconds(&scene, 200, 260, PORTS);
    make(&scene, 0, 0);
    check_has(&scene, "xen ran   100.00%: 100.00% privileged");
    end(&scene);
}

TEST(one_is_made_when_it_is_due)
{
    struct verdict_scene scene;

    begin(&scene);
    write_seconds(&scene, 100, 110, RETURNS);
    make(&scene, 10, 0);
    check_has(&scene, "hypercall iret");
    write_seconds(&scene, 110, 120, PORTS);
    scene.verdict.next = 1000;
    make(&scene, 10, 999);
    check_has(&scene, "hypercall iret");
    make(&scene, 10, 1000);
    check_has(&scene, "privileged");
    end(&scene);
}

/* As much later as its own time is of a CPU: each second one of a second's
 * length would take all. */
TEST(the_next_is_due_when_it_may_be)
{
    struct verdict_scene scene;
    uint64_t before;

    begin(&scene);
    write_seconds(&scene, 100, 110, RETURNS);
    before = monotonic_now();
    make(&scene, 10, before - SECOND);
    CHECK(scene.verdict.next >= before + 49 * SECOND);
    end(&scene);
}

TEST(only_that_it_is_busy_stands_out)
{
    struct verdict_scene scene;

    begin(&scene);
    write_seconds(&scene, 100, 110, COMPUTES);
    make(&scene, 10, 0);
    check_has(&scene, "verdict   pCPUs, 100.00%: busy");
    CHECK_EQ(live_verdict_lines(&scene.verdict), 1);
    end(&scene);
}

TEST(who_waits_is_said)
{
    struct xenoprof_waited waited = {
        .domain = 1, .span = SECOND, .runnable = SECOND / 2};
    struct verdict_scene scene;

    begin(&scene);
    write_seconds(&scene, 100, 110, COMPUTES);
    KIT_OK(scene.kit,
           xenoprof_writer_wait(scene.kit->writer, 110 * SECOND, &waited));
    KIT_OK(scene.kit, xenoprof_writer_flush(scene.kit->writer));
    make(&scene, 10, 0);
    check_has(&scene, "waits, 50.00%: web (1) v0 for a pCPU (--waits)");
    end(&scene);
}

TEST(a_page_has_eight_lines_at_most)
{
    static const size_t lines[] = {0, 1, 4, 8, 8};
    static const char *const texts[] = {"", "1\n", "1\n2\n3\n4\n",
                                        "1\n2\n3\n4\n5\n6\n7\n8\n",
                                        "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"};
    struct live_verdict verdict = {.text = NULL};

    CHECK_EQ(live_verdict_lines(&verdict), 0);
    for ( unsigned int i = 0; i < 5; i++ )
    {
        verdict.text = (char *)texts[i];
        CHECK_EQ(live_verdict_lines(&verdict), lines[i]);
    }
}

TEST(what_cannot_be_read_is_said)
{
    struct verdict_scene scene;

    begin(&scene);
    scene.query.event = (char *)"cycles";
    make(&scene, 10, 0);
    check_has(&scene, "verdict   not known: ");
    end(&scene);
}
