/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "guest-kit.h"

static size_t read_frames(void *self, uint16_t domain, const uint64_t *frames,
                          size_t count, void *to)
{
    struct guest_kit *kit = self;
    size_t i;

    (void)domain;
    if ( kit->before_read )
        kit->before_read(kit);
    for ( i = 0; i < count; i++ )
    {
        if ( frames[i] >= KIT_FRAMES || kit->missing[frames[i]] )
            break;
        memcpy((uint8_t *)to + i * GUEST_PAGE, kit->frames[frames[i]],
               GUEST_PAGE);
        kit->reads++;
    }
    return i;
}

/* All domains look the same. */
static int list_domains(void *self, struct domain_list *ret)
{
    const struct guest_kit *kit = self;

    ret->items = calloc(4, sizeof(*ret->items));
    if ( !ret->items )
        return -ENOMEM;
    ret->count = 4;
    for ( uint16_t i = 0; i < 4; i++ )
    {
        ret->items[i].id = i;
        ret->items[i].hardware = kit->hardware;
        ret->items[i].vcpus = 1;
        ret->items[i].dying = i == kit->dying;
        memset(ret->items[i].uuid, i == 3 && kit->reborn ? 2 : i, 16);
    }
    return 0;
}

static int take_command(void *self, const char *line)
{
    struct guest_kit *kit = self;

    snprintf(kit->command, sizeof(kit->command), "%s", line);
    if ( !strncmp(line, "fetch ", 6) )
        strcpy(kit->fetch, kit->command);
    return kit->refusal;
}

/* Xen's time is this machine's, if anybody knows it. */
static int read_state(void *self, void *bytes, size_t size)
{
    const struct guest_kit *kit = self;
    const struct xenoprof_door_state state = {
        .magic = XENOPROF_DOOR_MAGIC,
        .leaf = XENOPROF_DOOR_LEAF_STATE,
        .version = XENOPROF_ABI_VERSION,
        .size = sizeof(state),
        .time = clock_read(CLOCK_MONOTONIC),
    };

    if ( !kit->has_time || size < sizeof(state) )
        return -ENOENT;
    memcpy(bytes, &state, sizeof(state));
    return sizeof(state);
}

static const struct door_client_leaves leaves = {.write = take_command,
                                                 .read = read_state};

static const struct xen_calls calls = {
    .list_domains = list_domains,
    .read_frames = read_frames,
};

void guest_kit_begin(struct guest_kit *kit)
{
    memset(kit, 0, sizeof(*kit));
    kit->xen = (struct xen){
        .calls = &calls, .self = kit, .door = {&leaves, kit}};
}

void guest_kit_set(struct guest_kit *kit, unsigned int frame,
                   unsigned int index, uint64_t entry)
{
    memcpy(kit->frames[frame] + index * 8, &entry, 8);
}

uint64_t guest_kit_map(struct guest_kit *kit, uint64_t address,
                       unsigned int frame)
{
    for ( unsigned int level = 0; level < 4; level++ )
    {
        unsigned int index = address >> (39 - 9 * level) & 511;
        uint64_t next = level < 3 ? level + 2 : frame;

        guest_kit_set(kit, level + 1, index, next * GUEST_PAGE | 1);
    }
    return GUEST_PAGE;
}
