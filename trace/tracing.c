/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Xen's trace buffers: the requests, and the pages. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracing.h"

#include "base/scope.h"
#include "trace-ring.h"

/* Of a pCPU: 256 KiB hold 16,000 changes, more than a busy one has in a
 * second. */
#define PAGES 64u
/* Who traces has a record in this time: dom0 itself comes and goes. */
#define LOOK_US 300000u

struct tracing {
    struct tracing_handles with;
    void *index; /* Xen's list of the buffers' pages */
    size_t index_pages;
    struct pcpu_buffer {
        void *pages;
        struct trace_ring ring;
    } * pcpus;
    unsigned int count; /* of pcpus */
    uint32_t buffer_pages, khz;
    uint32_t old_classes; /* what Xen's filter was */
    uint32_t classes;
    uint64_t broken;
    bool on;
};

/* Fills *op with the answer.  libxc has no function that asks where the buffers
 * are and begins nothing. */
static int ask_for_buffers(struct tracing *tracing,
                           struct xen_sysctl_tbuf_op *op)
{
    struct xen_sysctl *request;
    int code;

    request = xencall_alloc_buffer(tracing->with.call, sizeof(*request));
    if ( !request )
        return -ENOMEM;
    memset(request, 0, sizeof(*request));
    request->cmd = XEN_SYSCTL_tbuf_op;
    request->interface_version = XEN_SYSCTL_INTERFACE_VERSION;
    request->u.tbuf_op = *op;
    code = xencall1(tracing->with.call, __HYPERVISOR_sysctl,
                    (unsigned long)(uintptr_t)request)
               ? -errno
               : 0;
    *op = request->u.tbuf_op;
    xencall_free_buffer(tracing->with.call, request);
    return code;
}

static int fail_request(const char *what, int code, struct failure *failure)
{
    return fail(failure,
                code == -ENOSYS || code == -EOPNOTSUPP ? STATUS_REFUSED
                                                       : STATUS_FAILED,
                "Xen's trace buffers cannot be %s: %s%s", what, strerror(-code),
                code == -ENOSYS || code == -EOPNOTSUPP
                    ? "; this Xen was built without them (CONFIG_TRACEBUFFER)"
                    : "");
}

static int find_buffers(struct tracing *tracing, uint64_t *frame,
                        struct failure *failure)
{
    struct xen_sysctl_tbuf_op op = {.cmd = XEN_SYSCTL_TBUFOP_get_info};
    int code = ask_for_buffers(tracing, &op);

    if ( code )
        return fail_request("found", code, failure);
    tracing->old_classes = op.evt_mask;
    tracing->index_pages = op.size / XC_PAGE_SIZE;
    *frame = op.buffer_mfn;
    return 0;
}

static void *map_xen_frames(struct tracing *tracing, const xen_pfn_t *frames,
                            size_t count, int protection)
{
    int *errors SCOPE_FREE = calloc(count ?: 1, sizeof(*errors));
    void *pages;

    if ( !errors || !count )
        return NULL;
    pages = xenforeignmemory_map(tracing->with.memory, DOMID_XEN, protection,
                                 count, frames, errors);
    for ( size_t i = 0; pages && i < count; i++ )
        if ( errors[i] )
        {
            xenforeignmemory_unmap(tracing->with.memory, pages, count);
            return NULL;
        }
    return pages;
}

static void *map_row(struct tracing *tracing, uint64_t first, size_t count)
{
    xen_pfn_t *frames SCOPE_FREE = calloc(count, sizeof(*frames));

    for ( size_t i = 0; frames && i < count; i++ )
        frames[i] = first + i;
    return frames ? map_xen_frames(tracing, frames, count, PROT_READ) : NULL;
}

static bool map_pcpu(struct tracing *tracing, unsigned int pcpu)
{
    const struct t_info *info = tracing->index;
    size_t words = tracing->index_pages * XC_PAGE_SIZE / sizeof(uint32_t);
    uint32_t at = info->mfn_offset[pcpu];
    const uint32_t *list = tracing->index;
    struct pcpu_buffer *buffer = &tracing->pcpus[pcpu];
    size_t count = tracing->buffer_pages;
    xen_pfn_t *frames SCOPE_FREE = NULL;

    /* It was never online. */
    if ( !at || at + count > words || !list[at] )
        return true;
    frames = calloc(count, sizeof(*frames));
    for ( size_t i = 0; frames && i < count; i++ )
        frames[i] = list[at + i];
    buffer->pages = frames ? map_xen_frames(tracing, frames, count,
                                            PROT_READ | PROT_WRITE)
                           : NULL;
    return buffer->pages;
}

static int map_buffers(struct tracing *tracing, uint64_t frame,
                       struct failure *failure)
{
    const struct t_info *info;

    tracing->index = map_row(tracing, frame, tracing->index_pages);
    tracing->pcpus = calloc(tracing->count, sizeof(*tracing->pcpus));
    if ( !tracing->index || !tracing->pcpus )
        return fail(failure, STATUS_FAILED,
                    "the list of Xen's trace buffers cannot be mapped");
    info = tracing->index;
    tracing->buffer_pages = info->tbuf_size;
    for ( unsigned int i = 0; i < tracing->count; i++ )
        if ( !map_pcpu(tracing, i) )
            return fail(failure, STATUS_FAILED,
                        "the trace buffer of pCPU %u cannot be mapped", i);
    return 0;
}

/* Xen does not say whether it traces: whether records come does. */
static bool is_traced(const struct tracing *tracing)
{
    uint32_t *before SCOPE_FREE = calloc(tracing->count, sizeof(*before));

    for ( unsigned int round = 0; before && round < 2; round++ )
    {
        for ( unsigned int i = 0; i < tracing->count; i++ )
        {
            const struct t_buf *head = tracing->pcpus[i].pages;
            uint32_t now = head ? __atomic_load_n(&head->prod, __ATOMIC_ACQUIRE)
                                : 0;

            if ( round && now != before[i] )
                return true;
            before[i] = now;
        }
        if ( !round )
            usleep(LOOK_US);
    }
    return false;
}

static int prepare_buffers(struct tracing *tracing, bool again,
                           struct failure *failure)
{
    struct xen_sysctl_tbuf_op size = {.cmd = XEN_SYSCTL_TBUFOP_set_size,
                                      .size = PAGES};
    uint64_t frame = 0;
    bool were_there;

    if ( find_buffers(tracing, &frame, failure) )
        return failure->status;
    were_there = frame != 0;
    if ( !were_there )
    {
        int code = ask_for_buffers(tracing, &size);

        if ( code )
            return fail_request("made", code, failure);
        if ( find_buffers(tracing, &frame, failure) )
            return failure->status;
    }
    if ( map_buffers(tracing, frame, failure) )
        return failure->status;
    if ( again && tracing->old_classes == tracing->classes )
        return 0;
    if ( were_there && is_traced(tracing) )
        return fail(failure, STATUS_BUSY,
                    "another program traces Xen (xentrace?), and there is one "
                    "reader for the host; end that program first");
    return 0;
}

static int open_trace_rings(struct tracing *tracing, struct failure *failure)
{
    size_t size = (size_t)tracing->buffer_pages * XC_PAGE_SIZE;

    for ( unsigned int i = 0; i < tracing->count; i++ )
    {
        struct pcpu_buffer *buffer = &tracing->pcpus[i];

        if ( buffer->pages &&
             !trace_ring_open(&buffer->ring, (uint16_t)i, buffer->pages, size) )
            return fail(failure, STATUS_FAILED,
                        "the trace buffer of pCPU %u makes no sense", i);
    }
    return 0;
}

static int request(struct tracing *tracing, uint32_t command, uint32_t classes)
{
    struct xen_sysctl_tbuf_op op = {.cmd = command, .evt_mask = classes};

    return ask_for_buffers(tracing, &op);
}

static int switch_on(struct tracing *tracing, struct failure *failure)
{
    int code = request(tracing, XEN_SYSCTL_TBUFOP_set_evt_mask,
                       tracing->classes);

    tracing->on = !code;
    if ( !code )
        code = request(tracing, XEN_SYSCTL_TBUFOP_enable, 0);
    return code ? fail_request("switched on", code, failure) : 0;
}

static int ask_processors(struct tracing *tracing, struct failure *failure)
{
    xc_physinfo_t host;

    if ( xc_physinfo(tracing->with.xc, &host) || !host.cpu_khz )
        return fail(failure, STATUS_FAILED,
                    "Xen does not say what processors it has: %s",
                    strerror(errno));
    tracing->count = host.max_cpu_id + 1;
    tracing->khz = host.cpu_khz;
    return 0;
}

int tracing_begin(const struct tracing_handles *handles, uint32_t classes,
                  bool again, struct tracing **ret, struct failure *failure)
{
    struct tracing *tracing = calloc(1, sizeof(*tracing));

    if ( !tracing )
        return fail_memory(failure);
    tracing->with = *handles;
    tracing->classes = classes;
    if ( !ask_processors(tracing, failure) &&
         !prepare_buffers(tracing, again, failure) &&
         !open_trace_rings(tracing, failure) && !switch_on(tracing, failure) )
    {
        *ret = tracing;
        return 0;
    }
    tracing_end(tracing);
    return failure->status;
}

static int read_trace_ring(struct tracing *tracing, struct trace_ring *ring,
                           int (*take)(void *self,
                                       const struct trace_event *event),
                           void *self)
{
    struct trace_event event;
    int code = 0;

    while ( !code )
    {
        switch ( trace_ring_next(ring, &event) )
        {
        case TRACE_EMPTY: trace_ring_release(ring); return 0;
        case TRACE_BROKEN: tracing->broken++; return 0;
        case TRACE_TAKEN: code = take(self, &event); break;
        }
    }
    return code;
}

int tracing_read(struct tracing *tracing,
                 int (*take)(void *self, const struct trace_event *event),
                 void *self, struct failure *failure)
{
    for ( unsigned int i = 0; i < tracing->count; i++ )
    {
        struct trace_ring *ring = &tracing->pcpus[i].ring;
        int code;

        if ( !tracing->pcpus[i].pages )
            continue;
        if ( trace_ring_is_shared(ring) )
            return fail(failure, STATUS_BUSY,
                        "another program began to read Xen's trace buffers "
                        "(xentrace?): each of the two lost records");
        code = read_trace_ring(tracing, ring, take, self);
        if ( code )
            return code;
    }
    return 0;
}

uint64_t tracing_broken(const struct tracing *tracing)
{
    return tracing->broken;
}

uint32_t tracing_khz(const struct tracing *tracing)
{
    return tracing->khz;
}

void tracing_end(struct tracing *tracing)
{
    if ( !tracing )
        return;
    if ( tracing->on )
    {
        request(tracing, XEN_SYSCTL_TBUFOP_disable, 0);
        request(tracing, XEN_SYSCTL_TBUFOP_set_evt_mask, tracing->old_classes);
    }
    for ( unsigned int i = 0; tracing->pcpus && i < tracing->count; i++ )
        if ( tracing->pcpus[i].pages )
            xenforeignmemory_unmap(tracing->with.memory,
                                   tracing->pcpus[i].pages,
                                   tracing->buffer_pages);
    if ( tracing->index )
        xenforeignmemory_unmap(tracing->with.memory, tracing->index,
                               tracing->index_pages);
    free(tracing->pcpus);
    free(tracing);
}
