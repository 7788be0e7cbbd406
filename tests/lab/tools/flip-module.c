/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flip-module FILE PART SEED   spoils one byte of a kept module, and says which
 * flip-module FILE seal        makes its checksum right
 *
 * PART is one of:
 *   any code relocations sections   for xenopctl alone: Xen would run it
 *   head notes names facts table    Xen's loader or the module looks at these
 *                                   before anything relies on them
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "module/payload.h"
#include "module/trailer.h"

/* Where the byte may be. */
struct flip_range {
    size_t at, size;
};

static const Elf64_Ehdr *head;

static void fail(const char *what)
{
    fprintf(stderr, "flip-module: %s\n", what);
    exit(1);
}

static const Elf64_Shdr *sections(void)
{
    return (const void *)((const char *)head + head->e_shoff);
}

static struct flip_range section(const char *name)
{
    const char *names = (const char *)head +
                        sections()[head->e_shstrndx].sh_offset;

    for ( unsigned int i = 1; i < head->e_shnum; i++ )
        if ( !strcmp(names + sections()[i].sh_name, name) )
            return (struct flip_range){sections()[i].sh_offset,
                                       sections()[i].sh_size};
    fail("a section is missing");
    return (struct flip_range){0, 0};
}

/* Of the head what says where the sections are is left alone: other bytes would
 * be taken for sections. */
static struct flip_range in_head(unsigned int seed)
{
    static const struct flip_range ranges[] = {
        {0, offsetof(Elf64_Ehdr, e_shoff)},
        {offsetof(Elf64_Ehdr, e_flags),
         offsetof(Elf64_Ehdr, e_shentsize) - offsetof(Elf64_Ehdr, e_flags)},
    };

    return ranges[seed % 2];
}

static struct flip_range in_notes(unsigned int seed)
{
    static const char *const names[] = {
        ".note.gnu.build-id", ".livepatch.depends", ".livepatch.xen_depends"};

    return section(names[seed % 3]);
}

static struct flip_range find(const char *part, size_t contents,
                              unsigned int seed)
{
    static const struct {
        const char *part, *section;
    } parts[] = {
        {"code", ".text"},
        {"relocations", ".rela.text"},
        {"names", ".strtab"},
        {"facts", ".xenoprof.facts"},
        {"table", ".xenoprof.unwind"},
    };

    for ( size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++ )
        if ( !strcmp(part, parts[i].part) )
            return section(parts[i].section);
    if ( !strcmp(part, "head") )
        return in_head(seed);
    if ( !strcmp(part, "notes") )
        return in_notes(seed);
    if ( !strcmp(part, "sections") )
        return (struct flip_range){head->e_shoff,
                                   head->e_shnum * sizeof(Elf64_Shdr)};
    if ( !strcmp(part, "any") )
        return (struct flip_range){0, contents};
    fail("there is no such part");
    return (struct flip_range){0, 0};
}

static void write_byte(const char *path, size_t at, unsigned char byte)
{
    FILE *file = fopen(path, "r+e");

    if ( !file || fseek(file, (long)at, SEEK_SET) || fputc(byte, file) < 0 ||
         fclose(file) )
        fail("the file cannot be written");
}

/* A name of ours never becomes one of Xen's: those are ASCII. */
static unsigned char spoilt(const char *part, unsigned char byte,
                            unsigned int *seed)
{
    if ( !strcmp(part, "names") )
        return byte ^ 0x80;
    return byte ^ (1 + rand_r(seed) % 255);
}

static void flip(const char *path, const char *part, unsigned int seed)
{
    unsigned char *bytes, byte;
    size_t size, contents, at;
    struct flip_range range;

    if ( payload_read(path, &bytes, &size) )
        fail("the file cannot be read");
    if ( !trailer_fits(bytes, size, &contents) )
        fail("the file is damaged already");
    head = (const void *)bytes;
    range = find(part, contents, seed);
    at = range.at + (size_t)rand_r(&seed) % range.size;
    byte = spoilt(part, bytes[at], &seed);
    printf("%s: byte %zu is %#04x, was %#04x\n", part, at, byte, bytes[at]);
    write_byte(path, at, byte);
    free(bytes);
}

static void seal(const char *path)
{
    unsigned char *bytes;
    size_t size;

    if ( payload_read(path, &bytes, &size) || size <= TRAILER_BYTES ||
         truncate(path, (off_t)(size - TRAILER_BYTES)) || trailer_add(path) )
        fail("the file cannot be written");
    free(bytes);
}

int main(int argc, char **argv)
{
    if ( argc == 3 && !strcmp(argv[2], "seal") )
        seal(argv[1]);
    else if ( argc == 4 )
        flip(argv[1], argv[2], (unsigned int)atoi(argv[3]));
    else
        fail("wants FILE PART SEED, or FILE seal");
    return 0;
}
