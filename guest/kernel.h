/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One guest's kernel: what its addresses are called and how its stacks are
 * walked, found in its memory or given as a file.
 *
 * An image is what equal kernels share: symbols, ORC tables, build-id, all
 * counted from the image's own base; it is shared by reference count.  A
 * kernel is an image where one guest has it (its KASLR base), with that
 * guest's modules.
 *
 * Parses bytes that a guest wrote: belongs into a process that can do nothing
 * else (daemon/parser/parser.h).
 */
#ifndef XENOPROF_GUEST_KERNEL_H
#define XENOPROF_GUEST_KERNEL_H

#include "memory.h"
#include "guest/linux/orc.h"

enum kernel_code {
    KERNEL_OK = 0,
    KERNEL_UNKNOWN,  /* nothing there that we know: not Linux, or too old */
    KERNEL_BUDGET,   /* not found within the bytes that may be read */
    KERNEL_DAMAGED,  /* it contradicts itself, or changed while we looked */
    KERNEL_MISMATCH, /* a file of another build than the one that runs */
    KERNEL_NO_MEMORY
};

struct kernel_images; /* all images that are known; none is there twice */
struct kernel;

/* NULL: no memory. */
struct kernel_images *kernel_images_open(void);
void kernel_images_close(struct kernel_images *images);

/*
 * Find the kernel that address, an instruction of it or of one of its modules,
 * is part of, in memory.  What was found is in *ret only with KERNEL_OK; then
 * it may still be without what the budget did not suffice for (modules), or
 * what it does not tell (facts say which).
 */
enum kernel_code kernel_find(struct kernel_images *images,
                             struct guest_memory *memory, uint64_t address,
                             struct kernel **ret);

/*
 * The kernel in a file: vmlinux, vmlinuz (gzip, xz, lzma, zstd, lz4),
 * System.map or kallsyms text, or an ELF that is not Linux.  If the guest runs
 * another build than the file's, KERNEL_MISMATCH.  memory may be NULL (then
 * the addresses are taken as they are in the file).  bytes are not needed
 * afterwards.
 */
enum kernel_code kernel_from_file(struct kernel_images *images,
                                  const void *bytes, size_t size,
                                  struct guest_memory *memory, uint64_t address,
                                  struct kernel **ret);
void kernel_close(struct kernel *kernel);

/* Look at the list of modules again: when an address is in none, but may
 * be in one that was loaded since.  The kernel may be asked while memory is
 * read; it knows what it knew before.  KERNEL_MISMATCH: another kernel lies
 * there now (kexec); KERNEL_UNKNOWN: this one does not say how its list is
 * made; else what was read until an error stays. */
enum kernel_code kernel_look_at_modules(struct kernel *kernel,
                                        struct guest_memory *memory);

struct kernel_symbol {
    const char *name;
    const char *module; /* NULL: the kernel itself */
    uint64_t start;
    uint64_t end; /* 0: not known */
};

/* False: no name for this address.  Texts are good until the next call for any
 * kernel. */
bool kernel_name(const struct kernel *kernel, uint64_t address,
                 struct kernel_symbol *ret);
/* False: the address is in no code that is known. */
bool kernel_is_code(const struct kernel *kernel, uint64_t address);
/* The way to the caller's frame; false: there is none for this address. */
bool kernel_orc(const struct kernel *kernel, uint64_t address,
                struct orc_row *ret);
/* It was compiled with frame pointers and has no ORC tables. */
bool kernel_has_frame_pointers(const struct kernel *kernel);

/* The same of a kernel that was not found: as far as the 64 KiB of code around
 * address tell, most functions that are called there make a frame pointer. */
bool kernel_code_makes_frames(struct guest_memory *memory, uint64_t address);

struct kernel_info {
    char release[96]; /* "6.1.0-31-amd64"; "" if not known */
    uint8_t build_id[20];
    uint8_t build_id_length; /* 0: none found */
    uint64_t base;           /* where its text starts in this guest */
    uint32_t symbols;
    uint32_t modules;
    uint32_t orc_rows;
    uint64_t bytes_read; /* of the guest's memory, to find all this */
    uint8_t checked;    /* not 0: what names come from is what runs, the guest's
                        memory or a file with its build-id; text has none */
    uint8_t orc_layout; /* enum orc_layout; 0: there are no rows */
    uint8_t frame_pointers; /* 1: stacks are walked by them; also of a kernel
                               that was not found */
};
void kernel_get_info(const struct kernel *kernel, struct kernel_info *ret);

#endif
