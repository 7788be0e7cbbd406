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
#include "jit-dump.h"
#include "proc-spaces.h"
#include "process-root.h"
#include "trampolines.h"

#define SECOND    1000000000ull
#define LOOK_LESS (SECOND / 10) /* between two looks at a file */
#define PIECE     65536u
#define MAPS_MAX  256u

/* What may be spent on what one user's processes say, a part of the time; a
 * user who has spent more waits.  So many are remembered. */
#define USER_PART 50u
#define USERS_MAX 64u

/* Processes that one may be the fork of a fork of, with itself. */
#define ORIGINS_MAX 4u

/* The longest head of a record that is read, with a name. */
#define RECORD_PIECE (JIT_LINE_MAX + 256u)
/* Records that are looked at in one go, and of one dump. */
#define RECORDS_LOOKED_AT 2048u
#define RECORDS_MAX       (4 * JIT_FUNCTIONS_MAX)

/* Bytes by which a file is known: a dump says in them when it was begun. */
#define BEGINNING 64u

/* A file as far as it was read. */
struct jit_file {
    dev_t device;
    ino_t inode;
    off_t read; /* whole lines or records, so far */
    char beginning[BEGINNING];
    size_t known; /* bytes of that, which were there */
    char path[JIT_PATH_MAX];
};

/* What is known of a process. */
struct kept_map {
    int32_t tgid;
    uint64_t looked; /* when */
    struct jit_file map_file, dump_file;
    struct jit_map map;
    struct jit_dump dump;
    uint32_t records; /* of the dump, that were read */
    int32_t origin;   /* the process that it is a fork of; 0: none */
    TAILQ_ENTRY(kept_map) next;
};

/* What was spent on a user, ns of processor time, less what came to him
 * since. */
struct user_time {
    uid_t user;
    uint64_t spent, since; /* since: the question's clock; 0: nobody's */
};

struct jit_names {
    struct user_time users[USERS_MAX];
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

static size_t kept_map_bytes(const struct kept_map *kept)
{
    return jit_map_bytes(&kept->map) + jit_dump_bytes(&kept->dump);
}

static uint64_t refused_of(const struct kept_map *kept)
{
    return kept->map.refused + kept->dump.map.refused;
}

static void forget_map(struct jit_names *names, struct kept_map *kept)
{
    TAILQ_REMOVE(&names->maps, kept, next);
    names->bytes -= sizeof(*kept) + kept_map_bytes(kept);
    names->count--;
    jit_map_free(&kept->map);
    jit_dump_free(&kept->dump);
    free(kept);
}

void jit_names_close(struct jit_names *names)
{
    while ( names && !TAILQ_EMPTY(&names->maps) )
        forget_map(names, TAILQ_FIRST(&names->maps));
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

/* A number of a process's status: the last of its line. */
static bool status_number(int32_t tgid, const char *key, long *ret)
{
    char path[32], line[256];
    FILE *status SCOPE_FCLOSE = NULL;
    const char *last;

    snprintf(path, sizeof(path), "/proc/%d/status", tgid);
    status = fopen(path, "re");
    while ( status && fgets(line, sizeof(line), status) )
        if ( !strncmp(line, key, strlen(key)) && (last = strrchr(line, '\t')) )
            return (*ret = strtol(last, NULL, 10)) > 0;
    return false;
}

/* Returns which process this one is a fork of, as far as can be seen: its
 * parent, if it runs the same program; 0 if it is none. */
static int32_t find_forking_parent(int32_t tgid)
{
    char path[32];
    struct stat own, other;
    long parent;

    if ( !status_number(tgid, "PPid:", &parent) )
        return 0;
    snprintf(path, sizeof(path), "/proc/%d/exe", tgid);
    if ( stat(path, &own) )
        return 0;
    snprintf(path, sizeof(path), "/proc/%ld/exe", parent);
    return !stat(path, &other) && own.st_dev == other.st_dev &&
                   own.st_ino == other.st_ino
               ? (int32_t)parent
               : 0;
}

static bool is_its_own(int32_t tgid, const struct stat *file)
{
    char path[32];
    struct stat process;
    uint64_t began;

    snprintf(path, sizeof(path), "/proc/%d", tgid);
    if ( stat(path, &process) || file->st_uid != process.st_uid ||
         !proc_space_began((uint32_t)tgid, &began) )
        return false;
    /* When it began by the clock that files have, or up to a second before:
     * another process may have had the number, and left its map. */
    began = clock_read(CLOCK_REALTIME) -
            (clock_read(CLOCK_MONOTONIC_RAW) - began) - SECOND;
    return (int64_t)file->st_mtim.tv_sec * (int64_t)SECOND +
               file->st_mtim.tv_nsec >=
           (int64_t)began;
}

/* Returns a descriptor, or -1. */
static int open_jit_file(int32_t tgid, int root, const char *path, off_t most,
                         struct stat *ret)
{
    int fd = process_root_open_file(root, path);

    if ( fd >= 0 && !fstat(fd, ret) && ret->st_size <= most &&
         is_its_own(tgid, ret) )
        return fd;
    if ( fd >= 0 )
        close(fd);
    return -1;
}

/* Whether it begins as it did, in what was there then.  A new file may have the
 * number of the one in whose place it is, and what is written over one has. */
static bool begins_alike(struct jit_file *file, int fd)
{
    char bytes[BEGINNING];
    ssize_t got = fd >= 0 ? pread(fd, bytes, sizeof(bytes), 0) : 0;
    size_t size = got > 0 ? (size_t)got : 0;
    bool alike = size >= file->known &&
                 !memcmp(bytes, file->beginning, file->known);

    memcpy(file->beginning, bytes, size);
    file->known = size;
    return alike;
}

/* Returns false if nothing that was read holds: it is another file, or one that
 * became shorter. */
static bool can_read_on(struct jit_file *file, int fd, const struct stat *now)
{
    /* No file has such numbers. */
    dev_t device = fd >= 0 ? now->st_dev : 0;
    ino_t inode = fd >= 0 ? now->st_ino : 0;
    bool same = begins_alike(file, fd) && file->device == device &&
                file->inode == inode && (fd < 0 || file->read <= now->st_size);

    if ( same )
        return true;
    file->device = device;
    file->inode = inode;
    file->read = 0;
    return false;
}

static void read_lines(struct kept_map *kept, int fd)
{
    struct jit_file *file = &kept->map_file;
    char piece[PIECE];
    ssize_t size;
    size_t whole;

    while ( file->read < (off_t)JIT_MAP_MAX &&
            (size = pread(fd, piece, sizeof(piece), file->read)) > 0 )
    {
        whole = jit_map_add(&kept->map, piece, (size_t)size);
        /* A line as long as a piece has no end here: it is passed over. */
        if ( !whole && (size_t)size < sizeof(piece) )
            return;
        file->read += (off_t)(whole ? whole : (size_t)size);
    }
}

static void read_records(struct kept_map *kept, int fd, off_t end)
{
    struct jit_file *file = &kept->dump_file;
    uint32_t looked_at = 0;
    char piece[RECORD_PIECE];
    ssize_t size;
    size_t whole;

    while ( kept->records < RECORDS_MAX && looked_at++ < RECORDS_LOOKED_AT &&
            file->read < end )
    {
        size = pread(fd, piece, sizeof(piece), file->read);
        whole = size > 0 ? jit_dump_add(&kept->dump, piece, (size_t)size,
                                        (size_t)(end - file->read))
                         : 0;
        if ( whole == JIT_DUMP_BROKEN )
            kept->records = RECORDS_MAX;
        if ( !whole || whole == JIT_DUMP_BROKEN )
            return;
        file->read += (off_t)whole;
        kept->records++;
    }
}

static void look_at_map(struct kept_map *kept, int root)
{
    struct stat now = {0};
    int fd SCOPE_CLOSE = -1;
    long number;

    if ( root >= 0 && status_number(kept->tgid, "NSpid:", &number) )
    {
        snprintf(kept->map_file.path, JIT_PATH_MAX, "/tmp/perf-%ld.map",
                 number);
        fd = open_jit_file(kept->tgid, root, kept->map_file.path, JIT_MAP_MAX,
                           &now);
    }
    if ( !can_read_on(&kept->map_file, fd, &now) )
        jit_map_free(&kept->map);
    if ( fd >= 0 )
        read_lines(kept, fd);
}

static void look_at_dump(struct kept_map *kept, int root, const char *path)
{
    struct stat now = {0};
    int fd SCOPE_CLOSE = -1;

    if ( root >= 0 && path && strlen(path) < JIT_PATH_MAX )
    {
        strcpy(kept->dump_file.path, path);
        fd = open_jit_file(kept->tgid, root, path, JIT_DUMP_MAX, &now);
    }
    if ( !can_read_on(&kept->dump_file, fd, &now) )
    {
        jit_dump_free(&kept->dump);
        kept->records = 0;
    }
    if ( fd >= 0 )
        read_records(kept, fd, now.st_size);
}

/* Returns the account of a process's user, up to now; of those that find no
 * room the oldest goes. */
static struct user_time *time_of(struct jit_names *names, int32_t tgid,
                                 uint64_t now)
{
    struct user_time *found = &names->users[0];
    struct stat process = {.st_uid = 0};
    uint64_t came;
    char path[32];

    snprintf(path, sizeof(path), "/proc/%d", tgid);
    stat(path, &process);
    for ( unsigned int i = 0; i < USERS_MAX; i++ )
    {
        struct user_time *time = &names->users[i];

        if ( time->since && time->user == process.st_uid )
        {
            found = time;
            break;
        }
        if ( time->since < found->since )
            found = time;
    }
    if ( !found->since || found->user != process.st_uid )
        *found = (struct user_time){.user = process.st_uid};
    came = found->since ? (now - found->since) / USER_PART : 0;
    found->spent -= came < found->spent ? came : found->spent;
    found->since = now;
    return found;
}

static void look_at_all(struct jit_names *names, struct kept_map *kept,
                        const char *dump)
{
    uint64_t refused = refused_of(kept);
    int root SCOPE_CLOSE = -1;

    names->bytes -= kept_map_bytes(kept);
    root = process_root_open(kept->tgid);
    look_at_map(kept, root);
    look_at_dump(kept, root, dump);
    kept->origin = find_forking_parent(kept->tgid);
    names->bytes += kept_map_bytes(kept);
    names->refused += refused_of(kept) > refused ? refused_of(kept) - refused
                                                 : 0;
    /* Which sorts them. */
    jit_map_find(&kept->map, 0);
    jit_map_find(&kept->dump.map, 0);
}

static void look_for_jit_code(struct jit_names *names, struct kept_map *kept,
                              const char *dump, uint64_t now)
{
    struct user_time *time;
    uint64_t began;

    if ( kept->looked && now - kept->looked < LOOK_LESS )
        return;
    kept->looked = now;
    time = time_of(names, kept->tgid, now);
    if ( time->spent > SECOND / USER_PART )
        return;
    began = clock_read(CLOCK_PROCESS_CPUTIME_ID);
    look_at_all(names, kept, dump);
    time->spent += clock_read(CLOCK_PROCESS_CPUTIME_ID) - began;
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

/* jit-NUMBER.dump in any folder. */
bool jit_names_is_dump(const char *path)
{
    const char *name = strrchr(path, '/');

    if ( !name || strncmp(name, "/jit-", 5) )
        return false;
    name += 5 + strspn(name + 5, "0123456789");
    return !strcmp(name, ".dump");
}

static bool find_in(struct jit_map *map, const char *path, uint64_t address,
                    struct jit_found *ret)
{
    const struct jit_function *function = jit_map_find(map, address);

    if ( !function )
        return false;
    ret->start = function->start;
    ret->name = jit_map_name(map, function);
    snprintf(ret->path, sizeof(ret->path), "%s", path);
    return true;
}

/* Returns what is known of a process by now, or NULL. */
static struct kept_map *know(struct jit_names *names, int32_t tgid,
                             const char *dump, uint64_t now)
{
    struct kept_map *kept = find_kept(names, tgid), *last;

    if ( !kept )
        return NULL;
    TAILQ_INSERT_HEAD(&names->maps, kept, next);
    look_for_jit_code(names, kept, dump, now);
    /* Makes room; the one that is asked for now stays. */
    while ( (names->bytes > names->room || names->count > MAPS_MAX) &&
            (last = TAILQ_LAST(&names->maps, maps_in_use)) != kept )
        forget_map(names, last);
    return kept;
}

bool jit_names_find(struct jit_names *names, int32_t tgid, const char *dump,
                    uint64_t address, uint64_t now, struct jit_found *ret)
{
    struct kept_map *kept;

    for ( unsigned int i = 0; tgid && i < ORIGINS_MAX; i++ )
    {
        kept = know(names, tgid, i ? NULL : dump, now);
        if ( !kept )
            return false;
        if ( find_in(&kept->map, kept->map_file.path, address, ret) ||
             find_in(&kept->dump.map, kept->dump_file.path, address, ret) )
            return true;
        tgid = kept->origin;
    }
    return false;
}

uint64_t jit_names_image(struct jit_names *names, int32_t tgid,
                         const char *dump, uint64_t start, uint64_t end,
                         uint64_t now)
{
    struct kept_map *kept;
    uint64_t image = 0;

    for ( unsigned int i = 0; tgid && !image && i < ORIGINS_MAX; i++ )
    {
        kept = know(names, tgid, i ? NULL : dump, now);
        if ( !kept )
            return 0;
        image = trampolines_image(&kept->map, start, end);
        if ( !image )
            image = trampolines_image(&kept->dump.map, start, end);
        tgid = kept->origin;
    }
    return image;
}
