/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies an object, fills in its sections and renames its symbols. */
#include "assemble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assemble-symbols.h"
#include "base/scope.h"
#include "elf-file.h"

#define NOTE_MAX (16 + XEN_IMAGE_BUILD_ID_MAX)
#define NT_GNU   3

struct note {
    uint8_t bytes[NOTE_MAX];
    size_t size;
};

/* Everything here must live until elf_update() has written it. */
struct assembly {
    const struct assemble_order *order;
    Elf *elf;
    int file;
    char *strings;
    struct note own, depends, xen;
    char *error;
};

static int fail(struct assembly *assembly, int result, const char *what)
{
    snprintf(assembly->error, ASSEMBLE_ERROR_MAX, "%s: %s",
             assembly->order->object, what);
    return result;
}

static void note_make(struct note *note, const struct build_id *id)
{
    uint32_t head[3] = {4, id->size, NT_GNU};

    memset(note, 0, sizeof(*note));
    memcpy(note->bytes, head, sizeof(head));
    memcpy(note->bytes + 12, "GNU", 4);
    memcpy(note->bytes + 16, id->bytes, id->size);
    note->size = 16 + id->size;
}

static int fill(struct assembly *assembly, const char *name, const void *bytes,
                size_t size)
{
    Elf_Scn *section = elf_section_named(assembly->elf, name);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;

    if ( !data )
        return fail(assembly, -ENOEXEC,
                    "lacks a section of a module object; reinstall xenoprof");
    data->d_buf = (void *)bytes;
    data->d_size = size;
    elf_flagdata(data, ELF_C_SET, ELF_F_DIRTY);
    return 0;
}

static int fill_note(struct assembly *assembly, const char *name,
                     const struct note *note)
{
    return fill(assembly, name, note->bytes, note->size);
}

static int fill_all(struct assembly *assembly)
{
    const struct assemble_order *order = assembly->order;

    note_make(&assembly->own, &order->own);
    note_make(&assembly->depends, &order->depends);
    note_make(&assembly->xen, &order->xen);
    return fill_note(assembly, ".note.gnu.build-id", &assembly->own) ||
                   fill_note(assembly, ".livepatch.depends",
                             &assembly->depends) ||
                   fill_note(assembly, ".livepatch.xen_depends",
                             &assembly->xen) ||
                   (order->facts &&
                    fill(assembly, ".xenoprof.facts", order->facts,
                         sizeof(*order->facts))) ||
                   (order->unwind && fill(assembly, ".xenoprof.unwind",
                                          order->unwind, order->unwind->size))
               ? -ENOEXEC
               : 0;
}

static int rename_symbols(struct assembly *assembly)
{
    char missing[128] = "", text[256];
    int result = assemble_symbols(assembly->elf, assembly->order->image,
                                  assembly->order->guest_exit,
                                  &assembly->strings, missing);

    if ( result == -ENOENT )
    {
        snprintf(text, sizeof(text),
                 "this hypervisor has no symbol %s, or several; it is built "
                 "without a part that the module needs, or xenoprof does not "
                 "know it yet",
                 missing);
        return fail(assembly, result, text);
    }
    return result ? fail(assembly, result, "has no symbols") : 0;
}

static int complete(struct assembly *assembly)
{
    int result;

    if ( elf_version(EV_CURRENT) == EV_NONE )
        return fail(assembly, -ENOEXEC, "libelf is too old");
    assembly->elf = elf_begin(assembly->file, ELF_C_RDWR, NULL);
    if ( !assembly->elf || elf_kind(assembly->elf) != ELF_K_ELF )
        return fail(assembly, -ENOEXEC, "is not an ELF file");
    result = fill_all(assembly);
    if ( !result )
        result = rename_symbols(assembly);
    if ( !result && elf_update(assembly->elf, ELF_C_WRITE) < 0 )
        result = fail(assembly, -EIO, elf_errmsg(-1));
    return result;
}

/* The object is copied and completed in place. */
static int copy_object(struct assembly *assembly)
{
    int from SCOPE_CLOSE = open(assembly->order->object, O_RDONLY | O_CLOEXEC);
    struct stat info = {0};
    off_t offset = 0;
    int result = from < 0 || fstat(from, &info) ? -errno : 0;

    while ( !result && offset < info.st_size )
    {
        ssize_t sent = sendfile(assembly->file, from, &offset,
                                info.st_size - offset);

        if ( sent <= 0 )
            result = sent ? -errno : -EIO;
    }
    return result ? fail(assembly, result, strerror(-result)) : 0;
}

int assemble(const struct assemble_order *order, char error[ASSEMBLE_ERROR_MAX])
{
    struct assembly assembly = {.order = order, .error = error};
    int result;

    assembly.file = open(order->output, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
                         0600);
    if ( assembly.file < 0 )
    {
        result = -errno;
        snprintf(error, ASSEMBLE_ERROR_MAX, "cannot write %s: %s",
                 order->output, strerror(-result));
        return result;
    }
    result = copy_object(&assembly);
    if ( !result )
        result = complete(&assembly);
    elf_end(assembly.elf);
    free(assembly.strings);
    if ( close(assembly.file) && !result )
        result = fail(&assembly, -EIO, "cannot be written");
    if ( result )
        unlink(order->output);
    return result;
}
