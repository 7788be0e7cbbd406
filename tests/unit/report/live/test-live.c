/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/live/live-page.h"
#include "tests/harness.h"
#include "tests/unit/libxenoprof/session/session-kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000ull

/* A session that is written, and the program that follows it. */
struct scene {
    struct session_kit *kit;
    struct query query;
    struct layout layout;
    struct live_follow follow;
    struct live_state state;
    struct live_verdict verdict;
    uint32_t place[3]; /* in xen, kernel and user of domain 1 */
};

static void write_seconds(struct scene *scene, uint64_t from, uint64_t to,
                          uint8_t mode)
{
    struct xenoprof_stored sample = {
        .place = scene->place[mode],
        .period = 10000000,
        .weight = 1,
        .domain = 1,
        .mode = mode,
    };

    for ( uint64_t time = from * SECOND; time < to * SECOND;
          time += SECOND / 50 )
    {
        sample.time = time;
        KIT_OK(scene->kit,
               xenoprof_writer_sample(scene->kit->writer, &sample, NULL, 0));
    }
    /* Half of its time the one pCPU is idle. */
    for ( uint64_t second = from + 1; second <= to; second++ )
        KIT_OK(scene->kit,
               xenoprof_writer_idle(scene->kit->writer, second * SECOND, 0,
                                    second * SECOND / 2));
    KIT_OK(scene->kit, xenoprof_writer_flush(scene->kit->writer));
}

/* Samples of another type in the kernel, 10 in 100 ms. */
static void write_others(struct scene *scene, uint64_t second, uint16_t type)
{
    struct xenoprof_stored sample = {.period = 10000000,
                                     .weight = 1,
                                     .domain = 1,
                                     .mode = XENOPROF_MODE_KERNEL,
                                     .count = 1000,
                                     .type = type};

    sample.place = scene->place[XENOPROF_MODE_KERNEL];
    for ( unsigned int i = 0; i < 10; i++ )
    {
        sample.time = second * SECOND + i * SECOND / 100;
        KIT_OK(scene->kit,
               xenoprof_writer_sample(scene->kit->writer, &sample, NULL, 0));
    }
    KIT_OK(scene->kit, xenoprof_writer_flush(scene->kit->writer));
}

static void scene_begin_of(struct scene *scene, const char *event)
{
    static const uint8_t uuid[16] = {1};
    struct failure failure = {.status = STATUS_DONE};

    memset(scene, 0, sizeof(*scene));
    scene->kit = kit_create();
    scene->query.event = (char *)event;
    KIT_OK(scene->kit,
           xenoprof_writer_type(
               scene->kit->writer, XENOPROF_TYPE_EVENT,
               &(struct xenoprof_type){.name = "cycles", .unit = "cycles"}));
    KIT_OK(scene->kit, xenoprof_writer_attribute(scene->kit->writer,
                                                 100 * SECOND, "pcpus", "1"));
    KIT_OK(scene->kit, xenoprof_writer_domain(scene->kit->writer, 100 * SECOND,
                                              1, uuid, "web", "passive"));
    for ( uint8_t mode = 0; mode < 3; mode++ )
        scene->place[mode] = kit_place(
            scene->kit, 1, mode, 0x1000u + mode,
            (const char *[]){"in_xen", "in_kernel", "in_user"}[mode]);
    KIT_OK(scene->kit, xenoprof_writer_idle(scene->kit->writer, 100 * SECOND, 0,
                                            50 * SECOND));
    KIT_OK(scene->kit, xenoprof_writer_flush(scene->kit->writer));
    scene->query.session_dir = scene->kit->folder;
    scene->layout.width = 80;
    CHECK_EQ(live_follow_open(&scene->follow, &scene->query, scene->kit->folder,
                              &failure),
             STATUS_DONE);
    live_state_init(&scene->state);
}

static void scene_begin(struct scene *scene)
{
    scene_begin_of(scene, NULL);
}

static void scene_end(struct scene *scene)
{
    live_state_free(&scene->state);
    live_follow_close(&scene->follow);
    kit_destroy(scene->kit);
}

static bool read_added(struct scene *scene)
{
    struct failure failure = {.status = STATUS_DONE};
    bool added;

    CHECK_EQ(live_follow_read(&scene->follow, &added, &failure), STATUS_DONE);
    return added;
}

static struct live_page page_of(struct scene *scene)
{
    return (struct live_page){.follow = &scene->follow,
                              .state = &scene->state,
                              .verdict = &scene->verdict,
                              .query = &scene->query,
                              .layout = &scene->layout,
                              .height = 20};
}

/* Whether the page has a line with all of these words, in their order. */
static bool shows(struct scene *scene, const char *first, const char *second)
{
    const struct live_page page = page_of(scene);
    char *text = live_page(&page), *line = text;
    bool found = false;

    CHECK(text);
    while ( line && *line && !found )
    {
        char *end = strchr(line, '\n'), *at;

        CHECK(end);
        *end = '\0';
        at = strstr(line, first);
        found = at && strstr(at, second);
        line = end + 1;
    }
    free(text);
    return found;
}

static size_t lines_of(struct scene *scene)
{
    const struct live_page page = page_of(scene);
    char *text = live_page(&page);
    size_t lines = 0;

    CHECK(text);
    for ( const char *at = text; (at = strchr(at, '\n')); at++ )
        lines++;
    free(text);
    return lines;
}

TEST(user_code_without_a_name_is_its_threads)
{
    struct xenoprof_place place = {
        .domain = 1, .mode = XENOPROF_MODE_USER, .image = "user"};
    struct xenoprof_stored sample = {.period = 10000000,
                                     .weight = 1,
                                     .domain = 1,
                                     .mode = XENOPROF_MODE_USER,
                                     .thread = {.pid = 7, .comm = "nginx"}};
    struct scene scene;

    scene_begin(&scene);
    scene.state.seconds = 0;
    for ( unsigned int i = 0; i < 3; i++ )
    {
        place.address = 0x400000 + i;
        KIT_OK(scene.kit,
               xenoprof_writer_place(scene.kit->writer, &place, &sample.place));
        sample.time = 101 * SECOND + i;
        KIT_OK(scene.kit,
               xenoprof_writer_sample(scene.kit->writer, &sample, NULL, 0));
    }
    KIT_OK(scene.kit, xenoprof_writer_flush(scene.kit->writer));
    CHECK(read_added(&scene));
    CHECK(shows(&scene, "3  user", "[user of nginx]"));
    scene_end(&scene);
}

/* A sample of a function that was called by in_kernel. */
static void write_called(struct scene *scene, uint64_t second, uint32_t place)
{
    const uint32_t chain[2] = {place, scene->place[XENOPROF_MODE_KERNEL]};
    const struct xenoprof_stored sample = {.time = second * SECOND,
                                           .place = place,
                                           .period = 10000000,
                                           .weight = 1,
                                           .domain = 1,
                                           .mode = XENOPROF_MODE_KERNEL};

    KIT_OK(scene->kit,
           xenoprof_writer_sample(scene->kit->writer, &sample, chain, 2));
    KIT_OK(scene->kit, xenoprof_writer_flush(scene->kit->writer));
}

TEST(a_thunk_is_its_callers_also_if_its_name_comes_late)
{
    struct scene scene;

    scene_begin(&scene);
    scene.state.seconds = 0;
    write_called(&scene, 101,
                 kit_place(scene.kit, 1, XENOPROF_MODE_KERNEL, 0x2000, NULL));
    CHECK(read_added(&scene));
    CHECK(shows(&scene, "kernel", "0x2000"));
    write_called(&scene, 102,
                 kit_place(scene.kit, 1, XENOPROF_MODE_KERNEL, 0x2000,
                           "srso_return_thunk"));
    CHECK(read_added(&scene));
    CHECK(shows(&scene, "2  kernel", "in_kernel"));
    CHECK(!shows(&scene, "kernel", "thunk"));
    CHECK(!shows(&scene, "kernel", "0x2000"));
    scene_end(&scene);
}

TEST(live_follows_a_session_that_grows)
{
    struct scene scene;

    scene_begin(&scene);
    CHECK(read_added(&scene));
    CHECK(!read_added(&scene));
    write_seconds(&scene, 100, 104, XENOPROF_MODE_XEN);
    CHECK(read_added(&scene));
    CHECK(shows(&scene, "samples", "200 read, 0 lost"));
    CHECK(shows(&scene, "50.00%      200  xen", "in_xen"));
    CHECK(shows(&scene, "50.00%        0", "idle"));
    write_seconds(&scene, 104, 106, XENOPROF_MODE_KERNEL);
    CHECK(read_added(&scene));
    CHECK(shows(&scene, "samples", "300 read"));
    CHECK(shows(&scene, "33.33%      200", "in_xen"));
    CHECK(shows(&scene, "16.67%      100", "in_kernel"));
    scene_end(&scene);
}

/* Of a second in which its vCPU ran for half of it, as Xen's account says. */
static void write_spooled(struct scene *scene, uint64_t second, int64_t samples)
{
    struct xenoprof_writer *writer = scene->kit->writer;
    const struct xenoprof_spooled spooled = {.domain = 1,
                                             .mode = XENOPROF_MODE_USER,
                                             .second = second,
                                             .period = 10000000,
                                             .samples = samples};
    const struct xenoprof_waited waited = {
        .domain = 1, .span = SECOND, .running = SECOND / 2};

    KIT_OK(scene->kit, xenoprof_writer_spooled(writer, &spooled));
    if ( samples > 0 )
        KIT_OK(scene->kit,
               xenoprof_writer_wait(writer, (second + 1) * SECOND, &waited));
    KIT_OK(scene->kit, xenoprof_writer_flush(writer));
}

/* Until it has names, and in the window that has its second. */
TEST(live_shows_what_waits_for_names)
{
    struct scene scene;

    scene_begin(&scene);
    for ( uint64_t second = 100; second < 120; second++ )
        write_spooled(&scene, second, second < 110 ? 50 : 150);
    write_seconds(&scene, 100, 120, XENOPROF_MODE_XEN);
    CHECK(read_added(&scene));
    CHECK(shows(&scene, "37.50%        0", "[not named yet]"));
    CHECK(shows(&scene, "12.50%      450", "in_xen"));
    CHECK(!shows(&scene, "user", "[[not named yet]]"));
    live_key(&scene.state, 'w', &scene.follow.loaded);
    CHECK_EQ(scene.state.seconds, 60);
    CHECK(shows(&scene, "31.25%        0", "[not named yet]"));
    CHECK(shows(&scene, "18.75%     1000", "in_xen"));
    /* It has names, but for the last second's. */
    for ( uint64_t second = 100; second < 119; second++ )
        write_spooled(&scene, second, second < 110 ? -50 : -150);
    write_seconds(&scene, 120, 121, XENOPROF_MODE_USER);
    CHECK(read_added(&scene));
    CHECK(shows(&scene, "user", "[not named yet]"));
    CHECK(!shows(&scene, "31.25%", "[not named yet]"));
    KIT_OK(scene.kit, xenoprof_writer_close(scene.kit->writer, 122 * SECOND));
    CHECK(read_added(&scene));
    CHECK(!shows(&scene, "user", "[not named yet]"));
    scene_end(&scene);
}

TEST(live_shows_the_last_seconds)
{
    struct scene scene;

    scene_begin(&scene);
    write_seconds(&scene, 100, 110, XENOPROF_MODE_XEN);
    write_seconds(&scene, 110, 130, XENOPROF_MODE_KERNEL);
    read_added(&scene);
    CHECK(!shows(&scene, "xen  ", "in_xen"));
    CHECK(shows(&scene, "kernel  ", "in_kernel"));
    live_key(&scene.state, 'w', &scene.follow.loaded);
    CHECK_EQ(scene.state.seconds, 60);
    CHECK(shows(&scene, "500  xen", "in_xen"));
    /* A window changes nothing in the whole session. */
    write_seconds(&scene, 130, 230, XENOPROF_MODE_USER);
    read_added(&scene);
    CHECK(!shows(&scene, "xen  ", "in_xen"));
    live_key(&scene.state, 'w', &scene.follow.loaded);
    CHECK_EQ(scene.state.seconds, 0);
    CHECK(shows(&scene, " 3.85%      500  xen", "in_xen"));
    CHECK(shows(&scene, "38.46%     5000  user", "in_user"));
    CHECK(shows(&scene, "50.00%        0", "idle"));
    scene_end(&scene);
}

TEST(live_keys_filter)
{
    struct scene scene;
    const struct loaded *loaded = &scene.follow.loaded;

    scene_begin(&scene);
    write_seconds(&scene, 100, 102, XENOPROF_MODE_XEN);
    write_seconds(&scene, 102, 104, XENOPROF_MODE_USER);
    read_added(&scene);
    live_key(&scene.state, 'm', loaded);
    CHECK(shows(&scene, "xen  ", "in_xen"));
    CHECK(!shows(&scene, "user  ", "in_user"));
    live_key(&scene.state, 0x1b, loaded);
    CHECK(shows(&scene, "user  ", "in_user"));
    for ( const char *at = "/x_n\x7f\x7f"
                           "en$\n";
          *at; at++ )
        live_key(&scene.state, *at, loaded);
    CHECK_TEXT(scene.state.pattern, "xen$");
    CHECK(!scene.state.typing);
    CHECK(shows(&scene, "xen  ", "in_xen"));
    CHECK(!shows(&scene, "user  ", "in_user"));
    CHECK(!shows(&scene, "%        0  idle", "-"));
    for ( uint32_t i = DOMAIN_INDEX_IDLE + 1; i < loaded->domains.count; i++ )
    {
        live_key(&scene.state, 'd', loaded);
        CHECK_EQ(scene.state.domain, i);
    }
    live_key(&scene.state, 'd', loaded);
    CHECK_EQ(scene.state.domain, DOMAIN_INDEX_OTHER);
    CHECK(!shows(&scene, "xen  ", "in_xen"));
    live_key(&scene.state, 'd', loaded);
    CHECK_EQ(scene.state.domain, DOMAIN_INDEX_IDLE);
    live_key(&scene.state, 'd', loaded);
    CHECK_EQ(scene.state.domain, LIVE_ANY);
    scene_end(&scene);
}

/* An expression that is not complete yet hides nothing, and the page says
 * so. */
TEST(live_patterns_may_be_unfinished)
{
    struct scene scene;

    scene_begin(&scene);
    write_seconds(&scene, 100, 102, XENOPROF_MODE_XEN);
    read_added(&scene);
    for ( const char *at = "/(\n"; *at; at++ )
        live_key(&scene.state, *at, &scene.follow.loaded);
    CHECK(shows(&scene, "xen  ", "in_xen"));
    CHECK(shows(&scene, "functions with /(", "no expression"));
    for ( unsigned int i = 0; i < 200; i++ )
        live_key(&scene.state, i ? 'a' : '/', &scene.follow.loaded);
    CHECK_EQ(strlen(scene.state.pattern), LIVE_PATTERN_MAX - 1);
    scene_end(&scene);
}

TEST(live_sorts_and_turns_pages)
{
    struct scene scene;
    const struct loaded *loaded = &scene.follow.loaded;

    scene_begin(&scene);
    write_seconds(&scene, 100, 103, XENOPROF_MODE_XEN);
    write_seconds(&scene, 103, 104, XENOPROF_MODE_USER);
    read_added(&scene);
    live_key(&scene.state, LIVE_KEY_DOWN, loaded);
    CHECK(!shows(&scene, "xen  ", "in_xen"));
    live_key(&scene.state, LIVE_KEY_UP, loaded);
    CHECK(shows(&scene, "xen  ", "in_xen"));
    live_key(&scene.state, 's', loaded);
    CHECK(shows(&scene, "the last 10 s", "by samples"));
    live_key(&scene.state, 's', loaded);
    CHECK(shows(&scene, "the last 10 s", "by name"));
    live_key(&scene.state, ' ', loaded);
    CHECK(shows(&scene, "by name", "FROZEN"));
    live_key(&scene.state, 'h', loaded);
    CHECK(shows(&scene, "q", "quit"));
    live_key(&scene.state, 'q', loaded);
    CHECK(scene.state.quit);
    scene_end(&scene);
}

/* The vCPU ran for a half of a second, and waited for a pCPU in the other; in
 * the ten seconds before it waited for a tenth. */
static void write_waits(struct scene *scene)
{
    struct xenoprof_waited waited = {.domain = 1,
                                     .span = 10 * SECOND,
                                     .running = 5 * SECOND,
                                     .runnable = SECOND};

    KIT_OK(scene->kit,
           xenoprof_writer_wait(scene->kit->writer, 110 * SECOND, &waited));
    waited.span = SECOND;
    waited.running = waited.runnable = SECOND / 2;
    KIT_OK(scene->kit,
           xenoprof_writer_wait(scene->kit->writer, 111 * SECOND, &waited));
}

TEST(live_shows_who_waits)
{
    struct scene scene;

    scene_begin(&scene);
    write_waits(&scene);
    write_seconds(&scene, 100, 111, XENOPROF_MODE_KERNEL);
    read_added(&scene);
    scene.state.seconds = 0;
    CHECK(shows(&scene, "domains", "web (1) 50.0 % (rdy 13.6 %)"));
    /* The last second, whole, and eight of those before. */
    scene.state.seconds = 10;
    CHECK(shows(&scene, "domains", "% (rdy 14.4 %)"));
    CHECK(!shows(&scene, "domains", "idle 50.0 % (rdy"));
    scene_end(&scene);
}

TEST(live_shows_the_verdict_above_the_rows)
{
    char two[] = "verdict   web (1): does it\nxen ran   1%: of that\n";
    struct scene scene;

    scene_begin(&scene);
    write_seconds(&scene, 100, 104, XENOPROF_MODE_XEN);
    read_added(&scene);
    scene.verdict.text = two;
    CHECK(shows(&scene, "verdict   web (1)", "does it"));
    CHECK(shows(&scene, "xen ran   1%", "of that"));
    CHECK(shows(&scene, "50.00%", "idle"));
    CHECK_EQ(lines_of(&scene), 20);
    scene_end(&scene);
}

TEST(live_shows_one_type_of_samples)
{
    struct scene scene;

    scene_begin(&scene);
    /* Events alone, then time, too. */
    write_others(&scene, 101, XENOPROF_TYPE_EVENT);
    CHECK(read_added(&scene));
    CHECK(shows(&scene, "shown", "samples of cycles"));
    CHECK(shows(&scene, "100.00%", "in_kernel"));
    write_seconds(&scene, 101, 102, XENOPROF_MODE_XEN);
    write_others(&scene, 101, XENOPROF_TYPE_WAITING);
    CHECK(read_added(&scene));
    CHECK(shows(&scene, "50.00%", "in_xen"));
    CHECK(!shows(&scene, "%", "in_kernel"));
    CHECK(!shows(&scene, "shown", "samples of"));
    scene_end(&scene);
}

TEST(live_shows_the_type_that_is_asked_for)
{
    struct scene scene;

    scene_begin_of(&scene, "waiting");
    write_seconds(&scene, 101, 102, XENOPROF_MODE_XEN);
    CHECK(read_added(&scene));
    write_others(&scene, 101, XENOPROF_TYPE_WAITING);
    CHECK(read_added(&scene));
    CHECK(shows(&scene, "100.00%", "in_kernel"));
    CHECK(!shows(&scene, "%", "in_xen"));
    CHECK(shows(&scene, "shown", "samples of waiting"));
    scene_end(&scene);
}
