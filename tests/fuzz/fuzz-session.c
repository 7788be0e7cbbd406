/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions.  The first byte of an input says what the rest is: 0, a file as it
 * is on disk; else parts of blocks, whose headers and checksums are made here,
 * since no fuzzer would find them.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libxenoprof/session/session-block.h"
#include "libxenoprof.h"
#include "fuzz.h"

static struct xenoprof_handle *handle;
static int file = -1;
static bool who_only;             /* is read now */
static volatile uint64_t touched; /* so that nothing that is read is left out */

static void put_file(const void *bytes, size_t size)
{
    if ( file < 0 )
        file = memfd_create("session", MFD_CLOEXEC);
    FUZZ_CHECK(file >= 0 && !ftruncate(file, 0));
    FUZZ_CHECK(pwrite(file, bytes, size, 0) == (ssize_t)size);
}

/* What stands before the parts of a block: lost says that the block before it
 * is. */
struct parts_head {
    uint16_t tables, samples, rows;
    uint8_t flags, lost;
};

static void add_block(struct buffer *whole, const struct parts_head *head,
                      const uint8_t *parts, uint64_t sequence)
{
    struct session_block_header header = {
        .sequence = sequence, .flags = head->flags, .samples = head->rows};
    const struct buffer tables = {(uint8_t *)parts, head->tables, 0};
    const struct buffer samples = {(uint8_t *)parts + head->tables,
                                   head->samples, 0};

    session_block_seal(&header, &tables, &samples);
    FUZZ_CHECK(buffer_append(whole, &header, sizeof(header)) &&
               buffer_append(whole, parts, head->tables + head->samples));
}

static void put_parts(const uint8_t *bytes, size_t size)
{
    struct buffer whole = {NULL, 0, 0};
    struct session_file_header header;
    struct parts_head head;
    uint64_t sequence = 0;

    file_header_init(&header, 0, 1);
    FUZZ_CHECK(buffer_append(&whole, &header, sizeof(header)));
    while ( size >= sizeof(head) )
    {
        memcpy(&head, bytes, sizeof(head));
        bytes += sizeof(head);
        size -= sizeof(head);
        if ( (size_t)head.tables + head.samples > size )
            break;
        sequence += 1 + (head.lost & 1);
        add_block(&whole, &head, bytes, sequence);
        bytes += head.tables + head.samples;
        size -= head.tables + head.samples;
    }
    put_file(whole.bytes, whole.used);
    buffer_free(&whole);
}

static uint64_t look_at_columns(const struct xenoprof_samples *samples)
{
    uint64_t sum = 0;

    FUZZ_CHECK(samples->count);
    FUZZ_CHECK(!samples->vcpus == !samples->pcpus);
    for ( size_t i = 0; i < samples->count; i++ )
    {
        FUZZ_CHECK(samples->whos[i] < samples->who_count);
        FUZZ_CHECK(who_only || samples->calls[i] < samples->call_count);
        FUZZ_CHECK(samples->who[samples->whos[i]].mode < XENOPROF_MODES);
        sum += samples->times ? samples->times[i] : samples->first;
        sum += samples->ticks ? samples->ticks[i] : samples->seconds[i];
        sum += who_only ? 0 : samples->call[samples->calls[i]].place;
        sum += samples->vcpus ? samples->vcpus[i] + samples->pcpus[i] : 0;
    }
    return sum;
}

static uint64_t look_at_function(const struct xenoprof_function *function)
{
    FUZZ_CHECK(function->mode < XENOPROF_MODE_IDLE);
    return strlen(function->image) + strlen(function->symbol);
}

static uint64_t look_at_code(const struct xenoprof_code *code)
{
    uint64_t sum = look_at_function(&code->function) + strlen(code->file);

    FUZZ_CHECK(code->size && code->size <= XENOPROF_CODE_MAX &&
               code->length <= code->size && code->from < XENOPROF_CODE_FROMS);
    for ( uint32_t i = 0; i < code->size; i++ )
        sum += code->bytes[i];
    return sum;
}

static uint64_t look_at_instruction(
    const struct xenoprof_instruction *instruction)
{
    FUZZ_CHECK(instruction->offset < XENOPROF_CODE_MAX &&
               instruction->line <= INT32_MAX &&
               (!instruction->line || *instruction->path));
    return look_at_function(&instruction->function) +
           strlen(instruction->path) + strlen(instruction->name);
}

/* Touch all that a reader is given. */
static uint64_t look(const struct xenoprof_item *item)
{
    const struct xenoprof_place *place = &item->u.place.place;
    uint64_t sum = 0;

    switch ( item->kind )
    {
    case XENOPROF_ITEM_ATTRIBUTE:
        return strlen(item->u.attribute.key) + strlen(item->u.attribute.value);
    case XENOPROF_ITEM_DOMAIN:
        return strlen(item->u.domain.name) + strlen(item->u.domain.kind);
    case XENOPROF_ITEM_PLACE:
        FUZZ_CHECK(item->u.place.number && place->mode < XENOPROF_MODES);
        return (place->image ? strlen(place->image) : 0) +
               (place->symbol ? strlen(place->symbol) : 0);
    case XENOPROF_ITEM_STACK:
        FUZZ_CHECK(item->u.stack.number && item->u.stack.count);
        for ( size_t i = 0; i < item->u.stack.count; i++ )
            sum += item->u.stack.places[i];
        return sum;
    case XENOPROF_ITEM_LINE:
        FUZZ_CHECK(item->u.line.place && item->u.line.line &&
                   item->u.line.line <= INT32_MAX && *item->u.line.path);
        return strlen(item->u.line.path);
    case XENOPROF_ITEM_CODE: return look_at_code(&item->u.code);
    case XENOPROF_ITEM_INSTRUCTION:
        return look_at_instruction(&item->u.instruction);
    case XENOPROF_ITEM_SOURCE:
        FUZZ_CHECK(item->u.source.line && item->u.source.line <= INT32_MAX &&
                   *item->u.source.path);
        return look_at_function(&item->u.source.function) +
               strlen(item->u.source.text);
    case XENOPROF_ITEM_SAMPLES: return look_at_columns(&item->u.samples);
    case XENOPROF_ITEM_SAMPLE:
        FUZZ_CHECK(item->u.sample.mode < XENOPROF_MODES);
        return item->u.sample.place;
    default: return item->time;
    }
}

typedef enum xenoprof_status next_fn(struct xenoprof_session *session,
                                     struct xenoprof_item *ret);

/* Returns what all that is read amounts to, how it ends included. */
static uint64_t read_session(next_fn *next, unsigned int threads)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    enum xenoprof_status status;
    uint64_t sum = 0;
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    if ( xenoprof_session_open(handle, path, &session) )
    {
        FUZZ_CHECK(*xenoprof_message(handle));
        return 0;
    }
    xenoprof_session_threads(session, threads);
    while ( (status = next(session, &item)) != XENOPROF_END )
    {
        sum = sum * 31 + status + (status ? 0 : look(&item));
        if ( status )
            FUZZ_CHECK(status == XENOPROF_DAMAGED || status == XENOPROF_NEWER);
        if ( status == XENOPROF_NEWER )
            break;
    }
    xenoprof_session_close(session);
    return sum;
}

static enum xenoprof_status next_leaves(struct xenoprof_session *session,
                                        struct xenoprof_item *ret)
{
    xenoprof_session_leaves_only(session);
    xenoprof_session_without_times(session);
    return xenoprof_session_next_columns(session, ret);
}

static enum xenoprof_status next_functions(struct xenoprof_session *session,
                                           struct xenoprof_item *ret)
{
    xenoprof_session_leaves_only(session);
    xenoprof_session_functions_only(session);
    xenoprof_session_pcpus_apart(session);
    return xenoprof_session_next_columns(session, ret);
}

static enum xenoprof_status next_sums(struct xenoprof_session *session,
                                      struct xenoprof_item *ret)
{
    xenoprof_session_who_only(session);
    xenoprof_session_sums(session);
    return xenoprof_session_next_columns(session, ret);
}

/* Few, and each says that it is one. */
static bool kinds_of(void *argument, uint32_t file,
                     const struct xenoprof_kind_node *nodes, size_t count,
                     uint32_t *ret)
{
    (void)file;
    FUZZ_CHECK(argument == &handle);
    for ( size_t i = 0; i < count; i++ )
    {
        FUZZ_CHECK(!nodes[i].parent || nodes[i].parent % 64 == 1);
        ret[i] = (nodes[i].place + nodes[i].parent) % 1000 * 64 + 1;
    }
    return true;
}

static enum xenoprof_status next_kinds(struct xenoprof_session *session,
                                       struct xenoprof_item *ret)
{
    xenoprof_session_kinds_only(session, kinds_of, &handle);
    xenoprof_session_functions_only(session);
    return xenoprof_session_next_columns(session, ret);
}

static const char *copy_folder(void)
{
    static char folder[64];

    snprintf(folder, sizeof(folder), "%s/xenoprof-copy-%d",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (int)getpid());
    return folder;
}

/* Puts all items into a copy, up to one that it does not take.  Returns how
 * many samples it has. */
static uint64_t put_all(struct xenoprof_session *session,
                        struct xenoprof_copy *copy)
{
    struct xenoprof_item item;
    enum xenoprof_status status;
    uint64_t samples = 0;

    while ( (status = xenoprof_session_next(session, &item)) != XENOPROF_END )
    {
        if ( status == XENOPROF_NEWER )
            break;
        if ( status )
            continue;
        status = xenoprof_copy_put(copy, &item);
        FUZZ_CHECK(!status || status == XENOPROF_INVALID ||
                   status == XENOPROF_NO_MEMORY);
        if ( status )
            break;
        samples += item.kind == XENOPROF_ITEM_SAMPLE;
    }
    return samples;
}

/* What is copied is sound, whatever it was copied from. */
static void check_copy(const char *path, uint64_t samples)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    enum xenoprof_status status;

    FUZZ_CHECK(!xenoprof_session_open(handle, path, &session));
    while ( (status = xenoprof_session_next(session, &item)) != XENOPROF_END )
    {
        FUZZ_CHECK(!status);
        samples -= item.kind == XENOPROF_ITEM_SAMPLE;
    }
    FUZZ_CHECK(!samples);
    xenoprof_session_close(session);
}

static void copy_session(void)
{
    struct xenoprof_session *session;
    struct xenoprof_copy *copy;
    char path[128];
    uint64_t samples;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    if ( xenoprof_session_open(handle, path, &session) )
        return;
    FUZZ_CHECK(!xenoprof_copy_create(handle, session, copy_folder(), &copy));
    samples = put_all(session, copy);
    FUZZ_CHECK(!xenoprof_copy_end(copy));
    xenoprof_copy_destroy(copy);
    xenoprof_session_close(session);
    snprintf(path, sizeof(path), "%s/DATA.0000", copy_folder());
    check_copy(path, samples);
    FUZZ_CHECK(!unlink(path) && !rmdir(copy_folder()));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if ( !handle )
        handle = xenoprof_open();
    if ( !size )
        return 0;
    if ( *data )
        put_parts(data + 1, size - 1);
    else
        put_file(data + 1, size - 1);
    touched += read_session(xenoprof_session_next, 0);
    copy_session();
    touched += read_session(next_leaves, 0);
    touched += read_session(next_functions, 0);
    touched += read_session(next_kinds, 0);
    who_only = true;
    touched += read_session(next_sums, 0);
    who_only = false;
    FUZZ_CHECK(read_session(xenoprof_session_next_columns, 0) ==
               read_session(xenoprof_session_next_columns, 1));
    return 0;
}

/* Their numbers are valid in one file. */
static void put_places(struct xenoprof_writer *writer, uint32_t places[2])
{
    struct xenoprof_place place = {.domain = 5,
                                   .mode = XENOPROF_MODE_KERNEL,
                                   .address = 0xffffffff81000123,
                                   .image = "kernel",
                                   .symbol = "schedule",
                                   .symbol_start = 0xffffffff81000100};

    xenoprof_writer_place(writer, &place, &places[0]);
    place.address += 64;
    place.symbol = NULL;
    xenoprof_writer_place(writer, &place, &places[1]);
    for ( unsigned int i = 0; i < 2; i++ )
        xenoprof_writer_line(writer, &(struct xenoprof_line){
                                         places[i], i + 7, "/src/schedule.c"});
}

/* Samples that are not of time. */
static void write_types(struct xenoprof_writer *writer,
                        const struct xenoprof_stored *sample)
{
    struct xenoprof_stored other = *sample;

    xenoprof_writer_type(writer, XENOPROF_TYPE_EVENT,
                         &(struct xenoprof_type){
                             .name = "cycles", .unit = "cycles", .period = 99});
    for ( other.type = 1; other.type <= XENOPROF_TYPE_EVENT; other.type++ )
    {
        other.count = 1000;
        xenoprof_writer_sample(writer, &other, NULL, 0);
    }
    xenoprof_writer_measured(
        writer, 3000,
        &(struct xenoprof_measured){
            .type = XENOPROF_TYPE_EVENT, .enabled = 70, .running = 60});
}

/* Of a function that samples have. */
static void write_code(struct xenoprof_writer *writer)
{
    static const uint8_t bytes[] = {0x55, 0x90, 0xe8, 0, 1, 0, 0, 0xc3};
    const struct xenoprof_function schedule = {.start = 0xffffffff81000100,
                                               .image = "kernel",
                                               .symbol = "schedule",
                                               .domain = 5,
                                               .mode = XENOPROF_MODE_KERNEL};

    xenoprof_writer_code(writer,
                         &(struct xenoprof_code){schedule, bytes, sizeof(bytes),
                                                 XENOPROF_CODE_CHECKED,
                                                 "/boot/vmlinux", 4});
    for ( uint32_t i = 0; i < 3; i++ )
        xenoprof_writer_instruction(
            writer, &(struct xenoprof_instruction){.function = schedule,
                                                   .offset = i,
                                                   .line = 7 + i,
                                                   .path = "/src/schedule.c",
                                                   .name = i ? "f" : "",
                                                   .plus = i});
    xenoprof_writer_source(writer, &(struct xenoprof_source_line){
                                       schedule, 7, "/src/schedule.c", "{"});
}

/* One of each kind of item. */
static void write_items(struct xenoprof_writer *writer)
{
    const uint8_t uuid[16] = {5, 6, 7};
    struct xenoprof_counters counters = {.made = 100, .lost = {1, 2}};
    struct xenoprof_ring_info ring = {.ring = 3, .size = 4096, .uuid = {5}};
    struct xenoprof_stored sample = {.time = 1000, .mode = 1, .weight = 1};
    uint32_t places[2];

    xenoprof_writer_attribute(writer, 1, "utc", "12345");
    xenoprof_writer_domain(writer, 2, 5, uuid, "web", "passive");
    put_places(writer, places);
    for ( unsigned int i = 0; i < 8; i++ )
    {
        sample.time += 1003009;
        sample.marks = i / 2;
        sample.domain = i / 4;
        xenoprof_writer_sample(writer, &sample, places + i % 2, 2 - i % 2);
        if ( i == 5 )
            xenoprof_writer_flush(writer);
    }
    xenoprof_writer_ring(writer, &ring, 50, 1, 0);
    xenoprof_writer_counters(writer, 3000, &counters);
    xenoprof_writer_idle(writer, 3000, 1, 12345678);
    xenoprof_writer_cost(writer, 3000, &(struct xenoprof_cost){70, 80});
    xenoprof_writer_wait(
        writer, 3000000,
        &(struct xenoprof_waited){
            .domain = 5, .vcpu = 1, .span = 1000000, .running = 500000});
    xenoprof_writer_latency(
        writer, 3000000,
        &(struct xenoprof_latency){
            .domain = 5, .by = 5, .bucket = 7, .count = 2, .sum = 200000});
    xenoprof_writer_exits(
        writer, 3000000,
        &(struct xenoprof_exits){
            .domain = 5,
            .entry = {.code = 0x78, .kind = XENOPROF_ENTRY_SVM},
            .count = 3,
            .in_xen = 5000});
    write_types(writer, &sample);
    write_code(writer);
    xenoprof_writer_rotate(writer);
    /* The second file begins with what was known, and a sum of rings. */
    xenoprof_writer_ring_ended(writer, &ring);
    put_places(writer, places);
    xenoprof_writer_sample(writer, &sample, places, 2);
    xenoprof_writer_rotate(writer);
    put_places(writer, places);
    xenoprof_writer_sample(writer, &sample, places, 2);
    xenoprof_writer_close(writer, 4000);
}

/* A file of a session of three. */
static size_t session_file(unsigned int number, uint8_t *bytes)
{
    char folder[] = "/tmp/xenoprof-fuzz-XXXXXX", path[64];
    struct xenoprof_writer *writer;
    ssize_t size = 0;
    int data;

    handle = handle ? handle : xenoprof_open();
    FUZZ_CHECK(mkdtemp(folder));
    FUZZ_CHECK(!xenoprof_writer_create(handle, folder, &writer));
    write_items(writer);
    xenoprof_writer_destroy(writer);
    for ( unsigned int i = 0; i < 3; i++ )
    {
        snprintf(path, sizeof(path), "%s/DATA.%04u", folder, i);
        data = open(path, O_RDONLY);
        if ( i == number )
            size = read(data, bytes, FUZZ_MAX);
        close(data);
        unlink(path);
    }
    FUZZ_CHECK(size > 0 && !rmdir(folder));
    return (size_t)size;
}

/* The parts of its blocks. */
static size_t session_parts(unsigned int number, uint8_t *bytes)
{
    static uint8_t whole[FUZZ_MAX];
    size_t size = session_file(number, whole), used = 0;
    size_t at = sizeof(struct session_file_header);

    while ( at + sizeof(struct session_block_header) <= size )
    {
        struct session_block_header header;
        struct parts_head head;

        memcpy(&header, whole + at, sizeof(header));
        at += sizeof(header);
        head = (struct parts_head){
            (uint16_t)header.tables_size, (uint16_t)header.samples_size,
            (uint16_t)header.samples, (uint8_t)header.flags, 0};
        memcpy(bytes + used, &head, sizeof(head));
        used += sizeof(head);
        memcpy(bytes + used, whole + at, head.tables + head.samples);
        used += head.tables + head.samples;
        at += head.tables + head.samples;
    }
    return used;
}

/* A file with nothing in it but the beginnings of blocks. */
static size_t magic_flood(uint8_t *bytes)
{
    struct session_file_header header;
    const uint32_t magic = SESSION_BLOCK_MAGIC;
    size_t size = sizeof(header);

    file_header_init(&header, 0, 1);
    memcpy(bytes, &header, sizeof(header));
    for ( ; size < 3000; size += sizeof(magic) )
        memcpy(bytes + size, &magic, sizeof(magic));
    return size;
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const uint8_t kinds[] = {0, 2, 0, 0, 2, 2};

    if ( number >= sizeof(kinds) )
        return 0;
    bytes[0] = kinds[number];
    switch ( number )
    {
    case 0: return 1 + session_file(0, bytes + 1);
    case 1: return 1 + session_parts(0, bytes + 1);
    case 2: return 1 + magic_flood(bytes + 1);
    case 3: return 1 + session_file(2, bytes + 1);
    case 4: return 1 + session_parts(2, bytes + 1);
    default: return 1 + session_parts(1, bytes + 1);
    }
}

/* libFuzzer's first inputs. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t limit)
    __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit,
                               unsigned int random);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit,
                               unsigned int random)
{
    static uint8_t seed[FUZZ_MAX];
    size_t length;

    if ( size > 16 )
        return LLVMFuzzerMutate(data, size, limit);
    length = fuzz_seed(random % 6, seed);
    if ( length > limit )
        return size;
    memcpy(data, seed, length);
    return length;
}
