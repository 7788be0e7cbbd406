/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probe: a payload that shows the hypervisor's own code to dom0, so that
 * facts come from the running code and not from a file that may be another
 * build by now; how much memory Xen counts, since its tables may leave out
 * holes; and what an NMI does that nobody claims.  It needs no facts itself.
 * xenopctl loads it, reads /xenoprof-probe, and unloads it.
 */
#include "hypervisor/port-payload/xen.h"

extern const char _stext[], _etext[], _srodata[], _erodata[];

#define LEAF(object, leaf_name)                                                \
    {                                                                          \
        .entry = {                                                             \
            .type = XEN_HYPFS_BLOB,                                            \
            .name = leaf_name,                                                 \
            .list = {&object.entry.list, &object.entry.list},                  \
            .funcs = &hypfs_leaf_ro_funcs                                      \
        }                                                                      \
    }

static struct xen_hypfs_dir dir = {
    .entry = {.type = XEN_HYPFS_DIR,
              .name = "xenoprof-probe",
              .list = {&dir.entry.list, &dir.entry.list},
              .funcs = &hypfs_dir_funcs},
    .entries = {&dir.entries, &dir.entries}};
static struct xen_hypfs_leaf text = LEAF(text, "text");
static struct xen_hypfs_leaf rodata = LEAF(rodata, "rodata");
static struct xen_hypfs_leaf frames = LEAF(frames, "max_page");
static struct xen_hypfs_leaf entries = LEAF(entries, "max_pdx");
static struct xen_hypfs_leaf nmi = LEAF(nmi, "nmi");
static unsigned int size_in_root;
static bool is_open;

static void show(struct xen_hypfs_leaf *leaf, const char *start,
                 const char *end)
{
    leaf->content = (void *)start;
    leaf->entry.size = end - start;
    hypfs_add_leaf(&dir, leaf, false);
}

static void show_number(struct xen_hypfs_leaf *leaf,
                        const unsigned long *number)
{
    show(leaf, (const char *)number, (const char *)(number + 1));
}

/* Its first letter; 0 where there is none.  Volatile: the compiler takes it for
 * an address that is there. */
static const char *const volatile word = opt_nmi;

static void load(void)
{
    const char *letter = word ?: "";

    size_in_root = -hypfs_root.entry.size;
    is_open = !hypfs_add_dir(&hypfs_root, &dir, false);
    size_in_root += hypfs_root.entry.size;
    if ( !is_open )
        return;
    show(&text, _stext, _etext);
    show(&rodata, _srodata, _erodata);
    show_number(&frames, &max_page);
    show_number(&entries, &max_pdx);
    show(&nmi, letter, letter + 1);
}

static void unload(void)
{
    struct xen_list *at = &dir.entry.list;

    if ( !is_open )
        return;
    at->prev->next = at->next;
    at->next->prev = at->prev;
    hypfs_root.entry.size -= size_in_root;
}

typedef void hook(void);
__attribute__((section(".livepatch.hooks.load"), used))
hook *const probe_load_hook = load;
__attribute__((section(".livepatch.hooks.unload"), used))
hook *const probe_unload_hook = unload;
