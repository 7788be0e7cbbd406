/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc/PID/maps.  A path there has what would end a line as \012. */
#include "proc-spaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/scope.h"

#define SECOND     1000000000ull
#define UPPER_HALF (1ull << 63)

static FILE *open_of(int32_t tgid, const char *name)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/%s", tgid, name);
    return fopen(path, "re");
}

struct process_status {
    bool first_ended; /* its first thread has */
    uint32_t threads; /* 0: it cannot be read */
};

static struct process_status read_status(int32_t tgid)
{
    FILE *file SCOPE_FCLOSE = open_of(tgid, "status");
    struct process_status status = {.threads = 0};
    char line[256], state = 0;

    while ( file && fgets(line, sizeof(line), file) )
        if ( sscanf(line, "State: %c", &state) != 1 &&
             sscanf(line, "Threads: %u", &status.threads) == 1 )
            break;
    status.first_ended = state == 'Z' || state == 'X';
    return status;
}

/* Of one that its parent has not asked about yet there is one thread left. */
bool proc_space_ended(int32_t tgid)
{
    struct process_status status = read_status(tgid);

    return !status.threads || (status.first_ended && status.threads == 1);
}

static void unescape(char *path)
{
    char *to = path;

    for ( ; *path; path++ )
        if ( !strncmp(path, "\\012", 4) )
        {
            *to++ = '\n';
            path += 3;
        }
        else
            *to++ = *path;
    *to = 0;
}

void proc_space_line(struct space_history *history, int32_t tgid, char *line,
                     uint64_t now)
{
    struct past_mapping mapping = {.since = now};
    char rights[8];
    int path = 0;

    line[strcspn(line, "\n")] = 0;
    if ( sscanf(line, "%lx-%lx %7s %lx %*s %lu %n", &mapping.start,
                &mapping.end, rights, &mapping.offset, &mapping.inode,
                &path) != 5 ||
         !path || rights[2] != 'x' )
        return;
    /* [vsyscall] is listed with each process's mappings, but is the
     * kernel's. */
    if ( mapping.start >= UPPER_HALF )
        return;
    unescape(line + path);
    space_history_map(history, tgid, &mapping, line + path);
}

bool proc_space_add(struct space_history *history, int32_t tgid, uint64_t now)
{
    FILE *maps SCOPE_FCLOSE = open_of(tgid, "maps");
    struct process_status status = read_status(tgid);
    char *line SCOPE_FREE = NULL;
    size_t room = 0;

    if ( !maps || !status.threads || status.first_ended )
        return false;
    space_history_process(history, tgid, status.threads, now);
    while ( getline(&line, &room, maps) > 0 )
        proc_space_line(history, tgid, line, now);
    space_history_settle(history, tgid);
    return true;
}

/* Returns where field 22 of /proc/PID/stat, its start, is; NULL if it is not
 * there.  The name before it may have any letter. */
static const char *find_start(const char *stat)
{
    const char *at = strrchr(stat, ')');

    for ( int field = 2; at && field < 22; field++ )
        if ( (at = strchr(at, ' ')) )
            at++;
    return at;
}

bool proc_space_began(uint32_t tgid, uint64_t *ret)
{
    FILE *file SCOPE_FCLOSE = open_of((int32_t)tgid, "stat");
    char text[1024];
    size_t size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    uint64_t tick = SECOND / (uint64_t)sysconf(_SC_CLK_TCK), age;
    const char *start;

    text[size] = 0;
    start = find_start(text);
    if ( !start )
        return false;
    age = clock_read(CLOCK_BOOTTIME) - strtoull(start, NULL, 10) * tick;
    *ret = clock_read(CLOCK_MONOTONIC_RAW) - age;
    return true;
}

int32_t proc_spaces_next(DIR *proc)
{
    struct dirent *entry;

    while ( (entry = readdir(proc)) )
    {
        char *end;
        long tgid = strtol(entry->d_name, &end, 10);

        if ( tgid > 0 && !*end && tgid <= INT32_MAX )
            return (int32_t)tgid;
    }
    return 0;
}

size_t proc_spaces_add(struct space_history *history, uint64_t (*now)(void))
{
    DIR *proc = opendir("/proc");
    size_t added = 0;
    int32_t tgid;

    while ( proc && (tgid = proc_spaces_next(proc)) )
        added += proc_space_add(history, tgid, now());
    if ( proc )
        closedir(proc);
    return added;
}
