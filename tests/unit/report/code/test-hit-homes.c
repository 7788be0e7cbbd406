/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which domains run one kernel, also where guests started again for days. */
#include "report/code/hit-homes.h"
#include "tests/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNELS 10000u
#define RUNS    3u /* domains of each */

static struct loaded loaded;

static uint32_t add(uint32_t number, const char *kernel)
{
    const struct domain_key key = {.number = number, .uuid = {1}};
    struct loaded_domain *domain = table_put(&loaded.domains, &key);

    CHECK(domain);
    CHECK(names_add(&loaded.names, kernel, &domain->kernel));
    return (uint32_t)table_index(&loaded.domains, domain);
}

static uint32_t add_kernel(uint32_t number, uint32_t build, uint64_t base)
{
    char text[96];

    snprintf(text, sizeof(text), "release=6.1 build-id=%08x base=0x%llx", build,
             (unsigned long long)base);
    return add(number, text);
}

TEST(a_home_is_the_first_domain_with_that_kernel)
{
    struct hit_home *homes;
    uint32_t first, second, alone[4];

    loaded_init(&loaded);
    first = add_kernel(1, 7, 0x8000);
    alone[0] = add_kernel(2, 8, 0x8000);
    second = add_kernel(3, 7, 0x9000);
    alone[1] = add(4, "release=6.1 base=0x8000");
    alone[2] = add(5, "release=6.1 build-id=00000007 base=here");
    alone[3] = add(6, "none: it was not found");
    homes = hit_homes(&loaded);
    CHECK(homes);
    CHECK_EQ(homes[first].domain, first);
    CHECK_EQ(homes[second].domain, first);
    CHECK_EQ(homes[second].shift, (uint64_t)-0x1000);
    for ( unsigned int i = 0; i < 4; i++ )
    {
        CHECK_EQ(homes[alone[i]].domain, alone[i]);
        CHECK_EQ(homes[alone[i]].shift, 0);
    }
    free(homes);
    loaded_free(&loaded);
}

/* Each is looked at once: this would take minutes otherwise. */
TEST(any_number_of_kernels_is_a_short_matter)
{
    struct hit_home *homes;
    uint32_t first = 0;

    loaded_init(&loaded);
    for ( uint32_t i = 0; i < KERNELS * RUNS; i++ )
    {
        uint32_t index = add_kernel(i, i % KERNELS, i);

        first = i ? first : index;
    }
    homes = hit_homes(&loaded);
    CHECK(homes);
    for ( uint32_t i = 0; i < KERNELS * RUNS; i++ )
    {
        CHECK_EQ(homes[first + i].domain, first + i % KERNELS);
        CHECK_EQ(homes[first + i].shift, (uint64_t)(i % KERNELS) - i);
    }
    free(homes);
    loaded_free(&loaded);
}
