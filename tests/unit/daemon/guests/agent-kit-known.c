/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an agent was told of processes, of which it knows nothing else. */
#include "agent-kit.h"

#include <string.h>

#include "tests/harness.h"

#define KNOWN_MAX 256u

struct known_process {
    uint32_t tgid;
    uint64_t since, start, end;
    char path[64];
};

static struct known_process list[KNOWN_MAX];
static uint32_t count;

/* Of the first piece only. */
void agent_kit_tell(const uint64_t *message)
{
    const char *at = (const char *)message;
    struct agent_head head;
    struct agent_known known;
    struct agent_known_mapping first = {.start = 0};
    struct known_process *process = &list[count % KNOWN_MAX];

    memcpy(&head, at, sizeof(head));
    memcpy(&known, at + sizeof(head), sizeof(known));
    at += sizeof(head) + sizeof(known);
    if ( head.count )
        memcpy(&first, at, sizeof(first));
    *process = (struct known_process){.tgid = known.tgid,
                                      .since = known.since,
                                      .start = first.start,
                                      .end = first.end};
    strncpy(process->path, at + head.count * sizeof(first) + first.path,
            sizeof(process->path) - 1);
    count++;
}

const char *agent_kit_path(const struct agent_question *question)
{
    const char *path = NULL;

    for ( uint32_t i = 0; i < count && i < KNOWN_MAX; i++ )
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
