/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What guests do when it is their turn: where their vCPUs are, and with which
 * stacks. */
#include <stdio.h>
#include <string.h>

#include "hypervisor/session.h"
#include "lives-kit.h"

#define STACK      0xffffc90000000000ul
#define PAGE_WORDS (GUEST_PAGE / 8)
#define XEN_CODE   0xffff82d040200010ul

/* What the vCPU that runs on each pCPU has as its stack. */
static uint64_t stacks[LIVES_PCPUS][PAGE_WORDS];

/* Who runs there, as the stub's tasks lie: found by the word of any vCPU. */
static struct task_page {
    uint64_t task; /* where this is */
    uint64_t unused;
    uint32_t tid, pid;
    uint64_t start;
    char comm[16];
} tasks[LIVES_PCPUS][GUEST_PAGE / 48];

const uint8_t *lives_stack_memory(unsigned int pcpu, uint64_t address)
{
    if ( address - (STUB_WORDS & ~0xffful) < 65 * GUEST_PAGE )
        return (const uint8_t *)tasks[pcpu];
    return address / GUEST_PAGE == STACK / GUEST_PAGE
               ? (const uint8_t *)stacks[pcpu]
               : NULL;
}

/* In function number, called by functions that follow from it. */
static void act_honest(unsigned int pcpu, struct port_frame *frame,
                       uint64_t number)
{
    uint64_t depth = 1 + number % 5;

    frame->guest = (struct port_state){
        .ip = LIVES_KERNEL + 0x100 * number + 0x10,
        .sp = STACK + GUEST_PAGE - 8 * depth,
        .mode = XENOPROF_MODE_KERNEL,
    };
    for ( uint64_t i = 0; i < depth; i++ )
        stacks[pcpu][PAGE_WORDS - depth + i] = LIVES_KERNEL + 0x4000 * (i + 1) +
                                               0x100 * number + 8;
}

/* The only thread of its guest. */
static void be(unsigned int pcpu, const struct lives *lives,
               const struct living *guest)
{
    struct task_page *task = tasks[pcpu];

    *task = (struct task_page){
        .task = STUB_WORDS, .tid = 1, .pid = 1, .start = 1000};
    memcpy(task->comm, lives->persons.items[guest->person].prefix, 16);
}

static void act_deep(struct lives *lives, unsigned int pcpu,
                     struct port_frame *frame)
{
    act_honest(pcpu, frame, lives_random(lives, LIVES_STACKS));
    frame->guest.sp = STACK;
    for ( unsigned int i = 0; i < PAGE_WORDS; i++ )
        stacks[pcpu][i] = LIVES_KERNEL + lives_random(lives, 0x100000);
}

static void act_any(struct lives *lives, unsigned int pcpu,
                    struct port_frame *frame)
{
    frame->guest = (struct port_state){
        .ip = lives_random(lives, 2)
                  ? lives_random(lives, UINT64_MAX)
                  : LIVES_KERNEL + lives_random(lives, 0x200000),
        .sp = STACK + lives_random(lives, GUEST_PAGE),
        .mode = lives_random(lives, 2) ? XENOPROF_MODE_KERNEL
                                       : XENOPROF_MODE_USER,
    };
    for ( unsigned int i = 0; i < PAGE_WORDS; i++ )
        stacks[pcpu][i] = lives_random(lives, 2)
                              ? LIVES_KERNEL + lives_random(lives, 0x200000)
                              : lives_random(lives, UINT64_MAX);
}

/* Its numbers never come again. */
static void act_new(struct lives *lives, unsigned int pcpu,
                    struct port_frame *frame)
{
    static uint64_t number;
    struct task_page *task = tasks[pcpu];

    act_honest(pcpu, frame, lives_random(lives, LIVES_STACKS));
    frame->guest.sp = STACK + GUEST_PAGE - 8 * 32;
    for ( unsigned int i = PAGE_WORDS - 32; i < PAGE_WORDS; i++ )
        stacks[pcpu][i] = LIVES_KERNEL + number++ * 3 % 0x100000;
    frame->guest.ip = number % 2 ? LIVES_KERNEL + number * 3 % 0x100000
                                 : 0x400000 + 64 * number;
    frame->guest.mode = number % 2 ? XENOPROF_MODE_KERNEL : XENOPROF_MODE_USER;
    task->pid = task->tid = (uint32_t)number;
    task->start = number;
    snprintf(task->comm, sizeof(task->comm), "n%llu",
             (unsigned long long)number);
}

static void act(struct lives *lives, unsigned int pcpu, struct living *guest)
{
    struct port_frame *frame = &process_pcpu(pcpu)->frame;
    bool honest = lives->persons.items[guest->person].honest;
    uint64_t cr3 = GUEST_PAGE;

    be(pcpu, lives, guest);
    if ( !honest && guest->manner == MANNER_NEW )
        act_new(lives, pcpu, frame);
    else if ( honest || guest->manner == MANNER_SAME )
        act_honest(pcpu, frame, lives_random(lives, LIVES_STACKS));
    else if ( guest->manner == MANNER_DEEP )
        act_deep(lives, pcpu, frame);
    else
        act_any(lives, pcpu, frame);
    if ( guest->manner == MANNER_NOTHING && !honest )
        cr3 = lives_random(lives, 4) * GUEST_PAGE;
    if ( guest->manner == MANNER_PROCESS && !honest )
        frame->guest.mode = XENOPROF_MODE_USER;
    frame->complete = true;
    frame->at = frame->guest;
    if ( lives_random(lives, 4) == 0 )
        frame->at = (struct port_state){.ip = XEN_CODE,
                                        .mode = XENOPROF_MODE_XEN};
    process_pcpu(pcpu)->registers = (struct xenoprof_registers){
        .rsp = frame->guest.sp, .cr3 = cr3};
}

/* How many NMIs a turn has is up to Xen's side: a daemon that was away has
 * lowered the frequency. */
static void end_turn(struct lives *lives, unsigned int pcpu)
{
    uint64_t taken = process_pcpu(pcpu)->nmis_claimed;
    size_t person = lives->turns[pcpu].person;

    if ( person != NOBODY )
        lives->persons.items[person].interrupts += taken -
                                                   lives->turns[pcpu].before;
    lives->turns[pcpu].before = taken;
}

void lives_put_nobody(struct lives *lives, unsigned int pcpu)
{
    end_turn(lives, pcpu);
    lives->turns[pcpu].person = NOBODY;
    process_set_idle(pcpu);
}

void lives_put(struct lives *lives, unsigned int pcpu, struct living *guest)
{
    uint16_t vcpu = guest->next_vcpu;

    end_turn(lives, pcpu);
    lives->turns[pcpu].person = guest->person;
    guest->next_vcpu = (uint16_t)((vcpu + 1) % guest->vcpus);
    process_set_current(pcpu, guest->domain, vcpu);
    act(lives, pcpu, guest);
}

void lives_take_turns(struct lives *lives)
{
    uint64_t first = lives_random(lives, LIVES_SLOTS);
    unsigned int pcpu = 1;

    for ( unsigned int i = 0; i < LIVES_SLOTS && pcpu < LIVES_PCPUS; i++ )
    {
        struct living *guest = &lives->slots[(first + i) % LIVES_SLOTS];

        if ( guest->alive && guest->ready )
            lives_put(lives, pcpu++, guest);
    }
    for ( ; pcpu < LIVES_PCPUS; pcpu++ )
        lives_put_nobody(lives, pcpu);
}
