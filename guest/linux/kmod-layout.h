/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel's structures for modules have their members.  That changes
 * with version and configuration, and the kernel's own type information (BTF)
 * says it.
 */
#ifndef XENOPROF_GUEST_LINUX_KMOD_LAYOUT_H
#define XENOPROF_GUEST_LINUX_KMOD_LAYOUT_H

#include "guest/btf/btf-find.h"

struct kmod_layout {
    uint16_t known; /* 0: it does not say it all */
    uint16_t size;  /* of struct module */
    /* members of struct module */
    uint16_t list;
    uint16_t name;
    uint16_t name_length;
    uint16_t kallsyms; /* a pointer to struct mod_kallsyms */
    /* Of its code, and of the code that is freed after its start: a pointer
     * and a length, both 0 if there is none. */
    uint16_t base[2];
    uint16_t text_size[2];
    /* ORC rows; 0 if it has none */
    uint16_t orc_count;
    uint16_t orc_ips;
    uint16_t orc_rows;
    /* members of struct mod_kallsyms */
    uint16_t symtab;
    uint16_t symbols;
    uint16_t strtab;
};

/* Asks for struct module. */
void kmod_layout_want(struct btf_wanted *module);
/* Returns whether the type information, in which that was looked for, says it
 * all. */
bool kmod_layout_read(struct btf *btf, const struct btf_wanted *module,
                      struct kmod_layout *ret);

/* Returns whether every member that is read lies in the structure, or the
 * layout is not known. */
bool kmod_layout_is_sound(const struct kmod_layout *layout);

#endif
