/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A finder knows one sort of kernel: how to find one in a guest's memory or in
 * a file, and what to answer about it.  kernel.c has the table of finders.
 *
 * To add one: a folder beside linux/, a line at the end of this header, a row
 * in kernel.c.
 */
#ifndef XENOPROF_GUEST_FINDER_H
#define XENOPROF_GUEST_FINDER_H

#include "base/flat.h"
#include "kernel-info.h"
#include "leaf-names.h"
#include "mapped.h"
#include "origin.h"
#include "task-list.h"
#include "unwind-input.h"

/* What equal kernels share; the first member of a finder's own struct. */
struct kernel_image {
    struct kernel_image *next;
    unsigned int references;
    uint64_t fingerprint; /* of all that it was made of; 0: equals none */
    uint8_t build_id[KERNEL_BUILD_ID_MAX];
    uint8_t build_id_length;
};

/* Who is told how Xen reads who runs, before all else is known; see
 * kernel_images_tell_tasks(). */
struct task_taker {
    void (*take)(void *self, const struct task_list *list);
    void *self;
    bool image_only;
};

struct kernel_images {
    struct kernel_image *list;
    struct task_taker tasks; /* take NULL: nobody */
    uint8_t key[16];         /* for fingerprints; no guest knows it */
};

/* One guest's kernel; the first member of a finder's own struct. */
struct kernel {
    const struct kernel_finder *finder;
    struct kernel_images *images;
    struct kernel_image *image;
    struct kernel_info info; /* the finder keeps it right */
};

struct kernel_search {
    struct guest_memory *memory; /* NULL: there is only the file */
    uint64_t address;            /* of an instruction of the kernel */
    const uint8_t *key;          /* of struct kernel_images */
    const uint8_t *file;         /* its contents, unpacked; NULL: none */
    size_t size;
    const struct task_taker *tasks; /* NULL: nobody is told */
};

/* What put_image and put_modules wrote. */
struct kernel_flat {
    struct cursor image, modules; /* modules.at NULL: none */
    uint64_t base;
};

struct kernel_finder {
    const char *name;

    /* Returns KERNEL_OK with a new kernel in *ret, with image (one reference)
     * and info set; KERNEL_UNKNOWN if the next finder is to be tried; or why
     * the search ends. */
    enum kernel_status (*find)(const struct kernel_search *search,
                               struct kernel **ret);
    /* As kernel_look_at_modules(). */
    enum kernel_status (*look_again)(struct kernel *kernel,
                                     struct guest_memory *memory);
    /* As kernel_is_here(). */
    bool (*is_here)(const struct kernel *kernel, struct guest_memory *memory);
    /* As kernel_name(). */
    bool (*symbol)(const struct kernel *kernel, uint64_t address,
                   struct kernel_symbol *ret);
    /* As kernel_get_code(). */
    void (*code)(const struct kernel *kernel, struct unwind_code *ret);
    /* As kernel_get_tasks(); NULL: it knows nothing of tasks. */
    void (*tasks)(const struct kernel *kernel, struct guest_memory *memory,
                  bool image_only, struct task_list *ret);
    /* As kernel_get_origin(); NULL: as above. */
    bool (*origin)(const struct kernel *kernel, struct guest_memory *memory,
                   const struct origin_thread *thread,
                   struct thread_origin *ret);
    /* As kernel_get_mapped(); NULL: as above. */
    bool (*mapped)(const struct kernel *kernel, struct guest_memory *memory,
                   const struct mapped_process *process,
                   struct mapped_space *ret);
    /* As kernel_get_leaves(); NULL: as above. */
    bool (*leaves)(const struct kernel *kernel, struct guest_memory *memory,
                   const struct guest_file *file, const uint64_t *offsets,
                   size_t count, struct leaf_name *ret);
    /* As kernel_put_image(), kernel_put_modules(). */
    bool (*put_image)(const struct kernel *kernel, struct buffer *to,
                      uint64_t *base);
    bool (*put_modules)(const struct kernel *kernel, struct buffer *to);
    /* Returns KERNEL_OK with a new kernel in *ret, as find does, from what
     * these two wrote. */
    enum kernel_status (*get)(const struct kernel_flat *flat,
                              struct kernel **ret);
    /* Frees the kernel, but not its image. */
    void (*close)(struct kernel *kernel);
    void (*free_image)(struct kernel_image *image);
};

extern const struct kernel_finder linux_finder; /* linux/linux-kernel.c */

#endif
