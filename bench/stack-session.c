/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the session that reports are measured with: any number of distinct call
 * chains and samples, the same each time.
 *
 *   stack-session FOLDER STACKS SAMPLES
 *
 * Four domains with two vCPUs each on four pCPUs, each sampled at 1000 Hz.
 * Chains share their beginnings as real ones do: most are an earlier one up to
 * some function, which then calls others.
 */
#include <errno.h>
#include <libxenoprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "libxenoprof/session/session-attributes.h"

#define DOMAINS   4u
#define VCPUS     2u
#define PCPUS     4u
#define DEPTH_MAX 48u
#define FUNCTIONS 1500u /* of each mode in each domain */
#define NS_PER_S  1000000000ull
#define PERIOD    1000000u /* ns */
#define BEGIN     (100 * NS_PER_S)

struct made_chain {
    uint16_t domain;
    uint8_t depth;
    uint8_t modes[DEPTH_MAX];
    uint32_t places[DEPTH_MAX]; /* root first, then zeroes */
};

struct maker {
    struct xenoprof_handle *handle;
    struct xenoprof_writer *writer;
    struct made_chain *chains;
    size_t chain_count;
    struct table known; /* the places of each */
    uint64_t random;
};

static void done(struct maker *maker, enum xenoprof_status code)
{
    if ( !code )
        return;
    fprintf(stderr, "stack-session: %s\n", xenoprof_message(maker->handle));
    exit(1);
}

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ value >> 27) * 0x94d049bb133111ebull;
    return value ^ value >> 31;
}

static uint64_t next_random(struct maker *maker)
{
    maker->random += 0x9e3779b97f4a7c15ull;
    return mix(maker->random);
}

static void name_function(char *ret, size_t size, uint8_t mode,
                          unsigned int function)
{
    static const char *const verbs[] = {"get",   "put",    "walk", "handle",
                                        "queue", "update", "copy", "check"};
    static const char *const things[] = {
        "page",  "vcpu", "timer", "event_channel", "grant", "socket",
        "inode", "skb",  "bio",   "request",       "lock",  "schedule"};
    static const char *const prefixes[] = {"do_", "__", "", ""};

    snprintf(ret, size, "%s%s_%s_%u", prefixes[mode], verbs[function % 8],
             things[function / 8 % 12], function);
}

static uint32_t make_place(struct maker *maker, uint16_t domain, uint8_t mode,
                           unsigned int function)
{
    static const char *const images[] = {"xen", "kernel", "/usr/bin/server"};
    static const uint64_t bases[] = {0xffff82d040200000ull,
                                     0xffffffff81000000ull, 0x401000ull};
    char name[64];
    struct xenoprof_place place = {
        .domain = mode == XENOPROF_MODE_XEN ? 0 : domain,
        .mode = mode,
        .symbol_start = bases[mode] + function * 256ull,
        .image = images[mode],
        .symbol = name,
    };
    uint32_t number;

    name_function(name, sizeof(name), mode, function);
    place.address = place.symbol_start + 16;
    done(maker, xenoprof_writer_place(maker->writer, &place, &number));
    return number;
}

static void add_place(struct maker *maker, struct made_chain *chain,
                      uint8_t mode)
{
    unsigned int function = (unsigned int)(next_random(maker) % FUNCTIONS);

    chain->modes[chain->depth] = mode;
    chain->places[chain->depth++] = make_place(maker, chain->domain, mode,
                                               function);
}

/* User code calls the kernel, and the kernel calls Xen; never the other way. */
static uint8_t next_mode(struct maker *maker, uint8_t mode)
{
    if ( mode == XENOPROF_MODE_XEN || next_random(maker) % 8 )
        return mode;
    return mode == XENOPROF_MODE_USER ? XENOPROF_MODE_KERNEL
                                      : XENOPROF_MODE_XEN;
}

static void begin_chain(struct maker *maker, struct made_chain *chain)
{
    size_t count = maker->chain_count;

    if ( count && next_random(maker) % 64 )
    {
        *chain = maker->chains[next_random(maker) % count];
        chain->depth = (uint8_t)(1 + next_random(maker) % chain->depth);
        return;
    }
    chain->depth = 0;
    chain->domain = (uint16_t)(next_random(maker) % DOMAINS);
    add_place(maker, chain, XENOPROF_MODE_USER);
}

static void make_chain(struct maker *maker)
{
    struct made_chain *chain = &maker->chains[maker->chain_count];
    size_t more = 1 + next_random(maker) % 6;

    begin_chain(maker, chain);
    for ( ; more && chain->depth < DEPTH_MAX; more-- )
        add_place(maker, chain,
                  next_mode(maker, chain->modes[chain->depth - 1]));
    memset(chain->places + chain->depth, 0,
           (DEPTH_MAX - chain->depth) * sizeof(chain->places[0]));
    table_put(&maker->known, chain->places);
    /* Unless there is one like it. */
    maker->chain_count = maker->known.count;
}

/* Each chain once, then early ones more often than late ones. */
static const struct made_chain *choose(struct maker *maker, size_t sample)
{
    double where = (double)(next_random(maker) >> 11) / (double)(1ull << 53);

    if ( sample < maker->chain_count )
        return &maker->chains[sample];
    return &maker->chains[(size_t)(where * where * where *
                                   (double)maker->chain_count)];
}

static void make_sample(struct maker *maker, size_t number)
{
    const struct made_chain *chain = choose(maker, number);
    size_t leaf = chain->depth - 1u;
    uint32_t stack[DEPTH_MAX];
    struct xenoprof_stored sample = {
        .time = BEGIN + number / PCPUS * PERIOD + number % PCPUS * 1000,
        .period = PERIOD,
        .domain = chain->domain,
        .vcpu = (uint16_t)(next_random(maker) % VCPUS),
        .pcpu = (uint16_t)(number % PCPUS),
        .mode = chain->modes[leaf],
        .weight = 1,
    };

    for ( size_t i = 0; i < chain->depth; i++ )
        stack[i] = chain->places[leaf - i];
    done(maker,
         xenoprof_writer_sample(maker->writer, &sample, stack, chain->depth));
    if ( xenoprof_writer_pending(maker->writer) > 1 << 20 )
        done(maker, xenoprof_writer_flush(maker->writer));
}

static void make_facts(struct maker *maker)
{
    static const char *const facts[][2] = {
        {SESSION_ATTRIBUTE_UTC, "1763632800000000000"},
        {SESSION_ATTRIBUTE_HOST, "bench"},
        {SESSION_ATTRIBUTE_XEN, "4.17.7"},
        {SESSION_ATTRIBUTE_SAMPLER, "nmi"},
        {SESSION_ATTRIBUTE_FREQUENCY, "1000"},
        {SESSION_ATTRIBUTE_PCPUS, "4"}};
    static const char *const names[DOMAINS] = {"Domain-0", "web", "db",
                                               "build"};

    for ( size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++ )
        done(maker, xenoprof_writer_attribute(maker->writer, BEGIN, facts[i][0],
                                              facts[i][1]));
    for ( uint16_t i = 0; i < DOMAINS; i++ )
    {
        const uint8_t uuid[16] = {(uint8_t)i};

        done(maker, xenoprof_writer_domain(
                        maker->writer, BEGIN, i, uuid, names[i],
                        i ? SESSION_KIND_ACTIVE : SESSION_KIND_DOM0));
    }
}

static size_t number(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if ( end == text || *end || !value )
    {
        fprintf(stderr, "stack-session: \"%s\" is not a number\n", text);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    struct maker maker = {.handle = xenoprof_open(), .random = 1};
    size_t stacks, samples;

    if ( argc != 4 )
    {
        fprintf(stderr, "usage: stack-session FOLDER STACKS SAMPLES\n");
        return 2;
    }
    stacks = number(argv[2]);
    samples = number(argv[3]);
    maker.chains = calloc(stacks + 1, sizeof(*maker.chains));
    table_init(&maker.known, sizeof(maker.chains->places),
               sizeof(maker.chains->places));
    done(&maker, xenoprof_writer_create(maker.handle, argv[1], &maker.writer));
    make_facts(&maker);
    while ( maker.chain_count < stacks )
        make_chain(&maker);
    for ( size_t i = 0; i < samples; i++ )
        make_sample(&maker, i);
    done(&maker,
         xenoprof_writer_close(maker.writer, BEGIN + samples / PCPUS * PERIOD));
    xenoprof_writer_destroy(maker.writer);
    xenoprof_close(maker.handle);
    table_free(&maker.known);
    free(maker.chains);
    return 0;
}
