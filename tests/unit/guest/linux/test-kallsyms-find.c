/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kallsyms in memory, and memory in which there are none. */
#include <stdlib.h>

#include "guest/linux/kallsyms-find.h"
#include "kernel-kit.h"
#include "tests/harness.h"

static struct fake_kernel fake;
static struct kallsyms *kallsyms;

static enum kernel_status find(uint64_t address)
{
    fake.memory.left = 16 << 20;
    return kallsyms_find(&fake.memory, address, &kallsyms);
}

TEST(from_wherever_it_was_seen)
{
    struct fake_form form = {.base = 0xffffffffa7200000ull, .modules = 2};
    uint64_t seen[5];

    fake_kernel_open(&fake, &form);
    seen[0] = fake_function(&fake, 0);
    seen[1] = fake.text_end - 1;
    seen[2] = fake_address(&fake, "start_of_all");
    seen[3] = fake_module(1) + FAKE_MODULE_TEXT;
    seen[4] = 0x7f1234560000; /* a user's; better than nothing */
    for ( unsigned int i = 0; i < 5; i++ )
    {
        CHECK_EQ(find(seen[i]), KERNEL_OK);
        CHECK_EQ(kallsyms->count, fake.count);
        CHECK(kallsyms->base == fake.kernel.address);
        kallsyms_close(kallsyms);
    }
    fake_kernel_close(&fake);
}

/* The nearer it is, the less is read. */
TEST(a_budget_that_is_used_up)
{
    uint64_t used;

    fake_kernel_open(&fake, &(struct fake_form){0});
    CHECK_EQ(find(fake_function(&fake, 1)), KERNEL_OK);
    kallsyms_close(kallsyms);
    used = (16 << 20) - fake.memory.left;
    CHECK(used < 2 << 20);
    for ( uint64_t budget = 0; budget < used; budget += used / 29 )
    {
        fake.memory.left = budget;
        CHECK_EQ(
            kallsyms_find(&fake.memory, fake_function(&fake, 1), &kallsyms),
            KERNEL_BUDGET);
    }
    fake_kernel_close(&fake);
}

/* What memory may hold: a word, and whether it could belong to a sorted
 * table. */
static uint32_t zeros(uint32_t i)
{
    return i * 0;
}

static uint32_t filler(uint32_t i)
{
    return 0xcccccccc + i * 0;
}

static uint32_t noise(uint32_t i)
{
    return (uint32_t)random() * 3 + i;
}

static uint32_t rising(uint32_t i)
{
    return i % 4096 * 64;
}

static uint32_t falling(uint32_t i)
{
    return ~(i % 5000 * 64);
}

static const struct {
    uint32_t (*word)(uint32_t i);
    bool sorted;
} patterns[] = {{zeros, false},
                {filler, false},
                {noise, false},
                {rising, true},
                {falling, true}};

/* The search ends soon, unless tables have no end: these cost the budget. */
TEST(memory_that_is_no_linux)
{
    uint32_t i, count;
    size_t pattern;

    fake_kernel_open(&fake, &(struct fake_form){.functions = 300000});
    count = (uint32_t)(fake.kernel.size / 4);
    for ( pattern = 0; pattern < sizeof(patterns) / sizeof(patterns[0]);
          pattern++ )
    {
        enum kernel_status status;

        srandom(1);
        for ( i = 0; i < count; i++ )
            ((uint32_t *)fake.kernel.bytes)[i] = patterns[pattern].word(i);
        status = find(fake_function(&fake, 1));
        CHECK(status == KERNEL_UNKNOWN ||
              (patterns[pattern].sorted && status == KERNEL_BUDGET));
        CHECK(patterns[pattern].sorted || fake.memory.left > 14 << 20);
    }
    fake_kernel_close(&fake);
}
