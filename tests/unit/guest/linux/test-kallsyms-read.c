/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables next to each other, and what they must agree on. */
#include <string.h>

#include "guest/linux/kallsyms-find.h"
#include "guest/linux/kallsyms-read.h"
#include "kernel-kit.h"
#include "tests/harness.h"

static struct fake_kernel fake;
static struct kallsyms *kallsyms;

static enum kernel_status find(void)
{
    fake.memory.left = 16 << 20;
    return kallsyms_find(&fake.memory, fake_function(&fake, 1), &kallsyms);
}

static const struct fake_form forms[] = {
    {.marker_width = 8},
    {.by_name_width = 3},
    {.by_name_width = 4, .encoding = OFFSET_FROM_BASE},
    {.new_order = true, .by_name_width = 3},
    {.new_order = true, .encoding = OFFSET_FROM_BASE},
    {.new_order = true, .encoding = OFFSET_FROM_SELF, .alignment = 4},
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

TEST(each_order_gives_all_symbols)
{
    char name[KALLSYMS_NAME_MAX];

    for ( size_t form = 0; form < FORMS; form++ )
    {
        fake_kernel_open(&fake, &forms[form]);
        CHECK_EQ(find(), KERNEL_OK);
        CHECK_EQ(kallsyms->count, fake.count);
        CHECK_EQ(kallsyms->first, fake.per_cpu);
        CHECK(kallsyms->base == fake.kernel.address);
        for ( uint32_t i = fake.per_cpu; i < fake.count; i += 7 )
        {
            CHECK(kallsyms_name(kallsyms, i, name));
            CHECK_EQ(name[0], fake.symbols[i].type);
            CHECK_TEXT(name + 1, fake.symbols[i].name);
            CHECK(kallsyms->base + kallsyms->offsets[i] ==
                  fake.symbols[i].address);
        }
        kallsyms_close(kallsyms);
        fake_kernel_close(&fake);
    }
}

/* One table contradicts the others. */
static const struct {
    const char *what;
    uint32_t from_markers; /* where; see below */
    bool in_index;
} damages[] = {
    {"a marker", 40, false},
    {"the token index", 17, true},
};

static uint8_t *find_bytes(const void *wanted, size_t size)
{
    uint8_t *at = memmem(fake.kernel.bytes, fake.kernel.size, wanted, size);

    CHECK(at);
    return at;
}

TEST(tables_that_contradict_each_other)
{
    static const char digits[] = "0\0001\0002\0003\0004\0005\0006\0007\0008";
    uint8_t *at;
    size_t i;
    int order;

    for ( order = 0; order < 2; order++ )
        for ( i = 0; i < sizeof(damages) / sizeof(damages[0]); i++ )
        {
            fake_kernel_open(&fake, &(struct fake_form){.new_order = order});
            at = find_bytes(digits, sizeof(digits));
            if ( damages[i].in_index )
                at += 600 + damages[i].from_markers;
            else
                at -= 160 + damages[i].from_markers;
            *at ^= 0x40;
            if ( find() == KERNEL_OK )
                test_fail(__FILE__, __LINE__, "%s was not noticed",
                          damages[i].what);
            fake_kernel_close(&fake);
        }
}

/* What lies before the names before v6.4. */
static enum kernel_status find_with(uint64_t base, uint64_t count)
{
    uint64_t head[2];
    enum kernel_status status;

    fake_kernel_open(&fake, &(struct fake_form){.functions = 2300});
    head[0] = fake.kernel.address;
    head[1] = fake.count;
    memcpy(find_bytes(head, sizeof(head)), (uint64_t[2]){base, count},
           sizeof(head));
    status = find();
    if ( !status )
        kallsyms_close(kallsyms);
    fake_kernel_close(&fake);
    return status;
}

TEST(a_base_or_a_count_that_cannot_be)
{
    uint64_t count;

    fake_kernel_open(&fake, &(struct fake_form){.functions = 2300});
    count = fake.count;
    fake_kernel_close(&fake);
    CHECK_EQ(find_with(FAKE_LINKED, count), KERNEL_OK);
    CHECK(find_with(FAKE_LINKED + 8, count) != KERNEL_OK);
    CHECK(find_with(0, count) != KERNEL_OK);
    CHECK(find_with(0xffffffffc0000000u, count) != KERNEL_OK);
    CHECK(find_with(FAKE_LINKED, 0) != KERNEL_OK);
    CHECK(find_with(FAKE_LINKED, KALLSYMS_BLOCK - 1) != KERNEL_OK);
    CHECK(find_with(FAKE_LINKED, count - 1) != KERNEL_OK);
    CHECK(find_with(FAKE_LINKED, count + 1) != KERNEL_OK);
    CHECK(find_with(FAKE_LINKED, ~0ull) != KERNEL_OK);
}

/* Offsets that fall somewhere in what looks like a table. */
TEST(offsets_that_are_not_sorted)
{
    uint32_t two[2];
    uint8_t *at;

    fake_kernel_open(&fake, &(struct fake_form){.encoding = OFFSET_FROM_BASE});
    for ( int i = 0; i < 2; i++ )
        two[i] = (uint32_t)(fake_function(&fake, 5001 + i) - FAKE_LINKED);
    at = find_bytes(two, sizeof(two));
    memcpy(at, &two[1], 4);
    memcpy(at + 4, &two[0], 4);
    CHECK(find() != KERNEL_OK);
    fake_kernel_close(&fake);
}
