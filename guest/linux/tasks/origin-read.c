/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a thread's number to its task, and from there up two trees of names.
 * The guest may change all of it meanwhile, or lie: each word is an address of
 * its kernel or ends the walk, and no walk has more than so many steps.
 */
#include "origin-read.h"

#include <string.h>
#include <xenoprof/fetch.h>

/* An xarray: each node looks at so many bits of a number, of 64 at most. */
#define SLOT_BITS  6u
#define SLOTS      64u
#define LEVELS_MAX 11u
/* The lowest bits of a slot that has a node: its address and this. */
#define IS_NODE   2u
#define SLOT_MASK 3u

/* Linux's NAME_MAX; names of cgroups are no longer either. */
#define NAME_BYTES 255u

struct origin_reading {
    const struct origin_layout *layout;
    struct guest_memory *memory;
};

static uint64_t member(const struct origin_reading *reading, uint64_t address,
                       enum origin_member which)
{
    return address + reading->layout->at[which];
}

/* Reads a word of a structure.  Returns whether it was read. */
static bool get_word(const struct origin_reading *reading, uint64_t address,
                     enum origin_member which, uint64_t *ret)
{
    return guest_memory_get(reading->memory, member(reading, address, which),
                            ret, sizeof(*ret));
}

/* The same; it is the address of something in the kernel. */
static bool get_address(const struct origin_reading *reading, uint64_t address,
                        enum origin_member which, uint64_t *ret)
{
    return get_word(reading, address, which, ret) && *ret % 8 == 0 &&
           xenoprof_fetch_is_kernel(*ret);
}

/* Goes from a node to the slot of a number.  *shift: of the node before it, and
 * then its own. */
static bool descend(const struct origin_reading *reading, uint64_t node,
                    uint32_t number, uint32_t *shift, uint64_t *slot)
{
    uint64_t at;
    uint8_t own;

    if ( node % 8 || !xenoprof_fetch_is_kernel(node) ||
         !guest_memory_get(reading->memory,
                           member(reading, node, ORIGIN_NODE_SHIFT), &own,
                           sizeof(own)) ||
         own % SLOT_BITS || own >= *shift )
        return false;
    *shift = own;
    /* A number beyond what the first node holds is not there. */
    at = own < 32 ? number >> own : 0;
    return get_word(reading, node + at % SLOTS * sizeof(*slot),
                    ORIGIN_NODE_SLOTS, slot);
}

/* Finds the struct pid of a thread's number.  What is found for a number that
 * the tree does not have is another thread's, which shows. */
static bool find_pid(const struct origin_reading *reading, uint64_t init_pid_ns,
                     uint32_t number, uint64_t *ret)
{
    uint64_t array = member(reading, member(reading, init_pid_ns, ORIGIN_IDR),
                            ORIGIN_IDR_ARRAY);
    uint32_t shift = LEVELS_MAX * SLOT_BITS;

    if ( !get_word(reading, array, ORIGIN_ARRAY_HEAD, ret) )
        return false;
    while ( (*ret & SLOT_MASK) == IS_NODE && shift )
        if ( !descend(reading, *ret - IS_NODE, number, &shift, ret) )
            return false;
    return *ret % 8 == 0 && xenoprof_fetch_is_kernel(*ret);
}

static bool is_thread(const struct origin_reading *reading, uint64_t task,
                      const struct origin_thread *thread)
{
    uint32_t pids[2];
    uint64_t start;

    return guest_memory_get(reading->memory,
                            member(reading, task, ORIGIN_TASK_PID), pids,
                            sizeof(pids)) &&
           pids[0] == thread->tid && pids[1] == thread->pid &&
           get_word(reading, task, ORIGIN_TASK_START, &start) &&
           start == thread->start;
}

/* The list of the tasks whose own number it is begins in struct pid, and leads
 * into the task. */
static bool find_task(const struct origin_reading *reading,
                      uint64_t init_pid_ns, const struct origin_thread *thread,
                      uint64_t *ret)
{
    uint64_t pid;

    if ( !find_pid(reading, init_pid_ns, thread->tid, &pid) ||
         !get_address(reading, pid, ORIGIN_PID_TASKS, ret) )
        return false;
    *ret -= reading->layout->at[ORIGIN_TASK_LINKS];
    return is_thread(reading, *ret, thread);
}

/* Adds the name of a dentry. */
static bool add_dentry(const struct origin_reading *reading, uint64_t dentry,
                       struct origin_path *path)
{
    struct {
        uint32_t hash, length;
        uint64_t letters;
    } name;
    char letters[NAME_BYTES];

    if ( !guest_memory_get(reading->memory,
                           member(reading, dentry, ORIGIN_DENTRY_NAME), &name,
                           sizeof(name)) ||
         !name.length || name.length > NAME_BYTES ||
         !xenoprof_fetch_is_kernel(name.letters) ||
         !guest_memory_get(reading->memory, name.letters, letters,
                           name.length) )
        return false;
    origin_path_add(path, letters, name.length);
    return true;
}

/* Where a path is. */
struct position {
    uint64_t mount;  /* struct mount */
    uint64_t dentry; /* in it */
};

static bool begin_path(const struct origin_reading *reading, uint64_t file,
                       struct position *ret)
{
    uint64_t path = member(reading, file, ORIGIN_FILE_PATH);

    if ( !get_address(reading, path, ORIGIN_PATH_MOUNT, &ret->mount) ||
         !get_address(reading, path, ORIGIN_PATH_DENTRY, &ret->dentry) )
        return false;
    ret->mount -= reading->layout->at[ORIGIN_MOUNT_INSIDE];
    return true;
}

enum origin_step { STEP_FAILED, STEP_UP, STEP_ROOT };

/* From the root of a mount to where it is mounted. */
static enum origin_step leave_mount(const struct origin_reading *reading,
                                    struct position *position)
{
    uint64_t parent;

    if ( !get_address(reading, position->mount, ORIGIN_MOUNT_PARENT, &parent) )
        return STEP_FAILED;
    if ( parent == position->mount )
        return STEP_ROOT;
    if ( !get_address(reading, position->mount, ORIGIN_MOUNT_POINT,
                      &position->dentry) )
        return STEP_FAILED;
    position->mount = parent;
    return STEP_UP;
}

static enum origin_step step_up(const struct origin_reading *reading,
                                struct position *position,
                                struct origin_path *path)
{
    uint64_t inside = member(reading, position->mount, ORIGIN_MOUNT_INSIDE);
    uint64_t root, parent;

    if ( !get_address(reading, inside, ORIGIN_MOUNT_ROOT, &root) )
        return STEP_FAILED;
    if ( position->dentry == root )
        return leave_mount(reading, position);
    if ( !get_address(reading, position->dentry, ORIGIN_DENTRY_PARENT,
                      &parent) )
        return STEP_FAILED;
    /* Of a file that lies in no directory that is mounted. */
    if ( parent == position->dentry )
        return STEP_ROOT;
    if ( !add_dentry(reading, position->dentry, path) )
        return STEP_FAILED;
    position->dentry = parent;
    return STEP_UP;
}

/* Kernel threads have no memory of their own, hence no program. */
static void read_exe(const struct origin_reading *reading, uint64_t task,
                     char *ret)
{
    struct position position;
    struct origin_path path;
    enum origin_step step = STEP_UP;
    uint64_t memory, file;

    if ( !get_address(reading, task, ORIGIN_TASK_MM, &memory) ||
         !get_address(reading, memory, ORIGIN_MM_EXE, &file) ||
         !begin_path(reading, file, &position) )
        return;
    origin_path_init(&path);
    for ( unsigned int i = 0; step == STEP_UP && i < ORIGIN_STEPS_MAX; i++ )
        step = step_up(reading, &position, &path);
    if ( step == STEP_ROOT )
        origin_path_end(&path, ret);
}

static bool add_kernfs(const struct origin_reading *reading, uint64_t node,
                       struct origin_path *path)
{
    char name[NAME_BYTES + 1];
    uint64_t letters;
    size_t got, length;

    if ( !get_word(reading, node, ORIGIN_NODE_NAME, &letters) ||
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

    if ( !get_address(reading, task, ORIGIN_TASK_CGROUPS, &set) ||
         !get_address(reading, set, ORIGIN_SET_CGROUP, &cgroup) ||
         !get_address(reading, cgroup, ORIGIN_CGROUP_NODE, &node) )
        return;
    origin_path_init(&path);
    for ( unsigned int i = 0; i < ORIGIN_STEPS_MAX; i++, node = parent )
    {
        if ( !get_word(reading, node, ORIGIN_NODE_PARENT, &parent) )
            return;
        if ( !parent ) /* the root, which has no name */
        {
            origin_path_end(&path, ret);
            return;
        }
        if ( parent % 8 || !xenoprof_fetch_is_kernel(parent) ||
             !add_kernfs(reading, node, &path) )
            return;
    }
}

bool origin_read(const struct origin_layout *layout, uint64_t init_pid_ns,
                 struct guest_memory *memory,
                 const struct origin_thread *thread, struct thread_origin *ret)
{
    const struct origin_reading reading = {layout, memory};
    uint64_t task;

    memset(ret, 0, sizeof(*ret));
    if ( !find_task(&reading, init_pid_ns, thread, &task) )
        return false;
    read_exe(&reading, task, ret->exe);
    read_cgroup(&reading, task, ret->cgroup);
    if ( is_thread(&reading, task, thread) )
        return true;
    memset(ret, 0, sizeof(*ret));
    return false;
}
