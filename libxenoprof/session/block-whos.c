/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who samples of a block are of. */
#include <string.h>

#include "block-items.h"

#define STEPS_WHO 80u /* who it is of is not known yet */

#define STEP_DOMAINS 16u /* numbers by domain that are cleared in a step */

#define WHO_MIX 0x9e3779b97f4a7c15u

/* A block's dense whos: at most so many for each row, and some. */
#define DENSE_EACH 8u
#define DENSE_MORE 256u

/* In it there are numbers and 2. */
#define DENSE_NONE  0u /* not looked for yet */
#define DENSE_FIRST 2u

/* Returns why the guest entered Xen; nothing if that is not known. */
static struct xenoprof_entry get_entry(const struct reader_tables *read,
                                       const struct defined_shape *shape)
{
    const struct xenoprof_entry *entry = READ_FIND(read, entries, shape->entry);

    return entry && entry->kind ? *entry : (struct xenoprof_entry){.kind = 0};
}

/* Returns who ran in the guest; nothing if that is not known. */
static struct xenoprof_thread get_thread(const struct reader_tables *read,
                                         uint64_t number)
{
    const struct xenoprof_thread *thread = READ_FIND(read, threads, number);

    return thread && *thread->comm ? *thread
                                   : (struct xenoprof_thread){.comm = ""};
}

static bool is_asked(const struct reader_tables *read, unsigned int column)
{
    return !(read->section.unwanted >> column & 1);
}

/* Returns false for a sample of which a lost block said who or what it is;
 * apart: on which vCPU it ran is said elsewhere. */
static bool get_who(const struct reader_tables *read, size_t row, bool apart,
                    struct xenoprof_who *ret)
{
    uint64_t *const *values = read->section.values;
    const struct defined_shape *shape = READ_FIND(
        read, shapes, values[SESSION_SAMPLE_SHAPE][row]);
    uint16_t type, vcpu;
    const struct defined_domain *domain = reader_vcpu(
        read, values[SESSION_SAMPLE_VCPU][row], &vcpu);

    if ( !shape || !shape->known || !domain ||
         !reader_type(read, shape->type, &type) )
        return false;
    *ret = (struct xenoprof_who){
        .domain = domain->number,
        .vcpu = apart ? 0 : vcpu,
        .pcpu = is_asked(read, SESSION_SAMPLE_PCPU)
                    ? (uint16_t)values[SESSION_SAMPLE_PCPU][row]
                    : 0,
        .entry = get_entry(read, shape),
        .thread = get_thread(read, is_asked(read, SESSION_SAMPLE_THREAD)
                                       ? values[SESSION_SAMPLE_THREAD][row]
                                       : 0),
    };
    shape_to_who(shape, type, ret);
    return true;
}

/* Returns what is noted of the domain of this vCPU of the file if its number
 * was another's up to here, or NULL.  *done becomes false if there is no
 * memory. */
const struct items_domain *whos_changed_domain(struct block_items *items,
                                               uint32_t vcpu, bool *done)
{
    uint32_t row = items->read->vcpus.items[vcpu - 1].domain;
    const struct defined_domain *known = READ_FIND(items->read, domains, row);
    uint32_t domain = items_domain(items, row, done);
    const struct items_domain *noted;

    if ( !domain || domain > items->domains.count ||
         items->domain_now[known->number] == domain )
        return NULL;
    noted = &items->domains.items[domain - 1];
    return noted->name ? noted : NULL;
}

/* Finds who a row is of: a number, or WHO_UNKNOWN.  Returns false if there is
 * no memory. */
static bool put_who(struct block_items *items, size_t row, uint32_t *ret)
{
    uint64_t vcpu = items->read->section.values[SESSION_SAMPLE_VCPU][row];
    struct xenoprof_who who;
    bool done = true;

    items->steps += STEPS_WHO;
    *ret = WHO_UNKNOWN;
    if ( !get_who(items->read, row, items->columns.apart, &who) )
        return true;
    items->changes |= whos_changed_domain(items, (uint32_t)vcpu, &done) != NULL;
    return done && sample_columns_who(&items->columns, &who, ret);
}

/* What a row says of who it is of, in one number.  No domain, vCPU or shape has
 * a number that is too large for that. */
static inline uint64_t who_key(uint64_t shape, uint64_t vcpu, uint64_t pcpu)
{
    return (shape | vcpu) >> 24 ? 0 : shape << 40 | vcpu << 16 | (uint16_t)pcpu;
}

/* Puts the numbers of who rows from first to end are of into a column, or
 * WHO_UNKNOWN; *known becomes false if there is one of these, and
 * items->changes true if a domain's number was another's up to here.  Returns
 * false if there is no memory. */
bool whos_find_some(struct block_items *items, size_t first, size_t end,
                    uint32_t *restrict whos, bool *known)
{
    uint64_t *const *values = items->read->section.values;
    const uint64_t *shapes = values[SESSION_SAMPLE_SHAPE];
    const uint64_t *vcpus = values[SESSION_SAMPLE_VCPU];
    const uint64_t *pcpus = values[SESSION_SAMPLE_PCPU];
    const uint64_t *threads = values[SESSION_SAMPLE_THREAD];
    const uint32_t turn = items->turn;

    for ( size_t i = first; i < end; i++ )
    {
        uint64_t key = who_key(shapes[i], vcpus[i], pcpus[i]);
        uint64_t mixed = (key + (threads[i] << 32)) * WHO_MIX;
        struct items_who *who = &items->whos[mixed >> (64 - WHO_BITS)];

        if ( who->key != key || who->thread != threads[i] || who->turn != turn )
        {
            *who = (struct items_who){key, threads[i], turn, WHO_UNKNOWN};
            if ( !put_who(items, i, &who->who) )
                return false;
        }
        *known &= who->who != WHO_UNKNOWN;
        *whos++ = who->who;
    }
    return true;
}

/* A power of two that no value of a column reaches. */
static uint64_t column_range(const uint64_t *values, size_t count)
{
    uint64_t all = 0;
    size_t i = 0;

    for ( ; i + 4 <= count; i += 4 )
        all |= values[i] | values[i + 1] | values[i + 2] | values[i + 3];
    for ( ; i < count; i++ )
        all |= values[i];
    return all ? 2ull << (63 - __builtin_clzll(all)) : 1;
}

/* What says who a row is of, as digits of one number. */
static const unsigned int who_columns[WHO_COLUMNS] = {
    SESSION_SAMPLE_SHAPE, SESSION_SAMPLE_VCPU, SESSION_SAMPLE_PCPU,
    SESSION_SAMPLE_THREAD};

/* Sets the ranges of the block's digits.  Returns how many numbers they make,
 * or 0 if these are too many for a table of them. */
static size_t dense_size(const struct reader_tables *read,
                         uint64_t ranges[WHO_COLUMNS])
{
    const size_t count = read->section.count;
    const uint64_t most = DENSE_EACH * count + DENSE_MORE;
    uint64_t size = 1;

    for ( unsigned int i = 0; i < WHO_COLUMNS; i++ )
    {
        ranges[i] = is_asked(read, who_columns[i])
                        ? column_range(read->section.values[who_columns[i]],
                                       count)
                        : 1;
        if ( !ranges[i] || ranges[i] > most / size )
            return 0;
        size *= ranges[i];
    }
    return (size_t)size;
}

/* Returns a map of so many numbers, all 0, or NULL if there is no memory. */
static uint32_t *clear_map(struct items_map *map, size_t size)
{
    map->count = 0;
    if ( !vector_reserve(map, size) )
        return NULL;
    return memset(map->items, 0, size * sizeof(*map->items));
}

/* As find_dense(), where pCPUs are not asked for, and threads neither, or the
 * block has none. */
static bool find_dense_vcpus(struct block_items *items, uint64_t vcpu_range,
                             uint32_t *restrict whos, bool *known)
{
    uint64_t *const *values = items->read->section.values;
    const uint64_t *shapes = values[SESSION_SAMPLE_SHAPE];
    const uint64_t *vcpus = values[SESSION_SAMPLE_VCPU];
    const size_t count = items->read->section.count;
    uint32_t *dense = items->dense.items;

    for ( size_t i = 0; i < count; i++ )
    {
        uint32_t *who = &dense[shapes[i] * vcpu_range + vcpus[i]];

        if ( *who == DENSE_NONE )
        {
            if ( !put_who(items, i, who) )
                return false;
            *known &= *who != WHO_UNKNOWN;
            *who += DENSE_FIRST;
        }
        whos[i] = *who - DENSE_FIRST;
    }
    return true;
}

/* As whos_find_some() does of all of a block's rows. */
static bool find_dense(struct block_items *items,
                       const uint64_t ranges[WHO_COLUMNS],
                       uint32_t *restrict whos, bool *known)
{
    uint64_t *const *values = items->read->section.values;
    const uint64_t *shapes = values[SESSION_SAMPLE_SHAPE];
    const uint64_t *vcpus = values[SESSION_SAMPLE_VCPU];
    const uint64_t *pcpus = values[SESSION_SAMPLE_PCPU];
    const uint64_t *threads = values[SESSION_SAMPLE_THREAD];
    const uint64_t vcpu_range = ranges[1], pcpu_range = ranges[2];
    const uint64_t thread_range = ranges[3];
    const size_t count = items->read->section.count;
    uint32_t *dense = items->dense.items;

    for ( size_t i = 0; i < count; i++ )
    {
        uint64_t at = (shapes[i] * vcpu_range + vcpus[i]) * pcpu_range +
                      pcpus[i];
        uint32_t *who = &dense[at * thread_range + threads[i]];

        if ( *who == DENSE_NONE )
        {
            if ( !put_who(items, i, who) )
                return false;
            *known &= *who != WHO_UNKNOWN;
            *who += DENSE_FIRST;
        }
        whos[i] = *who - DENSE_FIRST;
    }
    return true;
}

/* The same for all of the block's rows.  Few are told apart, and what tells
 * them apart are small numbers most often: these are digits of one, at which a
 * table of the block has who that is.  Where they make too large a table, as on
 * a large host, those that came lately are found by a hash. */
bool whos_find(struct block_items *items, bool *known)
{
    const struct reader_tables *read = items->read;
    uint64_t ranges[WHO_COLUMNS];
    size_t size = dense_size(read, ranges);

    if ( size && !clear_map(&items->dense, size) )
        return false;
    if ( size && !is_asked(read, SESSION_SAMPLE_PCPU) && ranges[3] == 1 )
        return find_dense_vcpus(items, ranges[1], items->columns.whos, known);
    /* What is not asked for is 0 in all rows. */
    for ( unsigned int i = 0; i < WHO_COLUMNS; i++ )
        if ( !is_asked(read, who_columns[i]) )
            memset(read->section.values[who_columns[i]], 0,
                   read->section.count * sizeof(uint64_t));
    return size ? find_dense(items, ranges, items->columns.whos, known)
                : whos_find_some(items, 0, read->section.count,
                                 items->columns.whos, known);
}

/* Whether all shapes are of time in which pCPUs worked. */
bool whos_are_busy(struct block_items *items)
{
    const struct reader_tables *read = items->read;
    uint16_t type;

    items->steps += read->shapes.count;
    for ( size_t i = 0; i < read->shapes.count; i++ )
        if ( !reader_type(read, read->shapes.items[i].type, &type) ||
             type != XENOPROF_TYPE_TIME ||
             (read->shapes.items[i].has & SHAPE_HAS_MODE) ==
                 XENOPROF_MODE_IDLE )
            return false;
    return true;
}

/* Puts where samples ran into columns.  What is left of it is the same for all
 * vCPUs of a domain: the first one of the block, and no pCPU.  Returns false if
 * there is no memory. */
bool whos_set_apart(struct block_items *items)
{
    const struct reader_tables *read = items->read;
    uint64_t *vcpus = read->section.values[SESSION_SAMPLE_VCPU];
    uint64_t *pcpus = read->section.values[SESSION_SAMPLE_PCPU];
    uint32_t *first = clear_map(&items->first_vcpus, read->domains.count + 1);
    const bool asked = is_asked(read, SESSION_SAMPLE_PCPU);

    items->steps += read->domains.count / STEP_DOMAINS;
    for ( size_t i = 0; first && i < read->section.count; i++ )
    {
        const struct defined_vcpu *vcpu = READ_FIND(read, vcpus, vcpus[i]);

        items->columns.on_pcpus[i] = asked ? (uint16_t)pcpus[i] : 0;
        pcpus[i] = 0;
        if ( !vcpu || vcpu->domain > read->domains.count )
            continue;
        items->columns.on_vcpus[i] = vcpu->number;
        if ( !first[vcpu->domain] )
            first[vcpu->domain] = (uint32_t)vcpus[i];
        vcpus[i] = first[vcpu->domain];
    }
    return first;
}

bool whos_take_ticks(struct block_items *items)
{
    const struct reader_tables *read = items->read;
    struct sample_columns *columns = &items->columns;
    const size_t count = read->rows[SESSION_TABLE_TICKS].count / TICKS_WIDTH;
    bool done = true;

    items->steps += count * STEPS_WHO;
    for ( size_t i = 0; done && i < count; i++ )
    {
        const uint64_t *row = read->rows[SESSION_TABLE_TICKS].items +
                              i * TICKS_WIDTH;
        const size_t at = columns->count;
        const uint32_t vcpu = (uint32_t)row[SESSION_TICKS_VCPU];
        struct xenoprof_who who = {.count = 1};
        const struct defined_domain *domain = reader_vcpu(read, vcpu,
                                                          &who.vcpu);

        if ( !domain )
            continue;
        who.domain = domain->number;
        columns->vcpus[at] = vcpu;
        columns->seconds[at] = (uint32_t)row[SESSION_TICKS_SECOND];
        columns->times[at] = row[SESSION_TICKS_TIME] * row[SESSION_TICKS_SCALE];
        items->changes |= whos_changed_domain(items, vcpu, &done) != NULL;
        done = done && sample_columns_who(columns, &who, &columns->whos[at]);
        columns->count++;
    }
    return done;
}
