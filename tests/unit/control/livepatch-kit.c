/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "livepatch-kit.h"
#include "tests/harness.h"

struct livepatch_kit livepatch_kit;
static struct livepatch_kit *const kit = &livepatch_kit;

/* Returns its index, or LIVEPATCH_KIT_MAX. */
static unsigned int find(const char *name)
{
    for ( unsigned int i = 0; i < kit->count; i++ )
        if ( strcmp(kit->payloads[i].name, name) == 0 )
            return i;
    return LIVEPATCH_KIT_MAX;
}

static void add(const char *name, uint32_t state)
{
    CHECK(kit->count < LIVEPATCH_KIT_MAX);
    snprintf(kit->payloads[kit->count].name, sizeof(kit->payloads[0].name),
             "%s", name);
    kit->payloads[kit->count++].state = state;
}

void livepatch_kit_begin(const char *const *names)
{
    *kit = (struct livepatch_kit){.absent_errno = ENOENT};
    for ( ; *names; names++ )
        add(*names + 1,
            **names == '+' ? LIVEPATCH_STATE_APPLIED : LIVEPATCH_STATE_CHECKED);
}

bool livepatch_kit_has(const char *name)
{
    return find(name) < LIVEPATCH_KIT_MAX;
}

int xc_physinfo(xc_interface *xc, xc_physinfo_t *info)
{
    (void)xc, (void)info;
    errno = kit->tools_errno;
    return errno ? -1 : 0;
}

int xc_version(xc_interface *xc, int command, void *argument)
{
    (void)xc, (void)command, (void)argument;
    return 4 << 16 | 17;
}

int xc_livepatch_list_get_sizes(xc_interface *xc, unsigned int *count,
                                uint32_t *names, uint32_t *metadata)
{
    (void)xc;
    *count = kit->count;
    *names = *metadata = 0;
    for ( unsigned int i = 0; i < kit->count; i++ )
        *names += (uint32_t)strlen(kit->payloads[i].name) + 1;
    return kit->sizes_result;
}

int xc_livepatch_list(xc_interface *xc, const unsigned int max,
                      const unsigned int start,
                      struct xen_livepatch_status *info, char *name,
                      uint32_t *length, const uint32_t names, char *metadata,
                      uint32_t *metadata_length, const uint32_t metadatas,
                      unsigned int *done, unsigned int *left)
{
    (void)xc, (void)start, (void)names, (void)metadata;
    (void)metadata_length, (void)metadatas;
    *left = 0;
    *done = max - kit->gone;
    for ( unsigned int i = 0; i < *done; i++ )
    {
        info[i].state = kit->payloads[i].state;
        length[i] = (uint32_t)strlen(kit->payloads[i].name) + 1;
        name = stpcpy(name, kit->payloads[i].name) + 1;
    }
    errno = kit->list_errno;
    return kit->list_result;
}

int xc_livepatch_get(xc_interface *xc, char *name,
                     xen_livepatch_status_t *status)
{
    unsigned int at = find(name);

    (void)xc;
    if ( at == LIVEPATCH_KIT_MAX )
    {
        errno = kit->absent_errno;
        return -1;
    }
    status->state = kit->payloads[at].state;
    status->rc = kit->pending-- > 0 ? -EAGAIN : kit->outcome;
    return 0;
}

/* From Xen 4.20 on it has one argument more, which nobody reads here. */
int upload(xc_interface *xc, char *name, unsigned char *bytes,
           uint32_t size) __asm__("xc_livepatch_upload");

int upload(xc_interface *xc, char *name, unsigned char *bytes, uint32_t size)
{
    (void)xc, (void)bytes;
    kit->size = size;
    if ( !kit->upload_result )
        add(name, LIVEPATCH_STATE_CHECKED);
    return kit->upload_result;
}

static int act(const char *name, uint32_t flags, uint32_t state)
{
    unsigned int at = find(name);

    CHECK(at < LIVEPATCH_KIT_MAX);
    kit->flags = flags;
    kit->actions++;
    if ( kit->refusals-- > 0 )
        return kit->refusal;
    if ( !kit->outcome )
        kit->payloads[at].state = state;
    return 0;
}

int xc_livepatch_apply(xc_interface *xc, char *name, uint32_t timeout,
                       uint32_t flags)
{
    (void)xc, (void)timeout;
    return act(name, flags, LIVEPATCH_STATE_APPLIED);
}

int xc_livepatch_revert(xc_interface *xc, char *name, uint32_t timeout,
                        uint32_t flags)
{
    (void)xc, (void)timeout;
    return act(name, flags, LIVEPATCH_STATE_CHECKED);
}

int xc_livepatch_unload(xc_interface *xc, char *name, uint32_t timeout,
                        uint32_t flags)
{
    unsigned int at = find(name);

    (void)xc, (void)timeout, (void)flags;
    kit->unloads++;
    if ( at == LIVEPATCH_KIT_MAX )
        return -ENOENT;
    if ( kit->payloads[at].state == LIVEPATCH_STATE_APPLIED )
        return -EBUSY;
    kit->payloads[at] = kit->payloads[--kit->count];
    return 0;
}
