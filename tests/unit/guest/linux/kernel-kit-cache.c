/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kit's file: its pages one behind the other, in an xarray of one word, one
 * level or two. */
#include <string.h>

#include "kernel-kit.h"
#include "tests/unit/guest/btf/btf-kit.h"

#define PAGE  4096u
#define NODE  64u /* pages */
#define PAGES 256u

static uint32_t add_inode(struct btf_kit *btf)
{
    uint32_t word = btf_kit_int(btf, "unsigned long", 8);
    uint32_t number = btf_kit_int(btf, "unsigned int", 4);
    uint32_t time = btf_kit_type(btf, "timespec64", BTF_STRUCT, 0, 16);
    uint32_t id = btf_kit_type(btf, "inode", BTF_STRUCT, 4, 600);

    btf_kit_member(btf, "i_ino", word, FAKE_AT_INODE_NUMBER);
    btf_kit_member(btf, "i_size", word, FAKE_AT_INODE_SIZE);
    btf_kit_member(btf, "__i_mtime", time, FAKE_AT_INODE_CHANGED);
    btf_kit_member(btf, "i_generation", number, FAKE_AT_INODE_GENERATION);
    return btf_kit_pointer(btf, id);
}

/* What matters of a struct page lies in a structure without a name, in a union
 * without one. */
static uint32_t add_page(struct btf_kit *btf)
{
    uint32_t word = btf_kit_int(btf, "unsigned long", 8);
    uint32_t pointer = btf_kit_pointer(btf, 0), inner, either, id;

    inner = btf_kit_type(btf, NULL, BTF_STRUCT, 2, 40);
    btf_kit_member(btf, "mapping", pointer, FAKE_AT_PAGE_MAPPING - 8);
    btf_kit_member(btf, "index", word, FAKE_AT_PAGE_INDEX - 8);
    either = btf_kit_type(btf, NULL, BTF_UNION, 1, 40);
    btf_kit_member(btf, NULL, inner, 0);
    id = btf_kit_type(btf, "page", BTF_STRUCT, 2, FAKE_PAGE_BYTES);
    btf_kit_member(btf, "flags", word, 0);
    btf_kit_member(btf, NULL, either, 8);
    return btf_kit_pointer(btf, id);
}

void fake_add_cached_types(const struct fake_kernel *fake, struct btf_kit *btf,
                           uint32_t array, struct fake_cached_types *ret)
{
    uint32_t inode, page, id;

    *ret = (struct fake_cached_types){0};
    if ( !fake->form.cached )
        return;
    inode = add_inode(btf);
    page = add_page(btf);
    id = btf_kit_type(btf, "address_space", BTF_STRUCT, 2, 192);
    btf_kit_member(btf, "host", inode, FAKE_AT_HOST);
    btf_kit_member(btf, "i_pages", array, FAKE_AT_PAGES);
    ret->mapping = btf_kit_pointer(btf, id);
    ret->fragment = btf_kit_type(btf, "page_frag", BTF_STRUCT, 1, 16);
    btf_kit_member(btf, "page", page, 0);
}

static void put(struct fake_kernel *fake, uint64_t address, uint64_t value)
{
    memcpy(fake_bytes(fake, address), &value, sizeof(value));
}

static uint64_t get(struct fake_kernel *fake, uint64_t address)
{
    uint64_t value;

    memcpy(&value, fake_bytes(fake, address), sizeof(value));
    return value;
}

static uint64_t add_node(struct fake_kernel *fake, uint8_t shift)
{
    uint64_t node = fake_new(fake, 576);

    *fake_bytes(fake, node + FAKE_AT_SHIFT) = shift;
    return node;
}

uint64_t fake_cache_slot(struct fake_kernel *fake, uint64_t cache,
                         uint64_t index)
{
    uint64_t head = cache + FAKE_AT_PAGES + 8, node = get(fake, head) - 2;

    if ( (get(fake, head) & 3) != 2 )
        return head;
    if ( *fake_bytes(fake, node + FAKE_AT_SHIFT) )
        node = get(fake, node + FAKE_AT_SLOTS + 8 * (index / NODE)) - 2;
    return node + FAKE_AT_SLOTS + 8 * (index % NODE);
}

uint64_t fake_cache_bytes(struct fake_kernel *fake, uint64_t index)
{
    return fake->pages[0] + index * PAGE;
}

uint64_t fake_cache_page(struct fake_kernel *fake, uint64_t index)
{
    return fake->pages[1] + index * FAKE_PAGE_BYTES;
}

/* Nodes for so many pages; one page needs none. */
static void add_nodes(struct fake_kernel *fake, uint64_t cache, size_t pages)
{
    uint64_t head = cache + FAKE_AT_PAGES + 8, top;

    if ( pages < 2 )
        return;
    top = add_node(fake, pages > NODE ? 6 : 0);
    put(fake, head, top + 2);
    for ( size_t i = 0; pages > NODE && i * NODE < pages; i++ )
        put(fake, top + FAKE_AT_SLOTS + 8 * i, add_node(fake, 0) + 2);
}

static uint64_t make(struct fake_kernel *fake, size_t size, size_t pages)
{
    uint64_t cache = fake_new(fake, 192), inode = fake_new(fake, 600);

    put(fake, cache + FAKE_AT_HOST, inode);
    put(fake, inode + FAKE_AT_INODE_NUMBER, 4711);
    put(fake, inode + FAKE_AT_INODE_SIZE, size);
    put(fake, inode + FAKE_AT_INODE_CHANGED, 1700000000);
    fake_align(&fake->areas, PAGE);
    fake->pages[0] = fake_new(fake, pages * PAGE);
    fake->pages[1] = fake_new(fake, pages * FAKE_PAGE_BYTES);
    put(fake, fake_address(fake, "vmemmap_base"),
        fake->pages[1] -
            (fake->pages[0] - FAKE_DIRECT) / PAGE * FAKE_PAGE_BYTES);
    return cache;
}

uint64_t fake_cache(struct fake_kernel *fake, const void *bytes, size_t size)
{
    size_t pages = (size + PAGE - 1) / PAGE;
    uint64_t cache;

    fake_must(pages <= PAGES && !fake->pages[0], "one file of 1 MiB");
    fake->cache = cache = make(fake, size, pages);
    add_nodes(fake, cache, pages);
    memcpy(fake_bytes(fake, fake->pages[0]), bytes, size);
    for ( size_t i = 0; i < pages; i++ )
    {
        uint64_t page = fake_cache_page(fake, i);

        put(fake, page + FAKE_AT_PAGE_MAPPING, cache);
        put(fake, page + FAKE_AT_PAGE_INDEX, i);
        put(fake, fake_cache_slot(fake, cache, i), page);
    }
    return cache;
}
