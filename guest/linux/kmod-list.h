/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel modules of one guest: its kernel's list of them, their code,
 * symbols and ORC rows.  Addresses are the guest's.
 */
#ifndef XENOPROF_GUEST_LINUX_KMOD_LIST_H
#define XENOPROF_GUEST_LINUX_KMOD_LIST_H

#include "kmod.h"

#define KMODS_MAX 4096u
/* Of all modules of a guest together. */
#define KMODS_SYMBOLS_MAX  (1u << 18)
#define KMODS_NAMES_MAX    (8u << 20) /* bytes */
#define KMODS_ORC_ROWS_MAX (2u << 20)
#define KMODS_ORC_SIZE_MAX (24u << 20) /* bytes */

/* Code of one module. */
struct kmod_range {
    struct kmod_code code;
    const struct kmod *kmod;
};

struct kmods {
    struct kmod *list;
    uint32_t count;
    struct kmod_room used;
    struct kmod_range *ranges; /* sorted; of those that the last walk saw */
    uint32_t ranges_count;
};

/*
 * Walks the list whose head is at address head: reads modules that are new,
 * drops those that are gone.  What the budget does not suffice for is read
 * next time.  Returns KERNEL_OK, or why the walk ended, for example
 * KERNEL_DAMAGED if the list does not come back to its head; what was found
 * until then stays.
 */
enum kernel_status kmods_read(struct kmods *kmods, struct guest_memory *memory,
                              const struct kmod_layout *layout,
                              enum orc_layout orc, uint64_t head);
void kmods_free(struct kmods *kmods);

/* Appends the list to a flat one.  Returns false if there is no memory. */
bool kmods_put(const struct kmods *kmods, struct buffer *to);
/* Makes *ret, which was empty, of a flat list, whose bytes it uses where they
 * lie.  Returns KERNEL_OK, KERNEL_DAMAGED or KERNEL_NO_MEMORY; kmods_free() in
 * any case. */
enum kernel_status kmods_get(struct cursor *from, struct kmods *ret);

/* Returns the module whose code has address, or NULL if there is none.  If
 * code overlaps, which Linux's does not, it may be any of them or none. */
const struct kmod *kmods_at(const struct kmods *kmods, uint64_t address);

/* Makes the ranges from the list.  Returns true, or false without ranges if
 * there is no memory. */
bool kmods_sort(struct kmods *kmods);
void kmods_forget_ranges(struct kmods *kmods);
/* Counts what a module takes, or no longer takes: sign is 1 or -1. */
void kmods_take_room(struct kmods *kmods, const struct kmod *kmod, int sign);

#endif
