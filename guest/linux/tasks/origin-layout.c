/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From struct task_struct on, member by member. */
#include "origin-layout.h"

#include <string.h>

#include "type-members.h"

/* Structures on the way. */
enum type_number {
    TYPE_TASK,
    TYPE_MOUNT,
    TYPE_XA_NODE,
    TYPE_PROXY,
    TYPE_NAMESPACE,
    TYPE_IDR,
    TYPE_ARRAY,
    TYPE_PID,
    TYPE_MM,
    TYPE_FILE,
    TYPE_PATH,
    TYPE_DENTRY,
    TYPE_VFSMOUNT,
    TYPE_SET,
    TYPE_CGROUP,
    TYPE_KERNFS,
    TYPES
};

/* What a member of another one is, or points to; those before come first. */
static const struct {
    enum type_number from;
    const char *member;
} leads[TYPES] = {
    [TYPE_PROXY] = {TYPE_TASK, "nsproxy"},
    [TYPE_NAMESPACE] = {TYPE_PROXY, "pid_ns_for_children"},
    [TYPE_IDR] = {TYPE_NAMESPACE, "idr"},
    [TYPE_ARRAY] = {TYPE_IDR, "idr_rt"},
    [TYPE_PID] = {TYPE_TASK, "thread_pid"},
    [TYPE_MM] = {TYPE_TASK, "mm"},
    [TYPE_FILE] = {TYPE_MM, "exe_file"},
    [TYPE_PATH] = {TYPE_FILE, "f_path"},
    [TYPE_DENTRY] = {TYPE_PATH, "dentry"},
    [TYPE_VFSMOUNT] = {TYPE_MOUNT, "mnt"},
    [TYPE_SET] = {TYPE_TASK, "cgroups"},
    [TYPE_CGROUP] = {TYPE_SET, "dfl_cgrp"},
    [TYPE_KERNFS] = {TYPE_CGROUP, "kn"},
};

/* size 0: any.  other: what it was called before, or is called since. */
static const struct {
    enum type_number in;
    const char *name;
    uint32_t size;
    const char *other;
} members[ORIGIN_MEMBERS] = {
    [ORIGIN_TASK_LINKS] = {TYPE_TASK, "pid_links", 64, NULL}, /* since 4.19 */
    [ORIGIN_TASK_PID] = {TYPE_TASK, "pid", 4, NULL},
    [ORIGIN_TASK_START] = {TYPE_TASK, "start_time", 8, NULL},
    [ORIGIN_TASK_MM] = {TYPE_TASK, "mm", 8, NULL},
    [ORIGIN_TASK_CGROUPS] = {TYPE_TASK, "cgroups", 8, NULL},
    [ORIGIN_IDR] = {TYPE_NAMESPACE, "idr", 0, NULL},
    [ORIGIN_IDR_ARRAY] = {TYPE_IDR, "idr_rt", 0, NULL},
    [ORIGIN_ARRAY_HEAD] = {TYPE_ARRAY, "xa_head", 8, NULL}, /* since 4.20 */
    [ORIGIN_NODE_SHIFT] = {TYPE_XA_NODE, "shift", 1, NULL},
    [ORIGIN_NODE_SLOTS] = {TYPE_XA_NODE, "slots", 512, NULL},
    [ORIGIN_PID_TASKS] = {TYPE_PID, "tasks", 32, NULL},
    [ORIGIN_MM_EXE] = {TYPE_MM, "exe_file", 8, NULL},
    [ORIGIN_FILE_PATH] = {TYPE_FILE, "f_path", 16, NULL},
    [ORIGIN_PATH_MOUNT] = {TYPE_PATH, "mnt", 8, NULL},
    [ORIGIN_PATH_DENTRY] = {TYPE_PATH, "dentry", 8, NULL},
    [ORIGIN_DENTRY_PARENT] = {TYPE_DENTRY, "d_parent", 8, NULL},
    [ORIGIN_DENTRY_NAME] = {TYPE_DENTRY, "d_name", 16, NULL},
    [ORIGIN_MOUNT_PARENT] = {TYPE_MOUNT, "mnt_parent", 8, NULL},
    [ORIGIN_MOUNT_POINT] = {TYPE_MOUNT, "mnt_mountpoint", 8, NULL},
    [ORIGIN_MOUNT_INSIDE] = {TYPE_MOUNT, "mnt", 0, NULL},
    [ORIGIN_MOUNT_ROOT] = {TYPE_VFSMOUNT, "mnt_root", 8, NULL},
    [ORIGIN_SET_CGROUP] = {TYPE_SET, "dfl_cgrp", 8, NULL},
    [ORIGIN_CGROUP_NODE] = {TYPE_CGROUP, "kn", 8, NULL},
    /* It has the underscores since it is read under RCU (6.15). */
    [ORIGIN_NODE_PARENT] = {TYPE_KERNFS, "__parent", 8, "parent"},
    [ORIGIN_NODE_NAME] = {TYPE_KERNFS, "name", 8, NULL},
};

void origin_layout_want(struct btf_wanted wanted[ORIGIN_STRUCTS])
{
    wanted[ORIGIN_STRUCT_MOUNT] = (struct btf_wanted){
        .name = "mount",
        .size_min = 200,
        .size_max = 512,
        .members_min = 16,
    };
    /* 64 slots, and 40 bytes before them. */
    wanted[ORIGIN_STRUCT_NODE] = (struct btf_wanted){
        .name = "xa_node",
        .size_min = 560,
        .size_max = 640,
        .members_min = 7,
    };
}

void origin_layout_read(struct btf *btf, const struct btf_wanted *task,
                        const struct btf_wanted wanted[ORIGIN_STRUCTS],
                        struct origin_layout *ret)
{
    struct btf_type types[TYPES];
    bool known = true;

    memset(ret, 0, sizeof(*ret));
    member_struct(task, &types[TYPE_TASK]);
    member_struct(&wanted[ORIGIN_STRUCT_MOUNT], &types[TYPE_MOUNT]);
    member_struct(&wanted[ORIGIN_STRUCT_NODE], &types[TYPE_XA_NODE]);
    for ( unsigned int i = TYPE_PROXY; i < TYPES; i++ )
        member_follow(btf, &types[leads[i].from], leads[i].member, &types[i]);
    for ( unsigned int i = 0; known && i < ORIGIN_MEMBERS; i++ )
    {
        const struct btf_type *in = &types[members[i].in];

        known = member_find(btf, in, members[i].name, members[i].size,
                            &ret->at[i]) ||
                member_find(btf, in, members[i].other, members[i].size,
                            &ret->at[i]);
    }
    if ( !known )
        memset(ret, 0, sizeof(*ret));
    ret->known = known;
}

bool origin_layout_is_sound(const struct origin_layout *layout)
{
    for ( unsigned int i = 0; i < ORIGIN_MEMBERS; i++ )
        if ( layout->at[i] > MEMBER_OFFSET_MAX )
            return false;
    return layout->known <= 1;
}
