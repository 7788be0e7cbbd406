/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session takes on disk, in bytes for each sample.
 *
 *   session-size SESSION                  of a real session
 *   session-size NEW-SESSION HZ SECONDS [large]   of a made-up session
 *
 * The made-up session has two pCPUs, dom0 and two guests, all at work; a large
 * host has 256 pCPUs, and 250 guests with four vCPUs each.  The guests'
 * code is random call graphs; a sample sees a walk through one of these graphs,
 * in which some ways are taken more often than others.  New places and stacks
 * appear as often as in sessions of the lab's demo; bench/README.md compares
 * them.
 */
#include <dirent.h>
#include <libxenoprof.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "libxenoprof/session/session-attributes.h"

#define GUESTS_MAX 250u
#define RINGS_MAX  1256u
#define NS_PER_S   1000000000ull
#define BEGIN      (100 * NS_PER_S)
#define DEPTH_MAX  24u

/* Chosen so that new places and stacks grow as in the lab. */
#define FUNCTIONS 250u
#define CALLEES   3u
#define DEEPER    70u /* of 100 functions that call another one just now */
#define LEAVES    25u /* instructions of a function that are ever seen */

/* A host; guest 0 is dom0. */
static struct {
    unsigned int guests, vcpus, pcpus, rings;
} host = {3, 1, 2, 5};

static struct xenoprof_handle *handle;
static struct xenoprof_writer *writer;
static uint64_t lots = 1;

static void done(enum xenoprof_status code)
{
    if ( !code )
        return;
    fprintf(stderr, "session-size: %s\n", xenoprof_message(handle));
    exit(1);
}

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ value >> 27) * 0x94d049bb133111ebull;
    return value ^ value >> 31;
}

static uint64_t draw(uint64_t below)
{
    lots += 0x9e3779b97f4a7c15ull;
    return mix(lots) % below;
}

/* Returns a random number below count, low ones more often than the others. */
static unsigned int draw_ranked(unsigned int count)
{
    double where = (double)draw(1 << 30) / (double)(1 << 30);

    return (unsigned int)(exp(where * log(count + 1.0))) - 1;
}

/* Code: functions by number in each mode of each domain. */
struct place_code {
    uint16_t domain;
    uint8_t mode;
};

static uint32_t place_of(struct place_code code, unsigned int function,
                         uint64_t which)
{
    static const uint64_t bases[] = {0xffff82d040200000ull,
                                     0xffffffff81000000ull, 0x401000ull};
    static const char *const images[] = {"xen", "kernel", "user"};
    uint64_t lot = mix(function * 7919ull + code.mode);
    uint64_t start = bases[code.mode] + function * 1024ull + lot % 512;
    char name[48];
    const struct xenoprof_place place = {
        .domain = code.domain,
        .mode = code.mode,
        .address = start + mix(lot + which) % 900,
        .image = images[code.mode],
        .symbol = code.mode == XENOPROF_MODE_USER ? NULL : name,
        .symbol_start = code.mode == XENOPROF_MODE_USER ? 0 : start,
    };
    uint32_t number;

    snprintf(name, sizeof(name), "%.*s_%llx", 3 + (int)(lot % 20),
             "subsystem_verb_the_thing", (unsigned long long)(lot >> 44));
    done(xenoprof_writer_place(writer, &place, &number));
    return number;
}

struct frames {
    uint32_t places[2 * DEPTH_MAX]; /* root first */
    size_t count;
};

static void walk(struct place_code code, struct frames *frames)
{
    unsigned int function = draw_ranked(8);

    for ( unsigned int i = 0; i < DEPTH_MAX - 1 && draw(100) < DEEPER; i++ )
    {
        unsigned int callee = draw_ranked(CALLEES);

        frames->places[frames->count++] = place_of(code, function, callee);
        function = (unsigned int)(mix(function * 31ull + callee + code.mode) %
                                  FUNCTIONS);
    }
    frames->places[frames->count++] = place_of(code, function,
                                               100 + draw_ranked(LEAVES));
}

static void store(struct xenoprof_stored *sample)
{
    struct frames frames = {.count = 0};
    uint32_t leaf_first[2 * DEPTH_MAX];

    if ( sample->mode == XENOPROF_MODE_USER )
        frames.places[frames.count++] = place_of(
            (struct place_code){sample->domain, XENOPROF_MODE_USER}, 0,
            draw_ranked(LEAVES));
    else if ( sample->mode == XENOPROF_MODE_KERNEL || draw(2) )
        walk((struct place_code){sample->domain, XENOPROF_MODE_KERNEL},
             &frames);
    if ( sample->mode == XENOPROF_MODE_XEN )
        walk((struct place_code){sample->domain, XENOPROF_MODE_XEN}, &frames);
    for ( size_t i = 0; i < frames.count; i++ )
        leaf_first[i] = frames.places[frames.count - 1 - i];
    done(xenoprof_writer_sample(writer, sample, leaf_first, frames.count));
}

/* Half Xen, a third kernels, the rest processes. */
static uint8_t draw_mode(void)
{
    unsigned int lot = (unsigned int)draw(100);

    return lot < 53   ? XENOPROF_MODE_XEN
           : lot < 90 ? XENOPROF_MODE_KERNEL
                      : XENOPROF_MODE_USER;
}

/* Makes a second's samples of one ring, as many as are due. */
static uint64_t read_ring(unsigned int ring, unsigned int hz, uint64_t from)
{
    uint64_t period = NS_PER_S / hz, count = 0;
    uint16_t pcpu = (uint16_t)draw(host.pcpus);
    unsigned int vcpus = host.rings - host.pcpus;

    for ( uint64_t at = draw(2 * host.rings * period / host.pcpus);
          at < NS_PER_S;
          at += (1 + draw_ranked(2 * host.rings / host.pcpus)) * period +
                draw(period / 8) )
    {
        struct xenoprof_stored sample = {
            .time = from + at,
            .period = (uint32_t)period,
            .domain = (uint16_t)(ring < vcpus ? ring / host.vcpus
                                              : draw(host.guests)),
            .vcpu = ring < vcpus ? (uint16_t)(ring % host.vcpus) : 0,
            .pcpu = ring < vcpus ? pcpu : (uint16_t)(ring - vcpus),
            .mode = draw_mode(),
            .marks = draw(4) ? 0 : XENOPROF_MARK_TRUNCATED,
            .weight = 1,
        };

        store(&sample);
        count++;
    }
    return count;
}

/* What comes with each block. */
static void put_counters(unsigned int second, const uint64_t read[RINGS_MAX])
{
    const uint64_t now = BEGIN + (second + 1) * NS_PER_S;
    struct xenoprof_counters counters = {.cost = now / 50 + draw(1 << 20)};

    for ( unsigned int i = 0; i < host.rings; i++ )
    {
        bool vcpu = i < host.rings - host.pcpus;
        const struct xenoprof_ring_info facts = {
            .ring = i,
            .generation = 1,
            .domain = (uint16_t)(vcpu ? i / host.vcpus : 0),
            .vcpu = (uint16_t)(vcpu ? i % host.vcpus : 0),
            .kind = vcpu ? XENOPROF_RING_VCPU : XENOPROF_RING_PCPU,
            .state = XENOPROF_RING_OPEN,
            .size = 1 << 18,
            .producer = read[i] * 3000,
            .position = read[i] * 3000,
            .released = read[i] * 3000 - 10000,
            .made = read[i],
            .committed = read[i],
        };

        done(xenoprof_writer_ring(writer, &facts, read[i], 0, 0));
        counters.due += read[i];
    }
    counters.made = counters.committed = counters.due;
    done(xenoprof_writer_counters(writer, now, &counters));
    for ( uint16_t i = 0; i < host.pcpus; i++ )
        done(xenoprof_writer_idle(writer, now, i, now / 3 + draw(1 << 28)));
}

static void make_up(const char *folder, unsigned int hz, unsigned int seconds)
{
    uint64_t read[RINGS_MAX] = {0};
    struct rusage usage;
    char name[16];

    done(xenoprof_writer_create(handle, folder, &writer));
    xenoprof_writer_time_unit(writer, 1000); /* as xenoprofd does */
    for ( uint16_t i = 0; i < host.guests; i++ )
    {
        snprintf(name, sizeof(name), "guest-%u", i);
        done(xenoprof_writer_domain(
            writer, BEGIN, i, (uint8_t[16]){(uint8_t)i}, name,
            i ? SESSION_KIND_PASSIVE : SESSION_KIND_DOM0));
    }
    for ( unsigned int second = 0; second < seconds; second++ )
    {
        for ( unsigned int i = 0; i < host.rings; i++ )
            read[i] += read_ring(i, hz, BEGIN + second * NS_PER_S);
        put_counters(second, read);
        done(xenoprof_writer_flush(writer));
    }
    done(xenoprof_writer_close(writer, BEGIN + seconds * NS_PER_S));
    xenoprof_writer_destroy(writer);
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr, "the writer took %ld KiB\n", usage.ru_maxrss);
}

static uint64_t bytes_in(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    struct stat status;
    uint64_t bytes = 0;

    while ( dir && (entry = readdir(dir)) )
        if ( !strncmp(entry->d_name, "DATA.", 5) &&
             fstatat(dirfd(dir), entry->d_name, &status, 0) == 0 )
            bytes += (uint64_t)status.st_size;
    if ( dir )
        closedir(dir);
    return bytes;
}

static void print_size(const char *folder)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    uint64_t samples = 0, places = 0, stacks = 0;

    done(xenoprof_session_open(handle, folder, &session));
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
    {
        samples += item.kind == XENOPROF_ITEM_SAMPLE;
        places += item.kind == XENOPROF_ITEM_PLACE;
        stacks += item.kind == XENOPROF_ITEM_STACK;
    }
    xenoprof_session_close(session);
    printf("%llu %llu %llu %.1f\n", (unsigned long long)samples,
           (unsigned long long)places, (unsigned long long)stacks,
           samples ? (double)bytes_in(folder) / (double)samples : 0.0);
}

int main(int argc, char **argv)
{
    if ( argc != 2 && argc != 4 && argc != 5 )
    {
        fprintf(stderr, "usage: session-size SESSION [HZ SECONDS [large]]\n");
        return 2;
    }
    handle = xenoprof_open();
    if ( argc == 5 )
    {
        host.guests = GUESTS_MAX;
        host.vcpus = 4;
        host.pcpus = 256;
        host.rings = RINGS_MAX;
    }
    if ( argc >= 4 )
        make_up(argv[1], (unsigned int)atoi(argv[2]),
                (unsigned int)atoi(argv[3]));
    print_size(argv[1]);
    xenoprof_close(handle);
    return 0;
}
