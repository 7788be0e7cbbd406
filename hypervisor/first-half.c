/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core.h"
#include "counter.h"
#include "first-half.h"
#include "presence.h"
#include "sampler.h"
#include "xen-chain.h"

static void fill_in(const struct session *session, struct queue_entry *entry,
                    const struct port_state *at, const struct port_frame *frame)
{
    struct port_vcpu vcpu = {0};

    port_current(&vcpu);
    entry->ticks = port_ticks();
    entry->at = *at;
    entry->domain = vcpu.domain;
    entry->vcpu = vcpu.vcpu;
    entry->idle = vcpu.idle;
    entry->period = __atomic_load_n(&session->period, __ATOMIC_RELAXED);
    entry->frames = 0;
    entry->weight = 1;
    entry->marks = 0;
    entry->has_guest = false;
    entry->guest = (struct port_state){0};
    if ( vcpu.idle )
        return;
    entry->marks = port_current_marks();
    if ( at->mode == XENOPROF_MODE_XEN )
        entry->has_guest = port_guest_state(frame, &entry->guest);
}

/* False: it was the idle routine, which is no work of anybody's. */
static struct queue_entry *begin(const struct session *session,
                                 struct pcpu *pcpu, const struct port_state *at,
                                 const struct port_frame *frame)
{
    struct queue_entry *entry;

    if ( at->mode == XENOPROF_MODE_IDLE )
    {
        counter_add(&pcpu->first.idle, 1);
        return NULL;
    }
    counter_add(&pcpu->first.made, 1);
    entry = queue_slot(&pcpu->queue);
    if ( !entry )
    {
        counter_add(&pcpu->first.lost[XENOPROF_LOST_QUEUE], 1);
        return NULL;
    }
    fill_in(session, entry, at, frame);
    if ( frame && at->mode == XENOPROF_MODE_XEN &&
         session->settings.mask & XENOPROF_PART_XEN_STACK )
        xen_chain_take(frame, entry);
    return entry;
}

static void take_sample(const struct session *session, struct pcpu *pcpu,
                        const struct port_frame *frame, bool asked_idle)
{
    struct port_state at = {0};
    struct queue_entry *entry;

    port_interrupted(frame, &at);
    entry = begin(session, pcpu, &at, frame);
    if ( entry )
    {
        if ( asked_idle && entry->idle )
            entry->weight = ASK_IDLE_TURNS;
        queue_push(&pcpu->queue);
    }
    if ( at.mode != XENOPROF_MODE_IDLE )
        port_request_commit();
}

/* Whose was it?  See sampler.h; most hosts have no watchdog. */
static bool claim(const struct session *session, struct pcpu *pcpu, bool asked)
{
    struct first_half *first = &pcpu->first;
    uint64_t now;
    struct sampler_nmi nmi = {.asked = asked};

    if ( !session->settings.watchdog )
        return asked;
    now = port_ticks();
    nmi.watchdog = true;
    nmi.due = port_watchdog_due();
    nmi.followed = first->followed &&
                   now - first->followed < session->millisecond;
    switch ( sampler_claim(nmi) )
    {
    case SAMPLER_CLAIM: return true;
    case SAMPLER_SWALLOW: first->followed = 0; return true;
    case SAMPLER_PASS_BOTH: first->followed = now; return false;
    case SAMPLER_PASS: break;
    }
    return false;
}

static bool first_half(const struct session *session, unsigned int here,
                       const struct port_frame *frame)
{
    struct pcpu *pcpu = session_pcpu(session, here);
    uint64_t start = port_ticks();
    enum ask_answer answer;
    bool ours;

    if ( !pcpu )
        return false;
    answer = ask_answer(&pcpu->ask);
    if ( answer == ASK_BUSY || answer == ASK_IDLE )
        take_sample(session, pcpu, frame, answer == ASK_IDLE);
    ours = claim(session, pcpu, answer != ASK_NONE);
    counter_add(&pcpu->first.spent, port_ticks() - start);
    return ours;
}

bool core_nmi_taken(const struct port_frame *frame)
{
    unsigned int here = port_pcpu();
    const struct session *session;
    bool ours;

    presence_enter(PRESENCE_FIRST, here);
    session = session_current();
    ours = session && session->settings.sampler == XENOPROF_SAMPLER_NMI &&
           first_half(session, here, frame);
    presence_leave(PRESENCE_FIRST, here);
    return ours;
}

void first_half_ticked(struct session *session, struct pcpu *pcpu)
{
    struct port_state at = {0};
    struct queue_entry *entry;

    port_ticked(&at);
    entry = begin(session, pcpu, &at, NULL);
    if ( !entry )
        return;
    if ( at.mode == XENOPROF_MODE_XEN )
        entry->marks |= XENOPROF_MARK_NO_IP;
    queue_push(&pcpu->queue);
}
