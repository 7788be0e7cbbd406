/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hit-homes.h"

#include "base/must.h"
#include "report/model/kernel-attribute.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Kernels by their build-ids, each with the first domain that runs it: guests
 * that start again and again are many domains. */
struct kernels_seen {
    struct names ids;
    struct {
        VECTOR(struct {
            uint32_t domain;
            uint64_t base;
        });
    } first; /* by number of the build-id, from 1 on */
};

/* A kernel without a build-id, or at no known place, is like no other. */
static bool read_base(const struct kernel_attribute *kernel, uint64_t *ret)
{
    const char *text = kernel->value[KERNEL_BASE];
    char *end;

    if ( kernel->missing || !kernel->value[KERNEL_BUILD_ID] || !text )
        return false;
    errno = 0;
    *ret = strtoull(text, &end, 16);
    return !errno && end != text && !*end;
}

static void find_home(struct kernels_seen *seen,
                      const struct kernel_attribute *kernel, uint32_t domain,
                      struct hit_home *ret)
{
    typeof(seen->first.items) first;
    uint32_t number;
    uint64_t base;

    if ( !read_base(kernel, &base) )
        return;
    must_do(names_add(&seen->ids, kernel->value[KERNEL_BUILD_ID], &number));
    if ( number > seen->first.count )
    {
        first = must(vector_add(&seen->first));
        first->domain = domain;
        first->base = base;
    }
    first = &seen->first.items[number - 1];
    ret->domain = first->domain;
    ret->shift = first->base - base;
}

struct hit_home *hit_homes(const struct loaded *loaded)
{
    struct hit_home *homes = must(
        calloc(loaded->domains.count + 1, sizeof(*homes)));
    struct kernels_seen seen = {.first.count = 0};

    names_init(&seen.ids);
    for ( uint32_t i = 0; i < loaded->domains.count; i++ )
    {
        struct kernel_attribute kernel;

        homes[i].domain = i;
        if ( !kernel_attribute_read(loaded, i, &kernel) )
            continue;
        find_home(&seen, &kernel, i, &homes[i]);
        kernel_attribute_free(&kernel);
    }
    names_free(&seen.ids);
    vector_free(&seen.first);
    return homes;
}
