/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of a list, and the words that they store: each knows the other. */
#include "task-list.h"

#include <string.h>

/* Linux's PID_MAX_LIMIT. */
#define PID_MAX (4u << 20)

/* Bytes that the steps store: without the name, and all. */
#define STORED_NUMBERS 16u
#define STORED         (STORED_NUMBERS + TASK_NAME_BYTES)

/* Steps, from 0 on; they store in this order. */
enum { STEP_TASK, STEP_PIDS, STEP_START, STEP_COMM, STEPS };

static const struct {
    const char *name, *why;
} statuses[] = {
#define TASK_LIST(NAME, name, why) [TASK_LIST_##NAME] = {#name, why},
#include "task-list.def"
#undef TASK_LIST
};

const char *task_list_why(enum task_list_status status)
{
    return statuses[status].why;
}

const char *task_list_name(enum task_list_status status)
{
    return statuses[status].name;
}

void task_list_make(const struct task_offsets *offsets, struct task_list *ret)
{
    const struct xenoprof_fetch_step steps[STEPS] = {
        [STEP_TASK] = {.length = 8, .action = XENOPROF_FETCH_FOLLOW},
        [STEP_PIDS] = {.offset = offsets->pid, .length = 8, .from = 1},
        [STEP_START] = {.offset = offsets->start_time, .length = 8, .from = 1},
        [STEP_COMM] = {.offset = offsets->comm,
                       .length = TASK_NAME_BYTES,
                       .from = 1},
    };

    memset(ret, 0, sizeof(*ret));
    ret->fetch.list = 1;
    ret->fetch.steps = STEPS;
    memcpy(ret->fetch.step, steps, sizeof(steps));
}

bool task_list_add(struct task_list *list, uint32_t vcpu, uint64_t base)
{
    if ( vcpu >= XENOPROF_FETCH_VCPUS || list->fetch.base[vcpu] ||
         !xenoprof_fetch_is_kernel(base) )
        return false;
    list->fetch.base[vcpu] = base;
    if ( list->fetch.vcpus <= vcpu )
        list->fetch.vcpus = vcpu + 1;
    list->vcpus++;
    return true;
}

void task_list_leave_name(struct xenoprof_fetch *list)
{
    list->steps = STEP_COMM;
    memset(&list->step[STEP_COMM], 0, sizeof(list->step[STEP_COMM]));
}

bool task_list_is_sound(const struct task_list *list)
{
    return list->status < TASK_LIST_STATUSES &&
           list->vcpus <= XENOPROF_FETCH_VCPUS && list->origins <= 1 &&
           list->mapped <= 1 && list->cached <= 1 && !list->unused &&
           (list->status != TASK_LIST_KNOWN ||
            xenoprof_fetch_is_right(&list->fetch));
}

/* A process chooses its name, and the guest its bytes. */
static void clean_name(char name[TASK_NAME_BYTES])
{
    size_t length = strnlen(name, TASK_NAME_BYTES - 1);

    for ( size_t i = 0; i < length; i++ )
        if ( name[i] < ' ' || name[i] > '~' )
            name[i] = '?';
    memset(name + length, 0, TASK_NAME_BYTES - length);
    if ( !length )
        name[0] = '?';
}

bool task_name_is(const char name[TASK_NAME_BYTES], const char *comm)
{
    char clean[TASK_NAME_BYTES];

    memcpy(clean, name, sizeof(clean));
    clean_name(clean);
    return !strcmp(clean, comm);
}

bool task_decode(const struct xenoprof_task *part, struct guest_task *ret)
{
    bool named = part->stored == STORED;

    if ( (!named && part->stored != STORED_NUMBERS) || part->failed )
        return false;
    ret->tid = (uint32_t)part->word[0];
    ret->pid = (uint32_t)(part->word[0] >> 32);
    ret->start = part->word[1];
    memset(ret->comm, 0, TASK_NAME_BYTES);
    if ( named )
    {
        memcpy(ret->comm, &part->word[2], TASK_NAME_BYTES);
        clean_name(ret->comm);
    }
    return ret->tid < PID_MAX && ret->pid < PID_MAX;
}
