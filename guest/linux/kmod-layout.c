/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the members of struct module in the type information. */
#include "kmod-layout.h"

#include <string.h>

#define MODULE_MEMBERS_MIN 20u
#define MODULE_SIZE_MIN    256u
#define MODULE_SIZE_MAX    8192u
#define MEMORY_TEXT        0u /* in mem[] of struct module */
#define MEMORY_INIT_TEXT   4u

void kmod_layout_want(struct btf_wanted *module)
{
    *module = (struct btf_wanted){
        .name = "module",
        .size_min = MODULE_SIZE_MIN,
        .size_max = MODULE_SIZE_MAX,
        .members_min = MODULE_MEMBERS_MIN,
    };
}

/* Offset of a member, and what it is a struct, a pointer, or an array of. */
static bool find_module_member(struct btf *btf, const struct btf_type *in,
                               const char *name, uint16_t *offset,
                               struct btf_type *type)
{
    struct btf_member member;

    if ( !btf_find_member(btf, in, name, &member) ||
         member.offset > MODULE_SIZE_MAX )
        return false;
    *offset = (uint16_t)member.offset;
    return btf_strip(btf, member.type, type);
}

static bool find_kallsyms(struct btf *btf, const struct btf_type *module,
                          struct kmod_layout *ret)
{
    struct btf_type pointer, kallsyms, ignored;

    return find_module_member(btf, module, "kallsyms", &ret->kallsyms,
                              &pointer) &&
           btf_target(btf, &pointer, &kallsyms) &&
           find_module_member(btf, &kallsyms, "symtab", &ret->symtab,
                              &ignored) &&
           find_module_member(btf, &kallsyms, "num_symtab", &ret->symbols,
                              &ignored) &&
           find_module_member(btf, &kallsyms, "strtab", &ret->strtab, &ignored);
}

/* An array of memories, each for one use, since Linux commit ac3b43283923
 * ("module: replace module_layout with module_memory") (v6.4). */
static bool find_memories(struct btf *btf, const struct btf_type *module,
                          struct kmod_layout *ret)
{
    static const unsigned int uses[2] = {MEMORY_TEXT, MEMORY_INIT_TEXT};
    struct btf_type array, memory, ignored;
    uint16_t at, base, size;
    int i;

    if ( !find_module_member(btf, module, "mem", &at, &array) ||
         btf_elements(btf, &array) <= MEMORY_INIT_TEXT ||
         !btf_target(btf, &array, &memory) || memory.size > MODULE_SIZE_MIN ||
         !find_module_member(btf, &memory, "base", &base, &ignored) ||
         !find_module_member(btf, &memory, "size", &size, &ignored) )
        return false;
    for ( i = 0; i < 2; i++ )
    {
        ret->base[i] = (uint16_t)(at + uses[i] * memory.size + base);
        ret->text_size[i] = (uint16_t)(at + uses[i] * memory.size + size);
    }
    return true;
}

/* Before that, code at the start of each of two pieces, since Linux commit
 * 7523e4dc5057 ("module: use a structure to encapsulate layout.") (v4.5). */
static bool find_layouts(struct btf *btf, const struct btf_type *module,
                         struct kmod_layout *ret)
{
    static const char *const pieces[2] = {"core_layout", "init_layout"};
    struct btf_type layout, ignored;
    uint16_t at, base, size;
    int i;

    for ( i = 0; i < 2; i++ )
    {
        if ( !find_module_member(btf, module, pieces[i], &at, &layout) ||
             !find_module_member(btf, &layout, "base", &base, &ignored) ||
             !find_module_member(btf, &layout, "text_size", &size, &ignored) )
            return false;
        ret->base[i] = (uint16_t)(at + base);
        ret->text_size[i] = (uint16_t)(at + size);
    }
    return true;
}

static void find_orc_members(struct btf *btf, const struct btf_type *module,
                             struct kmod_layout *ret)
{
    struct btf_type arch, ignored;
    uint16_t at, count, ips, rows;

    if ( !find_module_member(btf, module, "arch", &at, &arch) ||
         !find_module_member(btf, &arch, "num_orcs", &count, &ignored) ||
         !find_module_member(btf, &arch, "orc_unwind_ip", &ips, &ignored) ||
         !find_module_member(btf, &arch, "orc_unwind", &rows, &ignored) )
        return;
    ret->orc_count = (uint16_t)(at + count);
    ret->orc_ips = (uint16_t)(at + ips);
    ret->orc_rows = (uint16_t)(at + rows);
}

bool kmod_layout_is_sound(const struct kmod_layout *layout)
{
    const uint16_t members[] = {
        layout->list,         layout->kallsyms, layout->base[0],
        layout->text_size[0], layout->base[1],  layout->text_size[1],
        layout->orc_count,    layout->orc_ips,  layout->orc_rows};
    size_t i;

    if ( !layout->known )
        return true;
    for ( i = 0; i < sizeof(members) / sizeof(members[0]); i++ )
        if ( members[i] + 8u > layout->size )
            return false;
    return layout->list + 16u <= layout->size &&
           layout->name + layout->name_length <= layout->size;
}

static bool read_layout(struct btf *btf, const struct btf_type *module,
                        struct kmod_layout *ret)
{
    struct btf_type list, name;
    uint32_t length;

    if ( !find_module_member(btf, module, "list", &ret->list, &list) ||
         !find_module_member(btf, module, "name", &ret->name, &name) )
        return false;
    length = btf_elements(btf, &name);
    if ( !length || length > 256 || module->size > MODULE_SIZE_MAX )
        return false;
    ret->size = (uint16_t)module->size;
    ret->name_length = (uint16_t)length;
    if ( !find_kallsyms(btf, module, ret) ||
         (!find_memories(btf, module, ret) && !find_layouts(btf, module, ret)) )
        return false;
    find_orc_members(btf, module, ret);
    return true;
}

bool kmod_layout_read(struct btf *btf, const struct btf_wanted *module,
                      struct kmod_layout *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->known = module->found && read_layout(btf, &module->type, ret);
    ret->known = ret->known && kmod_layout_is_sound(ret);
    return ret->known;
}
