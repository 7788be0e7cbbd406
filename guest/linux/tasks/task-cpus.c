/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks over the processors, from the first on, and looks at what each runs. */
#include "task-cpus.h"

#include <string.h>

#define PID_MAX (4u << 20) /* Linux's PID_MAX_LIMIT */
#define NONE    UINT64_MAX

/* Where Linux has its image, and no processor's area. */
#define IMAGES 0xffffffff80000000ull

struct walk {
    const struct task_facts *facts;
    const uint32_t *at; /* members */
    struct guest_memory *memory;
    const struct task_place *place;
    struct task_list *list;
};

/* Where a processor has a per-CPU symbol. */
static uint64_t per_cpu(const struct walk *walk, uint64_t area, uint64_t symbol)
{
    return area + symbol + (walk->facts->absolute ? 0 : walk->place->base);
}

static bool is_good_name(const char comm[TASK_NAME_BYTES])
{
    size_t length = strnlen(comm, TASK_NAME_BYTES);

    for ( size_t i = 0; i < length; i++ )
        if ( (uint8_t)comm[i] < ' ' || comm[i] == 0x7f )
            return false;
    return length && length < TASK_NAME_BYTES;
}

/* Whether the word leads to what looks like a task.  A process may have a name
 * that does not: then a later look finds another. */
static bool leads_to_task(const struct walk *walk, uint64_t word)
{
    char comm[TASK_NAME_BYTES];
    uint32_t pids[2];
    uint64_t task;

    return guest_memory_get(walk->memory, word, &task, sizeof(task)) &&
           xenoprof_fetch_is_kernel(task) && task % 8 == 0 &&
           guest_memory_get(walk->memory, task + walk->at[MEMBER_TASK_PID],
                            pids, sizeof(pids)) &&
           pids[0] < PID_MAX && pids[1] < PID_MAX && !pids[0] == !pids[1] &&
           guest_memory_get(walk->memory, task + walk->at[MEMBER_TASK_COMM],
                            comm, sizeof(comm)) &&
           is_good_name(comm);
}

/* A processor's number is that of its vCPU in PV; else ACPI says it, and Linux
 * notes it when the processor comes up. */
static uint32_t vcpu_of(const struct walk *walk, uint32_t cpu, uint64_t area)
{
    uint32_t vcpu;

    if ( walk->place->image_only || walk->facts->vcpu_id == NONE )
        return cpu;
    return guest_memory_get(walk->memory,
                            per_cpu(walk, area, walk->facts->vcpu_id), &vcpu,
                            sizeof(vcpu))
               ? vcpu
               : XENOPROF_FETCH_VCPUS;
}

/* Until a processor has an area of its own, its offset leads into the image,
 * which has the areas' first contents.  Then what follows has none either. */
static enum task_list_status add_cpu(struct walk *walk, uint32_t cpu,
                                     uint64_t area)
{
    uint64_t word = per_cpu(walk, area, walk->facts->current);

    if ( !area || word % 8 || !xenoprof_fetch_is_kernel(word) ||
         word >= IMAGES )
        return TASK_LIST_EARLY;
    if ( !walk->place->image_only && !leads_to_task(walk, word) )
        return TASK_LIST_NO_TASK;
    task_list_add(walk->list, vcpu_of(walk, cpu, area), word);
    return TASK_LIST_KNOWN;
}

static bool is_isolated(const struct walk *walk)
{
    uint32_t features;

    return walk->facts->features != NONE &&
           guest_memory_get(walk->memory,
                            walk->place->base + walk->facts->features,
                            &features, sizeof(features)) &&
           (features & ISOLATION_BIT);
}

static void drop_list(struct task_list *list, enum task_list_status status)
{
    memset(list, 0, sizeof(*list));
    list->status = status;
}

void task_cpus_read(const struct task_facts *facts,
                    const struct kernel_layout *layout,
                    struct guest_memory *memory, const struct task_place *place,
                    struct task_list *ret)
{
    const struct task_offsets offsets = {layout->at[MEMBER_TASK_PID],
                                         layout->at[MEMBER_TASK_START],
                                         layout->at[MEMBER_TASK_COMM]};
    struct walk walk = {facts, layout->at, memory, place, ret};
    uint64_t areas[XENOPROF_FETCH_VCPUS];
    enum task_list_status status = TASK_LIST_EARLY;
    size_t cpus;

    drop_list(ret, facts->status);
    if ( facts->status != TASK_LIST_KNOWN )
        return;
    task_list_make(&offsets, ret);
    cpus = guest_memory_read(memory, place->base + facts->offsets, areas,
                             sizeof(areas)) /
           sizeof(areas[0]);
    for ( uint32_t cpu = 0; cpu < cpus; cpu++ )
    {
        status = add_cpu(&walk, cpu, areas[cpu]);
        if ( status == TASK_LIST_EARLY || (status && !cpu) )
            break;
    }
    ret->fetch.isolated = is_isolated(&walk);
    if ( !ret->vcpus )
        drop_list(ret, status);
}
