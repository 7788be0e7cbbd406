/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How Xen reads who runs on a vCPU, and what it read: a fetch list
 * (xenoprof/fetch.h) for one guest, whose every number the guest may have
 * chosen, and the task that the list's words spell.
 */
#ifndef XENOPROF_GUEST_TASK_LIST_H
#define XENOPROF_GUEST_TASK_LIST_H

#include <stdbool.h>

#include <xenoprof/fetch.h>
#include <xenoprof/record.h>

enum task_list_status {
#define TASK_LIST(NAME, name, why) TASK_LIST_##NAME,
#include "task-list.def"
#undef TASK_LIST
    TASK_LIST_STATUSES
};

struct task_list {
    uint32_t status;  /* enum task_list_status */
    uint32_t vcpus;   /* that have a base */
    uint32_t origins; /* 1: where its threads come from can be read */
    uint32_t mapped;  /* 1: what its processes have mapped can be read */
    uint32_t cached;  /* 1: and what is in memory of the files of that */
    uint32_t unused;  /* 0 */
    /* TASK_LIST_KNOWN: a list that Xen takes, with the number 1; else zeroes */
    struct xenoprof_fetch fetch;
};

/* Where a task has what a list asks for. */
struct task_offsets {
    uint32_t pid; /* of the thread; the process's is behind it */
    uint32_t start_time;
    uint32_t comm;
};

/* Makes the steps of a list without bases. */
void task_list_make(const struct task_offsets *offsets, struct task_list *ret);
/* Gives a vCPU its base.  Returns whether it may have one, and had none. */
bool task_list_add(struct task_list *list, uint32_t vcpu, uint64_t base);

/* Takes the step off a list of task_list_make() that reads what a thread is
 * called. */
void task_list_leave_name(struct xenoprof_fetch *list);

/* Returns whether a list that another process made is one. */
bool task_list_is_sound(const struct task_list *list);

/* "no-types" */
const char *task_list_name(enum task_list_status status);
/* "it has no type information (BTF)"; "" if the tasks are known. */
const char *task_list_why(enum task_list_status status);

#define TASK_NAME_BYTES 16u

struct guest_task {
    uint32_t pid;               /* of the process */
    uint32_t tid;               /* of the thread; both 0: idle */
    uint64_t start;             /* ns after the guest's boot */
    char comm[TASK_NAME_BYTES]; /* printable; "": it was not read */
};

/* Returns whether a task whose kernel has that name for it is called so in its
 * samples (struct guest_task). */
bool task_name_is(const char name[TASK_NAME_BYTES], const char *comm);

/* Spells what a list of task_list_make() stored.  Returns whether that is a
 * task, of which all was read. */
bool task_decode(const struct xenoprof_task *part, struct guest_task *ret);

#endif
