/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes of a guest's files, where its kernel has them in memory: the page
 * cache, an xarray of pages for each file.  What the kernel has not read from
 * its disk, or has dropped, is missing here; nothing is read in its place.
 *
 * The guest goes on meanwhile, and may lie: each page is taken only if it says
 * before and after it was read that it is that page of that file.
 */
#ifndef XENOPROF_GUEST_LINUX_TASKS_PAGE_CACHE_H
#define XENOPROF_GUEST_LINUX_TASKS_PAGE_CACHE_H

#include "guest/mapped.h"
#include "origin-words.h"

#define CACHE_PAGE  4096u
#define CACHE_KEPT  8u  /* pages that were read last */
#define CACHE_STEPS 11u /* levels of an xarray: 6 bits of 64 each */

struct cache_facts {
    const struct kernel_layout *layout;
    uint64_t pages;  /* address of the first struct page */
    uint64_t direct; /* where the kernel maps all memory */
};

struct page_cache {
    const struct cache_facts *facts;
    struct guest_memory *memory;
    uint64_t mapping; /* struct address_space */
    uint32_t absent;  /* pages that were wanted and are not there */
    uint32_t next;    /* to be replaced */
    struct {
        bool used, there;
        uint64_t index;
        uint8_t bytes[CACHE_PAGE];
    } kept[CACHE_KEPT];
};

/* Returns whether a struct file at that address says which file it is. */
bool cached_file_read(const struct cache_facts *facts,
                      struct guest_memory *memory, uint64_t file,
                      struct guest_file *ret);

/* Returns whether that file is still there, and not another one in its place;
 * only then may it be read. */
bool page_cache_open(struct page_cache *cache, const struct cache_facts *facts,
                     struct guest_memory *memory,
                     const struct guest_file *file);
/* A file_get() (guest/leaf-names.h) of a struct page_cache. */
bool page_cache_get(void *cache, uint64_t offset, void *to, size_t size);

#endif
