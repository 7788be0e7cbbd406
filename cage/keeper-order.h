/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the daemon sends to the keeper. */
#ifndef XENOPROF_CAGE_KEEPER_ORDER_H
#define XENOPROF_CAGE_KEEPER_ORDER_H

#include "process-maker.h"

#define KEEPER_END       0u /* kill that process; else make one of that kind */
#define KEEPER_FILES_MAX (PROCESS_FILES_MAX + 1)

struct keeper_order {
    uint32_t kind; /* enum process_kind, or KEEPER_END */
    uint32_t number;
    /* The process's socket, then its files. */
    uint32_t count;
    int files[KEEPER_FILES_MAX];
};

/* Does not wait.  Returns whether the order is on its way. */
bool keeper_order_send(int to, const struct keeper_order *order);
/* Waits.  Returns whether an order came; its files are the caller's then. */
bool keeper_order_receive(int from, struct keeper_order *ret);

#endif
