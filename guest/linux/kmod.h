/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One kernel module of a guest: its code, symbols and ORC rows. */
#ifndef XENOPROF_GUEST_LINUX_KMOD_H
#define XENOPROF_GUEST_LINUX_KMOD_H

#include "guest/kernel-info.h"
#include "guest/symbol-list.h"
#include "kmod-layout.h"
#include "orc.h"

#define KMOD_NAME_MAX    64u
#define KMOD_CODE_MAX    (64u << 20)
#define KMOD_SYMBOLS_MAX (1u << 18)

struct kmod_code {
    uint64_t start, end;
};

struct kmod {
    struct kmod *next;
    uint64_t address; /* of the guest's struct module */
    char name[KMOD_NAME_MAX];
    struct kmod_code code[2]; /* what runs, and what runs at its start */
    uint64_t kallsyms;        /* the guest's struct mod_kallsyms */
    struct symbol_list symbols;
    struct orc_table *orc; /* NULL: none */
    bool seen;             /* in this walk */
    bool complete;         /* symbols and rows are read */
};

/* How much something takes, or may still take. */
struct kmod_room {
    uint32_t symbols;
    uint32_t names; /* bytes */
    uint32_t orc_rows;
    uint32_t orc_size; /* bytes */
};

struct kmod_orc {
    enum orc_layout layout;
    uint32_t most; /* rows */
    uint32_t most_bytes;
};

bool kmod_has_code(const struct kmod *kmod, uint64_t address);
/* Returns whether address, in this module's code, has a name. */
bool kmod_symbol(const struct kmod *kmod, uint64_t address,
                 struct kernel_symbol *ret);

/* Each returns true when all is read, or was before; false if something
 * cannot be read, or needs more than room or orc allows. */
bool kmod_read_symbols(struct kmod *kmod, struct guest_memory *memory,
                       const struct kmod_layout *layout,
                       const struct kmod_room *room);
/* structure is the guest's struct module, layout->size bytes. */
bool kmod_read_orc(struct kmod *kmod, struct guest_memory *memory,
                   const struct kmod_layout *layout, const uint8_t *structure,
                   const struct kmod_orc *orc);

#endif
