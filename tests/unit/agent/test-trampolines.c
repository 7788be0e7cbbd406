/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code as CPython makes it, which is run and stopped after each instruction;
 * and maps of those who lie. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xenoprof/agent.h>

#include "agent/trampolines.h"
#include "compiled-kit.h"
#include "tests/harness.h"

#define ARENA  65536u
#define WINDOW 16384u
#define START  0x7f0000010000ull

/* CPython's trampolines of 3.12 and 3.13, of 3.14, and both with a processor's
 * check of indirect calls; and how far apart they are. */
static const struct {
    uint8_t size, apart;
    uint8_t code[16];
} made[] = {
    {11, 16, {0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3}},
    {11, 11, {0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3}},
    {15,
     16,
     {0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4,
      8, 0xc3}},
    {8, 16, {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd1, 0x5d, 0xc3}},
    {12,
     16,
     {0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd1, 0x5d, 0xc3}},
};

#define MADE (sizeof(made) / sizeof(made[0]))

static struct jit_map map;

static void add(uint64_t start, uint64_t size, const char *name)
{
    jit_map_put(&map, start, size, name, strlen(name));
}

/* The image of so many bytes, of which the map says what was added. */
static uint64_t image_of(uint64_t size)
{
    uint64_t image = trampolines_image(&map, START, START + size);

    jit_map_free(&map);
    CHECK(!image || image & AGENT_IMAGE_NO_FILE);
    return image;
}

/* An arena with some that are called, as the map says. */
static uint64_t image_of_made(size_t which)
{
    for ( unsigned int i = 0; i < 5; i++ )
        add(START + 3 * i * made[which].apart, made[which].size, "py::f:x.py");
    add(START + 4 * made[which].apart, made[which].size, "py::f:x.py");
    return image_of(ARENA);
}

/* What a trampoline calls. */
__attribute__((noinline)) static int64_t callee(int64_t one, int64_t two,
                                                int64_t three)
{
    return one + two + three;
}

typedef int64_t trampoline(int64_t one, int64_t two, int64_t three,
                           void *target);

/* The trampoline that the child calls. */
static trampoline *volatile called;

__attribute__((noinline)) static int64_t call_to(int64_t one, int64_t two,
                                                 int64_t three, void *target)
{
    return called(one, two, three, target) + 1;
}

static void fill(uint8_t *arena, size_t which)
{
    for ( size_t at = 0; at + made[which].size <= ARENA;
          at += made[which].apart )
        memcpy(arena + at, made[which].code, made[which].size);
    CHECK(!mprotect(arena, ARENA, PROT_READ | PROT_EXEC));
}

static pid_t start_child(void)
{
    pid_t child = fork();
    int status;

    if ( !child )
    {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        _exit(call_to(1, 2, 3, (void *)(uintptr_t)callee) != 7);
    }
    CHECK(child > 0);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSTOPPED(status));
    return child;
}

/* The chain in the first instruction of the trampoline, where the stack pointer
 * is at the return address. */
static struct user_chain first;

/* Whether the chain goes on from the trampoline as the first one did. */
static bool has_tail(const struct user_chain *chain, uint64_t arena)
{
    uint32_t tail = first.count - 1, at = chain->count - tail;

    return chain->count > tail && chain->frames[at - 1] - arena < ARENA &&
           !memcmp(chain->frames + at, first.frames + 1,
                   tail * sizeof(chain->frames[0]));
}

/* Looks at each stack from the trampoline's first instruction on until it has
 * returned.  Returns how many there were. */
static unsigned int follow(pid_t child, const struct captured_space *space,
                           uint64_t arena)
{
    struct row_cache *cache = row_cache_open();
    static struct user_chain chain;
    struct captured_stack stack;
    unsigned int stacks = 0;

    CHECK(cache);
    first.count = 0;
    while ( capture_step(child, 0) )
    {
        CHECK(capture_stack(&stack, child, WINDOW));
        capture_walk(&stack, space, cache, &chain);
        free(stack.bytes);
        if ( !first.count && stack.ip - arena < ARENA )
            first = chain;
        if ( !first.count )
            continue;
        if ( stack.ip == first.frames[1] )
            break;
        CHECK_EQ(chain.end, USER_ROOT);
        CHECK(has_tail(&chain, arena));
        stacks++;
    }
    row_cache_close(cache);
    return stacks;
}

static void bind(struct captured_space *space, uint64_t arena, uint64_t image)
{
    struct row_table *table = kit_image_rows(image);
    size_t number = 0;

    CHECK(table);
    while ( number < space->count &&
            space->mappings[number].mapping.start != arena )
        number++;
    CHECK(number < space->count && capture_space_bind(space, number, table));
}

static void check_made(size_t which)
{
    /* Memory on both sides keeps it a mapping of its own. */
    uint8_t *memory = mmap(NULL, 3 * ARENA, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *arena = memory + ARENA;
    struct captured_space space;
    int status;
    pid_t child;

    CHECK(memory != MAP_FAILED);
    fill(arena, which);
    called = (trampoline *)(uintptr_t)(arena + 7 * made[which].apart);
    child = start_child();
    CHECK(capture_space(&space, child));
    bind(&space, (uint64_t)(uintptr_t)arena, image_of_made(which));
    CHECK(follow(child, &space, (uint64_t)(uintptr_t)arena) > 6);
    CHECK(!ptrace(PTRACE_CONT, child, NULL, NULL));
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
    capture_space_free(&space);
    munmap(memory, 3 * ARENA);
}

TEST(each_instruction_has_its_caller)
{
    for ( size_t i = 0; i < MADE; i++ )
        check_made(i);
}

/* Alike in all processes, and as many as there is memory. */
TEST(images)
{
    uint64_t image = image_of_made(0);
    struct row_table *table;

    CHECK_EQ(image_of_made(0), image);
    for ( size_t i = 1; i < MADE; i++ )
        CHECK(image_of_made(i) != image);
    /* In the first and the last of more arenas. */
    add(START, 11, "py::f:x.py");
    add(START + 16, 11, "py::g:x.py");
    add(START + 3 * ARENA - 64, 11, "py::h:x.py");
    image = image_of(3 * ARENA);
    table = kit_image_rows(image);
    CHECK(table);
    CHECK_EQ(table->pages, 3);
    CHECK_EQ(row_table_find(table, 3 * ARENA - 64 + 4)->offset, 2);
    CHECK_EQ(row_table_find(table, 3 * ARENA)->kind, RULE_NONE);
    row_table_close(table);
    add(START, 11, "py::f:x.py");
    add(START + 16, 11, "py::g:x.py");
    CHECK_EQ(image_of(1ull << 40) & 0xff, 16);
}

/* Two functions and what it is that there is no image. */
static bool is_none(uint64_t first, uint64_t first_size, const char *first_name,
                    uint64_t second, uint64_t second_size,
                    const char *second_name)
{
    add(START + first, first_size, first_name);
    add(START + second, second_size, second_name);
    return !image_of(ARENA);
}

TEST(what_is_no_trampoline)
{
    const char *one = "py::f:x.py", *other = "py::g:x.py";

    CHECK(!image_of(ARENA));
    CHECK(!is_none(0, 11, one, 16, 11, other));
    CHECK(is_none(0, 11, "JS:~work", 16, 11, "JS:~work"));
    CHECK(is_none(0, 11, one, 16, 11, "LazyCompile:*work"));
    CHECK(is_none(0, 11, "py:f", 16, 11, "py:g"));
    CHECK(is_none(0, 10, one, 16, 10, other));
    CHECK(is_none(0, 11, one, 16, 15, other));
    /* Outside; or there is one alone, and nobody knows where the next is. */
    CHECK(is_none(-16ull, 11, one, ARENA, 11, other));
    CHECK(is_none(-16ull, 11, one, 0, 11, other));
    CHECK(is_none(0, 11, one, 0, 11, other));
    /* One over another; not from the start on; too far apart. */
    CHECK(is_none(0, 11, one, 10, 11, other));
    CHECK(is_none(8, 11, one, 24, 11, other));
    CHECK(is_none(0, 11, one, 5000, 11, other));
    /* Not at equal distances. */
    add(START + 40, 11, one);
    CHECK(is_none(0, 11, one, 16, 11, other));
}

TEST(numbers_that_no_image_has)
{
    const uint64_t image = image_of_made(0);
    struct buffer bytes = {0};

    CHECK(!trampolines_rows(0, &bytes));
    CHECK(!trampolines_rows(image & ~AGENT_IMAGE_NO_FILE, &bytes));
    CHECK(!trampolines_rows(image & ~0xffull, &bytes));
    CHECK(!trampolines_rows(image | 0xff, &bytes));
    CHECK(!trampolines_rows(image | 0xff00, &bytes));
    CHECK(!trampolines_rows(image | 0xffff0000, &bytes));
    CHECK(!trampolines_rows(image & ~0xffff0000ull, &bytes));
    CHECK_EQ(bytes.used, 0);
}
