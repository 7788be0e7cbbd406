/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds of nodes, as xenoprof_session_kinds_only() asks for them: a node of
 * loaded, four times, and what is known of it beside that.
 */
#ifndef XENOPROF_REPORT_CELLS_KINDS_H
#define XENOPROF_REPORT_CELLS_KINDS_H

#include "loader.h"

enum {
    KIND_CALLED = 1u << 0, /* it had a caller, which it need not have now */
    KIND_PRUNED = 1u << 1, /* it is of a pruned stack */
    KIND_BITS = 2
};

/* Nodes are one if their functions are, or as far as anything is asked of
 * these. */
void kinds_put(struct loader *loader, const struct xenoprof_kind_node *nodes,
               size_t count, uint32_t *ret);

static inline uint32_t kind_node(uint32_t kind)
{
    return kind >> KIND_BITS;
}

/* Sets *ret to the kind of a chain that is a place alone, of which it is not
 * known whose it is. */
void kind_alone(struct loader *loader, uint32_t place, uint32_t *ret);

/* Sets *ret to the node of a kind in a pruned stack; 0: of none. */
void kind_pruned_node(struct loader *loader, uint32_t kind, uint32_t *ret);

/* The same of a place's spot: 0 if nothing is known of the place. */
void kind_spot(struct loader *loader, uint32_t place, uint32_t *ret);

#endif
