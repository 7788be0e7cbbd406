/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a sample is stored: who it is of, its stack, then the sample itself. */
#include "drain.h"

/* A vCPU's ring is of one domain; in a pCPU's ring it is the domain with that
 * number now. */
const uint8_t *drain_uuid(const struct drain *drain,
                          const struct account *account,
                          const struct xenoprof_sample *sample)
{
    const struct domain_name *named;

    if ( account->info.kind == XENOPROF_RING_VCPU )
        return account->info.uuid;
    named = domain_names_find(drain->names, sample->domain, NULL);
    return named ? named->uuid : NULL;
}

struct stack_sources drain_sources(const struct drain *drain, uint64_t tag,
                                   enum xenoprof_ended cut)
{
    return (struct stack_sources){
        .places = drain->places,
        .guests = drain->guests,
        .below_xen = drain->below_xen,
        .tag = tag,
        .cut = cut,
    };
}

static enum xenoprof_status store(struct drain *drain, struct account *account,
                                  const struct xenoprof_view *view,
                                  const struct stack_sources *sources)
{
    const struct xenoprof_sample *sample = view->sample;
    struct xenoprof_stored stored = {
        .time = sample->time,
        .period = sample->period,
        .marks = sample->marks,
        .domain = sample->domain,
        .vcpu = sample->vcpu,
        .pcpu = sample->pcpu,
        .mode = sample->mode,
        .weight = sample->weight,
    };
    bool own = account->info.kind == XENOPROF_RING_VCPU;
    enum xenoprof_status result;

    result = domain_names_store(drain->names, drain->writer, sample->time,
                                sample->domain,
                                own ? account->info.uuid : NULL);
    if ( !result )
        result = sample_stack_store(sources, drain->writer, view,
                                    drain_uuid(drain, account, sample),
                                    &account->last, &stored);
    if ( !result )
        result = xenoprof_writer_sample(drain->writer, &stored);
    if ( !result )
        chain_counts_add(&drain->chains, &stored);
    return result;
}

enum xenoprof_status drain_store(struct drain *drain, struct account *account,
                                 const struct xenoprof_view *view, uint64_t tag,
                                 enum xenoprof_ended cut)
{
    const struct stack_sources sources = drain_sources(drain, tag, cut);
    enum xenoprof_status result = store(drain, account, view, &sources);

    if ( result == XENOPROF_INVALID )
        account->dropped++;
    else if ( !result )
        account->pending++;
    /* One bad sample is counted; a writer that fails ends the session. */
    return result == XENOPROF_INVALID ? XENOPROF_OK : result;
}
