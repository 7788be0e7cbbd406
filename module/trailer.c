/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CRC-32 sees all damage within 32 bits, all of three bits wherever they are,
 * and misses one of four billion others; kept.h looks at those.
 */
#include "trailer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/scope.h"
#include "payload.h"

#define MAGIC 0x74706b58u /* "Xkpt" */

struct trailer {
    uint32_t magic;
    uint32_t sum;
    uint64_t contents;
};

_Static_assert(sizeof(struct trailer) == TRAILER_BYTES, "it has no holes");

static struct trailer trailer_of(const void *bytes, size_t size)
{
    return (struct trailer){
        .magic = MAGIC,
        .sum = (uint32_t)crc32(0, bytes, (uInt)size),
        .contents = size,
    };
}

int trailer_add(const char *path)
{
    unsigned char *bytes SCOPE_FREE = NULL;
    struct trailer trailer;
    size_t size;
    int result = payload_read(path, &bytes, &size);
    int file SCOPE_CLOSE = -1;
    ssize_t done;

    if ( result )
        return result;
    trailer = trailer_of(bytes, size);
    file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    done = file < 0 ? -1 : write(file, &trailer, sizeof(trailer));
    if ( done < 0 )
        return -errno;
    return done == sizeof(trailer) ? 0 : -ENOSPC;
}

bool trailer_fits(const void *bytes, size_t size, size_t *contents)
{
    const unsigned char *end = (const unsigned char *)bytes + size;
    struct trailer trailer;

    if ( size <= sizeof(trailer) )
        return false;
    *contents = size - sizeof(trailer);
    trailer = trailer_of(bytes, *contents);
    return !memcmp(end - sizeof(trailer), &trailer, sizeof(trailer));
}
