/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kit's type information: what struct module needs, and fillers. */
#include <stdlib.h>
#include <string.h>

#include "guest/linux/kmod-layout.h"
#include "kernel-kit.h"
#include "tests/unit/guest/btf/btf-kit.h"

static uint32_t add_kallsyms(struct btf_kit *btf, uint32_t pointer)
{
    uint32_t id = btf_kit_type(btf, "mod_kallsyms", BTF_STRUCT, 4, 32);

    btf_kit_member(btf, "symtab", pointer, 0);
    btf_kit_member(btf, "num_symtab", 1, 8);
    btf_kit_member(btf, "strtab", pointer, 16);
    btf_kit_member(btf, "typetab", pointer, 24);
    return btf_kit_type(btf, NULL, BTF_POINTER, 0,
                        btf_kit_type(btf, NULL, BTF_CONST, 0, id));
}

static uint32_t add_memory(struct btf_kit *btf, uint32_t pointer, bool memories)
{
    uint32_t id = btf_kit_type(btf,
                               memories ? "module_memory" : "module_layout",
                               BTF_STRUCT, 3, FAKE_MEMORY_SIZE);

    btf_kit_member(btf, "base", pointer, 0);
    btf_kit_member(btf, "size", 1, 8);
    btf_kit_member(btf, memories ? "other" : "text_size", 1, 12);
    return memories ? btf_kit_array(btf, id, 7) : id;
}

static uint32_t add_arch(struct btf_kit *btf, uint32_t pointer)
{
    uint32_t id = btf_kit_type(btf, "mod_arch_specific", BTF_STRUCT, 3, 24);

    btf_kit_member(btf, "num_orcs", 1, 0);
    btf_kit_member(btf, "orc_unwind_ip", pointer, 8);
    btf_kit_member(btf, "orc_unwind", pointer, 16);
    return id;
}

static void add_module(struct btf_kit *btf, bool memories)
{
    uint32_t number = btf_kit_int(btf, "int", 4);
    uint32_t pointer = btf_kit_pointer(btf, 0);
    uint32_t list = btf_kit_type(btf, "list_head", BTF_STRUCT, 0, 16);
    uint32_t name = btf_kit_array(btf, number, 56);
    uint32_t kallsyms = add_kallsyms(btf, pointer);
    uint32_t memory = add_memory(btf, pointer, memories);
    uint32_t arch = add_arch(btf, pointer), i;
    uint32_t members = (memories ? 1 : 2) + 5 + 20;

    /* Another structure with that name. */
    btf_kit_type(btf, "module", BTF_STRUCT, 0, 400);
    btf_kit_type(btf, "module", BTF_STRUCT, members, FAKE_MODULE_SIZE);
    btf_kit_member(btf, "state", number, 0);
    btf_kit_member(btf, "list", list, FAKE_AT_LIST);
    btf_kit_member(btf, "name", name, FAKE_AT_NAME);
    for ( i = 0; i < 20; i++ )
        btf_kit_member(btf, "filler", number, 100 + 4 * i);
    if ( memories )
        btf_kit_member(btf, "mem", memory, FAKE_AT_MEMORY);
    else
    {
        btf_kit_member(btf, "core_layout", memory, FAKE_AT_MEMORY);
        btf_kit_member(btf, "init_layout", memory,
                       FAKE_AT_MEMORY + FAKE_MEMORY_SIZE);
    }
    btf_kit_member(btf, "arch", arch, FAKE_AT_ARCH);
    btf_kit_member(btf, "kallsyms", kallsyms, FAKE_AT_KALLSYMS);
}

bool fake_kmod_layout(struct fake_kernel *fake, uint64_t start, uint64_t end,
                      struct kmod_layout *ret)
{
    struct btf_wanted wanted;
    static struct btf btf;

    memset(ret, 0, sizeof(*ret));
    kmod_layout_want(&wanted);
    return btf_open(&btf, &fake->memory, start, end) &&
           btf_find_structs(&btf, &wanted, 1) &&
           kmod_layout_read(&btf, &wanted, ret);
}

void fake_add_btf(struct fake_kernel *fake)
{
    struct btf_kit btf = {0};
    uint32_t i;

    if ( fake->form.no_btf )
        return;
    for ( i = 0; i < fake->form.fillers; i++ )
        btf_kit_pointer(&btf, 1);
    add_module(&btf, fake->form.memories);
    if ( fake->form.cpus )
        fake_add_task_types(fake, &btf);
    btf_kit_end(&btf, 0);
    fake_symbol(fake, fake_end(&fake->kernel), 'R', "__start_BTF");
    fake_add(&fake->kernel, btf.bytes, btf.size);
    fake_symbol(fake, fake_end(&fake->kernel), 'R', "__stop_BTF");
    btf_kit_free(&btf);
}
