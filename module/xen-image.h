/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code and the symbols of one hypervisor build, wherever they came from:
 * out of the running hypervisor, or out of a xen-syms file.
 *
 * Symbols are spelled as the running hypervisor spells them: a global by its
 * name, a static with its file before it, `common/timer.c#execute_timer`.
 */
#ifndef XENOPROF_MODULE_XEN_IMAGE_H
#define XENOPROF_MODULE_XEN_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#define XEN_IMAGE_BUILD_ID_MAX 32

struct xen_symbol {
    uint64_t address;
    const char *name;
    char type; /* as nm(1) has it: T and t are code */
};

/* Bytes that lie at an address of the hypervisor; size 0: not available. */
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
    const struct xen_symbol **by_name; /* by what follows the last '#' */

    char *names;       /* storage of all names */
    uint8_t *contents; /* storage of text and rodata, NULL if borrowed */
};

/*
 * Image from code that the caller keeps alive until xen_image_close(), and
 * symbols as text, lines of `ffff82d040200000 t path#name`; the text is copied.
 * text->size may be 0 when only the symbols are wanted.
 *
 * Returns 0, -ENOMEM, or -EINVAL: a line that is none, or no symbol at all.
 * After a failure there is nothing to close.
 */
int xen_image_open_text(struct xen_image *image, const struct xen_range *text,
                        const char *symbols, size_t symbols_size);

/*
 * Image from a xen-syms file.  Returns 0, -errno of opening or reading,
 * -ENOEXEC: not an ELF file for x86-64, or one without code, or without
 * symbols.  After a failure there is nothing to close.
 */
int xen_image_open_elf(struct xen_image *image, const char *path);

/*
 * Gives an image that has only symbols its code, which begins at an address
 * and is the image's to free then (*text becomes NULL), and a copy of its
 * constants, which begin at _srodata.  Returns 0 or -ENOMEM.
 */
int xen_image_take_contents(struct xen_image *image, uint64_t address,
                            uint8_t **text, size_t text_size,
                            const uint8_t *rodata, size_t rodata_size);

/* Frees what xen_image_open_*() got; a zeroed image may be closed too. */
void xen_image_close(struct xen_image *image);

/*
 * The symbol of that name: spelled in full, or the bare name of a static that
 * only one file has.  NULL: none, or several.
 */
const struct xen_symbol *xen_image_find(const struct xen_image *image,
                                        const char *name);

/* The last symbol that lies at or before an address; NULL: none. */
const struct xen_symbol *xen_image_at(const struct xen_image *image,
                                      uint64_t address);

/* Where the next symbol, or else the code, ends the one given. */
uint64_t xen_image_end(const struct xen_image *image,
                       const struct xen_symbol *symbol);

/* The bytes at an address and how many follow; NULL: not in the code. */
const uint8_t *xen_image_code(const struct xen_image *image, uint64_t address,
                              size_t *size);

/* What follows the last '#' of a symbol's name, or all of it. */
const char *xen_bare_name(const char *name);

/*
 * For xen-image-*.c: sorts the symbols and builds the index by name, once all
 * are in place.  Returns 0, -ENOMEM, or -EINVAL if there are none.
 */
int xen_image_index(struct xen_image *image);

#endif /* XENOPROF_MODULE_XEN_IMAGE_H */
