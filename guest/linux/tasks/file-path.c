/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Up the dentries of a file, and from mount to mount. */
#include "file-path.h"

/* Linux's NAME_MAX. */
#define NAME_BYTES 255u

/* What is read at a time, on the way up: each read is a message. */
struct path_words {
    uint64_t root; /* dentry, of the mount */
    uint64_t parent;
    struct {
        uint32_t hash, length;
        uint64_t letters;
    } name;
};

static bool read_path_words(const struct origin_reading *reading,
                            const struct file_place *at, struct path_words *ret)
{
    uint64_t inside = origin_member(reading, at->mount, MEMBER_MOUNT_INSIDE);
    const struct guest_piece pieces[] = {
        {origin_member(reading, inside, MEMBER_VFSMOUNT_ROOT),
         sizeof(ret->root)},
        {origin_member(reading, at->dentry, MEMBER_DENTRY_PARENT),
         sizeof(ret->parent)},
        {origin_member(reading, at->dentry, MEMBER_DENTRY_NAME),
         sizeof(ret->name)},
    };

    return guest_memory_read_pieces(reading->memory, pieces,
                                    sizeof(pieces) / sizeof(pieces[0]),
                                    ret) == sizeof(*ret) &&
           origin_is_address(ret->root) && origin_is_address(ret->parent);
}

static bool add_dentry_name(const struct origin_reading *reading,
                            const struct path_words *words,
                            struct origin_path *path)
{
    char letters[NAME_BYTES];

    if ( !words->name.length || words->name.length > NAME_BYTES ||
         !xenoprof_fetch_is_kernel(words->name.letters) ||
         !guest_memory_get(reading->memory, words->name.letters, letters,
                           words->name.length) )
        return false;
    origin_path_add(path, letters, words->name.length);
    return true;
}

bool file_place_read(const struct origin_reading *reading, uint64_t file,
                     struct file_place *ret)
{
    uint64_t path = origin_member(reading, file, MEMBER_FILE_PATH);

    if ( !origin_address(reading, path, MEMBER_PATH_MOUNT, &ret->mount) ||
         !origin_address(reading, path, MEMBER_PATH_DENTRY, &ret->dentry) )
        return false;
    ret->mount -= reading->layout->at[MEMBER_MOUNT_INSIDE];
    return true;
}

enum path_step { STEP_FAILED, STEP_UP, STEP_ROOT };

/* From the root of a mount to where it is mounted. */
static enum path_step leave_mount(const struct origin_reading *reading,
                                  struct file_place *at)
{
    uint64_t parent;

    if ( !origin_address(reading, at->mount, MEMBER_MOUNT_PARENT, &parent) )
        return STEP_FAILED;
    if ( parent == at->mount )
        return STEP_ROOT;
    if ( !origin_address(reading, at->mount, MEMBER_MOUNT_POINT, &at->dentry) )
        return STEP_FAILED;
    at->mount = parent;
    return STEP_UP;
}

static enum path_step step_up(const struct origin_reading *reading,
                              struct file_place *at, struct origin_path *path,
                              uint64_t *slash)
{
    struct path_words words;

    if ( !read_path_words(reading, at, &words) )
        return STEP_FAILED;
    if ( at->dentry == words.root )
        return leave_mount(reading, at);
    /* Of a file that lies in no directory that is mounted. */
    if ( words.parent == at->dentry )
        return STEP_ROOT;
    if ( !add_dentry_name(reading, &words, path) )
        return STEP_FAILED;
    *slash = at->dentry = words.parent;
    return STEP_UP;
}

bool file_path_read(const struct origin_reading *reading,
                    const struct file_place *place,
                    char ret[ORIGIN_PATH_MAX + 1], uint64_t *slash)
{
    struct file_place at = *place;
    struct origin_path path;
    enum path_step step = STEP_UP;

    *slash = 0;
    origin_path_init(&path);
    for ( unsigned int i = 0; step == STEP_UP && i < ORIGIN_STEPS_MAX; i++ )
        step = step_up(reading, &at, &path, slash);
    if ( step == STEP_ROOT )
        origin_path_end(&path, ret);
    return step == STEP_ROOT;
}
