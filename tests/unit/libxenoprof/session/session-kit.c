/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes sessions and reads them back, item by item, as lines. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session-kit.h"

void kit_check(const struct session_kit *kit, enum xenoprof_status status,
               const char *file, int line)
{
    if ( status )
        test_fail(file, line, "code %u: %s", status,
                  xenoprof_message(kit->handle));
}

struct session_kit *kit_create(void)
{
    struct session_kit *kit = calloc(1, sizeof(*kit));

    test_make_folder(kit->folder, "xenoprof-session-XXXXXX");
    kit->handle = xenoprof_open();
    KIT_OK(kit, xenoprof_writer_create(kit->handle, kit->folder, &kit->writer));
    return kit;
}

static void remove_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    char path[512];

    if ( !directory )
        return;
    while ( (entry = readdir(directory)) )
    {
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if ( entry->d_name[0] != '.' )
            unlink(path);
    }
    closedir(directory);
    rmdir(folder);
}

void kit_destroy(struct session_kit *kit)
{
    kit_stop(kit);
    remove_folder(kit->folder);
    xenoprof_close(kit->handle);
    free(kit);
}

void kit_stop(struct session_kit *kit)
{
    xenoprof_writer_destroy(kit->writer);
    kit->writer = NULL;
}

void kit_go_on(struct session_kit *kit)
{
    KIT_OK(kit, xenoprof_writer_reopen(kit->handle, kit->folder, &kit->writer));
}

uint32_t kit_place(struct session_kit *kit, uint16_t domain, uint8_t mode,
                   uint64_t address, const char *symbol)
{
    struct xenoprof_place place = {.domain = domain,
                                   .mode = mode,
                                   .address = address,
                                   .image = "vmlinux",
                                   .symbol = symbol,
                                   .symbol_start = address & ~15ull};
    uint32_t number;

    KIT_OK(kit, xenoprof_writer_place(kit->writer, &place, &number));
    return number;
}

void kit_sample(struct session_kit *kit, uint64_t time, uint32_t place)
{
    struct xenoprof_stored sample = {.time = time,
                                     .place = place,
                                     .period = 1000000,
                                     .domain = 1,
                                     .mode = XENOPROF_MODE_KERNEL,
                                     .weight = 1};

    KIT_OK(kit, xenoprof_writer_sample(kit->writer, &sample, NULL, 0));
}

struct xenoprof_ring_info kit_ring(uint32_t ring, uint64_t position)
{
    return (struct xenoprof_ring_info){
        .ring = ring,
        .generation = 1,
        .domain = 5,
        .vcpu = 3,
        .kind = XENOPROF_RING_VCPU,
        .state = XENOPROF_RING_OPEN,
        .uuid = {5},
        .size = 4096,
        .producer = position + 20,
        .position = position,
        .released = position - 10,
        .made = 60,
        .committed = 55,
        .lost = {1, 2, 3, 4},
    };
}

const char *kit_file(const struct session_kit *kit, unsigned int number)
{
    static char path[160];

    snprintf(path, sizeof(path), "%s/DATA.%04u", kit->folder, number);
    return path;
}

uint8_t *kit_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    uint8_t *bytes;

    CHECK(file);
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    bytes = malloc(*size + 1);
    CHECK_EQ(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

void kit_put_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");

    CHECK(file);
    CHECK_EQ(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static const char *or_none(const char *text)
{
    return text ? text : "-";
}

static void print_sample(FILE *out, const struct xenoprof_stored *sample)
{
    fprintf(out,
            "sample %llu place %u stack %u period %u marks %u who %u %u %u "
            "mode %u weight %u\n",
            (unsigned long long)sample->time, sample->place, sample->stack,
            sample->period, sample->marks, sample->domain, sample->vcpu,
            sample->pcpu, sample->mode, sample->weight);
}

static void print_counts(FILE *out, const uint64_t *counts, size_t count)
{
    for ( size_t i = 0; i < count; i++ )
        fprintf(out, " %llu", (unsigned long long)counts[i]);
}

/* Causes, up to the last with a loss. */
static void print_losses(FILE *out, const uint64_t *lost)
{
    size_t count = XENOPROF_CAUSES;

    while ( count && !lost[count - 1] )
        count--;
    fprintf(out, " lost");
    print_counts(out, lost, count);
    fprintf(out, "\n");
}

static void print_counters(FILE *out, const struct xenoprof_counters *counters)
{
    uint64_t counts[] = {counters->due,       counters->missed,
                         counters->idle,      counters->made,
                         counters->committed, counters->switched,
                         counters->moved,     counters->cost};

    print_counts(out, counts, sizeof(counts) / sizeof(*counts));
    print_losses(out, counters->lost);
}

static void print_uuid(FILE *out, const uint8_t uuid[16])
{
    for ( int i = 0; i < 16; i++ )
        fprintf(out, "%02x", uuid[i]);
}

static void print_ring(FILE *out, const struct xenoprof_item *item)
{
    const struct xenoprof_ring_info *info = &item->u.ring.info;
    uint64_t counts[] = {
        info->position,  info->producer,    info->released,          info->made,
        info->committed, item->u.ring.read, item->u.ring.lost_daemon};

    fprintf(out, "ring %u.%u who %u %u kind %u state %u size %u uuid ",
            info->ring, info->generation, info->domain, info->vcpu, info->kind,
            info->state, info->size);
    print_uuid(out, info->uuid);
    print_counts(out, counts, 7);
    print_losses(out, info->lost);
}

static void print_ring_sum(FILE *out, const struct xenoprof_item *item)
{
    const struct xenoprof_ring_sum *sum = &item->u.ring_sum.sum;
    uint64_t counts[] = {sum->rings, sum->made, sum->read, sum->lost_daemon};

    fprintf(out, "%s of %u kind %u uuid ",
            item->u.ring_sum.first ? "first sum" : "sum", sum->owner.domain,
            sum->owner.kind);
    print_uuid(out, sum->owner.uuid);
    print_counts(out, counts, 4);
    print_losses(out, sum->lost);
}

static void print_place(FILE *out, const struct xenoprof_item *item)
{
    const struct xenoprof_place *place = &item->u.place.place;

    fprintf(out, "place %u who %u %u at %llx %s %s %llx\n",
            item->u.place.number, place->domain, place->mode,
            (unsigned long long)place->address, or_none(place->image),
            or_none(place->symbol), (unsigned long long)place->symbol_start);
}

/* Parts in ms. */
static void print_wait(FILE *out, const struct xenoprof_item *item)
{
    const struct xenoprof_waited *waited = &item->u.wait;
    const uint64_t parts[] = {waited->running, waited->runnable,
                              waited->blocked, waited->device,
                              waited->paused,  waited->capped};

    fprintf(out, "wait %llu %u %u %02x%02x%02x%02x: %llu",
            (unsigned long long)item->time, waited->domain, waited->vcpu,
            waited->uuid[0], waited->uuid[1], waited->uuid[2], waited->uuid[3],
            (unsigned long long)waited->span);
    for ( size_t i = 0; i < 5 + !!waited->capped; i++ )
        fprintf(out, " %c %llu", i ? '+' : '=',
                (unsigned long long)(parts[i] / 1000000));
    fprintf(out, "\n");
}

static void print_latency(FILE *out, const struct xenoprof_item *item)
{
    const struct xenoprof_latency *latency = &item->u.latency;

    fprintf(out, "latency %llu %u %u %02x%02x: %s by %u %02x%02x in %u: ",
            (unsigned long long)item->time, latency->domain, latency->vcpu,
            latency->uuid[0], latency->uuid[1],
            latency->why == XENOPROF_WOKEN ? "woken" : "preempted", latency->by,
            latency->by_uuid[0], latency->by_uuid[1], latency->bucket);
    fprintf(out, "%llu %llu at most %llu\n", (unsigned long long)latency->count,
            (unsigned long long)latency->sum,
            (unsigned long long)latency->longest);
}

static void print_exits(FILE *out, const struct xenoprof_item *item)
{
    const struct xenoprof_exits *exits = &item->u.exits;

    fprintf(out, "exits %llu %u %u %02x%02x: kind %u flags %u code %x: %llu ",
            (unsigned long long)item->time, exits->domain, exits->vcpu,
            exits->uuid[0], exits->uuid[1], exits->entry.kind,
            exits->entry.flags, exits->entry.code,
            (unsigned long long)exits->count);
    fprintf(out, "%llu + %llu, %llu to %llu\n",
            (unsigned long long)exits->in_xen, (unsigned long long)exits->away,
            (unsigned long long)exits->shortest,
            (unsigned long long)exits->longest);
}

static void print_type(FILE *out, const struct xenoprof_item *item)
{
    const struct xenoprof_type *type = &item->u.type.type;

    fprintf(out, "type %u %s in %s: select %llx period %llu turns %u\n",
            item->u.type.number, type->name, type->unit,
            (unsigned long long)type->select, (unsigned long long)type->period,
            type->turns);
}

static void print_measured(FILE *out, const struct xenoprof_item *item)
{
    const struct xenoprof_measured *measured = &item->u.measured;

    fprintf(out, "measured %llu type %u pcpu %u: %llu of %llu\n",
            (unsigned long long)item->time, measured->type, measured->pcpu,
            (unsigned long long)measured->running,
            (unsigned long long)measured->enabled);
}

static void print_origin(FILE *out, const struct xenoprof_item *item)
{
    const struct xenoprof_origin *origin = &item->u.origin;

    fprintf(out, "origin %u %02x%02x: %u %u %llu %s: \"%s\" \"%s\"\n",
            origin->domain, origin->uuid[0], origin->uuid[1],
            origin->thread.pid, origin->thread.tid,
            (unsigned long long)origin->thread.start, origin->thread.comm,
            origin->exe, origin->cgroup);
}

static void print_spooled(FILE *out, const struct xenoprof_spooled *spooled)
{
    if ( spooled->anew )
        fprintf(out, "spooled anew\n");
    else
        fprintf(
            out, "spooled %u %u %02x%02x mode %u in %llu: %lld of %llu\n",
            spooled->domain, spooled->vcpu, spooled->uuid[0], spooled->uuid[1],
            spooled->mode, (unsigned long long)spooled->second,
            (long long)spooled->samples, (unsigned long long)spooled->period);
}

static void print_function(FILE *out, const char *what,
                           const struct xenoprof_function *function)
{
    fprintf(out, "%s of %u %02x%02x mode %u %s %s %llx:", what,
            function->domain, function->uuid[0], function->uuid[1],
            function->mode, function->image, function->symbol,
            (unsigned long long)function->start);
}

static void print_code(FILE *out, const struct xenoprof_item *item)
{
    const struct xenoprof_code *code = &item->u.code;
    const struct xenoprof_instruction *at = &item->u.instruction;
    const struct xenoprof_source_line *source = &item->u.source;

    if ( item->kind == XENOPROF_ITEM_CODE )
    {
        print_function(out, "code", &code->function);
        for ( uint32_t i = 0; i < code->size; i++ )
            fprintf(out, " %02x", code->bytes[i]);
        fprintf(out, " (%u) from %u %s\n", code->length, code->from,
                code->file);
    }
    else if ( item->kind == XENOPROF_ITEM_INSTRUCTION )
    {
        print_function(out, "instruction", &at->function);
        fprintf(out, " +%u %s:%u %s+%llu\n", at->offset, at->path, at->line,
                at->name, (unsigned long long)at->plus);
    }
    else
    {
        print_function(out, "source", &source->function);
        fprintf(out, " %s:%u '%s'\n", source->path, source->line, source->text);
    }
}

static void print_item(FILE *out, const struct xenoprof_item *item)
{
    unsigned long long time = item->time;

    switch ( item->kind )
    {
    case XENOPROF_ITEM_ATTRIBUTE:
        fprintf(out, "attribute %llu %s=%s\n", time, item->u.attribute.key,
                item->u.attribute.value);
        break;
    case XENOPROF_ITEM_DOMAIN:
        fprintf(out, "domain %llu %u ", time, item->u.domain.domain);
        print_uuid(out, item->u.domain.uuid);
        fprintf(out, " %s %s\n", item->u.domain.name, item->u.domain.kind);
        break;
    case XENOPROF_ITEM_PLACE: print_place(out, item); break;
    case XENOPROF_ITEM_STACK:
        fprintf(out, "stack %u:", item->u.stack.number);
        for ( size_t i = 0; i < item->u.stack.count; i++ )
            fprintf(out, " %u", item->u.stack.places[i]);
        fprintf(out, "\n");
        break;
    case XENOPROF_ITEM_SAMPLE: print_sample(out, &item->u.sample); break;
    case XENOPROF_ITEM_RING: print_ring(out, item); break;
    case XENOPROF_ITEM_RING_SUM: print_ring_sum(out, item); break;
    case XENOPROF_ITEM_COUNTERS:
        fprintf(out, "counters %llu", time);
        print_counters(out, &item->u.counters);
        break;
    case XENOPROF_ITEM_IDLE:
        fprintf(out, "idle %llu %u %llu\n", time, item->u.idle.pcpu,
                (unsigned long long)item->u.idle.idle);
        break;
    case XENOPROF_ITEM_WAIT: print_wait(out, item); break;
    case XENOPROF_ITEM_COST:
        fprintf(out, "cost %llu %llu %llu\n", time,
                (unsigned long long)item->u.cost.daemon,
                (unsigned long long)item->u.cost.children);
        break;
    case XENOPROF_ITEM_LATENCY: print_latency(out, item); break;
    case XENOPROF_ITEM_EXITS: print_exits(out, item); break;
    case XENOPROF_ITEM_TYPE: print_type(out, item); break;
    case XENOPROF_ITEM_MEASURED: print_measured(out, item); break;
    case XENOPROF_ITEM_ORIGIN: print_origin(out, item); break;
    case XENOPROF_ITEM_SPOOLED: print_spooled(out, &item->u.spooled); break;
    case XENOPROF_ITEM_LINE:
        fprintf(out, "line %u: %s:%u\n", item->u.line.place, item->u.line.path,
                item->u.line.line);
        break;
    case XENOPROF_ITEM_CODE:
    case XENOPROF_ITEM_INSTRUCTION:
    case XENOPROF_ITEM_SOURCE: print_code(out, item); break;
    case XENOPROF_ITEM_CLOSED: fprintf(out, "closed %llu\n", time); break;
    case XENOPROF_ITEM_SAMPLES: CHECK(!"not asked for"); break;
    }
}

char *kit_read(struct session_kit *kit, const char *path)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    enum xenoprof_status status;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    KIT_OK(kit, xenoprof_session_open(kit->handle, path, &session));
    while ( (status = xenoprof_session_next(session, &item)) != XENOPROF_END )
    {
        if ( status != XENOPROF_DAMAGED )
            KIT_OK(kit, status);
        if ( status )
            fprintf(out, "damaged\n");
        else
            print_item(out, &item);
    }
    fprintf(out, "end torn %llu\n",
            (unsigned long long)xenoprof_session_torn(session));
    xenoprof_session_close(session);
    fclose(out);
    return text;
}

void kit_text_is(struct session_kit *kit, const char *wanted)
{
    char *text = kit_read(kit, kit->folder);

    CHECK_TEXT(text, wanted);
    free(text);
}

void kit_count(struct session_kit *kit, const char *path,
               struct kit_counts *ret)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    enum xenoprof_status status;

    *ret = (struct kit_counts){0};
    ret->open = xenoprof_session_open(kit->handle, path, &session);
    if ( ret->open )
        return;
    while ( (status = xenoprof_session_next(session, &item)) != XENOPROF_END )
    {
        if ( status == XENOPROF_DAMAGED )
            ret->damages++;
        else
            KIT_OK(kit, status);
        if ( status || item.kind != XENOPROF_ITEM_SAMPLE )
            continue;
        ret->samples++;
        ret->last_time = item.time;
    }
    ret->torn = xenoprof_session_torn(session);
    xenoprof_session_close(session);
}

void kit_know(struct session_kit *kit)
{
    const uint8_t uuid[16] = {9};
    struct xenoprof_counters counters = {.made = 5};
    struct xenoprof_ring_info ring = kit_ring(1, 100);

    KIT_OK(kit, xenoprof_writer_attribute(kit->writer, 1, "sampler", "nmi"));
    KIT_OK(kit, xenoprof_writer_attribute(kit->writer, 2, "sampler", "timer"));
    KIT_OK(kit, xenoprof_writer_attribute(kit->writer, 2, "sampler", "timer"));
    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 3, 5, uuid, "web", "passive"));
    KIT_OK(kit, xenoprof_writer_ring(kit->writer, &ring, 50, 2, 0));
    KIT_OK(kit, xenoprof_writer_counters(kit->writer, 4, &counters));
}

struct session_kit *kit_create_files(void)
{
    struct session_kit *kit = kit_create();

    for ( uint64_t time = 1; time <= 3; time++ )
    {
        kit_sample(kit, time, 0);
        KIT_OK(kit, xenoprof_writer_rotate(kit->writer));
    }
    return kit;
}

void kit_file_is(struct session_kit *kit, unsigned int number,
                 const char *wanted)
{
    char *text = kit_read(kit, kit_file(kit, number));

    CHECK_TEXT(text, wanted);
    free(text);
}
