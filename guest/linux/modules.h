/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modules of one guest: its kernel's list of them, their code, symbols
 * and ORC rows.  Addresses are the guest's.
 */
#ifndef XENOPROF_GUEST_LINUX_MODULES_H
#define XENOPROF_GUEST_LINUX_MODULES_H

#include "module-layout.h"
#include "symbol-list.h"

#define MODULES_MAX        4096u
#define MODULE_NAME_MAX    64u
#define MODULE_CODE_MAX    (64u << 20)
#define MODULE_SYMBOLS_MAX (1u << 18)

/* Of all modules of a guest together. */
#define MODULES_SYMBOLS_MAX  (1u << 18)
#define MODULES_NAMES_MAX    (8u << 20) /* bytes */
#define MODULES_ORC_ROWS_MAX (2u << 20)
#define MODULES_ORC_SIZE_MAX (24u << 20) /* bytes */

struct module_code {
    uint64_t start, end;
};

struct module {
    struct module *next;
    uint64_t address; /* of the guest's struct module */
    char name[MODULE_NAME_MAX];
    struct module_code code[2]; /* what runs, and what runs at its start */
    uint64_t kallsyms;          /* the guest's struct mod_kallsyms */
    struct symbol_list symbols;
    struct orc_table *orc; /* NULL: none */
    bool seen;             /* in this walk */
    bool complete;         /* symbols and rows are read */
};

/* What something takes, or may still take. */
struct module_room {
    uint32_t symbols;
    uint32_t names; /* bytes */
    uint32_t orc_rows;
    uint32_t orc_size; /* bytes */
};

/* Code of a module, and whose it is. */
struct module_range {
    struct module_code code;
    const struct module *module;
};

struct modules {
    struct module *list;
    uint32_t count;
    struct module_room used;
    struct module_range *ranges; /* sorted; of those that the last walk saw */
    uint32_t ranges_count;
};

/*
 * Walks the list whose head is at head: modules that are new are read, those
 * that are gone are dropped.  What the budget does not suffice for is read
 * next time.  KERNEL_DAMAGED: the list does not come back to its head; what
 * was found until there stays.
 */
enum kernel_code modules_read(struct modules *modules,
                              struct guest_memory *memory,
                              const struct module_layout *layout,
                              enum orc_layout orc, uint64_t head);
void modules_free(struct modules *modules);

/* The one whose code has address; NULL: none.  Of those whose code overlaps,
 * which Linux's does not, it may be any or none. */
const struct module *modules_at(const struct modules *modules,
                                uint64_t address);

/* Makes the ranges from the list; false: no memory, there are none then. */
bool modules_sort(struct modules *modules);
void modules_forget_ranges(struct modules *modules);

struct module_orc {
    enum orc_layout layout;
    uint32_t most; /* rows */
    uint32_t most_bytes;
};

/* Symbols and ORC rows of one, after what struct module says of it
 * (layout->size bytes), if they need no more than room.  False: could not all
 * be read. */
bool module_read_symbols(struct module *module, struct guest_memory *memory,
                         const struct module_layout *layout,
                         const struct module_room *room);
bool module_read_orc(struct module *module, struct guest_memory *memory,
                     const struct module_layout *layout,
                     const uint8_t *structure, const struct module_orc *orc);
bool module_has_code(const struct module *module, uint64_t address);

#endif
