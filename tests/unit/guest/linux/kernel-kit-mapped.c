/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kit's processes: what they have mapped, in a list or in a maple tree. */
#include <stdlib.h>
#include <string.h>

#include "kernel-kit.h"
#include "tests/unit/guest/btf/btf-kit.h"

/* Sorts of nodes, and what a word has that leads to one. */
enum { LEAF = 1, GAPS = 3, GAPS_SLOTS = 10, RANGE_SLOTS = 16 };

static void add_area(const struct fake_kernel *fake, struct btf_kit *btf,
                     uint32_t word, uint32_t pointer)
{
    uint32_t inner = btf_kit_type(btf, NULL, BTF_STRUCT, 2, 16);

    btf_kit_member(btf, "vm_start", word, FAKE_AT_AREA_START);
    btf_kit_member(btf, "vm_end", word, FAKE_AT_AREA_END);
    btf_kit_type(btf, "vm_area_struct", BTF_STRUCT, 9, FAKE_AREA_BYTES);
    btf_kit_member(btf, NULL, inner, 0);
    btf_kit_member(btf, "vm_mm", pointer, FAKE_AT_AREA_MM);
    btf_kit_member(btf, "vm_page_prot", word, 24);
    btf_kit_member(btf, "vm_flags", word, FAKE_AT_AREA_FLAGS);
    btf_kit_member(btf, "anon_vma", pointer, 80);
    btf_kit_member(btf, "vm_ops", pointer, 88);
    btf_kit_member(btf, "vm_pgoff", word, FAKE_AT_AREA_OFFSET);
    btf_kit_member(btf, "vm_file", pointer, FAKE_AT_AREA_FILE);
    btf_kit_member(btf, fake->form.lists ? "vm_next" : "vm_private_data",
                   pointer, FAKE_AT_AREA_NEXT);
}

/* A row of words with the last address of each; meta lies at its own place, or
 * in that of the last one. */
static uint32_t add_form(struct btf_kit *btf, const char *name, uint32_t slots,
                         uint32_t word, uint32_t meta)
{
    uint32_t pivots = btf_kit_array(btf, word, slots - 1);
    uint32_t array = btf_kit_array(btf, word, slots);
    uint32_t id = btf_kit_type(btf, name, BTF_STRUCT, 3,
                               slots == RANGE_SLOTS ? 256 : 248);

    btf_kit_member(btf, "pivot", pivots, FAKE_AT_PIVOTS);
    btf_kit_member(btf, "slot", array,
                   slots == RANGE_SLOTS ? FAKE_AT_RANGE_SLOTS
                                        : FAKE_AT_GAPS_SLOTS);
    btf_kit_member(btf, "meta", meta,
                   slots == RANGE_SLOTS ? FAKE_AT_RANGE_META
                                        : FAKE_AT_GAPS_META);
    return id;
}

static void add_node(struct btf_kit *btf, uint32_t word)
{
    uint32_t letter = btf_kit_int(btf, "unsigned char", 1);
    uint32_t meta = btf_kit_type(btf, "maple_metadata", BTF_STRUCT, 2, 2);
    uint32_t range, gaps, inner;

    btf_kit_member(btf, "end", letter, 0);
    btf_kit_member(btf, "gap", letter, 1);
    range = add_form(btf, "maple_range_64", RANGE_SLOTS, word, meta);
    gaps = add_form(btf, "maple_arange_64", GAPS_SLOTS, word, meta);
    inner = btf_kit_type(btf, NULL, BTF_UNION, 2, 256);
    btf_kit_member(btf, "mr64", range, 0);
    btf_kit_member(btf, "ma64", gaps, 0);
    btf_kit_type(btf, "maple_node", BTF_STRUCT, 1, 256);
    btf_kit_member(btf, NULL, inner, 0);
}

void fake_add_mapped_types(const struct fake_kernel *fake, struct btf_kit *btf,
                           struct fake_mapped_types *ret)
{
    uint32_t word = btf_kit_int(btf, "unsigned long", 8);

    ret->list = btf_kit_pointer(btf, 0);
    add_area(fake, btf, word, ret->list);
    if ( fake->form.lists )
        return;
    add_node(btf, word);
    ret->tree = btf_kit_type(btf, "maple_tree", BTF_STRUCT, 1, 16);
    btf_kit_member(btf, "ma_root", ret->list, FAKE_AT_TREE_ROOT);
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

static uint64_t add_file(struct fake_kernel *fake,
                         const struct fake_mapping *from)
{
    uint64_t file = fake_new(fake, 200);

    put(fake, file + FAKE_AT_FILE_PATH, from->mount + FAKE_AT_MOUNT_INSIDE);
    put(fake, file + FAKE_AT_FILE_PATH + 8, from->dentry);
    put(fake, file + FAKE_AT_FILE_MAPPING, fake->cache);
    return file;
}

static uint64_t make_area(struct fake_kernel *fake, uint64_t memory,
                          const struct fake_mapping *from)
{
    uint64_t at = fake_new(fake, FAKE_AREA_BYTES);

    put(fake, at + FAKE_AT_AREA_START, from->start);
    put(fake, at + FAKE_AT_AREA_END, from->end);
    put(fake, at + FAKE_AT_AREA_MM, memory);
    put(fake, at + FAKE_AT_AREA_FLAGS, from->flags);
    put(fake, at + FAKE_AT_AREA_OFFSET, from->page);
    if ( from->mount )
        put(fake, at + FAKE_AT_AREA_FILE, add_file(fake, from));
    return at;
}

/* Entries of a level of the tree: words, and the last address of each. */
struct tree_row {
    uint64_t *words, *lasts;
    uint32_t count;
};

static void add_entry(struct tree_row *row, uint64_t word, uint64_t last)
{
    row->words[row->count] = word;
    row->lasts[row->count++] = last;
}

static uint64_t make_node(struct fake_kernel *fake, const struct tree_row *row,
                          uint32_t first, uint32_t count, bool is_leaf)
{
    uint32_t slots = is_leaf ? RANGE_SLOTS : GAPS_SLOTS;
    uint64_t at;

    fake_align(&fake->areas, 256);
    at = fake_new(fake, 256);
    for ( uint32_t i = 0; i < count; i++ )
    {
        put(fake,
            at + (is_leaf ? FAKE_AT_RANGE_SLOTS : FAKE_AT_GAPS_SLOTS) + 8 * i,
            row->words[first + i]);
        if ( i < slots - 1 )
            put(fake, at + FAKE_AT_PIVOTS + 8 * i, row->lasts[first + i]);
    }
    if ( count < RANGE_SLOTS || !is_leaf )
        *fake_bytes(fake,
                    at + (is_leaf ? FAKE_AT_RANGE_META
                                  : FAKE_AT_GAPS_META)) = (uint8_t)(count - 1);
    return at | (is_leaf ? LEAF : GAPS) << 3 | 4;
}

/* The row becomes that of the level above. */
static void raise(struct fake_kernel *fake, struct tree_row *row,
                  uint32_t width, bool is_leaf)
{
    uint32_t most = is_leaf || width < GAPS_SLOTS ? width : GAPS_SLOTS;
    struct tree_row above = {row->words, row->lasts, 0};

    for ( uint32_t i = 0; i < row->count; i += most )
    {
        uint32_t some = row->count - i < most ? row->count - i : most;
        uint64_t last = row->lasts[i + some - 1];

        add_entry(&above, make_node(fake, row, i, some, is_leaf), last);
    }
    *row = above;
}

static uint64_t make_tree(struct fake_kernel *fake, struct tree_row *row,
                          uint32_t width)
{
    bool is_leaf = true;

    do
    {
        raise(fake, row, width, is_leaf);
        is_leaf = false;
    } while ( row->count > 1 );
    return row->words[0] | 2;
}

static void map_tree(struct fake_kernel *fake, uint64_t memory,
                     const struct fake_mapping *areas, uint32_t count,
                     uint32_t width)
{
    struct tree_row row = {malloc((2 * count + 1) * sizeof(uint64_t)),
                           malloc((2 * count + 1) * sizeof(uint64_t)), 0};
    uint64_t end = 0;

    fake_must(row.words && row.lasts, "memory");
    for ( uint32_t i = 0; i < count; end = areas[i++].end )
    {
        if ( areas[i].start > end )
            add_entry(&row, 0, areas[i].start - 1);
        add_entry(&row, make_area(fake, memory, &areas[i]), areas[i].end - 1);
    }
    add_entry(&row, 0, UINT64_MAX);
    put(fake, memory + FAKE_AT_MM_AREAS + FAKE_AT_TREE_ROOT,
        make_tree(fake, &row, width));
    free(row.words);
    free(row.lasts);
}

static void map_list(struct fake_kernel *fake, uint64_t memory,
                     const struct fake_mapping *areas, uint32_t count)
{
    uint64_t next = 0;

    while ( count-- )
    {
        uint64_t area = make_area(fake, memory, &areas[count]);

        put(fake, area + FAKE_AT_AREA_NEXT, next);
        next = area;
    }
    put(fake, memory + FAKE_AT_MM_AREAS, next);
}

uint64_t fake_map(struct fake_kernel *fake, uint64_t task,
                  const struct fake_mapping *areas, uint32_t count,
                  uint32_t width)
{
    uint64_t memory = get(fake, task + FAKE_AT_MM);

    if ( fake->form.lists )
        map_list(fake, memory, areas, count);
    else
        map_tree(fake, memory, areas, count, width);
    return memory + FAKE_AT_MM_AREAS +
           (fake->form.lists ? 0 : FAKE_AT_TREE_ROOT);
}
