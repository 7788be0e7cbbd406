/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The notes that Xen's loader requires.  They hold the hypervisor's build-id,
 * which xenopctl fills in; here is only the room for it.
 */
#include <xenoprof/types.h>

#define NOTE(name, section_name)                                               \
    __attribute__((section(section_name), used,                                \
                   aligned(4))) static const uint32_t name[9] = {1}

NOTE(own_id, ".note.gnu.build-id");
NOTE(depends_id, ".livepatch.depends");
NOTE(xen_depends_id, ".livepatch.xen_depends");
