/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host that samples a guest's vCPU, and perf in that guest which samples it
 * at other times, by another clock: both see the same threads in turn, whose
 * code is two functions of this program.
 */
#include "report/merge/merge.h"

#include "libxenoprof/session/session-attributes.h"

#include <fcntl.h>
#include <libxenoprof.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/harness.h"
#include "tests/unit/report/import/perf/perf-kit.h"

#define S        1000000000ull
#define MS       1000000ull
#define BEGIN    (500 * S)                 /* of the story, by Xen's clock */
#define AHEAD    (123 * S + 456789 * 1000) /* Xen's clock less the guest's */
#define STORY_MS 20000u
#define UTC      1795000000000000000ull
#define THREADS  4u
#define WEB      5u
#define DB       6u
#define NAMELESS 0x7000123ull /* code that is mapped nowhere */
#define CALLER   1            /* index of the function that calls the other */

/* What a merge is tried with. */
struct merge_scene {
    uint32_t tids;      /* of the guest's threads, less those of the host's */
    bool steady;        /* one thread runs all the time */
    uint64_t utc;       /* that perf notes at BEGIN; 0: none */
    const char *offset; /* given; or NULL */
    const char *bytes;  /* in place of a perf.data; or NULL */
    const char *domain; /* or NULL: web */
    bool nobody;        /* the host knows no threads */
    bool other_story;   /* they ran at other times there */
    bool other_name;    /* threads are called otherwise in perf's file */
};

/* What became of it. */
struct merge_result {
    char text[FAILURE_MAX]; /* what was said, or the failure */
    enum exit_status status;
    uint64_t samples, count, times, web; /* sums; samples of web */
    uint64_t right, wrong, nameless;     /* names of its processes' leaves */
    uint64_t borrowed, others;           /* samples with the mark; of db with a
                                            name */
    bool noted;
};

static struct merge_result result;

__attribute__((noinline, used)) static int merged_leaf(int value)
{
    __asm__ volatile("" : "+r"(value));
    return value + 1;
}

__attribute__((noinline, used)) static int merged_caller(int value)
{
    return merged_leaf(value) + 2;
}

/* Where the two functions are in the file of this program, and as the file
 * counts addresses. */
static uint64_t function_offsets[2], function_addresses[2];
static char program[1024];

static void find_program(void)
{
    const ssize_t length = readlink("/proc/self/exe", program,
                                    sizeof(program) - 1);

    CHECK(length > 0);
    program[length] = '\0';
}

static int find_offsets(struct dl_phdr_info *info, size_t size, void *argument)
{
    const uint64_t at[2] = {(uintptr_t)merged_leaf, (uintptr_t)merged_caller};

    (void)size;
    (void)argument;
    for ( int i = 0; i < info->dlpi_phnum; i++ )
        for ( int j = 0; info->dlpi_phdr[i].p_type == PT_LOAD && j < 2; j++ )
        {
            const uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

            if ( at[j] < start || at[j] >= start + info->dlpi_phdr[i].p_filesz )
                continue;
            function_offsets[j] = at[j] - start + info->dlpi_phdr[i].p_offset;
            function_addresses[j] = at[j] - info->dlpi_addr;
        }
    return 1; /* the first is the program */
}

static uint64_t code_of(uint32_t tid, int function)
{
    return tid * 0x10000000ull + function_offsets[function] + 1;
}

/* Threads 101 and so on run in turn, for some time each; 0: none does. */
static uint32_t story[STORY_MS];

static void tell_story(bool steady, uint32_t seed)
{
    uint32_t state = seed, left = 0, tid = 0;

    for ( size_t i = 0; i < STORY_MS; i++ )
    {
        if ( !left-- )
        {
            state = state * 1664525u + 1013904223u;
            tid = (state >> 16) % (THREADS + 1);
            left = (state >> 20) % 90;
        }
        story[i] = steady ? 101 : tid ? 100 + tid : 0;
    }
}

static void put_host_sample(struct xenoprof_writer *writer, uint64_t at,
                            const struct merge_scene *scene, uint16_t domain)
{
    const uint32_t tid = story[at / MS];
    struct xenoprof_stored sample = {.time = BEGIN + at,
                                     .period = 10 * MS,
                                     .weight = 1,
                                     .domain = domain,
                                     .vcpu = 1,
                                     .mode = XENOPROF_MODE_USER};
    struct xenoprof_place place = {
        .domain = domain, .mode = XENOPROF_MODE_USER, .image = "user"};
    uint32_t places[2];

    if ( !scene->nobody )
        sample.thread = (struct xenoprof_thread){.pid = tid, .tid = tid};
    snprintf(sample.thread.comm, sizeof(sample.thread.comm), "job-%u", tid);
    /* Each 16th is in code that is mapped nowhere; of some threads the host
     * knows which file they ran, as if it had read it in the guest's memory. */
    place.address = at / MS % 16 ? code_of(tid, 0) : NAMELESS;
    if ( at / MS % 16 && tid % 2 )
    {
        place.image = program;
        place.address = function_addresses[0] + 1;
    }
    CHECK(!xenoprof_writer_place(writer, &place, &places[0]));
    place.image = "user";
    place.address = code_of(tid, CALLER);
    CHECK(!xenoprof_writer_place(writer, &place, &places[1]));
    /* And each 8th has a caller already. */
    CHECK(!xenoprof_writer_sample(writer, &sample, places,
                                  at / MS % 16 == 8 ? 2 : 1));
}

static void make_host(const char *folder, const struct merge_scene *scene)
{
    static const uint8_t web[16] = {1}, db[16] = {2};
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_writer *writer;
    char utc[24];

    CHECK(!xenoprof_writer_create(handle, folder, &writer));
    snprintf(utc, sizeof(utc), "%llu", UTC);
    CHECK(
        !xenoprof_writer_attribute(writer, BEGIN, SESSION_ATTRIBUTE_UTC, utc));
    CHECK(!xenoprof_writer_domain(writer, BEGIN, WEB, web, "web",
                                  SESSION_KIND_PASSIVE));
    CHECK(!xenoprof_writer_domain(writer, BEGIN, DB, db, "db",
                                  SESSION_KIND_PASSIVE));
    for ( uint64_t at = MS; at < STORY_MS * MS; at += 9 * MS + 700000 )
    {
        if ( story[at / MS] )
            put_host_sample(writer, at, scene, WEB);
        if ( at % (50 * MS) < 10 * MS && story[at / MS] )
            put_host_sample(writer, at, scene, DB);
        /* Numbers of places begin anew with a file. */
        if ( at > STORY_MS * MS / 2 && at < STORY_MS * MS / 2 + 10 * MS )
            CHECK(!xenoprof_writer_rotate(writer));
    }
    CHECK(!xenoprof_writer_close(writer, BEGIN + STORY_MS * MS));
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
}

static void put_guest_sample(struct perf_kit *kit, uint64_t at, uint32_t tid)
{
    const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_USER,
                              code_of(story[at / MS], 0),
                              code_of(story[at / MS], CALLER) + 1};
    const struct perf_kit_sample sample = {.misc = PERF_RECORD_MISC_USER,
                                           .pid = tid,
                                           .time = BEGIN + at - AHEAD,
                                           .ip = chain[1],
                                           .chain = chain,
                                           .count = 3};

    perf_kit_put_sample(kit, &sample);
}

static void make_guest(const char *path, const struct merge_scene *scene)
{
    struct perf_kit kit = {.utc = scene->utc, .utc_at = BEGIN - AHEAD};
    struct buffer file = {0};
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);

    CHECK(fd >= 0);
    for ( uint32_t i = 1; i <= THREADS; i++ )
    {
        char comm[16];

        snprintf(comm, sizeof(comm), "%s-%u",
                 scene->other_name ? "work" : "job", 100 + i);
        perf_kit_comm(&kit, 0, 100 + i + scene->tids, comm, true);
        perf_kit_map(&kit, 0, 100 + i + scene->tids, program,
                     (100 + i) * 0x10000000ull, 0x8000000);
    }
    for ( uint64_t at = 5000 * MS; at < 15000 * MS; at += 10 * MS + 100000 )
        if ( story[at / MS] )
            put_guest_sample(&kit, at, story[at / MS] + scene->tids);
    perf_kit_file(&kit, &file);
    if ( scene->bytes )
        CHECK(write(fd, scene->bytes, strlen(scene->bytes)) > 0);
    else
        CHECK_EQ(write(fd, file.bytes, file.used), file.used);
    close(fd);
    buffer_free(&file);
    perf_kit_free(&kit);
}

#define PLACES 8192u
#define STACK  8u

/* What samples have by number. */
static struct {
    char symbols[PLACES][32];
    uint16_t images[PLACES];
    struct {
        uint32_t places[STACK];
        size_t count;
    } stacks[PLACES];
} read_so_far;

static void take_sample_read(const struct xenoprof_stored *sample)
{
    const uint32_t *places = sample->stack
                                 ? read_so_far.stacks[sample->stack].places
                                 : &sample->place;
    const size_t count = sample->stack ? read_so_far.stacks[sample->stack].count
                                       : 1;
    const char *leaf = read_so_far.symbols[places[0]];

    result.samples++;
    result.count += sample->count;
    result.times += sample->time % S;
    if ( sample->domain == DB )
    {
        result.others += *leaf != 0;
        return;
    }
    result.web++;
    result.nameless += !*leaf;
    result.right += !strcmp(leaf, "merged_leaf");
    result.wrong += *leaf && strcmp(leaf, "merged_leaf");
    if ( count < 2 || !*leaf )
        return;
    /* Its own caller, or one that was lent. */
    CHECK_TEXT(read_so_far.symbols[places[count - 1]], "merged_caller");
    if ( count == 3 )
        CHECK_TEXT(read_so_far.symbols[places[1]], SESSION_SYMBOL_BORROWED);
    result.borrowed += count == 3;
}

static void take_read(const struct xenoprof_item *item)
{
    const uint32_t number = item->u.place.number; /* or of a stack */

    switch ( item->kind )
    {
    case XENOPROF_ITEM_PLACE:
        CHECK(number < PLACES);
        snprintf(read_so_far.symbols[number],
                 sizeof(read_so_far.symbols[number]), "%s",
                 item->u.place.place.symbol ? item->u.place.place.symbol : "");
        return;
    case XENOPROF_ITEM_STACK:
        CHECK(item->u.stack.number < PLACES && item->u.stack.count <= STACK);
        memcpy(read_so_far.stacks[item->u.stack.number].places,
               item->u.stack.places, item->u.stack.count * sizeof(uint32_t));
        read_so_far.stacks[item->u.stack.number].count = item->u.stack.count;
        return;
    case XENOPROF_ITEM_SAMPLE: take_sample_read(&item->u.sample); return;
    case XENOPROF_ITEM_ATTRIBUTE:
        result.noted |= !strcmp(item->u.attribute.key,
                                SESSION_ATTRIBUTE_MERGED);
        return;
    default: return;
    }
}

static void read_session(const char *path)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_session *session;
    struct xenoprof_item item;
    enum xenoprof_status code;

    memset(&read_so_far, 0, sizeof(read_so_far));
    CHECK(!xenoprof_session_open(handle, path, &session));
    while ( !(code = xenoprof_session_next(session, &item)) )
        take_read(&item);
    CHECK_EQ(code, XENOPROF_END);
    xenoprof_session_close(session);
    xenoprof_close(handle);
}

static void remove_session(const char *folder)
{
    char path[TEST_FOLDER_MAX + 32];

    for ( unsigned int i = 0; i < 3; i++ )
    {
        snprintf(path, sizeof(path), "%s/DATA.%04u", folder, i);
        unlink(path);
    }
    rmdir(folder);
}

/* Merges; result is then of the session that was made, or, if that failed, of
 * none. */
static void merge_with(const struct merge_scene *scene)
{
    struct merge_wanted wanted = {.domain = NULL};
    struct failure failure = {.status = STATUS_DONE};
    struct import_folder made = {NULL};
    char folder[TEST_FOLDER_MAX], host[TEST_FOLDER_MAX + 16],
        guest[TEST_FOLDER_MAX + 16], text[TEST_FOLDER_MAX + 32];
    char *said = NULL;

    test_make_folder(folder, "xenoprof-merge-XXXXXX");
    snprintf(host, sizeof(host), "%s/host", folder);
    snprintf(guest, sizeof(guest), "%s/perf", folder);
    find_program();
    dl_iterate_phdr(find_offsets, NULL);
    tell_story(scene->steady, 1);
    make_host(host, scene);
    if ( scene->other_story )
        tell_story(false, 77);
    make_guest(guest, scene);
    memset(&result, 0, sizeof(result));
    snprintf(text, sizeof(text), "%s:%s", scene->domain ? scene->domain : "web",
             guest);
    CHECK(!merge_wanted_take(&wanted, text, scene->offset, &failure));
    result.status = merge_session(&made, host, &wanted, &said, &failure);
    snprintf(result.text, sizeof(result.text), "%s",
             said ? said : failure.text);
    if ( !result.status )
        read_session(made.path);
    import_folder_remove(&made);
    merge_wanted_free(&wanted);
    free(said);
    unlink(guest);
    remove_session(host);
    rmdir(folder);
}

/* The same sums of the session without a merge. */
static void read_plain(struct merge_result *ret)
{
    const struct merge_scene plain = {.tids = 0};
    char folder[TEST_FOLDER_MAX], host[TEST_FOLDER_MAX + 16];

    test_make_folder(folder, "xenoprof-merge-XXXXXX");
    snprintf(host, sizeof(host), "%s/host", folder);
    find_program();
    dl_iterate_phdr(find_offsets, NULL);
    tell_story(false, 1);
    make_host(host, &plain);
    memset(&result, 0, sizeof(result));
    read_session(host);
    remove_session(host);
    rmdir(folder);
    *ret = result;
}

static double offset_said(void)
{
    const char *at = strstr(result.text, "perf's and ");

    CHECK(at);
    return strtod(at + strlen("perf's and "), NULL);
}

static void check_named(void)
{
    CHECK_EQ(result.status, STATUS_DONE);
    CHECK(result.noted);
    CHECK_EQ(result.wrong, 0);
    CHECK_EQ(result.others, 0);
    CHECK_EQ(result.right + result.nameless, result.web);
    CHECK(result.nameless * 8 < result.web);
    CHECK(result.nameless * 32 > result.web);
}

TEST(threads_tell_the_offset_and_maps_the_names)
{
    const struct merge_scene scene = {.tids = 0};

    merge_with(&scene);
    check_named();
    CHECK(offset_said() > 123.446 && offset_said() < 123.467);
    CHECK(strstr(result.text, "by when threads ran"));
}

TEST(samples_times_and_sums_stay)
{
    const struct merge_scene scene = {.tids = 0};
    struct merge_result plain;

    read_plain(&plain);
    CHECK_EQ(plain.right, 0);
    CHECK(plain.web > 1000);
    merge_with(&scene);
    CHECK_EQ(result.samples, plain.samples);
    CHECK_EQ(result.web, plain.web);
    CHECK_EQ(result.count, plain.count);
    CHECK_EQ(result.times, plain.times);
}

/* perf recorded half of the time: what lies outside of it has names alone. */
TEST(callers_are_lent_where_perf_sampled)
{
    const struct merge_scene scene = {.tids = 0, .offset = "123.456789"};

    merge_with(&scene);
    check_named();
    CHECK(result.borrowed * 10 > result.web * 3);
    CHECK(result.borrowed * 10 < result.web * 6);
}

TEST(an_offset_that_is_given_is_used)
{
    const struct merge_scene scene = {.offset = "200", .steady = true};

    merge_with(&scene);
    CHECK_EQ(result.status, STATUS_DONE);
    CHECK(offset_said() == 200);
    CHECK(strstr(result.text, "as it was given"));
    CHECK(strstr(result.text, "no vCPU was sampled by both"));
    CHECK_EQ(result.borrowed, 0);
}

TEST(a_thread_that_runs_on_needs_an_offset)
{
    const struct merge_scene scene = {.steady = true};

    merge_with(&scene);
    CHECK_EQ(result.status, STATUS_NO_SYMBOL);
    CHECK(strstr(result.text, "give --merge-offset=SECONDS"));
}

/* Names do not need it exactly; callers would. */
TEST(or_the_time_of_day)
{
    const struct merge_scene scene = {.steady = true, .utc = UTC + 3 * MS};

    merge_with(&scene);
    check_named();
    CHECK(offset_said() > 123.45 && offset_said() < 123.46);
    CHECK(strstr(result.text, "by both times of day alone"));
    CHECK_EQ(result.borrowed, 0);
}

TEST(which_threads_make_exact)
{
    const struct merge_scene scene = {.utc = UTC + 2 * S};

    merge_with(&scene);
    check_named();
    CHECK(offset_said() > 123.446 && offset_said() < 123.467);
    CHECK(strstr(result.text, "by both times of day, and when threads ran"));
}

TEST(files_of_others_are_refused)
{
    const struct merge_scene strangers = {.tids = 50};
    const struct merge_scene text = {.bytes = "main;work 12\n"};
    const struct merge_scene cut = {.bytes = "PERFILE2"};
    const struct merge_scene nobody = {.nobody = true};
    const struct merge_scene domain = {.domain = "mail"};

    merge_with(&strangers);
    CHECK_EQ(result.status, STATUS_NO_SYMBOL);
    CHECK(strstr(result.text, "no thread of "));
    merge_with(&text);
    CHECK_EQ(result.status, STATUS_BAD_SESSION);
    CHECK(strstr(result.text, "is not a perf.data"));
    merge_with(&cut);
    CHECK_EQ(result.status, STATUS_BAD_SESSION);
    merge_with(&nobody);
    CHECK_EQ(result.status, STATUS_NO_SYMBOL);
    CHECK(strstr(result.text, "says which thread ran"));
    merge_with(&domain);
    CHECK_EQ(result.status, STATUS_NO_DOMAIN);
    CHECK(strstr(result.text, "it has web, db"));
}

/* The time of day says when, but other threads ran then. */
TEST(another_story_is_refused)
{
    const struct merge_scene scene = {.other_story = true, .utc = UTC};
    const struct merge_scene without = {.other_story = true};

    merge_with(&scene);
    CHECK_EQ(result.status, STATUS_NO_SYMBOL);
    CHECK(strstr(result.text, "as chance would have it"));
    merge_with(&without);
    CHECK_EQ(result.status, STATUS_NO_SYMBOL);
    CHECK(strstr(result.text, "give --merge-offset=SECONDS"));
}

/* The same numbers, but other threads: a number may be given out again. */
TEST(a_thread_with_another_name_is_another)
{
    const struct merge_scene scene = {.other_name = true};

    merge_with(&scene);
    CHECK_EQ(result.status, STATUS_DONE);
    CHECK_EQ(result.right, 0);
}

TEST(options_are_checked)
{
    static const char *const wrong[][2] = {
        {"web", NULL}, {":file", NULL},     {"web:", NULL},
        {NULL, "3"},   {"web:file", "now"}, {"web:file", "1e300"},
    };

    for ( size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++ )
    {
        struct merge_wanted wanted = {.domain = NULL};
        struct failure failure = {.status = STATUS_DONE};

        CHECK_EQ(merge_wanted_take(&wanted, wrong[i][0], wrong[i][1], &failure),
                 STATUS_USAGE);
        merge_wanted_free(&wanted);
    }
}
