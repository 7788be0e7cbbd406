/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/session-folders.h"
#include "daemon/parser/kept-kernels.h"
#include "libxenoprof/session/session-attributes.h"
#include "recording-kit.h"
#include "tests/unit/libxenoprof/source-kit.h"

static unsigned int links, links_at_start;

/* Of domain 5's kernel. */
#define STACK 0xffffc90000000000ul

static const char xen_symbols[] = "ffff82d040200000 T do_work\n"
                                  "ffff82d040200100 T do_rest\n";
static const char dom0_symbols[] = "ffffffff81000000 T kernel_start\n"
                                   "ffffffffc0000000 t in_module [driver]\n";

static int write_leaf(void *self, const char *line)
{
    (void)self;
    links += !strncmp(line, "link ", 5);
    if ( !strcmp(line, "start") )
    {
        links_at_start = links;
        links = 0;
    }
    return core_command(line);
}

static int read_leaf(void *self, void *bytes, size_t size)
{
    struct xenoprof_door_state state;

    (void)self;
    core_door_state(&state);
    memcpy(bytes, &state, size < sizeof(state) ? size : sizeof(state));
    return (int)sizeof(state);
}

unsigned int kit_links_at_start(void)
{
    return links_at_start;
}

static const struct door_client_leaves leaves = {write_leaf, read_leaf};

static enum xenoprof_status open_source(void *self,
                                        struct xenoprof_handle *handle,
                                        uint64_t status_mfn,
                                        struct xenoprof_source **ret)
{
    (void)self;
    return source_process(handle, status_mfn, ret);
}

static int list_domains(void *self, struct domain_list *ret)
{
    const struct recording_kit *kit = self;
    size_t size = kit->domain_count * sizeof(kit->domains[0]);

    ret->items = malloc(size);
    if ( !ret->items )
        return -ENOMEM;
    memcpy(ret->items, kit->domains, size);
    ret->count = kit->domain_count;
    return 0;
}

static int pool_pcpus(void *self, const char *pool, struct number_set *ret)
{
    const struct recording_kit *kit = self;

    return strcmp(pool, "Pool-1") == 0 && number_set_parse("1", kit->pcpus, ret)
               ? 0
               : -ENOENT;
}

/* The module's clock is Xen's, as on a real host.  It is asked for the time
 * before each block is written. */
static int read_idle(void *self, struct idle_times *ret)
{
    struct xenoprof_door_state state;
    struct recording_kit *kit = self;

    if ( kit->blocks_busy )
    {
        kit->blocks_busy--;
        process_run_until(process_now() + 50 * MILLISECONDS);
    }
    core_door_state(&state);
    if ( !state.status_mfn )
        return -ENOENT;
    memset(ret, 0, sizeof(*ret));
    ret->now = process_now();
    for ( unsigned int i = 0; i < kit->pcpus; i++ )
        number_set_add(&ret->known, i);
    return 0;
}

static char *read_symbols(void *self, enum symbol_source source, size_t *size)
{
    struct recording_kit *kit = self;
    const char *more = kit->more_symbols ? kit->more_symbols : "";
    char *text;
    int length;

    length = source == SYMBOLS_XEN
                 ? asprintf(&text, "%s", xen_symbols)
                 : asprintf(&text, "%s%s", dom0_symbols, more);
    *size = (size_t)length;
    kit->symbol_reads += source == SYMBOLS_DOM0;
    return length < 0 ? NULL : text;
}

static uint64_t kmods(void *self)
{
    const struct recording_kit *kit = self;

    return kit->more_symbols ? 2 : 1;
}

/* No domain here has memory. */
static size_t read_frames(void *self, uint16_t domain, const uint64_t *frames,
                          size_t count, void *to)
{
    (void)self;
    (void)domain;
    (void)frames;
    (void)count;
    (void)to;
    return 0;
}

static int list_payloads(void *self, char *text, size_t size)
{
    const struct recording_kit *kit = self;

    snprintf(text, size, "%s", kit->payloads ? kit->payloads : "none");
    return 0;
}

static uint64_t memory_free(void *self)
{
    (void)self;
    return port_memory_free();
}

/* Samples alone say where kernels are. */
static int vcpu_kernel(void *self, const struct listed_domain *domain,
                       uint32_t vcpu, struct vcpu_kernel *ret)
{
    (void)self;
    (void)domain;
    (void)vcpu;
    (void)ret;
    return -EAGAIN;
}

static uint64_t dom0_ran(void *self)
{
    struct recording_kit *kit = self;

    return kit->dom0_ran;
}

static const struct xen_calls calls = {
    open_source, list_domains,  pool_pcpus,  read_idle,   read_symbols, kmods,
    read_frames, list_payloads, memory_free, vcpu_kernel, dom0_ran,
};

static void add_domain(struct recording_kit *kit, uint16_t id, const char *name)
{
    struct listed_domain *domain = &kit->domains[kit->domain_count++];

    *domain = (struct listed_domain){.id = id, .vcpus = 2};
    memset(domain->uuid, id, sizeof(domain->uuid));
    snprintf(domain->name, sizeof(domain->name), "%s", name);
}

void kit_begin(struct recording_kit *kit)
{
    kit_begin_on(kit, 2);
}

void kit_begin_on(struct recording_kit *kit, unsigned int pcpus)
{
    memset(kit, 0, sizeof(*kit));
    kit->pcpus = pcpus;
    process_reset(pcpus);
    process_set_current(0, 0, 0);
    process_set_current(1, 5, 1);
    process_pcpu(0)->frame.at.mode = XENOPROF_MODE_XEN;
    process_pcpu(0)->frame.at.ip = 0xffff82d040200010ul;
    test_make_folder(kit->dir, "xenoprof-test-XXXXXX");
    add_domain(kit, 0, "Domain-0");
    add_domain(kit, 5, "db");
    kit->xen = (struct xen){
        .calls = &calls,
        .self = kit,
        .door = {&leaves, kit},
        .info = {.host = "testhost", .boot = "boot-1"},
    };
    kit->handle = xenoprof_open();
    CHECK(kit->handle);
    recording_init(&kit->recording, &kit->xen, kit->handle);
}

void kit_end(struct recording_kit *kit)
{
    char **names;

    recording_free(&kit->recording);
    xenoprof_close(kit->handle);
    process_reset(kit->pcpus);
    names = session_names(kit->dir, &kit->failure);
    for ( char **name = names; name && *name; name++ )
        CHECK_EQ(session_delete(kit->dir, *name, &kit->failure), 0);
    session_names_free(names);
    CHECK_EQ(session_delete(kit->dir, SESSION_STARTING, &kit->failure), 0);
    CHECK_EQ(session_delete(kit->dir, KEPT_FOLDER, &kit->failure), 0);
    CHECK_EQ(rmdir(kit->dir), 0);
}

int kit_start(struct recording_kit *kit, const char *fields)
{
    struct start_options options;
    char line[512];
    int status;

    kit->failure = (struct failure){0};
    snprintf(line, sizeof(line), "start session-dir=%s%s", kit->dir, fields);
    start_options_init(&options);
    status = start_options_parse(&options, line, &kit->failure);
    if ( !status )
        status = recording_start(&kit->recording, &options, "tester",
                                 &kit->failure);
    start_options_free(&options);
    return status;
}

void kit_pass(struct recording_kit *kit, uint64_t ns)
{
    uint64_t end = process_now() + ns;

    while ( process_now() < end )
    {
        process_run_until(process_now() + 10 * MILLISECONDS);
        recording_look_at_domains(&kit->recording);
        if ( recording_is_open(&kit->recording) )
            recording_poll(&kit->recording, &kit->failure);
    }
}

int kit_finish(struct recording_kit *kit)
{
    kit->failure = (struct failure){0};
    recording_stop(&kit->recording);
    while ( kit->recording.state == RECORDING_STOPPING )
        recording_poll(&kit->recording, &kit->failure);
    return kit->failure.status;
}

void kit_run(struct recording_kit *kit, const char *options)
{
    int status = kit_start(kit, options);

    if ( status )
        test_fail(__FILE__, __LINE__, "start failed: %s", kit->failure.text);
    kit_pass(kit, 100 * MILLISECONDS);
    CHECK_EQ(kit->recording.state, RECORDING_RUNNING);
}

static const uint8_t *stack_memory(unsigned int pcpu, uint64_t address)
{
    static uint8_t page[XENOPROF_PAGE_SIZE];

    return pcpu == 1 && address / sizeof(page) == STACK / sizeof(page) ? page
                                                                       : NULL;
}

static struct guest *guest_of(struct recording *recording)
{
    uint8_t uuid[16];
    const struct guest_sample sample = {.domain = 5, .uuid = uuid};

    memset(uuid, 5, sizeof(uuid));
    return guests_find(recording->guests, &sample);
}

void kit_search_begins(struct recording *recording)
{
    /* Not asked for anything, since the search has begun. */
    static const struct process_maker nobody;
    struct port_frame *frame = &process_pcpu(1)->frame;

    process_host()->memory = stack_memory;
    frame->at = frame->guest = (struct port_state){
        .ip = 0xffffffff81000210ul,
        .sp = STACK,
        .mode = XENOPROF_MODE_KERNEL,
    };
    frame->complete = true;
    process_pcpu(1)->registers = (struct xenoprof_registers){.rsp = STACK};
    recording->guests->maker = &nobody;
    recording->guests->searches = 1;
    guest_of(recording)->state = GUEST_SEARCHED;
}

void kit_search_ends(struct recording *recording)
{
    recording->guests->searches = 0;
    guest_of(recording)->state = GUEST_STRANGE;
}

void kit_kill(struct recording_kit *kit)
{
    recording_free(&kit->recording);
    recording_init(&kit->recording, &kit->xen, kit->handle);
}

static void take(struct kit_content *content, const struct xenoprof_item *item)
{
    switch ( item->kind )
    {
    case XENOPROF_ITEM_SAMPLE:
        if ( item->u.sample.type )
            break;
        content->samples++;
        content->last_time = item->u.sample.time;
        if ( item->u.sample.domain == 5 )
            content->ends[xenoprof_stored_ended(&item->u.sample)]++;
        break;
    case XENOPROF_ITEM_COUNTERS:
        content->counted = item->u.counters.made;
        break;
    case XENOPROF_ITEM_ATTRIBUTE:
        if ( !strcmp(item->u.attribute.key, SESSION_ATTRIBUTE_EXPIRED) )
            content->expired = strtoull(item->u.attribute.value, NULL, 10);
        break;
    case XENOPROF_ITEM_CLOSED: content->closed = true; break;
    case XENOPROF_ITEM_DOMAIN: content->domains++; break;
    case XENOPROF_ITEM_PLACE:
        if ( item->u.place.place.symbol )
            snprintf(content->symbol, sizeof(content->symbol), "%s",
                     item->u.place.place.symbol);
        break;
    default: break;
    }
}

/* The last of each ring counts; there are few.  Rings of earlier files are in
 * sums. */
struct last_rings {
    struct xenoprof_item items[32];
    size_t count;
    uint64_t made, read, lost; /* of the sums */
};

static void take_sum(struct last_rings *rings, const struct xenoprof_item *item)
{
    const struct xenoprof_ring_sum *sum = &item->u.ring_sum.sum;

    if ( item->u.ring_sum.first )
        *rings = (struct last_rings){.count = 0};
    rings->made += sum->made;
    rings->read += sum->read;
    rings->lost += sum->lost_daemon + xenoprof_lost_in_xen(sum->lost);
}

static void take_ring(struct last_rings *rings,
                      const struct xenoprof_item *item)
{
    const struct xenoprof_ring_info *info = &item->u.ring.info;
    size_t i = 0;

    while ( i < rings->count &&
            (rings->items[i].u.ring.info.ring != info->ring ||
             rings->items[i].u.ring.info.generation != info->generation) )
        i++;
    CHECK(i < 32);
    if ( i == rings->count )
        rings->count++;
    rings->items[i] = *item;
}

static void add_rings(const struct last_rings *rings,
                      struct kit_content *content)
{
    content->made += rings->made;
    content->read += rings->read;
    content->lost += rings->lost;
    for ( size_t i = 0; i < rings->count; i++ )
    {
        const struct xenoprof_ring_info *info = &rings->items[i].u.ring.info;

        content->made += info->made;
        content->read += rings->items[i].u.ring.read;
        content->lost += rings->items[i].u.ring.lost_daemon +
                         xenoprof_lost_in_xen(info->lost);
    }
}

void kit_read_session(const struct recording_kit *kit, const char *name,
                      struct kit_content *ret)
{
    struct last_rings rings = {.count = 0};
    struct xenoprof_session *session;
    struct xenoprof_item item;
    char path[128];

    *ret = (struct kit_content){0};
    snprintf(path, sizeof(path), "%s/%s", kit->dir, name);
    if ( xenoprof_session_open(kit->handle, path, &session) )
        test_fail(__FILE__, __LINE__, "%s", xenoprof_message(kit->handle));
    while ( xenoprof_session_next(session, &item) == XENOPROF_OK )
        if ( item.kind == XENOPROF_ITEM_RING )
            take_ring(&rings, &item);
        else if ( item.kind == XENOPROF_ITEM_RING_SUM )
            take_sum(&rings, &item);
        else
            take(ret, &item);
    xenoprof_session_close(session);
    add_rings(&rings, ret);
}

struct account_totals kit_totals(const struct recording_kit *kit)
{
    struct account_totals ret;

    accounts_total(&kit->recording.drain.accounts, &ret);
    return ret;
}

void kit_check_totals(const struct recording_kit *kit)
{
    struct account_totals totals = kit_totals(kit);
    struct kit_content content;

    CHECK_EQ(totals.made, totals.read + totals.lost);
    kit_read_session(kit, SESSION_CURRENT, &content);
    CHECK_EQ(content.samples, totals.read);
    CHECK_EQ(content.made, totals.made);
    CHECK_EQ(content.read, totals.read);
    CHECK_EQ(content.lost, totals.lost);
}
