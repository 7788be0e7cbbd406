/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where struct module has its members, as the type information says. */
#include <stddef.h>
#include <string.h>

#include "guest/btf/btf.h"
#include "guest/linux/kmod-layout.h"
#include "kernel-kit.h"
#include "tests/harness.h"

static struct fake_kernel fake;
static struct kmod_layout layout;

static bool read_layout(void)
{
    fake.memory.left = 16 << 20;
    return fake_kmod_layout(&fake, fake_address(&fake, "__start_BTF"),
                            fake_address(&fake, "__stop_BTF"), &layout);
}

static void begin(bool memories)
{
    fake_kernel_open(&fake, &(struct fake_form){.functions = 300,
                                                .memories = memories,
                                                .fillers = 3000 * memories});
    CHECK(read_layout());
}

TEST(both_shapes_of_struct_module)
{
    for ( int memories = 0; memories < 2; memories++ )
    {
        begin(memories);
        CHECK(layout.known);
        CHECK_EQ(layout.size, FAKE_MODULE_SIZE);
        CHECK_EQ(layout.list, FAKE_AT_LIST);
        CHECK_EQ(layout.name, FAKE_AT_NAME);
        CHECK_EQ(layout.name_length, 56);
        CHECK_EQ(layout.kallsyms, FAKE_AT_KALLSYMS);
        CHECK_EQ(layout.base[0], FAKE_AT_MEMORY);
        /* What runs at its start: the second piece, or number 4 of mem[]. */
        CHECK_EQ(layout.base[1],
                 FAKE_AT_MEMORY + (memories ? 4 : 1) * FAKE_MEMORY_SIZE);
        CHECK_EQ(layout.text_size[0], FAKE_AT_MEMORY + (memories ? 8 : 12));
        CHECK_EQ(layout.orc_count, FAKE_AT_ARCH);
        CHECK_EQ(layout.orc_ips, FAKE_AT_ARCH + 8);
        CHECK_EQ(layout.orc_rows, FAKE_AT_ARCH + 16);
        CHECK_EQ(layout.symtab, 0);
        CHECK_EQ(layout.symbols, 8);
        CHECK_EQ(layout.strtab, 16);
        fake_kernel_close(&fake);
    }
}

/* Where the types, or the texts, have these bytes. */
static uint8_t *find_bytes(const void *wanted, size_t size)
{
    uint64_t start = fake_address(&fake, "__start_BTF");
    uint8_t *at = memmem(fake_bytes(&fake, start),
                         fake_address(&fake, "__stop_BTF") - start, wanted,
                         size);

    CHECK(at);
    return at;
}

/* Each member must lie in the structure, whatever its size is said to be. */
TEST(a_structure_that_its_members_do_not_fit_into)
{
    static const uint32_t sizes[] = {0,    255, 256, FAKE_AT_KALLSYMS + 7,
                                     8193, ~0u};
    const uint32_t head[2] = {BTF_STRUCT << 24 | 27, FAKE_MODULE_SIZE};
    uint8_t *at;

    begin(false);
    at = find_bytes(head, sizeof(head)) + 4;
    for ( unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++ )
    {
        memcpy(at, &sizes[i], 4);
        CHECK(!read_layout());
        CHECK(!layout.known);
    }
    memcpy(at, &(uint32_t){FAKE_AT_KALLSYMS + 8}, 4);
    CHECK(read_layout());
    fake_kernel_close(&fake);
}

TEST(members_that_are_missing)
{
    static const char *const needed[] = {"list",       "name",       "kallsyms",
                                         "symtab",     "num_symtab", "strtab",
                                         "core_layout"};
    static const char *const wanted[] = {"num_orcs", "orc_unwind", "arch"};

    for ( unsigned int i = 0; i < sizeof(needed) / sizeof(needed[0]); i++ )
    {
        begin(false);
        for ( uint8_t *at; (at = memmem(fake.kernel.bytes, fake.kernel.size,
                                        needed[i], strlen(needed[i]) + 1)); )
            at[0] = 'X';
        if ( read_layout() )
            test_fail(__FILE__, __LINE__, "%s is not missed", needed[i]);
        fake_kernel_close(&fake);
    }
    /* There may be no ORC. */
    for ( unsigned int i = 0; i < 3; i++ )
    {
        begin(false);
        *find_bytes(wanted[i], strlen(wanted[i]) + 1) = 'X';
        CHECK(read_layout());
        CHECK(!layout.orc_count && !layout.orc_ips && !layout.orc_rows);
        fake_kernel_close(&fake);
    }
}

TEST(type_information_that_cannot_be_read)
{
    begin(true);
    fake.memory.left = 10000;
    CHECK(!fake_kmod_layout(&fake, fake_address(&fake, "__start_BTF"),
                            fake_address(&fake, "__stop_BTF"), &layout));
    CHECK(!layout.known);
    CHECK(!fake_kmod_layout(&fake, fake.kernel.address,
                            fake.kernel.address + 4096, &layout));
    CHECK(!fake_kmod_layout(&fake, 0, 0, &layout));
    fake_kernel_close(&fake);
}
