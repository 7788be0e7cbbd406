/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes sessions that xenoprofd never writes: few bytes that are much work for
 * who reads them.
 *
 *   hostile-session            lists the kinds
 *   hostile-session FOLDER KIND MIB
 *
 * The session has MIB MiB in its files at most, less where that suffices, and a
 * block of its kind at least.  What a reader may do grows with the bytes, so
 * most are noise that allows for the rest.
 */
#include <libxenoprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile-files.h"
#include "libxenoprof/session/session-attributes.h"
#include "libxenoprof/session/session-block.h"

#define ITEM_ROOM   (STRING_MAX + 64u)
#define BLOCKS_MOST 20000u
#define SMALL_FILES 2000u
#define DEEP        30000u /* stacks of STACK_MAX places */
#define WINDOW_LOG  24     /* of a block that has itself again */
#define CELLS       (1u << 21)
#define COUNTS      16u   /* an item can have */
#define KIND_NOBODY 0x7fu /* that no reader knows */

/* Strings that all kinds have. */
enum { TEXT_UTC = 1, TEXT_NOW, TEXT_IMAGE, TEXT_UUID, TEXT_KIND, TEXT_FREE };

struct hostile {
    struct hostile_files files;
    struct buffer raw, block;
    ZSTD_CCtx *zstd;
};

static void end_block(struct hostile *maker)
{
    maker->block.used = 0;
    hostile_need(block_seal(maker->zstd, &maker->raw, maker->files.sequence++,
                            &maker->block),
                 "cannot seal");
    hostile_put(&maker->files, maker->block.bytes, maker->block.used);
    maker->raw.used = 0;
}

static void set_check(struct session_block_header *header)
{
    header->check = session_check(header,
                                  offsetof(struct session_block_header, check));
}

/* Packs what comes again anywhere in the block, which xenoprofd does not. */
static void end_tight_block(struct hostile *maker)
{
    struct buffer *block = &maker->block;
    struct session_block_header *header;
    size_t bound = ZSTD_compressBound(maker->raw.used), stored;

    ZSTD_CCtx_setParameter(maker->zstd, ZSTD_c_windowLog, WINDOW_LOG);
    ZSTD_CCtx_setParameter(maker->zstd, ZSTD_c_enableLongDistanceMatching, 1);
    block->used = 0;
    hostile_need(buffer_reserve(block, sizeof(*header) + bound), "no memory");
    stored = ZSTD_compress2(maker->zstd, block->bytes + sizeof(*header), bound,
                            maker->raw.bytes, maker->raw.used);
    hostile_need(!ZSTD_isError(stored), "cannot compress");
    header = (void *)block->bytes;
    *header = (struct session_block_header){
        .magic = BLOCK_MAGIC,
        .stored = (uint32_t)stored,
        .raw = (uint32_t)maker->raw.used,
        .sequence = maker->files.sequence++,
        .payload_check = session_check(header + 1, stored),
    };
    set_check(header);
    block->used = sizeof(*header) + stored;
    hostile_put(&maker->files, block->bytes, block->used);
    maker->raw.used = 0;
}

/* All but a 32nd of the session: bytes that no reader looks at, and that do not
 * compress. */
static void put_noise(struct hostile *maker)
{
    struct buffer *raw = &maker->raw;
    const uint64_t end = hostile_noise_end(&maker->files);

    while ( maker->files.written < end )
    {
        uint64_t left = end - maker->files.written;
        size_t size = left < BLOCK_RAW_MAX ? left : BLOCK_RAW_MAX;

        hostile_need(buffer_reserve(raw, size + 2 * ITEM_ROOM), "no memory");
        size -= size < 64 ? 0 : 64;
        raw->bytes[0] = KIND_NOBODY;
        raw->used = (size_t)(put_number(raw->bytes + 1, size) - raw->bytes);
        for ( size_t i = 0; i < size; i++ )
            raw->bytes[raw->used++] = (uint8_t)hostile_random(&maker->files);
        end_block(maker);
    }
}

static bool block_is_full(const struct hostile *maker)
{
    return maker->raw.used + ITEM_ROOM > BLOCK_RAW_MAX;
}

static bool session_is_full(const struct hostile *maker)
{
    return maker->files.written >= maker->files.most;
}

/* Ends a block that is full.  Returns false if the session is. */
static bool has_room(struct hostile *maker)
{
    if ( !block_is_full(maker) )
        return true;
    end_block(maker);
    return !session_is_full(maker);
}

/* The body of an item is written to where this points. */
static uint8_t *begin_item(struct hostile *maker)
{
    hostile_need(buffer_reserve(&maker->raw, 2 * ITEM_ROOM), "no memory");
    return maker->raw.bytes + maker->raw.used + NUMBER_BYTES + 1;
}

static void end_item(struct hostile *maker, unsigned int kind,
                     const uint8_t *end)
{
    uint8_t *at = maker->raw.bytes + maker->raw.used;
    uint8_t *body = at + NUMBER_BYTES + 1;
    size_t size = (size_t)(end - body);

    *at++ = (uint8_t)kind;
    at = put_number(at, size);
    memmove(at, body, size);
    maker->raw.used = (size_t)(at + size - maker->raw.bytes);
}

static void put_string(struct hostile *maker, uint32_t number,
                       const void *bytes, size_t size)
{
    uint8_t *at = put_number(begin_item(maker), number);

    memcpy(at, bytes, size);
    end_item(maker, KIND_STRING, at + size);
}

static void put_text(struct hostile *maker, uint32_t number, const char *text)
{
    put_string(maker, number, text, strlen(text));
}

/* A name as long as one can be, that differs in its last bytes. */
static void put_long_text(struct hostile *maker, uint32_t number)
{
    char text[STRING_MAX + 1];

    memset(text, 'a', sizeof(text));
    snprintf(text + STRING_MAX - 10, 11, "%010u", number);
    put_text(maker, number, text);
}

static void put_attribute(struct hostile *maker, uint32_t key, uint32_t value)
{
    uint8_t *at = put_signed(begin_item(maker), 1);

    at = put_number(at, key);
    end_item(maker, KIND_ATTRIBUTE, put_number(at, value));
}

static void put_domain(struct hostile *maker, uint16_t domain, uint32_t uuid,
                       uint32_t name)
{
    uint8_t *at = put_signed(begin_item(maker), 1);

    at = put_number(at, domain);
    at = put_number(at, uuid);
    at = put_number(at, name);
    end_item(maker, KIND_DOMAIN, put_number(at, TEXT_KIND));
}

/* step: from the address of the place before. */
static void put_place(struct hostile *maker, uint32_t number, unsigned int mode,
                      int64_t step, uint32_t symbol)
{
    uint8_t *at = put_number(begin_item(maker), number);

    at = put_number(at, 0);
    at = put_number(at, mode);
    at = put_signed(at, step);
    at = put_number(at, TEXT_IMAGE);
    at = put_number(at, symbol);
    end_item(maker, KIND_PLACE, put_signed(at, 0));
}

/* The stack after the last: place, and then what the last one has, as many
 * places as a stack can have.  The first has place everywhere. */
static void put_deep_stack(struct hostile *maker, bool first, uint32_t place)
{
    uint8_t *at = put_signed(begin_item(maker), 1);
    uint32_t own = first ? STACK_MAX : 1;

    at = put_number(at, STACK_MAX);
    at = put_number(at, STACK_MAX - own);
    if ( !first )
        at = put_signed(at, -1);
    for ( uint32_t i = 0; i < own; i++ )
        at = put_number(at, place);
    end_item(maker, KIND_STACK, at);
}

static void put_ring(struct hostile *maker, uint32_t ring)
{
    uint8_t *at = put_number(begin_item(maker), ring);

    at = put_number(at, 1);
    at = put_number(at, ring & 0x3fff);
    memset(at, 0, 16);
    end_item(maker, KIND_RING, at + 16);
}

struct who {
    unsigned int domain, vcpu, pcpu;
};

/* Where the last one was, unless who says where. */
static void put_sample(struct hostile *maker, unsigned int news,
                       const struct who *who, int64_t stack)
{
    uint8_t *at;

    hostile_need(buffer_reserve(&maker->raw, 2 * ITEM_ROOM), "no memory");
    at = maker->raw.bytes + maker->raw.used;
    *at++ = (uint8_t)(KIND_SAMPLE | news | (who ? SAMPLE_WHO : 0));
    at = put_signed(at, 1);
    if ( who )
    {
        at = put_number(at, who->domain);
        at = put_number(at, who->vcpu);
        at = put_number(at, who->pcpu);
    }
    if ( news & SAMPLE_STACK )
        at = put_signed(at, stack);
    if ( news & SAMPLE_PLACE )
        at = put_number(at, 1);
    if ( news & SAMPLE_PERIOD )
        at = put_number(at, 1000000);
    if ( news & SAMPLE_MARKS )
    {
        *at++ = 0;
        *at++ = 1;
    }
    maker->raw.used = (size_t)(at - maker->raw.bytes);
}

static void put_first_sample(struct hostile *maker)
{
    const struct who who = {0, 0, 0};

    put_sample(maker, SAMPLE_PLACE | SAMPLE_PERIOD | SAMPLE_MARKS, &who, 0);
}

/* The one block is written again and again. */
static void repeat_block(struct hostile *maker)
{
    struct session_block_header *header;
    uint64_t first = maker->files.sequence;

    for ( end_tight_block(maker); !session_is_full(maker) &&
                                  maker->files.sequence < first + BLOCKS_MOST; )
    {
        header = (void *)maker->block.bytes;
        header->sequence = maker->files.sequence++;
        set_check(header);
        hostile_put(&maker->files, maker->block.bytes, maker->block.used);
    }
}

static void make_alike(struct hostile *maker)
{
    put_noise(maker);
    put_first_sample(maker);
    while ( !block_is_full(maker) )
        put_sample(maker, 0, NULL, 0);
    repeat_block(maker);
}

/* Any cell after any other, so that each is far from the one before.  Blocks
 * have some of them again, so that there are as many as can be. */
static void make_cells(struct hostile *maker)
{
    const size_t room = BLOCK_RAW_MAX - ITEM_ROOM, own = room / 10 * 7;
    size_t again = 0;

    put_first_sample(maker);
    while ( maker->raw.used < own )
    {
        uint64_t random = hostile_random(&maker->files) % CELLS;
        struct who who = {0, random & 2047, random >> 11};

        put_sample(maker, 0, &who, 0);
        if ( maker->raw.used < room - own )
            again = maker->raw.used;
    }
    hostile_need(buffer_reserve(&maker->raw, again), "no memory");
    hostile_need(buffer_append(&maker->raw, maker->raw.bytes, again),
                 "no memory");
    repeat_block(maker);
}

/* Each file defines deep stacks anew. */
static void make_stacks(struct hostile *maker)
{
    put_noise(maker);
    do
    {
        hostile_begin_file(&maker->files);
        put_place(maker, 1, 0, 4096, TEXT_IMAGE);
        for ( uint32_t i = 0; i < DEEP; i++ )
            put_deep_stack(maker, !i, 1);
        end_block(maker);
    } while ( !session_is_full(maker) && maker->files.file < SMALL_FILES );
}

/* Deep stacks, each with samples of its own: long chains for the views. */
static void make_deep(struct hostile *maker)
{
    for ( uint32_t i = 1; i <= 2 * STACK_MAX; i++ )
    {
        char text[16];

        snprintf(text, sizeof(text), "f%u", i);
        put_text(maker, TEXT_FREE + i, text);
        put_place(maker, i, i % 2, 4096, TEXT_FREE + i);
    }
    put_first_sample(maker);
    for ( uint32_t i = 0; i < DEEP; i++ )
    {
        put_deep_stack(maker, !i,
                       1 + hostile_random(&maker->files) % (2 * STACK_MAX));
        put_sample(maker, SAMPLE_STACK, NULL, 0);
    }
    end_block(maker);
}

/* Deep stacks of a name as long as can be, which end in other functions. */
static void make_long(struct hostile *maker)
{
    put_long_text(maker, TEXT_FREE);
    put_place(maker, 1, 0, 4096, TEXT_FREE);
    put_first_sample(maker);
    for ( uint32_t i = 2; i < DEEP; i++ )
    {
        put_place(maker, i, 0, 4096, i % 2 ? TEXT_IMAGE : TEXT_FREE);
        put_deep_stack(maker, i == 2, i == 2 ? 1 : i);
        put_sample(maker, SAMPLE_STACK, NULL, 0);
    }
    end_block(maker);
}

static void make_numbers(struct hostile *maker)
{
    do
    {
        hostile_begin_file(&maker->files);
        put_text(maker, NUMBER_MAX, "a");
        end_block(maker);
    } while ( !session_is_full(maker) && maker->files.file < SMALL_FILES );
}

static void make_files(struct hostile *maker)
{
    while ( maker->files.file < SMALL_FILES )
        hostile_begin_file(&maker->files);
}

static void make_blocks(struct hostile *maker)
{
    while ( !session_is_full(maker) )
        end_block(maker);
}

/* Sound headers, and no payload that belongs to them. */
static void make_damage(struct hostile *maker)
{
    while ( !session_is_full(maker) )
    {
        put_first_sample(maker);
        maker->block.used = 0;
        hostile_need(block_seal(maker->zstd, &maker->raw, 0, &maker->block),
                     "seal");
        maker->block.bytes[maker->block.used - 1]++;
        hostile_put(&maker->files, maker->block.bytes, maker->block.used);
        maker->raw.used = 0;
    }
}

static void make_magics(struct hostile *maker)
{
    uint32_t magics[65536];

    for ( size_t i = 0; i < 65536; i++ )
        magics[i] = BLOCK_MAGIC;
    while ( !session_is_full(maker) )
        hostile_put(&maker->files, magics, sizeof(magics));
    end_block(maker);
}

/* Places that all have one long name. */
static void make_names(struct hostile *maker)
{
    put_noise(maker);
    put_long_text(maker, TEXT_FREE);
    while ( !block_is_full(maker) )
        put_place(maker, 1, 0, 4096, TEXT_FREE);
    repeat_block(maker);
}

/* Long names, each of its own. */
static void make_strings(struct hostile *maker)
{
    uint32_t number = TEXT_FREE;

    do
    {
        put_long_text(maker, number);
        put_place(maker, number, 0, 4096, number);
        put_attribute(maker, number++, TEXT_NOW);
    } while ( has_room(maker) && number < 2000 );
    end_block(maker);
}

static void make_attributes(struct hostile *maker)
{
    put_noise(maker);
    while ( !block_is_full(maker) )
        put_attribute(maker, TEXT_IMAGE, TEXT_NOW);
    repeat_block(maker);
}

static void make_rings(struct hostile *maker)
{
    uint32_t ring = 0;

    do
        put_ring(maker, ring++);
    while ( has_room(maker) && maker->files.sequence < 16 );
}

/* Domains with uuids and names of their own, a ring and a sample of each. */
static void make_domains(struct hostile *maker)
{
    uint32_t text = TEXT_FREE;

    put_first_sample(maker);
    do
    {
        char uuid[17];
        struct who who = {text & 0x3fff, 0, 0};

        snprintf(uuid, sizeof(uuid), "%016u", text);
        put_string(maker, text, uuid, 16);
        put_domain(maker, (uint16_t)who.domain, text, text);
        put_ring(maker, text);
        put_sample(maker, 0, &who, 0);
    } while ( has_room(maker) && ++text < 300000 );
    end_block(maker);
}

static void make_idle(struct hostile *maker)
{
    put_noise(maker);
    for ( uint32_t i = 0; !block_is_full(maker); i++ )
    {
        uint8_t *at = put_signed(begin_item(maker), 1);

        at = put_number(at, i * 40503 & 0xffff);
        end_item(maker, KIND_IDLE, put_number(at, 1));
    }
    repeat_block(maker);
}

/* As many numbers as an item of counters can have. */
static void make_counts(struct hostile *maker)
{
    put_noise(maker);
    while ( !block_is_full(maker) )
    {
        uint8_t *at = begin_item(maker);

        memset(at, 0, 10 + COUNTS);
        at[9] = COUNTS;
        end_item(maker, KIND_COUNTERS, at + 10 + COUNTS);
    }
    repeat_block(maker);
}

/* The same few strings again and again. */
static void make_texts(struct hostile *maker)
{
    put_noise(maker);
    for ( uint32_t i = 0; !block_is_full(maker); i++ )
        put_text(maker, TEXT_FREE + i % 1000, "text");
    repeat_block(maker);
}

/* The same places again and again. */
static void make_places(struct hostile *maker)
{
    put_noise(maker);
    for ( uint32_t i = 0; !block_is_full(maker); i++ )
        put_place(maker, 1 + i * 40503 % 65536, 0, 4096, TEXT_IMAGE);
    repeat_block(maker);
}

/* What unpacks to the most, and then is skipped. */
static void make_unpack(struct hostile *maker)
{
    const size_t size = BLOCK_RAW_MAX - ITEM_ROOM;
    struct buffer *raw = &maker->raw;

    put_noise(maker);
    hostile_need(buffer_reserve(raw, size + ITEM_ROOM), "no memory");
    raw->bytes[0] = KIND_NOBODY;
    raw->used = (size_t)(put_number(raw->bytes + 1, size) - raw->bytes);
    memset(raw->bytes + raw->used, 0, size);
    raw->used += size;
    repeat_block(maker);
}

static const struct kind {
    const char *name;
    void (*make)(struct hostile *maker);
} kinds[] = {
    {"alike", make_alike},   {"attributes", make_attributes},
    {"blocks", make_blocks}, {"cells", make_cells},
    {"counts", make_counts}, {"damage", make_damage},
    {"deep", make_deep},     {"domains", make_domains},
    {"files", make_files},   {"idle", make_idle},
    {"long", make_long},     {"magics", make_magics},
    {"names", make_names},   {"numbers", make_numbers},
    {"places", make_places}, {"rings", make_rings},
    {"stacks", make_stacks}, {"strings", make_strings},
    {"texts", make_texts},   {"unpack", make_unpack},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* What every session needs to be shown at all. */
static void begin(struct hostile *maker)
{
    maker->zstd = ZSTD_createCCtx();
    hostile_need(maker->zstd, "no memory");
    hostile_begin_file(&maker->files);
    put_text(maker, TEXT_UTC, SESSION_ATTRIBUTE_UTC);
    put_text(maker, TEXT_NOW, "1700000000000000000");
    put_text(maker, TEXT_IMAGE, "xen");
    put_text(maker, TEXT_UUID, "0123456789abcdef");
    put_text(maker, TEXT_KIND, "passive");
    put_attribute(maker, TEXT_UTC, TEXT_NOW);
    put_place(maker, 1, 0, 4096, TEXT_IMAGE);
    put_first_sample(maker);
    end_block(maker);
}

static void end(struct hostile *maker)
{
    hostile_end(&maker->files);
    buffer_free(&maker->raw);
    buffer_free(&maker->block);
    ZSTD_freeCCtx(maker->zstd);
}

int main(int argc, char **argv)
{
    struct hostile maker = {.zstd = NULL};

    for ( size_t i = 0; i < KINDS; i++ )
    {
        if ( argc < 4 )
            puts(kinds[i].name);
        else if ( !strcmp(argv[2], kinds[i].name) )
        {
            hostile_begin(&maker.files, argv[1], argv[3]);
            begin(&maker);
            kinds[i].make(&maker);
            end(&maker);
            return 0;
        }
    }
    return argc >= 4;
}
