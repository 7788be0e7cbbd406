/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a kernel has what leads from the number of a thread to its task, and
 * from there to its program and its cgroup, as its type information says.
 */
#ifndef XENOPROF_GUEST_LINUX_TASKS_ORIGIN_LAYOUT_H
#define XENOPROF_GUEST_LINUX_TASKS_ORIGIN_LAYOUT_H

#include "guest/btf/btf-find.h"

/* Members whose place is asked for, each in bytes of its structure. */
enum origin_member {
    ORIGIN_TASK_LINKS, /* task_struct: into struct pid, for each use of it */
    ORIGIN_TASK_PID,   /* with tgid behind it */
    ORIGIN_TASK_START,
    ORIGIN_TASK_MM,
    ORIGIN_TASK_CGROUPS,
    ORIGIN_IDR,       /* pid_namespace: numbers of threads, an xarray */
    ORIGIN_IDR_ARRAY, /* in struct idr */
    ORIGIN_ARRAY_HEAD,
    ORIGIN_NODE_SHIFT, /* xa_node */
    ORIGIN_NODE_SLOTS,
    ORIGIN_PID_TASKS, /* pid: a list for each use of it */
    ORIGIN_MM_EXE,
    ORIGIN_FILE_PATH,
    ORIGIN_PATH_MOUNT,
    ORIGIN_PATH_DENTRY,
    ORIGIN_DENTRY_PARENT,
    ORIGIN_DENTRY_NAME, /* struct qstr: hash, length, letters */
    ORIGIN_MOUNT_PARENT,
    ORIGIN_MOUNT_POINT,
    ORIGIN_MOUNT_INSIDE, /* struct vfsmount, to which paths lead */
    ORIGIN_MOUNT_ROOT,   /* in struct vfsmount */
    ORIGIN_SET_CGROUP,   /* css_set */
    ORIGIN_CGROUP_NODE,
    ORIGIN_NODE_PARENT, /* kernfs_node */
    ORIGIN_NODE_NAME,
    ORIGIN_MEMBERS
};

/* Offsets; numbers of 32 bits, without padding. */
struct origin_layout {
    uint32_t known; /* 0: it lacks something, and the rest is 0 */
    uint32_t at[ORIGIN_MEMBERS];
};

/* What is wanted of the types beside struct task_struct, in this order: no
 * member leads to these. */
enum origin_struct {
    ORIGIN_STRUCT_MOUNT,
    ORIGIN_STRUCT_NODE, /* xa_node */
    ORIGIN_STRUCTS
};

void origin_layout_want(struct btf_wanted wanted[ORIGIN_STRUCTS]);
/* Takes what was found, and follows the members of a task. */
void origin_layout_read(struct btf *btf, const struct btf_wanted *task,
                        const struct btf_wanted wanted[ORIGIN_STRUCTS],
                        struct origin_layout *ret);

/* Returns whether a layout that another process wrote may be used. */
bool origin_layout_is_sound(const struct origin_layout *layout);

#endif
