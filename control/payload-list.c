/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Xen's list of livepatches, and what lies below and above ours. */
#include "payload-list.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xen-access.h"

struct raw_list {
    unsigned int count;
    uint32_t names_size, metadata_size;
    xen_livepatch_status_t *info;
    char *names, *metadata;
    uint32_t *lengths, *metadata_lengths;
};

static void raw_list_free(struct raw_list *raw)
{
    free(raw->info);
    free(raw->names);
    free(raw->metadata);
    free(raw->lengths);
    free(raw->metadata_lengths);
}

static int raw_list_read(xc_interface *xc, struct raw_list *raw)
{
    unsigned int done = 0, left = 0;
    int result;

    errno = 0;
    result = libxc_result(xc_livepatch_list_get_sizes(
        xc, &raw->count, &raw->names_size, &raw->metadata_size));
    if ( result || !raw->count )
        return result;
    raw->info = calloc(raw->count, sizeof(*raw->info));
    raw->names = calloc(1, raw->names_size + 1);
    raw->metadata = calloc(1, raw->metadata_size + 1);
    raw->lengths = calloc(raw->count, sizeof(*raw->lengths));
    raw->metadata_lengths = calloc(raw->count, sizeof(*raw->metadata_lengths));
    if ( !raw->info || !raw->names || !raw->metadata || !raw->lengths ||
         !raw->metadata_lengths )
        return -ENOMEM;
    errno = 0;
    result = libxc_result(xc_livepatch_list(
        xc, raw->count, 0, raw->info, raw->names, raw->lengths, raw->names_size,
        raw->metadata, raw->metadata_lengths, raw->metadata_size, &done,
        &left));
    raw->count = done;
    return result;
}

int payload_list(xc_interface *xc, struct payload_entry **ret, size_t *count)
{
    struct raw_list raw = {0};
    int result = raw_list_read(xc, &raw);
    const char *name = raw.names;

    *ret = NULL;
    *count = 0;
    if ( !result && raw.count )
        result = (*ret = calloc(raw.count, sizeof(**ret))) ? 0 : -ENOMEM;
    for ( unsigned int i = 0; !result && i < raw.count; i++ )
    {
        struct payload_entry *entry = &(*ret)[(*count)++];

        strncpy(entry->name, name, sizeof(entry->name) - 1);
        entry->applied = raw.info[i].state == LIVEPATCH_STATE_APPLIED;
        name += raw.lengths[i];
    }
    raw_list_free(&raw);
    return result;
}

static void clean_payload_name(char *name)
{
    for ( ; *name; name++ )
        if ( !isalnum((unsigned char)*name) && !strchr("-_.+:@", *name) )
            *name = '?';
}

void payload_list_others(const struct payload_entry *list, size_t count,
                         const char *ours, char *text, size_t size)
{
    const char *where = "below";
    size_t used = 0;

    snprintf(text, size, "none");
    for ( size_t i = 0; i < count; i++ )
    {
        struct payload_entry entry = list[i];
        char one[sizeof(entry.name) + 8];
        int length;

        if ( !strcmp(entry.name, ours) )
            where = "above";
        else if ( entry.applied )
        {
            clean_payload_name(entry.name);
            length = snprintf(one, sizeof(one), "%s%s=%s", used ? " " : "",
                              entry.name, where);
            if ( (size_t)length >= size - used )
                return;
            memcpy(text + used, one, (size_t)length + 1);
            used += (size_t)length;
        }
    }
}
