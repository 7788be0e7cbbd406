/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What equal kernels share: symbols, ORC rows, and where things lie in it.
 * All offsets are distances from the image's base, its lowest symbol.
 */
#ifndef XENOPROF_GUEST_LINUX_LINUX_IMAGE_H
#define XENOPROF_GUEST_LINUX_LINUX_IMAGE_H

#include "guest/finder.h"
#include "guest/symbol-list.h"
#include "kallsyms.h"
#include "kmod-layout.h"
#include "orc.h"
#include "rows/row-table.h"
#include "tasks/kernel-layout.h"
#include "tasks/task-facts.h"

#define NAMES_KEPT 1024u

/* Symbols that say where things are. */
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
    MARK_CPU_OFFSETS,
    MARK_CURRENT,
    MARK_HOT,
    MARK_VCPU_ID,
    MARK_PROCESSOR,
    MARK_CANARY,
    MARK_PID_NS,
    MARK_FRED,
    MARK_MAPLE,
    MARK_PAGES,
    MARK_DIRECT,
    MARKS
};

struct kernel_range {
    uint64_t start, end;
};

struct kept_name {
    uint32_t index; /* of the symbol */
    char *name;     /* NULL: none is kept */
};

struct linux_image {
    struct kernel_image shared;
    struct kallsyms *kallsyms;   /* NULL if symbols came from a file */
    struct symbol_list symbols;  /* used if kallsyms is NULL */
    uint64_t base;               /* where it was read, or should be */
    struct kernel_range code[2]; /* what runs, and what ran at boot */
    uint32_t build_id_at;        /* where in memory the build-id is */
    uint32_t banner_at;          /* "Linux version ..."; 0: not known */
    char release[96];
    struct orc_table *orc;
    struct row_table *rows; /* of its file, if it has no ORC rows; or NULL */
    uint64_t rows_base;     /* the image's in that file */
    bool frame_pointers;
    bool fred;         /* it is built for FRED */
    uint32_t kmods_at; /* the head of the list; 0: not known */
    struct kmod_layout kmods;
    struct kernel_layout layout;
    struct task_facts tasks;
    uint64_t pid_ns_at;           /* init_pid_ns; 0: not known */
    uint64_t pages_at, direct_at; /* words that say where the kernel has its
                                     struct pages, and all memory; 0: where
                                     Linux has them without KASLR */
    struct kept_name names[NAMES_KEPT]; /* that were asked for */
};

/* Returns an empty image with one reference, or NULL if there is no memory. */
struct linux_image *linux_image_create(void);
/* Takes NULL. */
void linux_image_free(struct linux_image *image);

/* The marks to look up, none of them found yet. */
void linux_image_want_marks(struct kallsyms_wanted wanted[MARKS]);
/* Notes where the image's code is, if the marks say it, and what it is built
 * for. */
void linux_image_take_code(struct linux_image *image,
                           const struct kallsyms_wanted wanted[MARKS]);

/* Returns whether there is a symbol, of data or code, at or below offset.  Its
 * name is valid until the next call. */
bool linux_image_symbol(struct linux_image *image, uint64_t offset,
                        const char **name, uint64_t *start, uint64_t *end);
bool linux_image_is_code(const struct linux_image *image, uint64_t offset);

#endif
