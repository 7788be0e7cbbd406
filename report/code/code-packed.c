/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks boot images, and reads the symbols of the kernel inside. */
#include "code-packed.h"

#include "base/must.h"
#include "guest/boot-symbols.h"
#include "guest/kernel.h"
#include "running.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* As files with code are, but for what boot loaders load. */
static bool is_elf64(int fd)
{
    char magic[EI_CLASS + 1];

    return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
           !memcmp(magic, ELFMAG, SELFMAG) && magic[EI_CLASS] == ELFCLASS64;
}

static bool read_packed_file(struct packed *packed, int fd)
{
    struct stat state;
    size_t done = 0;
    ssize_t more;

    if ( fstat(fd, &state) || state.st_size <= 0 ||
         state.st_size > (off_t)UNPACKED_MAX )
        return false;
    packed->size = (size_t)state.st_size;
    packed->file = must(malloc(packed->size));
    while ( done < packed->size )
    {
        more = pread(fd, packed->file + done, packed->size - done, (off_t)done);
        if ( more <= 0 )
            return false;
        done += (size_t)more;
    }
    return true;
}

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    while ( size )
    {
        ssize_t done = write(fd, bytes, size);

        if ( done <= 0 )
            return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

/* Returns the unpacked kernel as a file in memory, or -1. */
static int open_unpacked(const struct unpacked *unpacked)
{
    int fd = memfd_create("kernel", MFD_CLOEXEC);

    if ( fd >= 0 && write_all(fd, unpacked->bytes, unpacked->size) )
        return fd;
    if ( fd >= 0 )
        close(fd);
    return -1;
}

bool packed_open(struct packed *packed, int *fd)
{
    enum kernel_status code;
    int inside;

    if ( is_elf64(*fd) )
        return true;
    if ( !read_packed_file(packed, *fd) )
        return false;
    code = unpack_kernel(packed->file, packed->size, &packed->kernel);
    must_do(code != KERNEL_NO_MEMORY);
    if ( code )
        return false;
    inside = open_unpacked(&packed->kernel);
    if ( inside < 0 )
        return false;
    close(*fd);
    *fd = inside;
    return true;
}

/* Walk the symbols by address; each says where it ends. */
static void add_kernel_symbols(const struct kernel *kernel, uint64_t address,
                               uint32_t count, struct code_symbols *symbols)
{
    struct kernel_symbol symbol;

    for ( uint32_t i = 0; i < count; i++ )
    {
        if ( !kernel_name(kernel, address, &symbol) )
            return;
        code_symbols_add(symbols, &(struct code_symbol){
                                      .address = symbol.start,
                                      .size = symbol.end > symbol.start
                                                  ? symbol.end - symbol.start
                                                  : 0,
                                      .name = symbol.name,
                                  });
        if ( symbol.end <= address )
            return;
        address = symbol.end;
    }
}

/* The kernel's own kallsyms, if it is Linux. */
static void linux_symbols(const struct packed *packed,
                          struct code_symbols *symbols)
{
    struct kernel_images *images = must(kernel_images_open());
    struct kernel_info info;
    struct kernel *kernel;
    enum kernel_status code;

    code = kernel_from_file(images, packed->kernel.bytes, packed->kernel.size,
                            NULL, 0, &kernel);
    if ( !code )
    {
        kernel_get_info(kernel, &info);
        add_kernel_symbols(kernel, info.base, info.symbols, symbols);
        kernel_close(kernel);
    }
    kernel_images_close(images);
    must_do(code != KERNEL_NO_MEMORY);
}

/* Xen's own table, with the addresses of its image. */
static void xen_symbols(const struct packed *packed,
                        struct code_symbols *symbols)
{
    struct buffer text = {0};
    int code = boot_symbols_read(packed->kernel.bytes, packed->kernel.size,
                                 &text);
    char *rest = NULL, *line;

    must_do(code != -ENOMEM && (code || buffer_append(&text, "", 1)));
    line = code ? NULL : strtok_r((char *)text.bytes, "\n", &rest);
    /* Each as "ffff82d040200000 t arch/x86/mm.c#get_page". */
    for ( ; line; line = strtok_r(NULL, "\n", &rest) )
    {
        char *end;
        const uint64_t address = strtoull(line, &end, 16);

        if ( strlen(end) >= sizeof(" t ") && address >= XEN_BOOT_SHIFT )
            code_symbols_add(symbols, &(struct code_symbol){
                                          .address = address - XEN_BOOT_SHIFT,
                                          .name = end + strlen(" t "),
                                      });
    }
    buffer_free(&text);
}

void packed_symbols(const struct packed *packed, struct code_symbols *symbols)
{
    if ( packed->file )
        linux_symbols(packed, symbols);
    if ( packed->file && !symbols->count )
        xen_symbols(packed, symbols);
}

void packed_close(struct packed *packed)
{
    unpack_free(&packed->kernel);
    free(packed->file);
}
