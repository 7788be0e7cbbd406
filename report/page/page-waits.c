/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-waits.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/account.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_US 1000u

static uint64_t to_us(uint64_t ns)
{
    return (ns + NS_PER_US / 2) / NS_PER_US;
}

static void put_waiter(const struct loaded *loaded, uint32_t vcpu,
                       struct bytes *ret)
{
    const struct waiting_vcpu *of = table_at(&loaded->waits.vcpus, vcpu);
    struct owner_key key = {.domain = of->key.domain};

    memcpy(key.uuid, of->key.uuid, sizeof(key.uuid));
    bytes_number(ret, account_domain(loaded, &key));
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
        bytes_number(ret, to_us(waits_ready(times)));
        bytes_number(ret,
                     to_us(times->blocked + times->device + times->paused));
        first = bins[i].key.bin;
    }
}

void page_waits_put(const struct loaded *loaded, struct bytes *ret)
{
    const struct wait_bins *waits = &loaded->waits.vcpu_bins;
    const uint64_t start = timeline_start(&loaded->timeline);
    const uint64_t first = start / waits->width;
    struct wait_bin *bins SCOPE_FREE = wait_bins_sorted(waits);
    size_t all = waits->bins.count, count;

    if ( !all || !loaded->timeline.begun || !types_is_time(&loaded->types) )
        return;
    bytes_number(ret, waits->width / NS_PER_US);
    bytes_number(ret, (start - first * waits->width) / NS_PER_US);
    for ( size_t i = 0; i < all; i += count )
    {
        size_t before = 0; /* bins that are over when the page begins */

        count = 1;
        while ( i + count < all &&
                bins[i + count].key.whose == bins[i].key.whose )
            count++;
        while ( before < count && bins[i + before].key.bin < first )
            before++;
        put_waiter(loaded, bins[i].key.whose, ret);
        put_bins(&bins[i + before], count - before, first, ret);
    }
}
