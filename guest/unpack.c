/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds what is packed in a boot image, and how. */
#include "unpack.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "unpack-formats.h"

/* Linux's boot protocol: a real-mode part with a header, then code that
 * unpacks, in which the kernel lies. */
#define SETUP_SECTORS  0x1f1u
#define BOOT_FLAG      0x1feu
#define MAGIC          0x202u
#define VERSION        0x206u
#define PAYLOAD_OFFSET 0x248u
#define PAYLOAD_LENGTH 0x24cu
#define HEADER_END     0x250u
#define VERSION_MIN    0x208u
#define SECTOR         512u

#define RATIO_MAX 256u /* kernels pack less well */

static const struct {
    uint8_t magic[6];
    uint8_t length;
    size_t (*unpack)(const uint8_t *bytes, size_t size, uint8_t *to,
                     size_t room);
} formats[] = {
    {{0x1f, 0x8b, 0x08}, 3, unpack_gzip},
    {{0xfd, '7', 'z', 'X', 'Z', 0x00}, 6, unpack_xz},
    {{0x5d, 0x00, 0x00}, 3, unpack_lzma},
    {{0x28, 0xb5, 0x2f, 0xfd}, 4, unpack_zstd},
    {{0x02, 0x21, 0x4c, 0x18}, 4, unpack_lz4},
};

static uint32_t number(const uint8_t *bytes, uint32_t at)
{
    uint32_t value;

    memcpy(&value, bytes + at, sizeof(value));
    return value;
}

static bool is_boot_image(const uint8_t *bytes, size_t size)
{
    return size > HEADER_END && bytes[BOOT_FLAG] == 0x55 &&
           bytes[BOOT_FLAG + 1] == 0xaa && !memcmp(bytes + MAGIC, "HdrS", 4) &&
           (number(bytes, VERSION) & 0xffff) >= VERSION_MIN;
}

/* Moves to the kernel in a boot image.  Returns false if it lies outside. */
static bool find_payload(const uint8_t **bytes, size_t *size)
{
    uint64_t sectors = (*bytes)[SETUP_SECTORS] ? (*bytes)[SETUP_SECTORS] : 4;
    uint64_t start = (sectors + 1) * SECTOR + number(*bytes, PAYLOAD_OFFSET);
    uint32_t length = number(*bytes, PAYLOAD_LENGTH);

    if ( start > *size || length > *size - start || length < 8 )
        return false;
    *bytes += start;
    *size = length;
    return true;
}

static enum kernel_status unpack(const uint8_t *bytes, size_t size, size_t room,
                                 struct unpacked *ret)
{
    uint8_t *to SCOPE_FREE = NULL, *less;
    size_t i;

    for ( i = 0; i < sizeof(formats) / sizeof(formats[0]); i++ )
        if ( size > formats[i].length &&
             !memcmp(bytes, formats[i].magic, formats[i].length) )
            break;
    if ( i == sizeof(formats) / sizeof(formats[0]) )
        return KERNEL_UNKNOWN;
    /* Pages that nothing is written to cost nothing. */
    to = malloc(room);
    if ( !to )
        return KERNEL_NO_MEMORY;
    ret->size = formats[i].unpack(bytes, size, to, room);
    if ( !ret->size )
        return KERNEL_DAMAGED;
    less = realloc(to, ret->size);
    ret->owned = less ? less : to;
    ret->bytes = ret->owned;
    to = NULL;
    return KERNEL_OK;
}

enum kernel_status unpack_kernel(const uint8_t *bytes, size_t size,
                                 struct unpacked *ret)
{
    enum kernel_status status;
    size_t room = size < UNPACKED_MAX / RATIO_MAX ? size * RATIO_MAX
                                                  : UNPACKED_MAX;

    ret->owned = NULL;
    if ( is_boot_image(bytes, size) )
    {
        if ( !find_payload(&bytes, &size) )
            return KERNEL_DAMAGED;
        /* Behind it stands how long it will be. */
        room = number(bytes, (uint32_t)size - 4);
        if ( !room || room > UNPACKED_MAX )
            return KERNEL_DAMAGED;
    }
    status = unpack(bytes, size, room, ret);
    if ( status != KERNEL_UNKNOWN )
        return status;
    ret->bytes = bytes;
    ret->size = size;
    return KERNEL_OK;
}

void unpack_free(struct unpacked *unpacked)
{
    free(unpacked->owned);
    unpacked->owned = NULL;
}
