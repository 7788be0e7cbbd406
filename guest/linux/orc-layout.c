/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An entry is two offsets (CFA, bp) of 16 bits and 16 bits of flags: in all
 * layouts the CFA's base in bits 0-3 and bp's in 4-7; then the kind, whether
 * the caller was interrupted, and whether the stack ends, as the layout has
 * it.
 */
#include <string.h>

#include "orc-layout.h"

struct base {
    enum row_base base;
    enum row_way way;
};

static const struct base bases_4_14[16] = {
    [1] = {ROW_BASE_CFA, ROW_SUM},    [2] = {ROW_BASE_DX, ROW_SUM},
    [3] = {ROW_BASE_DI, ROW_SUM},     [4] = {ROW_BASE_BP, ROW_SUM},
    [5] = {ROW_BASE_SP, ROW_SUM},     [6] = {ROW_BASE_R10, ROW_SUM},
    [7] = {ROW_BASE_R13, ROW_SUM},    [8] = {ROW_BASE_BP, ROW_AT_SUM},
    [9] = {ROW_BASE_SP, ROW_AT_BASE},
};
static const struct base bases_7_1[16] = {
    [1] = {ROW_BASE_AX, ROW_SUM},     [2] = {ROW_BASE_DX, ROW_SUM},
    [3] = {ROW_BASE_SP, ROW_SUM},     [4] = {ROW_BASE_BP, ROW_SUM},
    [5] = {ROW_BASE_DI, ROW_SUM},     [6] = {ROW_BASE_R10, ROW_SUM},
    [7] = {ROW_BASE_R13, ROW_SUM},    [8] = {ROW_BASE_CFA, ROW_SUM},
    [9] = {ROW_BASE_SP, ROW_AT_BASE}, [10] = {ROW_BASE_BP, ROW_AT_SUM},
};

#define NO_KIND 0xff /* no layout has it */
static const uint8_t kinds_4_14[8] = {
    ROW_CALL, ROW_REGISTERS, ROW_INTERRUPT, NO_KIND,
    NO_KIND,  NO_KIND,       NO_KIND,       NO_KIND,
};
static const uint8_t kinds_6_4[8] = {
    ROW_UNDEFINED, ROW_END, ROW_CALL, ROW_REGISTERS,
    ROW_INTERRUPT, NO_KIND, NO_KIND,  NO_KIND,
};

static const struct shape {
    const struct base *bases;
    const uint8_t *kinds;
    uint16_t kind_mask;
    uint16_t signal; /* 0: implied by the kind */
    uint16_t end;    /* 0: a kind of its own */
} orc_shapes[ORC_LAYOUTS] = {
    [ORC_LAYOUT_4_14] = {bases_4_14, kinds_4_14, 0x300, 0, 0x400},
    [ORC_LAYOUT_6_3] = {bases_4_14, kinds_4_14, 0x300, 0x400, 0x800},
    [ORC_LAYOUT_6_4] = {bases_4_14, kinds_6_4, 0x700, 0x800, 0},
    [ORC_LAYOUT_7_1] = {bases_7_1, kinds_6_4, 0x700, 0x800, 0},
};

static int16_t get_int16(const uint8_t *bytes)
{
    return (int16_t)(bytes[0] | bytes[1] << 8);
}

/* Without a base for the CFA there is no frame; the older layouts have no
 * kind for that. */
static bool decode_frameless(const struct shape *shape, uint16_t flags,
                             struct unwind_row *ret)
{
    uint8_t kind = shape->kinds[(flags & shape->kind_mask) >> 8];

    if ( shape->end )
        kind = kind != ROW_CALL     ? NO_KIND
               : flags & shape->end ? ROW_END
                                    : ROW_UNDEFINED;
    if ( kind > ROW_END || flags & shape->signal )
        return false;
    ret->kind = kind;
    return true;
}

static bool is_frame(const struct unwind_row *row)
{
    if ( row->kind < ROW_CALL || row->kind > ROW_INTERRUPT )
        return false;
    if ( row->cfa_base == ROW_BASE_CFA )
        return false;
    if ( row->bp_base == ROW_BASE_NONE )
        return true;
    /* bp of an interrupted frame lies in its pt_regs. */
    return row->kind == ROW_CALL &&
           (row->bp_base == ROW_BASE_CFA || row->bp_base == ROW_BASE_BP);
}

static bool decode_frame(const struct shape *shape, const uint8_t *entry,
                         struct unwind_row *ret)
{
    uint16_t flags = get_int16(entry + 4);
    const struct base *cfa = &shape->bases[flags & 15];
    const struct base *bp = &shape->bases[flags >> 4 & 15];

    ret->kind = shape->kinds[(flags & shape->kind_mask) >> 8];
    ret->cfa_base = cfa->base;
    ret->cfa_way = cfa->way;
    ret->cfa_offset = get_int16(entry);
    ret->bp_base = bp->base;
    ret->bp_offset = get_int16(entry + 2);
    ret->signal = shape->signal ? flags & shape->signal : ret->kind != ROW_CALL;
    /* Before Linux commit 87ccc826bf1c ("x86/unwind/orc: Change
     * REG_SP_INDIRECT") (v5.12) this base meant the word at the sum, and only
     * entry code, which is never ROW_CALL, used it. */
    if ( ret->cfa_way == ROW_AT_BASE && ret->kind != ROW_CALL )
        ret->cfa_way = ROW_AT_SUM;
    return is_frame(ret) && bp->way == ROW_SUM && !(flags & shape->end);
}

bool orc_decode(enum orc_layout layout, const uint8_t *entry,
                struct unwind_row *ret)
{
    const struct shape *shape = &orc_shapes[layout];
    uint16_t flags = get_int16(entry + 4);
    uint16_t known = 0xff | shape->kind_mask | shape->signal | shape->end;
    bool good;

    memset(ret, 0, sizeof(*ret));
    if ( flags & ~known )
        return false;
    good = flags & 15 && shape->bases[flags & 15].base
               ? decode_frame(shape, entry, ret)
               : !(flags & 0xff) && decode_frameless(shape, flags, ret);
    if ( !good )
        memset(ret, 0, sizeof(*ret));
    return good;
}

/* A hash of the definition of struct orc_entry, which the build puts before
 * the table since Linux commit b9f174c811e3 ("x86/unwind/orc: Add ELF section
 * with ORC version identifier") (v6.4; stable releases of 6.3 have it). */
static const struct {
    enum orc_layout layout;
    uint8_t header[ORC_HEADER_SIZE];
} headers[] = {
    {ORC_LAYOUT_6_3,
     {0xdb, 0x84, 0xae, 0xd4, 0x10, 0x3b, 0x31, 0xdd, 0x51, 0xe0,
      0x17, 0xf8, 0xf7, 0x97, 0x83, 0xca, 0x98, 0x5c, 0x2c, 0x51}},
    {ORC_LAYOUT_6_4,
     {0xfe, 0x5d, 0x32, 0xbf, 0x58, 0x1b, 0xd6, 0x3b, 0x2c, 0xa9,
      0xa5, 0xc6, 0x5b, 0xa5, 0xa6, 0x25, 0xea, 0xb3, 0xfe, 0x24}},
    {ORC_LAYOUT_7_1,
     {0x13, 0x7c, 0x36, 0xad, 0x76, 0x27, 0xc4, 0xdd, 0x55, 0x93,
      0x21, 0x76, 0xbb, 0x0e, 0xcd, 0xbd, 0x50, 0x41, 0xfc, 0x82}},
};

static const struct {
    uint16_t major, minor;
    enum orc_layout layout;
} orc_versions[] = {
    /* the newest first */
    {7, 1, ORC_LAYOUT_7_1},
    {6, 4, ORC_LAYOUT_6_4},
    {6, 3, ORC_LAYOUT_6_3},
    {4, 14, ORC_LAYOUT_4_14},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *orc_layout_name(enum orc_layout layout)
{
    static const char *const names[ORC_LAYOUTS] = {
        [ORC_LAYOUT_UNKNOWN] = "", [ORC_LAYOUT_4_14] = "4.14",
        [ORC_LAYOUT_6_3] = "6.3",  [ORC_LAYOUT_6_4] = "6.4",
        [ORC_LAYOUT_7_1] = "7.1",
    };

    return names[layout];
}

static enum orc_layout layout_of_header(const uint8_t *header)
{
    for ( size_t i = 0; i < COUNT(headers); i++ )
        if ( !memcmp(headers[i].header, header, sizeof(headers[i].header)) )
            return headers[i].layout;
    return ORC_LAYOUT_UNKNOWN;
}

enum orc_layout orc_layout_of(unsigned int major, unsigned int minor,
                              const uint8_t *header)
{
    if ( header )
        return layout_of_header(header);
    for ( size_t i = 0; i < COUNT(orc_versions); i++ )
        if ( major > orc_versions[i].major || (major == orc_versions[i].major &&
                                               minor >= orc_versions[i].minor) )
            return orc_versions[i].layout;
    return ORC_LAYOUT_UNKNOWN;
}
