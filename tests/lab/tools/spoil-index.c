/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spoil-index RING VALUE SECONDS: acts as a hostile dom0. Writes VALUE over the
 * consumer index of that ring until Xen says that it has stopped the ring. "+N"
 * and "-N" are relative to the producer index.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <xenforeignmemory.h>
#include <xenhypfs.h>

#include <xenoprof/door.h>

static xenforeignmemory_handle *memory;

static void fail(const char *what)
{
    fprintf(stderr, "spoil-index: %s\n", what);
    exit(1);
}

static void *map(uint64_t mfn, int protection)
{
    xen_pfn_t frame = mfn;
    int error = 0;
    void *page = xenforeignmemory_map(memory, DOMID_XEN, protection, 1, &frame,
                                      &error);

    if ( !mfn || !page || error )
        fail("a page cannot be mapped");
    return page;
}

static uint64_t status_frame(void)
{
    xenhypfs_handle *hypfs = xenhypfs_open(NULL, 0);
    struct xenhypfs_dirent *entry;
    struct xenoprof_door_state *state = hypfs ? (void *)xenhypfs_read_raw(
                                                    hypfs, "/xenoprof/state",
                                                    &entry)
                                              : NULL;

    if ( !state || state->magic != XENOPROF_DOOR_MAGIC )
        fail("the door does not show its state");
    return state->status_mfn;
}

static uint64_t wanted(const char *text, const struct xenoprof_ring_page *ring)
{
    uint64_t producer = xenoprof_load_producer(&ring->producer);
    uint64_t value = strtoull(text + (*text == '+' || *text == '-'), NULL, 0);

    switch ( *text )
    {
    case '+': return producer + value;
    case '-': return producer - value;
    default: return value;
    }
}

static bool stopped(const struct xenoprof_ring_page *ring)
{
    return __atomic_load_n(&ring->state, __ATOMIC_ACQUIRE) ==
           XENOPROF_RING_STOPPED;
}

int main(int argc, char **argv)
{
    const struct xenoprof_status_page *status;
    const struct xenoprof_ring_page *ring;
    struct xenoprof_index_page *index;
    const uint64_t *table;
    unsigned int number, slot;
    time_t end;

    memory = xenforeignmemory_open(NULL, 0);
    if ( argc != 4 || !memory )
        fail("wants RING VALUE SECONDS, in dom0");
    number = atoi(argv[1]);
    slot = number + 1;
    status = map(status_frame(), PROT_READ);
    table = map(status->table_mfn[number / XENOPROF_TABLE_ENTRIES], PROT_READ);
    ring = map(table[number % XENOPROF_TABLE_ENTRIES], PROT_READ);
    index = map(status->index_mfn[slot / XENOPROF_INDEX_SLOTS],
                PROT_READ | PROT_WRITE);
    end = time(NULL) + atoi(argv[3]);
    while ( !stopped(ring) && time(NULL) < end )
    {
        __atomic_store_n(&index->slot[slot % XENOPROF_INDEX_SLOTS],
                         wanted(argv[2], ring), __ATOMIC_RELEASE);
        /* The pCPU must become idle, since its ring holds samples of the idle
         * vCPU. */
        usleep(200);
    }
    if ( !stopped(ring) )
        fail("Xen did not stop the ring");
    puts("stopped");
    return 0;
}
