/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "line-head.h"

#include <stdio.h>

/* DW_LNCT_*: what a value of a folder or a file is. */
enum { CONTENT_PATH = 1, CONTENT_FOLDER = 2 };

/* Values that an entry may have. */
#define CONTENTS_MAX 16u

struct line_contents {
    unsigned int count;
    struct {
        uint64_t what, form;
    } contents[CONTENTS_MAX];
};

static size_t bytes_of_head(const struct line_head *head)
{
    return head->folders.room * sizeof(head->folders.items[0]) +
           head->files.room * sizeof(head->files.items[0]);
}

static bool add_folder(struct line_head *head, const struct dwarf_value *name,
                       size_t most)
{
    struct dwarf_value *added = bytes_of_head(head) < most
                                    ? vector_add(&head->folders)
                                    : NULL;

    if ( added )
        *added = *name;
    return added;
}

static bool add_file(struct line_head *head, const struct line_file *file,
                     size_t most)
{
    struct line_file *added = bytes_of_head(head) < most
                                  ? vector_add(&head->files)
                                  : NULL;

    if ( added )
        *added = *file;
    return added;
}

/* Before version 5 they are texts, up to an empty one. */
static bool read_old_folders(struct dwarf_file *file, struct line_bytes *from,
                             size_t most, struct line_head *head)
{
    struct dwarf_value name = {.class = DWARF_TEXT_HERE};
    bool empty, room = true;

    while ( room && dwarf_step(file) )
    {
        name.number = take_text(from, &empty);
        if ( from->bad || empty )
            return !from->bad;
        room = add_folder(head, &name, most);
    }
    return false;
}

static bool read_old_files(struct dwarf_file *file, struct line_bytes *from,
                           size_t most, struct line_head *head)
{
    struct line_file one = {.folder = 0};
    bool empty, room = add_file(head, &one, most);

    one.name.class = DWARF_TEXT_HERE;
    while ( room && dwarf_step(file) )
    {
        one.name.number = take_text(from, &empty);
        if ( from->bad || empty )
            return !from->bad;
        one.folder = take_number(from);
        take_number(from); /* when it was written */
        take_number(from); /* its size */
        room = add_file(head, &one, most);
    }
    return false;
}

static bool read_contents(struct line_bytes *from, struct line_contents *ret)
{
    ret->count = (unsigned int)take_fixed(from, 1);
    if ( ret->count > CONTENTS_MAX )
        return false;
    for ( unsigned int i = 0; i < ret->count; i++ )
    {
        ret->contents[i].what = take_number(from);
        ret->contents[i].form = take_number(from);
    }
    return !from->bad;
}

static struct line_file read_entry(struct line_bytes *from,
                                   const struct line_contents *contents,
                                   const struct dwarf_sizes *sizes)
{
    struct line_file entry = {.folder = 0};

    for ( unsigned int i = 0; i < contents->count; i++ )
    {
        struct dwarf_value value = take_value(from, sizes,
                                              contents->contents[i].form);

        if ( contents->contents[i].what == CONTENT_PATH )
            entry.name = value;
        else if ( contents->contents[i].what == CONTENT_FOLDER )
            entry.folder = value.number;
    }
    return entry;
}

static bool read_new_files(struct dwarf_file *file, struct line_bytes *from,
                           size_t most, struct line_head *head)
{
    struct line_contents contents;
    struct line_file entry;
    uint64_t count;

    if ( !read_contents(from, &contents) )
        return false;
    count = take_number(from);
    for ( uint64_t i = 0; i < count; i++ )
    {
        entry = read_entry(from, &contents, &head->sizes);
        if ( from->bad || !dwarf_step(file) ||
             !add_folder(head, &entry.name, most) )
            return false;
    }
    if ( !read_contents(from, &contents) )
        return false;
    count = take_number(from);
    for ( uint64_t i = 0; i < count; i++ )
    {
        entry = read_entry(from, &contents, &head->sizes);
        if ( from->bad || !dwarf_step(file) || !add_file(head, &entry, most) )
            return false;
    }
    return !from->bad;
}

/* Reads how long it is: it ends there. */
static void read_extent(struct line_bytes *from, struct line_head *head)
{
    uint64_t length = take_fixed(from, 4);

    head->sizes = (struct dwarf_sizes){.address = 8, .offset = 4};
    if ( length == UINT32_MAX )
    {
        head->sizes.offset = 8;
        length = take_fixed(from, 8);
    }
    if ( from->bad || length > from->end - from->at )
        from->bad = true;
    else
        from->end = from->at + length;
}

/* Reads how the program is written.  What follows goes up to where it begins.
 */
static bool read_form(struct line_bytes *from, struct line_head *head)
{
    uint64_t length, together = 1;

    head->sizes.version = (uint8_t)take_fixed(from, 2);
    if ( head->sizes.version >= 5 )
        skip_line_bytes(from, 2); /* bytes of an address, and of a segment */
    length = take_fixed(from, head->sizes.offset);
    if ( from->bad || head->sizes.version < 2 || head->sizes.version > 5 ||
         length > from->end - from->at )
        return false;
    head->program = *from;
    head->program.at += length;
    from->end = head->program.at;
    head->step = (uint8_t)take_fixed(from, 1);
    if ( head->sizes.version >= 4 )
        together = take_fixed(from, 1);
    skip_line_bytes(from, 1); /* whether rows begin statements */
    head->base = (int8_t)take_fixed(from, 1);
    head->range = (uint8_t)take_fixed(from, 1);
    head->first = (uint8_t)take_fixed(from, 1);
    for ( unsigned int i = 1; i < head->first; i++ )
        head->operands[i] = (uint8_t)take_fixed(from, 1);
    /* No processor of ours has instructions that go together. */
    return !from->bad && together <= 1 && head->range && head->first;
}

bool line_head_read(struct dwarf_file *file, uint64_t offset,
                    const struct dwarf_value *folder, size_t most,
                    struct line_head *ret)
{
    struct line_bytes from = {.section = &file->sections[DWARF_LINE],
                              .at = offset,
                              .end = file->sections[DWARF_LINE].size};

    *ret = (struct line_head){.step = 0};
    if ( offset >= from.end )
        return false;
    read_extent(&from, ret);
    if ( !read_form(&from, ret) )
        return false;
    if ( ret->sizes.version >= 5 )
        return read_new_files(file, &from, most, ret);
    return add_folder(ret, folder, most) &&
           read_old_folders(file, &from, most, ret) &&
           read_old_files(file, &from, most, ret);
}

void line_head_free(struct line_head *head)
{
    vector_free(&head->folders);
    vector_free(&head->files);
}

static bool read_path(struct dwarf_file *file, const struct dwarf_unit *unit,
                      bool here, const struct dwarf_value *value,
                      char ret[LINE_PATH_MAX])
{
    if ( here && value->class == DWARF_TEXT_HERE )
        return dwarf_section_text(&file->sections[DWARF_LINE], value->number,
                                  ret, LINE_PATH_MAX);
    return dwarf_text(file, unit, value, ret, LINE_PATH_MAX);
}

/* Puts a folder before what is relative to it.  Returns false if that gets too
 * long. */
static bool put_before(const char *folder, char path[LINE_PATH_MAX])
{
    char whole[2 * LINE_PATH_MAX];
    int size;

    if ( *path == '/' )
        return true;
    size = snprintf(whole, sizeof(whole), "%s/%s", folder, path);
    if ( size < 0 || (size_t)size >= LINE_PATH_MAX )
        return false;
    memcpy(path, whole, (size_t)size + 1);
    return true;
}

bool line_head_path(struct dwarf_file *file, const struct dwarf_unit *unit,
                    const struct line_head *head, uint64_t number,
                    char ret[LINE_PATH_MAX])
{
    const bool five = head->sizes.version >= 5;
    const struct line_file *entry = number < head->files.count
                                        ? &head->files.items[number]
                                        : NULL;
    char folder[LINE_PATH_MAX];

    if ( !entry || !read_path(file, unit, true, &entry->name, ret) )
        return false;
    /* The folder of the compiler is an attribute of the unit before version 5,
     * not a text here. */
    if ( *ret != '/' && entry->folder < head->folders.count &&
         read_path(file, unit, five || entry->folder,
                   &head->folders.items[entry->folder], folder) &&
         !put_before(folder, ret) )
        return false;
    return *ret == '/' || !head->folders.count || !entry->folder ||
           !read_path(file, unit, five, &head->folders.items[0], folder) ||
           put_before(folder, ret);
}
