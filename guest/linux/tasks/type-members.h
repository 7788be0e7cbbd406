/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a structure's members to what they are: names of structures are not
 * unique, but what a member is of is. */
#ifndef XENOPROF_GUEST_LINUX_TASKS_TYPE_MEMBERS_H
#define XENOPROF_GUEST_LINUX_TASKS_TYPE_MEMBERS_H

#include "guest/btf/btf-find.h"

#define MEMBER_OFFSET_MAX 65536u

/* The structure that is called so, of those that were looked for; id 0: it was
 * not found. */
void member_struct(const struct btf_wanted *wanted, struct btf_type *ret);
/* The structure that a member is, or points to; id 0: not known. */
void member_follow(struct btf *btf, const struct btf_type *in,
                   const char *member, struct btf_type *ret);
/* Returns whether there is a member of that name and size; size 0: any.  name
 * NULL: there is none. */
bool member_find(struct btf *btf, const struct btf_type *in, const char *name,
                 uint32_t size, uint32_t *at);

#endif
