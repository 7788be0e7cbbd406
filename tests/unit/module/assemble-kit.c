/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assemble-kit.h"
#include "module/guest-exit.h"

char assembled_error[ASSEMBLE_ERROR_MAX];
char assembled_output[64];
struct xenoprof_facts assembled_facts;
struct xenoprof_unwind *assembled_unwind;

/* As Xen 4.17 and 4.20 have them. */
static const char *const statics[] = {
    "acpi_idle_do_entry", "mwait_idle",         "nmi_p6_event_width",
    "nmi_perfctr_msr",    "saved_nmi_callback", "softirq_handlers",
};

void assembled_open(struct assembled *object, const char *path)
{
    Elf_Scn *section = NULL;

    elf_version(EV_CURRENT);
    object->file = open(path, O_RDONLY | O_CLOEXEC);
    if ( object->file < 0 )
        test_fail(__FILE__, __LINE__, "%s: %s; run `make %s`", path,
                  strerror(errno), OBJECT);
    object->elf = elf_begin(object->file, ELF_C_READ, NULL);
    CHECK(object->elf);
    object->symbols = NULL;
    while ( (section = elf_nextscn(object->elf, section)) )
    {
        GElf_Shdr header;

        CHECK(gelf_getshdr(section, &header));
        if ( header.sh_type != SHT_SYMTAB )
            continue;
        CHECK(!object->symbols); /* Xen takes only one */
        object->symbols_header = header;
        object->symbols = elf_getdata(section, NULL);
    }
    CHECK(object->symbols);
}

void assembled_close(struct assembled *object)
{
    elf_end(object->elf);
    close(object->file);
}

const char *assembled_symbol(const struct assembled *object, int index,
                             GElf_Sym *symbol)
{
    const char *name;

    if ( !gelf_getsym(object->symbols, index, symbol) )
        return NULL;
    name = elf_strptr(object->elf, object->symbols_header.sh_link,
                      symbol->st_name);
    CHECK(name);
    return name;
}

Elf_Scn *assembled_section(const struct assembled *object, const char *wanted)
{
    Elf_Scn *section = NULL;
    size_t strings;

    CHECK_EQ(elf_getshdrstrndx(object->elf, &strings), 0);
    while ( (section = elf_nextscn(object->elf, section)) )
    {
        GElf_Shdr header;

        CHECK(gelf_getshdr(section, &header));
        if ( !strcmp(elf_strptr(object->elf, strings, header.sh_name), wanted) )
            return section;
    }
    test_fail(__FILE__, __LINE__, "there is no section %s", wanted);
}

static bool is_static(const char *name)
{
    for ( size_t i = 0; i < sizeof(statics) / sizeof(*statics); i++ )
        if ( !strcmp(statics[i], name) )
            return true;
    return false;
}

void assembled_image(struct xen_image *image, const char *left_out,
                     const char *extra)
{
    struct xen_range nothing = {0};
    struct assembled object;
    GElf_Sym symbol;
    const char *name;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assembled_open(&object, OBJECT);
    for ( int i = 1; (name = assembled_symbol(&object, i, &symbol)); i++ )
    {
        if ( symbol.st_shndx != SHN_UNDEF || !strcmp(name, left_out) )
            continue;
        if ( !strcmp(name, "nmi_callback") )
            fprintf(file, "ffff82d0402%05x b arch/x86/traps.c#%s\n",
                    i * ASSEMBLED_SPACING, name);
        else
            fprintf(file, "ffff82d0402%05x T %s%s\n", i * ASSEMBLED_SPACING,
                    is_static(name) ? STATICS : "", name);
    }
    fputs(extra, file);
    fclose(file);
    assembled_close(&object);
    CHECK_EQ(xen_image_open_text(image, &nothing, text, size), 0);
    free(text);
}

int assembled_with(const struct xen_image *image, size_t id_size)
{
    struct assemble_order order = {
        .object = OBJECT,
        .output = assembled_output,
        .image = image,
        .facts = &assembled_facts,
        .unwind = assembled_unwind,
        .guest_exit = guest_exit_find(image),
    };
    int file;

    strcpy(assembled_output, "/tmp/xenoprof-test-XXXXXX");
    file = mkstemp(assembled_output);
    CHECK(file >= 0);
    close(file);
    order.xen.size = order.own.size = order.depends.size = id_size;
    memset(order.xen.bytes, 0x11, id_size);
    memset(order.own.bytes, 0x22, id_size);
    memset(order.depends.bytes, 0x33, id_size);
    memset(&assembled_facts, 0x44, sizeof(assembled_facts));
    assembled_error[0] = 0;
    return assemble(&order, assembled_error);
}

void assembled_make(struct assembled *object, const char *left_out,
                    const char *extra, size_t id_size)
{
    struct xen_image image;
    int result;

    assembled_image(&image, left_out, extra);
    result = assembled_with(&image, id_size);
    xen_image_close(&image);
    if ( result )
        test_fail(__FILE__, __LINE__, "assemble() is %d: %s", result,
                  assembled_error);
    assembled_open(object, assembled_output);
    unlink(assembled_output);
}
