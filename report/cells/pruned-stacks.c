/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pruned-stacks.h"

#include "base/must.h"

#include <string.h>

/* Frames of one mode above each other that are looked at: fewer are left of
 * those that were before, unless somebody made them up. */
#define RUN_MOST 16u

#define TRAIT_ASKED (1u << 15)

/* What is known of a node's whole chain. */
enum {
    HAS_XEN = 1u << 0,
    HAS_KERNEL = 1u << 1,
    HAS_USER = 1u << 2,
    HAS_OTHER = 1u << 3, /* anything: nothing is known of a frame */
    MAY_SPIN = 1u << 4,
    HAS_WHO = 1u << 5,
    /* Of the frame that says why Xen ran: */
    MAY_ADVISE = 1u << 6,
    IS_WAY = 1u << 7, /* or there is none */
};

/* Frames of one mode that have names, from the last one on. */
struct pruned_run {
    uint32_t spots[RUN_MOST];
    uint32_t nodes[RUN_MOST]; /* that they are now; 0: none, the last one */
    unsigned int traits[RUN_MOST];
    bool kept[RUN_MOST];
    size_t count;
    uint32_t below; /* node; 0: none */
};

void pruned_init(struct pruned_stacks *pruned, const struct prune_rules *rules)
{
    *pruned = (struct pruned_stacks){.rules = rules};
    pair_counts_init(&pruned->steps);
}

void pruned_free(struct pruned_stacks *pruned)
{
    vector_free(&pruned->traits);
    vector_free(&pruned->facts);
    vector_free(&pruned->nodes);
    vector_free(&pruned->path);
    pair_counts_free(&pruned->steps);
}

static const struct spot *spot_at(const struct loaded *loaded, uint32_t spot)
{
    return spot ? table_at(&loaded->spots, spot - 1) : NULL;
}

static bool is_named(const struct spot *spot)
{
    return spot && spot->key.symbol;
}

/* What a spot with a name says. */
static unsigned int spot_hints(const struct pruned_stacks *pruned,
                               const struct loaded *loaded, uint32_t number)
{
    const struct spot *spot = spot_at(loaded, number);
    uint16_t *known = &pruned->traits.items[number - 1];

    if ( !*known )
        *known = (uint16_t)(TRAIT_ASKED |
                            pruned->rules->traits(
                                (enum xenoprof_mode)spot->key.mode,
                                names_text(&loaded->names, spot->key.symbol)));
    return *known;
}

static void make_traits(struct pruned_stacks *pruned,
                        const struct loaded *loaded)
{
    const size_t known = pruned->traits.count, count = loaded->spots.count;

    if ( count <= known )
        return;
    must_do(vector_reserve(&pruned->traits, count - known));
    memset(pruned->traits.items + known, 0,
           (count - known) * sizeof(*pruned->traits.items));
    pruned->traits.count = count;
}

static const struct spot_node *spot_node_at(const struct loaded *loaded,
                                            uint32_t node)
{
    return table_at(&loaded->nodes, node - 1);
}

/* The run that ends with a spot that was called from a node. */
static void make_run(const struct pruned_stacks *pruned,
                     const struct loaded *loaded, uint32_t parent,
                     uint32_t last, struct pruned_run *run)
{
    const struct spot *first = spot_at(loaded, last), *spot = first;
    uint32_t node = 0;

    run->count = 0;
    run->below = parent;
    while ( is_named(spot) && spot->key.mode == first->key.mode &&
            run->count < RUN_MOST )
    {
        run->spots[run->count] = last;
        run->nodes[run->count] = node;
        run->traits[run->count] = spot_hints(pruned, loaded, last);
        run->kept[run->count++] = false;
        if ( node )
            run->below = spot_node_at(loaded, node)->key.parent;
        node = run->below;
        last = node ? spot_node_at(loaded, node)->key.spot : 0;
        spot = spot_at(loaded, last);
    }
}

/* Keeps the first frame from one on that says one of these.  Returns where
 * that is, or the run's end. */
static size_t keep_first(struct pruned_run *run, size_t from, unsigned int what)
{
    while ( from < run->count && !(run->traits[from] & what) )
        from++;
    if ( from < run->count )
        run->kept[from] = true;
    return from;
}

/* Keeps the last frame before one that says that it is a part. */
static void keep_part(struct pruned_run *run, size_t before)
{
    while ( before-- > 0 )
        if ( run->traits[before] & TRAIT_ON_THE_WAY )
        {
            run->kept[before] = true;
            return;
        }
}

/* Keeps what is asked of a run.  If it ends with thunks it is asked of who
 * called these. */
static void keep(struct pruned_run *run)
{
    size_t first, at;

    for ( at = 0; at + 1 < run->count && run->traits[at] & TRAIT_THUNK; at++ )
        run->kept[at] = true;
    first = at;
    run->kept[at] = true;
    keep_first(run, first, TRAIT_WHO);
    at = keep_first(run, first, TRAIT_SPIN | TRAIT_INTERRUPT);
    if ( at < run->count && run->traits[at] & TRAIT_SPIN )
        keep_first(run, at, TRAIT_WHO);
    at = keep_first(run, first, TRAIT_WORK);
    keep_part(run, at);
    if ( at == run->count )
        keep_first(run, first, TRAIT_ENTRY);
    /* These stay with who called them, and no other one comes in between. */
    for ( at = 0; at < run->count; at++ )
        if ( run->traits[at] & TRAIT_BY_CALLER )
            run->kept[at] = run->kept[at + 1 < run->count ? at + 1 : at] = true;
}

/* What a frame of Xen's changes in what is known of why Xen ran. */
static unsigned int xen_facts(unsigned int facts, bool named,
                              unsigned int traits)
{
    unsigned int now = (traits & TRAIT_ADVICE ? MAY_ADVISE : 0u) |
                       (traits & TRAIT_WAY ? IS_WAY : 0u);

    if ( named && traits & TRAIT_WORK )
        return (facts & ~(MAY_ADVISE | IS_WAY)) | now;
    /* It may be that the work below it counts, or nothing that is known. */
    return named ? facts | now : facts | MAY_ADVISE | IS_WAY;
}

static uint8_t facts_of(const struct pruned_stacks *pruned,
                        const struct loaded *loaded,
                        const struct spot_node *node)
{
    const struct spot *spot = spot_at(loaded, node->key.spot);
    const bool named = is_named(spot);
    unsigned int traits = named ? spot_hints(pruned, loaded, node->key.spot)
                                : 0;
    unsigned int facts = node->key.parent
                             ? pruned->facts.items[node->key.parent - 1]
                             : IS_WAY;

    if ( !spot )
        return (uint8_t)(facts | HAS_OTHER);
    if ( spot->key.mode == XENOPROF_MODE_XEN )
        return (uint8_t)(xen_facts(facts, named, traits) | HAS_XEN);
    facts |= spot->key.mode == XENOPROF_MODE_KERNEL ? HAS_KERNEL
             : spot->key.mode == XENOPROF_MODE_USER ? HAS_USER
                                                    : HAS_OTHER;
    if ( traits & TRAIT_SPIN ||
         (!named && spot->key.mode != XENOPROF_MODE_USER) )
        facts |= MAY_SPIN;
    return (uint8_t)(facts | (traits & TRAIT_WHO ? HAS_WHO : 0u));
}

/* Returns a node of loaded, of which its facts are known. */
static uint32_t put_known_node(struct pruned_stacks *pruned,
                               struct loaded *loaded, uint32_t parent,
                               uint32_t spot)
{
    uint32_t number = loaded_node(loaded, parent, spot);
    uint8_t *facts;

    while ( pruned->facts.count < number )
        must(vector_add(&pruned->facts));
    facts = &pruned->facts.items[number - 1];
    if ( !*facts )
        *facts = facts_of(pruned, loaded, spot_node_at(loaded, number));
    return number;
}

/* Returns the node of what is kept of a run. */
static uint32_t put_run(struct pruned_stacks *pruned, struct loaded *loaded,
                        const struct pruned_run *run)
{
    uint32_t node = run->below;
    size_t left = run->count;

    /* Up to the first that is left out they are what they were. */
    for ( ; left > 1 && run->kept[left - 1]; left-- )
        node = run->nodes[left - 1];
    while ( left-- > 0 )
    {
        if ( !run->kept[left] )
            continue;
        node = put_known_node(pruned, loaded, node, run->spots[left]);
    }
    return node;
}

uint32_t pruned_node(struct pruned_stacks *pruned, struct loaded *loaded,
                     uint32_t parent, uint32_t spot)
{
    const uint64_t pair = pair_of(parent, spot);
    const struct pair_count *step = pair_find(&pruned->steps, pair,
                                              pair_hash(&pruned->steps, pair));
    struct pruned_run run;
    uint32_t node;

    if ( step )
        return step->number - 1;
    make_traits(pruned, loaded);
    make_run(pruned, loaded, parent, spot, &run);
    if ( run.count )
    {
        keep(&run);
        node = put_run(pruned, loaded, &run);
    }
    else
        node = put_known_node(pruned, loaded, parent, spot);
    must(pair_add(&pruned->steps, pair, node));
    return node;
}

uint32_t pruned_of_whole(struct pruned_stacks *pruned, struct loaded *loaded,
                         uint32_t node)
{
    uint32_t *path, ret = 0;

    /* What of the nodes of whole stacks is known is noted with them. */
    while ( pruned->nodes.count < node )
        must(vector_add(&pruned->nodes));
    pruned->path.count = 0;
    for ( ; node && !pruned->nodes.items[node - 1];
          node = spot_node_at(loaded, node)->key.parent )
    {
        path = must(vector_add(&pruned->path));
        *path = node;
    }
    if ( node )
        ret = pruned->nodes.items[node - 1];
    while ( pruned->path.count )
    {
        node = pruned->path.items[--pruned->path.count];
        ret = pruned_node(pruned, loaded, ret,
                          spot_node_at(loaded, node)->key.spot);
        pruned->nodes.items[node - 1] = ret;
    }
    return ret;
}

/* The facts of a chain; of one that a sample has not, none but that. */
static unsigned int facts(const struct pruned_stacks *pruned, uint32_t node)
{
    return node ? pruned->facts.items[node - 1] : IS_WAY;
}

static bool is_all(unsigned int facts, unsigned int mode)
{
    const unsigned int modes = HAS_XEN | HAS_KERNEL | HAS_USER | HAS_OTHER;

    return !(facts & modes & ~mode) && !(facts & MAY_SPIN);
}

/* A guest's chain below Xen of which nothing is asked but its mode: the first
 * stands for all. */
static uint32_t alike(struct pruned_stacks *pruned, enum xenoprof_mode mode,
                      uint32_t node)
{
    if ( !node )
        return 0;
    if ( !pruned->alike[mode] )
        pruned->alike[mode] = node;
    return pruned->alike[mode];
}

/* Whether it may be asked for whom a sample was. */
static bool may_ask_whose(enum prune_asker asker, unsigned int xen)
{
    return (asker != ASKS_NEVER && xen & MAY_ADVISE) ||
           (asker == ASKS_BY_ENTRY && xen & IS_WAY);
}

/* Leaves out what is asked of guests' chains; of samples in guests that is who
 * spins, and here nobody does. */
static void leave_guest_chains_out(struct pruned_stacks *pruned,
                                   uint32_t nodes[XENOPROF_CHAINS])
{
    const bool kernel = nodes[1];

    if ( kernel )
        nodes[2] = 0;
    if ( !nodes[0] )
        return;
    nodes[1] = alike(pruned, XENOPROF_MODE_KERNEL, nodes[1]);
    nodes[2] = alike(pruned, XENOPROF_MODE_USER, nodes[2]);
}

struct pruned_chains pruned_chains(struct pruned_stacks *pruned,
                                   const uint32_t nodes[XENOPROF_CHAINS])
{
    const unsigned int xen = facts(pruned, nodes[0]);
    const unsigned int kernel = facts(pruned, nodes[1]);
    const bool plain = is_all(xen, HAS_XEN) && is_all(kernel, HAS_KERNEL) &&
                       is_all(facts(pruned, nodes[2]), HAS_USER);
    struct pruned_chains ret;

    for ( unsigned int i = 0; i < PRUNE_ASKERS; i++ )
    {
        memcpy(ret.nodes[i], nodes, sizeof(ret.nodes[i]));
        if ( !plain )
            continue;
        if ( !may_ask_whose((enum prune_asker)i, xen) )
            leave_guest_chains_out(pruned, ret.nodes[i]);
        else if ( kernel & HAS_WHO )
            ret.nodes[i][2] = 0;
    }
    return ret;
}

enum prune_asker prune_asker(const struct pruned_stacks *pruned,
                             const struct loaded *loaded,
                             const struct xenoprof_who *who, uint32_t domain)
{
    if ( who->mode != XENOPROF_MODE_XEN ||
         !loaded_domain(loaded, domain)->key.number )
        return ASKS_NEVER;
    return who->entry.kind != XENOPROF_ENTRY_NONE &&
                   pruned->rules->entry_asks(&who->entry)
               ? ASKS_BY_ENTRY
               : ASKS_BY_STACK;
}
