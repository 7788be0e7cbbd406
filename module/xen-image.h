/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code and the symbols of one hypervisor build, from the running hypervisor
 * or from a xen-syms file.
 *
 * Symbols are spelled as the running hypervisor spells them: a global by its
 * name, a static with its file before it, `common/timer.c#execute_timer`.
 */
#ifndef XENOPROF_MODULE_XEN_IMAGE_H
#define XENOPROF_MODULE_XEN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XEN_IMAGE_BUILD_ID_MAX 32

struct xen_symbol {
    uint64_t address;
    const char *name;
    char type; /* as in nm(1): T and t are code */
};

/* Bytes at an address of the hypervisor; size 0 if they are not available. */
struct xen_range {
    uint64_t address;
    const uint8_t *bytes;
    size_t size;
};

/*
 * Fields are for reading: xen_image_open_*() sets them, xen_image_close() frees
 * them.  The caller of xen_image_open_text() may fill in the build-id.
 */
struct xen_image {
    struct xen_range text;
    struct xen_range rodata;
    uint8_t build_id[XEN_IMAGE_BUILD_ID_MAX];
    size_t build_id_size;

    struct xen_symbol *symbols; /* by address, then by name */
    size_t symbol_count;
    const struct xen_symbol **by_name; /* by bare name */

    char *names;       /* storage of all names */
    uint8_t *contents; /* storage of text and rodata, NULL if borrowed */
};

/*
 * Opens an image from code, which must stay until xen_image_close(), and from
 * symbols as text, lines of `ffff82d040200000 t path#name`, which is copied.
 * text->size may be 0 if only symbols are needed.
 *
 * Returns 0, -ENOMEM, or -EINVAL if a line is malformed or there is no symbol
 * at all.  After a failure there is nothing to close.
 */
int xen_image_open_text(struct xen_image *image, const struct xen_range *text,
                        const char *symbols, size_t symbols_size);

/*
 * Opens an image from a xen-syms file.  Returns 0, -errno of opening or
 * reading, or -ENOEXEC if the file is not an ELF file for x86-64, or lacks code
 * or symbols.  After a failure there is nothing to close.
 */
int xen_image_open_elf(struct xen_image *image, const char *path);

/*
 * Gives code to an image that has only symbols.  The image takes over *text,
 * which begins at address (*text becomes NULL), and copies the constants, which
 * begin at _srodata.  Returns 0 or -ENOMEM.
 */
int xen_image_take_contents(struct xen_image *image, uint64_t address,
                            uint8_t **text, size_t text_size,
                            const uint8_t *rodata, size_t rodata_size);

/* Closes an image that was opened, or is all zeroes. */
void xen_image_close(struct xen_image *image);

/* Returns the symbol of that name, spelled in full or the bare name of a
 * static; or NULL if there is none, or several files have it. */
const struct xen_symbol *xen_image_find(const struct xen_image *image,
                                        const char *name);

/* Only debug builds have the function ASSERT_NOT_IN_ATOMIC() (Xen commit
 * 836f8188f2, 4.3). */
bool xen_image_is_debug(const struct xen_image *image);

/* Returns the last symbol at or before an address, or NULL. */
const struct xen_symbol *xen_image_at(const struct xen_image *image,
                                      uint64_t address);

/* Returns where a symbol's code ends: at the next symbol, or with the text. */
uint64_t xen_image_end(const struct xen_image *image,
                       const struct xen_symbol *symbol);

/* Returns the bytes at an address, and how many follow, or NULL if the address
 * is not in the code. */
const uint8_t *xen_image_code(const struct xen_image *image, uint64_t address,
                              size_t *size);

/* Returns what follows the last '#' of a symbol's name, or all of the name. */
const char *xen_bare_name(const char *name);

/*
 * For xen-image-*.c: sorts the symbols and builds the index by name, once all
 * are in place.  Returns 0, -ENOMEM, or -EINVAL if there are none.
 */
int xen_image_index(struct xen_image *image);

#endif /* XENOPROF_MODULE_XEN_IMAGE_H */
