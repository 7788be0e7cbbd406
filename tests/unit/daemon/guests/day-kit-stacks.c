/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the vCPUs of a large host are, and what they have on their stacks. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/growing-model.h"
#include "day-kit.h"
#include "tests/unit/hypervisor/stack-kit.h"

#define STACK      0xffffc90000000000ul
#define PAGE_WORDS (GUEST_PAGE / 8)
#define KERNEL     0xffffffff81000000ul
#define XEN_WORDS  64u

/* All of Xen's functions, and one that is entered from a guest. */
#define FUNCTIONS (GROWING_FUNCTIONS * 1024u / KIT_FUNCTION + 2)

/* A pCPU's: the page of the guest's stack that is at its end, and Xen's. */
static struct day_stack {
    uint64_t guest[PAGE_WORDS];
    uint64_t xen[XEN_WORDS];
} stacks[PROCESS_PCPUS_MAX];

static struct kit_table table;

static const uint8_t *read_stack(unsigned int pcpu, uint64_t address)
{
    return address / GUEST_PAGE == STACK / GUEST_PAGE
               ? (const uint8_t *)stacks[pcpu].guest
               : NULL;
}

/* A caller's address lies on top of the stack, whichever function it is. */
static void make_table(void)
{
    table = kit_table_make(FUNCTIONS);
    for ( uint32_t i = 0; i < table.head->rows; i++ )
        table.rows[i].state = KIT_LEAF;
    table.rows[table.head->rows - 1].state = KIT_REGS;
    process_host()->unwind_table = table.head;
    process_host()->unwind_size = table.head->size;
}

void day_make_stacks(const struct day_host *host)
{
    make_table();
    process_host()->memory = read_stack;
    for ( unsigned int i = 0; i < host->pcpus; i++ )
    {
        process_pcpu(i)->stacks[0] = (struct port_span){
            (uintptr_t)stacks[i].xen, (uintptr_t)(stacks[i].xen + XEN_WORDS)};
        process_pcpu(i)->frame.on_xen_stack = true;
    }
}

void day_free_stacks(void)
{
    free(table.head);
}

char *day_symbols(size_t *size)
{
    char *text = NULL, name[GROWING_NAME];
    FILE *file = open_memstream(&text, size);

    CHECK(file);
    for ( uint16_t i = 0; i < GROWING_FUNCTIONS; i++ )
    {
        struct growing_frame frame = growing_function(XENOPROF_MODE_XEN, i);

        growing_name(&frame, name);
        fprintf(file, "%016lx T %s\n", (unsigned long)frame.start, name);
    }
    CHECK_EQ(fclose(file), 0);
    return text;
}

/* Puts the first count frames, root first, where their addresses are found.
 * Returns how many words that takes; the leaf is none of them. */
static unsigned int put_callers(const struct growing_frame *frames,
                                size_t count, uint64_t root, uint64_t *end)
{
    unsigned int words = 1;

    end[-1] = root;
    for ( size_t i = 0; i + 1 < count; i++ )
        end[-(int)++words] = frames[i].address + 1;
    return words;
}

static void put_kernel(const struct growing_stack *stack, size_t count,
                       struct day_stack *to, struct port_frame *frame)
{
    unsigned int words = put_callers(stack->frames, count, KERNEL + 1,
                                     to->guest + PAGE_WORDS);

    frame->guest = (struct port_state){
        .ip = stack->frames[count - 1].address,
        .sp = STACK + GUEST_PAGE - 8 * words,
        .mode = XENOPROF_MODE_KERNEL,
    };
}

static void put_xen(const struct growing_stack *stack, size_t kernel,
                    struct day_stack *to, struct port_frame *frame)
{
    uint64_t *end = to->xen + XEN_WORDS - 1;
    unsigned int words = put_callers(stack->frames + kernel,
                                     stack->count - kernel,
                                     kit_in(FUNCTIONS - 1), end);

    frame->at = (struct port_state){
        .ip = stack->frames[stack->count - 1].address,
        .mode = XENOPROF_MODE_XEN,
    };
    frame->xen = (struct port_xen_stack){
        .ip = frame->at.ip,
        .sp = (uintptr_t)(end - words),
        .root = (uintptr_t)end,
    };
}

/* Xen came from a process if not from its kernel. */
static void put_user(struct port_frame *frame)
{
    struct growing_stack stack;

    growing_draw_stack(XENOPROF_MODE_USER, &stack);
    frame->guest = (struct port_state){
        .ip = stack.frames[0].address, .sp = STACK, .mode = XENOPROF_MODE_USER};
}

static void act(unsigned int pcpu)
{
    struct port_frame *frame = &process_pcpu(pcpu)->frame;
    struct growing_stack stack;
    size_t kernel = 0;

    growing_draw_stack(growing_draw_mode(), &stack);
    while ( kernel < stack.count &&
            stack.frames[kernel].mode == XENOPROF_MODE_KERNEL )
        kernel++;
    if ( kernel )
        put_kernel(&stack, kernel, &stacks[pcpu], frame);
    else
        put_user(frame);
    frame->complete = true;
    frame->at = frame->guest;
    if ( stack.frames[stack.count - 1].mode == XENOPROF_MODE_XEN )
        put_xen(&stack, kernel, &stacks[pcpu], frame);
    process_pcpu(pcpu)->registers = (struct xenoprof_registers){
        .rsp = frame->guest.sp, .cr3 = GUEST_PAGE};
}

/* How many pCPUs work, beside dom0's. */
static unsigned int busy_now(const struct day *day)
{
    uint64_t hour = (process_now() - day->begun) / (3600 * DAY_SECOND);
    unsigned int others = day->host.pcpus - 1;

    return day->host.busy ? others * day->host.busy[hour % DAY_HOURS] / 100
                          : others;
}

/* dom0 has a pCPU of its own.  A vCPU stays for a second where it is. */
void day_take_turns(struct day *day)
{
    unsigned int guests = (unsigned int)(day->next - day->oldest);
    uint64_t first = day->turn++ / day->host.hz * (day->host.pcpus - 1);
    unsigned int busy = busy_now(day);

    act(0);
    for ( unsigned int i = 1; i <= busy; i++ )
    {
        uint64_t vcpu = (first + i) % (guests * DAY_VCPUS);

        process_set_current(i, (uint16_t)(day->oldest + vcpu / DAY_VCPUS),
                            (uint16_t)(vcpu % DAY_VCPUS));
        act(i);
    }
    for ( unsigned int i = busy + 1; i < day->host.pcpus; i++ )
        if ( !process_pcpu(i)->current.idle )
            process_set_idle(i);
}
