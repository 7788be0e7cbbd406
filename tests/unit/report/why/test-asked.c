/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The overview's answers are the same of whole stacks and of pruned ones: of
 * made-up stacks, many times. */
#include "report/why/asked.h"
#include "report/why/findings.h"
#include "report/why/hot.h"
#include "tests/unit/report/model/report-kit.h"

#define SAMPLES   400u
#define DEPTH     9u
#define REPEATS   300u
#define STUB      0xffff82d07f000010u
#define XEN_BEGIN 0xffff82d040200000u

/* Functions of each mode; "" has no name, and may get one late.  The first of
 * Xen's has an address in a stub. */
static const char *const functions[][16] = {
    [XENOPROF_MODE_XEN] = {"", "", "svm_vmexit_handler", "do_sched_op",
                           "entry.S#pv_hypercall", "schedule", "do_softirq",
                           "do_iret.cold", "pv_emulate_privileged_op",
                           "io.c#handle_pio", "__x86_return_thunk",
                           "srso_return", "svm_get_insn_len",
                           "guest_walk_tables_4_levels", "more", "do_IRQ"},
    [XENOPROF_MODE_KERNEL] = {"", "native_queued_spin_lock_slowpath",
                              "__pv_queued_spin_lock_slowpath.part.0",
                              "_raw_spin_lock", "mutex_lock", "asm_sysvec_call",
                              "do_IRQ", "vfs_read", "vfs_write", "tcp_sendmsg",
                              "__fentry__", "__x86_indirect_thunk_rax", "sys_a",
                              "sys_b", "sys_c", "schedule"},
    [XENOPROF_MODE_USER] = {"", "", "main", "work", "srso_mine",
                            "_raw_spin_lock", "run", "read", "write", "a", "b",
                            "c", "d", "e", "f", "g"},
};

static const char *const late[] = {"schedule", "do_sched_op", "asm_sysvec_late",
                                   "osq_lock", "late",        "srso_late"};

static const struct xenoprof_entry entries[] = {
    {.kind = XENOPROF_ENTRY_PV, .code = 0x82},
    {.kind = XENOPROF_ENTRY_PV, .code = 0x0d},
    {.kind = XENOPROF_ENTRY_PV, .code = 0x00},
    {.kind = XENOPROF_ENTRY_PV, .code = 0x80},
    {.kind = XENOPROF_ENTRY_PV, .code = 0xfa},
};

static uint64_t lots;

static unsigned int draw(unsigned int below)
{
    lots = lots * 6364136223846793005u + 1442695040888963407u;
    return (unsigned int)(lots >> 33) % below;
}

static uint32_t number_of(uint8_t mode, unsigned int function)
{
    return 1 + mode * 16u + function;
}

static void name(struct report_kit *kit, uint32_t number, const char *text)
{
    if ( *text )
        kit_name(kit, number, text);
}

static void make_places(struct report_kit *kit)
{
    for ( uint8_t mode = 0; mode < 3; mode++ )
        for ( unsigned int i = 0; i < 16; i++ )
        {
            struct loaded_place *place = loaded_put_numbered(
                &kit->loaded.places, number_of(mode, i));

            CHECK(place);
            place->mode = mode;
            place->name.address = XEN_BEGIN + 0x100u * number_of(mode, i);
            if ( mode == XENOPROF_MODE_XEN && !i )
                place->name.address = STUB;
            name(kit, number_of(mode, i), functions[mode][i]);
        }
}

/* What was drawn, once for both. */
struct drawn {
    uint32_t places[XENOPROF_CHAINS][DEPTH]; /* root first; 0: not known */
    unsigned int count[XENOPROF_CHAINS];
    uint8_t mode, ended;
    uint32_t domain;
    unsigned int entry; /* and 1; 0: none */
};

static void draw_chain(struct drawn *drawn, uint8_t mode)
{
    unsigned int count = 1 + draw(draw(4) ? 4 : DEPTH);

    for ( unsigned int i = 0; i < count; i++ )
        drawn->places[mode][i] = draw(60) ? number_of(mode, draw(16)) : 0;
    drawn->count[mode] = count;
}

static struct drawn draw_sample(void)
{
    struct drawn drawn = {.mode = (uint8_t)(draw(4) ? draw(2) : 2),
                          .ended = draw(3) ? XENOPROF_ENDED_ROOT
                                           : XENOPROF_ENDED_MOVED,
                          .domain = KIT_WEB + draw(2),
                          .entry = draw(6)};

    for ( uint8_t mode = drawn.mode; mode < 3; mode++ )
        if ( mode == drawn.mode ? draw(30) : draw(2) )
            draw_chain(&drawn, mode);
    return drawn;
}

static uint32_t spot_of(struct report_kit *kit, uint32_t place)
{
    uint32_t spot = place ? loaded_spot(
                                &kit->loaded,
                                loaded_numbered(&kit->loaded.places, place),
                                false)
                          : 0;

    CHECK(spot || !place);
    return spot;
}

/* pruned is NULL for whole stacks. */
static uint32_t make_chain(struct report_kit *kit, struct pruned_stacks *pruned,
                           const uint32_t *places, unsigned int count)
{
    uint32_t node = 0;

    for ( unsigned int i = 0; i < count; i++ )
    {
        uint32_t spot = spot_of(kit, places[i]);

        node = pruned ? pruned_node(pruned, &kit->loaded, node, spot)
                      : loaded_node(&kit->loaded, node, spot);
        CHECK(node);
        CHECK_EQ(((struct spot_node *)table_at(&kit->loaded.nodes, node - 1))
                     ->key.spot,
                 spot);
    }
    return node;
}

static void add_sample(struct report_kit *kit, struct pruned_stacks *pruned,
                       const struct drawn *drawn, unsigned int samples)
{
    struct xenoprof_who who = {.mode = drawn->mode};
    struct cell_key key = {
        .domain = drawn->domain, .mode = drawn->mode, .ended = drawn->ended};
    struct loaded_call call = {.key = {.place = 0}};
    struct pruned_chains chains;
    struct cell *cell;

    if ( drawn->entry )
    {
        who.entry = entries[drawn->entry - 1];
        key.entry = (uint32_t)table_index(
                        &kit->loaded.entries,
                        table_put(&kit->loaded.entries, &who.entry)) +
                    1;
    }
    for ( unsigned int i = XENOPROF_CHAINS; i-- > 0; )
    {
        call.key.nodes[i] = make_chain(kit, pruned, drawn->places[i],
                                       drawn->count[i]);
        if ( drawn->count[i] )
            call.key.place = drawn->places[i][drawn->count[i] - 1];
    }
    if ( pruned )
    {
        chains = pruned_chains(pruned, call.key.nodes);
        memcpy(call.key.nodes,
               chains.nodes[prune_asker(pruned, &kit->loaded, &who,
                                        drawn->domain)],
               sizeof(call.key.nodes));
    }
    key.call = loaded_call(&kit->loaded, &call);
    cell = table_put(&kit->loaded.cells, &key);
    CHECK(key.call && cell);
    cell->samples += samples;
    cell->time += 10 * samples;
}

/* The same samples, and then the same names of some places that had none, but
 * of processes, whose places have their names at once or never. */
static void make(struct report_kit *kit, bool whole, uint64_t seed)
{
    struct pruned_stacks pruned;

    kit_begin(kit);
    make_places(kit);
    kit->loaded.stacked = true;
    kit->loaded.pruned = !whole;
    pruned_init(&pruned, &overview_asks);
    lots = seed;
    if ( draw(4) == 0 )
        ((struct loaded_domain *)table_at(&kit->loaded.domains, KIT_DB))
            ->key.number = 0;
    for ( unsigned int i = 0; i < SAMPLES; i++ )
    {
        struct drawn drawn = draw_sample();

        add_sample(kit, whole ? NULL : &pruned, &drawn, 1 + draw(9));
    }
    pruned_free(&pruned);
    for ( uint8_t mode = 0; mode < XENOPROF_MODE_USER; mode++ )
        name(kit, number_of(mode, mode != XENOPROF_MODE_KERNEL),
             draw(2) ? late[draw(sizeof(late) / sizeof(late[0]))] : "");
    kit_build(kit);
}

/* The frame of the other one that is the same. */
static uint32_t same_frame(const struct report_kit *from, uint32_t frame,
                           const struct report_kit *to)
{
    const struct frame *found;

    if ( frame == FRAME_NONE )
        return frame;
    found = table_find(&to->stacks.frames,
                       &stacks_frame(&from->stacks, frame)->key);
    CHECK(found);
    return (uint32_t)table_index(&to->stacks.frames, found);
}

static void check_amount(struct amount got, struct amount wanted)
{
    CHECK_EQ(got.samples, wanted.samples);
    CHECK_EQ(got.time, wanted.time);
}

static void check_findings(const struct report_kit *whole,
                           const struct report_kit *pruned)
{
    struct findings wanted, got;

    findings_build(&wanted, &whole->loaded, &whole->stacks);
    findings_build(&got, &pruned->loaded, &pruned->stacks);
    CHECK_EQ(got.all.count, wanted.all.count);
    CHECK_EQ(got.callers.count, wanted.callers.count);
    CHECK_EQ(got.count, wanted.count);
    for ( size_t i = 0; i < wanted.all.count; i++ )
    {
        const struct why_finding *one = table_at(&wanted.all, i);
        const struct why_finding *other = table_find(&got.all, &one->key);

        CHECK(other);
        check_amount(other->amount, one->amount);
        CHECK_EQ(other->caller_time, one->caller_time);
        CHECK_EQ(other->caller, same_frame(whole, one->caller, pruned));
    }
    findings_free(&wanted);
    findings_free(&got);
}

static void check_hot(const struct report_kit *whole,
                      const struct report_kit *pruned)
{
    struct hot wanted, got;

    hot_build(&wanted, &whole->loaded, &whole->stacks);
    hot_build(&got, &pruned->loaded, &pruned->stacks);
    CHECK_EQ(got.rows.count, wanted.rows.count);
    for ( size_t i = 0; i < wanted.rows.count; i++ )
    {
        CHECK_EQ(got.sorted[i]->key.frame,
                 same_frame(whole, wanted.sorted[i]->key.frame, pruned));
        check_amount(got.sorted[i]->amount, wanted.sorted[i]->amount);
    }
    hot_free(&wanted);
    hot_free(&got);
}

/* Of the functions that reasons' samples ran, all nameless addresses of
 * processes count as none: the overview shows none of them. */
static size_t count_named(const struct why *why, const struct report_kit *kit)
{
    size_t ret = 0;

    for ( size_t i = 0; i < why->functions.count; i++ )
    {
        const struct why_function *function = table_at(&why->functions, i);
        const struct frame_key *frame =
            &stacks_frame(&kit->stacks, function->key.frame)->key;

        ret += frame->kind > FRAME_UNKNOWN ||
               frame->mode != XENOPROF_MODE_USER || frame->symbol;
    }
    return ret;
}

static void check_why(const struct report_kit *whole,
                      const struct report_kit *pruned)
{
    struct why wanted, got;

    why_build(&wanted, &whole->loaded, &whole->stacks);
    why_build(&got, &pruned->loaded, &pruned->stacks);
    check_amount(got.known, wanted.known);
    CHECK_EQ(got.rows.count, wanted.rows.count);
    CHECK_EQ(count_named(&got, pruned), count_named(&wanted, whole));
    for ( size_t i = 0; i < REASONS; i++ )
    {
        check_amount(got.by_reason[i], wanted.by_reason[i]);
        for ( size_t part = 0; part < PARTS; part++ )
            check_amount(got.parts[i][part], wanted.parts[i][part]);
    }
    for ( size_t i = 0; i < wanted.rows.count; i++ )
    {
        CHECK(!memcmp(&got.sorted[i]->key, &wanted.sorted[i]->key,
                      sizeof(got.sorted[i]->key)));
        check_amount(got.sorted[i]->amount, wanted.sorted[i]->amount);
    }
    why_free(&wanted);
    why_free(&got);
}

TEST(pruned_stacks_have_the_answers_of_whole_ones)
{
    for ( uint64_t seed = 1; seed <= REPEATS / test_share(); seed++ )
    {
        struct report_kit whole, pruned;

        make(&whole, true, seed);
        make(&pruned, false, seed);
        CHECK(pruned.loaded.nodes.count < whole.loaded.nodes.count);
        CHECK(pruned.loaded.cells.count < whole.loaded.cells.count);
        check_findings(&whole, &pruned);
        check_hot(&whole, &pruned);
        check_why(&whole, &pruned);
        kit_end(&whole);
        kit_end(&pruned);
    }
}
