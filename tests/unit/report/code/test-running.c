/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code of the running kernel, of another boot, and of memory that lies. */
#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "libxenoprof/session/session-attributes.h"
#include "tests/harness.h"
#include "tests/unit/report/code/code-kit.h"

struct fake_core {
    Elf64_Ehdr header;
    Elf64_Phdr segments[2];
    uint8_t bytes[64];
};

static void make_core(struct fake_core *core)
{
    memset(core, 0, sizeof(*core));
    memcpy(core->header.e_ident, ELFMAG, SELFMAG);
    core->header.e_ident[EI_CLASS] = ELFCLASS64;
    core->header.e_phentsize = sizeof(*core->segments);
    core->header.e_phnum = 2;
    core->header.e_phoff = offsetof(struct fake_core, segments);
    core->segments[1] = (Elf64_Phdr){
        .p_type = PT_LOAD,
        .p_vaddr = KERNEL,
        .p_offset = offsetof(struct fake_core, bytes),
        .p_filesz = sizeof(core->bytes)};
    memset(core->bytes, 0x90, sizeof(core->bytes));
}

static void begin_live(const struct fake_core *core, size_t size)
{
    code_kit_begin();
    write_text("/proc/kallsyms", "ffffffffa5000000 T _text\n"
                                 "ffffffffa5000010 T run\n"
                                 "ffffffffa5000030 T next\n");
    write_text("/proc/sys/kernel/random/boot_id", BOOT "\n");
    write_file("/proc/kcore", core, size);
    add_attribute(SESSION_ATTRIBUTE_BOOT, BOOT);
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "run", KERNEL + 0x10, 4);
    add_samples(XENOPROF_MODE_KERNEL, "kernel", "gone", KERNEL + 0x20, 0);
    CHECK_EQ(code_find(&kit.shelf, function_of("run"), &kit.code, &kit.failure),
             0);
}

TEST(the_running_kernel)
{
    struct fake_core core;
    uint64_t offset;

    make_core(&core);
    core.bytes[0x10] = 0xf4;
    begin_live(&core, sizeof(core));
    CHECK(kit.code.running);
    CHECK_EQ(kit.code.size, 0x20);
    CHECK_EQ(kit.code.bytes[0], 0xf4);
    CHECK_TEXT(code_name(&kit.code, KERNEL + 0x31, &offset), "next");
    CHECK_EQ(offset, 1);
    code_free(&kit.code);
    /* A function that is not there now, as of a module that was unloaded. */
    CHECK_EQ(
        code_find(&kit.shelf, function_of("gone"), &kit.code, &kit.failure), 0);
    CHECK_EQ(kit.code.size, 0);
    code_kit_end();
}

TEST(another_boot)
{
    struct fake_core core;

    make_core(&core);
    begin_live(&core, sizeof(core));
    code_free(&kit.code);
    code_shelf_free(&kit.shelf);
    kit.shelf = (struct code_shelf){.loaded = &kit.loaded, .root = kit.root};
    write_text("/proc/sys/kernel/random/boot_id", "another\n");
    CHECK_EQ(code_find(&kit.shelf, function_of("run"), &kit.code, &kit.failure),
             0);
    CHECK_EQ(kit.code.size, 0);
    code_kit_end();
}

TEST(a_memory_that_lies)
{
    struct fake_core core;

    make_core(&core);
    core.header.e_phnum = UINT16_MAX;
    begin_live(&core, sizeof(core));
    CHECK_EQ(kit.code.size, 0);
    code_kit_end();
    make_core(&core);
    core.segments[1].p_filesz = UINT64_MAX;
    core.segments[1].p_offset = INT64_MAX - 8;
    begin_live(&core, sizeof(core));
    CHECK_EQ(kit.code.size, 0);
    code_kit_end();
    make_core(&core);
    begin_live(&core, sizeof(core) - sizeof(core.bytes) + 0x18);
    CHECK_EQ(kit.code.size, 8);
    code_kit_end();
    make_core(&core);
    core.segments[1].p_filesz = 8;
    begin_live(&core, sizeof(core));
    CHECK_EQ(kit.code.size, 0);
    code_kit_end();
    make_core(&core);
    begin_live(&core, sizeof(core.header) + 8);
    CHECK_EQ(kit.code.size, 0);
    code_kit_end();
}
