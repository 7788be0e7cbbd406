/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of a unikernel, made by hand, at addresses that Linux never has. */
#include "guest/unwind.h"
#include "rows/user-walk.h"
#include "tests/unit/rows/table-kit.h"

#define STACK 0x7f000ull
#define WORDS 16u
#define PAGE  0x20000u /* the hypercall page, which no row is for */
#define ASM   0x21000u /* code in assembly, nor for that */

/* Functions: CFAs are sp + 8 and sp + 16. */
enum { LEAF = 0x100, OUTER = 0x200, FUNCTION = 0x80 };

static struct row_table *table;
static uint64_t words[WORDS];
static struct xenoprof_registers registers;
static struct unwind_code code;
static struct unwind_result result;

static enum unwind_special special_of_kit(const void *self, uint64_t address)
{
    (void)self;
    return address - KIT_TEXT - PAGE < 0x1000 ? UNWIND_HYPERCALL
                                              : UNWIND_ORDINARY;
}

static void begin(void)
{
    struct row_builder builder;
    struct user_mapping mapping = {.start = KIT_TEXT,
                                   .end = KIT_TEXT + KIT_SIZE};

    rows_kit_begin(&builder);
    rows_kit_function(&builder, LEAF, LEAF + FUNCTION, rows_kit_sp(8));
    rows_kit_function(&builder, OUTER, OUTER + FUNCTION, rows_kit_sp(16));
    table = rows_kit_end(&builder);
    mapping.rows = table;
    memset(words, 0, sizeof(words));
    registers = (struct xenoprof_registers){.rsp = STACK, .rbp = 1};
    code = (struct unwind_code){
        .special = special_of_kit,
        .pv = true,
        .space = user_space_of_kernel(&mapping, 1),
        .cache = row_cache_open(),
    };
    CHECK(code.space && code.cache);
}

static void end(void)
{
    user_space_close((struct user_space *)(uintptr_t)code.space);
    row_cache_close(code.cache);
    row_table_close(table);
}

static void walk(uint64_t at)
{
    const struct unwind_start start = {
        .ip = KIT_TEXT + at,
        .registers = &registers,
        .windows = {{STACK, (const uint8_t *)words, sizeof(words)}},
        .bits32 = true, /* all that lies below 4 GiB */
        .kernel = true,
    };

    guest_unwind(&code, &start, &result);
}

static void check_frame(uint32_t number, uint64_t at, bool exact)
{
    CHECK(result.count > number);
    CHECK(result.frames[number] == KIT_TEXT + at);
    CHECK_EQ(result.exact[number], exact);
}

TEST(callers_are_found_by_rows_and_the_thread_begins_in_assembly)
{
    begin();
    registers.rbp = 0;
    words[0] = KIT_TEXT + OUTER + 5;
    words[2] = KIT_TEXT + ASM; /* behind its call; 0 lies above it */
    walk(LEAF + 3);
    CHECK_EQ(result.end, UNWIND_ROOT);
    CHECK_EQ(result.count, 3);
    check_frame(0, LEAF + 3, true);
    check_frame(1, OUTER + 5, false);
    check_frame(2, ASM, false);
    words[3] = 7;
    walk(LEAF + 3);
    CHECK_EQ(result.end, UNWIND_NO_RULE);
    CHECK_EQ(result.count, 3);
    end();
}

/* push rcx (1 byte), push r11 (2), mov, syscall: Xen is entered with both. */
TEST(a_hypercall_has_its_caller)
{
    begin();
    words[2] = KIT_TEXT + OUTER + 5;
    words[4] = 0; /* the root */
    walk(PAGE + 32 * 29 + 10);
    CHECK_EQ(result.end, UNWIND_ROOT);
    CHECK_EQ(result.count, 2);
    check_frame(0, PAGE + 32 * 29 + 10, true);
    check_frame(1, OUTER + 5, false);
    /* Where the processor has hypercalls, nothing is pushed. */
    code.pv = false;
    words[0] = KIT_TEXT + LEAF + 5;
    words[1] = 0;
    walk(PAGE + 32 * 29 + 10);
    CHECK_EQ(result.end, UNWIND_ROOT);
    check_frame(1, LEAF + 5, false);
    registers.rsp = STACK + sizeof(words);
    walk(PAGE);
    CHECK_EQ(result.end, UNWIND_WINDOW);
    CHECK_EQ(result.count, 1);
    end();
}

TEST(what_is_not_the_kernels_code_is_not_a_caller)
{
    begin();
    words[0] = KIT_TEXT + KIT_SIZE + 64;
    walk(LEAF);
    CHECK_EQ(result.end, UNWIND_NONSENSE);
    CHECK_EQ(result.count, 1);
    registers.rsp = STACK + 8 * WORDS;
    walk(LEAF);
    CHECK_EQ(result.end, UNWIND_WINDOW);
    CHECK_EQ(result.count, 1);
    end();
}

/* A stack without an end, as a guest may make one. */
TEST(no_chain_is_longer_than_a_result)
{
    static uint64_t many[GUEST_FRAMES_MAX + 8];
    struct unwind_start start = {
        .ip = KIT_TEXT + LEAF,
        .registers = &registers,
        .windows = {{STACK, (const uint8_t *)many, sizeof(many)}},
        .kernel = true,
    };

    begin();
    for ( size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++ )
        many[i] = KIT_TEXT + LEAF + 1;
    guest_unwind(&code, &start, &result);
    CHECK_EQ(result.count, GUEST_FRAMES_MAX);
    CHECK_EQ(result.end, UNWIND_NONSENSE);
    end();
}
