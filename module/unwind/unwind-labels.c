/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind-labels.h"

/* Of a call it cannot be said here whether it comes back. */
static bool goes_on(const struct unwind_insn *insn)
{
    switch ( insn->op )
    {
    case UNWIND_OP_CALL:
    case UNWIND_OP_JUMP:
    case UNWIND_OP_RETURN:
    case UNWIND_OP_INTERRUPT_RETURN:
    case UNWIND_OP_TRAP:
    case UNWIND_OP_STOP:
    case UNWIND_OP_INT3:
    case UNWIND_OP_BAD: return false;
    default: return true;
    }
}

/* With nothing but a return address on the stack. */
static bool as_function(const struct unwind_frame *frame)
{
    return frame->base == UNWIND_BASE_RSP &&
           frame->depth == unwind_frame_start.depth;
}

size_t unwind_drop_labels(struct unwind_code *code,
                          const struct unwind_frame *frames)
{
    size_t count = 0;

    for ( uint32_t i = 1; i < code->count; i++ )
    {
        const struct unwind_insn *before = &code->insns[i - 1];
        struct unwind_frame frame = frames[i - 1];

        if ( !(code->insns[i].marks & UNWIND_MARK_FUNCTION) ||
             before->text != code->insns[i].text || !goes_on(before) ||
             frame.base == UNWIND_BASE_NONE )
            continue;
        unwind_frame_step(&frame, before);
        if ( as_function(&frame) )
            continue;
        code->insns[i].marks &= ~UNWIND_MARK_FUNCTION;
        count++;
    }
    return count;
}
