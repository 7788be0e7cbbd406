/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * payload-ids FILE OWN DEPENDS XEN: writes three build-ids (40 digits each, or
 * '-' to leave one as it is) into the notes of a livepatch: the livepatch's
 * own, the build-id of what it depends on (a payload or a hypervisor), and the
 * hypervisor's.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID_BYTES 20
#define NT_GNU   3

struct elf_note {
    uint32_t name_size, id_size, type;
    char name[4];
    uint8_t id[ID_BYTES];
};

static void fail(const char *what)
{
    fprintf(stderr, "payload-ids: %s\n", what);
    exit(1);
}

static void read_id(const char *text, uint8_t *id)
{
    if ( strlen(text) != 2 * ID_BYTES )
        fail("a build-id has 40 digits here");
    for ( unsigned int i = 0; i < ID_BYTES; i++ )
        if ( sscanf(text + 2 * i, "%2hhx", &id[i]) != 1 )
            fail("a build-id is written in hexadecimal digits");
}

static void *map(const char *path)
{
    int fd = open(path, O_RDWR);
    struct stat info;
    void *bytes;

    if ( fd < 0 || fstat(fd, &info) )
        fail("the file cannot be opened");
    bytes = mmap(NULL, info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if ( bytes == MAP_FAILED || memcmp(bytes, ELFMAG, SELFMAG) )
        fail("the file is not an ELF file");
    return bytes;
}

static void *section(char *elf, const char *name, size_t size)
{
    const Elf64_Ehdr *head = (const void *)elf;
    const Elf64_Shdr *sections = (const void *)(elf + head->e_shoff);
    const char *names = elf + sections[head->e_shstrndx].sh_offset;

    for ( unsigned int i = 0; i < head->e_shnum; i++ )
        if ( strcmp(names + sections[i].sh_name, name) == 0 &&
             sections[i].sh_size == size )
            return elf + sections[i].sh_offset;
    fail("a note is missing, or of another size");
    return NULL;
}

int main(int argc, char **argv)
{
    static const char *const notes[] = {
        ".note.gnu.build-id", ".livepatch.depends", ".livepatch.xen_depends"};
    char *elf;

    if ( argc != 5 )
        fail("wants FILE OWN DEPENDS XEN");
    elf = map(argv[1]);
    for ( unsigned int i = 0; i < 3; i++ )
    {
        struct elf_note note = {4, ID_BYTES, NT_GNU, "GNU", {0}};

        if ( strcmp(argv[2 + i], "-") == 0 )
            continue;
        read_id(argv[2 + i], note.id);
        memcpy(section(elf, notes[i], sizeof(note)), &note, sizeof(note));
    }
    return 0;
}
