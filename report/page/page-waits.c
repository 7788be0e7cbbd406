/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-waits.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/account.h"
#include "report/text/json-members.h"
#include "report/waits/waits-text.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_US  1000u
#define WAITS_MOST 2000u /* rows: a host may have thousands of vCPUs */

static uint64_t to_us(uint64_t ns)
{
    return (ns + NS_PER_US / 2) / NS_PER_US;
}

static uint32_t waiter_domain(const struct loaded *loaded,
                              const struct waiting_vcpu *vcpu)
{
    struct owner_key key = {.domain = vcpu->key.domain};

    memcpy(key.uuid, vcpu->key.uuid, sizeof(key.uuid));
    return account_domain(loaded, &key);
}

static void put_waiter(const struct loaded *loaded, uint32_t vcpu,
                       struct bytes *ret)
{
    const struct waiting_vcpu *of = table_at(&loaded->waits.vcpus, vcpu);

    bytes_number(ret, waiter_domain(loaded, of));
    bytes_number(ret, of->key.vcpu);
}

static void put_bins(const struct wait_bin *bins, size_t count, uint64_t first,
                     struct bytes *ret)
{
    bytes_number(ret, count);
    for ( size_t i = 0; i < count; i++ )
    {
        const struct vcpu_times *times = &bins[i].times;

        bytes_number(ret, bins[i].key.bin - first);
        bytes_number(ret, to_us(times->span));
        bytes_number(ret, to_us(times->runnable));
        bytes_number(ret, to_us(times->capped));
        bytes_number(ret, to_us(times->blocked));
        bytes_number(ret, to_us(times->device));
        bytes_number(ret, to_us(times->paused));
        first = bins[i].key.bin;
    }
}

void page_waits_put(const struct loaded *loaded, struct bytes *ret)
{
    const struct wait_bins *waits = &loaded->waits.vcpu_bins;
    const uint64_t start = timeline_start(&loaded->timeline);
    const uint64_t first = start / waits->width;
    struct wait_bin *bins SCOPE_FREE = wait_bins_sorted(waits);
    size_t all = waits->bins.count, at = 0, count;

    if ( !all || !loaded->timeline.begun || !types_is_time(&loaded->types) )
        return;
    bytes_number(ret, waits->width / NS_PER_US);
    bytes_number(ret, (start - first * waits->width) / NS_PER_US);
    /* A group each, also of one that has no bin: rows name them by number. */
    for ( uint32_t vcpu = 0; vcpu < loaded->waits.vcpus.count; vcpu++ )
    {
        size_t before = 0; /* bins that are over when the page begins */

        for ( count = 0; at + count < all && bins[at + count].key.whose == vcpu;
              count++ )
            before += bins[at + count].key.bin < first;
        put_waiter(loaded, vcpu, ret);
        put_bins(&bins[at + before], count - before, first, ret);
        at += count;
    }
}

static void put_waits_row(struct json *json, const struct loaded *loaded,
                          const struct waits_row *row)
{
    const struct vcpu_times *times = &row->vcpu->times;
    char *domain SCOPE_FREE = waits_domain_text(loaded, row->domain);

    json_object_begin_flat(json);
    json_put_text(json, "domain", domain);
    json_put_number(json, "of", waiter_domain(loaded, row->vcpu));
    json_put_number(json, "vcpu", row->vcpu->key.vcpu);
    json_put_number(json, "group",
                    table_index(&loaded->waits.vcpus, row->vcpu));
    json_put_number(json, "known_ns", times->span);
    json_put_number(json, "runnable_ns", times->runnable);
    json_put_number(json, "capped_ns", times->capped);
    json_put_number(json, "blocked_ns", times->blocked);
    json_put_number(json, "device_ns", times->device);
    json_put_number(json, "paused_ns", times->paused);
    json_object_end(json);
}

void page_waits_put_rows(const struct loaded *loaded, struct json *json)
{
    struct waits_row *rows SCOPE_FREE = waits_sorted(&loaded->waits);

    json_key(json, "waits");
    json_array_begin(json);
    for ( size_t i = 0; i < loaded->waits.vcpus.count && i < WAITS_MOST; i++ )
        put_waits_row(json, loaded, &rows[i]);
    json_array_end(json);
}
