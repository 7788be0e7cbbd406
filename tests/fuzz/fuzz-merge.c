/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a guest's perf.data, with any offset: the host's samples stay as
 * many as they were. */
#include "import-fuzz.h"
#include "report/merge/merge.h"
#include "tests/unit/report/import/perf/perf-kit.h"

#define SAMPLES 200u

static char host_path[80], guest_path[64];

static void remove_host(void)
{
    char path[96];

    snprintf(path, sizeof(path), "%s/DATA.0000", host_path);
    unlink(path);
    rmdir(host_path);
    unlink(guest_path);
}

/* Threads 7 and 8, of the example's, in turn, in its code and elsewhere. */
static void put_sample(struct xenoprof_writer *writer, unsigned int number)
{
    const uint32_t tid = 7 + (number / 9 & 1);
    const struct xenoprof_stored sample = {
        .time = 10000000000 + number,
        .period = 1,
        .weight = 1,
        .domain = 5,
        .vcpu = 1,
        .mode = XENOPROF_MODE_USER,
        .thread = {.pid = tid, .tid = tid, .comm = "web"}};
    const struct xenoprof_place place = {
        .domain = 5,
        .mode = XENOPROF_MODE_USER,
        .address = 0x401010 + (number % 5 ? 0 : 0x1000 * number)};
    uint32_t places[2];

    FUZZ_CHECK(!xenoprof_writer_place(writer, &place, &places[0]));
    places[1] = places[0];
    FUZZ_CHECK(
        !xenoprof_writer_sample(writer, &sample, places, 1 + number % 2));
}

static void make_host(void)
{
    static const uint8_t uuid[16] = {1};
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_writer *writer;

    import_fuzz_begin(guest_path);
    snprintf(host_path, sizeof(host_path), "%s-host", guest_path);
    FUZZ_CHECK(!xenoprof_writer_create(handle, host_path, &writer));
    FUZZ_CHECK(!xenoprof_writer_attribute(writer, 10000000000, "utc",
                                          "1795000000000000000"));
    FUZZ_CHECK(!xenoprof_writer_domain(writer, 10000000000, 5, uuid, "web",
                                       "passive"));
    for ( unsigned int i = 0; i < SAMPLES; i++ )
        put_sample(writer, i);
    FUZZ_CHECK(!xenoprof_writer_close(writer, 10000001000));
    xenoprof_writer_destroy(writer);
    xenoprof_close(handle);
    atexit(remove_host);
}

static unsigned int count_samples(const char *path)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_session *session;
    struct xenoprof_item item;
    unsigned int count = 0;

    FUZZ_CHECK(!xenoprof_session_open(handle, path, &session));
    while ( !xenoprof_session_next(session, &item) )
        count += item.kind == XENOPROF_ITEM_SAMPLE;
    xenoprof_session_close(session);
    xenoprof_close(handle);
    return count;
}

/* The first byte says whether there is an offset. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct merge_wanted wanted = {.has_offset = size && data[0] & 1,
                                  .offset = size ? data[0] / 2 - 60 : 0};
    struct failure failure = {.status = STATUS_DONE};
    struct import_folder folder = {.path = NULL};
    char *said = NULL;
    int fd;

    if ( !*host_path )
        make_host();
    fd = open(guest_path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    FUZZ_CHECK(fd >= 0 && (size < 2 ||
                           write(fd, data + 1, size - 1) == (ssize_t)size - 1));
    close(fd);
    wanted.domain = strdup("web");
    wanted.file = strdup(guest_path);
    if ( merge_session(&folder, host_path, &wanted, &said, &failure) )
        FUZZ_CHECK(*failure.text && !said);
    else
        FUZZ_CHECK(said && count_samples(folder.path) == SAMPLES);
    import_folder_remove(&folder);
    merge_wanted_free(&wanted);
    free(said);
    return 0;
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static void (*const makers[])(const struct perf_kit *kit,
                                  struct buffer *ret) = {
        perf_kit_file, perf_kit_pipe, perf_kit_packed};
    struct perf_kit kit = {.stacks = number / 2 % 2, .utc = number / 4 % 2};
    struct buffer file = {0};
    size_t size;

    if ( number >= 8 )
        return 0;
    perf_kit_example(&kit);
    makers[number % 3](&kit, &file);
    bytes[0] = (uint8_t)(120 + number % 2);
    size = file.used + 1;
    memcpy(bytes + 1, file.bytes, file.used);
    buffer_free(&file);
    perf_kit_free(&kit);
    return size;
}
