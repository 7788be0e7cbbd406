/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks up user stacks, frame by frame. */
#include "user-walk.h"

#include <stdlib.h>
#include <string.h>

#define CACHE_SHIFT 14u
#define CACHE_SLOTS (1u << CACHE_SHIFT)

/* A rule that was looked up, by address and space. */
struct cached_rule {
    uint64_t address;
    uint64_t space;
    const struct row_rule *rule;
};

struct row_cache {
    struct cached_rule slots[CACHE_SLOTS];
};

/* What no table has. */
static const struct row_rule no_row_rule = {.kind = RULE_NONE};
static const struct row_rule outside = {.kind = RULE_KINDS};

/* A step that does not end the walk. */
#define USER_ON USER_ENDS

/* Where the registers are that a rule may want, besides sp, bp and bx: only an
 * interrupted frame has them. */
enum user_registers { USER_LIVE, USER_IN_FRAME, USER_GONE };

struct user_state {
    const struct user_space *space;
    struct row_cache *cache;
    const struct user_start *start;
    uint64_t mixed; /* of the space's number, for the cache */
    uint64_t ip, sp, bp, bx;
    uint64_t wanted; /* the address that was not in the window */
    uint64_t frame;  /* USER_IN_FRAME: where sp was saved */
    enum user_registers registers;
    bool exact;
    bool by_frame_pointer; /* so the caller was found */
};

/* From sp to each register in the kernel's frame of a signal
 * (struct sigcontext); sp and ip follow. */
static const int16_t in_frame[ROW_REGISTER_COUNT] = {
    [0] = -16,  [1] = -24,  [2] = -8,   [3] = -32,  [4] = -48,   [5] = -56,
    [6] = -40,  [7] = 0,    [8] = -120, [9] = -112, [10] = -104, [11] = -96,
    [12] = -88, [13] = -80, [14] = -72, [15] = -64};
#define IP_IN_FRAME 8

struct row_cache *row_cache_open(void)
{
    return calloc(1, sizeof(struct row_cache));
}

void row_cache_close(struct row_cache *cache)
{
    free(cache);
}

/* Most rules are remembered: what is seldom done stays out of the way. */
#define SELDOM __attribute__((noinline, cold))

SELDOM static const struct row_rule *remember(const struct user_space *space,
                                              uint64_t address,
                                              struct cached_rule *slot)
{
    const struct user_mapping *mapping = user_space_find(space, address);
    const struct row_rule *rule = &no_row_rule;

    if ( !mapping )
        rule = &outside;
    else if ( mapping->rows )
        rule = row_table_find(mapping->rows, address - mapping->bias);
    *slot = (struct cached_rule){address, space->number, rule};
    return rule;
}

static inline const struct row_rule *find_rule(const struct user_state *walk,
                                               uint64_t address)
{
    uint64_t mixed = address ^ address >> CACHE_SHIFT ^ walk->mixed;
    struct cached_rule *slot = &walk->cache->slots[mixed % CACHE_SLOTS];

    if ( slot->address == address && slot->space == walk->space->number )
        return slot->rule;
    return remember(walk->space, address, slot);
}

/* Returns whether the word at address is in the window. */
static bool read_window_word(struct user_state *walk, uint64_t address,
                             uint64_t *ret)
{
    const struct user_window *window = &walk->start->window;
    uint64_t offset = address - window->address;

    if ( offset >= window->length || window->length - offset < sizeof(*ret) )
    {
        walk->wanted = address;
        return false;
    }
    memcpy(ret, window->bytes + offset, sizeof(*ret));
    return true;
}

static enum user_end get_user_register(struct user_state *walk,
                                       unsigned int number, uint64_t *ret)
{
    if ( number == ROW_BX )
    {
        *ret = walk->bx;
        return USER_ON;
    }
    switch ( walk->registers )
    {
    case USER_LIVE:
        *ret = (&walk->start->registers->rax)[number];
        return USER_ON;
    case USER_IN_FRAME:
        return read_window_word(walk, walk->frame + in_frame[number], ret)
                   ? USER_ON
                   : USER_WINDOW;
    default: return USER_NO_RULE;
    }
}

SELDOM static enum user_end find_odd_cfa(struct user_state *walk,
                                         const struct row_rule *rule,
                                         uint64_t *cfa)
{
    uint64_t base = rule->kind == RULE_AT_BP ? walk->bp : walk->sp;
    enum user_end end;

    switch ( rule->kind )
    {
    case RULE_AT_SP:
    case RULE_AT_BP:
        if ( !read_window_word(walk, base + rule->offset * ROW_WORD, cfa) )
            return USER_WINDOW;
        *cfa += rule->extra;
        return USER_ON;
    case RULE_REGISTER:
        end = get_user_register(walk, rule->extra, cfa);
        *cfa += rule->offset * ROW_WORD;
        return end;
    default:
        /* An entry of a procedure linkage table has pushed a word from one of
         * its 16 bytes on. */
        *cfa = walk->sp + ((walk->ip & 15) >= rule->extra ? 16 : 8);
        return USER_ON;
    }
}

/*
 * The caller's value of a register.  Compilers do not say when an epilogue has
 * restored it: where it "is" then lies below the stack pointer, or, if it
 * counts from a bp that has been restored as well, anywhere but in this frame;
 * and it is in its register.
 */
static inline bool get_caller_register(struct user_state *walk, uint8_t way,
                                       int8_t offset, uint64_t cfa,
                                       uint64_t *value)
{
    uint64_t at = (way == SAVED_AT_BP ? walk->bp : cfa) + offset * ROW_WORD;

    switch ( way )
    {
    case SAVED_NOT: return true;
    case SAVED_AT_CFA:
        return (int64_t)(at - walk->sp) < 0 ||
               read_window_word(walk, at, value);
    case SAVED_AT_BP:
        return at - walk->sp >= cfa - walk->sp ||
               read_window_word(walk, at, value);
    default: *value = 0; return true;
    }
}

/* sp does not fall, and it rises but for code that has no frame. */
static bool rises(const struct user_state *walk, uint64_t sp)
{
    return sp > walk->sp || (sp == walk->sp && walk->exact);
}

/* From a frame whose CFA is known to its caller's. */
static inline enum user_end to_caller(struct user_state *walk,
                                      const struct row_rule *rule, uint64_t cfa)
{
    uint64_t ip, bp = walk->bp, bx = walk->bx;

    if ( !rises(walk, cfa) )
        /* A bp that was lost is 0. */
        return rule->kind == RULE_BP && !bp ? USER_NO_RULE : USER_NONSENSE;
    if ( !read_window_word(walk, cfa - 8, &ip) ||
         !get_caller_register(walk, rule->bp, rule->bp_offset, cfa, &bp) ||
         !get_caller_register(walk, rule->bx, rule->bx_offset, cfa, &bx) )
        return USER_WINDOW;
    walk->ip = ip;
    walk->sp = cfa;
    walk->bp = bp;
    walk->bx = bx;
    walk->registers = USER_GONE;
    walk->exact = false;
    return USER_ON;
}

SELDOM static enum user_end by_odd_rule(struct user_state *walk,
                                        const struct row_rule *rule)
{
    uint64_t cfa = 0;
    enum user_end end = find_odd_cfa(walk, rule, &cfa);

    return end == USER_ON ? to_caller(walk, rule, cfa) : end;
}

/* A signal's frame has all registers of what it interrupted, which may be on
 * another stack. */
SELDOM static enum user_end by_signal(struct user_state *walk,
                                      const struct row_rule *rule)
{
    uint64_t frame = walk->sp + rule->offset * ROW_WORD, sp;

    if ( !read_window_word(walk, frame, &sp) ||
         !read_window_word(walk, frame + IP_IN_FRAME, &walk->ip) ||
         !read_window_word(walk, frame + in_frame[ROW_BP], &walk->bp) ||
         !read_window_word(walk, frame + in_frame[ROW_BX], &walk->bx) )
        return USER_WINDOW;
    if ( sp <= walk->sp )
        return read_window_word(walk, sp, &sp) ? USER_NONSENSE : USER_WINDOW;
    walk->sp = sp;
    walk->frame = frame;
    walk->registers = USER_IN_FRAME;
    walk->exact = true;
    return USER_ON;
}

/* Code without rows, as a JIT's, may have frame pointers.  Whether it has is
 * seen from what they lead to. */
SELDOM static enum user_end by_frame_pointer(struct user_state *walk)
{
    uint64_t bp, ip;

    if ( !walk->bp && walk->by_frame_pointer )
        return USER_ROOT;
    if ( walk->bp & 7 || walk->bp < walk->sp || walk->bp + 16 < walk->bp )
        return USER_NO_ROW;
    if ( !read_window_word(walk, walk->bp + 8, &ip) ||
         !read_window_word(walk, walk->bp, &bp) )
        return walk->by_frame_pointer ? USER_WINDOW : USER_NO_ROW;
    if ( !ip && walk->by_frame_pointer )
        return USER_ROOT;
    if ( find_rule(walk, ip - 1)->kind == RULE_KINDS )
        return USER_NO_ROW;
    walk->sp = walk->bp + 16;
    walk->bp = bp;
    walk->ip = ip;
    walk->registers = USER_GONE;
    walk->exact = false;
    walk->by_frame_pointer = true;
    return USER_ON;
}

static inline enum user_end find_user_caller(struct user_state *walk)
{
    const struct row_rule *rule = find_rule(walk, walk->ip - !walk->exact);

    if ( rule->kind == RULE_SP )
        return to_caller(walk, rule, walk->sp + rule->offset * ROW_WORD);
    if ( rule->kind == RULE_BP )
        return to_caller(walk, rule, walk->bp + rule->offset * ROW_WORD);
    switch ( rule->kind )
    {
    case RULE_NONE: return by_frame_pointer(walk);
    case RULE_UNKNOWN: return USER_NO_RULE;
    case RULE_ROOT: return USER_ROOT;
    case RULE_SIGNAL: return by_signal(walk, rule);
    case RULE_KINDS: return USER_OUTSIDE;
    default: return by_odd_rule(walk, rule);
    }
}

static uint64_t window_wanted(const struct user_state *walk)
{
    const struct user_window *window = &walk->start->window;

    if ( walk->wanted < window->address )
        return 0;
    return walk->wanted - window->address + sizeof(walk->wanted);
}

void user_walk(struct row_cache *cache, const struct user_space *space,
               const struct user_start *start, struct user_chain *ret)
{
    struct user_state walk = {.space = space,
                              .cache = cache,
                              .start = start,
                              .mixed = space->number * 0x9e37u,
                              .ip = start->ip,
                              .sp = start->registers->rsp,
                              .bp = start->registers->rbp,
                              .bx = start->registers->rbx,
                              .registers = USER_LIVE,
                              .exact = true};
    enum user_end end = USER_ON;
    uint32_t count = 0;

    while ( end == USER_ON && count < USER_FRAMES_MAX )
    {
        ret->frames[count] = walk.ip;
        ret->exact[count++] = walk.exact;
        end = find_user_caller(&walk);
        /* What begins a thread may have pushed it for its caller. */
        if ( end == USER_ON && !walk.ip )
            end = USER_ROOT;
    }
    ret->count = count;
    ret->end = end == USER_ON ? USER_DEEP : end;
    ret->wanted = end == USER_WINDOW ? window_wanted(&walk) : 0;
    ret->sp = walk.sp;
    ret->bp = walk.bp;
}
