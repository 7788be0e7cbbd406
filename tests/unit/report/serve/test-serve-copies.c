/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/serve/serve-copies.h"
#include "report/views.h"

#include "base/clock.h"
#include "tests/harness.h"
#include "tests/unit/libxenoprof/session/session-kit.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000ull
#define SLOW   150000000ull /* ns */

/* A session, and what is served of it. */
struct copies_scene {
    struct session_kit *kit;
    uint32_t place;
    struct query query;
    struct view_options options;
    struct serve_wanted wanted;
    struct serve_copies copies;
    struct http_wanted asked;
    struct http_answer answer;
};

static enum exit_status expect_nothing(struct loaded *loaded,
                                       const struct selection *selection,
                                       struct failure *failure)
{
    (void)loaded;
    (void)selection;
    (void)failure;
    return STATUS_DONE;
}

static enum exit_status expect_slowly(struct loaded *loaded,
                                      const struct selection *selection,
                                      struct failure *failure)
{
    const struct timespec time = {.tv_nsec = (long)SLOW};

    nanosleep(&time, NULL);
    return expect_nothing(loaded, selection, failure);
}

static enum exit_status expect_others(struct loaded *loaded,
                                      const struct selection *selection,
                                      struct failure *failure)
{
    (void)loaded;
    (void)selection;
    return fail(failure, STATUS_NO_SYMBOL, "these are not they");
}

static enum exit_status expect_a_crash(struct loaded *loaded,
                                       const struct selection *selection,
                                       struct failure *failure)
{
    kill(getpid(), SIGKILL);
    return expect_nothing(loaded, selection, failure);
}

static void add_sample(struct copies_scene *scene, uint64_t second)
{
    kit_sample(scene->kit, second * SECOND, scene->place);
    KIT_OK(scene->kit, xenoprof_writer_flush(scene->kit->writer));
}

static void scene_begin(struct copies_scene *scene)
{
    *scene = (struct copies_scene){.kit = kit_create()};
    scene->place = kit_place(scene->kit, 1, XENOPROF_MODE_KERNEL, 0x1000,
                             "vfs_read");
    add_sample(scene, 1);
    report_needs(&scene->query, view_table[VIEW_serve].view);
    scene->query.session_dir = scene->kit->folder;
    scene->wanted = (struct serve_wanted){
        .path = scene->kit->folder,
        .name = "session",
        .query = &scene->query,
        .options = &scene->options,
        .expect = expect_nothing,
    };
    scene->asked.data = true;
    serve_copies_init(&scene->copies, &scene->wanted);
}

static void scene_end(struct copies_scene *scene)
{
    serve_copies_free(&scene->copies);
    kit_destroy(scene->kit);
}

/* Asks at that time.  Returns whether there is an answer at once. */
static bool ask(struct copies_scene *scene, uint64_t now)
{
    return serve_copies_ask(&scene->copies, &scene->asked, now, &scene->answer);
}

/* Waits until the reading has ended.  Returns its status. */
static int wait_for_reading(struct copies_scene *scene, uint64_t now)
{
    struct serve_reading made = {.status = -1};
    struct pollfd said = {.fd = scene->copies.reader.said, .events = POLLIN};

    CHECK(scene->copies.reader.process);
    do
        CHECK_EQ(poll(&said, 1, 60000), 1);
    while ( !serve_copies_go(&scene->copies, now, &made) );
    CHECK(!scene->copies.reader.process);
    return made.status;
}

static void read_first(struct copies_scene *scene, uint64_t now)
{
    CHECK(!ask(scene, now));
    CHECK_EQ(wait_for_reading(scene, now), 0);
    CHECK(ask(scene, now));
    CHECK_EQ(scene->answer.status, 200);
    CHECK(scene->answer.size && scene->answer.number);
}

TEST(copy_is_read_once)
{
    struct copies_scene scene;

    scene_begin(&scene);
    read_first(&scene, 10 * SECOND);
    CHECK_EQ(scene.answer.number, 1);
    CHECK(ask(&scene, 100 * SECOND) && scene.answer.number == 1);
    scene.asked.match = 1;
    CHECK(ask(&scene, 200 * SECOND));
    CHECK_EQ(scene.answer.status, 304);
    CHECK_EQ(scene.answer.size, 0);
    scene_end(&scene);
}

TEST(copy_is_read_again_when_it_has_grown)
{
    struct copies_scene scene;

    scene_begin(&scene);
    read_first(&scene, 10 * SECOND);
    add_sample(&scene, 2);
    /* Not within the second. */
    CHECK(ask(&scene, 10 * SECOND + SECOND / 2) && scene.answer.number == 1);
    CHECK(!scene.copies.reader.process);
    CHECK(!ask(&scene, 20 * SECOND));
    /* Another who asks meanwhile waits for the same. */
    CHECK(!ask(&scene, 20 * SECOND));
    CHECK_EQ(wait_for_reading(&scene, 20 * SECOND), 0);
    CHECK(ask(&scene, 20 * SECOND));
    CHECK_EQ(scene.answer.number, 2);
    scene_end(&scene);
}

TEST(reading_is_a_tenth_of_the_time)
{
    struct copies_scene scene;
    uint64_t now;

    scene_begin(&scene);
    scene.wanted.expect = expect_slowly;
    now = monotonic_now();
    CHECK(!ask(&scene, now));
    CHECK_EQ(wait_for_reading(&scene, now + 3 * SLOW), 0);
    CHECK_EQ(scene.copies.next, now + SERVE_SHARE * 3 * SLOW);
    add_sample(&scene, 2);
    CHECK(ask(&scene, scene.copies.next - 1) && scene.answer.number == 1);
    CHECK(!ask(&scene, scene.copies.next));
    scene_end(&scene);
}

TEST(reading_that_fails_says_why)
{
    struct copies_scene scene;

    scene_begin(&scene);
    scene.wanted.expect = expect_others;
    CHECK(!ask(&scene, SECOND));
    CHECK_EQ(wait_for_reading(&scene, SECOND), STATUS_NO_SYMBOL);
    CHECK(ask(&scene, SECOND));
    CHECK_EQ(scene.answer.status, 503);
    CHECK_TEXT(scene.answer.text, "these are not they");
    scene.wanted.expect = expect_a_crash;
    add_sample(&scene, 2);
    CHECK(!ask(&scene, 20 * SECOND));
    CHECK(wait_for_reading(&scene, 20 * SECOND));
    CHECK(ask(&scene, 20 * SECOND));
    CHECK_TEXT(scene.answer.text, "the session could not be read: the process "
                                  "that did was killed");
    scene.wanted.expect = expect_nothing;
    add_sample(&scene, 3);
    CHECK(!ask(&scene, 40 * SECOND));
    CHECK_EQ(wait_for_reading(&scene, 40 * SECOND), 0);
    scene_end(&scene);
}

TEST(copies_are_few)
{
    struct copies_scene scene;

    scene_begin(&scene);
    for ( uint64_t i = 0; i < SERVE_COPIES + 2; i++ )
    {
        const uint64_t now = (i + 1) * 100 * SECOND;

        snprintf(scene.asked.type, sizeof(scene.asked.type), "type-%u",
                 (unsigned int)i);
        CHECK(!ask(&scene, now));
        CHECK(wait_for_reading(&scene, now));
        CHECK(ask(&scene, now));
        CHECK_EQ(scene.answer.status, 503);
    }
    /* The first went, the last are there. */
    CHECK(ask(&scene, 2000 * SECOND));
    strcpy(scene.asked.type, "type-0");
    CHECK(!ask(&scene, 2000 * SECOND));
    scene_end(&scene);
}
