/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kit's kernel modules, 16 KiB each, and their list. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "kernel-kit.h"

/* Of each module's 16 KiB: its structure first, then */
enum {
    AT_KALLSYMS = 0x500,
    AT_SYMTAB = 0x600,
    AT_STRTAB = 0x1000,
    AT_ORC_IPS = 0x1800,
    AT_ORC_ROWS = 0x1c00,
    TEXT_SIZE = 0x1000
};

uint64_t fake_module(uint32_t index)
{
    return FAKE_MODULES + (uint64_t)index * FAKE_MODULE;
}

uint64_t fake_module_link(uint32_t index)
{
    return fake_module(index) + FAKE_AT_LIST;
}

static void put(uint8_t *bytes, uint32_t at, uint64_t value, size_t size)
{
    memcpy(bytes + at, &value, size);
}

static void put_symbols(uint8_t *module, uint64_t address, uint32_t index)
{
    Elf64_Sym *symbols = (Elf64_Sym *)(module + AT_SYMTAB);
    char *names = (char *)module + AT_STRTAB;
    uint32_t i, used = 1;

    for ( i = 1; i <= FAKE_MODULE_SYMBOLS; i++ )
    {
        symbols[i].st_name = used;
        symbols[i].st_shndx = 1;
        symbols[i].st_value = address + FAKE_MODULE_TEXT + 64 * i;
        used += (uint32_t)sprintf(names + used, "module%u_function%u", index,
                                  i) +
                1;
    }
    /* A symbol that is not code, and one of another module. */
    symbols[i].st_name = 1;
    symbols[i].st_shndx = 2;
    symbols[i++].st_value = address + AT_SYMTAB;
    symbols[i].st_name = 1;
    symbols[i].st_value = address + FAKE_MODULE_TEXT;
    put(module, AT_KALLSYMS, address + AT_SYMTAB, 8);
    put(module, AT_KALLSYMS + 8, i + 1, 4);
    put(module, AT_KALLSYMS + 16, address + AT_STRTAB, 8);
}

static void put_orc(uint8_t *module, uint64_t address, bool new_flags)
{
    uint32_t i;

    for ( i = 0; i < FAKE_MODULE_SYMBOLS; i++ )
    {
        uint64_t slot = address + AT_ORC_IPS + 4 * i;
        uint16_t row[3] = {16, 0, new_flags ? 0x205 : 5};

        put(module, AT_ORC_IPS + 4 * i,
            address + FAKE_MODULE_TEXT + 64 * i - slot, 4);
        memcpy(module + AT_ORC_ROWS + 6 * i, row, sizeof(row));
    }
    put(module, FAKE_AT_ARCH, FAKE_MODULE_SYMBOLS, 4);
    put(module, FAKE_AT_ARCH + 8, address + AT_ORC_IPS, 8);
    put(module, FAKE_AT_ARCH + 16, address + AT_ORC_ROWS, 8);
}

static void add_module(struct fake_kernel *fake, uint32_t index)
{
    uint64_t address = fake_module(index);
    uint8_t *module;

    fake_add(&fake->modules, NULL, FAKE_MODULE);
    module = fake_bytes(fake, address);
    sprintf((char *)module + FAKE_AT_NAME, "module%u", index);
    put(module, FAKE_AT_MEMORY, address + FAKE_MODULE_TEXT, 8);
    put(module, FAKE_AT_MEMORY + 8, TEXT_SIZE, 4);
    put(module, FAKE_AT_MEMORY + 12, TEXT_SIZE, 4);
    put(module, FAKE_AT_KALLSYMS, address + AT_KALLSYMS, 8);
    put_symbols(module, address, index);
    put_orc(module, address, fake->form.new_order);
}

void fake_link_modules(struct fake_kernel *fake, uint32_t first, uint32_t last)
{
    uint64_t at = fake->modules_head;
    uint32_t i;

    for ( i = first; i < last; at = fake_module_link(i++) )
        put(fake_bytes(fake, at), 0, fake_module_link(i), 8);
    put(fake_bytes(fake, at), 0, fake->modules_head, 8);
}

void fake_add_modules(struct fake_kernel *fake)
{
    uint32_t i;

    for ( i = 0; i < fake->form.modules; i++ )
        add_module(fake, i);
    fake_link_modules(fake, 0, fake->form.modules);
}
