/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jit-names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/scope.h"
#include "proc-spaces.h"
#include "process-root.h"

#define SECOND    1000000000ull
#define LOOK_LESS (SECOND / 10) /* between two looks at a file */
#define PIECE     65536u
#define MAPS_MAX  256u

/* A process's map as far as it was read. */
struct kept_map {
    int32_t tgid;
    dev_t device;
    ino_t inode;
    off_t read;      /* whole lines, so far */
    uint64_t looked; /* when */
    char path[JIT_PATH_MAX];
    struct jit_map map;
    TAILQ_ENTRY(kept_map) next;
};

struct jit_names {
    TAILQ_HEAD(maps_in_use, kept_map) maps; /* the last one used first */
    unsigned int count;
    size_t room, bytes;
    uint64_t refused;
};

struct jit_names *jit_names_open(size_t bytes)
{
    struct jit_names *names = calloc(1, sizeof(*names));

    if ( !names )
        return NULL;
    TAILQ_INIT(&names->maps);
    names->room = bytes;
    return names;
}

static void forget(struct jit_names *names, struct kept_map *kept)
{
    TAILQ_REMOVE(&names->maps, kept, next);
    names->bytes -= sizeof(*kept) + jit_map_bytes(&kept->map);
    names->count--;
    jit_map_free(&kept->map);
    free(kept);
}

void jit_names_close(struct jit_names *names)
{
    while ( names && !TAILQ_EMPTY(&names->maps) )
        forget(names, TAILQ_FIRST(&names->maps));
    free(names);
}

size_t jit_names_bytes(const struct jit_names *names)
{
    return names->bytes;
}

uint64_t jit_names_refused(const struct jit_names *names)
{
    return names->refused;
}

/* The number that a process has for itself: the last of its line. */
static bool own_number(int32_t tgid, long *ret)
{
    char path[32], line[256];
    FILE *status SCOPE_FCLOSE = NULL;
    const char *last;

    snprintf(path, sizeof(path), "/proc/%d/status", tgid);
    status = fopen(path, "re");
    while ( status && fgets(line, sizeof(line), status) )
        if ( !strncmp(line, "NSpid:", 6) && (last = strrchr(line, '\t')) )
            return (*ret = strtol(last, NULL, 10)) > 0;
    return false;
}

/* When it began by the clock that files have, or up to a second before: another
 * process may have had the number, and left its map. */
static bool began_at(int32_t tgid, int64_t *ret)
{
    uint64_t began;

    if ( !proc_space_began((uint32_t)tgid, &began) )
        return false;
    *ret = (int64_t)(clock_read(CLOCK_REALTIME) -
                     (clock_read(CLOCK_MONOTONIC_RAW) - began) - SECOND);
    return true;
}

static bool is_its_own(int32_t tgid, const struct stat *file)
{
    char path[32];
    struct stat process;
    int64_t began;

    snprintf(path, sizeof(path), "/proc/%d", tgid);
    return !stat(path, &process) && file->st_uid == process.st_uid &&
           file->st_size <= JIT_MAP_MAX && began_at(tgid, &began) &&
           (int64_t)file->st_mtim.tv_sec * (int64_t)SECOND +
                   file->st_mtim.tv_nsec >=
               began;
}

/* Returns a descriptor, or -1. */
static int open_map(int32_t tgid, char path[JIT_PATH_MAX], struct stat *ret)
{
    int root SCOPE_CLOSE = process_root_open(tgid);
    long number;
    int fd;

    if ( root < 0 || !own_number(tgid, &number) )
        return -1;
    snprintf(path, JIT_PATH_MAX, "/tmp/perf-%ld.map", number);
    fd = process_root_open_file(root, path);
    if ( fd >= 0 && !fstat(fd, ret) && is_its_own(tgid, ret) )
        return fd;
    if ( fd >= 0 )
        close(fd);
    return -1;
}

/* Reads on from where it ended last. */
static void read_on(struct kept_map *kept, int fd)
{
    char piece[PIECE];
    ssize_t size;
    size_t whole;

    while ( kept->read < (off_t)JIT_MAP_MAX &&
            (size = pread(fd, piece, sizeof(piece), kept->read)) > 0 )
    {
        whole = jit_map_add(&kept->map, piece, (size_t)size);
        /* A line as long as a piece has no end here: it is passed over. */
        if ( !whole && (size_t)size < sizeof(piece) )
            return;
        kept->read += (off_t)(whole ? whole : (size_t)size);
    }
}

/* Of another file, or one that became shorter, nothing that was read holds. */
static void begin_again(struct kept_map *kept, const struct stat *file)
{
    if ( kept->device == file->st_dev && kept->inode == file->st_ino &&
         kept->read <= file->st_size )
        return;
    jit_map_free(&kept->map);
    kept->device = file->st_dev;
    kept->inode = file->st_ino;
    kept->read = 0;
}

static void look(struct jit_names *names, struct kept_map *kept, uint64_t now)
{
    struct stat file = {0};
    int fd SCOPE_CLOSE = -1;
    uint64_t refused = kept->map.refused;

    if ( kept->looked && now - kept->looked < LOOK_LESS )
        return;
    kept->looked = now;
    names->bytes -= jit_map_bytes(&kept->map);
    fd = open_map(kept->tgid, kept->path, &file);
    if ( fd < 0 )
        file = (struct stat){0}; /* no file has such numbers */
    begin_again(kept, &file);
    if ( fd >= 0 )
        read_on(kept, fd);
    names->bytes += jit_map_bytes(&kept->map);
    names->refused += kept->map.refused > refused ? kept->map.refused - refused
                                                  : 0;
}

static struct kept_map *find_kept(struct jit_names *names, int32_t tgid)
{
    struct kept_map *kept;

    TAILQ_FOREACH(kept, &names->maps, next)
    if ( kept->tgid == tgid )
    {
        TAILQ_REMOVE(&names->maps, kept, next);
        return kept;
    }
    kept = calloc(1, sizeof(*kept));
    if ( kept )
    {
        kept->tgid = tgid;
        names->count++;
        names->bytes += sizeof(*kept);
    }
    return kept;
}

/* Makes room; the one that is asked for now stays. */
static void trim(struct jit_names *names)
{
    struct kept_map *last;

    while ( (names->bytes > names->room || names->count > MAPS_MAX) &&
            (last = TAILQ_LAST(&names->maps, maps_in_use)) !=
                TAILQ_FIRST(&names->maps) )
        forget(names, last);
}

bool jit_names_find(struct jit_names *names, int32_t tgid, uint64_t address,
                    uint64_t now, struct jit_found *ret)
{
    struct kept_map *kept = find_kept(names, tgid);
    const struct jit_function *function;

    if ( !kept )
        return false;
    TAILQ_INSERT_HEAD(&names->maps, kept, next);
    look(names, kept, now);
    trim(names);
    function = jit_map_find(&kept->map, address);
    if ( !function )
        return false;
    ret->start = function->start;
    ret->name = jit_map_name(&kept->map, function);
    memcpy(ret->path, kept->path, sizeof(ret->path));
    return true;
}
