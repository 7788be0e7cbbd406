/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory and shared pages.  A page lies in a block of its own: before it what
 * it is, behind it nothing, so that a write past it is noticed.  The block is
 * shared memory, so that a reader can map the page again, beside others.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "private.h"

#define FRAMES      (1u << 18)
#define FIRST_FRAME 0x100000u
#define PAGE        XENOPROF_PAGE_SIZE
#define BLOCK       (3 * PAGE)

struct piece {
    unsigned long bytes;
    unsigned long guard;
};

#define GUARD 0x5041474547554152ul

struct page_state {
    uint64_t guard;
    uint64_t mfn;
    uint32_t mapped;
    bool given_up;
};

static void *frames[FRAMES]; /* by mfn - FIRST_FRAME; the page itself */
static uint32_t next_frame;

static bool no_memory(void)
{
    struct process_host *host = process_host();

    if ( host->memory_left < 0 )
        return false;
    if ( !host->memory_left )
        return true;
    host->memory_left--;
    return false;
}

void *port_alloc(unsigned long bytes)
{
    struct piece *piece;

    process_need(CONTEXT_COMMAND, __func__);
    if ( !bytes )
        process_fail("an allocation of no bytes");
    if ( no_memory() )
        return NULL;
    piece = calloc(1, sizeof(*piece) + bytes);
    if ( !piece )
        process_fail("the process itself is out of memory");
    piece->bytes = bytes;
    piece->guard = GUARD;
    process_host()->allocated++;
    return piece + 1;
}

void port_free(void *memory, unsigned long bytes)
{
    struct piece *piece = (struct piece *)memory - 1;

    process_need(CONTEXT_COMMAND, __func__);
    if ( piece->guard != GUARD )
        process_fail("memory is freed that was not allocated");
    if ( piece->bytes != bytes )
        process_fail("%lu bytes are freed of %lu", bytes, piece->bytes);
    piece->guard = 0;
    process_host()->allocated--;
    free(piece);
}

static struct page_state *state_of(const void *page)
{
    struct page_state *state = (struct page_state *)((unsigned char *)page -
                                                     PAGE);

    if ( state->guard != GUARD )
        process_fail("%p is no shared page", page);
    return state;
}

static uint32_t free_frame(void)
{
    for ( uint32_t tries = 0; tries < FRAMES; tries++ )
    {
        uint32_t frame = next_frame++ % FRAMES;

        if ( !frames[frame] )
            return frame;
    }
    process_fail("all %u frames are in use", FRAMES);
}

void *port_page_share(enum port_access access)
{
    unsigned char *block;
    struct page_state *state;
    uint32_t frame;

    (void)access;
    process_need(CONTEXT_COMMAND, __func__);
    if ( no_memory() )
        return NULL;
    block = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if ( block == MAP_FAILED || mprotect(block + 2 * PAGE, PAGE, PROT_NONE) )
        process_fail("the process itself is out of memory");
    frame = free_frame();
    state = (struct page_state *)block;
    state->guard = GUARD;
    state->mfn = FIRST_FRAME + frame;
    __atomic_store_n(&frames[frame], block + PAGE, __ATOMIC_RELEASE);
    process_host()->shared++;
    return block + PAGE;
}

uint64_t port_page_mfn(const void *page)
{
    return state_of(page)->mfn;
}

static bool free_unless_mapped(struct page_state *state)
{
    if ( state->mapped )
        return false;
    __atomic_store_n(&frames[state->mfn - FIRST_FRAME], NULL, __ATOMIC_RELEASE);
    process_host()->shared--;
    state->guard = 0;
    munmap(state, BLOCK);
    return true;
}

bool port_page_unshare(void *page)
{
    struct page_state *state = state_of(page);

    process_need(CONTEXT_COMMAND, __func__);
    if ( state->given_up )
        process_fail("page %#lx is given up twice", state->mfn);
    state->given_up = true;
    return free_unless_mapped(state);
}

bool port_page_reap(void *page)
{
    struct page_state *state = state_of(page);

    process_need(CONTEXT_COMMAND, __func__);
    if ( !state->given_up )
        process_fail("page %#lx is reaped while shared", state->mfn);
    return free_unless_mapped(state);
}

void *process_page(uint64_t mfn)
{
    if ( mfn < FIRST_FRAME || mfn >= FIRST_FRAME + FRAMES )
        return NULL;
    return __atomic_load_n(&frames[mfn - FIRST_FRAME], __ATOMIC_ACQUIRE);
}

void *process_map(uint64_t mfn)
{
    void *page = process_page(mfn);

    if ( page )
        state_of(page)->mapped++;
    return page;
}

void process_unmap(uint64_t mfn)
{
    void *page = process_page(mfn);

    if ( !page || !state_of(page)->mapped )
        process_fail("frame %#lx is unmapped that is not mapped", mfn);
    state_of(page)->mapped--;
}

/* What the core abandoned when it was unloaded goes with the host. */
void process_reset_memory(void)
{
    for ( uint32_t frame = 0; frame < FRAMES; frame++ )
    {
        if ( !frames[frame] )
            continue;
        if ( !state_of(frames[frame])->given_up )
            process_fail("page %#lx is still shared after unload",
                         state_of(frames[frame])->mfn);
        state_of(frames[frame])->mapped = 0;
        free_unless_mapped(state_of(frames[frame]));
    }
    if ( process_host()->allocated )
        process_fail("%lu pieces of memory are left after unload",
                     process_host()->allocated);
}
