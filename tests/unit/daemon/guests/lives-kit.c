/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "control/session-folders.h"
#include "clock-kit.h"
#include "daemon/guests/guests.h"
#include "daemon/parser/process-run.h"
#include "lives-kit.h"

/* In which a sample is answered. */
#define ANSWER_TIME (3000 * MILLISECONDS)

/* Calls of Xen have only the recording's kit. */
static struct lives *now;
static struct xen_calls calls;

uint64_t lives_random(struct lives *lives, uint64_t below)
{
    lives->random ^= lives->random << 13;
    lives->random ^= lives->random >> 7;
    lives->random ^= lives->random << 17;
    return (lives->random >> 11) % below;
}

static struct living *find(uint16_t domain)
{
    for ( unsigned int i = 0; i < LIVES_SLOTS; i++ )
        if ( now->slots[i].alive && now->slots[i].domain == domain )
            return &now->slots[i];
    return NULL;
}

/* Another byte of its kernel's page, or of its page tables. */
static void change_memory(struct living *guest)
{
    static const unsigned int frames[] = {1, 2, 3, 4, LIVES_FRAME};
    unsigned int frame = frames[lives_random(now, 5)];
    static const char letters[] = "KDxSNC";

    if ( frame == LIVES_FRAME )
        guest->memory.frames[frame][0] = letters[lives_random(now, 6)];
    else
        guest->memory.frames[frame][lives_random(now, GUEST_PAGE)] ^= (uint8_t)
            lives_random(now, 256);
}

static size_t read_frames(void *self, uint16_t domain, const uint64_t *frames,
                          size_t count, void *to)
{
    struct living *guest = find(domain);

    (void)self;
    if ( guest && guest->changes )
        change_memory(guest);
    return guest ? guest->memory.xen.calls->read_frames(&guest->memory, domain,
                                                        frames, count, to)
                 : 0;
}

void lives_work(struct lives *lives)
{
    struct recording_kit *kit = &lives->kit;
    uint64_t before = clock_read(CLOCK_THREAD_CPUTIME_ID);

    if ( recording_poll(&kit->recording, &kit->failure) )
        test_fail(__FILE__, __LINE__, "%s", kit->failure.text);
    lives->cpu += clock_read(CLOCK_THREAD_CPUTIME_ID) - before;
    for ( unsigned int i = 0; i < LIVES_SLOTS; i++ )
        lives->slots[i].ready = true;
}

void lives_begin(struct lives *lives, uint64_t seed, const char *options)
{
    struct failure failure;
    char line[256];

    signal(SIGPIPE, SIG_IGN);
    memset(lives, 0, sizeof(*lives));
    now = lives;
    lives->random = (seed + 1) * 0x9e3779b97f4a7c15ul;
    lives->next_domain = 10;
    if ( keeper_start(&lives->keeper, NULL, process_run, &failure) )
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    lives->maker = keeper_maker(&lives->keeper);
    kit_begin_on(&lives->kit, LIVES_PCPUS);
    calls = *lives->kit.xen.calls;
    calls.read_frames = read_frames;
    lives->kit.xen.calls = &calls;
    lives->kit.xen.maker = &lives->maker;
    lives->kit.domain_count = 1;
    for ( unsigned int i = 1; i < LIVES_PCPUS; i++ )
    {
        lives->turns[i].person = NOBODY;
        lives_put_nobody(lives, i);
    }
    process_host()->memory = lives_stack_memory;
    snprintf(line, sizeof(line), " passive-domains=all stacks=kernel lease=0%s",
             options);
    CHECK_EQ(kit_start(&lives->kit, line), 0);
    lives_pass(lives, 10 * LIVES_TURN);
    CHECK_EQ(lives->kit.recording.state, RECORDING_RUNNING);
}

void lives_end(struct lives *lives)
{
    for ( unsigned int i = 1; i < LIVES_PCPUS; i++ )
        lives_put_nobody(lives, i);
    recording_stop(&lives->kit.recording);
    while ( lives->kit.recording.state == RECORDING_STOPPING )
    {
        clock_kit_skip(LIVES_TURN);
        lives_work(lives);
    }
    lives_compare(lives);
    kit_end(&lives->kit);
    keeper_stop(&lives->keeper);
    vector_free(&lives->persons);
}

size_t lives_born(struct lives *lives, bool honest)
{
    size_t number = lives->persons.count;
    struct person *person = vector_add(&lives->persons);

    CHECK(person);
    person->honest = honest;
    memcpy(person->uuid, &number, sizeof(number));
    person->uuid[15] = 0xee;
    snprintf(person->prefix, sizeof(person->prefix), "%c%zu",
             honest ? 'h' : 'x', number);
    return number;
}

void lives_set_kernel(struct lives *lives, struct living *guest, char letter)
{
    struct stub_page page = {.letter = letter,
                             .processors = (uint8_t)guest->vcpus};

    memcpy(page.prefix, lives->persons.items[guest->person].prefix, 16);
    memcpy(guest->memory.frames[LIVES_FRAME], &page, sizeof(page));
}

/* The list is what xl list would show; xenstore says that it changed. */
static void list(struct lives *lives)
{
    struct recording_kit *kit = &lives->kit;

    kit->domain_count = 1;
    for ( unsigned int i = 0; i < LIVES_SLOTS; i++ )
    {
        const struct living *guest = &lives->slots[i];
        struct listed_domain *listed = &kit->domains[kit->domain_count];

        if ( !guest->alive )
            continue;
        *listed = (struct listed_domain){.id = guest->domain,
                                         .vcpus = guest->vcpus};
        memcpy(listed->uuid, lives->persons.items[guest->person].uuid, 16);
        snprintf(listed->name, sizeof(listed->name), "%s",
                 lives->persons.items[guest->person].prefix);
        kit->domain_count++;
    }
    recording_look_at_domains(&kit->recording);
}

struct living *lives_come(struct lives *lives, size_t person, uint16_t domain,
                          char letter, uint16_t vcpus)
{
    struct living *guest = lives->slots;

    while ( guest < lives->slots + LIVES_SLOTS && guest->alive )
        guest++;
    if ( guest == lives->slots + LIVES_SLOTS || (domain && find(domain)) )
        return NULL;
    guest_kit_begin(&guest->memory);
    guest->alive = true;
    guest->ready = guest->changes = false;
    guest->person = person;
    guest->domain = domain ? domain : lives->next_domain++;
    guest->vcpus = vcpus;
    guest->next_vcpu = 0;
    guest->manner = MANNER_SAME;
    guest_kit_map(&guest->memory, LIVES_KERNEL, LIVES_FRAME);
    lives_set_kernel(lives, guest, letter);
    process_set_uuid(guest->domain, lives->persons.items[person].uuid);
    list(lives);
    return guest;
}

void lives_go(struct lives *lives, struct living *guest)
{
    for ( unsigned int i = 1; i < LIVES_PCPUS; i++ )
        lives_put_nobody(lives, i);
    guest->alive = false;
    lives->persons.items[guest->person].went = process_now();
    list(lives);
}

struct living *lives_any(struct lives *lives, bool honest)
{
    uint64_t first = lives_random(lives, LIVES_SLOTS);

    for ( unsigned int i = 0; i < LIVES_SLOTS; i++ )
    {
        struct living *guest = &lives->slots[(first + i) % LIVES_SLOTS];

        if ( guest->alive && guest->ready &&
             lives->persons.items[guest->person].honest == honest )
            return guest;
    }
    return NULL;
}

unsigned int lives_count(const struct lives *lives, bool honest)
{
    unsigned int count = 0;

    for ( unsigned int i = 0; i < LIVES_SLOTS; i++ )
        count += lives->slots[i].alive &&
                 lives->persons.items[lives->slots[i].person].honest == honest;
    return count;
}

bool lives_is_known(const struct lives *lives, const struct living *guest)
{
    const struct guest *known = guests_known(
        lives->kit.recording.guests, guest->domain,
        lives->persons.items[guest->person].uuid);

    return known && known->state == GUEST_KNOWN;
}

static void run_until(uint64_t time)
{
    clock_kit_skip(time - process_now());
    process_run_until(time);
    process_settle();
}

void lives_turn(void)
{
    run_until(process_now() + LIVES_TURN);
}

void lives_pass(struct lives *lives, uint64_t ns)
{
    uint64_t end_of_it = process_now() + ns;

    while ( process_now() < end_of_it )
    {
        lives_take_turns(lives);
        lives_turn();
    }
    lives_work(lives);
}

void lives_rest(struct lives *lives, uint64_t ns)
{
    uint64_t end_of_it = process_now() + ns;

    for ( unsigned int i = 1; i < LIVES_PCPUS; i++ )
        lives_put_nobody(lives, i);
    while ( process_now() < end_of_it )
    {
        run_until(process_now() + 50 * LIVES_TURN);
        lives_work(lives);
    }
}

void lives_kill_daemon(struct lives *lives)
{
    for ( size_t i = 0; i < lives->persons.count; i++ )
    {
        struct person *person = &lives->persons.items[i];

        person->excused |= person->went &&
                           process_now() - person->went < ANSWER_TIME;
    }
    kit_kill(&lives->kit);
    lives->forgiven += lives_spooled(lives);
    CHECK(recording_adopt(&lives->kit.recording, lives->kit.dir));
}
