/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door in Xen's hypfs.
 *
 * A leaf's size never changes: hypfs asks for it twice, and a second, larger
 * answer would overrun the buffer that the reader allocated after the first.
 */
#include "payload.h"

#include "hypervisor/core.h"

#define ENTRY(leaf, kind, leaf_name, bytes, limit, functions)                  \
    {                                                                          \
        .type = kind, .name = leaf_name, .size = bytes, .max_size = limit,     \
        .list = {&leaf.entry.list, &leaf.entry.list}, .funcs = functions       \
    }

#define ENOMEM       12
#define STATUS_BYTES 1024

static const char version[] = "xenoprof " PACKAGE_VERSION;
static struct xenoprof_door_state door_state;
static char status[STATUS_BYTES];
static char command[XENOPROF_COMMAND_MAX];
static uint64_t state_sequence;
static bool buffer_busy;

static unsigned int command_size(const struct xen_hypfs_entry *entry)
{
    (void)entry;
    return sizeof(command);
}

static int command_written(struct xen_hypfs_leaf *leaf, uint64_t address,
                           unsigned int size)
{
    int result;

    memset(command, 0, sizeof(command));
    result = hypfs_write_leaf(leaf, address, size);
    if ( result )
        return result;
    command[sizeof(command) - 1] = 0;
    state_sequence++;
    if ( !nmi_prepare() || !events_prepare() )
        return -ENOMEM;
    result = core_command(command);
    if ( core_at_rest() )
    {
        events_forget();
        nmi_forget();
        registers_forget();
    }
    return result;
}

/*
 * Several pCPUs may read a leaf at once, and a leaf has one buffer: a reader
 * owns it from filling it in until it is copied out.  Nobody sleeps in between,
 * and no interrupt reads leaves.  Acquire in buffer_lock() and release in
 * buffer_unlock() keep the accesses to the buffer between the two calls.
 */
static void buffer_lock(void)
{
    while ( __atomic_exchange_n(&buffer_busy, true, __ATOMIC_ACQUIRE) )
        __builtin_ia32_pause();
}

static void buffer_unlock(void)
{
    __atomic_store_n(&buffer_busy, false, __ATOMIC_RELEASE);
}

static int state_read(const struct xen_hypfs_entry *entry, uint64_t address)
{
    struct xenoprof_door_state now = {0};
    int result;

    core_door_state(&now);
    now.magic = XENOPROF_DOOR_MAGIC;
    now.leaf = XENOPROF_DOOR_LEAF_STATE;
    now.version = XENOPROF_ABI_VERSION;
    now.size = sizeof(now);
    now.sequence = state_sequence;
    now.sequence_end = state_sequence;
    buffer_lock();
    door_state = now;
    result = hypfs_read_leaf(entry, address);
    buffer_unlock();
    return result;
}

static int status_read(const struct xen_hypfs_entry *entry, uint64_t address)
{
    int result;

    buffer_lock();
    memset(status, 0, sizeof(status));
    core_status_text(status, sizeof(status));
    result = hypfs_read_leaf(entry, address);
    buffer_unlock();
    return result;
}

static const struct xen_hypfs_funcs command_functions = {
    hypfs_node_enter, hypfs_node_exit, hypfs_read_leaf,
    command_written,  command_size,    hypfs_leaf_findentry};
static const struct xen_hypfs_funcs state_functions = {
    hypfs_node_enter, hypfs_node_exit, state_read,
    hypfs_write_deny, hypfs_getsize,   hypfs_leaf_findentry};
static const struct xen_hypfs_funcs status_functions = {
    hypfs_node_enter, hypfs_node_exit, status_read,
    hypfs_write_deny, hypfs_getsize,   hypfs_leaf_findentry};

static struct xen_hypfs_dir dir = {.entry = ENTRY(dir, XEN_HYPFS_DIR,
                                                  XENOPROF_DOOR_DIR, 0, 0,
                                                  &hypfs_dir_funcs),
                                   .entries = {&dir.entries, &dir.entries}};
static struct xen_hypfs_leaf command_leaf = {
    .entry = ENTRY(command_leaf, XEN_HYPFS_STRING, XENOPROF_DOOR_COMMAND,
                   sizeof(command), sizeof(command), &command_functions),
    .content = command};
static struct xen_hypfs_leaf state_leaf = {
    .entry = ENTRY(state_leaf, XEN_HYPFS_BLOB, XENOPROF_DOOR_STATE,
                   sizeof(door_state), 0, &state_functions),
    .content = &door_state};
static struct xen_hypfs_leaf status_leaf = {
    .entry = ENTRY(status_leaf, XEN_HYPFS_STRING, XENOPROF_DOOR_STATUS,
                   sizeof(status), 0, &status_functions),
    .content = status};
static struct xen_hypfs_leaf version_leaf = {
    .entry = ENTRY(version_leaf, XEN_HYPFS_STRING, XENOPROF_DOOR_VERSION,
                   sizeof(version), 0, &hypfs_leaf_ro_funcs),
    .content = (void *)version};

static unsigned int size_in_root;
static bool is_open;

int door_open(void)
{
    struct xen_hypfs_leaf *const leaves[] = {&command_leaf, &state_leaf,
                                             &status_leaf, &version_leaf};
    int result;

    size_in_root = -hypfs_root.entry.size;
    result = hypfs_add_dir(&hypfs_root, &dir, false);
    size_in_root += hypfs_root.entry.size;
    is_open = !result;
    for ( unsigned int i = 0; !result && i < 4; i++ )
        result = hypfs_add_leaf(&dir, leaves[i], false);
    return result;
}

/* hypfs cannot remove an entry: this undoes what hypfs_add_dir() did. */
void door_close(void)
{
    struct xen_list *at = &dir.entry.list;

    if ( !is_open )
        return;
    at->prev->next = at->next;
    at->next->prev = at->prev;
    hypfs_root.entry.size -= size_in_root;
    is_open = false;
}
