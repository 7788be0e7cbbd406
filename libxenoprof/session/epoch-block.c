/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers of blocks, and their checksums. */
#include "epoch-block.h"
#include "session-block.h"

static uint32_t header_check(const struct epoch_block_header *header)
{
    return session_check(header, offsetof(struct epoch_block_header, check));
}

void epoch_block_seal(struct epoch_block_header *header,
                      const struct buffer *tables, const struct buffer *samples)
{
    header->magic = EPOCH_BLOCK_MAGIC;
    header->tables_size = (uint32_t)tables->used;
    header->samples_size = (uint32_t)samples->used;
    header->tables_check = session_check(tables->bytes, tables->used);
    header->samples_check = session_check(samples->bytes, samples->used);
    header->check = header_check(header);
}

bool epoch_block_sound(const struct epoch_block_header *header)
{
    /* The checksum last: a file may be full of magics. */
    return header->magic == EPOCH_BLOCK_MAGIC &&
           header->tables_size <= EPOCH_PART_MAX &&
           header->samples_size <= EPOCH_PART_MAX &&
           header->samples <= EPOCH_SAMPLES_MAX &&
           header->check == header_check(header);
}

bool epoch_tables_sound(const struct epoch_block_header *header,
                        const void *bytes)
{
    return header->tables_check == session_check(bytes, header->tables_size);
}

bool epoch_samples_sound(const struct epoch_block_header *header,
                         const void *bytes)
{
    return header->samples_check == session_check(bytes, header->samples_size);
}
