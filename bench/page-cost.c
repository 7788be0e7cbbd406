/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds a guest's page through the guest's four levels of tables and, for each
 * level and for the page, through Xen's four levels.  All tables lie far apart
 * and nothing is known from the last page.  bench/goals.sh runs this
 * under callgrind.
 *
 *   page-cost pages TIMES
 */
#include <stdio.h>
#include <stdlib.h>

#include "hypervisor/page-walk.h"

#define TABLES  4u
#define ENTRIES 512u
#define PRESENT 1ul

/* Guest and machine frames are the same; Xen's tables lie above its own. */
static uint64_t memory[2 * TABLES][ENTRIES];
static struct page_walk p2m, own;

PAGE_WALK uint64_t read_entry(void *self, uint64_t address, unsigned int bytes)
{
    (void)self;
    (void)bytes;
    return address < sizeof(memory) ? *(uint64_t *)((char *)memory + address)
                                    : 0;
}

/* A function as in the module. */
__attribute__((noinline)) static bool walk_p2m(uint64_t address, uint64_t *ret)
{
    page_walk_forget(&p2m);
    return page_walk_p2m(&p2m, address, read_entry, NULL, ret);
}

PAGE_WALK uint64_t read_counted_entry(void *self, uint64_t address,
                                      unsigned int bytes)
{
    uint64_t machine;

    return walk_p2m(address, &machine) ? read_entry(self, machine, bytes) : 0;
}

__attribute__((noinline, noclone)) static bool walk_page(uint64_t address,
                                                         uint64_t *ret)
{
    uint64_t physical;

    page_walk_forget(&own);
    return page_walk_guest(&own, address, read_counted_entry, NULL,
                           &physical) &&
           walk_p2m(physical, ret);
}

/* Each entry of a table leads to the next table; the last one to a page. */
static void fill(unsigned int first, uint64_t page)
{
    for ( unsigned int table = 0; table < TABLES; table++ )
        for ( unsigned int i = 0; i < ENTRIES; i++ )
            memory[first + table][i] =
                (table + 1 < TABLES ? (first + table + 1) * XENOPROF_PAGE_SIZE
                                    : page ?: i * XENOPROF_PAGE_SIZE) |
                PRESENT;
}

int main(int argc, char **argv)
{
    unsigned int times = argc > 2 ? atoi(argv[2]) : 1000;
    uint64_t found;

    fill(0, 100 * XENOPROF_PAGE_SIZE);
    fill(TABLES, 0);
    own = (struct page_walk){.format = PAGE_FORMAT_LONG};
    p2m = (struct page_walk){.format = PAGE_FORMAT_NPT,
                             .root = TABLES * XENOPROF_PAGE_SIZE};
    while ( times-- )
        if ( !walk_page(0xffffc90012345678, &found) ||
             found != 100 * XENOPROF_PAGE_SIZE + 0x678 )
        {
            fprintf(stderr, "page-cost: the page is not where it should be\n");
            return 1;
        }
    return 0;
}
