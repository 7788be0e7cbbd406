/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved rings in their text form. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "replay.h"

#define DATA_MAX (XENOPROF_DATA_PAGES_MAX * XENOPROF_PAGE_SIZE)

static bool parse_uuid(const char *text, uint8_t ret[16])
{
    for ( int i = 0; i < 16; i++ )
        if ( sscanf(text + 2 * i, "%2" SCNx8, &ret[i]) != 1 )
            return false;
    return strlen(text) == 32;
}

/* ring kind=vcpu domain=3 vcpu=0 generation=1 uuid=HEX */
static bool parse_identity(const char *line, struct xenoprof_ring_page *page)
{
    char kind[8], uuid[40];
    int used = 0;

    if ( sscanf(line,
                "ring kind=%7s domain=%" SCNu16 " vcpu=%" SCNu16
                " generation=%" SCNu32 " uuid=%39s %n",
                kind, &page->domain, &page->vcpu, &page->generation, uuid,
                &used) != 5 ||
         !used || line[used] )
        return false;
    page->kind = !strcmp(kind, "vcpu") ? XENOPROF_RING_VCPU
                                       : XENOPROF_RING_PCPU;
    return parse_uuid(uuid, page->uuid) &&
           (page->kind == XENOPROF_RING_VCPU || !strcmp(kind, "pcpu"));
}

static void count(struct xenoprof_ring_page *page, const void *record)
{
    const struct xenoprof_record *head = record;
    const struct xenoprof_lost *lost = record;

    if ( head->kind == XENOPROF_RECORD_SAMPLE )
    {
        page->made++;
        page->committed++;
    }
    if ( head->kind == XENOPROF_RECORD_LOST )
    {
        page->made += lost->count;
        page->lost[lost->cause] += lost->count;
    }
}

static enum xenoprof_status load_records(struct xenoprof_handle *handle,
                                         const char *text,
                                         struct replay_ring *ring)
{
    size_t used = 0, length;
    enum xenoprof_status status;

    while ( !(status = xenoprof_record_scan(handle, &text, ring->data + used,
                                            DATA_MAX - used, &length)) )
    {
        count(&ring->page, ring->data + used);
        used += length;
    }
    ring->page.producer = used;
    ring->page.data_pages = 1;
    while ( ring->page.data_pages * XENOPROF_PAGE_SIZE < used )
        ring->page.data_pages *= 2;
    return status == XENOPROF_END ? XENOPROF_OK : status;
}

/* Cut the first line that is not empty or a comment out of text; *rest is what
 * follows it. */
static char *first_line(char *text, char **rest)
{
    char *line;

    do
        line = strsep(&text, "\n");
    while ( line && (*line == '#' || !line[strspn(line, " \t\r")]) );
    *rest = text;
    return line;
}

enum xenoprof_status replay_load_text(struct xenoprof_handle *handle,
                                      const char *path, char *text,
                                      struct replay_ring *ret)
{
    char *rest, *line = first_line(text, &rest);
    enum xenoprof_status status;

    ret->page = (struct xenoprof_ring_page){.magic = XENOPROF_RING_MAGIC,
                                            .version = XENOPROF_ABI_VERSION,
                                            .ring = ret->number,
                                            .state = XENOPROF_RING_OPEN};
    if ( !line || !parse_identity(line, &ret->page) )
        return handle_fail(handle, XENOPROF_INVALID,
                           "%s: the first line must be \"ring kind=pcpu|vcpu "
                           "domain=N vcpu=N generation=N uuid=HEX\"",
                           path);
    ret->data = calloc(1, DATA_MAX);
    if ( !ret->data )
        return handle_no_memory(handle);
    status = load_records(handle, rest ? rest : "", ret);
    return status ? handle_fail_in(handle, status, path) : XENOPROF_OK;
}
