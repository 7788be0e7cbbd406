/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Assigns roles by symbol names, bug frames and the exception table. */
#include "roles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPECIAL (UNWIND_ROLE_ENTRY | UNWIND_ROLE_APART)

static const struct {
    const char *name;
    uint8_t role;
} special[] = {
#define UNWIND_SYMBOL(name, role) {name, role},
#include "special-symbols.def"
#undef UNWIND_SYMBOL
};

/*
 * ud2 goes on for these kinds of bug frame: run a function (0) and WARN (1);
 * and does not for BUG (2) and ASSERT (3).  One section has them all before Xen
 * commit 3434518d05 ("xen/virtual-region: Rework how bugframe linkage works")
 * (4.19).
 */
static const struct {
    const char *start, *stop;
    uint8_t role;
} bug_frames[] = {
    {"__start_bug_frames", "__stop_bug_frames_0", UNWIND_ROLE_CONTINUES},
    {"__stop_bug_frames_0", "__stop_bug_frames_1", UNWIND_ROLE_CONTINUES},
    {"__start_bug_frames_0", "__stop_bug_frames_0", UNWIND_ROLE_CONTINUES},
    {"__start_bug_frames_1", "__stop_bug_frames_1", UNWIND_ROLE_CONTINUES},
    {"__stop_bug_frames_1", "__stop_bug_frames_2", UNWIND_ROLE_BUG},
    {"__stop_bug_frames_2", "__stop_bug_frames_3", UNWIND_ROLE_BUG},
    {"__start_bug_frames_2", "__stop_bug_frames_2", UNWIND_ROLE_BUG},
    {"__start_bug_frames_3", "__stop_bug_frames_3", UNWIND_ROLE_BUG},
};

struct bug_frame {
    int32_t distance : 24;
    uint32_t line_high : 8;
    uint32_t rest;
};

struct exception {
    int32_t from;
    int32_t to;
};

static bool fits(const char *pattern, const char *name)
{
    size_t length = strlen(pattern), size = strlen(name);
    bool open_start = *pattern == '*';
    bool open_end = pattern[length - 1] == '*';

    pattern += open_start;
    length -= open_start + open_end;
    if ( open_start && open_end )
        return memmem(name, size, pattern, length);
    if ( size < length || (!open_start && !open_end && size != length) )
        return false;
    return !memcmp(open_start ? name + size - length : name, pattern, length);
}

static uint8_t role_of_name(const char *name, uint8_t otherwise)
{
    for ( size_t i = sizeof(special) / sizeof(*special); i-- > 0; )
        if ( fits(special[i].name, name) )
            return special[i].role;
    return otherwise;
}

static uint64_t image_address(const struct xen_image *image, const char *name)
{
    const struct xen_symbol *symbol = xen_image_find(image, name);

    return symbol ? symbol->address : 0;
}

static void assign_range(struct listing *listing, uint32_t insn, uint64_t end,
                         uint8_t role)
{
    for ( ; insn != UNWIND_NOWHERE && listing->items[insn].address < end;
          insn = listing_next(listing, insn) )
    {
        listing->items[insn].roles |= role & SPECIAL;
        if ( role & UNWIND_ROLE_TO_FIRST_JUMP &&
             listing->items[insn].op == UNWIND_OP_JUMP )
            return;
    }
}

static void assign_symbols(struct listing *listing,
                           const struct xen_image *image)
{
    uint64_t start = image_address(image, "_stextentry");
    uint64_t length = image_address(image, "_etextentry") - start;

    for ( size_t i = 0, next; i < listing->symbol_count; i = next )
    {
        uint64_t address = listing->symbols[i].address, end = UINT64_MAX;
        bool entry = start && address - start < length;
        uint32_t insn = listing_at(listing, address);
        uint8_t role = 0;

        for ( next = i; next < listing->symbol_count &&
                        listing->symbols[next].address == address;
              next++ )
            role |= role_of_name(listing->symbols[next].name,
                                 entry ? UNWIND_ROLE_ENTRY
                                       : UNWIND_ROLE_FUNCTION);
        if ( insn == UNWIND_NOWHERE )
            continue;
        if ( next < listing->symbol_count )
            end = listing->symbols[next].address;
        if ( role & SPECIAL )
            assign_range(listing, insn, end, role);
        else
            listing->items[insn].roles |= role;
    }
}

/* What entry code calls by a symbol is a function, also among entry code. */
static void assign_entry_functions(struct listing *listing)
{
    for ( size_t i = 0; i < listing->count; i++ )
    {
        const struct unwind_insn *call = &listing->items[i];
        const struct listing_symbol *symbol, *end;
        uint32_t at = call->to;

        if ( call->op != UNWIND_OP_CALL || at == UNWIND_NOWHERE ||
             !(listing->items[at].roles & UNWIND_ROLE_ENTRY) )
            continue;
        symbol = listing_symbol_at(listing, call->target);
        if ( !symbol )
            continue;
        listing->items[at].roles |= UNWIND_ROLE_FUNCTION;
        end = listing->symbols + listing->symbol_count;
        while ( symbol < end && symbol->address == call->target )
            symbol++;
        for ( ; at != UNWIND_NOWHERE &&
                (symbol == end || listing->items[at].address < symbol->address);
              at = listing_next(listing, at) )
            listing->items[at].roles &= ~UNWIND_ROLE_ENTRY;
    }
}

/*
 * Returns the size of the constants from start to stop, 0 if they are missing.
 */
static size_t constants(const struct xen_image *image, const char *start_name,
                        const char *stop_name, const uint8_t **bytes,
                        uint64_t *address)
{
    uint64_t start = image_address(image, start_name);
    uint64_t stop = image_address(image, stop_name);
    uint64_t offset = start - image->rodata.address;

    if ( !start || stop < start || offset > image->rodata.size ||
         stop - start > image->rodata.size - offset )
        return 0;
    *bytes = image->rodata.bytes + offset;
    *address = start;
    return stop - start;
}

static void assign_bug_frames(struct listing *listing,
                              const struct xen_image *image)
{
    const uint8_t *bytes;
    uint64_t address;

    for ( size_t i = 0; i < sizeof(bug_frames) / sizeof(*bug_frames); i++ )
    {
        size_t size = constants(image, bug_frames[i].start, bug_frames[i].stop,
                                &bytes, &address);
        struct bug_frame bug;

        for ( size_t at = 0; at + sizeof(bug) <= size; at += sizeof(bug) )
        {
            uint32_t insn;

            memcpy(&bug, bytes + at, sizeof(bug));
            insn = listing_at(listing, address + at + bug.distance);
            if ( insn != UNWIND_NOWHERE )
                listing->items[insn].roles |= bug_frames[i].role;
        }
    }
}

/*
 * What Xen puts in place of a call through a pointer that is NULL at boot:
 * commit 67d01cdb55 ("x86: infrastructure to allow converting certain indirect
 * calls to direct ones") (4.13); three ud2 since ac02ee9c82 ("x86/altcall:
 * Introduce new simpler scheme") (4.21).  Of what stands behind it nothing runs
 * from there, but it was made to, with the frame that it has there.
 */
#define CALL_SIZE 6u
static const uint8_t null_calls[][CALL_SIZE] = {
    {0x0f, 0x0b, 0x0f, 0xff, 0xff, 0x90},
    {0x0f, 0x0b, 0x0f, 0x0b, 0x0f, 0x0b},
};

static bool is_null_call(const struct listing *listing, size_t at)
{
    const struct unwind_insn *insn = &listing->items[at];
    const struct listing_text *text = &listing->texts[insn->text];
    uint64_t offset = insn->address - text->address;

    if ( insn->op != UNWIND_OP_TRAP || text->size - offset < CALL_SIZE )
        return false;
    for ( size_t i = 0; i < sizeof(null_calls) / sizeof(*null_calls); i++ )
        if ( !memcmp(text->bytes + offset, null_calls[i], CALL_SIZE) )
            return true;
    return false;
}

/* Bugs of which each has its ud2 may stand side by side, too. */
static void assign_null_call(struct listing *listing, size_t at)
{
    const uint64_t end = listing->items[at].address + CALL_SIZE;
    size_t behind = at;

    for ( ; behind < listing->count && listing->items[behind].address < end;
          behind++ )
        if ( listing->items[behind].roles & UNWIND_ROLE_BUG )
            return;
    while ( at < behind )
        listing->items[at++].roles |= UNWIND_ROLE_CONTINUES;
}

static void assign_null_calls(struct listing *listing)
{
    for ( size_t i = 0; i < listing->count; i++ )
        if ( is_null_call(listing, i) )
            assign_null_call(listing, i);
}

/*
 * Where page numbers are not compressed, Xen jumps over what would do so:
 * commit bd0b3a876d ("pdx: allow per-arch optimization of PDX conversion
 * helpers") (4.21).  It puts five bytes there at boot, where a compiler takes
 * two to what is so near in the same function.
 */
#define FAR_JUMP   5u
#define SHORT_JUMP 2u

static bool is_put_in(const struct listing *listing, uint32_t at)
{
    const struct unwind_insn *insn = &listing->items[at];
    const int64_t distance = (int64_t)(insn->target -
                                       (insn->address + SHORT_JUMP));

    return listing->texts[insn->text].base == XENOPROF_UNWIND_ABSOLUTE &&
           insn->op == UNWIND_OP_JUMP && insn->length == FAR_JUMP &&
           insn->to != UNWIND_NOWHERE && distance == (int8_t)distance &&
           listing_symbol_of(listing, at) ==
               listing_symbol_of(listing, insn->to);
}

static void assign_jumps_put_in(struct listing *listing)
{
    for ( uint32_t i = 0; i < listing->count; i++ )
        if ( is_put_in(listing, i) )
            listing->items[i].roles |= UNWIND_ROLE_CONTINUES;
}

static int compare_fixups(const void *a, const void *b)
{
    const struct unwind_fixup *left = a, *right = b;

    return (left->insn > right->insn) - (left->insn < right->insn);
}

static int read_fixups(struct listing *listing, const struct xen_image *image,
                       struct unwind_fixups *fixups)
{
    const uint8_t *bytes;
    uint64_t address;
    struct exception exception;
    size_t size = constants(image, "__start___ex_table", "__stop___ex_table",
                            &bytes, &address);

    fixups->count = 0;
    fixups->list = calloc(size / sizeof(exception) + 1, sizeof(*fixups->list));
    if ( !fixups->list )
        return -ENOMEM;
    for ( size_t at = 0; at + sizeof(exception) <= size;
          at += sizeof(exception) )
    {
        uint64_t here = address + at;
        struct unwind_fixup fixup;

        memcpy(&exception, bytes + at, sizeof(exception));
        fixup.insn = listing_at(listing, here + exception.from);
        fixup.to = listing_at(listing, here + offsetof(struct exception, to) +
                                           exception.to);
        if ( fixup.insn == UNWIND_NOWHERE || fixup.to == UNWIND_NOWHERE )
            continue;
        listing->items[fixup.insn].roles |= UNWIND_ROLE_FIXUP;
        fixups->list[fixups->count++] = fixup;
    }
    qsort(fixups->list, fixups->count, sizeof(*fixups->list), compare_fixups);
    return 0;
}

int unwind_assign_roles(struct listing *listing, const struct xen_image *image,
                        struct unwind_fixups *fixups)
{
    assign_symbols(listing, image);
    assign_entry_functions(listing);
    assign_bug_frames(listing, image);
    assign_null_calls(listing);
    assign_jumps_put_in(listing);
    return read_fixups(listing, image, fixups);
}
