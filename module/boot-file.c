/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks a boot file: a 32-bit ELF file with one piece that has all of Xen. */
#include "boot-file.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/scope.h"
#include "guest/boot-symbols.h"

#define FILE_MAX  (64u << 20)
#define READ_SIZE (1u << 20)

static void close_buffer(struct buffer *buffer)
{
    buffer_free(buffer);
}

#define SCOPE_BUFFER __attribute__((cleanup(close_buffer)))

static int read_all(gzFile file, struct buffer *ret)
{
    int got;

    do
    {
        if ( ret->used > FILE_MAX )
            return -EFBIG;
        if ( !buffer_reserve(ret, READ_SIZE) )
            return -ENOMEM;
        got = gzread(file, ret->bytes + ret->used, READ_SIZE);
        if ( got > 0 )
            ret->used += (size_t)got;
    } while ( got > 0 );
    return got ? -EIO : 0;
}

/* Also reads a file that is not packed. */
static int unpack(const char *path, struct buffer *ret)
{
    gzFile file = gzopen(path, "rbe");
    int result;

    if ( !file )
        return errno ? -errno : -ENOMEM;
    result = read_all(file, ret);
    gzclose(file);
    return result;
}

/* Returns the piece that is loaded; without bytes if there is none. */
static struct xen_range find_piece(const struct buffer *file)
{
    struct xen_range range = {0};
    Elf32_Ehdr head;
    Elf32_Phdr piece;

    if ( file->used < sizeof(head) )
        return range;
    memcpy(&head, file->bytes, sizeof(head));
    if ( memcmp(head.e_ident, ELFMAG, SELFMAG) ||
         head.e_ident[EI_CLASS] != ELFCLASS32 || head.e_machine != EM_386 )
        return range;
    for ( size_t i = 0; i < head.e_phnum; i++ )
    {
        size_t at = head.e_phoff + i * sizeof(piece);

        if ( at > file->used - sizeof(piece) )
            break;
        memcpy(&piece, file->bytes + at, sizeof(piece));
        if ( piece.p_type == PT_LOAD && piece.p_offset <= file->used &&
             piece.p_filesz <= file->used - piece.p_offset &&
             piece.p_filesz > range.size )
            range = (struct xen_range){.address = BOOT_TEXT,
                                       .bytes = file->bytes + piece.p_offset,
                                       .size = piece.p_filesz};
    }
    return range;
}

/* Returns what lies between two symbols; without bytes if that is not in the
 * piece. */
static struct xen_range between(const struct xen_image *image,
                                const struct xen_range *piece,
                                const char *first, const char *last)
{
    const struct xen_symbol *start = xen_image_find(image, first);
    const struct xen_symbol *end = xen_image_find(image, last);
    struct xen_range range = {0};

    if ( start && end && start->address >= piece->address &&
         end->address > start->address &&
         end->address - piece->address <= piece->size )
        range = (struct xen_range){.address = start->address,
                                   .bytes = piece->bytes +
                                            (start->address - piece->address),
                                   .size = end->address - start->address};
    return range;
}

static int take_contents(struct xen_image *image, const struct xen_range *piece)
{
    struct xen_range text = between(image, piece, "_stext", "_etext");
    struct xen_range rodata = between(image, piece, "_srodata", "_erodata");
    uint8_t *copy SCOPE_FREE = NULL;

    if ( !text.size || !rodata.size )
        return -ENODATA;
    copy = malloc(text.size);
    if ( !copy )
        return -ENOMEM;
    memcpy(copy, text.bytes, text.size);
    return xen_image_take_contents(image, text.address, &copy, text.size,
                                   rodata.bytes, rodata.size);
}

/* Xen looks for its build-id between these symbols, too. */
static void take_build_id(struct xen_image *image,
                          const struct xen_range *piece)
{
    struct xen_range note = between(image, piece, "__note_gnu_build_id_start",
                                    "__note_gnu_build_id_end");
    const size_t before = sizeof(Elf64_Nhdr) + 4; /* "GNU" */
    Elf64_Nhdr head;

    if ( note.size < before )
        return;
    memcpy(&head, note.bytes, sizeof(head));
    if ( head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4 ||
         head.n_descsz > XEN_IMAGE_BUILD_ID_MAX ||
         head.n_descsz > note.size - before )
        return;
    memcpy(image->build_id, note.bytes + before, head.n_descsz);
    image->build_id_size = head.n_descsz;
}

static int open_packed(struct xen_image *image, const char *path)
{
    struct buffer file SCOPE_BUFFER = {0}, symbols SCOPE_BUFFER = {0};
    const struct xen_range no_code = {0};
    struct xen_range piece;
    int result = unpack(path, &file);

    if ( result )
        return result;
    piece = find_piece(&file);
    if ( !piece.bytes )
        return -ENOEXEC;
    result = boot_symbols_read(piece.bytes, piece.size, &symbols);
    if ( !result )
        result = xen_image_open_text(image, &no_code, (char *)symbols.bytes,
                                     symbols.used);
    if ( result )
        return result == -EINVAL ? -ENODATA : result;
    result = take_contents(image, &piece);
    if ( result )
        xen_image_close(image);
    else
        take_build_id(image, &piece);
    return result;
}

int boot_file_open(struct xen_image *image, const char *path)
{
    int result = xen_image_open_elf(image, path);

    if ( result )
        return result == -ENOEXEC ? open_packed(image, path) : result;
    if ( xen_image_find(image, "_stext") )
        return 0;
    /* Any other program. */
    xen_image_close(image);
    return -ENOEXEC;
}
