/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols and code, which agree, contradict each other, or are silent. */
#include <string.h>

#include "guest/linux/tasks/task-facts.h"
#include "tests/harness.h"

#define BASE    0xffffffff81000000ull
#define TABLE   0x141cb60ull
#define CURRENT 0x1fb80ull

static struct task_symbols symbols;
static struct kernel_layout layout;
static struct code_loads loads;
static struct task_facts facts;

/* What Debian 12's kernel says. */
static void begin(void)
{
    symbols = (struct task_symbols){
        .offsets = {true, false, TABLE},
        .current = {true, true, CURRENT},
        .vcpu_id = {true, true, 0x1e0d8},
        .processor = {true, false, 0x1c38da0},
    };
    layout = (struct kernel_layout){
        .known = FOR_TASKS | FOR_ISOLATION,
        .at = {[MEMBER_CPU_FEATURES] = 40},
    };
    memset(&loads, 0, sizeof(loads));
    loads.gs = (struct load_counts){
        .item = {{0x28, 290}, {CURRENT, 130}, {0x1fb48, 5}}, .used = 3};
    loads.table = (struct load_counts){
        .item = {{BASE + TABLE, 70}, {BASE + 0x1c393a0, 9}}, .used = 2};
}

static enum task_list_status make(void)
{
    task_facts_make(&symbols, &layout, &loads, BASE, &facts);
    CHECK(task_facts_are_sound(&facts));
    return facts.status;
}

TEST(two_sources_agree)
{
    begin();
    CHECK_EQ(make(), TASK_LIST_KNOWN);
    CHECK_EQ(facts.current_by, TASK_BY_SYMBOL | TASK_BY_CODE);
    CHECK_EQ(facts.offsets_by, TASK_BY_SYMBOL | TASK_BY_CODE);
    CHECK_EQ(facts.current, CURRENT);
    CHECK_EQ(facts.offsets, TABLE);
    CHECK_EQ(facts.vcpu_id, 0x1e0d8);
    CHECK_EQ(facts.features, 0x1c38da0 + 68);
    CHECK(facts.absolute);
}

TEST(the_hot_words_of_6_2)
{
    begin();
    symbols.current.known = false;
    symbols.hot = (struct task_symbol){true, true, CURRENT - 8};
    layout.known |= FOR_HOT;
    layout.at[MEMBER_HOT_TASK] = 8;
    CHECK_EQ(make(), TASK_LIST_KNOWN);
    CHECK_EQ(facts.current, CURRENT);
    CHECK_EQ(facts.current_by, TASK_BY_SYMBOL | TASK_BY_CODE);
}

/* Since 6.15 per-CPU symbols are addresses, and so is the canary's. */
TEST(symbols_that_are_addresses)
{
    begin();
    symbols.current = (struct task_symbol){true, false, 0x2000008};
    symbols.canary = (struct task_symbol){true, false, 0x2000000};
    symbols.vcpu_id = (struct task_symbol){true, false, 0x2000100};
    loads.gs.item[0].value = BASE + 0x2000000;
    loads.gs.item[1].value = BASE + 0x2000008;
    CHECK_EQ(make(), TASK_LIST_KNOWN);
    CHECK(!facts.absolute);
    CHECK_EQ(facts.current, 0x2000008);
    CHECK_EQ(facts.vcpu_id, 0x2000100);
    CHECK_EQ(facts.current_by, TASK_BY_SYMBOL | TASK_BY_CODE);
    symbols.current.known = false;
    CHECK_EQ(make(), TASK_LIST_KNOWN);
    CHECK_EQ(facts.current, 0x2000008);
    CHECK_EQ(facts.current_by, TASK_BY_CODE);
}

TEST(one_source_is_silent)
{
    begin();
    symbols.current.known = symbols.offsets.known = false;
    symbols.offsets.at = 0;
    CHECK_EQ(make(), TASK_LIST_KNOWN);
    CHECK_EQ(facts.current_by, TASK_BY_CODE);
    CHECK_EQ(facts.offsets_by, TASK_BY_CODE);
    CHECK_EQ(facts.current, CURRENT);
    CHECK_EQ(facts.offsets, TABLE);
    CHECK(facts.absolute);
    begin();
    loads.gs.used = loads.table.used = 0;
    CHECK_EQ(make(), TASK_LIST_KNOWN);
    CHECK_EQ(facts.current_by, TASK_BY_SYMBOL);
    CHECK_EQ(facts.offsets_by, TASK_BY_SYMBOL);
    symbols.current.known = false;
    CHECK_EQ(make(), TASK_LIST_NO_SYMBOLS);
    /* Code alone must say it clearly. */
    begin();
    symbols.current.known = false;
    loads.gs.item[2].count = 50;
    CHECK_EQ(make(), TASK_LIST_NO_SYMBOLS);
}

TEST(the_sources_contradict_each_other)
{
    begin();
    symbols.current.at = 0x1fb88;
    CHECK_EQ(make(), TASK_LIST_CONTRADICTION);
    begin();
    symbols.offsets.at = TABLE + 8;
    CHECK_EQ(make(), TASK_LIST_CONTRADICTION);
    /* Addresses that no kernel has. */
    begin();
    loads.gs.used = loads.table.used = 0;
    symbols.current.at = 0x40000000;
    CHECK_EQ(make(), TASK_LIST_CONTRADICTION);
    symbols.current.at = CURRENT + 4;
    CHECK_EQ(make(), TASK_LIST_CONTRADICTION);
    begin();
    loads.table.used = 0;
    symbols.offsets.at = 1ull << 31;
    CHECK_EQ(make(), TASK_LIST_CONTRADICTION);
}

TEST(types_that_are_missing)
{
    begin();
    layout.known &= ~FOR_TASKS;
    CHECK_EQ(make(), TASK_LIST_NO_MEMBERS);
    task_facts_make(&symbols, NULL, NULL, BASE, &facts);
    CHECK_EQ(facts.status, TASK_LIST_NO_TYPES);
}

TEST(facts_of_others)
{
    begin();
    make();
    facts.absolute = 2;
    CHECK(!task_facts_are_sound(&facts));
    make();
    facts.vcpu_id = 1ull << 40;
    CHECK(!task_facts_are_sound(&facts));
    make();
    facts.features = 1ull << 40;
    CHECK(!task_facts_are_sound(&facts));
    make();
    facts.status = TASK_LIST_STATUSES;
    CHECK(!task_facts_are_sound(&facts));
}
