/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waits.h"

#include "base/must.h"
#include "report/model/format.h"

#include <stdlib.h>
#include <string.h>

/* Parts of a unit are rounded, and a record may be late by a tick. */
#define MISSING_MIN (20 * XENOPROF_WAIT_UNIT)

#define PARTS_MOST 64u /* of a row: a broken one may be of any time */

void waits_init(struct waits *waits)
{
    table_init(&waits->vcpus, sizeof(struct waits_key),
               sizeof(struct waiting_vcpu));
    table_init(&waits->domains, sizeof(struct waits_key),
               sizeof(struct waiting_domain));
    wait_bins_init(&waits->bins);
    wait_bins_init(&waits->vcpu_bins);
}

void waits_free(struct waits *waits)
{
    table_free(&waits->vcpus);
    table_free(&waits->domains);
    wait_bins_free(&waits->bins);
    wait_bins_free(&waits->vcpu_bins);
}

static struct waits_key waits_key_of(const uint8_t uuid[16], uint16_t domain,
                                     uint16_t vcpu)
{
    struct waits_key key = {.domain = domain, .vcpu = vcpu};

    memcpy(key.uuid, uuid, sizeof(key.uuid));
    return key;
}

void waits_name(struct waits *waits, const struct xenoprof_item *domain,
                uint32_t name)
{
    const struct waits_key key = waits_key_of(domain->u.domain.uuid,
                                              domain->u.domain.domain, 0);
    struct waiting_domain *known = must(table_put(&waits->domains, &key));

    known->name = name;
}

/* Up to that moment. */
static uint64_t part_of(uint64_t time, uint64_t part, uint64_t whole)
{
    return part == whole ? time
                         : (uint64_t)((unsigned __int128)time * part / whole);
}

uint64_t waits_between(uint64_t time, uint64_t whole, uint64_t from,
                       uint64_t to)
{
    return part_of(time, to, whole) - part_of(time, from, whole);
}

/* Returns what there is of them between two moments; blocked is the rest. */
static struct vcpu_times cut_wait(const struct xenoprof_waited *waited,
                                  uint64_t from, uint64_t to)
{
    const uint64_t whole = waited->span;
    struct vcpu_times times = {
        .span = to - from,
        .running = waits_between(waited->running, whole, from, to),
        .runnable = waits_between(waited->runnable, whole, from, to),
        .capped = waits_between(waited->capped, whole, from, to),
        .device = waits_between(waited->device, whole, from, to),
        .paused = waits_between(waited->paused, whole, from, to),
    };
    const uint64_t others = times.running + waits_ready(&times) + times.device +
                            times.paused;

    times.blocked = times.span > others ? times.span - others : 0;
    return times;
}

/* Returns the domain, which has one more vCPU if that is new. */
static struct waiting_domain *domain_of(struct waits *waits,
                                        const struct waits_key *vcpu,
                                        bool is_new)
{
    struct waits_key key = *vcpu;
    struct waiting_domain *domain;

    key.vcpu = 0;
    domain = must(table_put(&waits->domains, &key));
    domain->vcpus += is_new;
    return domain;
}

/* Puts what there is between two of Xen's times into the vCPU's bins, to each
 * its part. */
static void add_to_bins(struct waits *waits, uint32_t vcpu,
                        const struct xenoprof_waited *waited, uint64_t time,
                        const struct time_span *span)
{
    struct wait_bins *bins = &waits->vcpu_bins;
    const uint64_t begin = time - waited->span;
    uint64_t from = span->from, to;

    if ( !bins->wanted )
        return;
    for ( size_t parts = 1; from < span->to; from = to, parts++ )
    {
        struct vcpu_times times;

        to = (from / bins->width + 1) * bins->width;
        if ( to > span->to || to <= from || parts == PARTS_MOST )
            to = span->to;
        times = cut_wait(waited, from - begin, to - begin);
        wait_bins_add(bins, vcpu, to, &times);
    }
}

void waits_add(struct waits *waits, const struct time_span *span, uint64_t time,
               const struct xenoprof_waited *waited)
{
    const struct waits_key key = waits_key_of(waited->uuid, waited->domain,
                                              waited->vcpu);
    uint64_t from = time - waited->span, to = time;
    struct waiting_domain *domain;
    struct waiting_vcpu *vcpu;
    struct vcpu_times times;

    if ( from < span->from )
        from = span->from;
    if ( to > span->to )
        to = span->to;
    if ( waited->span > time || from >= to )
        return;
    times = cut_wait(waited, from - (time - waited->span),
                     to - (time - waited->span));
    vcpu = must(table_put(&waits->vcpus, &key));
    domain = domain_of(waits, &key, !vcpu->times.span);
    if ( !vcpu->times.span || from < vcpu->from )
        vcpu->from = from;
    if ( to > vcpu->to )
        vcpu->to = to;
    vcpu->domain = (uint32_t)table_index(&waits->domains, domain);
    vcpu_times_add(&vcpu->times, &times);
    vcpu_times_add(&domain->times, &times);
    wait_bins_add(&waits->bins, vcpu->domain, to, &times);
    add_to_bins(waits, (uint32_t)table_index(&waits->vcpus, vcpu), waited, time,
                &(struct time_span){from, to});
}

const struct waiting_domain *waits_find(const struct waits *waits,
                                        const uint8_t uuid[16], uint32_t number)
{
    const struct waits_key key = waits_key_of(uuid, (uint16_t)number, 0);

    return table_find(&waits->domains, &key);
}

void waits_add_domain(const struct waits *waits, const uint8_t uuid[16],
                      uint32_t number, struct vcpu_times *to)
{
    const struct waiting_domain *domain = waits_find(waits, uuid, number);

    if ( domain )
        vcpu_times_add(to, &domain->times);
}

double waits_percent(const struct vcpu_times *times, uint64_t part)
{
    return percent_of(part, times->span);
}

/* Shares of a half are compared without rounding. */
static int compare_shares(const struct vcpu_times *a,
                          const struct vcpu_times *b)
{
    unsigned __int128 left = (unsigned __int128)waits_ready(a) * b->span;
    unsigned __int128 right = (unsigned __int128)waits_ready(b) * a->span;

    return (left < right) - (left > right);
}

static int compare_waits_keys(const struct waits_key *a,
                              const struct waits_key *b)
{
    if ( a->domain != b->domain )
        return a->domain < b->domain ? -1 : 1;
    if ( a->vcpu != b->vcpu )
        return a->vcpu < b->vcpu ? -1 : 1;
    return memcmp(a->uuid, b->uuid, sizeof(a->uuid));
}

static int compare_waits_rows(const void *left, const void *right)
{
    const struct waits_row *a = left, *b = right;

    if ( a->domain != b->domain )
        return compare_shares(&a->domain->times, &b->domain->times)
                   ?: compare_waits_keys(&a->domain->key, &b->domain->key);
    return compare_shares(&a->vcpu->times, &b->vcpu->times)
               ?: compare_waits_keys(&a->vcpu->key, &b->vcpu->key);
}

struct waits_row *waits_sorted(const struct waits *waits)
{
    struct waits_row *rows = must(
        calloc(waits->vcpus.count + 1, sizeof(*rows)));

    for ( size_t i = 0; i < waits->vcpus.count; i++ )
    {
        rows[i].vcpu = table_at(&waits->vcpus, i);
        rows[i].domain = table_at(&waits->domains, rows[i].vcpu->domain);
    }
    qsort(rows, waits->vcpus.count, sizeof(*rows), compare_waits_rows);
    return rows;
}

uint64_t waits_missing(const struct waits *waits)
{
    uint64_t missing = 0;

    for ( size_t i = 0; i < waits->vcpus.count; i++ )
    {
        const struct waiting_vcpu *vcpu = table_at(&waits->vcpus, i);
        uint64_t there = vcpu->to - vcpu->from;

        if ( there > vcpu->times.span + MISSING_MIN )
            missing += there - vcpu->times.span;
    }
    return missing;
}
