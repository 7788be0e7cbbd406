/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks made by hand: each kind of rule, and each end of a chain. */
#include <string.h>

#include "rows/user-walk.h"
#include "table-kit.h"

#define IMAGE 0x7f1234560000ull /* where the table's code is mapped */
#define JIT   0x7f2000000000ull /* code without rows */
#define STACK 0x7ffc00001000ull
#define WORDS 128u
#define RED   (USER_RED_ZONE / 8)

/* Functions of the table: a page of code for each rule. */
enum {
    PLAIN = 0x100,     /* sp + 16 */
    POINTED = 0x200,   /* bp + 16, bp at CFA - 16 */
    BY_R10 = 0x300,    /* r10 + 0 */
    BY_BX = 0x400,     /* rbx + 8 */
    REALIGNED = 0x500, /* the word at bp - 8; bp at bp + 0 */
    ASSEMBLY = 0x600,  /* the word at sp + 8, plus 8 */
    RED_ZONE = 0xd00,  /* the word at sp - 8, plus 8 */
    PLT = 0x700,
    SIGNAL = 0x800,
    UNKNOWN = 0x900,
    ROOT = 0xa00,
    SAVES_BX = 0xb00, /* sp + 24, bx at CFA - 16, bp lost */
    NO_FRAME = 0xc00, /* sp + 0 */
    LENGTH = 0x80
};

static struct row_table *table;
static struct user_space *space;
static struct row_cache *cache;
static struct xenoprof_registers registers;
static uint64_t stack[RED + WORDS]; /* from the red zone on */
static struct user_chain chain;

static void make_table(void)
{
    static const struct {
        uint64_t at;
        struct row_rule rule;
    } functions[] = {
        {PLAIN, {.kind = RULE_SP, .offset = 2}},
        {POINTED,
         {.kind = RULE_BP, .offset = 2, .bp = SAVED_AT_CFA, .bp_offset = -2}},
        {BY_R10, {.kind = RULE_REGISTER, .extra = 10}},
        {BY_BX, {.kind = RULE_REGISTER, .extra = ROW_BX, .offset = 1}},
        {REALIGNED, {.kind = RULE_AT_BP, .offset = -1, .bp = SAVED_AT_BP}},
        {ASSEMBLY, {.kind = RULE_AT_SP, .offset = 1, .extra = 8}},
        {PLT, {.kind = RULE_PLT, .extra = 11}},
        {SIGNAL, {.kind = RULE_SIGNAL, .offset = 20}},
        {UNKNOWN, {.kind = RULE_UNKNOWN}},
        {ROOT, {.kind = RULE_ROOT}},
        {SAVES_BX,
         {.kind = RULE_SP,
          .offset = 3,
          .bx = SAVED_AT_CFA,
          .bx_offset = -2,
          .bp = SAVED_LOST}},
        {NO_FRAME, {.kind = RULE_SP, .offset = 0}},
        {RED_ZONE, {.kind = RULE_AT_SP, .offset = -1, .extra = 8}},
    };
    struct row_builder builder;

    rows_kit_begin(&builder);
    for ( size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++ )
        rows_kit_function(&builder, functions[i].at, functions[i].at + LENGTH,
                          functions[i].rule);
    table = rows_kit_end(&builder);
}

static void setup(void)
{
    struct user_mapping mappings[] = {{.start = IMAGE, .end = IMAGE + 0x10000},
                                      {.start = JIT, .end = JIT + 0x1000}};

    make_table();
    CHECK(user_mapping_bind(&mappings[0], table, 0x1000));
    space = user_space_open(mappings, 2);
    cache = row_cache_open();
    CHECK(space && cache);
    memset(&registers, 0, sizeof(registers));
    memset(stack, 0, sizeof(stack));
    registers.rsp = STACK;
}

static void walk(uint64_t ip)
{
    const struct user_start start = {.ip = ip,
                                     .registers = &registers,
                                     .window = {STACK - USER_RED_ZONE,
                                                (const uint8_t *)stack,
                                                sizeof(stack)}};

    memset(&chain, 0xa5, sizeof(chain));
    user_walk(cache, space, &start, &chain);
    CHECK(chain.count && chain.frames[0] == ip && chain.exact[0]);
}

static void clean(void)
{
    row_cache_close(cache);
    user_space_close(space);
    row_table_close(table);
}

static void put(unsigned int word, uint64_t value)
{
    stack[RED + word] = value;
}

static uint64_t in(unsigned int function)
{
    return IMAGE + function + 0x20;
}

static uint64_t at(unsigned int word)
{
    return STACK + 8ull * word;
}

/* The whole chain: so many frames, the last of which is a root. */
static void check_root(uint32_t count)
{
    CHECK_EQ(chain.end, USER_ROOT);
    CHECK_EQ(chain.count, count);
    CHECK_EQ(chain.frames[count - 1], in(ROOT));
    CHECK_EQ(chain.wanted, 0);
}

static void check_end(enum user_end end, uint32_t count)
{
    CHECK_EQ(chain.end, end);
    CHECK_EQ(chain.count, count);
}

TEST(sp_and_bp)
{
    setup();
    registers.rbp = at(8);
    put(1, in(POINTED));
    put(8, at(20));
    put(9, in(POINTED));
    put(20, 0);
    put(21, in(ROOT));
    walk(in(PLAIN));
    check_root(4);
    CHECK(!chain.exact[1] && !chain.exact[3]);
    clean();
}

/* Behind a call, code is looked up one byte before: the call may be the last
 * instruction of its function. */
TEST(after_a_call_the_byte_before_counts)
{
    setup();
    put(1, IMAGE + PLAIN + LENGTH);
    put(3, in(ROOT));
    walk(in(PLAIN));
    CHECK_EQ(chain.count, 3);
    check_root(3);
    walk(IMAGE + PLAIN + LENGTH); /* interrupted: it is beyond */
    check_end(USER_NO_ROW, 1);
    clean();
}

TEST(an_epilogue_has_restored_bp)
{
    setup();
    /* leave, and before ret; CFA is right, but bp was saved below sp. */
    registers.rbp = at(12);
    put(0, in(POINTED));
    stack[RED - 1] = 0x1234;
    registers.rsp = at(0);
    put(12, 0);
    put(13, in(ROOT));
    walk(in(POINTED));
    /* CFA by the restored bp is the caller's: one frame less. */
    check_root(2);
    registers.rbx = 5;
    put(2, in(ROOT));
    walk(in(SAVES_BX));
    check_root(2);
    clean();
}

TEST(a_register_that_only_a_leaf_has)
{
    setup();
    registers.r10 = at(3);
    put(2, in(ROOT));
    walk(in(BY_R10));
    check_root(2);
    put(2, in(BY_R10));
    walk(in(BY_R10));
    check_end(USER_NO_RULE, 2);
    clean();
}

TEST(bx_lasts_over_calls)
{
    setup();
    registers.rbx = at(4);
    put(1, in(BY_BX));
    put(4, in(ROOT));
    walk(in(PLAIN));
    check_root(3);
    /* A function between them has saved it. */
    registers.rbx = 7;
    put(1, at(4));
    put(2, in(BY_BX));
    walk(in(SAVES_BX));
    check_root(3);
    clean();
}

TEST(realigned_stacks)
{
    setup();
    registers.rbp = at(6);
    put(5, at(12)); /* what r10 was: the CFA */
    put(6, at(20));
    put(11, in(POINTED));
    put(20, 0);
    put(21, in(ROOT));
    walk(in(REALIGNED));
    check_root(3);
    clean();
}

TEST(a_restored_bp_is_not_looked_for_in_another_frame)
{
    setup();
    registers.r10 = at(3);
    registers.rbp = at(20);
    put(2, in(POINTED));
    put(20, 0);
    put(21, in(ROOT));
    put(4, 0xbad);
    walk(in(BY_R10));
    check_root(3);
    clean();
}

TEST(sp_kept_in_memory)
{
    setup();
    put(1, at(9));
    put(9, in(ROOT));
    walk(in(ASSEMBLY));
    check_root(2);
    clean();
}

/* As a leaf of OpenSSL's keeps it. */
TEST(the_callers_stack_pointer_is_below_the_own)
{
    struct user_start start = {
        .ip = in(RED_ZONE),
        .registers = &registers,
        .window = {STACK, (const uint8_t *)(stack + RED), WORDS * 8}};

    setup();
    stack[RED - 1] = at(9);
    put(9, in(ROOT));
    walk(in(RED_ZONE));
    check_root(2);
    /* Nor can a larger window help one that begins above. */
    user_walk(cache, space, &start, &chain);
    check_end(USER_WINDOW, 1);
    CHECK_EQ(chain.wanted, 0);
    clean();
}

TEST(procedure_linkage)
{
    setup();
    put(0, in(ROOT));
    put(1, 0);
    walk(IMAGE + PLT + 0x10);
    check_root(2);
    walk(IMAGE + PLT + 0x10 + 10);
    check_root(2);
    put(0, 3);
    put(1, in(ROOT));
    walk(IMAGE + PLT + 0x10 + 11);
    check_root(2);
    clean();
}

/* The kernel's frame, from which the interrupted one has all registers; its
 * address is exact, the first byte of a function. */
static void put_signal(uint64_t ip, uint64_t sp)
{
    put(20, sp);
    put(21, ip);
    put(20 - 5, at(60));  /* bp */
    put(20 - 4, 0x66);    /* bx */
    put(20 - 13, at(43)); /* r10 */
}

TEST(signals)
{
    setup();
    put_signal(IMAGE + BY_R10, at(40));
    put(42, in(POINTED));
    put(60, 0);
    put(61, in(ROOT));
    walk(in(SIGNAL));
    check_root(4);
    CHECK_EQ(chain.frames[1], IMAGE + BY_R10);
    CHECK(chain.exact[1] && !chain.exact[2]);
    put_signal(in(ROOT), at(0));
    walk(in(SIGNAL));
    check_end(USER_NONSENSE, 1);
    put_signal(in(ROOT), STACK - 0x100000);
    walk(in(SIGNAL));
    check_end(USER_WINDOW, 1); /* of another stack */
    clean();
}

TEST(code_without_rows_has_frame_pointers)
{
    setup();
    registers.rbp = at(4);
    put(4, at(8));
    put(5, JIT + 0x20);
    put(8, at(16));
    put(9, in(PLAIN));
    put(11, in(ROOT));
    walk(JIT + 0x10);
    check_root(4);
    put(9, JIT + 0x30);
    put(16, 0);
    put(17, JIT + 0x40);
    walk(JIT + 0x10);
    check_end(USER_ROOT, 4); /* the list ends */
    clean();
}

TEST(frame_pointers_that_cannot_be)
{
    setup();
    put(4, at(8));
    put(5, JIT + 0x20);
    registers.rbp = at(4) + 4;
    walk(JIT + 0x10);
    check_end(USER_NO_ROW, 1);
    registers.rbp = STACK - 8;
    walk(JIT + 0x10);
    check_end(USER_NO_ROW, 1);
    registers.rbp = at(WORDS - 1);
    walk(JIT + 0x10);
    check_end(USER_NO_ROW, 1);
    registers.rbp = UINT64_MAX - 7;
    walk(JIT + 0x10);
    check_end(USER_NO_ROW, 1);
    registers.rbp = 0;
    walk(JIT + 0x10);
    check_end(USER_NO_ROW, 1);
    registers.rbp = at(4);
    put(5, 0x1234); /* no code there */
    walk(JIT + 0x10);
    check_end(USER_NO_ROW, 1);
    clean();
}

/* It has frame pointers, but each word is two of its own: no address of code.
 * So it has its leaf, and the end of what has no rows. */
TEST(processes_of_32_bits)
{
    const uint64_t code = 0x8048000;
    const struct user_mapping mapping = {.start = code, .end = code + 0x1000};

    setup();
    user_space_close(space);
    space = user_space_open(&mapping, 1);
    CHECK(space);
    registers.rbp = at(4);
    put(4, (code + 0x123) << 32 | (uint32_t)at(8));
    put(5, 0x10000000bull); /* arguments */
    put(8, (code + 0x223) << 32 | 0);
    walk(code + 0x10);
    check_end(USER_NO_ROW, 1);
    registers.rbp = at(4) + 4;
    walk(code + 0x10);
    check_end(USER_NO_ROW, 1);
    clean();
}

TEST(windows_end)
{
    setup();
    registers.rbp = at(WORDS - 1);
    walk(in(POINTED));
    check_end(USER_WINDOW, 1);
    CHECK_EQ(chain.wanted, sizeof(stack) + 8);
    registers.r10 = STACK - USER_RED_ZONE - 8;
    registers.rsp = STACK - USER_RED_ZONE - 64;
    walk(in(BY_R10));
    check_end(USER_WINDOW, 1);
    CHECK_EQ(chain.wanted, 0);
    clean();
}

TEST(an_empty_window_gives_the_leaf)
{
    const struct user_start start = {.ip = IMAGE + PLAIN,
                                     .registers = &registers};

    setup();
    user_walk(cache, space, &start, &chain);
    check_end(USER_WINDOW, 1);
    clean();
}

TEST(chains_that_go_wrong)
{
    setup();
    walk(in(UNKNOWN));
    check_end(USER_NO_RULE, 1);
    put(1, 0x123456);
    walk(in(PLAIN));
    check_end(USER_OUTSIDE, 2);
    walk(0x10);
    check_end(USER_OUTSIDE, 1);
    put(1, 0);
    walk(in(PLAIN));
    check_end(USER_ROOT, 1); /* a thread's first function */
    registers.rbp = STACK - 0x40;
    walk(in(POINTED));
    check_end(USER_NONSENSE, 1);
    /* What is lost is not used. */
    put(2, in(POINTED));
    walk(in(SAVES_BX));
    check_end(USER_NO_RULE, 2);
    clean();
}

/* Only interrupted code may have no frame at all. */
TEST(frames_rise)
{
    setup();
    stack[RED - 1] = in(NO_FRAME);
    walk(in(NO_FRAME));
    check_end(USER_NONSENSE, 2);
    clean();
}

TEST(chains_are_bounded)
{
    static uint64_t deep[2 * USER_FRAMES_MAX + 16];
    struct user_start start = {
        .ip = IMAGE + PLAIN,
        .registers = &registers,
        .window = {STACK, (const uint8_t *)deep, sizeof(deep)}};

    setup();
    for ( unsigned int i = 0; i < sizeof(deep) / 8; i++ )
        deep[i] = in(PLAIN);
    user_walk(cache, space, &start, &chain);
    check_end(USER_DEEP, USER_FRAMES_MAX);
    clean();
}

/* Another space has other code at the same address, also if it is the memory
 * of one that was closed. */
TEST(rules_are_remembered_for_their_space)
{
    setup();
    put(1, in(ROOT));
    for ( int i = 0; i < 3; i++ )
    {
        walk(in(PLAIN));
        check_root(2);
    }
    user_space_close(space);
    space = user_space_open(NULL, 0);
    walk(in(PLAIN));
    check_end(USER_OUTSIDE, 1);
    clean();
}
