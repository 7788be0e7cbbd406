/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a thread's task to the memory that it shares with its process's others,
 * to the areas in it that are code, and to the path of each one's file.
 */
#include "mapping-read.h"

#include <string.h>

#include "code-areas.h"
#include "file-path.h"
#include "task-find.h"

struct mapping_reading {
    struct origin_reading words;
    const struct cache_facts *cache;
    uint64_t slash; /* dentry of "/" for the guest's process 1 */
    /* Of the file that was looked at last; most have one area. */
    struct file_place last;
    char path[ORIGIN_PATH_MAX + 1];
    bool elsewhere; /* no such path is below slash */
};

/* Finds where paths begin that mean a file of the guest's. */
static bool find_slash(struct mapping_reading *reading, uint64_t init_pid_ns)
{
    const struct origin_reading *words = &reading->words;
    uint64_t task, fs;

    return task_of_number(words, init_pid_ns, 1, &task) &&
           origin_address(words, task, MEMBER_TASK_FS, &fs) &&
           origin_address(words, origin_member(words, fs, MEMBER_FS_ROOT),
                          MEMBER_PATH_DENTRY, &reading->slash);
}

/* Linux takes the dentry of a file that is removed, or that another one is
 * renamed to, out of its hash table: it points to nothing before it. */
static bool is_removed(const struct mapping_reading *reading, uint64_t dentry)
{
    uint64_t at = origin_member(&reading->words, dentry, MEMBER_DENTRY_HASH);
    uint64_t hash[2];

    return !guest_memory_get(reading->words.memory, at, hash, sizeof(hash)) ||
           !hash[1];
}

/* A path that was cut is none; nor is "/", of a file in no directory. */
static void read_path(struct mapping_reading *reading,
                      const struct file_place *place)
{
    char *path = reading->path;
    uint64_t slash;

    reading->last = *place;
    *path = '\0';
    if ( !file_path_read(&reading->words, place, path, &slash) ||
         *path != '/' || !path[1] )
        *path = '\0';
    reading->elsewhere = is_removed(reading, place->dentry) ||
                         slash != reading->slash;
}

/* Returns the path of a struct file, "" if it has none. */
static const char *path_of_file(struct mapping_reading *reading, uint64_t file)
{
    struct file_place place;

    if ( !origin_is_address(file) ||
         !file_place_read(&reading->words, file, &place) )
        return "";
    if ( place.mount != reading->last.mount ||
         place.dentry != reading->last.dentry )
        read_path(reading, &place);
    return reading->path;
}

/* Returns the number of a struct file in ret, 0 if it has none. */
static uint16_t file_of(struct mapping_reading *reading, uint64_t file,
                        struct mapped_space *ret)
{
    struct guest_file found;

    return reading->cache &&
                   cached_file_read(reading->cache, reading->words.memory, file,
                                    &found)
               ? mapped_space_file(ret, &found)
               : 0;
}

/* An area that does not lie behind the one before it moved meanwhile. */
static bool read_memory(struct mapping_reading *reading, uint64_t mm,
                        struct mapped_space *ret)
{
    static struct code_areas areas;

    if ( !code_areas_read(reading->words.layout, reading->words.memory, mm,
                          &areas) )
        return false;
    for ( uint32_t i = 0; i < areas.count; i++ )
    {
        const struct code_area *area = &areas.items[i];
        const char *path = path_of_file(reading, area->file);
        const struct mapped_code piece = {
            .start = area->start,
            .end = area->end,
            .offset = area->offset,
            .file = file_of(reading, area->file, ret),
            .elsewhere = *path && reading->elsewhere,
        };

        mapped_space_add(ret, &piece, path);
    }
    return true;
}

/* Returns whether it is the thread that is meant, and not one that became
 * another program: then that is what it has mapped. */
static bool is_meant(const struct origin_reading *words, uint64_t task,
                     const struct mapped_process *process)
{
    char name[TASK_NAME_BYTES];

    return task_is_thread(words, task, &process->thread) &&
           (!*process->comm ||
            (guest_memory_get(words->memory,
                              origin_member(words, task, MEMBER_TASK_COMM),
                              name, sizeof(name)) &&
             task_name_is(name, process->comm)));
}

static bool read_task(struct mapping_reading *reading, uint64_t init_pid_ns,
                      const struct mapped_process *process,
                      struct mapped_space *ret)
{
    const struct origin_reading *words = &reading->words;
    uint64_t task, mm, after;

    return task_of_number(words, init_pid_ns, process->thread.tid, &task) &&
           is_meant(words, task, process) &&
           origin_address(words, task, MEMBER_TASK_MM, &mm) &&
           read_memory(reading, mm, ret) && is_meant(words, task, process) &&
           origin_address(words, task, MEMBER_TASK_MM, &after) && after == mm;
}

bool mapping_read(const struct mapping_facts *facts,
                  struct guest_memory *memory,
                  const struct mapped_process *process,
                  struct mapped_space *ret)
{
    struct mapping_reading reading = {.words = {facts->layout, memory},
                                      .cache = facts->cache};

    mapped_space_init(ret);
    if ( find_slash(&reading, facts->init_pid_ns) &&
         read_task(&reading, facts->init_pid_ns, process, ret) )
        return true;
    mapped_space_init(ret);
    return false;
}
