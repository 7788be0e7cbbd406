/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up each fact of facts.def, a field or a structure's size, by libdw. */
#include "evidence.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"

#define STRUCTURES_MAX  16
#define NAME_MAX_LENGTH 64

/* Structures that were asked for, also those that the file lacks. */
struct structure {
    char name[NAME_MAX_LENGTH];
    bool found;
    Dwarf_Die die;
};

struct debug_information {
    Dwarf *dwarf;
    struct structure structures[STRUCTURES_MAX];
    unsigned int structure_count;
};

static bool is_structure(Dwarf_Die *die, const char *name)
{
    const char *own = dwarf_diename(die);

    return dwarf_tag(die) == DW_TAG_structure_type && own &&
           !strcmp(own, name) && dwarf_bytesize(die) >= 0;
}

/* Finds a definition among the top-level entries of one unit. */
static bool find_in_unit(Dwarf_Die *unit, const char *name, Dwarf_Die *found)
{
    Dwarf_Die die;
    int more = dwarf_child(unit, &die);

    while ( !more )
    {
        if ( is_structure(&die, name) )
        {
            *found = die;
            return true;
        }
        more = dwarf_siblingof(&die, &die);
    }

    return false;
}

static bool find_in_file(Dwarf *dwarf, const char *name, Dwarf_Die *found)
{
    Dwarf_Off offset = 0, next;
    size_t header;

    while ( !dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) )
    {
        Dwarf_Die unit;

        if ( dwarf_offdie(dwarf, offset + header, &unit) &&
             find_in_unit(&unit, name, found) )
            return true;
        offset = next;
    }

    return false;
}

/* Returns the structure, or NULL if the file does not have it. */
static Dwarf_Die *find_structure(struct debug_information *debug,
                                 const char *name)
{
    struct structure *structure;

    for ( unsigned int i = 0; i < debug->structure_count; i++ )
    {
        structure = &debug->structures[i];
        if ( !strcmp(structure->name, name) )
            return structure->found ? &structure->die : NULL;
    }
    if ( debug->structure_count == STRUCTURES_MAX )
        return NULL;

    structure = &debug->structures[debug->structure_count++];
    strcpy(structure->name, name);
    structure->found = find_in_file(debug->dwarf, name, &structure->die);

    return structure->found ? &structure->die : NULL;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;

    return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
           dwarf_formref_die(&attribute, type) && !dwarf_peel_type(type, type);
}

static Dwarf_Word member_offset(Dwarf_Die *member)
{
    Dwarf_Attribute attribute;
    Dwarf_Word offset = 0;

    if ( dwarf_attr(member, DW_AT_data_member_location, &attribute) )
        dwarf_formudata(&attribute, &offset);

    return offset;
}

/* Finds a member by name, also inside members without a name, whose own members
 * C reaches directly.  Adds to *offset, sets *type. */
static bool find_member(Dwarf_Die *structure, const char *name,
                        Dwarf_Word *offset, Dwarf_Die *type)
{
    Dwarf_Die member, inner;
    int more = dwarf_child(structure, &member);

    for ( ; !more; more = dwarf_siblingof(&member, &member) )
    {
        const char *own = dwarf_diename(&member);
        Dwarf_Word start = *offset + member_offset(&member);
        bool found;

        if ( dwarf_tag(&member) != DW_TAG_member || !type_of(&member, &inner) )
            continue;
        *type = inner;
        found = own ? !strcmp(own, name)
                    : find_member(&inner, name, &start, type);
        if ( found )
        {
            *offset = start;
            return true;
        }
    }

    return false;
}

/* Takes the first name off a path. */
static bool take_name(const char **path, char *name)
{
    size_t length = strcspn(*path, ".");

    if ( !length || length >= NAME_MAX_LENGTH )
        return false;
    memcpy(name, *path, length);
    name[length] = '\0';
    *path += length;
    *path += **path == '.';

    return true;
}

static bool look_up(struct debug_information *debug, const char *path,
                    uint32_t *value)
{
    char name[NAME_MAX_LENGTH];
    Dwarf_Die *structure, type;
    Dwarf_Word offset = 0;

    if ( !take_name(&path, name) )
        return false;
    structure = find_structure(debug, name);
    if ( !structure )
        return false;
    if ( !*path )
        offset = dwarf_bytesize(structure);

    type = *structure;
    while ( *path )
    {
        Dwarf_Die within = type;

        if ( !take_name(&path, name) ||
             !find_member(&within, name, &offset, &type) )
            return false;
    }
    /* Offsets in struct cpu_info are counted from the end of the stack. */
    if ( !strcmp(dwarf_diename(structure), "cpu_info") )
        offset = dwarf_bytesize(structure) - offset;
    *value = offset;

    return true;
}

int facts_read_dwarf(const char *path, struct facts_evidence *evidence)
{
    struct debug_information debug = {0};
    int fd SCOPE_CLOSE = open(path, O_RDONLY | O_CLOEXEC);
    int result = 0;

    if ( fd < 0 )
        return -errno;
    debug.dwarf = dwarf_begin(fd, DWARF_C_READ);
    for ( int i = 0; debug.dwarf && i < XENOPROF_FACT_COUNT && !result; i++ )
    {
        struct facts_statement statement = {.fact = i};

        if ( look_up(&debug, facts_path(i), &statement.value) )
            result = facts_evidence_add(evidence, &statement);
    }
    dwarf_end(debug.dwarf);

    return result;
}
