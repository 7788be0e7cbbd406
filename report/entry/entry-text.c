/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "entry-text.h"

#include "base/must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROFILER   "profiler"
#define PV_BITS    0xffu
#define PV_SYSCALL 0x100u /* or what Xen set when it handed on an event */
#define PV_GENERAL 0x0du

enum detail { NOTHING, PORT, REGISTER };

static const struct way {
    uint8_t kind;
    uint32_t first, last;
    const char *name;
    enum detail detail;
} ways[] = {
#define WAY(kind, first, last, name, detail, reason)                           \
    {XENOPROF_ENTRY_##kind, first, last, name, detail},
#include "ways.def"
#undef WAY
};

#define WAYS ((int)(sizeof(ways) / sizeof(ways[0])))

static bool is_pv_syscall(const struct xenoprof_entry *entry)
{
    return entry->kind == XENOPROF_ENTRY_PV && entry->code == PV_SYSCALL;
}

int entry_way(const struct xenoprof_entry *entry)
{
    uint32_t code = entry->kind == XENOPROF_ENTRY_PV ? entry->code & PV_BITS
                                                     : entry->code;

    for ( int i = 0; !is_pv_syscall(entry) && i < WAYS; i++ )
        if ( ways[i].kind == entry->kind && code >= ways[i].first &&
             code <= ways[i].last )
            return i;
    return -1;
}

/* What a guest chose, behind the name. */
static char *with_detail(const struct xenoprof_entry *entry,
                         const struct way *way)
{
    bool bare = entry->flags & XENOPROF_ENTRY_BARE;
    uint64_t detail = entry->detail;

    if ( bare || way->detail == NOTHING )
        return must(strdup(way->name));
    if ( way->detail == PORT )
        return must_text("%s 0x%" PRIx64 " %s", way->name,
                         detail >> 16 & 0xffff,
                         detail & XENOPROF_ENTRY_IN ? "in" : "out");
    return must_text("%s 0x%" PRIx32 " %s", way->name, (uint32_t)detail,
                     detail & XENOPROF_ENTRY_WRITE ? "write" : "read");
}

char *entry_text(const struct xenoprof_entry *entry)
{
    const bool pv = entry->kind == XENOPROF_ENTRY_PV;
    int way = entry_way(entry);

    if ( entry->flags & XENOPROF_ENTRY_PROFILER )
        return must(strdup(PROFILER));
    if ( is_pv_syscall(entry) )
        return must(strdup(
            entry->flags & XENOPROF_ENTRY_USER ? "syscall" : ENTRY_HYPERCALL));
    if ( way < 0 )
        return must_text("%s 0x%" PRIx32, pv ? "vector" : "exit",
                         pv ? entry->code & PV_BITS : entry->code);
    /* Without Xen's mark that it was handed to the guest: the instruction is
     * emulated. */
    if ( pv && entry->code == PV_GENERAL )
        return must(strdup("#GP (emulated)"));
    return with_detail(entry, &ways[way]);
}
