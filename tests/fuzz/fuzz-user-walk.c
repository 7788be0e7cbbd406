/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks over rules, registers and a stack that are all made up: each ends, in
 * the window, and the same one is the same again.
 */
#include <string.h>

#include "rows/row-builder.h"
#include "rows/user-walk.h"
#include "fuzz.h"

#define IMAGE 0x401000ull
#define JIT   0x7f0000000000ull
#define STACK 0x7ffc00001000ull

#define RULES_MAX 31u
#define WORD_SIZE 3u /* bytes of input for a word */
#define WORDS_MAX 2048u

struct input {
    const uint8_t *at, *end;
};

static uint8_t take_byte(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

/* A word of the kinds that stacks have. */
static uint64_t take_word(struct input *input)
{
    uint8_t kind = take_byte(input);
    uint64_t value = take_byte(input);

    value |= (uint64_t)take_byte(input) << 8;
    switch ( kind % 5 )
    {
    case 0: return STACK + value;
    case 1: return IMAGE + value % 0x200;
    case 2: return JIT + value;
    case 3: return value;
    default: return (value << 48) | value;
    }
}

static struct row_table *take_table(struct input *input)
{
    static const struct row_segment segment = {0x1000, IMAGE, 0x200};
    unsigned int rules = take_byte(input) % (RULES_MAX + 1);
    struct row_builder builder;
    struct row_table *table;

    FUZZ_CHECK(row_builder_init(&builder, &segment, 1));
    for ( unsigned int i = 0; i < rules; i++ )
    {
        uint8_t bytes[sizeof(struct row_rule)];
        struct row_rule rule;

        for ( size_t k = 0; k < sizeof(bytes); k++ )
            bytes[k] = take_byte(input);
        memcpy(&rule, bytes, sizeof(rule));
        if ( !row_rule_sound(&rule) )
            continue;
        row_builder_function(&builder, IMAGE + 16 * i, IMAGE + 16 * i + 16);
        row_builder_row(&builder, IMAGE + 16 * i, &rule);
    }
    table = row_builder_make(&builder);
    FUZZ_CHECK(table);
    row_builder_free(&builder);
    return table;
}

static struct user_space *make_space(const struct row_table *table)
{
    struct user_mapping mappings[] = {{.start = IMAGE, .end = IMAGE + 0x200},
                                      {.start = JIT, .end = JIT + 0x10000}};
    struct user_space *space;

    FUZZ_CHECK(user_mapping_bind(&mappings[0], table, 0x1000));
    space = user_space_open(mappings, 2);
    FUZZ_CHECK(space);
    return space;
}

static void check(const struct user_chain *chain,
                  const struct user_start *start)
{
    FUZZ_CHECK(chain->count && chain->count <= USER_FRAMES_MAX);
    FUZZ_CHECK(chain->end < USER_ENDS);
    FUZZ_CHECK(chain->frames[0] == start->ip && chain->exact[0]);
    FUZZ_CHECK(chain->end != USER_DEEP || chain->count == USER_FRAMES_MAX);
    FUZZ_CHECK(!chain->wanted || chain->end == USER_WINDOW);
    FUZZ_CHECK(!chain->wanted || chain->wanted > start->window.length);
}

static void walk_twice(const struct user_space *space,
                       const struct user_start *start)
{
    static struct user_chain first, second;
    struct row_cache *cache = row_cache_open();

    FUZZ_CHECK(cache);
    user_walk(cache, space, start, &first);
    check(&first, start);
    user_walk(cache, space, start, &second);
    FUZZ_CHECK(first.count == second.count && first.end == second.end);
    FUZZ_CHECK(!memcmp(first.frames, second.frames, first.count * 8));
    FUZZ_CHECK(!memcmp(first.exact, second.exact, first.count));
    row_cache_close(cache);
}

/* Rules, registers, and the words of the window. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, data + size};
    struct row_table *table = take_table(&input);
    struct user_space *space = make_space(table);
    struct xenoprof_registers registers = {.rax = 0};
    struct user_start start = {.registers = &registers};
    uint64_t words[WORDS_MAX], *copy;
    size_t count = 0;

    start.ip = take_word(&input);
    for ( unsigned int i = 0; i < ROW_REGISTER_COUNT; i++ )
        (&registers.rax)[i] = take_word(&input);
    while ( input.end - input.at >= WORD_SIZE && count < WORDS_MAX )
        words[count++] = take_word(&input);
    /* Of this size, so that a read beyond it is seen. */
    copy = malloc(count * sizeof(*copy) + 1);
    FUZZ_CHECK(copy);
    memcpy(copy, words, count * sizeof(*copy));
    start.window = (struct user_window){
        STACK - USER_RED_ZONE, (const uint8_t *)copy, count * sizeof(*copy)};
    walk_twice(space, &start);
    free(copy);
    user_space_close(space);
    row_table_close(table);
    return 0;
}

static uint8_t *put_word(uint8_t *to, uint8_t kind, uint16_t value)
{
    *to++ = kind;
    *to++ = (uint8_t)value;
    *to++ = (uint8_t)(value >> 8);
    return to;
}

/* A function for each kind of rule, a stack pointer at the window's start, and
 * a stack that leads from each function to the next. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const uint8_t kinds[] = {RULE_SP,     RULE_BP,    RULE_REGISTER,
                                    RULE_AT_SP,  RULE_AT_BP, RULE_PLT,
                                    RULE_SIGNAL, RULE_ROOT};
    uint8_t *to = bytes;

    if ( number >= sizeof(kinds) + 2 )
        return 0;
    *to++ = sizeof(kinds);
    for ( size_t i = 0; i < sizeof(kinds); i++ )
    {
        struct row_rule rule = {.kind = kinds[i]};

        if ( kinds[i] != RULE_PLT && kinds[i] != RULE_ROOT )
            rule.offset = 2;
        memcpy(to, &rule, sizeof(rule));
        to += sizeof(rule);
    }
    to = put_word(to, number < sizeof(kinds) ? 1 : 2, (uint16_t)(16 * number));
    for ( unsigned int i = 0; i < ROW_REGISTER_COUNT; i++ )
        to = put_word(to, 0, (uint16_t)(8 * i));
    for ( unsigned int i = 0; i < 200; i++ )
        to = put_word(to, i % 3 == 0, (uint16_t)(i % 3 ? 8 * i : 16 * (i % 7)));
    return (size_t)(to - bytes);
}
