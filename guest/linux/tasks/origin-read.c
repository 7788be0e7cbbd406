/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a thread's task up two trees of names.  The guest may change all of it
 * meanwhile, or lie: each word is an address of its kernel or ends the walk,
 * and no walk has more than so many steps.
 */
#include "origin-read.h"

#include <string.h>

#include "file-path.h"
#include "task-find.h"

/* Names of cgroups are no longer. */
#define NAME_BYTES 255u

/* Kernel threads have no memory of their own, hence no program. */
static void read_exe(const struct origin_reading *reading, uint64_t task,
                     char *ret)
{
    struct file_place place;
    uint64_t memory, file, slash;

    if ( origin_address(reading, task, MEMBER_TASK_MM, &memory) &&
         origin_address(reading, memory, MEMBER_MM_EXE, &file) &&
         file_place_read(reading, file, &place) )
        file_path_read(reading, &place, ret, &slash);
}

static bool add_kernfs(const struct origin_reading *reading, uint64_t node,
                       struct origin_path *path)
{
    char name[NAME_BYTES + 1];
    uint64_t letters;
    size_t got, length;

    if ( !origin_word(reading, node, MEMBER_KERNFS_NAME, &letters) ||
         !xenoprof_fetch_is_kernel(letters) )
        return false;
    got = guest_memory_read(reading->memory, letters, name, sizeof(name));
    length = strnlen(name, got);
    if ( length == got || !length )
        return false;
    origin_path_add(path, name, length);
    return true;
}

/* The cgroup of the one hierarchy that has all controllers (version 2), or that
 * systemd keeps beside those of version 1. */
static void read_cgroup(const struct origin_reading *reading, uint64_t task,
                        char *ret)
{
    uint64_t set, cgroup, node, parent = 0;
    struct origin_path path;

    if ( !origin_address(reading, task, MEMBER_TASK_CGROUPS, &set) ||
         !origin_address(reading, set, MEMBER_CSS_SET_CGROUP, &cgroup) ||
         !origin_address(reading, cgroup, MEMBER_CGROUP_NODE, &node) )
        return;
    origin_path_init(&path);
    for ( unsigned int i = 0; i < ORIGIN_STEPS_MAX; i++, node = parent )
    {
        if ( !origin_word(reading, node, MEMBER_KERNFS_PARENT, &parent) )
            return;
        if ( !parent ) /* the root, which has no name */
        {
            origin_path_end(&path, ret);
            return;
        }
        if ( !origin_is_address(parent) || !add_kernfs(reading, node, &path) )
            return;
    }
}

bool origin_read(const struct kernel_layout *layout, uint64_t init_pid_ns,
                 struct guest_memory *memory,
                 const struct origin_thread *thread, struct thread_origin *ret)
{
    const struct origin_reading reading = {layout, memory};
    uint64_t task;

    memset(ret, 0, sizeof(*ret));
    if ( !task_find(&reading, init_pid_ns, thread, &task) )
        return false;
    read_exe(&reading, task, ret->exe);
    read_cgroup(&reading, task, ret->cgroup);
    if ( task_is_thread(&reading, task, thread) )
        return true;
    memset(ret, 0, sizeof(*ret));
    return false;
}
