/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Windows of a session that grows: each sample is in one of them. */
#include "report/export/export-bytes.h"
#include "tests/harness.h"
#include "tests/unit/libxenoprof/session/session-kit.h"

#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000ull
#define PERIOD 20000000ull

/* A session that is written, and what was taken of it so far. */
struct window_scene {
    struct session_kit *kit;
    uint32_t place[3]; /* web's, by mode */
    uint64_t position;
    struct failure failure;
};

/* What a window has, by its bytes. */
struct sums {
    uint64_t samples, time;
};

/* Each file has its own. */
static void put_places(struct window_scene *scene)
{
    for ( uint8_t mode = 0; mode < 3; mode++ )
        scene->place[mode] = kit_place(
            scene->kit, 1, mode, 0x1000u + mode,
            (const char *[]){"in_xen", "in_kernel", "in_user"}[mode]);
}

static void begin(struct window_scene *scene)
{
    static const uint8_t uuid[16] = {1}, other[16] = {2};

    *scene = (struct window_scene){.kit = kit_create()};
    KIT_OK(scene->kit, xenoprof_writer_attribute(scene->kit->writer,
                                                 100 * SECOND, "pcpus", "1"));
    KIT_OK(scene->kit, xenoprof_writer_domain(scene->kit->writer, 100 * SECOND,
                                              1, uuid, "web", "passive"));
    KIT_OK(scene->kit, xenoprof_writer_domain(scene->kit->writer, 100 * SECOND,
                                              2, other, "db", "passive"));
    put_places(scene);
    KIT_OK(scene->kit, xenoprof_writer_idle(scene->kit->writer, 100 * SECOND, 0,
                                            50 * SECOND));
}

/* Samples of a second, 50 of them, which stand for all of it. */
static void put_samples(struct window_scene *scene, uint64_t second,
                        uint16_t domain)
{
    struct xenoprof_stored sample = {.place = scene->place[1],
                                     .period = PERIOD,
                                     .weight = 1,
                                     .domain = domain,
                                     .mode = XENOPROF_MODE_KERNEL};

    for ( unsigned int i = 0; i < SECOND / PERIOD; i++ )
    {
        sample.time = second * SECOND + i * PERIOD;
        KIT_OK(scene->kit,
               xenoprof_writer_sample(scene->kit->writer, &sample, NULL, 0));
    }
}

/* Xen's account of the second before: a part of it was not idle. */
static void put_account(struct window_scene *scene, uint64_t second,
                        uint64_t work)
{
    static const uint8_t uuid[16] = {1};
    const struct xenoprof_waited waited = {.domain = 1,
                                           .vcpu = 0,
                                           .span = SECOND,
                                           .running = work,
                                           .blocked = SECOND - work};
    struct xenoprof_waited with_uuid = waited;
    static uint64_t idle;

    idle = second <= 101 ? 50 * SECOND : idle;
    idle += SECOND - work;
    memcpy(with_uuid.uuid, uuid, sizeof(uuid));
    KIT_OK(scene->kit, xenoprof_writer_wait(scene->kit->writer, second * SECOND,
                                            &with_uuid));
    KIT_OK(scene->kit,
           xenoprof_writer_idle(scene->kit->writer, second * SECOND, 0, idle));
    KIT_OK(scene->kit, xenoprof_writer_flush(scene->kit->writer));
}

/* Adds a sample's values: how many, and their time; the first of each list is
 * of samples, the second of time. */
static void add_values(struct cursor sample, struct sums *sums)
{
    while ( cursor_left(&sample) )
    {
        const uint64_t head = get_number(&sample), size = get_number(&sample);
        struct cursor list = {sample.at, sample.at + size, false};

        CHECK(!sample.bad && (head & 7) == 2 && size <= cursor_left(&sample));
        sample.at += size;
        if ( head >> 3 != 2 )
            continue;
        sums->samples += get_number(&list);
        sums->time += get_number(&list);
        CHECK(!list.bad && !cursor_left(&list));
    }
}

/* Of a message of pprof's. */
static struct sums sums_of(const struct buffer *bytes)
{
    struct cursor at = {bytes->bytes, bytes->bytes + bytes->used, false};
    struct sums sums = {0};

    while ( cursor_left(&at) )
    {
        const uint64_t head = get_number(&at), size = get_number(&at);
        const struct cursor message = {at.at, at.at + size, false};

        CHECK(!at.bad);
        if ( (head & 7) != 2 )
            continue;
        CHECK(size <= cursor_left(&at));
        at.at += size;
        if ( head >> 3 == 2 )
            add_values(message, &sums);
    }
    return sums;
}

static struct sums take(struct window_scene *scene, uint32_t domain,
                        uint64_t since, struct export_window *window)
{
    struct buffer bytes = {0};
    struct sums sums;

    CHECK_EQ(export_window_read(window, scene->kit->folder, "pprof", since,
                                &scene->failure),
             STATUS_DONE);
    CHECK_TEXT(scene->failure.text, "");
    export_window_put(window, domain, &bytes);
    sums = sums_of(&bytes);
    CHECK_EQ(sums.samples, export_window_samples(window, domain));
    buffer_free(&bytes);
    return sums;
}

static struct sums take_next(struct window_scene *scene)
{
    struct export_window window;
    const struct sums sums = take(scene, WINDOW_ALL, scene->position, &window);

    CHECK(window.position >= scene->position);
    scene->position = window.position;
    export_window_free(&window);
    return sums;
}

TEST(windows_have_each_sample_once_and_all_of_the_account)
{
    struct window_scene scene;
    struct export_window window;
    struct sums all = {0}, sums, whole;

    begin(&scene);
    for ( uint64_t second = 101; second < 111; second++ )
    {
        put_samples(&scene, second - 1, 1);
        put_account(&scene, second, SECOND / 10 * (second % 3 + 1));
        if ( second == 104 )
        {
            KIT_OK(scene.kit, xenoprof_writer_rotate(scene.kit->writer));
            put_places(&scene);
        }
        sums = take_next(&scene);
        CHECK_EQ(sums.samples, 50);
        CHECK_EQ(sums.time, SECOND / 10 * (second % 3 + 1));
        all.samples += sums.samples;
        all.time += sums.time;
        sums = take_next(&scene);
        CHECK(!sums.samples && !sums.time);
    }
    whole = take(&scene, WINDOW_ALL, 0, &window);
    CHECK_EQ(all.samples, whole.samples);
    CHECK_EQ(all.time, whole.time);
    CHECK(!window.closed);
    export_window_free(&window);
    kit_destroy(scene.kit);
}

TEST(samples_that_came_late_stand_for_their_ticks)
{
    struct window_scene scene;
    struct sums sums;

    begin(&scene);
    put_samples(&scene, 100, 1);
    put_account(&scene, 101, SECOND / 2);
    put_account(&scene, 102, 0);
    CHECK_EQ(take_next(&scene).samples, 50);
    put_samples(&scene, 102, 1);
    put_samples(&scene, 100, 1);
    put_account(&scene, 103, SECOND / 4);
    sums = take_next(&scene);
    CHECK_EQ(sums.samples, 100);
    CHECK_EQ(sums.time, SECOND / 4 + SECOND);
    kit_destroy(scene.kit);
}

TEST(a_domain_is_alone_if_asked_for)
{
    struct window_scene scene;
    struct export_window window;
    struct sums sums;
    char *name, *uuid;

    begin(&scene);
    put_samples(&scene, 100, 1);
    put_samples(&scene, 101, 2);
    put_account(&scene, 102, SECOND / 2);
    sums = take(&scene, DOMAIN_INDEX_IDLE + 2, 0, &window);
    CHECK_EQ(sums.samples, 50);
    CHECK_EQ(export_window_samples(&window, WINDOW_ALL), 100);
    CHECK_EQ(export_window_domains(&window), 4);
    name = export_window_domain_name(&window, DOMAIN_INDEX_IDLE + 2);
    uuid = export_window_domain_uuid(&window, DOMAIN_INDEX_IDLE + 2);
    CHECK_TEXT(name, "db");
    CHECK_TEXT(uuid, "02000000-0000-0000-0000-000000000000");
    CHECK(!export_window_domain_uuid(&window, DOMAIN_INDEX_OTHER));
    free(name);
    free(uuid);
    export_window_free(&window);
    kit_destroy(scene.kit);
}

TEST(what_cannot_be_read_says_so)
{
    struct export_window window;
    struct failure failure = {.status = STATUS_DONE};

    CHECK_EQ(
        export_window_read(&window, "/nowhere/at/all", "pprof", 0, &failure),
        STATUS_NO_SESSION);
    export_window_free(&window);
    failure = (struct failure){.status = STATUS_DONE};
    CHECK_EQ(
        export_window_read(&window, "/nowhere/at/all", "jpeg", 0, &failure),
        STATUS_USAGE);
    CHECK(strstr(failure.text, "unknown format"));
    export_window_free(&window);
}
