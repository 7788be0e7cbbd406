/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module object of this build, completed for a hypervisor with just the
 * symbols that we list, and read back as Xen's loader reads it.
 */
#ifndef XENOPROF_TESTS_UNIT_MODULE_ASSEMBLE_KIT_H
#define XENOPROF_TESTS_UNIT_MODULE_ASSEMBLE_KIT_H

#include <gelf.h>

#include "module/assemble.h"
#include "tests/harness.h"

#define OBJECT  "xenoprof-module.o"
#define PREFIX  "xenoprof."
#define STATICS "arch/x86/somewhere.c#"

/* The hypervisor's symbols are at least so many bytes apart. */
#define ASSEMBLED_SPACING 32

struct assembled {
    int file;
    Elf *elf;
    GElf_Shdr symbols_header;
    Elf_Data *symbols;
};

void assembled_open(struct assembled *object, const char *path);
void assembled_close(struct assembled *object);

/* Returns the symbol's name, or NULL behind the last. */
const char *assembled_symbol(const struct assembled *object, int index,
                             GElf_Sym *symbol);
/* There must be one. */
Elf_Scn *assembled_section(const struct assembled *object, const char *wanted);

/* A hypervisor with everything that the object needs, except what is left out,
 * and with some symbols more. */
void assembled_image(struct xen_image *image, const char *left_out,
                     const char *extra);

/* Completes the object, with build-ids of so many bytes: 0x11, 0x22 and 0x33
 * for Xen, itself and what it depends on. */
int assembled_with(const struct xen_image *image, size_t id_size);
/* The same, which must succeed, and opens what was made. */
void assembled_make(struct assembled *object, const char *left_out,
                    const char *extra, size_t id_size);

extern char assembled_error[ASSEMBLE_ERROR_MAX];
extern char assembled_output[64]; /* path of what was made */
extern struct xenoprof_facts assembled_facts;
extern struct xenoprof_unwind *assembled_unwind; /* NULL: none */

#endif
