/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns frames into states, and runs of equal states into rows. */
#include "encode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

#define WORD    8
#define CFA_MAX INT16_MAX
#define SLOTS   4096u

static const enum xenoprof_unwind_rbp rbps[] = {
    [UNWIND_RBP_KEPT] = XENOPROF_UNWIND_RBP_KEPT,
    [UNWIND_RBP_SAVED] = XENOPROF_UNWIND_RBP_SAVED,
    [UNWIND_RBP_LOST] = XENOPROF_UNWIND_RBP_LOST,
};

/* Distinct states, and how often each is used. */
struct usage {
    struct xenoprof_unwind_state state;
    uint32_t count;
    uint8_t index;
};

struct encoding {
    const struct listing *listing;
    const struct unwind_frame *frames;
    uint8_t *states;
    struct usage usages[SLOTS];
    uint32_t usage_count;
    struct xenoprof_unwind_state kept[XENOPROF_UNWIND_STATES];
    uint32_t kept_count;
    struct xenoprof_unwind_row *rows;
    uint32_t row_count;
    uint32_t *first_rows;
    uint32_t first_row_count;
    struct xenoprof_unwind_region regions[XENOPROF_UNWIND_REGIONS];
};

bool unwind_is_padding(const struct unwind_insn *insn,
                       const struct unwind_frame *frame)
{
    return frame->base == UNWIND_BASE_NONE &&
           (insn->op == UNWIND_OP_NOP || insn->op == UNWIND_OP_INT3);
}

static struct xenoprof_unwind_state plain_state(
    enum xenoprof_unwind_kind kind, int32_t cfa,
    const struct unwind_frame *frame)
{
    struct xenoprof_unwind_state state = {0};
    bool saved = frame->rbp == UNWIND_RBP_SAVED &&
                 (kind == XENOPROF_UNWIND_RSP || kind == XENOPROF_UNWIND_RBP);

    if ( cfa % WORD || abs(cfa) > CFA_MAX ||
         (saved && (frame->saved % WORD || frame->saved > CFA_MAX)) )
        return state;
    state.kind = kind;
    state.cfa = cfa;
    state.rbp_saved = rbps[frame->rbp];
    state.rbp = saved ? -frame->saved : 0;
    return state;
}

struct xenoprof_unwind_state unwind_state_of(const struct unwind_frame *frame)
{
    struct unwind_frame own = *frame;

    switch ( frame->base )
    {
    case UNWIND_BASE_RSP:
        return plain_state(XENOPROF_UNWIND_RSP, frame->depth, frame);
    case UNWIND_BASE_LOST:
        return plain_state(frame->framed ? XENOPROF_UNWIND_RBP
                                         : XENOPROF_UNWIND_NONE,
                           frame->framed ? frame->frame : 0, frame);
    case UNWIND_BASE_RESET: return plain_state(XENOPROF_UNWIND_REGS, 0, frame);
    case UNWIND_BASE_ENTRY:
        return plain_state(XENOPROF_UNWIND_ENTRY, frame->depth, frame);
    case UNWIND_BASE_STUFF:
        return plain_state(XENOPROF_UNWIND_RAX, frame->depth, frame);
    case UNWIND_BASE_DRAP:
        own.rbp = UNWIND_RBP_SAVED;
        return plain_state(XENOPROF_UNWIND_DRAP, -frame->slot, &own);
    case UNWIND_BASE_R10:
        own.rbp = frame->framed ? UNWIND_RBP_SAVED : frame->rbp;
        return plain_state(XENOPROF_UNWIND_R10, 0, &own);
    default: return (struct xenoprof_unwind_state){0};
    }
}

/* Returns the slot of a state, or NULL if there are too many states. */
static struct usage *usage_of(struct encoding *encoding,
                              const struct xenoprof_unwind_state *state)
{
    uint32_t slot = (state->kind * 31u + state->rbp_saved * 7u +
                     (uint16_t)state->cfa / WORD * 13u +
                     (uint16_t)state->rbp / WORD * 257u) %
                    SLOTS;

    for ( uint32_t tries = 0; tries < SLOTS; tries++ )
    {
        struct usage *usage = &encoding->usages[(slot + tries) % SLOTS];

        if ( usage->count && memcmp(&usage->state, state, sizeof(*state)) )
            continue;
        if ( !usage->count && encoding->usage_count == SLOTS / 2 )
            return NULL;
        if ( !usage->count )
            encoding->usage_count++;
        usage->state = *state;
        return usage;
    }
    return NULL;
}

static int compare_usages(const void *a, const void *b)
{
    const struct usage *const *left = a, *const *right = b;

    if ( (*left)->count != (*right)->count )
        return (*left)->count < (*right)->count ? 1 : -1;
    return memcmp(&(*left)->state, &(*right)->state, sizeof((*left)->state));
}

/* Keeps the states that are used most; index 0 means unknown. */
static int choose_states(struct encoding *encoding)
{
    struct usage **sorted SCOPE_FREE = calloc(SLOTS, sizeof(*sorted));
    uint32_t count = 0;

    if ( !sorted )
        return -ENOMEM;
    for ( uint32_t i = 0; i < encoding->listing->count; i++ )
    {
        struct xenoprof_unwind_state state = unwind_state_of(
            &encoding->frames[i]);
        struct usage *usage = usage_of(encoding, &state);

        if ( usage )
            usage->count++;
    }
    for ( uint32_t i = 0; i < SLOTS; i++ )
        if ( encoding->usages[i].count && encoding->usages[i].state.kind )
            sorted[count++] = &encoding->usages[i];
    qsort(sorted, count, sizeof(*sorted), compare_usages);
    encoding->kept_count = 1;
    for ( uint32_t i = 0; i < count && i + 1 < XENOPROF_UNWIND_STATES; i++ )
    {
        sorted[i]->index = encoding->kept_count;
        encoding->kept[encoding->kept_count++] = sorted[i]->state;
    }
    return 0;
}

static void add_row(struct encoding *encoding, uint64_t offset, uint8_t state)
{
    encoding->rows[encoding->row_count++] = (struct xenoprof_unwind_row){
        .at = offset % XENOPROF_UNWIND_BLOCK, .state = state};
}

/* Begins the blocks up to offset, each with the state before it. */
static void begin_blocks(struct encoding *encoding, uint32_t *blocks,
                         uint64_t offset, uint8_t state)
{
    for ( ; *blocks * (uint64_t)XENOPROF_UNWIND_BLOCK < offset; (*blocks)++ )
    {
        encoding->first_rows[encoding->first_row_count++] = encoding->row_count;
        add_row(encoding, 0, state);
    }
}

static void add_region(struct encoding *encoding, size_t text)
{
    const struct listing *listing = encoding->listing;
    const struct listing_text *from = &listing->texts[text];
    bool own = from->base == XENOPROF_UNWIND_MODULE;
    uint32_t blocks = 0;
    uint8_t state = 0;

    encoding->regions[text] = (struct xenoprof_unwind_region){
        .start = own ? 0 : from->address,
        .length = from->size,
        .base = from->base,
        .first = encoding->first_row_count,
    };
    for ( size_t i = listing->text_first[text];
          i < listing->text_first[text + 1]; i++ )
    {
        const struct unwind_insn *insn = &listing->items[i];
        uint64_t offset = insn->address - from->address;
        bool padding = unwind_is_padding(insn, &encoding->frames[i]);
        uint8_t here = padding ? state : encoding->states[i];

        bool begins = offset % XENOPROF_UNWIND_BLOCK == 0;

        begin_blocks(encoding, &blocks, offset, state);
        /* A block that begins with an instruction begins with its row. */
        if ( begins )
        {
            encoding->first_rows[encoding->first_row_count++] =
                encoding->row_count;
            blocks++;
        }
        if ( begins || here != state )
            add_row(encoding, offset, here);
        state = here;
    }
    begin_blocks(encoding, &blocks, from->size, state);
    encoding->first_rows[encoding->first_row_count++] = encoding->row_count;
}

static uint32_t take_room(uint32_t *size, uint64_t bytes)
{
    uint32_t at = *size;

    *size += (bytes + 7) & ~7ull;
    return at;
}

static int put_together(const struct encoding *encoding,
                        struct xenoprof_unwind **ret)
{
    uint32_t size = 0, texts = encoding->listing->text_count;
    struct xenoprof_unwind header = {
        .magic = XENOPROF_UNWIND_MAGIC,
        .version = XENOPROF_UNWIND_VERSION,
        .regions = texts,
        .states = encoding->kept_count,
        .rows = encoding->row_count,
    };
    uint8_t *bytes;

    take_room(&size, sizeof(header));
    header.regions_at = take_room(&size, texts * sizeof(*encoding->regions));
    header.states_at = take_room(&size,
                                 header.states * sizeof(*encoding->kept));
    header.first_row_at = take_room(&size, encoding->first_row_count *
                                               sizeof(*encoding->first_rows));
    header.rows_at = take_room(&size, header.rows * sizeof(*encoding->rows));
    header.size = size;
    if ( size > XENOPROF_UNWIND_MAX )
        return -E2BIG;
    bytes = calloc(1, size);
    if ( !bytes )
        return -ENOMEM;
    memcpy(bytes, &header, sizeof(header));
    memcpy(bytes + header.regions_at, encoding->regions,
           texts * sizeof(*encoding->regions));
    memcpy(bytes + header.states_at, encoding->kept,
           header.states * sizeof(*encoding->kept));
    memcpy(bytes + header.first_row_at, encoding->first_rows,
           encoding->first_row_count * sizeof(*encoding->first_rows));
    memcpy(bytes + header.rows_at, encoding->rows,
           header.rows * sizeof(*encoding->rows));
    *ret = (struct xenoprof_unwind *)bytes;
    return 0;
}

static int encode_listing(struct encoding *encoding,
                          struct xenoprof_unwind **ret)
{
    const struct listing *listing = encoding->listing;
    uint64_t blocks = 0;
    int result;

    for ( size_t i = 0; i < listing->text_count; i++ )
        blocks += listing->texts[i].size / XENOPROF_UNWIND_BLOCK + 2;
    /* There are no more rows than instructions and blocks. */
    encoding->rows = calloc(listing->count + blocks, sizeof(*encoding->rows));
    encoding->first_rows = calloc(blocks, sizeof(*encoding->first_rows));
    if ( !encoding->rows || !encoding->first_rows )
        return -ENOMEM;
    result = choose_states(encoding);
    if ( result )
        return result;
    for ( uint32_t i = 0; i < listing->count; i++ )
    {
        struct xenoprof_unwind_state state = unwind_state_of(
            &encoding->frames[i]);
        struct usage *usage = usage_of(encoding, &state);

        encoding->states[i] = usage && usage->count ? usage->index : 0;
    }
    for ( size_t i = 0; i < listing->text_count; i++ )
        add_region(encoding, i);
    return put_together(encoding, ret);
}

int unwind_encode(const struct listing *listing,
                  const struct unwind_frame *frames, uint8_t *states,
                  struct xenoprof_unwind **table)
{
    struct encoding *encoding SCOPE_FREE = calloc(1, sizeof(*encoding));
    int result;

    if ( !encoding )
        return -ENOMEM;
    encoding->listing = listing;
    encoding->frames = frames;
    encoding->states = states;
    result = encode_listing(encoding, table);
    free(encoding->rows);
    free(encoding->first_rows);
    return result;
}
