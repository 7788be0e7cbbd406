/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session takes on disk, in bytes for each sample, and what it takes to
 * read it, in steps for each byte.
 *
 *   session-size SESSION                  of a real session
 *   session-size NEW-SESSION HZ SECONDS [large]   of a made-up session
 *
 * The made-up session has two pCPUs, dom0 and two guests, all at work; a large
 * host has 256 pCPUs, and 250 guests with four vCPUs each.  Stacks are those of
 * bench/growing-model.h.
 */
#include <dirent.h>
#include <libxenoprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "bench/growing-model.h"
#include "libxenoprof/session/session-attributes.h"
#include "libxenoprof/session/session-reader.h"

#define GUESTS_MAX 250u
#define RINGS_MAX  1256u
#define NS_PER_S   1000000000ull
#define BEGIN      (100 * NS_PER_S)

/* A host; guest 0 is dom0. */
static struct {
    unsigned int guests, vcpus, pcpus, rings;
} host = {3, 1, 2, 5};

static struct xenoprof_handle *handle;
static struct xenoprof_writer *writer;

static void done(enum xenoprof_status code)
{
    if ( !code )
        return;
    fprintf(stderr, "session-size: %s\n", xenoprof_message(handle));
    exit(1);
}

static void store(struct xenoprof_stored *sample)
{
    uint32_t leaf_first[2 * GROWING_DEPTH];
    struct growing_stack stack;

    growing_draw_stack(sample->mode, &stack);
    for ( size_t i = 0; i < stack.count; i++ )
        leaf_first[stack.count - 1 - i] = growing_place(
            handle, writer, sample->domain, &stack.frames[i]);
    done(xenoprof_writer_sample(writer, sample, leaf_first, stack.count));
}

/* Makes a second's samples of one ring, as many as are due. */
static uint64_t read_ring(unsigned int ring, unsigned int hz, uint64_t from)
{
    uint64_t period = NS_PER_S / hz, count = 0;
    uint16_t pcpu = (uint16_t)growing_draw(host.pcpus);
    unsigned int vcpus = host.rings - host.pcpus;

    for ( uint64_t at = growing_draw(2 * host.rings * period / host.pcpus);
          at < NS_PER_S;
          at += (1 + growing_draw_ranked(2 * host.rings / host.pcpus)) *
                    period +
                growing_draw(period / 8) )
    {
        struct xenoprof_stored sample = {
            .time = from + at,
            .period = (uint32_t)period,
            .domain = (uint16_t)(ring < vcpus ? ring / host.vcpus
                                              : growing_draw(host.guests)),
            .vcpu = ring < vcpus ? (uint16_t)(ring % host.vcpus) : 0,
            .pcpu = ring < vcpus ? pcpu : (uint16_t)(ring - vcpus),
            .mode = growing_draw_mode(),
            .marks = growing_draw(4) ? 0 : XENOPROF_MARK_TRUNCATED,
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
    struct xenoprof_counters counters = {.cost = now / 50 +
                                                 growing_draw(1 << 20)};

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
        done(xenoprof_writer_idle(writer, now, i,
                                  now / 3 + growing_draw(1 << 28)));
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

/* What a report takes to read it: hostile sessions take as many steps as they
 * may, honest ones must stay far below that. */
static uint64_t count_steps(const char *folder)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    uint64_t steps;

    done(xenoprof_session_open(handle, folder, &session));
    while ( xenoprof_session_next_columns(session, &item) == XENOPROF_OK )
        ;
    steps = session->steps;
    xenoprof_session_close(session);
    return steps;
}

static void print_size(const char *folder)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    uint64_t samples = 0, places = 0, stacks = 0;
    double bytes = (double)bytes_in(folder);

    done(xenoprof_session_open(handle, folder, &session));
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
    {
        samples += item.kind == XENOPROF_ITEM_SAMPLE;
        places += item.kind == XENOPROF_ITEM_PLACE;
        stacks += item.kind == XENOPROF_ITEM_STACK;
    }
    xenoprof_session_close(session);
    printf("%llu %llu %llu %.1f %.1f\n", (unsigned long long)samples,
           (unsigned long long)places, (unsigned long long)stacks,
           samples ? bytes / (double)samples : 0.0,
           bytes ? (double)count_steps(folder) / bytes : 0.0);
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
