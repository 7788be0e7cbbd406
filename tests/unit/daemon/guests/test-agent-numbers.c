/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An agent whose answers have the right form, and in it numbers that no agent
 * has.  Each row changes an answer of one that is honest otherwise: it is a lie
 * that the agent is hung up on for, or it is believed, and harmless.  In either
 * case no walker dies, no room is taken that there is not, and the honest agent
 * that comes next has all of its names and callers.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "agent-kit.h"
#include "base/clock.h"
#include "clock-kit.h"
#include "daemon/guests/user-facts.h"
#include "guests-kit.h"
#include "rows/row-rule.h"
#include "tests/harness.h"

#define LEAF  (KIT_CODE + 0x120)
#define STACK 0x7000u
#define MAX   UINT64_MAX
#define PAGE  0x1000u

/* What is set in an answer, and how many bytes of it. */
struct number {
    uint64_t value;
    uint16_t at;
    uint8_t bytes;
};

/* A piece of a table, and how long that is. */
struct answered_piece {
    uint64_t whole;
    uint32_t bytes;
};

/* What becomes of it: the callers that a sample in "leaf" has, what its own
 * symbol is, and whether the agent was hung up on. */
struct fate {
    uint32_t callers;
    const char *symbol;
    bool lie;
};

static const struct fate whole = {2, "leaf", false};
static const struct fate no_callers = {0, "leaf", false};
static const struct fate greets_no_more = {0, "", true};
static const struct fate maps_no_more = {0, "", true};
static const struct fate names_no_more = {2, "", true};
static const struct fate inlines_no_more = {2, "leaf", true};

struct hostile_answer {
    const char *what;
    enum agent_kind kind; /* of the answer */
    const struct fate *fate;
    struct number set[5]; /* bytes 0: no more of them */
    uint32_t count, add;  /* in its head, if not 0; to what that has */
    const struct agent_mapping *mappings; /* so many in place of its own */
    size_t mapped;
    const struct answered_piece
        *pieces; /* one after the other; the last for ever */
    size_t piece_count;
    const struct row_rule *rule; /* of "leaf" */
};

/* Messages ----------------------------------------------------------------- */

#define OF(type, member, value_)                                               \
    {                                                                          \
        .value = (value_), .at = offsetof(struct type, member),                \
        .bytes = sizeof(((struct type *)0)->member)                            \
    }

/* Of the first answer, which work goes before. */
#define ANSWER(member, value_)                                                 \
    {                                                                          \
        .value = (value_),                                                     \
        .at = sizeof(struct agent_work) +                                      \
              offsetof(struct agent_answer, member),                           \
        .bytes = sizeof(((struct agent_answer *)0)->member)                    \
    }

/* A name of the first address. */
#define INLINE(level, value_)                                                  \
    {                                                                          \
        .value = (value_),                                                     \
        .at = offsetof(struct agent_inlined, names) + 4 * (level), .bytes = 4  \
    }

/* A line of the first address. */
#define LINE(level, member, value_)                                            \
    {                                                                          \
        .value = (value_),                                                     \
        .at = offsetof(struct agent_inlined, sources) +                        \
              sizeof(struct agent_source) * (level) +                          \
              offsetof(struct agent_source, member),                           \
        .bytes = 4                                                             \
    }

/* Behind struct agent_table, by where it is in the table. */
#define TABLE(at_, bytes_, value_)                                             \
    {                                                                          \
        .value = (value_), .at = sizeof(struct agent_table) + (at_),           \
        .bytes = (bytes_)                                                      \
    }

#define ROW(what_, kind_, fate_, ...)                                          \
    {                                                                          \
        .what = (what_), .kind = AGENT_##kind_, .fate = &(fate_), __VA_ARGS__  \
    }
#define LIST(list, member, count_) .member = (list), .count_ = COUNT(list)
#define COUNT(list)                (sizeof(list) / sizeof((list)[0]))
#define MAPPED(list)               LIST(list, mappings, mapped)
#define PIECES(list)               LIST(list, pieces, piece_count)
#define RULE(...)                                                              \
    .rule = &(const struct row_rule)                                           \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

static const struct agent_mapping all_of_it[] = {{0, MAX, 0, 7}};
static const struct agent_mapping up_to_the_end[] = {{KIT_CODE, MAX, 0, 7}};
static const struct agent_mapping ends_at_0[] = {{KIT_CODE, 0, 0, 7}};
static const struct agent_mapping empty[] = {{KIT_CODE, KIT_CODE, 0, 7}};
static const struct agent_mapping last_byte[] = {
    {KIT_CODE, KIT_CODE + PAGE, 0, 7}, {MAX - 1, MAX, MAX, MAX}};
static const struct agent_mapping kernel_s[] = {
    {KIT_CODE, KIT_CODE + PAGE, 0, 7}, {1ull << 63, MAX, 0, 7}};
static const struct agent_mapping far_offset[] = {
    {KIT_CODE, KIT_CODE + PAGE, MAX, 7}};
static const struct agent_mapping offset_that_wraps[] = {
    {KIT_CODE - PAGE, KIT_CODE + PAGE, -(uint64_t)PAGE, 7}};
static const struct agent_mapping mapped_before_it_is_there[] = {
    {KIT_CODE - PAGE, KIT_CODE, MAX - PAGE, 7},
    {KIT_CODE, KIT_CODE + PAGE, 0, 7}};
static const struct agent_mapping equal_images[] = {
    {KIT_CODE, KIT_CODE + PAGE, 0, 7},
    {KIT_CODE + PAGE, KIT_CODE + 2 * PAGE, MAX - PAGE, 7},
    {KIT_CODE + 2 * PAGE, KIT_CODE + 3 * PAGE, 0, 7}};
static const struct agent_mapping overlapping[] = {
    {KIT_CODE, KIT_CODE + PAGE, 0, 7},
    {KIT_CODE + PAGE - 1, KIT_CODE + 2 * PAGE, 0, 7}};
static const struct agent_mapping unsorted[] = {
    {KIT_CODE + PAGE, KIT_CODE + 2 * PAGE, 0, 7},
    {KIT_CODE, KIT_CODE + PAGE, 0, 7}};
static const struct agent_mapping other_image[] = {
    {KIT_CODE, KIT_CODE + PAGE, 0, MAX}};
/* One byte each, and each of another file, or of none; filled in below. */
static struct agent_mapping bytes_of_files[AGENT_MAPPINGS_MAX];
static struct agent_mapping too_many[AGENT_MAPPINGS_MAX + 1];

#define FULL AGENT_PIECE_MAX
static const struct answered_piece without_end[] = {{MAX - 1, FULL}};
static const struct answered_piece of_half_of_memory[] = {{1ull << 63, FULL}};
static const struct answered_piece one_too_large[] = {
    {USER_TABLES_SIZE + 1, FULL}};
static const struct answered_piece no_table[] = {{2 * FULL, FULL}};
static const struct answered_piece that_shrinks[] = {{200000, FULL},
                                                     {100000, 100000 - FULL}};
static const struct answered_piece that_grows[] = {{FULL + 8, FULL},
                                                   {MAX - 1, FULL}};
static const struct answered_piece that_ends_early[] = {{200000, FULL},
                                                        {FULL, 0}};
static const struct answered_piece that_is_none_then[] = {{200000, FULL},
                                                          {0, 0}};
static const struct answered_piece longer_than_said[] = {{FULL + 8, FULL},
                                                         {FULL + 8, 9}};
static const struct answered_piece past_its_end[] = {{8, 16}};
static const struct answered_piece nothing_of_much[] = {{MAX - 1, 0}};

static const struct hostile_answer table[] = {
    /* What the agent is, and its clock. */
    ROW("now 0", WELCOME, whole, .set = {OF(agent_welcome, now, 0)}),
    ROW("now at the end", WELCOME, whole, .set = {OF(agent_welcome, now, MAX)}),
    ROW("all that is unknown", WELCOME, whole,
        .set = {OF(agent_welcome, follows, ~AGENT_FOLLOWS_TOLD),
                OF(agent_welcome, unused, UINT32_MAX)}),
    ROW("is to be told", WELCOME, greets_no_more,
        .set = {OF(agent_welcome, follows, UINT32_MAX)}),
    ROW("a count", WELCOME, greets_no_more, .count = UINT32_MAX),

    /* What a process has mapped. */
    ROW("all of memory", MAPPED, no_callers, MAPPED(all_of_it)),
    ROW("to the end", MAPPED, no_callers, MAPPED(up_to_the_end)),
    ROW("ends at 0", MAPPED, maps_no_more, MAPPED(ends_at_0)),
    ROW("empty", MAPPED, maps_no_more, MAPPED(empty)),
    ROW("the last byte", MAPPED, whole, MAPPED(last_byte)),
    ROW("the kernel's half", MAPPED, whole, MAPPED(kernel_s)),
    ROW("a far offset", MAPPED, no_callers, MAPPED(far_offset)),
    ROW("an offset that wraps", MAPPED, no_callers, MAPPED(offset_that_wraps)),
    ROW("before it is there", MAPPED, whole, MAPPED(mapped_before_it_is_there)),
    ROW("equal images", MAPPED, whole, MAPPED(equal_images)),
    ROW("overlapping", MAPPED, maps_no_more, MAPPED(overlapping)),
    ROW("unsorted", MAPPED, maps_no_more, MAPPED(unsorted)),
    ROW("another image", MAPPED, no_callers, MAPPED(other_image)),
    ROW("bytes of files", MAPPED, no_callers, MAPPED(bytes_of_files)),
    ROW("too many", MAPPED, maps_no_more, MAPPED(too_many)),
    ROW("no such count", MAPPED, maps_no_more, .count = UINT32_MAX),
    /* 32 times that is the length again, in 32 bits. */
    ROW("a count that wraps", MAPPED, maps_no_more, .add = 1u << 27),

    /* Its rows: of the message, and of what the table says itself. */
    ROW("without end", TABLE, no_callers, PIECES(without_end)),
    ROW("half of memory", TABLE, no_callers, PIECES(of_half_of_memory)),
    ROW("one too large", TABLE, no_callers, PIECES(one_too_large)),
    ROW("no table", TABLE, no_callers, PIECES(no_table)),
    ROW("shrinks", TABLE, no_callers, PIECES(that_shrinks)),
    ROW("grows", TABLE, no_callers, PIECES(that_grows)),
    ROW("ends early", TABLE, no_callers, PIECES(that_ends_early)),
    ROW("is none then", TABLE, no_callers, PIECES(that_is_none_then)),
    ROW("longer than said", TABLE, maps_no_more, PIECES(longer_than_said)),
    ROW("past its end", TABLE, maps_no_more, PIECES(past_its_end)),
    ROW("nothing of much", TABLE, maps_no_more, PIECES(nothing_of_much)),
    ROW("of another", TABLE, no_callers, .set = {OF(agent_table, image, MAX)}),
    ROW("of none", TABLE, maps_no_more, .set = {OF(agent_table, image, 0)}),
    ROW("a count of tables", TABLE, maps_no_more, .count = 1),
    ROW("pages", TABLE, no_callers, .set = {TABLE(12, 4, UINT32_MAX)}),
    ROW("one page more", TABLE, no_callers, .set = {TABLE(12, 4, 2)}),
    ROW("dense pages", TABLE, no_callers, .set = {TABLE(16, 4, UINT32_MAX)}),
    ROW("rows", TABLE, no_callers, .set = {TABLE(20, 4, UINT32_MAX)}),
    ROW("rare rows", TABLE, no_callers, .set = {TABLE(24, 4, UINT32_MAX)}),
    ROW("rules", TABLE, no_callers, .set = {TABLE(28, 4, UINT32_MAX)}),
    ROW("segments", TABLE, no_callers, .set = {TABLE(32, 4, UINT32_MAX)}),
    ROW("no segment", TABLE, no_callers, .set = {TABLE(32, 4, 0)}),
    ROW("base", TABLE, no_callers, .set = {TABLE(40, 8, MAX - 0xffff)}),
    ROW("segment's offset", TABLE, no_callers, .set = {TABLE(48, 8, MAX)}),
    ROW("its address", TABLE, no_callers, .set = {TABLE(56, 8, MAX)}),
    ROW("its size", TABLE, no_callers, .set = {TABLE(64, 8, MAX)}),
    ROW("its first row", TABLE, no_callers, .set = {TABLE(72, 4, UINT32_MAX)}),
    ROW("its last row", TABLE, no_callers, .set = {TABLE(80, 4, UINT32_MAX)}),

    /* Rules by which the caller of "leaf" is found. */
    ROW("far up", TABLE, no_callers, RULE(RULE_SP, .offset = INT16_MAX)),
    ROW("far down", TABLE, no_callers, RULE(RULE_SP, .offset = INT16_MIN)),
    ROW("no frame", TABLE, no_callers, RULE(RULE_SP, .offset = 0)),
    ROW("bp far up", TABLE, no_callers, RULE(RULE_BP, .offset = INT16_MAX)),
    ROW("bp far down", TABLE, no_callers, RULE(RULE_BP, .offset = INT16_MIN)),
    ROW("the last register", TABLE, no_callers,
        RULE(RULE_REGISTER, .extra = 15, .offset = INT16_MIN)),
    ROW("no register", TABLE, no_callers,
        RULE(RULE_REGISTER, .extra = UINT8_MAX)),
    ROW("word far down", TABLE, no_callers,
        RULE(RULE_AT_SP, .extra = UINT8_MAX, .offset = INT16_MIN)),
    ROW("word in the code", TABLE, no_callers,
        RULE(RULE_AT_SP, .extra = UINT8_MAX)),
    ROW("word at bp", TABLE, no_callers,
        RULE(RULE_AT_BP, .extra = UINT8_MAX, .offset = INT16_MAX)),
    ROW("signal far down", TABLE, no_callers,
        RULE(RULE_SIGNAL, .offset = INT16_MIN)),
    ROW("signal here", TABLE, no_callers, RULE(RULE_SIGNAL, .offset = 0)),
    ROW("bp nowhere", TABLE, whole,
        RULE(RULE_SP, .offset = 1, .bp = SAVED_AT_BP, .bp_offset = INT8_MIN)),
    ROW("bp below", TABLE, whole,
        RULE(RULE_SP, .offset = 1, .bp = SAVED_AT_CFA, .bp_offset = INT8_MIN)),
    ROW("bp above", TABLE, no_callers,
        RULE(RULE_SP, .offset = 1, .bp = SAVED_AT_CFA, .bp_offset = INT8_MAX)),
    ROW("no kind", TABLE, no_callers, RULE(RULE_KINDS, .offset = 1)),
    ROW("all bits", TABLE, no_callers,
        RULE(UINT8_MAX, .extra = UINT8_MAX, .bp = UINT8_MAX, .bx = UINT8_MAX,
             .offset = -1, .bp_offset = -1, .bx_offset = -1)),

    /* Names. */
    ROW("address at the end", THERE, whole,
        .set = {ANSWER(address, MAX), ANSWER(start, MAX), ANSWER(offset, MAX)}),
    ROW("from 0 to the end", THERE, whole,
        .set = {ANSWER(address, MAX), ANSWER(start, 0)}),
    ROW("address 0", THERE, whole,
        .set = {ANSWER(address, 0), ANSWER(start, 0), ANSWER(offset, MAX)}),
    ROW("begins behind itself", THERE, names_no_more,
        .set = {ANSWER(address, MAX - 1), ANSWER(start, MAX)}),
    ROW("longest id", THERE, whole, .set = {ANSWER(build_id_size, 20)}),
    ROW("longer id", THERE, names_no_more, .set = {ANSWER(build_id_size, 21)}),
    ROW("id", THERE, names_no_more, .set = {ANSWER(build_id_size, UINT8_MAX)}),
    ROW("found", THERE, names_no_more, .set = {ANSWER(found, UINT32_MAX)}),
    ROW("path", THERE, names_no_more, .set = {ANSWER(path, UINT32_MAX)}),
    ROW("symbol", THERE, names_no_more, .set = {ANSWER(symbol, UINT32_MAX)}),
    ROW("a text before all", THERE, names_no_more,
        .set = {ANSWER(symbol, 1u << 31)}),
    ROW("work without end", THERE, whole,
        .set = {OF(agent_work, cpu, MAX), OF(agent_work, bytes, MAX),
                OF(agent_work, dropped, MAX), OF(agent_work, refused, MAX),
                OF(agent_work, lost, MAX)}),
    ROW("more answers", THERE, names_no_more, .add = 1),
    ROW("answers that wrap", THERE, names_no_more, .add = 1u << 26),

    /* What was inlined. */
    ROW("levels", INLINED, inlines_no_more,
        .set = {OF(agent_inlined, levels, 17)}),
    ROW("no such level", INLINED, inlines_no_more,
        .set = {OF(agent_inlined, levels, UINT32_MAX)}),
    ROW("later and later", INLINED, inlines_no_more,
        .set = {OF(agent_inlined, later, UINT32_MAX)}),
    ROW("a name", INLINED, inlines_no_more,
        .set = {OF(agent_inlined, levels, 1), INLINE(0, UINT32_MAX)}),
    ROW("names of no level", INLINED, whole,
        .set = {INLINE(0, UINT32_MAX), INLINE(15, UINT32_MAX)}),
    ROW("a line of no file", INLINED, inlines_no_more,
        .set = {LINE(0, line, 5)}),
    ROW("a file without a line", INLINED, inlines_no_more,
        .set = {LINE(0, path, 1)}),
    ROW("a path", INLINED, inlines_no_more,
        .set = {LINE(0, path, UINT32_MAX), LINE(0, line, 5)}),
    ROW("a line", INLINED, inlines_no_more,
        .set = {LINE(0, path, 1), LINE(0, line, UINT32_MAX)}),
    ROW("lines of no level", INLINED, whole,
        .set = {LINE(16, path, UINT32_MAX), LINE(16, line, UINT32_MAX)}),
    ROW("more than asked", INLINED, inlines_no_more, .add = 1),
    ROW("inlined that wrap", INLINED, inlines_no_more, .add = 1u << 26),
};

/* The agent ---------------------------------------------------------------- */

static const struct hostile_answer *row;

static size_t put_piece(void *body)
{
    static size_t said;
    const struct answered_piece *piece = &row->pieces[said];
    const struct agent_table head = {.image = 7, .size = piece->whole};

    said += said + 1 < row->piece_count;
    memcpy(body, &head, sizeof(head));
    memset((char *)body + sizeof(head), 0xff, piece->bytes);
    return sizeof(head) + piece->bytes;
}

/* In place of that of "leaf", which no other function has. */
static void put_rule(char *table_bytes, size_t size)
{
    static const struct row_rule leaf = {.kind = RULE_SP, .offset = 1};

    for ( size_t at = size; at >= sizeof(leaf); at -= sizeof(leaf) )
        if ( !memcmp(table_bytes + at - sizeof(leaf), &leaf, sizeof(leaf)) )
        {
            memcpy(table_bytes + at - sizeof(leaf), row->rule, sizeof(leaf));
            return;
        }
    abort();
}

static size_t change(struct agent_head *head, void *body, size_t size)
{
    if ( head->kind != row->kind )
        return size;
    for ( size_t i = 0; i < COUNT(row->set); i++ )
        memcpy((char *)body + row->set[i].at, &row->set[i].value,
               row->set[i].bytes);
    if ( row->mappings )
    {
        head->count = (uint32_t)row->mapped;
        size = row->mapped * sizeof(row->mappings[0]);
        memcpy(body, row->mappings, size);
    }
    if ( row->pieces )
        size = put_piece(body);
    if ( row->rule )
        put_rule((char *)body + sizeof(struct agent_table),
                 size - sizeof(struct agent_table));
    if ( row->count )
        head->count = row->count;
    head->count += row->add;
    return size;
}

/* The daemon --------------------------------------------------------------- */

static struct guests_kit kit;
static struct agent_kit agent;
static struct guest_chain chain;

static const struct agent_link *link_now(void)
{
    return guests_kit_dom0(&kit)->link;
}

static const struct user_stacks *stacks(void)
{
    return &guests_kit_dom0(&kit)->stacks;
}

/* A sample in leaf, which middle called, which main did. */
static struct guest_sample sample_of(uint32_t pid)
{
    static const uint8_t uuid[16] = {0};
    static const struct xenoprof_registers registers = {
        .rsp = STACK, .rbp = UINT64_MAX, .r15 = UINT64_MAX};
    static const struct {
        struct xenoprof_window head;
        uint64_t words[4];
    } stack = {{STACK, sizeof(stack.words), 0},
               {KIT_CODE + 0x250, 0, KIT_CODE + 0x310}};
    static uint64_t tag;

    return (struct guest_sample){
        .time = kit.now,
        .uuid = uuid,
        .mode = XENOPROF_MODE_USER,
        .ip = LEAF,
        .registers = &registers,
        .windows = {&stack.head},
        .thread = {.pid = pid, .tid = pid, .comm = "test"},
        .tag = ++tag,
    };
}

static void exchange(void)
{
    CHECK_EQ(guests_exchange(kit.guests, kit.writer, true, SECOND / 50),
             XENOPROF_OK);
    CHECK(stacks()->bytes <= stacks()->room);
    CHECK(stacks()->pieces <= USER_PIECES_MAX);
}

static void take_of(uint32_t pid)
{
    const struct guest_sample sample = sample_of(pid);
    uint64_t began = monotonic_now();

    while ( guests_wait_for(kit.guests, &sample) != GUEST_READY )
    {
        CHECK(monotonic_now() - began < 60 * SECOND);
        guests_ask(kit.guests, &sample);
        exchange();
    }
    CHECK_EQ(guests_chain(kit.guests, kit.writer, &sample, &chain),
             XENOPROF_OK);
}

static void check_fate(const struct fate *fate)
{
    CHECK_EQ(chain.count, 1 + fate->callers);
    CHECK_EQ(chain.ended == XENOPROF_ENDED_ROOT, fate->callers == 2);
    CHECK_EQ(agent_link_lies(link_now()), fate->lie);
    guests_kit_check_symbol(&kit, chain.places[0],
                            *fate->symbol ? "/bin/prog" : "user", fate->symbol);
}

/* The next agent is honest. */
static void check_next(void)
{
    uint64_t began = monotonic_now();

    agent_kit_change_answers(NULL);
    agent_kit_restart(&agent, MANNER_STACKS);
    do
        exchange();
    while ( agent_link_state(link_now()) != AGENT_ABSENT );
    clock_kit_skip(31 * SECOND);
    while ( agent_link_state(link_now()) != AGENT_PRESENT )
    {
        CHECK(monotonic_now() - began < 120 * SECOND);
        exchange();
    }
    take_of(2);
    CHECK_EQ(chain.count, 3);
    CHECK_EQ(chain.ended, XENOPROF_ENDED_ROOT);
    CHECK_EQ(stacks()->deaths, 0);
}

static void try_row(const struct hostile_answer *tried)
{
    printf("# %s\n", tried->what);
    fflush(stdout);
    row = tried;
    agent_kit_change_answers(change);
    agent_kit_begin(&agent, MANNER_STACKS);
    guests_kit_begin(&kit, 0);
    take_of(1);
    check_fate(row->fate);
    CHECK_EQ(stacks()->deaths, 0);
    check_next();
    guests_kit_end(&kit);
    agent_kit_end(&agent);
}

static void try_all(enum agent_kind kind)
{
    for ( size_t i = 0; i < COUNT(table); i++ )
        if ( table[i].kind == kind )
            try_row(&table[i]);
}

TEST(what_an_agent_is)
{
    try_all(AGENT_WELCOME);
}

TEST(mappings)
{
    for ( uint32_t i = 0; i <= AGENT_MAPPINGS_MAX; i++ )
        too_many[i] = (struct agent_mapping){KIT_CODE + i, KIT_CODE + i + 1,
                                             MAX - i, i % 3 ? MAX - i : 0};
    memcpy(bytes_of_files, too_many, sizeof(bytes_of_files));
    try_all(AGENT_MAPPED);
}

TEST(tables_and_their_rules)
{
    try_all(AGENT_TABLE);
}

TEST(names)
{
    try_all(AGENT_THERE);
}

TEST(inlined_functions)
{
    try_all(AGENT_INLINED);
}
