/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One name of the path after the other, from the root on. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "cgroup-text.h"

#define ID_DIGITS  64u /* of a container */
#define UID_DIGITS 36u /* of a pod, with what is between its groups */

/* systemd's units that have processes; slices only hold others. */
static const char *const unit_ends[] = {".service", ".scope", ".socket",
                                        ".mount", ".swap"};

static bool ends_with(const char *name, size_t length, const char *end)
{
    size_t size = strlen(end);

    return length > size && !memcmp(name + length - size, end, size);
}

/* The first one that is no slice, as systemd says of a process itself: what is
 * below belongs to it. */
static void read_unit(const char *name, size_t length, struct cgroup_text *ret)
{
    for ( size_t i = 0; i < sizeof(unit_ends) / sizeof(unit_ends[0]); i++ )
        if ( !*ret->unit && length <= CGROUP_TEXT_MAX &&
             ends_with(name, length, unit_ends[i]) )
            memcpy(ret->unit, name, length);
}

static bool is_id(const char *name, size_t length)
{
    size_t digits = 0;

    while ( digits < length && isxdigit((unsigned char)name[digits]) )
        digits++;
    return digits == ID_DIGITS &&
           (digits == length || name[digits] == '.' || name[digits] == ':');
}

/* The whole name, or what is behind its last dash or colon ("docker-",
 * "cri-containerd:"); the innermost one counts. */
static void read_container(const char *name, size_t length,
                           struct cgroup_text *ret)
{
    for ( size_t at = 0; at < length; at++ )
        if ( (!at || name[at - 1] == '-' || name[at - 1] == ':') &&
             is_id(name + at, length - at) )
            memcpy(ret->container, name + at, sizeof(ret->container) - 1);
}

/* "podUID", or "kubepods-besteffort-podUID.slice" with underscores in it. */
static void read_pod(const char *name, size_t length, struct cgroup_text *ret)
{
    char uid[UID_DIGITS + 1] = "";

    for ( size_t at = 0; at + 3 + UID_DIGITS <= length; at++ )
    {
        size_t good = 0;

        if ( memcmp(name + at, "pod", 3) || (at && name[at - 1] != '-') )
            continue;
        memcpy(uid, name + at + 3, UID_DIGITS);
        for ( ; good < UID_DIGITS; good++ )
            if ( uid[good] == '_' )
                uid[good] = '-';
            else if ( !isxdigit((unsigned char)uid[good]) && uid[good] != '-' )
                break;
        if ( good == UID_DIGITS )
            memcpy(ret->pod, uid, sizeof(uid));
    }
}

void cgroup_read(const char *path, struct cgroup_text *ret)
{
    memset(ret, 0, sizeof(*ret));
    while ( *path )
    {
        size_t length = strcspn(path, "/");

        read_unit(path, length, ret);
        read_container(path, length, ret);
        read_pod(path, length, ret);
        path += length + (path[length] == '/');
    }
}
