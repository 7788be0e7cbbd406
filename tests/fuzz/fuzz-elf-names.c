/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Damaged ELF files: what has a name begins before what it is the name of. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/elf-names.h"
#include "fuzz.h"

static void look(const struct elf_names *names, uint64_t offset)
{
    struct elf_function function;
    uint64_t address;

    if ( !elf_names_address(names, offset, &address) )
        return;
    if ( elf_names_find(names, address, &function) )
        FUZZ_CHECK(*function.name && function.start <= address);
    FUZZ_CHECK(strnlen(function.name, ELF_NAME_MAX) < ELF_NAME_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    struct elf_names *names;
    uint8_t id[ELF_BUILD_ID_MAX];

    FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    names = elf_names_read(fd, 1 << 20);
    for ( uint64_t offset = 0; names && offset < 2 * size; offset += 61 )
        look(names, offset);
    if ( names )
        FUZZ_CHECK(elf_names_build_id(names, id) <= sizeof(id));
    elf_names_free(names);
    close(fd);
    return 0;
}

/* A program of this machine that is small enough, whole and cut. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    FILE *file = number < 2 ? fopen("/bin/true", "re") : NULL;
    size_t size = file ? fread(bytes, 1, FUZZ_MAX, file) : 0;

    if ( file )
        fclose(file);
    return number ? size / 2 : size;
}
