/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the address of a sample to its place: what it belongs to, and its name
 * where one is known here (Xen and dom0's kernel).
 */
#ifndef XENOPROF_DAEMON_PLACES_H
#define XENOPROF_DAEMON_PLACES_H

#include "base/table.h"
#include "daemon/guests/address-table.h"
#include "xen.h"

/* Further addresses of a session have no place of their own: a guest that jumps
 * about must not fill dom0's memory. */
#define PLACES_MAX 500000u
/* The same for addresses of Xen, each counted once however many domains Xen was
 * there for. */
#define XEN_PLACES_MAX 131072u

struct places {
    const struct xen *xen;
    struct xenoprof_handle *handle;
    struct xenoprof_symbols *xen_symbols;  /* NULL: no names */
    struct xenoprof_symbols *dom0_symbols; /* NULL: no names */
    struct xenoprof_symbols
        *old_symbols;     /* dom0's before, which names are still of */
    uint64_t old_time;    /* of the sample that they are for */
    uint64_t next_look;   /* at dom0's modules; Xen's time */
    uint64_t next_reload; /* whatever they are; Xen's time */
    uint64_t modules;     /* those that the symbols are of */
    bool fresh; /* dom0's were just read: places_name_late() has work */
    uint32_t made;
    struct table xen_made;           /* Xen's addresses that have places */
    struct address_table xen_places; /* of those that came lately */
};

/*
 * Reads the symbols.  xen_syms: a file for Xen's, or "" for what the kernel
 * offers.  Returns 0, also without any symbols, or STATUS_FAILED with a
 * sentence if that file cannot be used.
 */
int places_open(struct places *places, const struct xen *xen,
                struct xenoprof_handle *handle, const char *xen_syms,
                struct failure *failure);
void places_close(struct places *places);

/* A new session: its writer knows no place yet. */
void places_reset(struct places *places);

/* Returns true and the name of a sample's address in Xen or in dom0's kernel,
 * good until a sample of another time is asked for; false if it has none. */
bool places_symbol(struct places *places, const struct xenoprof_sample *sample,
                   struct xenoprof_symbol *ret);

/* What has no name in writer may have one among symbols that were read since.
 */
enum xenoprof_status places_name_late(struct places *places,
                                      struct xenoprof_writer *writer);

/* Finds or stores the place of this sample. */
enum xenoprof_status places_find(struct places *places,
                                 struct xenoprof_writer *writer,
                                 const struct xenoprof_sample *sample,
                                 uint32_t *ret);
/* The same for those that called it in Xen, at most XENOPROF_CHAIN_MAX, by
 * where they go on: memory is asked for all of them at once. */
enum xenoprof_status places_find_callers(struct places *places,
                                         struct xenoprof_writer *writer,
                                         const struct xenoprof_sample *sample,
                                         const uint64_t *returns, size_t count,
                                         uint32_t *ret);

#endif
