/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A loaded session with stacks, made by hand: places are called by one letter,
 * 'A' to 'Z' in Xen, 'a' to 'z' in a kernel, digits in a process; a stack is a
 * text of them, the root first.  '?' and '!' are in a process, without a name.
 */
#ifndef XENOPROF_TESTS_UNIT_REPORT_MODEL_REPORT_KIT_H
#define XENOPROF_TESTS_UNIT_REPORT_MODEL_REPORT_KIT_H

#include "report/cells/leaf-thunks.h"
#include "report/model/tree.h"
#include "tests/harness.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define KIT_WEB 2u /* index of the domains there are besides other and idle */
#define KIT_DB  3u

struct report_kit {
    struct loaded loaded;
    struct stacks stacks;
    struct kernels no_kernels;
};

static inline uint8_t kit_mode(char name)
{
    return isupper((unsigned char)name)   ? XENOPROF_MODE_XEN
           : islower((unsigned char)name) ? XENOPROF_MODE_KERNEL
                                          : XENOPROF_MODE_USER;
}

/* Each letter's place has its code as number and address, and the letter as
 * name; '?' and '!' are known by their addresses alone, '-' not at all. */
static inline uint32_t kit_place(struct report_kit *kit, char name)
{
    uint64_t number = (unsigned char)name;
    char text[2] = {name, '\0'};
    struct loaded_place *place;

    if ( name == '-' )
        return 0;
    place = table_put(&kit->loaded.places, &number);
    CHECK(place);
    place->mode = kit_mode(name);
    place->name.address = 0x1000 * number;
    if ( name != '?' && name != '!' )
        CHECK(names_add(&kit->loaded.names, text, &place->name.symbol));
    return (uint32_t)number;
}

/* A node of each place, root first, on one that is there; 0: on none. */
static inline uint32_t kit_node(struct report_kit *kit, const char *names,
                                size_t count)
{
    uint32_t node = 0;

    for ( size_t i = 0; i < count; i++ )
    {
        uint64_t number = kit_place(kit, names[i]);
        struct loaded_place *place = table_find(&kit->loaded.places, &number);

        node = loaded_node(&kit->loaded, node,
                           place ? loaded_spot(&kit->loaded, place, false) : 0);
        CHECK(node);
    }
    return node;
}

/* All of it is one chain. */
static inline uint32_t kit_call(struct report_kit *kit, const char *names)
{
    size_t count = strlen(names);
    const struct loaded_call call = {
        .key = {.nodes = {kit_node(kit, names, count)},
                .place = kit_place(kit, names[count - 1]),
                .called = count > 1}};

    kit->loaded.stacked = kit->loaded.stacked || count > 1;
    return loaded_call(&kit->loaded, &call);
}

static inline struct cell *kit_cell(struct report_kit *kit, struct cell_key key,
                                    uint64_t samples)
{
    struct cell_key clean;
    struct cell *cell;

    memset(&clean, 0, sizeof(clean));
    clean.domain = key.domain;
    clean.place = key.place;
    clean.call = key.call;
    clean.called = key.called;
    clean.vcpu = key.vcpu;
    clean.pcpu = key.pcpu;
    clean.mode = key.mode;
    clean.ended = key.ended;
    clean.thread = key.thread;
    clean.type = key.type;
    cell = table_put(&kit->loaded.cells, &clean);
    CHECK(cell);
    cell->samples += samples;
    cell->time += 10 * samples;
    cell->square += 100.0 * (double)samples;
    return cell;
}

/* Samples of a new stack; 10 ns each. */
static inline struct cell *kit_samples(struct report_kit *kit, uint32_t domain,
                                       const char *names, uint64_t samples)
{
    char leaf = names[strlen(names) - 1];

    return kit_cell(kit,
                    (struct cell_key){.domain = domain,
                                      .place = kit_place(kit, leaf),
                                      .call = kit_call(kit, names),
                                      .called = strlen(names) > 1,
                                      .mode = kit_mode(leaf)},
                    samples);
}

static inline void kit_begin(struct report_kit *kit)
{
    struct domain_key key = {.number = 1};
    struct loaded_domain *domain;

    memset(kit, 0, sizeof(*kit));
    loaded_init(&kit->loaded);
    domain = table_put(&kit->loaded.domains, &key);
    CHECK(domain && names_add(&kit->loaded.names, "web", &domain->name));
    key.number = 2;
    domain = table_put(&kit->loaded.domains, &key);
    CHECK(domain && names_add(&kit->loaded.names, "db", &domain->name));
}

/* Another name for a place that is there, as if it had come late. */
static inline void kit_name(struct report_kit *kit, uint64_t number,
                            const char *symbol)
{
    struct loaded_place *place = loaded_numbered(&kit->loaded.places, number);

    CHECK(place && names_add(&kit->loaded.names, symbol, &place->name.symbol));
    thunk_note(NULL, place, symbol, true);
}

static inline void kit_build(struct report_kit *kit)
{
    thunks_leave_out(&kit->loaded);
    name_all_cells(&kit->loaded, &kit->no_kernels);
    stacks_build(&kit->stacks, &kit->loaded, &kit->no_kernels,
                 FRAMES_BY_SYMBOL);
}

static inline void kit_end(struct report_kit *kit)
{
    stacks_free(&kit->stacks);
    loaded_free(&kit->loaded);
}

/* A frame's letter; '?' if it has no name, '-' if it has no address, '|' where
 * the chain was truncated, '>' where the guest moved, '<' where it is not
 * known. */
static inline char kit_letter(const struct report_kit *kit,
                              const struct frame *frame)
{
    const char *name = names_text(&kit->loaded.names, frame->key.symbol);

    switch ( frame->key.kind )
    {
    case FRAME_TRUNCATED: return '|';
    case FRAME_MOVED: return '>';
    case FRAME_GUEST: return '<';
    case FRAME_UNKNOWN: return '-';
    default: return name ? *name : '?';
    }
}

#endif
