/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes sections of call frame information. */
#ifndef XENOPROF_TESTS_CFI_KIT_H
#define XENOPROF_TESTS_CFI_KIT_H

#include "rows/cfi/cfi-bytes.h"

#define CFI_KIT_TEXT  0x401000ull /* functions are here */
#define CFI_KIT_FRAME 0x402000ull /* and their information there */

/* What a test writes into. */
struct cfi_kit {
    uint8_t bytes[65536];
    size_t used;
    size_t cie; /* offset of the last CIE */
    bool debug;
};

static inline void cfi_kit_put(struct cfi_kit *kit, const void *bytes,
                               size_t size)
{
    if ( size )
        memcpy(kit->bytes + kit->used, bytes, size);
    kit->used += size;
}

static inline void cfi_kit_word(struct cfi_kit *kit, uint64_t word, size_t size)
{
    cfi_kit_put(kit, &word, size);
}

static inline size_t cfi_kit_begin(struct cfi_kit *kit)
{
    size_t at = kit->used;

    cfi_kit_word(kit, 0, 4);
    return at;
}

/* Writes the length of the entry that began there. */
static inline void cfi_kit_end(struct cfi_kit *kit, size_t at)
{
    uint32_t length;

    while ( (kit->used - at) % 4 )
        kit->bytes[kit->used++] = 0;
    length = (uint32_t)(kit->used - at - 4);
    memcpy(kit->bytes + at, &length, 4);
}

/* A CIE as compilers write it, with these letters behind "zR": CFA is rsp + 8,
 * the return address at CFA - 8; and more instructions. */
static inline void cfi_kit_cie(struct cfi_kit *kit, const char *letters,
                               const void *more, size_t size)
{
    static const uint8_t first[] = {0x0c, 7, 8, 0x80 | 16, 1};

    kit->cie = cfi_kit_begin(kit);
    cfi_kit_word(kit, kit->debug ? 0xffffffffu : 0, 4);
    cfi_kit_word(kit, 1, 1);
    if ( kit->debug )
        cfi_kit_word(kit, 0, 1);
    else
    {
        cfi_kit_put(kit, "zR", 2);
        cfi_kit_put(kit, letters, strlen(letters) + 1);
    }
    cfi_kit_word(kit, 1, 1);    /* code factor */
    cfi_kit_word(kit, 0x78, 1); /* data factor: -8 */
    cfi_kit_word(kit, 16, 1);
    if ( !kit->debug )
    {
        cfi_kit_word(kit, 1, 1);
        cfi_kit_word(kit, 0x1b, 1); /* 4 bytes, signed, from here */
    }
    cfi_kit_put(kit, first, sizeof(first));
    cfi_kit_put(kit, more, size);
    cfi_kit_end(kit, kit->cie);
}

/* A function of the last CIE, from CFI_KIT_TEXT + start on. */
static inline void cfi_kit_fde(struct cfi_kit *kit, uint64_t start,
                               uint32_t length, const void *code, size_t size)
{
    size_t at = cfi_kit_begin(kit);

    cfi_kit_word(kit, kit->debug ? kit->cie : kit->used - kit->cie, 4);
    if ( kit->debug )
    {
        cfi_kit_word(kit, CFI_KIT_TEXT + start, 8);
        cfi_kit_word(kit, length, 8);
    }
    else
    {
        cfi_kit_word(kit, CFI_KIT_TEXT + start - CFI_KIT_FRAME - kit->used, 4);
        cfi_kit_word(kit, length, 4);
        cfi_kit_word(kit, 0, 1);
    }
    cfi_kit_put(kit, code, size);
    cfi_kit_end(kit, at);
}

static inline struct cfi_section cfi_kit_section(const struct cfi_kit *kit)
{
    return (struct cfi_section){.bytes = kit->bytes,
                                .size = kit->used,
                                .address = CFI_KIT_FRAME,
                                .debug = kit->debug};
}

#endif
