/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kit's type information: what struct module needs, and fillers. */
#include <stdlib.h>
#include <string.h>

#include "guest/linux/btf.h"
#include "kernel-kit.h"

#define KIND_INT 1u

struct builder {
    struct fake_part types, strings;
    uint32_t count;
};

static uint32_t add_string(struct builder *btf, const char *text)
{
    uint32_t at = (uint32_t)btf->strings.size;

    fake_add(&btf->strings, text, strlen(text) + 1);
    return at;
}

/* Returns its number. */
static uint32_t add_type(struct builder *btf, const char *name, uint32_t kind,
                         uint32_t members, uint32_t size)
{
    uint32_t head[3] = {name ? add_string(btf, name) : 0, kind << 24 | members,
                        size};

    fake_add(&btf->types, head, sizeof(head));
    return ++btf->count;
}

static void add_member(struct builder *btf, const char *name, uint32_t type,
                       uint32_t offset)
{
    uint32_t words[3] = {add_string(btf, name), type, offset * 8};

    fake_add(&btf->types, words, sizeof(words));
}

static uint32_t add_int(struct builder *btf)
{
    uint32_t bits = 32, id = add_type(btf, "int", KIND_INT, 0, 4);

    fake_add(&btf->types, &bits, sizeof(bits));
    return id;
}

static uint32_t add_array(struct builder *btf, uint32_t of, uint32_t count)
{
    uint32_t words[3] = {of, of, count};
    uint32_t id = add_type(btf, NULL, BTF_ARRAY, 0, 0);

    fake_add(&btf->types, words, sizeof(words));
    return id;
}

static uint32_t add_kallsyms(struct builder *btf, uint32_t pointer)
{
    uint32_t id = add_type(btf, "mod_kallsyms", BTF_STRUCT, 4, 32);

    add_member(btf, "symtab", pointer, 0);
    add_member(btf, "num_symtab", 1, 8);
    add_member(btf, "strtab", pointer, 16);
    add_member(btf, "typetab", pointer, 24);
    return add_type(btf, NULL, BTF_POINTER, 0,
                    add_type(btf, NULL, BTF_CONST, 0, id));
}

static uint32_t add_memory(struct builder *btf, uint32_t pointer, bool memories)
{
    uint32_t id = add_type(btf, memories ? "module_memory" : "module_layout",
                           BTF_STRUCT, 3, FAKE_MEMORY_SIZE);

    add_member(btf, "base", pointer, 0);
    add_member(btf, "size", 1, 8);
    add_member(btf, memories ? "other" : "text_size", 1, 12);
    return memories ? add_array(btf, id, 7) : id;
}

static uint32_t add_arch(struct builder *btf, uint32_t pointer)
{
    uint32_t id = add_type(btf, "mod_arch_specific", BTF_STRUCT, 3, 24);

    add_member(btf, "num_orcs", 1, 0);
    add_member(btf, "orc_unwind_ip", pointer, 8);
    add_member(btf, "orc_unwind", pointer, 16);
    return id;
}

static void add_module(struct builder *btf, bool memories)
{
    uint32_t number = add_int(btf);
    uint32_t pointer = add_type(btf, NULL, BTF_POINTER, 0, 0);
    uint32_t list = add_type(btf, "list_head", BTF_STRUCT, 0, 16);
    uint32_t name = add_array(btf, number, 56);
    uint32_t kallsyms = add_kallsyms(btf, pointer);
    uint32_t memory = add_memory(btf, pointer, memories);
    uint32_t arch = add_arch(btf, pointer), i;
    uint32_t members = (memories ? 1 : 2) + 5 + 20;

    /* Another structure with that name. */
    add_type(btf, "module", BTF_STRUCT, 0, 400);
    add_type(btf, "module", BTF_STRUCT, members, FAKE_MODULE_SIZE);
    add_member(btf, "state", number, 0);
    add_member(btf, "list", list, FAKE_AT_LIST);
    add_member(btf, "name", name, FAKE_AT_NAME);
    for ( i = 0; i < 20; i++ )
        add_member(btf, "filler", number, 100 + 4 * i);
    if ( memories )
        add_member(btf, "mem", memory, FAKE_AT_MEMORY);
    else
    {
        add_member(btf, "core_layout", memory, FAKE_AT_MEMORY);
        add_member(btf, "init_layout", memory,
                   FAKE_AT_MEMORY + FAKE_MEMORY_SIZE);
    }
    add_member(btf, "arch", arch, FAKE_AT_ARCH);
    add_member(btf, "kallsyms", kallsyms, FAKE_AT_KALLSYMS);
}

void fake_add_btf(struct fake_kernel *fake)
{
    struct builder btf = {0};
    uint32_t i;

    if ( fake->form.no_btf )
        return;
    add_string(&btf, "");
    for ( i = 0; i < fake->form.fillers; i++ )
        add_type(&btf, NULL, BTF_POINTER, 0, 1);
    add_module(&btf, fake->form.memories);
    struct {
        uint16_t magic;
        uint8_t version, flags;
        uint32_t length, types, types_size, strings, strings_size;
    } header = {0xeb9f,
                1,
                0,
                24,
                0,
                (uint32_t)btf.types.size,
                (uint32_t)btf.types.size,
                (uint32_t)btf.strings.size};
    fake_symbol(fake, fake_end(&fake->kernel), 'R', "__start_BTF");
    fake_add(&fake->kernel, &header, sizeof(header));
    fake_add(&fake->kernel, btf.types.bytes, btf.types.size);
    fake_add(&fake->kernel, btf.strings.bytes, btf.strings.size);
    fake_symbol(fake, fake_end(&fake->kernel), 'R', "__stop_BTF");
    free(btf.types.bytes);
    free(btf.strings.bytes);
}
