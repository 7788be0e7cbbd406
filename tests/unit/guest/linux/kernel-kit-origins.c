/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kit's threads: tasks by number, each with a program and a cgroup. */
#include <string.h>

#include "kernel-kit.h"
#include "tests/unit/guest/btf/btf-kit.h"

/* A structure with some members of 4 bytes that nobody asks for. */
static uint32_t add_struct(struct btf_kit *btf, const char *name,
                           uint32_t members, uint32_t size, uint32_t fillers)
{
    uint32_t id = btf_kit_type(btf, name, BTF_STRUCT, members + fillers, size);

    for ( uint32_t i = 0; i < fillers; i++ )
        btf_kit_member(btf, "filler", 1, 4 * i);
    return id;
}

/* A structure with one member that matters. */
static uint32_t add_one(struct btf_kit *btf, const char *name, uint32_t size,
                        const char *member, uint32_t type, uint32_t at)
{
    uint32_t id = add_struct(btf, name, 1, size, 0);

    btf_kit_member(btf, member, type, at);
    return id;
}

static uint32_t add_cgroups(const struct fake_kernel *fake, struct btf_kit *btf)
{
    uint32_t pointer = btf_kit_pointer(btf, 0);
    uint32_t id = add_struct(btf, "kernfs_node", 2, 128, 0);

    btf_kit_member(btf, fake->form.new_order ? "__parent" : "parent", pointer,
                   FAKE_AT_NODE_PARENT);
    btf_kit_member(btf, "name", pointer, FAKE_AT_NODE_NAME);
    id = add_one(btf, "cgroup", 256, "kn", btf_kit_pointer(btf, id),
                 FAKE_AT_KN);
    return add_one(btf, "css_set", 128, "dfl_cgrp", btf_kit_pointer(btf, id),
                   FAKE_AT_CGROUP);
}

static void add_memory(const struct fake_kernel *fake, struct btf_kit *btf,
                       uint32_t array, struct fake_origin_types *ret)
{
    uint32_t pointer = btf_kit_pointer(btf, 0), dentry, id, memory, file;
    uint32_t name = add_struct(btf, "qstr", 0, 16, 0);
    uint32_t hash = btf_kit_type(btf, "hlist_bl_node", BTF_STRUCT, 0, 16);
    struct fake_mapped_types mapped;
    struct fake_cached_types cached;

    dentry = add_struct(btf, "dentry", 3, 192, 0);
    btf_kit_member(btf, "d_hash", hash, FAKE_AT_DENTRY_HASH);
    btf_kit_member(btf, "d_parent", pointer, FAKE_AT_DENTRY_PARENT);
    btf_kit_member(btf, "d_name", name, FAKE_AT_DENTRY_NAME);
    dentry = btf_kit_pointer(btf, dentry);
    id = add_struct(btf, "path", 2, 16, 0);
    btf_kit_member(btf, "mnt", pointer, 0);
    btf_kit_member(btf, "dentry", dentry, 8);
    ret->fs = btf_kit_pointer(
        btf, add_one(btf, "fs_struct", 56, "root", id, FAKE_AT_FS_ROOT));
    fake_add_cached_types(fake, btf, array, &cached);
    ret->fragment = cached.fragment;
    file = add_struct(btf, "file", fake->form.cached ? 2 : 1, 200, 0);
    btf_kit_member(btf, "f_path", id, FAKE_AT_FILE_PATH);
    if ( fake->form.cached )
        btf_kit_member(btf, "f_mapping", cached.mapping, FAKE_AT_FILE_MAPPING);
    id = btf_kit_pointer(btf, file);
    fake_add_mapped_types(fake, btf, &mapped);
    memory = add_struct(btf, "mm_struct", 2, 1024, 0);
    btf_kit_member(btf, "exe_file", id, FAKE_AT_EXE);
    if ( fake->form.lists )
        btf_kit_member(btf, "mmap", mapped.list, FAKE_AT_MM_AREAS);
    else
        btf_kit_member(btf, "mm_mt", mapped.tree, FAKE_AT_MM_AREAS);
    ret->memory = btf_kit_pointer(btf, memory);
}

static void add_mount(struct btf_kit *btf)
{
    uint32_t pointer = btf_kit_pointer(btf, 0);
    uint32_t inside = add_one(btf, "vfsmount", 32, "mnt_root", pointer, 8);

    add_struct(btf, "mount", 3, 320, 20);
    btf_kit_member(btf, "mnt_parent", pointer, FAKE_AT_MOUNT_PARENT);
    btf_kit_member(btf, "mnt_mountpoint", pointer, FAKE_AT_MOUNT_POINT);
    btf_kit_member(btf, "mnt", inside, FAKE_AT_MOUNT_INSIDE);
}

static uint32_t add_array(struct btf_kit *btf)
{
    uint32_t pointer = btf_kit_pointer(btf, 0);
    uint32_t letter = btf_kit_int(btf, "unsigned char", 1);
    uint32_t slots = btf_kit_array(btf, pointer, 64);

    add_struct(btf, "xa_node", 2, 576, 5);
    btf_kit_member(btf, "shift", letter, FAKE_AT_SHIFT);
    btf_kit_member(btf, "slots", slots, FAKE_AT_SLOTS);
    return add_one(btf, "xarray", 16, "xa_head", pointer, 8);
}

static uint32_t add_namespace(struct btf_kit *btf, uint32_t array)
{
    uint32_t id = add_one(btf, "idr", 24, "idr_rt", array, 8);

    id = add_one(btf, "pid_namespace", 64, "idr", id, 16);
    return add_one(btf, "nsproxy", 64, "pid_ns_for_children",
                   btf_kit_pointer(btf, id), 32);
}

void fake_add_origin_types(const struct fake_kernel *fake, struct btf_kit *btf,
                           struct fake_origin_types *ret)
{
    uint32_t list = btf_kit_type(btf, "hlist_head", BTF_STRUCT, 0, 8);
    uint32_t link = btf_kit_type(btf, "hlist_node", BTF_STRUCT, 0, 16);
    uint32_t array = add_array(btf);

    ret->links = btf_kit_array(btf, link, 4);
    ret->cgroups = btf_kit_pointer(btf, add_cgroups(fake, btf));
    add_memory(fake, btf, array, ret);
    ret->proxy = btf_kit_pointer(btf, add_namespace(btf, array));
    ret->pid = btf_kit_pointer(btf, add_one(btf, "pid", 112, "tasks",
                                            btf_kit_array(btf, list, 4),
                                            FAKE_AT_PID_TASKS));
    add_mount(btf);
}

static void put(struct fake_kernel *fake, uint64_t address, uint64_t value)
{
    memcpy(fake_bytes(fake, address), &value, sizeof(value));
}

static uint64_t get(struct fake_kernel *fake, uint64_t address)
{
    uint64_t value;

    memcpy(&value, fake_bytes(fake, address), sizeof(value));
    return value;
}

uint64_t fake_new(struct fake_kernel *fake, size_t size)
{
    uint64_t address;

    fake_align(&fake->areas, 64);
    address = fake_end(&fake->areas);
    fake_add(&fake->areas, NULL, size);
    return address;
}

static uint64_t add_text(struct fake_kernel *fake, const char *text)
{
    uint64_t address = fake_new(fake, strlen(text) + 1);

    memcpy(fake_bytes(fake, address), text, strlen(text) + 1);
    return address;
}

uint64_t fake_dentry(struct fake_kernel *fake, const char *name,
                     uint64_t parent)
{
    uint64_t at = fake_new(fake, 192), letters = add_text(fake, name);

    put(fake, at + FAKE_AT_DENTRY_PARENT, parent ? parent : at);
    put(fake, at + FAKE_AT_DENTRY_HASH + 8, at);
    put(fake, at + FAKE_AT_DENTRY_NAME, (uint64_t)strlen(name) << 32 | 0xabcd);
    put(fake, at + FAKE_AT_DENTRY_NAME + 8, letters);
    return at;
}

uint64_t fake_kernfs(struct fake_kernel *fake, const char *name,
                     uint64_t parent)
{
    uint64_t at = fake_new(fake, 128), letters = add_text(fake, name);

    put(fake, at + FAKE_AT_NODE_PARENT, parent);
    put(fake, at + FAKE_AT_NODE_NAME, letters);
    return at;
}

uint64_t fake_mount(struct fake_kernel *fake, uint64_t root, uint64_t parent,
                    uint64_t point)
{
    uint64_t at = fake_new(fake, 320);

    put(fake, at + FAKE_AT_MOUNT_PARENT, parent ? parent : at);
    put(fake, at + FAKE_AT_MOUNT_POINT, point ? point : root);
    put(fake, at + FAKE_AT_MOUNT_INSIDE + 8, root);
    return at;
}

/* The node below a slot, made if there is none. */
static uint64_t node_at(struct fake_kernel *fake, uint64_t slot, uint8_t shift)
{
    uint64_t node = get(fake, slot);

    if ( node )
        return node - 2;
    node = fake_new(fake, 576);
    put(fake, node + FAKE_AT_SHIFT, shift);
    put(fake, slot, node + 2);
    return node;
}

/* Numbers below 4,096 are in two levels. */
static void link_thread(struct fake_kernel *fake, uint32_t tid, uint64_t pid)
{
    uint64_t head = fake_address(fake, "init_pid_ns") + FAKE_AT_HEAD;
    uint64_t node = node_at(fake, head, 6);

    node = node_at(fake, node + FAKE_AT_SLOTS + 8 * (tid / 64), 0);
    put(fake, node + FAKE_AT_SLOTS + 8 * (tid % 64), pid);
}

uint64_t fake_thread(struct fake_kernel *fake, const struct fake_thread *thread)
{
    uint64_t task = fake_new(fake, FAKE_TASK_SIZE), pid = fake_new(fake, 112);
    uint64_t memory = fake_new(fake, 1024), file = fake_new(fake, 200);
    uint64_t set = fake_new(fake, 128), cgroup = fake_new(fake, 256);

    put(fake, task + FAKE_AT_PID, (uint64_t)thread->pid << 32 | thread->tid);
    put(fake, task + FAKE_AT_START, thread->start);
    put(fake, task + FAKE_AT_CGROUPS, set);
    put(fake, set + FAKE_AT_CGROUP, cgroup);
    put(fake, cgroup + FAKE_AT_KN, thread->cgroup);
    put(fake, pid + FAKE_AT_PID_TASKS, task + FAKE_AT_LINKS);
    link_thread(fake, thread->tid, pid);
    if ( thread->comm )
        memcpy(fake_bytes(fake, task + FAKE_AT_COMM), thread->comm,
               strlen(thread->comm) + 1);
    if ( thread->root )
    {
        uint64_t fs = fake_new(fake, 56);

        put(fake, task + FAKE_AT_FS, fs);
        put(fake, fs + FAKE_AT_FS_ROOT + 8, thread->root);
    }
    if ( !thread->program )
        return task;
    put(fake, task + FAKE_AT_MM, memory);
    put(fake, memory + FAKE_AT_EXE, file);
    put(fake, file + FAKE_AT_FILE_PATH, thread->mount + FAKE_AT_MOUNT_INSIDE);
    put(fake, file + FAKE_AT_FILE_PATH + 8, thread->program);
    return task;
}
