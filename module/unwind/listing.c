/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes texts once, in order, and finds instructions by address. */
#include "listing.h"

#include <errno.h>

#include "base/sorted.h"
#include "insn.h"

#define LOCK_PREFIX 0xf0
#define LANDING     4 /* bytes of endbr64 */

/* Replaces ud2 since Xen commit 1f3dd605ea ("x86: use / "support" UDB") (4.22).
 */
#define UDB 0xd6

struct decoder {
    struct listing *listing;
    struct disassembler disassembler;
};

/*
 * Newer instructions come first: an old capstone takes them for shorter ones.
 */
static void decode(struct decoder *decoder, const uint8_t *bytes, size_t size,
                   uint64_t address, struct unwind_insn *insn)
{
    const uint8_t *first = bytes;

    *insn = (struct unwind_insn){
        .address = address, .to = UNWIND_NOWHERE, .op = UNWIND_OP_PLAIN};
    insn->length = unwind_newer(bytes, size, &insn->written);
    if ( insn->length )
        return;
    if ( disassemble(&decoder->disassembler, &bytes, &size, &address) )
    {
        unwind_insn_read(decoder->disassembler.instruction, insn);
        return;
    }
    insn->op = *first == UDB ? UNWIND_OP_TRAP : UNWIND_OP_BAD;
    insn->length = 1;
}

/*
 * Returns where decoding must start again: the next symbol, or the text's end.
 */
static uint64_t next_start(const struct listing *listing, size_t *symbol,
                           uint64_t address, uint64_t end)
{
    while ( *symbol < listing->symbol_count &&
            listing->symbols[*symbol].address <= address )
        (*symbol)++;
    if ( *symbol < listing->symbol_count &&
         listing->symbols[*symbol].address < end )
        return listing->symbols[*symbol].address;
    return end;
}

static int read_text(struct decoder *decoder, const struct listing_text *text)
{
    uint64_t address = text->address, end = address + text->size;
    size_t symbol = 0;

    while ( address < end )
    {
        const uint8_t *bytes = text->bytes + (address - text->address);
        struct unwind_insn *insn = vector_add(decoder->listing);

        if ( !insn )
            return -ENOMEM;
        /* It ends before the next start or is bad. */
        decode(decoder, bytes,
               next_start(decoder->listing, &symbol, address, end) - address,
               address, insn);
        insn->text = text - decoder->listing->texts;
        address += insn->length;
    }
    return 0;
}

/*
 * Xen makes indirect calls direct at boot, and skips the endbr64 (or its
 * poison) of the callee: commit 37ed5da851 ("x86/altcall: Optimise away endbr64
 * instruction where possible") (4.17).
 */
static bool skips_landing(const struct listing *listing, uint64_t target)
{
    uint32_t insn = listing_at(listing, target - LANDING);

    return insn != UNWIND_NOWHERE && listing->items[insn].length == LANDING &&
           (listing->items[insn].op == UNWIND_OP_NOP ||
            listing->items[insn].op == UNWIND_OP_LANDING) &&
           listing_symbol_at(listing, target - LANDING);
}

int listing_read(struct listing *listing)
{
    struct decoder decoder = {.listing = listing};
    int result = disassembler_open(&decoder.disassembler);

    for ( size_t i = 0; !result && i < listing->text_count; i++ )
    {
        listing->text_first[i] = listing->count;
        result = read_text(&decoder, &listing->texts[i]);
        listing->text_first[i + 1] = listing->count;
    }
    disassembler_close(&decoder.disassembler);
    for ( size_t i = 0; !result && i < listing->count; i++ )
    {
        struct unwind_insn *insn = &listing->items[i];

        if ( insn->target && skips_landing(listing, insn->target) )
            insn->target -= LANDING;
        if ( insn->target )
            insn->to = listing_at(listing, insn->target);
    }
    return result;
}

void listing_free(struct listing *listing)
{
    vector_free(listing);
}

/*
 * Returns the last instruction of a text that begins at or before an address.
 */
static size_t find_insn(const struct listing *listing, size_t text,
                        uint64_t address)
{
    const size_t *first = &listing->text_first[text];

    return first[0] - 1 +
           sorted_until(&listing->items[first[0]], first[1] - first[0], address,
                        address);
}

static bool locks(const struct listing_text *text, uint64_t address)
{
    return text->bytes[address - text->address] == LOCK_PREFIX;
}

uint32_t listing_at(const struct listing *listing, uint64_t address)
{
    for ( size_t i = 0; i < listing->text_count; i++ )
    {
        const struct listing_text *text = &listing->texts[i];
        uint64_t begin;
        size_t insn;

        if ( address - text->address >= text->size )
            continue;
        insn = find_insn(listing, i, address);
        begin = listing->items[insn].address;
        if ( begin == address || (begin == address - 1 && locks(text, begin)) )
            return insn;
    }
    return UNWIND_NOWHERE;
}

uint32_t listing_next(const struct listing *listing, uint32_t insn)
{
    const struct unwind_insn *here = &listing->items[insn];

    if ( insn + 1 == listing->count || here[1].text != here->text )
        return UNWIND_NOWHERE;
    return insn + 1;
}

const struct listing_symbol *listing_symbol_at(const struct listing *listing,
                                               uint64_t address)
{
    size_t at = sorted_below(listing->symbols, listing->symbol_count, address,
                             address);

    if ( at < listing->symbol_count && listing->symbols[at].address == address )
        return &listing->symbols[at];
    return NULL;
}

const struct listing_symbol *listing_symbol_of(const struct listing *listing,
                                               uint32_t insn)
{
    size_t count = sorted_until(listing->symbols, listing->symbol_count,
                                address, listing->items[insn].address);

    return count ? &listing->symbols[count - 1] : NULL;
}
