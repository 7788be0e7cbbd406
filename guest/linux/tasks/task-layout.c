/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of a task, of a processor, and of the hot per-CPU words. */
#include "task-layout.h"

#include <string.h>
#include <xenoprof/fetch.h>

#define FEATURE_WORD 7u

void task_layout_want(struct btf_wanted wanted[TASK_STRUCTS], bool hot)
{
    wanted[TASK_STRUCT] = (struct btf_wanted){
        .name = "task_struct",
        .size_min = 1024,
        .size_max = 65536,
        .members_min = 50,
    };
    wanted[TASK_PROCESSOR] = (struct btf_wanted){
        .name = "cpuinfo_x86",
        .size_min = 64,
        .size_max = 4096,
        .members_min = 8,
    };
    /* It has the size of a cache line.  Where there is none, all types would be
     * looked at: then no type is like that. */
    wanted[TASK_HOT] = (struct btf_wanted){
        .name = "pcpu_hot",
        .size_min = 64,
        .size_max = 64,
        .members_min = 1,
        .found = !hot,
    };
}

/* Returns where so many bytes of a structure are, or TASK_UNKNOWN. */
static uint32_t find(struct btf *btf, const struct btf_wanted *in,
                     const char *name, uint32_t size)
{
    struct btf_field field;

    return in->found && in->type.id &&
                   btf_find_field(btf, &in->type, name, &field) &&
                   field.size == size &&
                   field.offset <= XENOPROF_FETCH_OFFSET_MAX
               ? field.offset
               : TASK_UNKNOWN;
}

static uint32_t find_features(struct btf *btf, const struct btf_wanted *in)
{
    const uint32_t at = FEATURE_WORD * sizeof(uint32_t);
    struct btf_field field;

    return in->found && in->type.id &&
                   btf_find_field(btf, &in->type, "x86_capability", &field) &&
                   field.size >= at + sizeof(uint32_t)
               ? field.offset + at
               : TASK_UNKNOWN;
}

void task_layout_read(struct btf *btf,
                      const struct btf_wanted wanted[TASK_STRUCTS],
                      struct task_layout *ret)
{
    const struct btf_wanted *task = &wanted[TASK_STRUCT];
    uint32_t tgid = find(btf, task, "tgid", 4);

    memset(ret, 0, sizeof(*ret));
    ret->pid = find(btf, task, "pid", 4);
    ret->start_time = find(btf, task, "start_time", 8);
    ret->comm = find(btf, task, "comm", TASK_COMM_BYTES);
    ret->mm = find(btf, task, "mm", 8);
    ret->stack = find(btf, task, "stack", 8);
    ret->cgroups = find(btf, task, "cgroups", 8);
    ret->current = find(btf, &wanted[TASK_HOT], "current_task", 8);
    ret->features = find_features(btf, &wanted[TASK_PROCESSOR]);
    ret->known = ret->pid != TASK_UNKNOWN && tgid == ret->pid + 4 &&
                 ret->start_time != TASK_UNKNOWN && ret->comm != TASK_UNKNOWN;
}
