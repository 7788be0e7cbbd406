/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "leaves.h"

#include <string.h>

/* As names begin, in Xen and in Linux. */
static const char *const thunks[] = {
    "__x86_return_thunk", "__x86_indirect_", "srso_",     "retbleed_",
    "its_return_thunk",   "zen_untrain_ret", "__fentry__"};

bool symbol_is_thunk(const char *symbol)
{
    for ( size_t i = 0; i < sizeof(thunks) / sizeof(thunks[0]); i++ )
        if ( !strncmp(symbol, thunks[i], strlen(thunks[i])) )
            return true;
    return false;
}

bool frame_is_thunk(const struct loaded *loaded, const struct frame *frame)
{
    const char *name = names_text(&loaded->names, frame->key.symbol);

    return name && symbol_is_thunk(name);
}

/* A thunk has no caller where a chain was cut, or where the next frame is of
 * whoever was interrupted. */
static bool called(const struct frame *caller, const struct frame *frame)
{
    return caller->key.kind == FRAME_CODE && frame->key.kind == FRAME_CODE &&
           caller->key.mode == frame->key.mode;
}

uint32_t chain_worker(const struct loaded *loaded, const struct stacks *stacks,
                      const struct chain *chain)
{
    const uint32_t *frames = chain_frames(stacks, chain);
    uint32_t at = chain->count - 1;

    while ( at && frame_is_thunk(loaded, stacks_frame(stacks, frames[at])) &&
            called(stacks_frame(stacks, frames[at - 1]),
                   stacks_frame(stacks, frames[at])) )
        at--;
    return frames[at];
}
