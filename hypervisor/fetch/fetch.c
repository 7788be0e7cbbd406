/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest chooses what its words lead to.  Each address is checked before it is
 * read, and by the reader, so the worst is a step that reads nothing.
 */
#include "fetch.h"

_Static_assert(sizeof(((struct xenoprof_task *)0)->word) ==
                   XENOPROF_FETCH_STORED_MAX,
               "the part has no room for what a list may store");

/* What one call of fetch_run() works with. */
struct run {
    struct port_reader reader;
    uint64_t base;
    uint64_t *known;
    uint64_t followed[XENOPROF_FETCH_STEPS]; /* by step; 0: not read */
};

/* Returns whether all bytes of a step were read.  The first one is at an
 * address that never changes. */
static bool read(struct run *run, const struct xenoprof_fetch_step *step,
                 bool first, void *to)
{
    uint64_t at = step->from ? run->followed[step->from - 1] : run->base;
    uint64_t address = at + step->offset;
    uint32_t done;

    /* Both are in the kernel's half, so the sum did not wrap. */
    if ( !xenoprof_fetch_is_kernel(at & address) )
        return false;
    done = first ? port_reader_read_again(&run->reader, address, to,
                                          step->length, run->known)
                 : port_reader_read(&run->reader, address, to, step->length);
    return done == step->length;
}

static void take_steps(struct run *run, const struct xenoprof_fetch *list,
                       struct xenoprof_task *ret)
{
    unsigned char *stored = (unsigned char *)ret->word;

    for ( unsigned int i = 0; i < list->steps; i++ )
    {
        const struct xenoprof_fetch_step *step = &list->step[i];
        bool follows = step->action == XENOPROF_FETCH_FOLLOW;
        void *to = follows ? (void *)&run->followed[i] : stored;

        if ( !read(run, step, !i, to) )
        {
            /* Nor is the part kept that could be read. */
            memset(to, 0, step->length);
            ret->failed |= 1u << i;
        }
        stored += follows ? 0 : step->length;
    }
    ret->stored = stored - (unsigned char *)ret->word;
}

bool fetch_run(struct fetch_list *fetch, uint16_t vcpu,
               const struct port_state *guest, struct xenoprof_task *ret)
{
    const struct xenoprof_fetch *list = &fetch->list;
    struct run run;

    if ( vcpu >= list->vcpus || !list->base[vcpu] )
        return false;
    *ret = (struct xenoprof_task){.list = list->list};
    run.known = &fetch->known[vcpu];
    run.base = list->base[vcpu];
    if ( !port_reader_open(guest,
                           list->isolated ? PORT_RIGHTS_ISOLATED_KERNEL
                                          : PORT_RIGHTS_KERNEL,
                           &run.reader) )
        run.base = 0;
    take_steps(&run, list, ret);
    return true;
}
