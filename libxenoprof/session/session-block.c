/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Seals blocks and file headers with checksums, and checks them. */
#include <string.h>
#include <zlib.h>

#include "session-block.h"

uint32_t session_check(const void *bytes, size_t size)
{
    return crc32_z(0, bytes, size);
}

static uint32_t file_header_check(const struct session_file_header *header)
{
    return session_check(header, offsetof(struct session_file_header, check));
}

void file_header_init(struct session_file_header *ret, uint32_t number,
                      uint64_t session)
{
    *ret = (struct session_file_header){
        .version = SESSION_VERSION, .number = number, .session = session};
    memcpy(ret->magic, SESSION_MAGIC, SESSION_MAGIC_SIZE);
    ret->check = file_header_check(ret);
}

bool file_header_sound(const struct session_file_header *header)
{
    return !memcmp(header->magic, SESSION_MAGIC, SESSION_MAGIC_SIZE) &&
           header->check == file_header_check(header);
}

static uint32_t block_header_check(const struct session_block_header *header)
{
    return session_check(header, offsetof(struct session_block_header, check));
}

void session_block_seal(struct session_block_header *header,
                        const struct buffer *tables,
                        const struct buffer *samples)
{
    header->magic = SESSION_BLOCK_MAGIC;
    header->tables_size = (uint32_t)tables->used;
    header->samples_size = (uint32_t)samples->used;
    header->tables_check = session_check(tables->bytes, tables->used);
    header->samples_check = session_check(samples->bytes, samples->used);
    header->check = block_header_check(header);
}

bool session_block_sound(const struct session_block_header *header)
{
    /* The checksum last: a file may be full of magics. */
    return header->magic == SESSION_BLOCK_MAGIC &&
           header->tables_size <= SESSION_SECTION_MAX &&
           header->samples_size <= SESSION_SECTION_MAX &&
           header->samples <= SESSION_SAMPLES_MAX &&
           header->check == block_header_check(header);
}

bool block_tables_are_sound(const struct session_block_header *header,
                            const void *bytes)
{
    return header->tables_check == session_check(bytes, header->tables_size);
}

bool block_samples_are_sound(const struct session_block_header *header,
                             const void *bytes)
{
    return header->samples_check == session_check(bytes, header->samples_size);
}
