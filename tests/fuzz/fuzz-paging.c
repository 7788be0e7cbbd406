/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest's page tables and Xen's tables for the guest, both with any content.
 * The input: one byte for both formats, one for the rights, eight bytes of
 * address, then the memory of all tables, repeated.
 *
 * A walk ends after one entry for each level, inside that memory or nowhere;
 * the same walk has the same result twice; what user mode may read, its kernel
 * may.
 */
#include <string.h>

#include "hypervisor/page-walk.h"
#include "fuzz.h"

#define HEADER 10u
#define PAGE   4096u

struct world {
    const uint8_t *bytes;
    size_t size;
    struct page_walk p2m;
    struct page_walk own;
    unsigned int reads;
};

static struct world world;

static uint64_t read_p2m(void *self, uint64_t address, unsigned int bytes)
{
    uint8_t value[8] = {0};
    uint64_t entry;

    (void)self;
    FUZZ_CHECK(address % bytes == 0);
    FUZZ_CHECK(address >> 52 == 0);
    world.reads++;
    for ( unsigned int i = 0; i < bytes; i++ )
        value[i] = world.bytes[(address + i) % world.size];
    memcpy(&entry, value, sizeof(value));
    return entry;
}

static uint64_t read_own(void *self, uint64_t address, unsigned int bytes)
{
    uint64_t machine;

    return page_walk_p2m(&world.p2m, address, read_p2m, self, &machine)
               ? read_p2m(self, machine, bytes)
               : 0;
}

static bool walk(uint64_t address, bool user, uint64_t *ret)
{
    bool found;

    world.own.user = user;
    page_walk_forget(&world.own);
    page_walk_forget(&world.p2m);
    world.reads = 0;
    found = page_walk_guest(&world.own, address, read_own, NULL, ret);
    FUZZ_CHECK(world.reads <= 5 * (4 + 1));
    if ( found )
        FUZZ_CHECK(*ret >> 52 == 0 && *ret % PAGE == address % PAGE);
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t address, first = 0, second = 0;
    bool found;

    if ( size <= HEADER )
        return 0;
    world = (struct world){
        .bytes = data + HEADER,
        .size = size - HEADER,
        .p2m.format = data[0] & 1 ? PAGE_FORMAT_EPT : PAGE_FORMAT_NPT,
        .p2m.root = (data[0] & 0x70ul) << 8,
        .own.format = (data[0] >> 1) % PAGE_FORMAT_NPT,
        .own.no_large = data[1] & 2,
        .own.root = (data[1] & 0xf0ul) << 8,
    };
    memcpy(&address, data + 2, sizeof(address));
    found = walk(address, data[1] & 1, &first);
    /* A second walk, from what the first has left behind. */
    FUZZ_CHECK(page_walk_guest(&world.own, address, read_own, NULL, &second) ==
               found);
    FUZZ_CHECK(!found || first == second);
    if ( found )
        FUZZ_CHECK(walk(address, false, &second) && first == second);
    return 0;
}
