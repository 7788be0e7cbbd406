/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs each function of a section, and knows the shapes of call frame
 * information that occur. */
#include "cfi-rows.h"

#include "cfi-run.h"

/* Operations of DWARF expressions. */
enum {
    OP_DEREF = 0x06,
    OP_AND = 0x1a,
    OP_PLUS = 0x22,
    OP_PLUS_UCONST = 0x23,
    OP_SHL = 0x24,
    OP_GE = 0x2a,
    OP_LIT0 = 0x30,
    OP_BREG0 = 0x70,
    OP_BREG16 = 0x80
};

static const struct row_rule unknown = {.kind = RULE_UNKNOWN};
static const struct row_rule root = {.kind = RULE_ROOT};

/* Puts an offset into a rule.  Returns false if it is not one of words, or is
 * larger than any window. */
static bool put_offset(int64_t bytes, int16_t *words)
{
    *words = (int16_t)(bytes / ROW_WORD);
    return *words * (int64_t)ROW_WORD == bytes;
}

static bool put_near(int64_t bytes, int8_t *words)
{
    *words = (int8_t)(bytes / ROW_WORD);
    return *words * (int64_t)ROW_WORD == bytes;
}

/* Reads `register + offset`.  Returns whether that is what comes next. */
static bool take_register(struct cursor *from, unsigned int number,
                          int64_t *offset)
{
    if ( cfi_fixed(from, 1) != OP_BREG0 + number )
        return false;
    *offset = cfi_signed(from);
    return !from->bad;
}

static bool at_end(const struct cursor *from)
{
    return !from->bad && !cursor_left(from);
}

/* What linkers say of a procedure linkage table, whose entries push a word
 * at a certain byte of 16:  sp + 8 + ((ip & 15) >= byte) * 8. */
static bool is_plt(struct cursor from, uint8_t *byte)
{
    static const uint8_t head[] = {OP_BREG0 + ROW_SP, 8,     OP_BREG16, 0,
                                   OP_LIT0 + 15,      OP_AND};
    static const uint8_t tail[] = {OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS};
    const uint8_t *at = from.at;

    if ( cursor_left(&from) != sizeof(head) + 1 + sizeof(tail) ||
         memcmp(at, head, sizeof(head)) ||
         memcmp(at + sizeof(head) + 1, tail, sizeof(tail)) )
        return false;
    *byte = (uint8_t)(at[sizeof(head)] - OP_LIT0);
    return *byte < 16;
}

/* The word at register + offset, and perhaps a little more: the first where a
 * compiler has realigned a stack, the second in assembly of OpenSSL and its
 * like, which keeps the caller's sp in its own frame. */
static bool is_word(struct cursor from, unsigned int number,
                    struct row_rule *rule)
{
    int64_t offset;
    uint64_t extra = 0;

    if ( !take_register(&from, number, &offset) ||
         cfi_fixed(&from, 1) != OP_DEREF )
        return false;
    if ( cursor_left(&from) && cfi_fixed(&from, 1) == OP_PLUS_UCONST )
        extra = cfi_unsigned(&from);
    if ( !at_end(&from) || extra > UINT8_MAX ||
         !put_offset(offset, &rule->offset) )
        return false;
    rule->extra = (uint8_t)extra;
    return true;
}

static bool find_by_expression(const struct cfi_state *state,
                               struct row_rule *rule)
{
    rule->kind = RULE_PLT;
    if ( is_plt(state->cfa_expression, &rule->extra) )
        return true;
    rule->kind = RULE_AT_BP;
    if ( is_word(state->cfa_expression, ROW_BP, rule) )
        return true;
    rule->kind = RULE_AT_SP;
    return is_word(state->cfa_expression, ROW_SP, rule);
}

static bool find_by_register(const struct cfi_state *state,
                             struct row_rule *rule)
{
    if ( state->cfa_register >= ROW_REGISTER_COUNT ||
         !put_offset(state->cfa_offset, &rule->offset) )
        return false;
    switch ( state->cfa_register )
    {
    case ROW_SP: rule->kind = RULE_SP; break;
    case ROW_BP: rule->kind = RULE_BP; break;
    default:
        rule->kind = RULE_REGISTER;
        rule->extra = (uint8_t)state->cfa_register;
    }
    return true;
}

static void find_saved(const struct cfi_saved *saved, uint8_t *way,
                       int8_t *offset)
{
    struct cursor expression = saved->expression;
    int64_t at_bp;

    *way = SAVED_LOST;
    if ( saved->way == CFI_SAME )
        *way = SAVED_NOT;
    else if ( saved->way == CFI_AT_CFA && put_near(saved->offset, offset) )
        *way = SAVED_AT_CFA;
    else if ( saved->way == CFI_AT_EXPRESSION &&
              take_register(&expression, ROW_BP, &at_bp) &&
              at_end(&expression) && put_near(at_bp, offset) )
        *way = SAVED_AT_BP;
    if ( *way == SAVED_LOST )
        *offset = 0;
}

/* Whether it was saved at sp + wanted. */
static bool is_at(const struct cfi_saved *saved, int64_t wanted)
{
    struct cursor expression = saved->expression;
    int64_t offset;

    return saved->way == CFI_AT_EXPRESSION &&
           take_register(&expression, ROW_SP, &offset) && at_end(&expression) &&
           offset == wanted;
}

/* The kernel's frame of a signal, of which libraries say where in it each
 * register is: sp behind bp and bx, ip behind sp. */
static struct row_rule signal_rule(const struct cfi_state *state)
{
    struct row_rule rule = {.kind = RULE_SIGNAL};

    if ( !state->by_expression ||
         !is_word(state->cfa_expression, ROW_SP, &rule) || rule.extra ||
         !is_at(&state->saved[CFI_IP], rule.offset * ROW_WORD + 8) ||
         !is_at(&state->saved[CFI_BP], rule.offset * ROW_WORD - 40) ||
         !is_at(&state->saved[CFI_BX], rule.offset * ROW_WORD - 32) )
        return unknown;
    return rule;
}

/*
 * signal: the CIE says that the code is a signal frame.  The rule is
 * RULE_UNKNOWN if a walk cannot follow what is said.  Of expressions there are
 * four that it can, which are those that compilers, linkers and libraries in
 * assembly write (doc/rows.md).
 */
static struct row_rule rule_of_state(const struct cfi_state *state, bool signal)
{
    const struct cfi_saved *ip = &state->saved[CFI_IP];
    struct row_rule rule = {.kind = RULE_NONE};

    if ( ip->way == CFI_UNDEFINED )
        return root;
    /* OCaml 5 calls functions that switch stacks signal frames: the address
     * that they return to is behind a call all the same. */
    if ( signal && ip->way == CFI_AT_EXPRESSION )
        return signal_rule(state);
    if ( ip->way != CFI_AT_CFA || ip->offset != -8 ||
         !(state->by_expression ? find_by_expression(state, &rule)
                                : find_by_register(state, &rule)) )
        return unknown;
    find_saved(&state->saved[CFI_BP], &rule.bp, &rule.bp_offset);
    find_saved(&state->saved[CFI_BX], &rule.bx, &rule.bx_offset);
    return row_rule_sound(&rule) ? rule : unknown;
}

#define CIES 16u /* linkers leave a few of each file, used in turns */

/* A CIE that was read and run. */
struct known_cie {
    size_t offset;
    bool known;
    bool good;
    struct cfi_cie cie;
    struct cfi_state initial;
};

static const struct known_cie *find_cie(struct known_cie *known,
                                        const struct cfi_section *section,
                                        size_t offset)
{
    struct known_cie *cie = &known[(offset >> 2) % CIES];
    struct cfi_run run;

    if ( !cie->known || cie->offset != offset )
    {
        cie->known = true;
        cie->offset = offset;
        cie->good = cfi_read_cie(section, offset, &cie->cie) &&
                    cfi_run_cie(&run, section, &cie->cie);
        if ( cie->good )
            cie->initial = run.initial;
    }
    return cie->good ? cie : NULL;
}

static void add_cfi_rows(struct cfi_run *run, bool signal,
                         struct row_builder *builder)
{
    uint64_t address;

    while ( !row_builder_failed(builder) && cfi_run_next(run, &address) )
    {
        struct row_rule rule = rule_of_state(&run->state, signal);

        row_builder_row(builder, address, &rule);
    }
    if ( run->bad )
        row_builder_row(builder, address, &unknown);
}

size_t cfi_rows(const struct cfi_section *section, struct row_builder *builder)
{
    struct cursor from = {section->bytes, section->bytes + section->size,
                          false};
    struct known_cie known[CIES] = {{.known = false}};
    struct cfi_entry entry;
    struct cfi_fde fde;
    struct cfi_run run;
    size_t bad = 0;

    while ( !row_builder_failed(builder) &&
            cfi_next_entry(section, &from, &entry) )
    {
        const struct known_cie *cie;

        if ( entry.common )
            continue;
        cie = find_cie(known, section, entry.cie);
        if ( !cie || !cfi_read_fde(section, &cie->cie, &entry, &fde) )
        {
            bad++;
            continue;
        }
        run.cie = &cie->cie;
        run.section = section;
        run.initial = cie->initial;
        cfi_run_fde(&run, &fde);
        row_builder_function(builder, fde.start, fde.end);
        add_cfi_rows(&run, cie->cie.signal, builder);
    }
    return bad + from.bad;
}
