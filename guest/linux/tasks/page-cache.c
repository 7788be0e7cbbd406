/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Down the xarray to a struct page, from there to the page's frame, and to
 * where the kernel maps that. */
#include "page-cache.h"

#include <string.h>

#include "base/id-table.h"

/* An xarray's node looks at so many bits of a number. */
#define SLOT_BITS 6u
#define SLOTS     64u
/* The lowest bits of a word of an xarray: of a node's address, and of the
 * number of the slot before it that has what is here, too. */
#define IS_INNER   2u
#define INNER_MASK 3u

/* Frames beyond 2^40 are no memory. */
#define FRAMES_MAX (1ull << 40)

/* Where a page was found: in a slot that covers page numbers from first on. */
struct found_page {
    uint64_t page; /* struct page of number first */
    uint64_t first;
};

static uint64_t member_of(const struct page_cache *cache, uint64_t address,
                          enum kernel_member which)
{
    return address + cache->facts->layout->at[which];
}

/* Files ----------------------------------------------------------------- */

/* Whatever of a file changes when another one comes to its place. */
struct file_words {
    uint64_t number, size, changed;
    uint32_t generation;
};

static bool read_inode_words(const struct cache_facts *facts,
                             struct guest_memory *memory, uint64_t inode,
                             struct file_words *ret)
{
    const uint32_t *at = facts->layout->at;
    const struct guest_piece pieces[] = {
        {inode + at[MEMBER_INODE_NUMBER], sizeof(ret->number)},
        {inode + at[MEMBER_INODE_SIZE], sizeof(ret->size)},
        {inode + at[MEMBER_INODE_CHANGED], sizeof(ret->changed)},
        {inode + at[MEMBER_INODE_GENERATION], sizeof(ret->generation)},
    };
    const size_t size = 3 * sizeof(uint64_t) + sizeof(uint32_t);

    return guest_memory_read_pieces(memory, pieces, 4, ret) == size;
}

/* Returns 0 if it is not known. */
static uint64_t id_of(const struct cache_facts *facts,
                      struct guest_memory *memory, uint64_t mapping)
{
    const struct origin_reading reading = {facts->layout, memory};
    struct file_words words = {0};
    uint64_t inode, id;

    if ( !origin_address(&reading, mapping, MEMBER_MAPPING_HOST, &inode) ||
         !read_inode_words(facts, memory, inode, &words) )
        return 0;
    id = hash_mix(hash_mix(mapping, inode), words.number);
    id = hash_mix(hash_mix(id, words.size), words.changed);
    id = hash_mix(id, words.generation);
    return id ? id : 1;
}

bool cached_file_read(const struct cache_facts *facts,
                      struct guest_memory *memory, uint64_t file,
                      struct guest_file *ret)
{
    const struct origin_reading reading = {facts->layout, memory};

    if ( !origin_is_address(file) ||
         !origin_address(&reading, file, MEMBER_FILE_MAPPING, &ret->mapping) )
        return false;
    ret->id = id_of(facts, memory, ret->mapping);
    return ret->id;
}

bool page_cache_open(struct page_cache *cache, const struct cache_facts *facts,
                     struct guest_memory *memory, const struct guest_file *file)
{
    cache->facts = facts;
    cache->memory = memory;
    cache->mapping = file->mapping;
    cache->absent = 0;
    cache->next = 0;
    for ( unsigned int i = 0; i < CACHE_KEPT; i++ )
        cache->kept[i].used = false;
    return origin_is_address(file->mapping) &&
           id_of(facts, memory, file->mapping) == file->id;
}

/* Pages ----------------------------------------------------------------- */

static bool is_node(uint64_t word)
{
    return (word & INNER_MASK) == IS_INNER &&
           origin_is_address(word - IS_INNER);
}

static bool is_sibling(uint64_t word)
{
    return (word & INNER_MASK) == IS_INNER && word >> 2 < SLOTS;
}

static bool read_slot(const struct page_cache *cache, uint64_t node,
                      uint64_t slot, uint64_t *ret)
{
    const struct origin_reading reading = {cache->facts->layout, cache->memory};

    return origin_word(&reading, node + slot * sizeof(*ret),
                       MEMBER_XA_NODE_SLOTS, ret);
}

/* Goes from a node to the slot that has a page number.  *shift: of the node
 * above, and then its own. */
static bool descend_to_page(const struct page_cache *cache, uint64_t node,
                            uint64_t index, uint32_t *shift, uint64_t *word,
                            uint64_t *first)
{
    const uint32_t *at = cache->facts->layout->at;
    uint64_t slot;
    uint8_t own;

    if ( !guest_memory_get(cache->memory, node + at[MEMBER_XA_NODE_SHIFT], &own,
                           sizeof(own)) ||
         own % SLOT_BITS || own >= *shift )
        return false;
    /* Beyond what the first node holds there is nothing. */
    if ( own + SLOT_BITS < 64 && *shift > 64 && index >> (own + SLOT_BITS) )
        return false;
    *shift = own;
    slot = (index >> own) % SLOTS;
    if ( !read_slot(cache, node, slot, word) )
        return false;
    if ( is_sibling(*word) )
    {
        slot = *word >> 2;
        if ( !read_slot(cache, node, slot, word) )
            return false;
    }
    *first = (own + SLOT_BITS < 64
                  ? index >> (own + SLOT_BITS) << (own + SLOT_BITS)
                  : 0) |
             slot << own;
    return true;
}

static bool find_page(const struct page_cache *cache, uint64_t index,
                      struct found_page *ret)
{
    const struct origin_reading reading = {cache->facts->layout, cache->memory};
    uint64_t array = member_of(cache, cache->mapping, MEMBER_MAPPING_PAGES);
    uint32_t shift = CACHE_STEPS * SLOT_BITS;
    uint64_t word;

    ret->first = 0;
    if ( !origin_word(&reading, array, MEMBER_ARRAY_HEAD, &word) ||
         (index && !is_node(word)) )
        return false;
    while ( is_node(word) )
        if ( !descend_to_page(cache, word - IS_INNER, index, &shift, &word,
                              &ret->first) )
            return false;
    ret->page = word;
    return origin_is_address(word) && ret->first <= index;
}

/* Returns where the kernel has the page, 0 if it is none. */
static uint64_t address_of_page(const struct cache_facts *facts, uint64_t page)
{
    uint64_t distance = page - facts->pages, address;
    uint64_t frame = distance / facts->layout->page_bytes;

    if ( page < facts->pages || distance % facts->layout->page_bytes ||
         frame >= FRAMES_MAX )
        return 0;
    address = facts->direct + frame * CACHE_PAGE;
    return xenoprof_fetch_is_kernel(address) ? address : 0;
}

/* The first page of those that lie in one piece says whose they are, and says
 * so again when what was wanted of them has been read. */
static bool read_page(const struct page_cache *cache,
                      const struct found_page *found, uint64_t index,
                      uint8_t to[CACHE_PAGE])
{
    const struct cache_facts *facts = cache->facts;
    uint64_t bytes = (index - found->first) * facts->layout->page_bytes;
    uint64_t address = address_of_page(facts, found->page + bytes);
    struct {
        uint64_t before[2];
        uint8_t bytes[CACHE_PAGE];
        uint64_t after[2];
    } read;
    const uint64_t mapping = member_of(cache, found->page, MEMBER_PAGE_MAPPING);
    const uint64_t number = member_of(cache, found->page, MEMBER_PAGE_INDEX);
    const struct guest_piece pieces[] = {
        {mapping, 8}, {number, 8}, {address, CACHE_PAGE},
        {mapping, 8}, {number, 8},
    };
    const uint64_t whose[2] = {cache->mapping, found->first};

    if ( !address ||
         guest_memory_read_pieces(cache->memory, pieces, 5, &read) !=
             sizeof(read) ||
         memcmp(read.before, whose, sizeof(whose)) ||
         memcmp(read.after, whose, sizeof(whose)) )
        return false;
    memcpy(to, read.bytes, CACHE_PAGE);
    return true;
}

/* Returns the page's bytes, or NULL if it is not there. */
static const uint8_t *page_of(struct page_cache *cache, uint64_t index)
{
    struct found_page found;
    uint32_t at;

    for ( at = 0; at < CACHE_KEPT; at++ )
        if ( cache->kept[at].used && cache->kept[at].index == index )
            return cache->kept[at].there ? cache->kept[at].bytes : NULL;
    at = cache->next++ % CACHE_KEPT;
    cache->kept[at].used = true;
    cache->kept[at].index = index;
    cache->kept[at].there = find_page(cache, index, &found) &&
                            read_page(cache, &found, index,
                                      cache->kept[at].bytes);
    if ( cache->kept[at].there )
        return cache->kept[at].bytes;
    cache->absent++;
    return NULL;
}

bool page_cache_get(void *self, uint64_t offset, void *to, size_t size)
{
    struct page_cache *cache = self;
    uint8_t *at = to;

    while ( size )
    {
        const uint8_t *bytes = page_of(cache, offset / CACHE_PAGE);
        size_t in = offset % CACHE_PAGE;
        size_t some = size < CACHE_PAGE - in ? size : CACHE_PAGE - in;

        if ( !bytes )
            return false;
        memcpy(at, bytes + in, some);
        at += some;
        offset += some;
        size -= some;
    }
    return true;
}
