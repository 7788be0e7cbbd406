/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/growing-model.h"
#include "clock-kit.h"
#include "daemon/parser/process-run.h"
#include "day-kit.h"
#include "tests/unit/daemon/parser/parser-stub.h"

#define KERNEL      0xffffffff81000000ul
#define KERNEL_SIZE (GROWING_FUNCTIONS * 1024ul)
#define FRAME       40u /* of a kernel's pages: all look alike */

/* As Xen wakes the daemon. */
#define ROUND (DAY_SECOND / 10)

/* Calls of Xen have only the recording's kit. */
static struct day *now;
static struct xen_calls calls;

static void name_guest(uint16_t domain, uint8_t uuid[16])
{
    memset(uuid, 0xda, 16);
    memcpy(uuid, &domain, sizeof(domain));
}

static size_t read_frames(void *self, uint16_t domain, const uint64_t *frames,
                          size_t count, void *to)
{
    struct guest_kit *memory = &now->memory[domain % DAY_KERNELS];

    (void)self;
    return domain >= now->oldest && domain < now->next
               ? memory->xen.calls->read_frames(memory, domain, frames, count,
                                                to)
               : 0;
}

static int list_domains(void *self, struct domain_list *ret)
{
    const struct recording_kit *kit = self;
    size_t guests = now->next - now->oldest;

    ret->items = calloc(guests + 1, sizeof(*ret->items));
    if ( !ret->items )
        return -ENOMEM;
    ret->items[0] = kit->domains[0];
    ret->count = guests + 1;
    for ( size_t i = 0; i < guests; i++ )
    {
        struct listed_domain *listed = &ret->items[i + 1];

        listed->id = (uint16_t)(now->oldest + i);
        listed->vcpus = DAY_VCPUS;
        name_guest(listed->id, listed->uuid);
        snprintf(listed->name, sizeof(listed->name), "guest-%u", listed->id);
    }
    return 0;
}

static char *read_symbols(void *self, enum symbol_source source, size_t *size)
{
    struct recording_kit *kit = self;

    (void)kit;
    return source == SYMBOLS_XEN ? day_symbols(size) : NULL;
}

/* A kernel is found by any of its addresses. */
static void make_kernel(struct guest_kit *memory, unsigned int number)
{
    struct stub_page page = {.letter = 'K', .zeroes = 24};

    snprintf(page.prefix, sizeof(page.prefix), "k%u", number);
    guest_kit_begin(memory);
    for ( uint64_t at = 0; at < KERNEL_SIZE; at += GUEST_PAGE )
        guest_kit_map(memory, KERNEL + at, FRAME);
    memcpy(memory->frames[FRAME], &page, sizeof(page));
}

static void make_kernels(struct day *day)
{
    for ( unsigned int i = 0; i < DAY_KERNELS; i++ )
        make_kernel(&day->memory[i], i);
}

/* Times of its vCPUs begin. */
static void give_birth(struct day *day)
{
    uint8_t uuid[16];

    name_guest(day->next, uuid);
    process_set_uuid(day->next, uuid);
    for ( uint16_t i = 0; i < DAY_VCPUS; i++ )
    {
        const struct xenoprof_wait wait = {
            .domain = day->next,
            .vcpu = i,
            .state = XENOPROF_RUNNING,
            .since = process_now(),
        };

        process_set_wait(&wait);
    }
    day->next++;
}

static void end_oldest(struct day *day)
{
    for ( uint16_t i = 0; i < DAY_VCPUS; i++ )
        process_end_wait(day->oldest, i);
    day->oldest++;
    for ( unsigned int i = 1; i < day->host.pcpus; i++ )
        process_set_idle(i);
}

void day_begin(struct day *day, const struct day_host *host)
{
    struct failure failure;

    signal(SIGPIPE, SIG_IGN);
    memset(day, 0, sizeof(*day));
    now = day;
    day->host = *host;
    day->oldest = day->next = 1;
    if ( keeper_start(&day->keeper, NULL, process_run, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    day->maker = keeper_maker(&day->keeper);
    kit_begin_on(&day->kit, host->pcpus);
    make_kernels(day);
    calls = *day->kit.xen.calls;
    calls.read_frames = read_frames;
    calls.list_domains = list_domains;
    calls.read_symbols = read_symbols;
    day->kit.xen.calls = &calls;
    day->kit.xen.maker = &day->maker;
    for ( unsigned int i = 0; i < host->guests; i++ )
        give_birth(day);
    day_make_stacks(host);
    day->begun = process_now();
    day_take_turns(day);
    CHECK_EQ(kit_start(&day->kit, host->options), 0);
    day->next_end = process_now() + host->life;
}

static void work(struct day *day)
{
    struct recording_kit *kit = &day->kit;
    uint64_t before = clock_read(CLOCK_THREAD_CPUTIME_ID);

    if ( recording_poll(&kit->recording, &kit->failure) )
        test_fail(__FILE__, __LINE__, "%s", kit->failure.text);
    day->cpu += clock_read(CLOCK_THREAD_CPUTIME_ID) - before;
}

static void step(struct day *day)
{
    if ( process_now() >= day->next_end )
    {
        end_oldest(day);
        give_birth(day);
        recording_look_at_domains(&day->kit.recording);
        day->next_end += day->host.life;
    }
    day_take_turns(day);
    clock_kit_skip(DAY_SECOND / day->host.hz);
    process_run_until(process_now() + DAY_SECOND / day->host.hz);
}

void day_pass(struct day *day, uint64_t ns)
{
    uint64_t end = process_now() + ns;

    while ( process_now() < end )
    {
        uint64_t round = process_now() + ROUND;

        while ( process_now() < round )
            step(day);
        work(day);
    }
}

void day_be_away(struct day *day, uint64_t ns)
{
    uint64_t end = process_now() + ns;

    while ( process_now() < end )
        step(day);
}

void day_stop(struct day *day)
{
    for ( unsigned int i = 1; i < day->host.pcpus; i++ )
        process_set_idle(i);
    recording_stop(&day->kit.recording);
    while ( day->kit.recording.state == RECORDING_STOPPING )
    {
        clock_kit_skip(ROUND);
        work(day);
    }
}

void day_free(struct day *day)
{
    kit_end(&day->kit);
    keeper_stop(&day->keeper);
    day_free_stacks();
}
