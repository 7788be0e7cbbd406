/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a kernel has what leads from an open file to the pages of it that are
 * in memory (its page cache), as its type information says.
 */
#ifndef XENOPROF_GUEST_LINUX_TASKS_CACHE_LAYOUT_H
#define XENOPROF_GUEST_LINUX_TASKS_CACHE_LAYOUT_H

#include "guest/btf/btf-find.h"

/* Members whose place is asked for, each in bytes of its structure. */
enum cache_member {
    CACHE_FILE_MAPPING, /* file: struct address_space */
    CACHE_HOST,         /* address_space: inode */
    CACHE_PAGES, /* ... an xarray of pages, by their number in the file */
    CACHE_HEAD,  /* in the xarray */
    CACHE_INODE_NUMBER,
    CACHE_INODE_GENERATION, /* 4 bytes */
    CACHE_INODE_SIZE,
    CACHE_INODE_CHANGED, /* when its content was, in seconds */
    CACHE_PAGE_MAPPING,  /* struct page */
    CACHE_PAGE_INDEX,
    CACHE_MEMBERS
};

/* Offsets; numbers of 32 bits, without padding. */
struct cache_layout {
    uint32_t page_bytes; /* of a struct page; 0: it lacks something, and the
                            rest is 0 */
    uint32_t at[CACHE_MEMBERS];
};

/* Follows the members of a task. */
void cache_layout_read(struct btf *btf, const struct btf_wanted *task,
                       struct cache_layout *ret);

/* Returns whether a layout that another process wrote may be used. */
bool cache_layout_is_sound(const struct cache_layout *layout);

#endif
