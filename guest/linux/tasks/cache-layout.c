/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From struct task_struct on, member by member: also to struct page, of which
 * each task keeps one to send from. */
#include "cache-layout.h"

#include <string.h>

#include "type-members.h"

/* Of a struct page. */
#define PAGE_BYTES_MAX 256u

/* Structures on the way. */
enum cached_type {
    TYPE_TASK,
    TYPE_MM,
    TYPE_FILE,
    TYPE_MAPPING,
    TYPE_INODE,
    TYPE_ARRAY,
    TYPE_FRAGMENT,
    TYPE_PAGE,
    TYPES
};

/* What a member of another one is, or points to; those before come first. */
static const struct {
    enum cached_type from;
    const char *member;
} leads[TYPES] = {
    [TYPE_MM] = {TYPE_TASK, "mm"},
    [TYPE_FILE] = {TYPE_MM, "exe_file"},
    [TYPE_MAPPING] = {TYPE_FILE, "f_mapping"},
    [TYPE_INODE] = {TYPE_MAPPING, "host"},
    [TYPE_ARRAY] = {TYPE_MAPPING, "i_pages"},
    [TYPE_FRAGMENT] = {TYPE_TASK, "task_frag"},
    [TYPE_PAGE] = {TYPE_FRAGMENT, "page"},
};

/* size 0: any.  The names: what it is called, or was before. */
static const struct {
    enum cached_type in;
    uint32_t size;
    const char *names[3];
} members[CACHE_MEMBERS] = {
    [CACHE_FILE_MAPPING] = {TYPE_FILE, 8, {"f_mapping"}},
    [CACHE_HOST] = {TYPE_MAPPING, 8, {"host"}},
    [CACHE_PAGES] = {TYPE_MAPPING, 0, {"i_pages"}},
    [CACHE_HEAD] = {TYPE_ARRAY, 8, {"xa_head"}},
    [CACHE_INODE_NUMBER] = {TYPE_INODE, 8, {"i_ino"}},
    [CACHE_INODE_GENERATION] = {TYPE_INODE, 4, {"i_generation"}},
    [CACHE_INODE_SIZE] = {TYPE_INODE, 8, {"i_size"}},
    /* Until 6.6; 6.7 to 6.10; since. */
    [CACHE_INODE_CHANGED] = {TYPE_INODE,
                             0,
                             {"i_mtime", "__i_mtime", "i_mtime_sec"}},
    [CACHE_PAGE_MAPPING] = {TYPE_PAGE, 8, {"mapping"}},
    /* Since 6.16. */
    [CACHE_PAGE_INDEX] = {TYPE_PAGE, 8, {"index", "__folio_index"}},
};

static bool find_member(struct btf *btf, const struct btf_type types[TYPES],
                        enum cache_member which, uint32_t *at)
{
    const struct btf_type *in = &types[members[which].in];

    for ( unsigned int i = 0; i < 3; i++ )
        if ( member_find(btf, in, members[which].names[i], members[which].size,
                         at) )
            return true;
    return false;
}

void cache_layout_read(struct btf *btf, const struct btf_wanted *task,
                       struct cache_layout *ret)
{
    struct btf_type types[TYPES];
    bool known = true;

    memset(ret, 0, sizeof(*ret));
    member_struct(task, &types[TYPE_TASK]);
    for ( unsigned int i = TYPE_MM; i < TYPES; i++ )
        member_follow(btf, &types[leads[i].from], leads[i].member, &types[i]);
    for ( unsigned int i = 0; known && i < CACHE_MEMBERS; i++ )
        known = find_member(btf, types, i, &ret->at[i]);
    if ( known )
        ret->page_bytes = types[TYPE_PAGE].size;
    if ( !known || !cache_layout_is_sound(ret) )
        memset(ret, 0, sizeof(*ret));
}

bool cache_layout_is_sound(const struct cache_layout *layout)
{
    for ( unsigned int i = 0; i < CACHE_MEMBERS; i++ )
        if ( layout->at[i] > MEMBER_OFFSET_MAX )
            return false;
    return layout->page_bytes % 8 == 0 && layout->page_bytes <= PAGE_BYTES_MAX;
}
