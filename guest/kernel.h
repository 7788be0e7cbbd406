/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One guest's kernel: what its addresses are called and how its stacks are
 * walked, found in its memory or given as a file.
 *
 * Equal kernels share an image: symbols, rows and build-id, all counted from
 * the image's own base.  A kernel is an image at the address where one guest
 * has it, with that guest's kernel modules.
 *
 * Parses bytes that a guest wrote, so it belongs into a process that can do
 * nothing else (daemon/parser/search-process.h).
 */
#ifndef XENOPROF_GUEST_KERNEL_H
#define XENOPROF_GUEST_KERNEL_H

#include "kernel-info.h"
#include "leaf-names.h"
#include "mapped.h"
#include "origin.h"
#include "task-list.h"
#include "unwind-input.h"

struct buffer;
struct kernel_images; /* all images, no two of them equal */
struct kernel;

/* Returns an empty set of images, or NULL if there is no memory. */
struct kernel_images *kernel_images_open(void);
/* Has take called, with self and what kernel_get_tasks() would say, while a
 * kernel is looked for, as soon as that is known: rows and modules take as long
 * again.  What was taken may be of what turns out to be no kernel. */
void kernel_images_tell_tasks(struct kernel_images *images,
                              void (*take)(void *self,
                                           const struct task_list *list),
                              void *self, bool image_only);
/* When all kernels are closed; takes NULL. */
void kernel_images_close(struct kernel_images *images);

/*
 * Looks in memory for the kernel that address, an instruction of the kernel or
 * of one of its modules, belongs to.  Returns KERNEL_OK with the kernel in
 * *ret, or why there is none.  The kernel may lack what the budget did not
 * suffice for (kernel modules) or what the guest does not say; its info shows
 * what is missing.
 */
enum kernel_status kernel_find(struct kernel_images *images,
                               struct guest_memory *memory, uint64_t address,
                               struct kernel **ret);

/*
 * Reads the kernel in a file: vmlinux, vmlinuz (gzip, xz, lzma, zstd, lz4),
 * System.map or kallsyms text, or an ELF file that is not Linux.  Returns as
 * kernel_find() does; KERNEL_MISMATCH if the guest runs another build than
 * the file's.  memory may be NULL: addresses are then those in the file.
 * bytes are not needed afterwards.
 */
enum kernel_status kernel_from_file(struct kernel_images *images,
                                    const void *bytes, size_t size,
                                    struct guest_memory *memory,
                                    uint64_t address, struct kernel **ret);

/* Takes NULL. */
void kernel_close(struct kernel *kernel);

/*
 * Reads the list of kernel modules again, for an address that may be in one
 * that was loaded since.  Returns KERNEL_OK, KERNEL_MISMATCH if another kernel
 * lies there now (kexec), KERNEL_UNKNOWN if this kernel does not say how its
 * list is made, or why the list was read only in part.  While memory is read,
 * the kernel may be asked, and answers as before.
 */
enum kernel_status kernel_look_at_modules(struct kernel *kernel,
                                          struct guest_memory *memory);

/* Returns true if the guest's memory has this kernel's build-id where the
 * kernel has it; false also if that cannot be read, or the kernel has none. */
bool kernel_is_here(const struct kernel *kernel, struct guest_memory *memory);

/* Returns whether address has a name; *ret is then filled.  Texts are valid
 * until the next call for any kernel. */
bool kernel_name(const struct kernel *kernel, uint64_t address,
                 struct kernel_symbol *ret);

/* What guest_unwind() asks about this kernel's code; pv is false.  Valid
 * until the kernel is closed. */
void kernel_get_code(const struct kernel *kernel, struct unwind_code *ret);

void kernel_get_info(const struct kernel *kernel, struct kernel_info *ret);

/*
 * Makes the list by which Xen reads who runs on which vCPU of this guest, as
 * its memory says it now: processors come and go.  image_only: nothing but the
 * kernel's own image may be read, so what it leads to is not checked.  Without
 * a list, ret->status says why.
 */
void kernel_get_tasks(const struct kernel *kernel, struct guest_memory *memory,
                      bool image_only, struct task_list *ret);

/*
 * Reads which program a thread of this guest runs, and in which cgroup, now.
 * Returns whether the thread is there, and was not replaced meanwhile by
 * another one; what is not known of it is "".
 */
bool kernel_get_origin(const struct kernel *kernel, struct guest_memory *memory,
                       const struct origin_thread *thread,
                       struct thread_origin *ret);

/*
 * Reads what a process has mapped as code, now.  Returns whether the thread
 * that is meant is there, and has not become another program meanwhile.
 */
bool kernel_get_mapped(const struct kernel *kernel, struct guest_memory *memory,
                       const struct mapped_process *process,
                       struct mapped_space *ret);

/*
 * Names code in a file by what the kernel has of the file in memory: at some
 * offsets in it, LEAVES_MAX at most.  Returns whether that file is still there;
 * pages of it may be missing, and with them symbols.
 */
bool kernel_get_leaves(const struct kernel *kernel, struct guest_memory *memory,
                       const struct guest_file *file, const uint64_t *offsets,
                       size_t count, struct leaf_name *ret);

/*
 * A kernel as two flat tables, which another process maps: what its image says,
 * the same bytes for equal kernels wherever they lie, and what is known of one
 * guest's kernel modules.
 */
struct kernel_tables {
    const void *image;
    size_t image_size;
    const void *modules; /* NULL: none */
    size_t modules_size;
    uint64_t base; /* where this guest has the image */
};

/* Append a table to a buffer, which was empty.  Return false if there is no
 * memory. */
bool kernel_put_image(const struct kernel *kernel, struct buffer *to,
                      uint64_t *base);
bool kernel_put_modules(const struct kernel *kernel, struct buffer *to);

/* Makes a kernel of tables, which are used where they lie, at multiples of 8,
 * and outlive it.  Returns KERNEL_OK with the kernel in *ret; KERNEL_DAMAGED or
 * KERNEL_NO_MEMORY.  Tables may be hostile, but do not change. */
enum kernel_status kernel_from_tables(const struct kernel_tables *tables,
                                      struct kernel **ret);

#endif
