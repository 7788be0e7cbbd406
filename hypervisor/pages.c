/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared pages, and a list of those that dom0 still maps.
 */
#include "pages.h"

/* Some 2 us a page: under a millisecond. */
#define PIECE (256 * XENOPROF_PAGE_SIZE)

static struct pages *awaited;
static unsigned int awaited_pages;

static unsigned long bytes_of_pages(unsigned int count)
{
    return sizeof(struct pages) + count * sizeof(void *);
}

uint32_t pages_piece(uint64_t bytes)
{
    return bytes < PIECE ? PIECE / bytes : 1;
}

static void free_set(struct pages *pages)
{
    port_free(pages, bytes_of_pages(pages->count));
}

bool pages_are_scarce(unsigned int count)
{
    return port_memory_free() <
           XENOPROF_MEMORY_FLOOR + (uint64_t)count * XENOPROF_PAGE_SIZE;
}

struct pages *pages_share(unsigned int count, enum port_access access,
                          unsigned int pcpu)
{
    struct pages *pages = NULL;

    if ( !pages_are_scarce(count) )
        pages = port_alloc(bytes_of_pages(count));
    if ( !pages )
        return NULL;
    pages->count = count;
    for ( unsigned int i = 0; i < count; i++ )
    {
        pages->page[i] = port_page_share(access, pcpu);
        if ( !pages->page[i] )
        {
            pages_give_back(pages);
            return NULL;
        }
    }
    return pages;
}

void pages_give_back(struct pages *pages)
{
    unsigned int kept = 0;

    if ( !pages )
        return;
    for ( unsigned int i = 0; i < pages->count; i++ )
    {
        if ( pages->page[i] && port_page_unshare(pages->page[i]) )
            pages->page[i] = NULL;
        kept += pages->page[i] != NULL;
    }
    if ( !kept )
    {
        free_set(pages);
        return;
    }
    awaited_pages += kept;
    pages->next = awaited;
    awaited = pages;
}

static unsigned int reap_set(struct pages *pages)
{
    unsigned int kept = 0;

    for ( unsigned int i = 0; i < pages->count; i++ )
    {
        if ( !pages->page[i] )
            continue;
        if ( port_page_reap(pages->page[i]) )
        {
            pages->page[i] = NULL;
            awaited_pages--;
        }
        else
            kept++;
    }
    return kept;
}

void pages_reap(void)
{
    struct pages **link = &awaited;

    while ( *link )
    {
        struct pages *pages = *link;

        if ( reap_set(pages) )
        {
            link = &pages->next;
            continue;
        }
        *link = pages->next;
        free_set(pages);
    }
}

unsigned int pages_awaited(void)
{
    return awaited_pages;
}

unsigned int pages_abandon(void)
{
    unsigned int abandoned;

    pages_reap();
    abandoned = awaited_pages;
    while ( awaited )
    {
        struct pages *pages = awaited;

        awaited = pages->next;
        free_set(pages);
    }
    awaited_pages = 0;
    return abandoned;
}
