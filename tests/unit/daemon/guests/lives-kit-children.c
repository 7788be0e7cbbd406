/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that the keeper made: real ones, as /proc shows them. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lives-kit.h"

#define CHILDREN_MOST 256u

static FILE *open_of(int pid, const char *file)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
    return fopen(path, "re");
}

static size_t list(const struct lives *lives, int ret[CHILDREN_MOST])
{
    int keeper = lives->keeper.pid;
    size_t count = 0;
    char file[32];
    FILE *children;

    snprintf(file, sizeof(file), "task/%d/children", keeper);
    children = open_of(keeper, file);
    if ( !children )
        return 0;
    while ( count < CHILDREN_MOST && fscanf(children, "%d", &ret[count]) == 1 )
        count++;
    fclose(children);
    return count;
}

/* Returns true if that is the name of this process. */
static bool is_named(int pid, const char *name)
{
    char text[32] = "";
    FILE *file = open_of(pid, "comm");

    if ( !file )
        return false;
    if ( !fgets(text, sizeof(text), file) )
        text[0] = '\0';
    fclose(file);
    return !strncmp(text, name, strlen(name));
}

bool lives_kill_walker(struct lives *lives)
{
    int children[CHILDREN_MOST], found = 0, seen = 0;
    size_t count = list(lives, children);

    for ( size_t i = 0; i < count; i++ )
        if ( is_named(children[i], "xenoprof-walk") &&
             lives_random(lives, (uint64_t)++seen) == 0 )
            found = children[i];
    return found && kill(found, SIGKILL) == 0;
}

/* Bytes, each shared page counted once for all that have it. */
static uint64_t pss_of(int pid)
{
    FILE *file = open_of(pid, "smaps_rollup");
    uint64_t bytes = 0;
    unsigned long kib;
    char line[128];

    while ( file && fgets(line, sizeof(line), file) )
        if ( sscanf(line, "Pss: %lu", &kib) == 1 )
            bytes += kib * 1024;
    if ( file )
        fclose(file);
    return bytes;
}

uint64_t lives_children_bytes(const struct lives *lives)
{
    int children[CHILDREN_MOST];
    uint64_t sum = pss_of(lives->keeper.pid);
    size_t count = list(lives, children);

    for ( size_t i = 0; i < count; i++ )
        sum += pss_of(children[i]);
    return sum;
}
