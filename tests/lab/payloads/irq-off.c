/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A path of Xen that keeps interrupts off for 30 ms, once for each write to
 * /xenoprof-lab-irq-off. It prints at load where its code lies.
 */
#include "hypervisor/port-payload/xen.h"

#define PATH_NS 30000000

static char content[16];

/* Aligned, so that the upper digits of an address identify its samples. */
__attribute__((noinline, aligned(256), section(".text.path"))) static void path(
    void)
{
    int64_t end;

    asm volatile("cli" ::: "memory");
    end = get_s_time() + PATH_NS;
    while ( get_s_time() < end )
        for ( unsigned int i = 0; i < 100000; i++ )
            asm volatile("");
    asm volatile("sti" ::: "memory");
}

static int written(struct xen_hypfs_leaf *leaf, uint64_t address,
                   unsigned int size)
{
    int result = hypfs_write_leaf(leaf, address, size);

    if ( !result )
        path();
    return result;
}

static const struct xen_hypfs_funcs functions = {
    hypfs_node_enter, hypfs_node_exit, hypfs_read_leaf,
    written,          hypfs_getsize,   hypfs_leaf_findentry};

static struct xen_hypfs_leaf leaf = {
    .entry = {.type = XEN_HYPFS_STRING,
              .name = "xenoprof-lab-irq-off",
              .size = sizeof(content),
              .max_size = sizeof(content),
              .list = {&leaf.entry.list, &leaf.entry.list},
              .funcs = &functions},
    .content = content};

static unsigned int root_size_before;

typedef void hook(void);

static void load(void)
{
    root_size_before = hypfs_root.entry.size;
    if ( hypfs_add_leaf(&hypfs_root, &leaf, false) )
        printk("lab payload: hypfs refused the leaf\n");
    else
        printk("lab payload: path at %lx\n", (unsigned long)path);
}

static void unload(void)
{
    struct xen_list *at = &leaf.entry.list;

    at->prev->next = at->next;
    at->next->prev = at->prev;
    hypfs_root.entry.size = root_size_before;
}

__attribute__((section(".livepatch.hooks.load"),
               used)) static hook *const load_hook = load;
__attribute__((section(".livepatch.hooks.unload"),
               used)) static hook *const unload_hook = unload;
