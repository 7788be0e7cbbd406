/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A domain's fetch list (<xenoprof/fetch.h>), from the door's command to the
 * second halves that run it.
 */
#ifndef XENOPROF_HYPERVISOR_FETCH_FETCH_LIST_H
#define XENOPROF_HYPERVISOR_FETCH_FETCH_LIST_H

#include "hypervisor/domains.h"
#include "hypervisor/fetch/fetch.h"
#include "hypervisor/words.h"

/*
 * Reads the words of a fetch command and checks all of them.  Returns 0 and the
 * list, *ret, which the caller has then, or NULL if the domain is to have none;
 * or what refuse() returned. [command]
 */
int fetch_list_parse(const struct words *words, const struct domain *domain,
                     struct fetch_list **ret);

#endif
