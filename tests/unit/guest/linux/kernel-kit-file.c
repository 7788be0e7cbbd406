/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kit's kernel as ELF, packed in each way, and as text. */
#include "kernel-kit-file.h"

#include <elf.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

void fake_elf(const struct fake_kernel *fake, struct fake_part *ret)
{
    Elf64_Ehdr header = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof(header),
        .e_ehsize = sizeof(header),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 1};
    Elf64_Phdr segment = {.p_type = PT_LOAD,
                          .p_flags = PF_R | PF_X,
                          .p_offset = 4096,
                          .p_vaddr = fake->kernel.address,
                          .p_filesz = fake->kernel.size,
                          .p_memsz = fake->kernel.size};

    memset(ret, 0, sizeof(*ret));
    fake_add(ret, &header, sizeof(header));
    fake_add(ret, &segment, sizeof(segment));
    fake_align(ret, 4096);
    fake_add(ret, fake->kernel.bytes, fake->kernel.size);
}

static size_t gzip(const struct fake_part *file, uint8_t *to, size_t room)
{
    z_stream stream = {.next_in = file->bytes,
                       .avail_in = (uInt)file->size,
                       .next_out = to,
                       .avail_out = (uInt)room};

    fake_must(deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8,
                           Z_DEFAULT_STRATEGY) == Z_OK,
              "packing");
    fake_must(deflate(&stream, Z_FINISH) == Z_STREAM_END, "packing");
    deflateEnd(&stream);
    return room - stream.avail_out;
}

static size_t xz(const struct fake_part *file, uint8_t *to, size_t room)
{
    size_t used = 0;

    fake_must(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, file->bytes,
                                      file->size, to, &used, room) == LZMA_OK,
              "packing");
    return used;
}

static size_t lzma(const struct fake_part *file, uint8_t *to, size_t room)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    lzma_options_lzma options;

    lzma_lzma_preset(&options, 0);
    options.dict_size = 1 << 23; /* a magic that is known */
    fake_must(lzma_alone_encoder(&stream, &options) == LZMA_OK, "packing");
    stream.next_in = file->bytes;
    stream.avail_in = file->size;
    stream.next_out = to;
    stream.avail_out = room;
    fake_must(lzma_code(&stream, LZMA_FINISH) == LZMA_STREAM_END, "packing");
    lzma_end(&stream);
    return room - stream.avail_out;
}

static size_t zstd(const struct fake_part *file, uint8_t *to, size_t room)
{
    size_t size = ZSTD_compress(to, room, file->bytes, file->size, 1);

    fake_must(!ZSTD_isError(size), "packing");
    return size;
}

/* One block of one run of literals; packing is not tested here. */
static size_t lz4(const struct fake_part *file, uint8_t *to, size_t room)
{
    static const uint8_t magic[] = {0x02, 0x21, 0x4c, 0x18};
    size_t at = 8, left = file->size - 15;
    uint32_t length;

    fake_must(room > file->size + file->size / 255 + 64 && file->size < 8 << 20,
              "packing");
    memcpy(to, magic, sizeof(magic));
    to[at++] = 0xf0;
    for ( ; left >= 255; left -= 255 )
        to[at++] = 255;
    to[at++] = (uint8_t)left;
    memcpy(to + at, file->bytes, file->size);
    at += file->size;
    length = (uint32_t)(at - 8);
    memcpy(to + 4, &length, sizeof(length));
    return at;
}

void fake_pack(const struct fake_part *file, enum fake_packing packing,
               struct fake_part *ret)
{
    static size_t (*const packers[FAKE_PACKINGS])(const struct fake_part *file,
                                                  uint8_t *to, size_t room) = {
        [FAKE_GZIP] = gzip, [FAKE_XZ] = xz,   [FAKE_LZMA] = lzma,
        [FAKE_ZSTD] = zstd, [FAKE_LZ4] = lz4,
    };
    size_t room = file->size * 2 + 65536;

    memset(ret, 0, sizeof(*ret));
    if ( packing == FAKE_PLAIN )
    {
        fake_add(ret, file->bytes, file->size);
        return;
    }
    fake_add(ret, NULL, room);
    ret->size = packers[packing](file, ret->bytes, room);
}

void fake_boot_image(const struct fake_part *packed, size_t unpacked,
                     struct fake_part *ret)
{
    uint32_t offset = 64, length = (uint32_t)packed->size + 4;
    uint32_t size = (uint32_t)unpacked;
    uint8_t *head;

    memset(ret, 0, sizeof(*ret));
    fake_add(ret, NULL, 3 * 512 + offset);
    head = ret->bytes;
    head[0x1f1] = 2;
    memcpy(head + 0x1fe, "\x55\xaa", 2);
    memcpy(head + 0x202, "HdrS\x0f\x02", 6);
    memcpy(head + 0x248, &offset, sizeof(offset));
    memcpy(head + 0x24c, &length, sizeof(length));
    fake_add(ret, packed->bytes, packed->size);
    fake_add(ret, &size, sizeof(size));
}

void fake_system_map(const struct fake_kernel *fake, struct fake_part *ret)
{
    char line[FAKE_NAME_MAX + 32];
    uint32_t i;

    memset(ret, 0, sizeof(*ret));
    for ( i = 0; i < fake->count; i++ )
        fake_add(ret, line,
                 (size_t)snprintf(line, sizeof(line), "%016llx %c %s\n",
                                  (unsigned long long)fake->symbols[i].address,
                                  fake->symbols[i].type,
                                  fake->symbols[i].name));
}
