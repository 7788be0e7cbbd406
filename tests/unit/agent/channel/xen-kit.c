/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xen-kit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xengnttab.h>
#include <xenstore.h>

#define BOTH_WAYS (PROT_READ | PROT_WRITE)

static int grants, store;

xengntshr_handle *xengntshr_open(struct xentoollog_logger *logger,
                                 unsigned int open_flags)
{
    (void)logger;
    return open_flags ? NULL : (xengntshr_handle *)&grants;
}

int xengntshr_close(xengntshr_handle *handle)
{
    (void)handle;
    return 0;
}

void *xengntshr_share_page_notify(xengntshr_handle *handle, uint32_t domain,
                                  uint32_t *ref, int writable,
                                  uint32_t notify_offset,
                                  evtchn_port_t notify_port)
{
    (void)handle;
    if ( domain || !writable || notify_port != (evtchn_port_t)-1 ||
         notify_offset != offsetof(struct vchan_interface, srv_live) )
        return NULL;
    memset(kit_vchan->page, 0xff, sizeof(kit_vchan->page)); /* as it may be */
    kit_vchan->shared++;
    *ref = KIT_PAGE_REF;
    return kit_vchan->page;
}

/* The first ring is the client's to write. */
void *xengntshr_share_pages(xengntshr_handle *handle, uint32_t domain,
                            int count, uint32_t *refs, int writable)
{
    bool left = kit_vchan->shared == 1;

    (void)handle;
    if ( domain || !writable || count != (int)VCHAN_RING_PAGES )
        return NULL;
    for ( int i = 0; i < count; i++ )
        refs[i] = (left ? KIT_LEFT_REF : KIT_RIGHT_REF) + (uint32_t)i;
    kit_vchan->shared += (unsigned int)count;
    return left ? kit_vchan->left : kit_vchan->right;
}

int xengntshr_unshare(xengntshr_handle *handle, void *address, uint32_t count)
{
    (void)handle;
    (void)address;
    kit_vchan->shared -= count;
    return 0;
}

xengnttab_handle *xengnttab_open(struct xentoollog_logger *logger,
                                 unsigned int open_flags)
{
    return logger && !open_flags ? (xengnttab_handle *)&grants : NULL;
}

/* Before anything is written one looks at it. */
void *xengnttab_map_grant_ref(xengnttab_handle *handle, uint32_t domain,
                              uint32_t ref, int prot)
{
    (void)handle;
    if ( domain != KIT_DOMAIN || ref != KIT_PAGE_REF || prot != PROT_READ )
        return NULL;
    return kit_vchan->page;
}

void *xengnttab_map_grant_ref_notify(xengnttab_handle *handle, uint32_t domain,
                                     uint32_t ref, int prot,
                                     uint32_t notify_offset,
                                     evtchn_port_t notify_port)
{
    (void)handle;
    if ( domain != KIT_DOMAIN || ref != KIT_PAGE_REF || prot != BOTH_WAYS ||
         notify_port != (evtchn_port_t)-1 ||
         notify_offset != offsetof(struct vchan_interface, cli_live) )
        return NULL;
    kit_vchan->joined = true;
    return kit_vchan->page;
}

void *xengnttab_map_domain_grant_refs(xengnttab_handle *handle, uint32_t count,
                                      uint32_t domain, uint32_t *refs, int prot)
{
    (void)handle;
    if ( domain != KIT_DOMAIN || count != VCHAN_RING_PAGES ||
         prot != BOTH_WAYS ||
         (refs[0] != KIT_LEFT_REF && refs[0] != KIT_RIGHT_REF) )
        return NULL;
    for ( uint32_t i = 1; i < count; i++ )
        if ( refs[i] != refs[0] + i )
            return NULL;
    return refs[0] == KIT_LEFT_REF ? kit_vchan->left : kit_vchan->right;
}

struct xs_handle *xs_open(unsigned long flags)
{
    return flags ? NULL : (struct xs_handle *)&store;
}

void xs_close(struct xs_handle *handle)
{
    (void)handle;
}

void *xs_read(struct xs_handle *handle, xs_transaction_t transaction,
              const char *path, unsigned int *length)
{
    (void)handle;
    (void)transaction;
    (void)length;
    if ( !strcmp(path, "domid") )
        return strdup("7");
    if ( kit_vchan->absent ||
         strcmp(path, "/local/domain/7/data/opagent/ring-ref") )
        return NULL;
    return strdup(kit_vchan->word);
}

bool xs_write(struct xs_handle *handle, xs_transaction_t transaction,
              const char *path, const void *data, unsigned int length)
{
    (void)handle;
    (void)transaction;
    if ( kit_vchan->absent )
        errno = EACCES;
    snprintf(kit_vchan->path, sizeof(kit_vchan->path), "%s", path);
    snprintf(kit_vchan->word, sizeof(kit_vchan->word), "%.*s", (int)length,
             (const char *)data);
    return !kit_vchan->absent;
}

bool xs_set_permissions(struct xs_handle *handle, xs_transaction_t transaction,
                        const char *path, struct xs_permissions *rights,
                        unsigned int count)
{
    (void)handle;
    (void)transaction;
    (void)path;
    for ( unsigned int i = 0; i < count; i++ )
        snprintf(kit_vchan->reader + 2 * i, sizeof(kit_vchan->reader) - 2 * i,
                 "%c%u", rights[i].perms == XS_PERM_READ ? 'r' : 'n',
                 rights[i].id);
    return true;
}
