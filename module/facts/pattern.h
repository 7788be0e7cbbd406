/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line that says what a function does with a field, with a question mark
 * where the field's offset stands:
 *
 *   read [arg1+?]:8                  a load of 8 bytes (":8" may be left out)
 *   write [arg1+?] = xor([arg1+?],1) a store of that value
 *   test [arg1+?], 1                 and-ed for the flags
 *   compare any, [arg1+?]            in either order
 *   call NAME(arg1, any)             as many arguments as are of interest;
 *                                    NAME may be *
 *   rsp = E    cr3 = E               a new stack pointer, a new root
 *   svm E                            VMRUN, VMLOAD or VMSAVE, this in rax
 *   vmwrite FIELD, E                 a field of the VMCS, by its number
 *   copy(TO, FROM, BYTES)            a block copied by rep movs, by a row of
 *                                    moves, or by memcpy
 *
 * Put `first` before it to take the first in the order of the path; without,
 * all that match must say the same.  Put `except @FACT` before it, twice if
 * need be, to pass over a field that is known already.  Expressions are sums of
 *
 *   arg1 to arg6     argument as the function was entered
 *   stack_end        end of this pCPU's stack
 *   current          what the stack's end says is the current vCPU
 *   [E] or [E]:W     what was loaded from there, W bytes
 *   result(NAME)     what that function returned
 *   &NAME            address of a symbol, &NAME* of any that begins so
 *   @FACT            the value of a fact that is known already
 *   shl(E,E) shr(E,E) and(E,E) or(E,E) xor(E,E) mul(E,E) minus(E,E) not(E)
 *   log2(?)          a constant that is the logarithm of what is asked for
 *   ones(?)          a constant of so many ones, as masks are
 *   any, numbers, and ?; E+any adds any constant
 */
#ifndef XENOPROF_MODULE_FACTS_PATTERN_H
#define XENOPROF_MODULE_FACTS_PATTERN_H

#include "facts-list.h"
#include "code-trace.h"

#define PATTERN_NODES_MAX 32
#define PATTERN_NAME_MAX  64

#define PATTERN_EXCEPT_MAX 2

/* Offsets in structures are smaller than this. */
#define PATTERN_OFFSET_MAX 0xffff

enum pattern_kind {
    PATTERN_ANY,
    PATTERN_LEAF,   /* value: kind, number */
    PATTERN_LOAD,   /* left, width */
    PATTERN_RESULT, /* name */
    PATTERN_LOG2,
    PATTERN_ONES,
    PATTERN_BINARY, /* value: kind, left, right */
    PATTERN_SUM,    /* left + number + unknown * ? + address of name */
};

struct pattern_node {
    enum pattern_kind kind;
    enum value_kind value;
    uint8_t width;
    int8_t unknown;
    bool slack; /* any constant may be added */
    uint8_t left;
    uint8_t right;
    int64_t number;
    char name[PATTERN_NAME_MAX];
};

struct pattern {
    enum code_event_kind event;
    bool first;
    uint32_t except[PATTERN_EXCEPT_MAX]; /* XENOPROF_FACT_ABSENT: nothing */
    uint8_t width;
    char callee[PATTERN_NAME_MAX];
    uint8_t operands[CODE_ARGUMENTS]; /* nodes */
    uint8_t operand_count;
    struct pattern_node nodes[PATTERN_NODES_MAX];
    uint8_t node_count;
};

/* What one function states by a pattern. */
struct pattern_result {
    unsigned int matches;
    bool contradicts; /* two matches give different offsets */
    uint32_t offset;
    uint64_t address; /* of the first instruction that matches */
};

/* Returns 0, -EINVAL if the line is not a pattern, or -EAGAIN if it needs a
 * fact that known does not have yet. */
int pattern_parse(struct pattern *pattern, const char *text,
                  const struct xenoprof_facts *known);

/* Matches against the events of the function that was traced last. */
void pattern_match(const struct pattern *pattern,
                   const struct code_tracer *tracer,
                   struct pattern_result *result);

#endif /* XENOPROF_MODULE_FACTS_PATTERN_H */
