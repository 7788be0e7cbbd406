/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an agent was told of processes, of which it knows nothing else. */
#include "agent-kit.h"

#include <string.h>

#include "tests/harness.h"

#define TOLD_MAX 256u

struct told {
    uint32_t tgid;
    uint64_t since, start, end;
    char path[64];
};

static struct told list[TOLD_MAX];
static uint32_t count;

/* Of the first piece only. */
void agent_kit_tell(const uint64_t *message)
{
    const char *at = (const char *)message;
    struct agent_head head;
    struct agent_known known;
    struct agent_known_mapping first = {.start = 0};
    struct told *told = &list[count % TOLD_MAX];

    memcpy(&head, at, sizeof(head));
    memcpy(&known, at + sizeof(head), sizeof(known));
    at += sizeof(head) + sizeof(known);
    if ( head.count )
        memcpy(&first, at, sizeof(first));
    *told = (struct told){.tgid = known.tgid,
                          .since = known.since,
                          .start = first.start,
                          .end = first.end};
    strncpy(told->path, at + head.count * sizeof(first) + first.path,
            sizeof(told->path) - 1);
    count++;
}

const char *agent_kit_told(const struct agent_question *question)
{
    const char *path = NULL;

    for ( uint32_t i = 0; i < count && i < TOLD_MAX; i++ )
        if ( list[i].tgid == question->tgid &&
             list[i].since <= question->time &&
             list[i].start <= question->address &&
             question->address < list[i].end )
            path = list[i].path;
    return path;
}

uint32_t agent_kit_tellings(void)
{
    return count;
}
