/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of parts, and the names of modes and causes. */
#include <string.h>

#include "record-parts.h"

const struct record_part record_parts[RECORD_PARTS] = {
#define XENOPROF_PART(bit, NAME, name, member, structure, tail, stacks, text)  \
    {XENOPROF_PART_##NAME, offsetof(struct xenoprof_view, member),             \
     sizeof(struct xenoprof_##structure), PART_TAIL_##tail},
#include <xenoprof/record-parts.def>
#undef XENOPROF_PART
};

const void *record_part_get(const struct record_part *part,
                            const struct xenoprof_view *view)
{
    const void *structure;

    memcpy(&structure, (const uint8_t *)view + part->member, sizeof(structure));
    return structure;
}

void record_part_put(const struct record_part *part, struct xenoprof_view *view,
                     const void *structure)
{
    memcpy((uint8_t *)view + part->member, &structure, sizeof(structure));
}

size_t record_part_tail(const struct record_part *part, const void *structure)
{
    const struct xenoprof_chain *chain = structure;
    const struct xenoprof_window *window = structure;

    switch ( part->tail )
    {
    case PART_TAIL_ADDRESSES: return chain->count * sizeof(uint64_t);
    case PART_TAIL_BYTES: return window->length;
    default: return 0;
    }
}

const char *const mode_names[] = {"xen", "kernel", "user", "idle", NULL};

const char *const cause_names[] = {
#define XENOPROF_CAUSE(number, NAME, name, who, text) [number] = #name,
#include <xenoprof/lost-causes.def>
#undef XENOPROF_CAUSE
    [XENOPROF_CAUSES] = NULL};

const char *xenoprof_mode_name(unsigned int mode)
{
    return mode < XENOPROF_MODES ? mode_names[mode] : "unknown";
}

const char *xenoprof_cause_name(unsigned int cause)
{
    return cause < XENOPROF_CAUSES ? cause_names[cause] : "unknown";
}
