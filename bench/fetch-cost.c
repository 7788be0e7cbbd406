/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fetch list as the module does, in a machine of a few pages: a word of
 * a vCPU and a task, in small pages whose tables are far apart.
 * bench/goals.sh runs this under callgrind.
 *
 *   fetch-cost pv|pvh TIMES
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define guest_tables_known cost_tables_known
#define guest_tables_of    cost_tables_of
#include "hypervisor/port-payload/guest-memory.h"

#define FRAMES 64u
#define BYTES  4096u

static uint8_t machine[FRAMES][BYTES] __attribute__((aligned(4096)));
static struct frame {
    uint64_t unused, count, as_well;
    uint32_t owner, order;
} frame_table[FRAMES];
static struct xenoprof_facts now = {
    .page_size = sizeof(struct frame),
    .page_count_info = 8,
    .page_owner = 24,
    .page_count_bits = 48,
};

/* The code that is measured, in this machine and with these facts. */
#define facts         now
#define xen_current() NULL
#undef XEN_DIRECTMAP_START
#undef XEN_DIRECTMAP_END
#undef XEN_FRAME_TABLE
#define XEN_DIRECTMAP_START ((uintptr_t)machine)
#define XEN_DIRECTMAP_END   (XEN_DIRECTMAP_START + sizeof(machine))
#define XEN_FRAME_TABLE     ((uintptr_t)frame_table)
#include "hypervisor/port-payload/guest-memory.c"

#include "hypervisor/fetch/fetch.c"

enum { DOMAIN = 1, ROOT = 3, P2M_ROOT = 4, FIRST_FREE = 5 };

#define VCPU 0xffff88803ec1fb80ul
#define TASK 0xffff888103405000ul

unsigned long max_page = FRAMES;
static bool pvh;
static unsigned int next = FIRST_FREE;

_Bool __mfn_valid(unsigned long frame)
{
    return frame < FRAMES;
}

bool cost_tables_known(bool hvm)
{
    (void)hvm;
    return true;
}

bool cost_tables_of(const struct xen_vcpu *vcpu, const struct port_state *state,
                    struct guest_tables *ret)
{
    (void)vcpu;
    ret->domain = (const struct xen_domain *)machine[DOMAIN];
    ret->flat = false;
    ret->second = pvh;
    ret->last_frame = FRAMES;
    ret->own.format = PAGE_FORMAT_LONG;
    ret->own.user = state->mode == XENOPROF_MODE_USER;
    ret->own.root = ROOT * BYTES;
    ret->p2m.format = PAGE_FORMAT_NPT;
    ret->p2m.user = false;
    ret->p2m.root = P2M_ROOT * BYTES;
    return true;
}

/* Makes tables that map an address to a frame, or to the next free one. */
static unsigned int map(unsigned int root, uint64_t address, unsigned int to)
{
    uint64_t *entry = NULL;
    unsigned int frame = root;

    for ( unsigned int level = 4; level; level-- )
    {
        entry = (uint64_t *)machine[frame] +
                (address >> (12 + 9 * (level - 1)) & 511);
        if ( !*entry )
            *entry = (level == 1 && to ? to : next++) * (uint64_t)BYTES | 7;
        frame = *entry / BYTES;
    }
    return frame;
}

static void put(uint64_t address, const void *bytes, size_t size)
{
    memcpy(machine[map(ROOT, address, 0)] + address % BYTES, bytes, size);
}

static void make_guest(void)
{
    static const uint64_t task = TASK, ids = 7, start = 9;

    put(VCPU, &task, sizeof(task));
    put(TASK + 2416, &ids, sizeof(ids));
    put(TASK + 2776, &start, sizeof(start));
    put(TASK + 2976, "a-thread", 9);
    for ( unsigned int i = 0; i < FRAMES; i++ )
    {
        frame_table[i] = (struct frame){.count = 1ul << 63 | 2,
                                        .owner = DOMAIN};
        if ( pvh )
            map(P2M_ROOT, (uint64_t)i * BYTES, i);
    }
}

static struct fetch_list list = {
    .list = {
        .list = 1,
        .steps = 4,
        .vcpus = 1,
        .base = {VCPU},
        .step = {{.length = 8, .action = XENOPROF_FETCH_FOLLOW},
                 {.from = 1, .offset = 2416, .length = 8},
                 {.from = 1, .offset = 2776, .length = 8},
                 {.from = 1, .offset = 2976, .length = 16}},
    }};

int main(int argc, char **argv)
{
    const struct port_state guest = {.mode = XENOPROF_MODE_USER};
    unsigned int times = argc > 2 ? atoi(argv[2]) : 1000;
    struct xenoprof_task task;

    pvh = argc > 1 && !strcmp(argv[1], "pvh");
    make_guest();
    while ( times-- )
        if ( !fetch_run(&list, 0, &guest, &task) || task.failed ||
             memcmp(&task.word[2], "a-thread", 9) )
        {
            fprintf(stderr, "fetch-cost: the task is not as it should be\n");
            return 1;
        }
    return 0;
}
