/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What equal kernels share: symbols, ORC rows, and where things lie in it.
 * All places are distances from the image's base, its lowest symbol.
 */
#ifndef XENOPROF_GUEST_LINUX_IMAGE_H
#define XENOPROF_GUEST_LINUX_IMAGE_H

#include "fingerprint.h"
#include "kallsyms.h"
#include "module-layout.h"
#include "symbol-list.h"

#define IMAGE_BUILD_ID_MAX 20u
#define NAMES_KEPT         1024u

/* The symbols that tell where things are. */
enum image_mark {
    MARK_STEXT,
    MARK_ETEXT,
    MARK_SINITTEXT,
    MARK_EINITTEXT,
    MARK_ORC_IP,
    MARK_ORC_IP_END,
    MARK_ORC,
    MARK_ORC_END,
    MARK_ORC_HEADER,
    MARK_NOTES,
    MARK_NOTES_END,
    MARK_BANNER,
    MARK_MODULES,
    MARK_BTF,
    MARK_BTF_END,
    MARKS
};

struct image_range {
    uint64_t start, end;
};

struct kept_name {
    uint32_t index; /* of the symbol */
    char *name;     /* NULL: none is kept */
};

struct image {
    struct image *next;
    unsigned int references;
    struct kallsyms *kallsyms;  /* NULL: there are only */
    struct symbol_list symbols; /* these, from a file */
    uint64_t base;              /* where it was read, or should be */
    struct image_range code[2]; /* what runs, and what ran at boot */
    uint8_t build_id[IMAGE_BUILD_ID_MAX];
    uint8_t build_id_length;
    uint32_t build_id_at; /* where in memory the build-id is */
    uint32_t banner_at;   /* "Linux version ..."; 0: not known */
    char release[96];
    struct orc_table *orc;
    bool frame_pointers;
    uint32_t modules_at; /* the head of the list; 0: not known */
    struct module_layout modules;
    uint64_t fingerprint;
    struct kept_name names[NAMES_KEPT]; /* that were asked for */
};

/* Reads the kernel around address.  key is for its fingerprint. */
enum kernel_code image_read(struct guest_memory *memory, uint64_t address,
                            const uint8_t key[16], struct image **ret);
/* An empty one, to be filled; NULL: no memory. */
struct image *image_create(void);
void image_free(struct image *image);

/* The symbols that tell where things are, none of them found yet. */
void image_want_marks(struct kallsyms_wanted wanted[MARKS]);
/* Where its code is, if the marks say it. */
void image_take_code(struct image *image,
                     const struct kallsyms_wanted wanted[MARKS]);
/* When it has its symbols: all the rest, from memory, where it lies at its
 * base; what is not there leaves it without.  What it is made of joins the
 * fingerprint, which ends with it. */
enum kernel_code image_complete(struct image *image,
                                struct guest_memory *memory,
                                const struct kallsyms_wanted wanted[MARKS],
                                struct fingerprint *fingerprint);
/* Whether another kernel's build-id or banner lies where this one's was. */
bool image_is_replaced(const struct image *image, struct guest_memory *memory,
                       uint64_t base);
/* Steps of that. */
void image_look_for_frame_pointers(struct image *image,
                                   struct guest_memory *memory);
enum kernel_code image_read_orc(struct image *image,
                                struct guest_memory *memory,
                                const struct kallsyms_wanted wanted[MARKS],
                                struct fingerprint *fingerprint);

/* ORC rows, as distances from the base. */
struct orc_place {
    uint64_t ips, rows;
    uint32_t count;
    enum orc_layout layout; /* as far as a header tells */
};
/* Looks for them where no mark says where they are. */
bool image_find_orc(const struct image *image, struct guest_memory *memory,
                    struct orc_place *ret);

/* The symbol at offset from the base, data or code; false: none.  Its name is
 * good until the next call. */
bool image_symbol(struct image *image, uint64_t offset, const char **name,
                  uint64_t *start, uint64_t *end);
bool image_is_code(const struct image *image, uint64_t offset);

#endif
