/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge-guest.h"

#include "base/must.h"
#include "report/import/perf/perf-chain.h"
#include "report/import/perf/perf-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANONYMOUS   "//anon"   /* as perf calls memory without a file */
#define NOT_USER    UINT32_MAX /* a place that is not a process's */
#define HALF_UNSAID 5000000u   /* ns: perf's, of about 100 Hz */
#define HALF_LEAST  25000u
#define HALF_MOST   250000000u

/* The same chain in the same processes has the same names. */
struct naming_row {
    struct {
        uint64_t space;
        uint32_t chain, zero;
    } key;
    uint32_t named;
};

/* A file that processes have mapped, by the name that the host has for it. */
struct merge_mapped {
    struct {
        uint64_t space;
        uint32_t name, zero;
    } key;
    uint32_t file; /* of perf_files + 1; 0: they have not */
};

/* A file that is read. */
struct guest_work {
    struct perf_reader reader;
    struct merge_guest *guest;
    struct merge_host *host;
    int64_t offset;
    size_t *order; /* samples of the host that are to be named, by time */
    size_t count, next;
    size_t sample; /* of the guest, that comes next */
    struct table rows;
    struct table mapped; /* struct merge_mapped */
    struct perf_chains chains;
    struct perf_chain chain; /* large */
};

enum exit_status merge_guest_open(struct merge_guest *guest, const char *path,
                                  struct failure *failure)
{
    struct import_head head = {.size = 0};
    struct stat state;
    ssize_t got;

    guest->file = (struct import_file){.path = path, .name = path};
    guest->file.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    names_init(&guest->names);
    table_init(&guest->places, sizeof(((struct merge_place *)0)->key),
               sizeof(struct merge_place));
    merge_chains_init(&guest->chains);
    if ( guest->file.fd < 0 || fstat(guest->file.fd, &state) )
        return fail(failure, STATUS_BAD_SESSION,
                    "--merge: %s cannot be read: %m", path);
    got = pread(guest->file.fd, head.bytes, PERF_MAGIC_SIZE, 0);
    head.size = got > 0 ? (size_t)got : 0;
    if ( !S_ISREG(state.st_mode) || !is_perf(&head) )
        return fail(failure, STATUS_BAD_SESSION,
                    "--merge: %s is not a perf.data: give the file that perf "
                    "record wrote in the guest",
                    path);
    guest->file.size = (uint64_t)state.st_size;
    return STATUS_DONE;
}

void merge_guest_close(struct merge_guest *guest)
{
    if ( guest->file.fd >= 0 )
        close(guest->file.fd);
    vector_free(&guest->samples);
    names_free(&guest->names);
    table_free(&guest->places);
    merge_chains_free(&guest->chains);
}

static int compare_cpus(const void *left, const void *right)
{
    const struct merge_guest_sample *one = left, *other = right;

    if ( one->cpu != other->cpu )
        return one->cpu < other->cpu ? -1 : 1;
    return one->time < other->time ? -1 : one->time > other->time;
}

static int compare_spans(const void *left, const void *right)
{
    const uint64_t one = *(const uint64_t *)left,
                   other = *(const uint64_t *)right;

    return one < other ? -1 : one > other;
}

/* Half of the time that is usual from one sample of a CPU to the next. */
static uint64_t usual_half(const struct merge_guest *guest)
{
    const size_t count = guest->samples.count;
    struct merge_guest_sample *sorted;
    uint64_t *spans, half = HALF_UNSAID;
    size_t known = 0;

    if ( count < 2 )
        return half;
    sorted = must(malloc(count * sizeof(*sorted)));
    spans = must(malloc(count * sizeof(*spans)));
    memcpy(sorted, guest->samples.items, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_cpus);
    for ( size_t i = 1; i < count; i++ )
        if ( sorted[i].cpu == sorted[i - 1].cpu )
            spans[known++] = sorted[i].time - sorted[i - 1].time;
    qsort(spans, known, sizeof(*spans), compare_spans);
    if ( known )
        half = spans[known / 2] / 2;
    free(sorted);
    free(spans);
    half = half < HALF_LEAST ? HALF_LEAST : half;
    return half > HALF_MOST ? HALF_MOST : half;
}

static void note_sample(void *argument, const struct perf_record *record,
                        const struct perf_data_sample *sample)
{
    struct guest_work *work = argument;
    struct merge_guest *guest = work->guest;
    const struct perf_when *when = &sample->when;
    struct merge_guest_sample *noted;

    (void)record;
    if ( !when->timed || !when->time || when->time >= CLOCK_TIME_MAX )
        return;
    noted = must(vector_add(&guest->samples));
    noted->time = when->time;
    noted->tid = when->tid;
    noted->cpu = when->cpu;
    if ( guest->samples.count == 1 || when->time < guest->first )
        guest->first = when->time;
    if ( when->time > guest->last )
        guest->last = when->time;
}

/* No such file is read to its end. */
static const char *own_name(void *argument, uint32_t pid, const char *comm)
{
    struct guest_work *work = argument;

    (void)pid;
    (void)comm;
    fail(work->reader.failure, STATUS_BAD_SESSION,
         "--merge: xenopreport wrote %s: give the file that perf record wrote "
         "in the guest",
         work->guest->file.path);
    return NULL;
}

enum exit_status merge_guest_read(struct merge_guest *guest,
                                  struct failure *failure)
{
    static const struct perf_reader_calls calls = {.sample = note_sample,
                                                   .own_name = own_name};
    struct guest_work *work = must(calloc(1, sizeof(*work)));

    work->guest = guest;
    perf_reader_init(&work->reader, &guest->file, &calls, work, failure);
    if ( !perf_reader_run(&work->reader) && !guest->samples.count )
        fail(failure, STATUS_BAD_SESSION,
             "--merge: samples of %s have no times: record it without "
             "--no-timestamp",
             guest->file.path);
    guest->utc = work->reader.about.utc;
    guest->utc_at = work->reader.about.utc_at;
    perf_reader_free(&work->reader);
    free(work);
    guest->half = usual_half(guest);
    return failure->status;
}

struct clock_moments merge_guest_moments(const struct merge_guest *guest)
{
    struct clock_moments moments = {
        .items = must(
            calloc(guest->samples.count + 1, sizeof(*moments.items)))};

    for ( size_t i = 0; i < guest->samples.count; i++ )
    {
        const struct merge_guest_sample *sample = &guest->samples.items[i];

        if ( sample->tid )
            moments.items[moments.count++] = (struct clock_moment){
                sample->time, sample->tid, (uint32_t)guest->half};
    }
    return moments;
}

/* Numbers a place; of a process alone. */
static uint32_t take_guest_place(void *argument,
                                 const struct xenoprof_place *place)
{
    struct guest_work *work = argument;
    struct merge_guest *guest = work->guest;
    struct merge_place row = {
        .key = {.address = place->address, .start = place->symbol_start}};

    if ( place->mode != XENOPROF_MODE_USER )
        return NOT_USER;
    must_do(names_add(&guest->names, place->image, &row.key.image));
    must_do(names_add(&guest->names, place->symbol, &row.key.symbol));
    return (uint32_t)table_index(&guest->places,
                                 must(table_put(&guest->places, &row.key))) +
           1;
}

/* Code that is in no file stays an address. */
static uint32_t name_address(struct guest_work *work,
                             const struct perf_space *space, uint64_t address)
{
    const struct perf_where where = {.space = space,
                                     .mode = XENOPROF_MODE_USER};
    const struct perf_data_map *map = perf_space_find(space, address);

    return map && strncmp(perf_files_path(&work->reader.files, map->file),
                          ANONYMOUS, strlen(ANONYMOUS))
               ? perf_place(work->chains.places, &where, address)
               : 0;
}

/* Returns the number that perf's file of a name has + 1, or 0: nothing of it is
 * mapped there. */
static uint32_t look_for_file(const struct guest_work *work,
                              const struct perf_space *space, uint32_t name)
{
    const char *path = names_text(&work->host->names, name);

    for ( size_t i = 0; i < space->maps.count; i++ )
        if ( !strcmp(perf_files_path(&work->reader.files,
                                     space->maps.items[i].file),
                     path) )
            return space->maps.items[i].file + 1;
    return 0;
}

/* The same, looked for once. */
static uint32_t find_file(struct guest_work *work,
                          const struct perf_space *space, uint32_t name)
{
    const size_t before = work->mapped.count;
    struct merge_mapped key, *row;

    memset(&key, 0, sizeof(key));
    key.key.space = space->number;
    key.key.name = name;
    row = must(table_put(&work->mapped, &key.key));
    if ( work->mapped.count > before )
        row->file = look_for_file(work, space, name);
    return row->file;
}

/* The host read in the guest's memory which file it is; the file that perf
 * knows of has symbols. */
static uint32_t name_in_file(struct guest_work *work,
                             const struct perf_space *space,
                             const struct merge_code *code)
{
    const uint32_t file = find_file(work, space, code->key.file);
    struct perf_code found;

    if ( !file || !perf_files_name(&work->reader.files, file - 1,
                                   code->key.address, &found) )
        return 0;
    return take_guest_place(
        work, &(struct xenoprof_place){
                  .mode = XENOPROF_MODE_USER,
                  .address = found.address,
                  .image = names_text(&work->host->names, code->key.file),
                  .symbol = found.symbol,
                  .symbol_start = found.start,
              });
}

/* Names the chain, frame by frame; 0 stands for one without a name. */
static uint32_t name_chain(struct guest_work *work, uint32_t chain,
                           const struct perf_space *space)
{
    const struct merge_code *frames[PERF_CHAIN_MAX];
    uint32_t named = 0;
    size_t count = 0;

    while ( chain && count < PERF_CHAIN_MAX )
        frames[count++] = table_at(
            &work->host->codes,
            merge_chains_leaf(&work->host->chains, chain, &chain) - 1);
    while ( count-- > 0 )
    {
        const struct merge_code *code = frames[count];
        const uint32_t place = code->key.file ? name_in_file(work, space, code)
                                              : name_address(work, space,
                                                             code->key.address);

        named = merge_chains_add(&work->guest->chains, named, place);
    }
    return named;
}

/* Another program may have had that number before, or since. */
static bool is_thread(struct guest_work *work,
                      const struct merge_sample *sample)
{
    const struct perf_thread *thread = perf_thread_known(
        &work->reader.spaces, sample->pid, sample->tid);
    const char *comm = names_text(&work->host->names, sample->comm);

    return !thread || !*thread->comm || !comm ||
           !strncmp(thread->comm, comm, PERF_COMM - 1);
}

static void name_sample(struct guest_work *work, struct merge_sample *sample)
{
    const struct perf_space *space = perf_space_of(&work->reader.spaces,
                                                   sample->pid);
    struct naming_row key, *row;
    const size_t before = work->rows.count;

    if ( !space || !is_thread(work, sample) )
        return;
    memset(&key, 0, sizeof(key));
    key.key.space = space->number;
    key.key.chain = sample->chain;
    row = must(table_put(&work->rows, &key.key));
    if ( work->rows.count > before )
        row->named = name_chain(work, sample->chain, space);
    sample->named = row->named;
}

/* Names what was sampled before that. */
static void name_until(void *argument, uint64_t time)
{
    struct guest_work *work = argument;

    while ( work->next < work->count )
    {
        struct merge_sample *sample =
            &work->host->samples.items[work->order[work->next]];

        if ( (int64_t)sample->time - work->offset >= (int64_t)time )
            return;
        name_sample(work, sample);
        work->next++;
    }
}

/* Keeps the process's part of what perf has. */
static void take_guest_chain(void *argument, const struct perf_record *record,
                             const struct perf_data_sample *sample)
{
    struct guest_work *work = argument;
    struct merge_guest *guest = work->guest;
    const struct perf_when *when = &sample->when;
    struct merge_guest_sample *noted;
    uint32_t chain = 0;

    if ( !when->timed || !when->time || when->time >= CLOCK_TIME_MAX ||
         work->sample >= guest->samples.count )
        return;
    perf_chain_make(&work->chains, sample, record->misc,
                    perf_space_of(&work->reader.spaces, when->pid),
                    &work->chain);
    for ( size_t i = work->chain.count; i-- > 0; )
        if ( work->chain.places[i] != NOT_USER )
            chain = merge_chains_add(&guest->chains, chain,
                                     work->chain.places[i]);
    noted = &guest->samples.items[work->sample++];
    noted->chain = chain;
    noted->whole = !work->chain.truncated;
}

struct timed_index {
    uint64_t time;
    size_t index;
};

static int compare_indices(const void *left, const void *right)
{
    const struct timed_index *one = left, *other = right;

    if ( one->time != other->time )
        return one->time < other->time ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

/* Samples of the domain that have something to be named, by time. */
static void make_order(struct guest_work *work, uint16_t domain)
{
    const struct merge_host *host = work->host;
    struct timed_index *timed = must(
        malloc((host->samples.count + 1) * sizeof(*timed)));

    for ( size_t i = 0; i < host->samples.count; i++ )
        if ( host->samples.items[i].domain == domain &&
             host->samples.items[i].tid && host->samples.items[i].chain &&
             host->samples.items[i].time < CLOCK_TIME_MAX )
            timed[work->count++] = (struct timed_index){
                host->samples.items[i].time, i};
    qsort(timed, work->count, sizeof(*timed), compare_indices);
    work->order = must(malloc((work->count + 1) * sizeof(*work->order)));
    for ( size_t i = 0; i < work->count; i++ )
        work->order[i] = timed[i].index;
    free(timed);
}

static bool is_named(const struct merge_guest *guest, uint32_t chain)
{
    uint32_t callers;
    const uint64_t place = merge_chains_leaf(&guest->chains, chain, &callers);
    const struct merge_place *row;

    if ( !place )
        return false;
    row = table_at(&guest->places, (size_t)place - 1);
    return row->key.image || row->key.symbol;
}

static void count_named(struct guest_work *work)
{
    for ( size_t i = 0; i < work->count; i++ )
    {
        const struct merge_sample *sample =
            &work->host->samples.items[work->order[i]];

        work->guest->named += sample->named &&
                              is_named(work->guest, sample->named);
    }
}

static void end_work(struct guest_work *work)
{
    perf_unwinder_close(work->chains.unwinder);
    perf_places_close(work->chains.places);
    perf_reader_free(&work->reader);
    table_free(&work->rows);
    table_free(&work->mapped);
    free(work->order);
    free(work);
}

enum exit_status merge_guest_name(struct merge_guest *guest,
                                  struct merge_host *host, uint16_t domain,
                                  int64_t offset, struct failure *failure)
{
    static const struct perf_reader_calls calls = {
        .sample = take_guest_chain, .own_name = own_name, .until = name_until};
    struct guest_work *work = must(calloc(1, sizeof(*work)));
    const struct perf_place_taker taker = {.argument = work,
                                           .place = take_guest_place};
    struct perf_reader *reader = &work->reader;

    work->guest = guest;
    work->host = host;
    work->offset = offset;
    table_init(&work->rows, sizeof(((struct naming_row *)0)->key),
               sizeof(struct naming_row));
    table_init(&work->mapped, sizeof(((struct merge_mapped *)0)->key),
               sizeof(struct merge_mapped));
    make_order(work, domain);
    perf_reader_init(reader, &guest->file, &calls, work, failure);
    work->chains.places = perf_places_open(&taker, &reader->files,
                                           &reader->kernel);
    work->chains.unwinder = perf_unwinder_open(&reader->files);
    if ( !perf_reader_run(reader) )
    {
        name_until(work, INT64_MAX);
        count_named(work);
    }
    end_work(work);
    return failure->status;
}
