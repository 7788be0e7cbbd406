/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory and shared pages.  Shared pages are parts of a file in memory, so that
 * a reader can map them again, several in a row.  Here each one lies between
 * pages without access, and has no access once it is free, so that a stray
 * access crashes.  Beyond what a usual host has there are no pages in between:
 * a process cannot have so many mappings.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process-private.h"

#define FRAMES      (1u << 18)
#define FIRST_FRAME 0x100000u
#define PAGE        XENOPROF_PAGE_SIZE
#define STRIDE      (2ul * PAGE)
#define APART       (1u << 14) /* frames with a gap before each */
#define APART_SIZE  (APART * STRIDE)
#define AREA_SIZE   (APART_SIZE + (FRAMES - APART) * (unsigned long)PAGE)

#define GUARD 0x47554152u

struct process_piece {
    unsigned long bytes;
    unsigned int pcpu; /* that it is near to, or PORT_ANYWHERE */
    unsigned int guard;
    uint64_t reserved[2]; /* what follows is aligned */
};

enum page_use { PAGE_NEVER_USED, PAGE_FREE, PAGE_SHARED, PAGE_GIVEN_UP };

static struct page_state {
    enum page_use use;
    uint32_t mapped;
} states[FRAMES];

static unsigned char *area; /* all frames */
static int file = -1;       /* that frames are mapped from */
static uint32_t next_frame; /* no frame below is free */
static uint32_t end_frame;  /* no frame from here on was ever used */

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

static void *alloc(unsigned int pcpu, unsigned long bytes)
{
    struct process_piece *piece;

    process_need(CONTEXT_COMMAND, "port_alloc");
    if ( !bytes )
        process_fail("an allocation of no bytes");
    if ( no_memory() )
        return NULL;
    piece = calloc(1, sizeof(*piece) + bytes);
    if ( !piece )
        process_fail("the process itself is out of memory");
    piece->bytes = bytes;
    piece->pcpu = pcpu;
    piece->guard = GUARD;
    process_host()->allocated++;
    process_host()->bytes += bytes;
    return piece + 1;
}

static void release(struct process_piece *piece, unsigned long bytes)
{
    process_need(CONTEXT_COMMAND, "port_free");
    if ( piece->guard != GUARD )
        process_fail("memory is freed that was not allocated");
    if ( piece->bytes != bytes )
        process_fail("%lu bytes are freed of %lu", bytes, piece->bytes);
    piece->guard = 0;
    process_host()->allocated--;
    process_host()->bytes -= bytes;
    free(piece);
}

void *port_alloc(unsigned long bytes)
{
    return alloc(PORT_ANYWHERE, bytes);
}

void port_free(void *memory, unsigned long bytes)
{
    struct process_piece *piece = (struct process_piece *)memory - 1;

    if ( piece->pcpu != PORT_ANYWHERE )
        process_fail("memory near pCPU %u is freed as any", piece->pcpu);
    release(piece, bytes);
}

void *port_alloc_near(unsigned int pcpu, unsigned long bytes)
{
    void *memory = alloc(pcpu, bytes);

    if ( memory )
        process_pcpu(pcpu)->near_bytes += bytes;
    return memory;
}

void port_free_near(void *memory, unsigned long bytes)
{
    struct process_piece *piece = (struct process_piece *)memory - 1;

    process_pcpu(piece->pcpu)->near_bytes -= bytes;
    release(piece, bytes);
}

uint64_t port_memory_free(void)
{
    const struct process_host *host = process_host();
    uint64_t used = host->bytes + host->shared * XENOPROF_PAGE_SIZE;

    process_need(CONTEXT_COMMAND, __func__);
    return host->memory_free > used ? host->memory_free - used : 0;
}

static void open_area(void)
{
    if ( area )
        return;
    file = memfd_create("xenoprof-frames", MFD_CLOEXEC);
    if ( file < 0 || ftruncate(file, (off_t)FRAMES * PAGE) )
        process_fail("no file in memory for shared pages");
    area = mmap(NULL, AREA_SIZE, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if ( area == MAP_FAILED )
        process_fail("no address space for shared pages");
}

static unsigned char *page_at(uint32_t frame)
{
    return frame < APART ? area + frame * STRIDE + PAGE
                         : area + APART_SIZE + (frame - APART) * (size_t)PAGE;
}

static uint32_t frame_of(const void *page)
{
    unsigned long offset = (const unsigned char *)page - area;
    uint64_t frame = offset < APART_SIZE ? offset / STRIDE
                                         : APART + (offset - APART_SIZE) / PAGE;

    if ( !area || frame >= end_frame || page != page_at((uint32_t)frame) )
        process_fail("%p is not a shared page", page);
    return (uint32_t)frame;
}

static uint32_t free_frame(void)
{
    while ( next_frame < FRAMES && states[next_frame].use >= PAGE_SHARED )
        next_frame++;
    if ( next_frame == FRAMES )
        process_fail("all %u frames are in use", FRAMES);
    if ( next_frame >= end_frame )
        end_frame = next_frame + 1;
    return next_frame;
}

/* Makes a page accessible, and clears it as Xen does. */
static void open_page(uint32_t frame)
{
    const int access = PROT_READ | PROT_WRITE;
    unsigned char *page = page_at(frame);
    void *opened = page;

    if ( states[frame].use == PAGE_NEVER_USED )
        opened = mmap(page, PAGE, access, MAP_SHARED | MAP_FIXED, file,
                      (off_t)frame * PAGE);
    else if ( mprotect(page, PAGE, access) )
        opened = MAP_FAILED;
    if ( opened == MAP_FAILED )
        process_fail("the process itself is out of memory");
    memset(page, 0, PAGE);
}

void *port_page_share(enum port_access access, unsigned int pcpu)
{
    uint32_t frame;

    (void)access;
    process_need(CONTEXT_COMMAND, __func__);
    if ( no_memory() )
        return NULL;
    open_area();
    frame = free_frame();
    open_page(frame);
    /* Release, with is_page(): a page that is found is cleared. */
    __atomic_store_n(&states[frame].use, PAGE_SHARED, __ATOMIC_RELEASE);
    process_host()->shared++;
    if ( pcpu != PORT_ANYWHERE )
        process_pcpu(pcpu)->near_pages++;
    return page_at(frame);
}

uint64_t port_page_mfn(const void *page)
{
    return FIRST_FRAME + frame_of(page);
}

static bool free_unless_mapped(uint32_t frame)
{
    if ( states[frame].mapped )
        return false;
    __atomic_store_n(&states[frame].use, PAGE_FREE, __ATOMIC_RELEASE);
    process_host()->shared--;
    if ( mprotect(page_at(frame), PAGE, PROT_NONE) )
        process_fail("a page cannot be taken away");
    if ( frame < next_frame )
        next_frame = frame;
    return true;
}

bool port_page_unshare(void *page)
{
    uint32_t frame = frame_of(page);

    process_need(CONTEXT_COMMAND, __func__);
    if ( states[frame].use != PAGE_SHARED )
        process_fail("page %#x is given up twice", FIRST_FRAME + frame);
    states[frame].use = PAGE_GIVEN_UP;
    return free_unless_mapped(frame);
}

bool port_page_reap(void *page)
{
    uint32_t frame = frame_of(page);

    process_need(CONTEXT_COMMAND, __func__);
    if ( states[frame].use != PAGE_GIVEN_UP )
        process_fail("page %#x is reaped while shared", FIRST_FRAME + frame);
    return free_unless_mapped(frame);
}

/* May be called by readers' threads while the core shares pages: acquire, with
 * port_page_share(). */
static bool is_page(uint64_t mfn)
{
    uint64_t frame = mfn - FIRST_FRAME;

    return frame < FRAMES &&
           __atomic_load_n(&states[frame].use, __ATOMIC_ACQUIRE) >= PAGE_SHARED;
}

void *process_page(uint64_t mfn)
{
    return is_page(mfn) ? page_at(mfn - FIRST_FRAME) : NULL;
}

int process_frame_file(uint64_t mfn, uint64_t *offset)
{
    if ( !is_page(mfn) )
        return -1;
    *offset = (mfn - FIRST_FRAME) * PAGE;
    return file;
}

void *process_map(uint64_t mfn)
{
    if ( !is_page(mfn) )
        return NULL;
    states[mfn - FIRST_FRAME].mapped++;
    return page_at(mfn - FIRST_FRAME);
}

void process_unmap(uint64_t mfn)
{
    if ( !is_page(mfn) || !states[mfn - FIRST_FRAME].mapped )
        process_fail("frame %#lx is unmapped that is not mapped", mfn);
    states[mfn - FIRST_FRAME].mapped--;
}

/* Frees what the core abandoned when it was unloaded. */
void process_reset_memory(void)
{
    for ( uint32_t frame = 0; frame < end_frame; frame++ )
    {
        if ( states[frame].use < PAGE_SHARED )
            continue;
        if ( states[frame].use == PAGE_SHARED )
            process_fail("page %#x is still shared after unload",
                         FIRST_FRAME + frame);
        states[frame].mapped = 0;
        free_unless_mapped(frame);
    }
    if ( process_host()->allocated )
        process_fail("%lu pieces of memory are left after unload",
                     process_host()->allocated);
}
